"""The sentence vectors of a fleet's banks, compared where the question is asked: the database has no operator for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bankd.adapters.fleet.database import FleetDatabase
from bankd.adapters.meaning.sentence_vectors import SentenceVectors
from bankd.core.ranking.fusion import CosineBounds

_ALL = 20_000
"""The most vectors, some 15 MB, of which all are compared; of more only those whose memories were found by words."""
_NUMBER = "(bank::bigint << 32) + row"


class SharedVectors:
    """The vectors of some banks by one model, as `ports.reading.Vectors`; a key is the number of a memory."""

    def __init__(
        self, database: FleetDatabase, banks: Sequence[int], count: int, door: SentenceVectors, model: str
    ) -> None:
        """Take the banks, how many vectors they have, what makes that of a question, and the model's settings as JSON."""
        self._database, self._banks, self._count = database, list(banks), count
        self._door, self.identity = door, model

    @property
    def problem(self) -> str:
        """Why the last question has no vector; empty when it has."""
        return self._door.problem

    def bounds_for(self, *, in_hangul: bool) -> CosineBounds | None:
        """From which cosines on something is an answer; unknown where only some were compared."""
        return self._door.bounds_for(in_hangul=in_hangul) if self._count <= _ALL else None

    def near(self, text: str, keys: Sequence[int], most: int) -> Mapping[int, float] | None:
        """Cosines to a question, by key, of the nearest memories and of these; None when they cannot be computed now."""
        asked = self._door.question_vector(text)
        if asked is None:
            return None
        found = self._fetch(None if self._count <= _ALL else keys)
        if not found:
            return {}
        vectors = np.frombuffer(b"".join(bytes(vector) for _, vector in found), np.float16).reshape(len(found), -1)
        cosines = np.nan_to_num(vectors.astype(np.float32) @ np.asarray(asked, np.float32))
        every = {number: float(cosine) for (number, _), cosine in zip(found, cosines, strict=True)}
        best = sorted(every, key=lambda number: (-every[number], number))[:most]
        return {number: every[number] for number in {*best, *keys} if number in every}

    def _fetch(self, numbers: Sequence[int] | None) -> Sequence[tuple[int, bytes]]:
        """The vectors of these memories, or of all."""
        if numbers is None:
            return self._database.rows(
                f"SELECT {_NUMBER}, vector FROM shared_vectors WHERE bank = ANY(%s)",  # noqa: S608
                self._banks,
            )
        pairs = [divmod(number, 1 << 32) for number in numbers]
        return self._database.rows(
            f"SELECT {_NUMBER}, vector FROM shared_vectors JOIN unnest(%s::integer[], %s::bigint[]) AS asked (bank, row) "  # noqa: S608
            "USING (bank, row) WHERE bank = ANY(%s)",
            [bank for bank, _ in pairs],
            [row for _, row in pairs],
            self._banks,
        )

    def embed(self, texts: Sequence[str]) -> Sequence[int] | None:
        """Nothing: the vectors of memories are those that their banks made."""
        return None

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        """Nothing: memories are compared by the runs of their banks."""
        return [None] * len(pairs)

    def end_if_idle(self) -> None:
        """End the process of the model when nobody asked it for half an hour."""
        self._door.end_if_idle()

    def close(self) -> None:
        """End it."""
        self._door.close()

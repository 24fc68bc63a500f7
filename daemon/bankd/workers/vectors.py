"""Sentence vectors, as search and runs ask for them; `vector_worker` makes and compares them in a process of its own.

No request waits longer than its time. After a failure the process is left alone for some seconds, after the next one
twice as long, up to a minute: a model that hangs or is missing costs little, and one that fails once is asked again soon.
Nothing here imports numpy or a model.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bankd.search.meaning import BEGINNING, NO_VECTOR, beginning_of, vector_key

if TYPE_CHECKING:
    from bankd.search.request import MeaningSettings
    from bankd.system.child import ChildProcess

_QUESTION_SECONDS, _START_SECONDS, _TEXTS_SECONDS = 2.0, 8.0, 120.0
"""The longest waits in seconds: for an answer, for an answer of a process that must start first, for a batch of vectors."""
_REST_SECONDS, _LONGEST_REST, _IDLE_SECONDS = 4.0, 60.0, 1800.0


class SentenceVectors:
    """The vectors of one group of texts of a workspace by one model; safe to use from several threads."""

    def __init__(
        self, root: Path, settings: MeaningSettings, clock: Callable[[], float], process: VectorProcess | None = None
    ) -> None:
        """Take the folder of derived files, the model, and a monotonic clock in seconds; nothing is started yet."""
        self.model = blake2b(json.dumps([*settings, BEGINNING]).encode(), digest_size=6).hexdigest()
        self._root, self._settings, self._clock = root, settings, clock
        self._folder, self._group = root / "meaning" / self.model, ""
        self._process = process or VectorProcess(self._folder, settings, clock)

    def of_group(self, group: str) -> SentenceVectors:
        """The vectors of another group, such as the logs, by the same process; kept apart, so that they do not hide the bank's."""
        other = SentenceVectors(self._root, self._settings, self._clock, self._process)
        other._folder, other._group = self._folder / group, group
        return other

    @property
    def problem(self) -> str:
        """Why they did not answer when last asked; empty when they did."""
        return self._process.problem

    @property
    def identity(self) -> str:
        """Changes when the model changes, or its files were removed."""
        try:
            return f"{self.model}-{(self._folder / 'keys').stat().st_ino}"
        except OSError:
            return ""

    def near(self, text: str, keys: Sequence[int], most: int) -> Mapping[int, tuple[float, float]] | None:
        """Cosines to a question, by key, of the nearest texts and of these, each with the cosine that strangers would have.

        Nearest are the texts whose cosine is most above that of strangers.

        None when they cannot be computed now.
        """
        answer = self._ask({"near": beginning_of(text), "keys": keys, "most": most}, self._process.patience)
        if answer is None:
            return None
        return {int(key): (float(cosine), float(usual)) for key, cosine, usual in answer["near"]}

    def question_vectors(self, text: str) -> Sequence[Sequence[float]] | None:
        """The vector of a question, and behind it those of strangers' questions in its script, each of length 1; None if not now."""
        answer = self._ask({"question": beginning_of(text)}, self._process.patience)
        return None if answer is None else answer["vectors"]

    def embed(self, texts: Sequence[str]) -> Sequence[int] | None:
        """Make vectors of the texts that have none; gives the key of each, `NO_VECTOR` if the model refuses it; None when it cannot be done now."""
        beginnings = [beginning_of(text) for text in texts]
        keys = [vector_key(text) for text in beginnings]
        done = self._ask({"embed": list(zip(keys, beginnings, strict=True))}, _TEXTS_SECONDS, is_idle=True)
        return None if done is None else [NO_VECTOR if key in done["refused"] else key for key in keys]

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        """How near the two texts of each pair are; None of those without a vector, and of all if it cannot be done now."""
        keys = [[vector_key(beginning_of(text)) for text in pair] for pair in pairs]
        answer = self._ask({"pairs": keys}, _TEXTS_SECONDS, is_idle=True)
        return [None] * len(pairs) if answer is None else answer["cosines"]

    def _ask(self, request: dict[str, Any], seconds: float, *, is_idle: bool = False) -> dict[str, Any] | None:
        return self._process.ask({**request, "group": self._group}, seconds, is_idle=is_idle)

    def end_if_idle(self) -> None:
        """End the process when nobody asked it for half an hour."""
        self._process.end_if_idle()

    def close(self) -> None:
        """End the process."""
        self._process.close()


class VectorProcess:
    """The processes that make and compare vectors, of all groups: one for questions, one of the lowest priority for texts.

    Each is started by its first request. Nothing waits for texts, and who asks a question does not wait behind them.
    """

    def __init__(self, folder: Path, settings: MeaningSettings, clock: Callable[[], float]) -> None:
        """Take where the vectors are, which model makes them, and a monotonic clock in seconds."""
        self._folder, self._settings, self._clock = folder, settings, clock
        self._children: dict[bool, ChildProcess] = {}
        self._rests_until, self._rest = 0.0, _REST_SECONDS
        self.problem = ""

    @property
    def patience(self) -> float:
        """The most seconds that a question waits."""
        asked = self._children.get(False)
        return _QUESTION_SECONDS if asked is not None and asked.is_running else _START_SECONDS

    def ask(self, request: dict[str, Any], seconds: float, *, is_idle: bool = False) -> dict[str, Any] | None:
        """The answer to a request; None if there is none now, and `problem` says why."""
        if self._clock() < self._rests_until:
            return None
        from bankd.system.child import ChildDiedError, ChildProcess  # noqa: PLC0415 -- most have no vectors

        if is_idle not in self._children:
            module, settings = "bankd.workers.vector_worker", json.dumps(self._settings)
            command = [sys.executable, "-m", module, str(self._folder), settings, *(["idle"] if is_idle else [])]
            self._children[is_idle] = ChildProcess(command, self._clock, _IDLE_SECONDS)
        try:
            answer = self._children[is_idle].ask(request, seconds=seconds)
        except ChildDiedError as died:
            answer = {"problem": str(died)}
        self.problem = str(answer.get("problem", ""))
        if self.problem:
            self._rests_until, self._rest = self._clock() + self._rest, min(2 * self._rest, _LONGEST_REST)
            return None
        self._rest = _REST_SECONDS
        return answer

    def end_if_idle(self) -> None:
        """End each when nobody asked it for half an hour."""
        for child in self._children.values():
            child.end_if_idle()

    def close(self) -> None:
        """End them."""
        children, self._children = self._children, {}
        for child in children.values():
            child.close()

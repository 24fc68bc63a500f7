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
    from bankd.settings import MeaningPolicy
    from bankd.system.child import ChildProcess

_QUESTION_SECONDS, _START_SECONDS, _TEXTS_SECONDS = 2.0, 8.0, 120.0
"""The longest waits in seconds: for an answer, for an answer of a process that must start first, for a batch of vectors."""
_REST_SECONDS, _LONGEST_REST, _IDLE_SECONDS = 4.0, 60.0, 1800.0


class _State:
    """What the vectors of all groups share: the processes, and when they are asked again after a failure."""

    def __init__(self, *, in_background: bool) -> None:
        self.in_background = in_background
        self.children: dict[bool, ChildProcess] = {}
        self.rests_until, self.rest, self.problem = 0.0, _REST_SECONDS, ""


class SentenceVectors:
    """The vectors of one group of texts of a workspace by one model; safe to use from several threads.

    Two processes make and compare those of all groups: one for questions, one for texts. Each is started by its first
    request, and who asks a question does not wait behind texts. What works in the background gives those the lowest priority;
    a person waits for a run that was typed, which on a busy computer would not get on at it.
    """

    def __init__(
        self,
        root: Path,
        settings: MeaningPolicy,
        clock: Callable[[], float],
        group: str = "",
        state: _State | None = None,
        *,
        in_background: bool = False,
    ) -> None:
        """Take the folder of derived files, the model, and a monotonic clock in seconds; nothing is started yet."""
        self.model = blake2b(json.dumps([*settings, BEGINNING]).encode(), digest_size=6).hexdigest()
        self._root, self._settings, self._clock = root, settings, clock
        self._all, self._group = root / "meaning" / self.model, group
        self._state = state or _State(in_background=in_background)

    def of_group(self, group: str) -> SentenceVectors:
        """The vectors of another group, such as the logs, by the same process; kept apart, so that they do not hide the bank's."""
        return SentenceVectors(self._root, self._settings, self._clock, group, self._state)

    @property
    def problem(self) -> str:
        """Why they did not answer when last asked; empty when they did."""
        return self._state.problem

    @property
    def identity(self) -> str:
        """Changes when the model changes, or its files were removed."""
        try:
            return f"{self.model}-{(self._all / self._group / 'keys').stat().st_ino}"
        except OSError:
            return ""

    def near(self, text: str, keys: Sequence[int], most: int) -> Mapping[int, tuple[float, float]] | None:
        """Cosines to a question, by key, of the nearest texts and of these, each with the cosine that strangers would have.

        Nearest are the texts whose cosine is most above that of strangers.

        None when they cannot be computed now.
        """
        answer = self._ask({"near": beginning_of(text), "keys": keys, "most": most})
        if answer is None:
            return None
        return {int(key): (float(cosine), float(usual)) for key, cosine, usual in answer["near"]}

    def question_vectors(self, text: str) -> Sequence[Sequence[float]] | None:
        """The vector of a question, and behind it those of strangers' questions in its script, each of length 1; None if not now."""
        answer = self._ask({"question": beginning_of(text)})
        return None if answer is None else answer["vectors"]

    def embed(self, texts: Sequence[str]) -> Sequence[int] | None:
        """Make vectors of the texts that have none; gives the key of each, `NO_VECTOR` if the model refuses it; None when it cannot be done now."""
        beginnings = [beginning_of(text) for text in texts]
        keys = [vector_key(text) for text in beginnings]
        done = self._ask({"embed": list(zip(keys, beginnings, strict=True))}, is_idle=True)
        return None if done is None else [NO_VECTOR if key in done["refused"] else key for key in keys]

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        """How near the two texts of each pair are; None of those without a vector, and of all if it cannot be done now."""
        keys = [[vector_key(beginning_of(text)) for text in pair] for pair in pairs]
        answer = self._ask({"pairs": keys}, is_idle=True)
        return [None] * len(pairs) if answer is None else answer["cosines"]

    def _ask(self, request: dict[str, Any], *, is_idle: bool = False) -> dict[str, Any] | None:
        """The answer to a request; None if there is none now, and `problem` says why."""
        state, now = self._state, self._clock()
        if now < state.rests_until:
            return None
        from bankd.system.child import ChildDiedError, ChildProcess  # noqa: PLC0415 -- most have no vectors

        if is_idle not in state.children:
            module, settings = "bankd.workers.vector_worker", json.dumps(self._settings)
            idle = ["idle"] if is_idle and state.in_background else []
            command = [sys.executable, "-m", module, str(self._all), settings, *idle]
            state.children[is_idle] = ChildProcess(command, self._clock, _IDLE_SECONDS)
        child = state.children[is_idle]
        seconds = _TEXTS_SECONDS if is_idle else _QUESTION_SECONDS if child.is_running else _START_SECONDS
        try:
            answer = child.ask({**request, "group": self._group}, seconds=seconds)
        except ChildDiedError as died:
            answer = {"problem": str(died)}
        state.problem = str(answer.get("problem", ""))
        if state.problem:
            state.rests_until, state.rest = self._clock() + state.rest, min(2 * state.rest, _LONGEST_REST)
            return None
        state.rest = _REST_SECONDS
        return answer

    def end_if_idle(self) -> None:
        """End each process when nobody asked it for half an hour."""
        for child in self._state.children.values():
            child.end_if_idle()

    def close(self) -> None:
        """End the processes."""
        children, self._state.children = self._state.children, {}
        for child in children.values():
            child.close()

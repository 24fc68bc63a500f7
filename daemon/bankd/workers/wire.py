"""The data exchanged with a language model, over any wire: a question, an answer, or an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

LONGEST_ANSWER = 1 << 20
"""Bytes of an answer at most; real answers are some thousands, and a command that prints more gives none."""


class Question(NamedTuple):
    """A prompt as it is sent: with `again`, the answer that could not be used and why."""

    system: str
    text: str
    schema: Mapping[str, object]
    most_tokens: int
    again: tuple[str, str] | None = None

    def turns(self) -> list[dict[str, str]]:
        """The text, and with `again` the last answer and what is wrong with it."""
        turns = [{"role": "user", "content": self.text}]
        if self.again:
            turns.append({"role": "assistant", "content": self.again[0] or "{}"})
            turns.append({"role": "user", "content": f"That cannot be used: {self.again[1]}. Answer again, as JSON."})
        return turns


class Said(NamedTuple):
    """An answer: the text, its tokens if the server reports them, and whether it was cut off or refused."""

    text: str
    tokens: tuple[int, int] | None = None
    is_cut: bool = False
    is_refused: bool = False
    cost: float = 0.0
    """The cost in US dollars, if reported."""


class WireError(Exception):
    """Why no answer came: `kind` is busy, failing, silent, declined or closed (do not retry); `after` is seconds to wait."""

    def __init__(self, kind: str, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.kind, self.after = kind, after


Ask = Callable[[Question], Said]

"""What rules and use cases need from outside, where more than one class provides it.

Where there is one class, its users name it, imported for type checking only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from bankd.fleet.shared import SharedIndex, SharedVectors
    from bankd.index.search_index import SearchIndex
    from bankd.memory.plan import Deferred
    from bankd.memory.retain import LogReading
    from bankd.night.asking import Prompt, Reply, Unanswered
    from bankd.workers.vectors import SentenceVectors


IndexView: TypeAlias = "SearchIndex | SharedIndex"
"""One state of the search index of a bank, or of banks of a fleet, to be read."""

Vectors: TypeAlias = "SentenceVectors | SharedVectors"
"""Sentence vectors of a bank, or of the banks of a fleet."""


class Models(Protocol):
    """A language model that the user named."""

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Reply | Unanswered]:
        """Answer each prompt, in their order; never raise for what a model does."""
        ...

    def find(self, prompt: Prompt) -> Reply | None:
        """The reply to the same prompt that was kept; nothing is asked."""
        ...


class ProseLogs(Protocol):
    """The logs as a model reads them: those of the workspace, or these plus text that is not written yet."""

    def settled(self, now: datetime) -> Sequence[str]:
        """The logs that nobody is writing at the moment, the oldest day first."""
        ...

    def read(self, log: str) -> LogReading | None:
        """The Retain lines of a log; None if it cannot be read now."""
        ...

    def text(self, log: str) -> str:
        """A log as it is now; empty if there is none."""
        ...

    def append(self, log: str, text: str) -> None:
        """Put text at the end of a log below `distilled/`; BankError if that cannot be done."""
        ...


@dataclass(frozen=True, slots=True)
class UnreadLogs:
    """The changed logs: those that were read, those that must wait, and the names of those left for a later batch."""

    readings: Sequence[LogReading]
    waiting: Sequence[Deferred] = ()
    later: Sequence[str] = ()

"""The raw logs, and the answers that were given a short while ago."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from bankd.core.lifecycle.edited import PastLine
from bankd.core.lifecycle.retain import LogReading
from bankd.core.plan.decisions import Deferred
from bankd.core.plan.held_back import HeldBack
from bankd.core.use.suppression import KeptAnswer


@dataclass(frozen=True, slots=True)
class UnreadLogs:
    """The logs that changed: those read, those that have to wait, and the names of those left for a later batch."""

    readings: Sequence[LogReading]
    waiting: Sequence[Deferred] = ()
    later: Sequence[str] = ()


class Logs(Protocol):
    """The raw logs of a workspace; they are read and never written."""

    def present(self) -> frozenset[str]:
        """The names of all logs, read or not."""

    def read(self, log: str) -> LogReading | None:
        """A log by its name, as it is now; None when there is none."""

    def prose(self) -> int:
        """How many lines of all logs were read and not taken in because nobody tagged them."""

    def text(self, log: str) -> str:
        """The text of a log by its name below `memory/`, without what cannot be read; empty when there is none."""

    def held_back(self) -> Sequence[HeldBack]:
        """The lines that were not taken in and wait for a person."""

    def dismiss(self, key: str) -> None:
        """Stop naming the lines with this key."""

    def unread(self, now: datetime, start: str = "", enough: int | None = None) -> UnreadLogs:
        """Read the logs that changed since they were last marked as read, by day, from the log `start` on.

        When those read have `enough` lines to remember, the others are left for later.
        """

    def note_held_back(self, lines: Mapping[str, Sequence[HeldBack]]) -> None:
        """Remember, by log, the lines that were not taken in and wait for a person."""

    def lines_before(self, identity: str) -> Sequence[PastLine]:
        """The Retain lines of a log, by the name it was first read under, as it was last marked as read."""

    def note_questions(self, questions: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        """Remember, by log and memory, the questions that memories answer; of these logs no others."""

    def mark_read(self, readings: Iterable[LogReading]) -> None:
        """Remember that these logs were read whole, as they were then, and their Retain lines."""


class ProseLogs(Protocol):
    """The logs as prose, and where lines that were made of it are put."""

    def settled(self, now: datetime) -> Sequence[str]:
        """The names of the logs at rest, oldest first."""

    def text(self, log: str) -> str:
        """The text of a log; empty when there is none."""

    def read(self, log: str) -> LogReading | None:
        """What a log says; None when there is none."""

    def append(self, log: str, text: str) -> None:
        """Put a text at the end of a log in a folder, made when missing; StorageError when the disk does not take it."""

    def take_back(self, log: str, text: str) -> bool:
        """Take a text that was put there off the end of a log; False, and nothing is done, where it does not end it."""


class Recalls(Protocol):
    """The answers that were given a short while ago."""

    def answers(self) -> Sequence[KeptAnswer]:
        """These, oldest first."""


class RecallWriter(Protocol):
    """Where answers are kept for a short while."""

    def keep(self, answer: Mapping[str, Any], now: datetime) -> None:
        """Write an answer down; raises OSError."""

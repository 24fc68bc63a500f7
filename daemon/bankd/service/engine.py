"""What the daemon needs of a workspace, in its own words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from bankd.core.health import BankFacts
from bankd.core.policy import Settings
from bankd.core.watching import Changes


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did: a line for people, and the whole for programs."""

    line: str
    report: dict[str, Any]


class Engine(Protocol):
    """A workspace opened for as long as the daemon lives; only its writer holds the lock."""

    @property
    def settings(self) -> Settings: ...

    def reload(self) -> None:
        """Read settings and rules again; raises ConfigError and keeps the old ones when they cannot be used."""

    def run(self, kind: str, *, force: bool = False) -> RunSummary:
        """Run a cycle."""

    def take_in(self, changes: Changes) -> None:
        """Make what changed on disk searchable."""

    def search(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a search request."""

    def facts(self) -> BankFacts:
        """How bank and index stand."""

    def tidy(self) -> None:
        """End what was idle for long, such as the analyser's process."""

    def lend(self) -> None:
        """Let another process of the user write for a while."""

    def retake(self) -> None:
        """Be the writer again, and see what the other one did; raises BusyError while it still writes."""

    def close(self) -> None:
        """Let go of everything."""


OpenEngine: TypeAlias = Callable[[Path], Engine]

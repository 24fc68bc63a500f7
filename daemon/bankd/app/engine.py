"""A workspace as the daemon holds it: locked for its life, with the settings that were good when last read."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from bankd.app.search_server import SearchServer
from bankd.config import ConfigError
from bankd.config.workspace_config import Sources, read_sources, understand_sources
from bankd.core.daemon.health import BankFacts, IndexFacts
from bankd.core.daemon.watching import Changes
from bankd.core.markdown.policy import Settings
from bankd.errors import BankError, BusyError, UserError

log = logging.getLogger(__name__)

MANY = 100
"""From this many pages on another process reads them; for fewer its start would take longer than the reading."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did: a line for people, and the whole for programs; logs may have been too fresh to be read.

    `rest` is the log and line where the next batch of history begins.
    """

    line: str
    report: dict[str, Any]
    has_waiting_logs: bool = False
    rest: tuple[str, int] | None = None


class WriteLock(Protocol):
    """The right to write in a workspace."""

    @property
    def descriptor(self) -> int:
        """The open file by which a child process inherits it."""

    def take(self) -> None:
        """Take it; raises BusyError when another process has it."""

    def release(self) -> None:
        """Give it back."""


class Child(Protocol):
    """A process that does work when asked, one thing at a time."""

    @property
    def is_running(self) -> bool:
        """Whether it is there."""

    def ask(self, request: dict[str, Any], descriptor: int | None = None) -> dict[str, Any]:
        """Have something done, with the right to write or without."""

    def end_if_idle(self) -> None:
        """End it when there was no work for a while."""

    def end(self) -> None:
        """End it, whatever it does."""

    def close(self) -> None:
        """End it for good."""


class HeldFolder(Protocol):
    """The folder of a workspace, held open."""

    def is_in_place(self) -> bool:
        """Whether its path still leads to it."""

    def close(self) -> None:
        """Let go of it."""


@dataclass(frozen=True, slots=True)
class EngineParts:
    """What the daemon holds of a workspace: its folder, the lock, one child for runs and one for what cannot wait."""

    folder: HeldFolder
    lock: WriteLock
    runner: Child
    reader: Child
    searching: SearchServer
    read_clock: Callable[[str], datetime]
    bank_facts: Callable[[IndexFacts, Mapping[str, int], float], BankFacts]
    disk_trouble: Callable[[], str]
    """Why nothing can be written now; empty when it can."""


class Engine:
    """Has cycles run and answers questions.

    Whatever writes (`run`, `settle_index`, `lend`, `retake`) must come one at a time; the rest from any thread.
    """

    def __init__(self, root: Path, settings: Settings, sources: Sources, parts: EngineParts) -> None:
        """Take the parts; the lock is held."""
        self.root, self._settings, self._sources = root, settings, sources
        self._changing = threading.Lock()
        self._folder, self._lock, self._finder = parts.folder, parts.lock, parts.searching
        self._runner, self._reader = parts.runner, parts.reader
        self._read_clock, self._bank_facts, self.disk_trouble = parts.read_clock, parts.bank_facts, parts.disk_trouble

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._settings

    def reload(self) -> None:
        """Read settings and rules again; raises ConfigError, and goes on by the old ones, when they cannot be used."""
        with self._changing:
            settings, sources = read_configuration(self.root)
            if settings.folders != self._settings.folders:
                raise ConfigError(f"{self.root}/bankd.yaml: folders: other ones are taken when bankd is started again")
            self._settings, self._sources = settings, sources
            self._finder.adopt(self._settings)

    def recover(self) -> None:
        """Finish what a crash interrupted."""
        self._work("recover")

    def run(self, kind: str, *, force: bool = False, start: tuple[str, int] | None = None) -> RunSummary:
        """Run a cycle, on the logs from `start` on, and make searchable what it did; raises what the cycle raises."""
        return RunSummary(**self._work("run", kind=kind, force=force, start=start))

    def take_in(self, changes: Changes) -> None:
        """Make searchable what changed on disk, at once if not thoroughly; `settle_index` is to follow."""
        if len(changes.paths) >= MANY:
            self._have_done(self._reader, "catch up")
        else:
            self._finder.take_in(changes.paths, self._now())

    def settle_index(self) -> bool:
        """Read thoroughly what was only read at once, and bring the tree file up to date; says whether more waits."""
        return bool(self._work("settle")["more"])

    def _work(self, what: str, **fields: Any) -> dict[str, Any]:
        return self._have_done(self._runner, what, self._lock.descriptor, **fields)

    def _have_done(self, child: Child, what: str, descriptor: int | None = None, **fields: Any) -> dict[str, Any]:
        answer = child.ask({"do": what, "root": str(self.root), "sources": self._sources, **fields}, descriptor)
        if "error" in answer:
            if "trace" in answer:
                log.error("%s failed by a bug\n%s", what, answer["trace"])
            raise _error_of(answer)
        self._finder.forget_problem()
        return answer

    def search(self, request: dict[str, Any], pending: int) -> dict[str, Any]:
        """Answer a search; `pending` is how many changed files are known not to be in the index yet."""
        return self._finder.answer(request, self._now(), pending)

    def facts(self, pending: int, sizes: Mapping[str, int]) -> BankFacts:
        """How bank and index stand, by what the watcher knows of the files."""
        index = self._finder.facts(pending, is_working=self._runner.is_running or self._reader.is_running)
        return self._bank_facts(index, sizes, self.settings.split.warn_kib)

    def is_in_place(self) -> bool:
        """Whether the workspace is still the folder that was opened."""
        return self._folder.is_in_place()

    def tidy(self) -> None:
        """Give back what only work needs, when there was none for a while."""
        self._runner.end_if_idle()
        self._reader.end_if_idle()
        self._finder.tidy()

    def lend(self) -> None:
        """Let another process of the user write for a while."""
        self._lock.release()

    def retake(self) -> None:
        """Be the writer again; raises BusyError while the other still writes."""
        self._lock.take()

    def abandon(self) -> None:
        """End what is going on; what it was writing is in its journal, and the next run finishes it."""
        self._runner.end()
        self._reader.end()

    def close(self) -> None:
        """Let go of the workspace."""
        self._runner.close()
        self._reader.close()
        self._finder.close()
        self._lock.release()
        self._folder.close()

    def _now(self) -> datetime:
        return self._read_clock(self.settings.timezone)


def read_configuration(root: Path) -> tuple[Settings, Sources]:
    """The settings, and the texts of settings and rules; raises ConfigError when any of it cannot be used."""
    sources = read_sources(root)
    return understand_sources(root, sources).settings, sources


def _error_of(answer: dict[str, Any]) -> BankError:
    kinds: dict[int, type[BankError]] = {UserError.exit_code: UserError, BusyError.exit_code: BusyError}
    return kinds.get(answer["exit"], BankError)(answer["error"])

"""A workspace as the daemon holds it: locked for its life, with the settings that were good when last read."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bankd.adapters.storage.disk import trouble_of
from bankd.adapters.storage.lock import Lock
from bankd.adapters.storage.tree import FileTree
from bankd.adapters.system.child import ChildProcess
from bankd.adapters.system.clock import read_clock, read_monotonic
from bankd.adapters.workspace.facts import bank_facts
from bankd.config.workspace_config import FOLDERS, Sources, read_sources, understand_sources
from bankd.core.daemon.health import BankFacts
from bankd.core.daemon.watching import Changes
from bankd.core.markdown.policy import Settings
from bankd.errors import BankError, BusyError, UserError
from bankd.wiring.search_server import SearchServer

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


class Engine:
    """Has cycles run and answers questions.

    Whatever writes (`run`, `settle_index`, `lend`, `retake`) must come one at a time; the rest from any thread.
    """

    def __init__(self, root: Path) -> None:
        """Take the lock; raises BusyError when another process has it, UserError when there is no writing here."""
        self.root = root
        self._changing = threading.Lock()
        self._settings, self._sources = read_configuration(root)
        self._tree = FileTree(root)
        started = self._now().isoformat(timespec="seconds")
        self._lock = Lock(self._tree, started)
        try:
            self._lock.take()
        except BaseException:
            self._tree.close()
            raise
        command = [sys.executable, "-m", "bankd.wiring.runner", str(root)]
        # What is wanted at once must not wait for a run.
        self._runner, self._reader = ChildProcess(command, read_monotonic), ChildProcess(command, read_monotonic)
        self._finder = SearchServer(root, self._settings)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._settings

    def reload(self) -> None:
        """Read settings and rules again; raises ConfigError, and goes on by the old ones, when they cannot be used."""
        with self._changing:
            self._settings, self._sources = read_configuration(self.root)
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

    def settle_index(self) -> None:
        """Read thoroughly what was only read at once, and bring the tree file up to date."""
        self._work("settle")

    def _work(self, what: str, **fields: Any) -> dict[str, Any]:
        return self._have_done(self._runner, what, self._lock.descriptor, **fields)

    def _have_done(
        self, child: ChildProcess, what: str, descriptor: int | None = None, **fields: Any
    ) -> dict[str, Any]:
        answer = child.ask({"do": what, "sources": self._sources, **fields}, descriptor)
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
        return bank_facts(self.root, index, sizes, self.settings.split.warn_kib)

    def is_in_place(self) -> bool:
        """Whether the workspace is still the folder that was opened."""
        return self._tree.is_in_place()

    def disk_trouble(self) -> str:
        """Why nothing can be written now; empty when it can."""
        return trouble_of(self.root, FOLDERS[1:])

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
        self._tree.close()

    def _now(self) -> datetime:
        return read_clock(self.settings.timezone)


def read_configuration(root: Path) -> tuple[Settings, Sources]:
    """The settings, and with the rules as they are written; raises ConfigError when any of it cannot be used."""
    sources = read_sources(root)
    return understand_sources(root, sources).settings, sources


def _error_of(answer: dict[str, Any]) -> BankError:
    kinds: dict[int, type[BankError]] = {UserError.exit_code: UserError, BusyError.exit_code: BusyError}
    return kinds.get(answer["exit"], BankError)(answer["error"])


def open_engine(root: Path) -> Engine:
    """Read the settings, take the lock, and finish what a crash interrupted; UserError where one cannot write."""
    try:
        engine = Engine(root)
    except OSError as error:
        raise UserError(f"{error.filename or root}: {error.strerror}") from error
    try:
        engine.recover()
    except BaseException:
        engine.close()
        raise
    return engine

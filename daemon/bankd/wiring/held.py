"""A bank in the daemon: locked while the daemon runs, with the last usable settings."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bankd.config.workspace import ConfigError, Sources, place_folders, read_sources, understand_sources
from bankd.errors import BankError, BusyError, UserError
from bankd.health.health import BankFacts
from bankd.settings import Settings
from bankd.storage.journals import Lock
from bankd.storage.tree import FileTree
from bankd.system.child import ChildProcess, ProcessTurn
from bankd.system.clock import read_clock, read_monotonic
from bankd.wiring.search import make_search
from bankd.workspace.facts import bank_facts

log = logging.getLogger(__name__)

if TYPE_CHECKING:
    Turns: TypeAlias = tuple[ProcessTurn | None, ProcessTurn | None]
    """What the children of several banks wait for, of each of the two kinds; None where there is one bank."""


def _child(turn: ProcessTurn | None = None) -> ChildProcess:
    return ChildProcess([sys.executable, "-m", "bankd.wiring.runner"], read_monotonic, turn=turn)


class Held:
    """One bank of the daemon: its lock, folder, settings and search, and two children: one for runs, and one that waits for none.

    What writes (`do`, and giving the lock away and taking it back) must be called one at a time; all else from any thread.
    """

    def __init__(self, root: Path, turns: Turns) -> None:
        """Read the settings and take the lock; raises ConfigError, BusyError, OSError."""
        self.root, (self._runner, self._reader) = root, map(_child, turns)
        self.settings, self._sources = self._read_configuration()
        """The settings in force, and the text of their files."""
        place_folders(root, self.settings.folders)
        self._changing = threading.Lock()
        self.folder = FileTree(root)
        self.lock = Lock(self.folder, self.now().isoformat(timespec="seconds"))
        try:
            self.lock.take()
        except BaseException:
            self.folder.close()
            raise
        self.search = make_search(root, self.settings, is_daemon=True)
        self._asking: ChildProcess | None = None

    def _read_configuration(self) -> tuple[Settings, Sources]:
        sources = read_sources(self.root)
        return understand_sources(self.root, sources).settings, sources

    def now(self) -> datetime:
        """The present moment in the zone of the bank."""
        return read_clock(self.settings.timezone)

    def reload(self) -> None:
        """Read settings and rules again; raises ConfigError when they cannot be used, and the old ones hold."""
        with self._changing:
            settings, sources = self._read_configuration()
            if settings.folders != self.settings.folders:
                raise ConfigError(f"{self.root}/bankd.yaml: folders: other ones are taken when bankd is started again")
            self.settings, self._sources = settings, sources
            self.search.adopt(settings)

    def ask_model(self) -> Mapping[str, str]:
        """Ask the language model what the next night asks, in a child of its own, while others write.

        Gives the unanswered prompts by digest, each with the reason; empty if no model is named. Raises any other error.
        """
        if not self.settings.distil.is_on:
            return {}
        self._asking = _child()
        try:
            return dict(self._ask(self._asking, None, {"do": "ask"})["unanswered"])
        finally:
            self._asking.close()

    def do(self, what: str, **fields: Any) -> dict[str, Any]:
        """Have the first child do something that writes, as `runner` tells; gives its answer, and raises what it raised."""
        return self._ask(self._runner, self.lock.descriptor, {"do": what, **fields})

    def catch_up(self) -> None:
        """Read every changed file in the second child, which waits neither for a run nor for the analyser."""
        self._ask(self._reader, None, {"do": "catch up"})

    def _ask(self, child: ChildProcess, descriptor: int | None, fields: Mapping[str, Any]) -> dict[str, Any]:
        answer = child.ask({"root": str(self.root), "sources": self._sources, **fields}, descriptor)
        if "error" in answer:
            if "trace" in answer:
                log.error("%s failed by a bug\n%s", fields["do"], answer["trace"])
            kinds: dict[int, type[BankError]] = {UserError.exit_code: UserError, BusyError.exit_code: BusyError}
            raise kinds.get(answer["exit"], BankError)(answer["error"])
        self.search.forget_problem()
        return answer

    def facts(self, pending: int) -> BankFacts:
        """The facts about bank and index."""
        index = self.search.facts(pending, is_working=self._runner.is_running or self._reader.is_running)
        return bank_facts(self.root, index, self.settings)

    def tidy(self) -> None:
        """After a while without work, free the memory that only work needs."""
        self._runner.end_if_idle()
        self._reader.end_if_idle()
        self.search.tidy()

    def abandon(self) -> None:
        """Kill what is going on; its writes are in its journal, and the next run finishes them."""
        for child in (self._runner, self._reader, self._asking):
            if child:
                child.end()

    def close(self) -> None:
        """Close the bank: first the children that could write in it, last the lock and the folder."""
        self._runner.close()
        self._reader.close()
        self.search.close()
        self.lock.release()
        self.folder.close()


def open_held(root: Path, turns: Turns = (None, None)) -> Held:
    """Read the settings, take the lock, and finish what a crash interrupted; UserError if one cannot write."""
    try:
        held = Held(root, turns)
    except OSError as error:
        raise UserError(f"{error.filename or root}: {error.strerror}") from error
    try:
        held.do("recover")
    except BaseException:
        held.close()
        raise
    return held

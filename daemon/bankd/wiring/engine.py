"""A workspace put together for the daemon, which holds it locked for its life."""

from __future__ import annotations

import sys
import threading
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bankd.adapters.storage.disk import trouble_of
from bankd.adapters.storage.lock import Lock
from bankd.adapters.storage.tree import FileTree
from bankd.adapters.system.child import ChildProcess
from bankd.adapters.system.clock import read_clock, read_monotonic
from bankd.adapters.system.malloc import give_back
from bankd.adapters.system.shared_child import SharedChild
from bankd.adapters.workspace.facts import bank_facts
from bankd.app.engine import Child, Engine, EngineParts, read_configuration
from bankd.app.search_server import SearchServer
from bankd.app.search_service import SearchService
from bankd.config import place_folders
from bankd.config.workspace_config import FOLDERS
from bankd.core.markdown.policy import Settings
from bankd.errors import UserError
from bankd.wiring.search_settings import search_settings_of
from bankd.wiring.searching import make_search, worker_for


class Children(NamedTuple):
    """The processes of a bank: one for runs, and one for what is wanted at once and must not wait for a run."""

    runner: Child
    reader: Child


class CommonChildren:
    """Two processes for the banks of a daemon that serves many, which take turns: ten Kiwis would need five gigabytes."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._both = _child(), _child()
        self._turns = threading.Lock(), threading.Lock()

    def of_bank(self) -> Children:
        """The two of a bank, which take turns with those of others."""
        return Children(*(SharedChild(child, turn) for child, turn in zip(self._both, self._turns, strict=True)))

    def close(self) -> None:
        """End them for good."""
        for child in self._both:
            child.close()


def _child() -> ChildProcess:
    return ChildProcess([sys.executable, "-m", "bankd.wiring.runner"], read_monotonic)


def open_engine(root: Path, children: Children | None = None) -> Engine:
    """Read the settings, take the lock, and finish what a crash interrupted; UserError where one cannot write."""
    try:
        engine = _make_engine(root, children or Children(_child(), _child()))
    except OSError as error:
        raise UserError(f"{error.filename or root}: {error.strerror}") from error
    try:
        engine.recover()
    except BaseException:
        engine.close()
        raise
    return engine


def _make_engine(root: Path, children: Children) -> Engine:
    settings, sources = read_configuration(root)
    place_folders(root, settings.folders)
    tree = FileTree(root)
    lock = Lock(tree, read_clock(settings.timezone).isoformat(timespec="seconds"))
    try:
        lock.take()
    except BaseException:
        tree.close()
        raise
    parts = EngineParts(
        folder=tree,
        lock=lock,
        runner=children.runner,
        reader=children.reader,
        searching=SearchServer(settings, partial(_open_pair, root), give_back),
        read_clock=read_clock,
        bank_facts=partial(bank_facts, root),
        disk_trouble=partial(trouble_of, root, FOLDERS[1:]),
    )
    return Engine(root, settings, sources, parts)


def _open_pair(root: Path, settings: Settings) -> tuple[SearchService, SearchService]:
    """Search for reading and for writing, with one worker, which is never started here: it knows what a run had analysed."""
    own = search_settings_of(settings)
    worker = worker_for(own)
    return make_search(root, own, worker, is_daemon=True), make_search(root, own, worker, is_daemon=True)

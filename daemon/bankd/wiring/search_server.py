"""Search as the daemon does it: one reader for all clients and a writer for the watcher; runs are another process's."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bankd.adapters.index.answer_cache import AnswerCache
from bankd.adapters.index.page_files import PageFiles
from bankd.adapters.index.search_index import IndexDamaged, SearchIndex, damage_told
from bankd.adapters.korean.kiwi import KiwiWorker
from bankd.adapters.system.clock import read_monotonic
from bankd.adapters.system.malloc import give_back
from bankd.core.daemon.health import IndexFacts
from bankd.core.markdown.policy import Settings
from bankd.errors import UserError
from bankd.wiring.search_service import SearchService, search_settings_of


class SearchServer:
    """Every method may be called from any thread; a search never waits for a refresh."""

    def __init__(self, root: Path, settings: Settings) -> None:
        """Take the workspace; nothing is read yet."""
        self._root = root
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self._problem, self._is_used = "", False
        self._make(settings)

    def _make(self, settings: Settings) -> None:
        own = search_settings_of(settings)
        # It is never started here; with it, texts that a run had analysed are known.
        worker = KiwiWorker(read_monotonic) if own.analyser == "kiwi" else None
        self._reader = SearchService(self._root, own, worker, is_daemon=True)
        self._writer = SearchService(self._root, own, worker, is_daemon=True)
        self._answers = AnswerCache(own.cache_entries, own.cache_minutes)

    def adopt(self, settings: Settings) -> None:
        """Go on by new settings."""
        with self._reading, self._writing:
            self.close()
            self._make(settings)

    def answer(self, request: dict[str, Any], now: datetime, pending: int) -> dict[str, Any]:
        """Answer a request, or give the answer again while nothing changed; raises UserError."""
        with self._reading:
            self._reader.open(now)
            index = self._reader.index
            state = [index.opened, index.generation, pending, now.date().isoformat()]
            key = json.dumps([state, request], sort_keys=True)
            kept = self._answers.get(key, now)
            if kept is None:
                kept = self._reader.answer_now(request, now, pending)
                if not kept["fresh"]["note"]:  # that is said once
                    self._answers.put(key, kept, now)
            return kept

    def take_in(self, paths: Collection[str], now: datetime) -> None:
        """Read pages that changed, named from `bank/` on, without waiting for the analyser."""
        with self._writing:
            if not self._writer.index.is_there():  # a whole bank is not read here
                return
            try:
                self._is_used = True
                self._writer.take_in(now, paths)
            except (UserError, OSError) as error:
                self._problem = str(error)
                raise
            self._problem = ""

    def facts(self, pending: int, *, is_working: bool) -> IndexFacts:
        """How the index stands; `is_working` says that the process for runs is there."""
        worker = "running" if is_working else "not running"
        with self._reading:
            index = self._reader.index
            try:
                facts = _look(index)
            except IndexDamaged as damage:
                return IndexFacts(pending=pending, problem=self._problem or str(damage), worker=worker)
            return replace(facts, pending=pending, problem=self._problem, worker=worker)

    def forget_problem(self) -> None:
        """A run has made up for what failed before."""
        self._problem = ""

    def tidy(self) -> None:
        """Give back the memory that taking changes in needed."""
        if self._is_used and self._writing.acquire(blocking=False):
            self._is_used = False
            self._writing.release()
            give_back()

    def close(self) -> None:
        """Let go of the index."""
        self._reader.index.close()


def _look(index: SearchIndex) -> IndexFacts:
    """How an index stands; raises IndexDamaged."""
    with damage_told():
        if not index.open():
            return IndexFacts()
        memories, updated = index.corpus.memories, index.updated or ""
        return IndexFacts(str(index.generation), memories, 0, index.provisional, updated)


def index_facts(root: Path, settings: Settings) -> IndexFacts:
    """How the index stands, for one who only looks."""
    searching = SearchService(root, search_settings_of(settings), None, is_daemon=False)
    index = searching.index
    try:
        facts = _look(index)
        pending = index.pending() if facts.generation else len(PageFiles(root / "bank").scan())
        return replace(facts, pending=pending)
    except (IndexDamaged, OSError) as error:
        return IndexFacts(problem=str(error))
    finally:
        index.close()


def verify_index(root: Path, settings: Settings) -> None:
    """Compare every file of the index with its checksum; raises IndexDamaged."""
    searching = SearchService(root, search_settings_of(settings), None, is_daemon=False)
    try:
        with damage_told():
            searching.index.verify()
    finally:
        searching.index.close()

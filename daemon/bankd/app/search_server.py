"""Search as the daemon does it: one reader for all clients and a writer for the watcher; runs are another process's."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bankd.app.search_service import SearchService
from bankd.core.daemon.health import IndexFacts
from bankd.core.markdown.policy import Settings
from bankd.errors import IndexDamaged, UserError


class SearchServer:
    """Every method may be called from any thread; a search never waits for a refresh."""

    def __init__(
        self,
        settings: Settings,
        open_pair: Callable[[Settings], tuple[SearchService, SearchService]],
        give_back: Callable[[], None],
    ) -> None:
        """Take what opens search, for reading and for writing, and what gives memory back; nothing is read yet."""
        self._open_pair, self._give_back = open_pair, give_back
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self._problem, self._is_used = "", False
        self._make(settings)

    def _make(self, settings: Settings) -> None:
        self._reader, self._writer = self._open_pair(settings)
        self._answers = AnswerCache(settings.search.cache_entries, settings.search.cache_minutes)

    def adopt(self, settings: Settings) -> None:
        """Go on by new settings."""
        with self._reading, self._writing:
            self.close()
            self._make(settings)

    def answer(self, request: dict[str, Any], now: datetime, pending: int) -> dict[str, Any]:
        """Answer a request, or give the answer again while nothing changed; raises UserError."""
        with self._reading:
            state = [self._reader.state(now), pending, now.date().isoformat()]
            key = json.dumps([state, request], sort_keys=True)
            kept = self._answers.get(key, now)
            if kept is None:
                kept = self._reader.answer_now(request, now, pending)
                if not kept["fresh"]["note"]:  # that is said once
                    self._answers.put(key, kept, now)
            return kept

    def take_in(self, paths: Collection[str], now: datetime) -> None:
        """Read files of the workspace that changed, without waiting for the analyser."""
        with self._writing:
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
                facts = index.facts()
            except IndexDamaged as damage:
                return IndexFacts(pending=pending, problem=self._problem or str(damage), worker=worker)
            return replace(facts, pending=pending, problem=self._problem, worker=worker)

    def forget_problem(self) -> None:
        """A run has made up for what failed before."""
        self._problem = ""

    def tidy(self) -> None:
        """Give back the memory that taking changes in needed, and what nobody used for long."""
        self._reader.tidy()
        if self._is_used and self._writing.acquire(blocking=False):
            self._is_used = False
            self._writing.release()
            self._give_back()

    def close(self) -> None:
        """Let go of the indexes."""
        self._reader.release()


class AnswerCache:
    """The last answers, by question, options and generation; an edit makes a new generation, hence a new answer."""

    def __init__(self, entries: int, minutes: int) -> None:
        """Keep a number of answers, for a number of minutes."""
        self._entries = entries
        self._life = timedelta(minutes=minutes)
        self._answers: OrderedDict[Hashable, tuple[datetime, dict[str, Any]]] = OrderedDict()

    def get(self, key: Hashable, now: datetime) -> dict[str, Any] | None:
        """The answer for this key, unless it is too old."""
        kept = self._answers.get(key)
        if kept is None or not timedelta() <= now - kept[0] <= self._life:
            return None
        self._answers.move_to_end(key)
        return kept[1]

    def put(self, key: Hashable, answer: dict[str, Any], now: datetime) -> None:
        """Keep an answer, at the cost of the one that was used longest ago."""
        self._answers[key] = (now, answer)
        self._answers.move_to_end(key)
        while len(self._answers) > self._entries:
            self._answers.popitem(last=False)

"""Search put together for a workspace: the same for the daemon, the command line and the evaluation.

What a query needs is imported here, and nothing else: `bankctl search` without a daemon passes through this module.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from bankd.adapters.index.page_files import PageFiles
from bankd.adapters.index.recall import RecallBuffer
from bankd.adapters.index.search_index import SearchIndex
from bankd.adapters.index.successors import Successors
from bankd.adapters.korean.analyser import Analyser, AnalysisWorker, Patience
from bankd.adapters.korean.analyses import AnalysisCache
from bankd.adapters.korean.kiwi import KiwiWorker, kiwi_version
from bankd.adapters.system.clock import read_monotonic
from bankd.core.markdown.utf8 import readable_text
from bankd.core.ranking.query import Answer, Filters, Freshness, Query
from bankd.core.ranking.scoring import TREE_WEIGHT
from bankd.errors import StorageError, UserError
from bankd.search import RankingOptions, answer_query

if TYPE_CHECKING:
    from bankd.adapters.index.writer import Refreshed
    from bankd.adapters.korean.wordings import CachedWordings
    from bankd.core.markdown.policy import Settings
    from bankd.wiring.tree_file import Write

_QUICK_PAGES = 200
"""So many changed pages are read before an answer when no daemon does it; more wait for a run."""


class SearchSettings(NamedTuple):
    """What search needs of `bankd.yaml`."""

    timezone: str
    analyser: str
    tree_weight: float
    cache_minutes: int
    cache_entries: int
    recall_minutes: int
    decay_per_day: float


class SearchService:
    """Search over one workspace."""

    def __init__(self, root: Path, settings: SearchSettings, worker: AnalysisWorker | None, *, is_daemon: bool) -> None:
        """Take the workspace, its settings, the Kiwi worker, and whether this is the daemon's."""
        self.settings = settings
        self._root = root
        self._worker = worker
        self._is_daemon = is_daemon
        self._tree_generation = -1
        self._analyses = AnalysisCache(root / ".bankd" / "analyses")
        self.analyser = Analyser(self._analyses, worker, kiwi_version)
        self._wordings: CachedWordings | None = None
        self.index = SearchIndex(root / ".bankd" / "index", PageFiles(root / "bank"), self.analyser)
        self._pending: int | None = None
        self._recall = RecallBuffer(root / "recall", settings.recall_minutes)
        newer_of = Successors(root / ".bankd" / "catalogue.sqlite3").of
        self._taste = RankingOptions(settings.tree_weight, settings.decay_per_day * 100, newer_of)

    @property
    def wordings(self) -> CachedWordings:
        """Texts taken apart for comparing them; by the same worker, kept in the same folder."""
        if self._wordings is None:
            from bankd.adapters.korean.wordings import CachedWordings  # noqa: PLC0415 -- a query never compares

            worker = self._worker if isinstance(self._worker, KiwiWorker) else None
            self._wordings = CachedWordings(self._analyses, worker, kiwi_version)
        return self._wordings

    def answer(self, request: Mapping[str, Any], now: datetime, *, pending: int | None = None) -> dict[str, Any]:
        """Answer a request such as `{"query": "가치관이 뭐야?", "limit": 5}`; `pending` None makes it look by itself."""
        note = ""
        if pending is None:
            note, pending = self.catch_up(now)
        else:
            self.open(now)
        return self.answer_now(request, now, pending, note)

    def answer_now(self, request: Mapping[str, Any], now: datetime, pending: int, note: str = "") -> dict[str, Any]:
        """Answer from the state of the index that is open."""
        query = read_request(request)
        answer = self.index.whole(now, lambda: self._answer(query, now, pending)).as_json()
        answer["fresh"]["note"] = "; ".join(filter(None, [note, *self.take_made_anew()]))
        if request.get("keep", True):
            self._keep(answer, now)
        return answer

    def _answer(self, query: Query, now: datetime, pending: int) -> Answer:
        fresh = Freshness(pending, self.index.updated, self._is_daemon, self.index.provisional)
        return answer_query(query, self.index, self.analyser, fresh, now.date(), self._taste)

    def take_made_anew(self) -> list[str]:
        """What there is to say of damage that was found, once."""
        return [*self.index.take_made_anew(), *self._analyses.take_made_anew()]

    def open(self, now: datetime) -> None:
        """See the newest state of the index; UserError when there is none."""
        if not self.index.whole(now, self.index.open):
            raise UserError("there is no search index yet; bankctl index rebuild makes it")

    def catch_up(self, now: datetime) -> tuple[str, int]:
        """Without a daemon: read what changed, if it is little; gives what there is to say, and how many pages wait.

        Once for all queries of a command: looking at every page costs more than a query.
        """
        if self._pending is None:
            note, self._pending = self.index.whole(now, lambda: self._catch_up(now))
            return note, self._pending
        return "", self._pending

    def _catch_up(self, now: datetime) -> tuple[str, int]:
        self.analyser.patience = "wait"
        if not self.index.open():
            return f"the index was made anew ({self.index.refresh(now).read} pages)", 0
        pending = self.index.pending()
        if 0 < pending <= _QUICK_PAGES:
            self.analyser.patience = "never"
            try:
                self.index.refresh(now)
            except StorageError as problem:
                return str(problem), pending
            return "", 0
        return "", pending

    def refresh(self, now: datetime, write: Write | None, patience: Patience = "wait") -> Refreshed:
        """Bring the index up to date with the bank, and the tree file with the index."""
        self.analyser.patience = patience
        return self.index.whole(now, lambda: self._refresh(now, write))

    def _refresh(self, now: datetime, write: Write | None) -> Refreshed:
        done = self.index.refresh(now)
        if write is not None:
            self.write_tree(write)
        return done

    def take_in(self, now: datetime, paths: Collection[str]) -> Refreshed:
        """Bring the index up to date with these pages, named from `bank/` on, without waiting for the analyser."""
        self.analyser.patience = "never"
        return self.index.take_in(now, paths)

    def write_tree(self, write: Write) -> None:
        """Write tree-index.json when its content changed."""
        from bankd.wiring.tree_file import TREE_FILE, write_tree  # noqa: PLC0415 -- a query has no time for it

        if self._tree_generation == self.index.generation and (self._root / TREE_FILE).is_file():
            return
        write_tree(self._root, self.index, write)
        self._tree_generation = self.index.generation

    def close(self) -> None:
        """Let go of the index and end the worker's pipe, if it was ours."""
        self.index.close()
        self._analyses.close()
        if isinstance(self._worker, KiwiWorker):
            self._worker.end()

    def _keep(self, answer: dict[str, Any], now: datetime) -> None:
        try:
            self._recall.keep(answer, now)
        except OSError as error:
            answer["fresh"]["note"] = f"this answer is not in recall/: {error.strerror}"


def open_search(root: Path, *, is_daemon: bool = False) -> SearchService:
    """Put search together for a workspace."""
    settings = search_settings(root)
    worker = KiwiWorker(read_monotonic) if settings.analyser == "kiwi" else None
    return SearchService(root, settings, worker, is_daemon=is_daemon)


def read_request(request: Mapping[str, Any]) -> Query:
    """Read a query and its options from JSON; UserError names every option that cannot be read."""
    problems: list[str] = []
    filters = Filters(
        tuple(tag.upper() for tag in _texts(request, "tags", problems)),
        tuple(filter(None, map(_node, _texts(request, "nodes", problems)))),
        tuple(entity.lstrip("@") for entity in _texts(request, "entities", problems)),
        _day(request, "since", problems),
        _day(request, "until", problems),
        _hundredths(request.get("min_confidence"), problems),
    )
    text, limit = _one(request, "query", str, problems), _one(request, "limit", int, problems)
    everything = _one(request, "everything", bool, problems)
    margin = _one(request, "margin", float, problems)
    if problems:
        raise UserError(*problems)
    return Query(readable_text(text or "")[:4_000], _number_of(limit), filters, bool(everything), margin or 1.0)


def _number_of(limit: int | None) -> int:
    """How many answers are wanted: ten when nothing is said, all that may be given for 0."""
    wanted = 10 if limit is None else limit or _MOST
    return max(1, min(wanted, _MOST))


_MOST = 100
"""So many answers at most, whoever asks."""

_Value = TypeVar("_Value", str, int, float, bool)
_KINDS: Mapping[type, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _one(request: Mapping[str, Any], name: str, kind: type[_Value], problems: list[str]) -> _Value | None:
    """A field of one kind; None when it is not there."""
    value = request.get(name)
    if value is None or type(value) is kind:
        return value
    problems.append(f"{name}: {_shortly(value)} is not {_KINDS[kind]}")
    return None


def _texts(request: Mapping[str, Any], name: str, problems: list[str]) -> list[str]:
    value = request.get(name) or []
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [readable_text(one) for one in value]
    problems.append(f"{name}: {_shortly(value)} is not a list of texts")
    return []


def _node(text: str) -> str:
    return text.removeprefix("bank/").strip("/")


def _day(request: Mapping[str, Any], name: str, problems: list[str]) -> date | None:
    value = request.get(name)
    try:
        return date.fromisoformat(value) if value else None
    except (ValueError, TypeError):
        problems.append(f"{name}: {_shortly(value)} is not a day such as 2026-05-02")
        return None


def _hundredths(value: object, problems: list[str]) -> int | None:
    if value is None:
        return None
    try:
        number = round(float(str(value)) * 100)
    except (ValueError, OverflowError):
        number = -1
    if not 0 <= number <= 100:
        problems.append(f"min_confidence: {_shortly(value)} is not between 0 and 1")
    return number


def _shortly(value: object) -> str:
    return readable_text(str(value))[:40]


def search_settings(root: Path) -> SearchSettings:
    """What search needs of `bankd.yaml`, from a copy in `.bankd/` while the file is the same: YAML is slow to import."""
    file, copy = root / "bankd.yaml", root / ".bankd" / "search-settings.json"
    status = file.stat()
    stamp = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
    try:
        kept = json.loads(copy.read_bytes())
        if kept["stamp"] == stamp:
            return SearchSettings(*kept["settings"])
    except (OSError, ValueError, KeyError, TypeError):
        kept = None
    settings = _load_settings(file)
    _keep_copy(copy, {"stamp": stamp, "settings": settings})
    return settings


def _load_settings(file: Path) -> SearchSettings:
    from bankd.config import load_settings  # noqa: PLC0415 -- YAML is slow to import

    return search_settings_of(load_settings(file))


def search_settings_of(settings: Settings) -> SearchSettings:
    """What search needs of the settings."""
    own = settings.search
    return SearchSettings(
        settings.timezone,
        own.analyser,
        own.tree_weight,
        own.cache_minutes,
        own.cache_entries,
        own.recall_minutes,
        settings.decay.per_day,
    )


def _keep_copy(copy: Path, content: object) -> None:
    from bankd.adapters.storage.derived import clear_the_way, remove_derived  # noqa: PLC0415 -- seldom

    staged = copy.with_name(f"{copy.name}.{os.getpid()}")
    try:
        clear_the_way(copy)
        staged.write_text(json.dumps(content))
        staged.replace(copy)
    except OSError:
        with suppress(OSError):  # a read-only workspace: it is read again next time
            remove_derived(staged)


__all__ = [
    "TREE_WEIGHT",
    "SearchService",
    "SearchSettings",
    "open_search",
    "read_request",
    "search_settings",
    "search_settings_of",
]

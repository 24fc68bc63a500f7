"""Puts a fleet together: its database, its banks, the queue of nights, the night of one bank, and the shared search.

The shared search is brought up to date after each night, and answers with the ranking that every bank uses.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from procrastinate.schema import SchemaManager

from bankd.app.distil import ask_models
from bankd.errors import UsageError, UserError
from bankd.fleet.database import FleetDatabase
from bankd.fleet.registry import BankRegistry, FleetBank, NightQueue
from bankd.fleet.shared import BankScope, PostgresPostings, ScopedPostings, SharedIndex
from bankd.fleet.writer import WrittenShare, share_index
from bankd.memory.report import counts_of, rows_of
from bankd.ports import Vectors
from bankd.search.answer import Answering
from bankd.search.find import RankingOptions
from bankd.search.request import Freshness, MeaningSettings, read_request
from bankd.system.child import forget_kept, give_back, keep_little
from bankd.system.clock import read_monotonic, utc_now
from bankd.system.process import set_up_log
from bankd.system.socket_server import SocketServer
from bankd.wiring.runner import import_watched, write_due_briefs
from bankd.wiring.search import make_search, search_settings
from bankd.wiring.workspace import open_workspace
from bankd.words.analysis import analyse_text, normal_form, runs_of
from bankd.workers.analyser import Analyser, AnalysisCache, KiwiWorker
from bankd.workers.vectors import SentenceVectors

if TYPE_CHECKING:
    from bankd.fleet.opensearch import OpenSearchStore


@dataclass(frozen=True, slots=True)
class Fleet:
    """The parts of a fleet, over one connection."""

    database: FleetDatabase
    banks: BankRegistry
    queue: NightQueue


@contextmanager
def open_fleet(dsn: str) -> Iterator[Fleet]:
    """Open a fleet. UserError if the database cannot be reached or has no fleet."""
    with closing(FleetDatabase(dsn)) as database:
        database.require_tables()
        yield Fleet(database, BankRegistry(database), NightQueue(database))


def make_fleet(dsn: str) -> bool:
    """Make the tables of a fleet. False if they are there already."""
    with closing(FleetDatabase(dsn)) as database:
        return database.make_tables(str(SchemaManager.get_schema()))


def run_night(root: Path, kiwi: KiwiWorker) -> str:
    """Run a bank's night as `bankctl cycle reflect` does, and give what it did, in one line. The next bank uses `kiwi` too."""
    settings = search_settings(root)
    searching = make_search(root, settings, kiwi)
    try:
        with open_workspace(root, searching=searching, write=False) as workspace:
            unanswered = ask_models(workspace) if workspace.models else {}
        with open_workspace(root, searching=searching) as workspace:
            workspace.unanswered = unanswered
            problems = list(import_watched(workspace))
            workspace.wait_until_settled()
            reports = list(workspace.run_batches("reflect"))
            write_due_briefs(workspace.root, workspace.settings.agents.briefs, workspace.now)
    finally:
        searching.close(with_analyser=False)
    counts = counts_of(row for report in reports for row in rows_of(report.plan))
    return "; ".join([", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing new", *problems])


class StandingNights:
    """Runs the nights of one bank after another, with one Kiwi."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._kiwi, self._done = KiwiWorker(read_monotonic), 0
        self.seconds = read_monotonic

    def run(self, root: Path) -> str:
        """Run the night of the bank there."""
        self._done += 1
        if self._done % 20 == 0:  # else a worker grows to a gigabyte in a thousand nights
            forget_kept()
            give_back()
        return run_night(root, self._kiwi)

    def close(self) -> None:
        """End Kiwi."""
        self._kiwi.end()


def prepare_worker() -> None:
    """Set up the process of a worker: memory, log, and the modes of new files."""
    keep_little()
    set_up_log(os.environ.get("JOURNAL_STREAM", ""))
    for name in ("procrastinate", "psycopg.pool"):  # we report failures ourselves, without a traceback
        logging.getLogger(name).setLevel(logging.CRITICAL)
    os.umask(0o077)


def share_bank(fleet: Fleet, bank: FleetBank) -> WrittenShare:
    """Bring the shared search up to date with the index of a bank."""
    store = _store_of(fleet)
    meaning = MeaningSettings(*search_settings(Path(bank.root)).meaning)
    return share_index(fleet.database, bank, meaning, store.write if store else None)


def use_opensearch(fleet: Fleet, url: str) -> None:
    """Keep the terms of the shared search in an OpenSearch cluster from now on. UserError if banks are shared already."""
    if fleet.database.rows("SELECT 1 FROM shared_banks LIMIT 1"):
        raise UserError("the shared search has banks already, so its terms stay in the database")
    _store_at(url).make()
    fleet.database.set_setting("opensearch", url)


def forget_shared(fleet: Fleet, banks: Sequence[FleetBank]) -> None:
    """Remove banks from the cluster, if there is one."""
    if store := _store_of(fleet):
        store.remove([bank.number for bank in banks])


def _store_of(fleet: Fleet) -> OpenSearchStore | None:
    """The cluster of a fleet; None if the tables of the database have the terms."""
    url = fleet.database.setting("opensearch")
    return _store_at(url) if url else None


@cache
def _store_at(url: str) -> OpenSearchStore:
    try:
        from bankd.fleet.opensearch import OpenSearchStore  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise UserError(f"OpenSearch needs {error.name}; install it with: pip install 'bankd[opensearch]'") from error
    return OpenSearchStore(url)


def _postings_of(fleet: Fleet, banks: Sequence[int], scope: BankScope) -> ScopedPostings:
    store = _store_of(fleet)
    if store is None:
        return PostgresPostings(fleet.database, scope)
    from bankd.fleet.opensearch import OpenSearchPostings  # noqa: PLC0415 -- an extra

    return OpenSearchPostings(store, banks)


def answer_from_fleet(fleet: Fleet, request: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Answer a request as a bank's own search does, from `banks` (none named: all readable ones).

    `as` names the role of the database that asks. Each hit names its bank.
    """
    banks, reader = request.get("banks", []), request.get("as", "")
    if not (isinstance(banks, list) and all(isinstance(name, str) for name in banks) and isinstance(reader, str)):
        raise UsageError('"banks" must be a list of names, and "as" the name of a role')
    query = read_request(request, now.date())._replace(groups=("bank",), see_also=False)
    with fleet.database.snapshot(reader):
        index = SharedIndex(fleet.database, banks, partial(_postings_of, fleet))
        form = normal_form(query.text)
        runs = runs_of(form)  # what the question will ask for: one query to the database, and not one for each term
        index.expect(runs, [*dict.fromkeys([*analyse_text(form).terms, *runs])])
        vectors = _vectors_of(fleet, index) if index.model else None
        options = RankingOptions(relations=index.relations, vectors=vectors)
        reading = Analyser(AnalysisCache(Path()), None, str)  # with the words of the banks: nothing is cached
        fresh = Freshness(0, index.updated, True, 0)
        answer = Answering(query, reading, options).answer(index, (), fresh)
        meaning = "off" if vectors is None else f"not now: {vectors.problem}" if vectors.problem else "on"
        fresh = answer.fresh._replace(meaning=meaning)
    found = answer._replace(fresh=fresh).as_json()
    return {**found, **{name: [_with_bank(hit) for hit in found[name]] for name in ("hits", "nearest")}}


def _vectors_of(fleet: Fleet, index: SharedIndex) -> Vectors | None:
    """The vectors of the banks that are asked."""
    from bankd.fleet.shared import SharedVectors  # noqa: PLC0415 -- needs numpy, an extra

    count = index.count_vectors(index.model)
    return SharedVectors(fleet.database, index.numbers, count, _door_of(index.model), index.model)


@cache
def _door_of(model: str) -> SentenceVectors:
    """The process that makes vectors of questions; it is kept for the next question. There are few models."""
    return SentenceVectors(Path(), MeaningSettings(*json.loads(model)), read_monotonic)


@contextmanager
def serving_search(dsn: str, place: str | None) -> Iterator[None]:
    """Answer searches at a socket meanwhile, one after another, over its own connection. None: do nothing."""
    if place is None:
        yield
        return
    busy = Lock()
    with open_fleet(dsn) as fleet:

        def answer(request: dict[str, Any]) -> dict[str, Any]:
            if request["op"] != "search":
                raise UsageError(f'{request["op"]!r} is unknown here; "search" and "ping" are known')
            with busy:
                return answer_from_fleet(fleet, request, utc_now())

        server = SocketServer(Path(place).absolute(), answer)
        server.start()
        try:
            yield
        finally:
            server.stop()


def _with_bank(hit: Mapping[str, Any]) -> dict[str, Any]:
    bank, _, path = str(hit["path"]).removeprefix("bank/").partition(":")
    return {**hit, "bank": bank, "path": f"bank/{path}"}

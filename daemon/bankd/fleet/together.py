"""A fleet put together: its database, its banks, the queue of their nights, and a night of one bank.

The shared search of a fleet: brought up to date after each night, asked with the ranking that every bank uses.
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

from bankd.errors import UsageError, UserError
from bankd.fleet.database import FleetDatabase
from bankd.fleet.queue import NightQueue, queue_tables
from bankd.fleet.registry import BankRegistry, FleetBank
from bankd.fleet.shared import BankScope, PostgresPostings, ScopedPostings, SharedIndex
from bankd.fleet.writer import SharedWriter, WrittenShare
from bankd.memory.report import counts_of, rows_of
from bankd.ports import Vectors
from bankd.search.answer import Answering
from bankd.search.find import RankingOptions
from bankd.search.request import Freshness, MeaningSettings, read_request
from bankd.system.clock import read_monotonic, utc_now
from bankd.system.process import forget_kept, give_back, keep_little, set_up_log
from bankd.system.socket_server import SocketServer
from bankd.wiring.runner import import_watched, write_due_briefs
from bankd.wiring.search import make_search, search_settings
from bankd.wiring.workspace import open_workspace
from bankd.words.analysis import analyse_text, bigrams_of, normal_form, runs_of
from bankd.workers.analyser import Analyser, AnalysisCache
from bankd.workers.kiwi import KiwiWorker
from bankd.workers.vectors import SentenceVectors

if TYPE_CHECKING:
    from bankd.fleet.opensearch import OpenSearchStore


_BETWEEN = 20
"""Nights after which a worker empties its caches: otherwise it grows to a gigabyte in a thousand nights."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """What belongs to a fleet, over one connection."""

    database: FleetDatabase
    banks: BankRegistry
    queue: NightQueue


@contextmanager
def open_fleet(dsn: str) -> Iterator[Fleet]:
    """Open a fleet; UserError where the database cannot be reached, or has no fleet."""
    with closing(FleetDatabase(dsn)) as database:
        database.require_tables()
        yield Fleet(database, BankRegistry(database), NightQueue(database))


def make_fleet(dsn: str) -> bool:
    """Make the tables of a fleet; False where they are there already."""
    with closing(FleetDatabase(dsn)) as database:
        return database.make_tables(queue_tables())


class StandingKiwi(KiwiWorker):
    """A Kiwi for one bank after another: what lets go of a bank does not end it."""

    def __init__(self) -> None:
        """Start none yet."""
        super().__init__(read_monotonic)

    def end(self) -> None:
        """Stay for the next bank."""

    def end_for_good(self) -> None:
        """End it."""
        super().end()


def run_night(root: Path, kiwi: StandingKiwi) -> str:
    """Reflect on a bank as `bankctl cycle reflect` does, and give what it did in a line; raises what keeps it from it."""
    settings = search_settings(root)
    searching = make_search(root, settings, kiwi if settings.analyser == "kiwi" else None)
    with closing(searching), open_workspace(root, searching=searching) as workspace:
        problems = list(import_watched(workspace))
        workspace.wait_until_settled()
        reports = list(workspace.run_batches("reflect"))
        write_due_briefs(workspace.root, workspace.settings.agents.briefs, workspace.now)
    counts = counts_of(row for report in reports for row in rows_of(report.plan))
    return "; ".join([", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing new", *problems])


class StandingNights:
    """Runs nights of one bank after another, with one Kiwi."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._kiwi, self._done = StandingKiwi(), 0
        self.seconds = read_monotonic

    def run(self, root: Path) -> str:
        """Run the night of the bank there."""
        self._done += 1
        if self._done % _BETWEEN == 0:
            forget_kept()
            give_back()
        return run_night(root, self._kiwi)

    def close(self) -> None:
        """Let go of Kiwi."""
        self._kiwi.end_for_good()


def prepare_worker() -> None:
    """Set up what the process of a worker has once: its log, and the modes of new files."""
    keep_little()
    set_up_log(os.environ.get("JOURNAL_STREAM", ""))
    for name in ("procrastinate", "psycopg.pool"):  # what failed we say ourselves, without a traceback
        logging.getLogger(name).setLevel(logging.CRITICAL)
    os.umask(0o077)


OPENSEARCH = "opensearch"
"""The setting of a fleet that says where the cluster is."""


def share_bank(fleet: Fleet, bank: FleetBank) -> WrittenShare:
    """Bring what the shared search knows of a bank up to date with the index of the bank."""
    store = _store_of(fleet.database.setting(OPENSEARCH))
    meaning = MeaningSettings(*search_settings(Path(bank.root)).meaning)
    return SharedWriter(fleet.database, store.write if store else None).write(bank, meaning)


def use_opensearch(fleet: Fleet, url: str) -> None:
    """Keep the terms of the shared search in an OpenSearch cluster from now on; UserError where banks are shared already."""
    if fleet.database.rows("SELECT 1 FROM shared_banks LIMIT 1"):
        raise UserError("the shared search has banks already: its terms stay where they are")
    if store := _store_of(url):
        store.make()
    fleet.database.set_setting(OPENSEARCH, url)


def forget_shared(fleet: Fleet, banks: Sequence[FleetBank]) -> None:
    """Let the cluster, where there is one, forget banks that are taken out."""
    if store := _store_of(fleet.database.setting(OPENSEARCH)):
        store.remove([bank.number for bank in banks])


@cache
def _store_of(url: str) -> OpenSearchStore | None:
    """The cluster at a URL; None where the tables of the database keep the terms."""
    if not url:
        return None
    try:
        from bankd.fleet.opensearch import OpenSearchStore  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise UserError(f"OpenSearch needs {error.name}; install it with: pip install 'bankd[opensearch]'") from error
    return OpenSearchStore(url)


def _postings_of(fleet: Fleet, banks: Sequence[int], scope: BankScope) -> ScopedPostings:
    store = _store_of(fleet.database.setting(OPENSEARCH))
    if store is None:
        return PostgresPostings(fleet.database, scope)
    from bankd.fleet.opensearch import OpenSearchPostings  # noqa: PLC0415 -- an extra

    return OpenSearchPostings(store, banks)


def answer_from_fleet(fleet: Fleet, request: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Answer a request as a bank's own search does, out of `banks`, all that one may read where none is named.

    `as` names the role of the database that asks. Each hit says of which bank it is.
    """
    banks, reader = request.get("banks", []), request.get("as", "")
    if not (isinstance(banks, list) and all(isinstance(name, str) for name in banks) and isinstance(reader, str)):
        raise UsageError('"banks" must be a list of names, and "as" the name of a role')
    query = read_request(request, now.date())._replace(groups=("bank",), see_also=False)
    with fleet.database.snapshot(reader):
        index = SharedIndex(fleet.database, banks, partial(_postings_of, fleet))
        index.expect(*_likely(query.text))
        vectors = _vectors_of(fleet, index) if index.model else None
        options = RankingOptions(relations=index.relations, vectors=vectors)
        reading = Analyser(AnalysisCache(Path()), None, str)  # with the words of the banks: nothing is cached
        fresh = Freshness(0, index.updated, True, 0)
        answer = Answering(query, reading, options).answer(index, (), fresh)
        fresh = answer.fresh._replace(meaning=_meaning_state(vectors))
    found = answer._replace(fresh=fresh).as_json()
    return {**found, **{name: [_with_bank(hit) for hit in found[name]] for name in ("hits", "nearest")}}


def _meaning_state(vectors: Vectors | None) -> str:
    """Whether meaning took part, as `Freshness.meaning` says it."""
    if vectors is None:
        return "off"
    return f"not now: {vectors.problem}" if vectors.problem else "on"


def _vectors_of(fleet: Fleet, index: SharedIndex) -> Vectors | None:
    """The vectors of the banks that are asked; the process that reads questions is kept for the next one."""
    from bankd.fleet.shared import SharedVectors  # noqa: PLC0415 -- needs numpy, an extra

    count = index.count_vectors(index.model)
    return SharedVectors(fleet.database, index.numbers, count, _door_of(index.model), index.model)


@cache
def _door_of(model: str) -> SentenceVectors:
    """What makes the vectors of questions by a model, of which there are few."""
    return SentenceVectors(Path(), MeaningSettings(*json.loads(model)), read_monotonic)


@contextmanager
def serving_search(dsn: str, place: str | None) -> Iterator[None]:
    """Answer searches at a socket meanwhile, one after another, over a connection of its own; nowhere where none is named."""
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


def _likely(text: str) -> tuple[Sequence[str], Sequence[str]]:
    """The runs and terms that a question will mostly ask for, so that the database is asked once and not term by term."""
    form = normal_form(text)
    runs = runs_of(form)
    return runs, [*dict.fromkeys([*analyse_text(form).terms, *runs, *bigrams_of(runs)])]


def _with_bank(hit: Mapping[str, Any]) -> dict[str, Any]:
    bank, _, path = str(hit["path"]).removeprefix("bank/").partition(":")
    return {**hit, "bank": bank, "path": f"bank/{path}"}

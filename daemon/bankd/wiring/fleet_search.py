"""The shared search of a fleet: brought up to date after each night, asked with the ranking that every bank uses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from bankd.adapters.fleet.shared_index import SharedIndex
from bankd.adapters.fleet.shared_postings import BankScope, PostgresPostings, ScopedPostings
from bankd.adapters.fleet.shared_writer import SharedWriter, WrittenShare
from bankd.adapters.korean.analyser import Analyser
from bankd.adapters.korean.analyses import AnalysisCache
from bankd.adapters.meaning.sentence_vectors import SentenceVectors
from bankd.adapters.system.clock import read_monotonic, utc_now
from bankd.adapters.system.socket_server import SocketServer
from bankd.answering import Answering
from bankd.core.daemon.nights import FleetBank
from bankd.core.language.analysis import analyse_text, bigrams_of, normal_form, runs_of
from bankd.core.ranking.query import Freshness
from bankd.core.ranking.search_request import read_request
from bankd.core.ranking.search_settings import MeaningSettings
from bankd.errors import UsageError, UserError
from bankd.ports.reading import Vectors
from bankd.search.ranking_options import RankingOptions
from bankd.wiring.fleet import Fleet, open_fleet
from bankd.wiring.search import search_settings

if TYPE_CHECKING:
    from bankd.adapters.fleet.opensearch import OpenSearchStore

OPENSEARCH = "opensearch"
"""The setting of a fleet that says where the cluster is."""

__all__ = ["WrittenShare", "answer_from_fleet", "forget_shared", "serving_search", "share_bank", "use_opensearch"]


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
        from bankd.adapters.fleet.opensearch import OpenSearchStore  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise UserError(f"OpenSearch needs {error.name}; install it with: pip install 'bankd[opensearch]'") from error
    return OpenSearchStore(url)


def _postings_of(fleet: Fleet, banks: Sequence[int], scope: BankScope) -> ScopedPostings:
    store = _store_of(fleet.database.setting(OPENSEARCH))
    if store is None:
        return PostgresPostings(fleet.database, scope)
    from bankd.adapters.fleet.opensearch import OpenSearchPostings  # noqa: PLC0415 -- an extra

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
    from bankd.adapters.fleet.shared_vectors import SharedVectors  # noqa: PLC0415 -- needs numpy, an extra

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

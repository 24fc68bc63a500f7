"""The terms in OpenSearch: the same answers as out of the tables, and what it says when the cluster does not take them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bankd.errors import StorageError, UserError
from bankd.fleet.actions import remove_banks, share_bank, use_opensearch
from bankd.fleet.registry import Fleet
from tests.examples import examples
from tests.fleet.cluster import Cluster
from tests.fleet.conftest import MakeBank
from tests.fleet.test_shared_search import ask, ask_own, learn, shared_banks
from tests.http_stand_in import serve


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    cluster = Cluster()
    with serve(cluster.reply) as cluster.url:
        yield cluster


@pytest.fixture
def banks(fleet: Fleet, make_bank: MakeBank, cluster: Cluster) -> dict[str, Path]:
    use_opensearch(fleet, cluster.url)
    return shared_banks(
        fleet, make_bank, "W: 베란다에 커피나무 화분을 두었다.", "W: 회의실 커피머신은 화요일에 청소한다."
    )


@pytest.mark.parametrize(("query", "more"), examples("arguments", "of a fleet"))
def test_it_answers_as_the_bank_itself(banks: dict[str, Path], fleet: Fleet, query: str, more: str) -> None:
    for name, root in banks.items():
        assert ask(fleet, query, name, **json.loads(more)) == ask_own(root, query, **json.loads(more))
    assert fleet.database.rows("SELECT count(*) FROM shared_postings") == [(0,)]


def test_our_terms_are_indexed_as_they_are_and_routed_by_bank(
    banks: dict[str, Path], fleet: Fleet, cluster: Cluster
) -> None:
    properties = cluster.body["mappings"]["properties"]
    assert {properties[kind]["analyzer"] for kind in ("terms", "heading", "asked")} == {"whitespace"}
    assert cluster.body["mappings"]["_routing"] == {"required": True}
    numbers = {bank.number for bank in fleet.list_banks()}
    assert {one["bank"] for one in cluster.documents.values()} == numbers
    assert any("boiler" in one["terms"].split() for one in cluster.documents.values())


def test_what_changed_is_all_that_is_sent_and_what_is_taken_out_is_forgotten(
    banks: dict[str, Path], fleet: Fleet, cluster: Cluster
) -> None:
    before = dict(cluster.documents)
    learn(banks["work"], "W: 커피머신은 3층에 있다.", day="2026-05-04")
    share_bank(fleet, fleet.find(["work"])[0])

    assert len(cluster.documents) > len(before)
    assert ask(fleet, "커피머신", "work") == ask_own(banks["work"], "커피머신")
    remove_banks(fleet, ["work"])
    assert {bank for bank, *_ in ask(fleet, "커피")} == {"home"}
    assert len({one["bank"] for one in cluster.documents.values()}) == 1


def test_a_cluster_that_takes_nothing_loses_nothing(banks: dict[str, Path], fleet: Fleet, cluster: Cluster) -> None:
    learn(banks["work"], "W: 커피머신은 3층에 있다.", day="2026-05-04")
    bank = fleet.find(["work"])[0]
    cluster.fails = True
    with pytest.raises(StorageError, match="OpenSearch"):
        share_bank(fleet, bank)
    with pytest.raises(StorageError, match="OpenSearch"):
        ask(fleet, "커피")
    cluster.fails = False

    assert share_bank(fleet, bank).memories > 0
    assert ask(fleet, "커피머신", "work") == ask_own(banks["work"], "커피머신")


def test_terms_do_not_change_their_place_when_banks_are_there(banks: dict[str, Path], fleet: Fleet) -> None:
    with pytest.raises(UserError, match="stay in the database"):
        use_opensearch(fleet, "")

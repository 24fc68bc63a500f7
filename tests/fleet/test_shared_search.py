"""The shared search: as a bank's own answers, brought up to date by nights, and closed to who may not read a bank."""

from __future__ import annotations

import json
import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from bankd.cli import main
from bankd.errors import UserError
from bankd.fleet.actions import add_bank, answer_from_fleet, open_fleet, remove_banks, share_bank
from bankd.fleet.registry import Fleet
from bankd.fleet.writer import KINDS, rounded_length
from bankd.settings import SearchPolicy, Settings
from bankd.system.clock import utc_now
from bankd.wiring.search import make_search
from bankd.wiring.workspace import open_workspace
from tests.examples import examples
from tests.fleet.conftest import MakeBank

NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
TABLES = ("shared_banks", "shared_memories", "shared_pages", "shared_postings", "shared_readings", "shared_relations")


def learn(root: Path, *lines: str, day: str = "2026-05-03") -> None:
    log = root / f"memory/{day}.md"
    log.write_text("## Retain\n" + "".join(f"- {line}\n" for line in lines), "utf-8")
    os.utime(log, (1_777_800_000, 1_777_800_000))
    with open_workspace(root) as workspace:
        list(workspace.run_batches("micro"))


def shared_banks(fleet: Fleet, make_bank: MakeBank, *of_coffee: str) -> dict[str, Path]:
    """Two banks that the shared search knows, each with a line of coffee."""
    found = {name: make_bank(name) for name in ("home", "work")}
    more = "W: The boiler is serviced every October.", "O(c=0.8): The staging server is too slow."
    for root, *lines in zip(found.values(), of_coffee, more, strict=True):
        learn(root, *lines)
        add_bank(fleet, root, root.name, "default", NOW)
        share_bank(fleet, fleet.find([root.name])[0])
    return found


@pytest.fixture
def banks(fleet: Fleet, make_bank: MakeBank) -> dict[str, Path]:
    return shared_banks(fleet, make_bank, "W: 베란다에 커피 화분을 두었다.", "W: 회의실 커피 머신은 화요일에 청소한다.")


def ask(fleet: Fleet, query: str, *names: str, **more: Any) -> list[tuple[str, str, int, float]]:
    answer = answer_from_fleet(fleet, {"query": query, "banks": list(names), **more}, NOW)
    return [(hit["bank"], hit["path"], hit["line"], round(hit["score"], 6)) for hit in answer["hits"]]


def ask_own(root: Path, query: str, **more: Any) -> list[tuple[str, str, int, float]]:
    with closing(make_search(root, Settings(search=SearchPolicy("lexicon")))) as own:
        answer = own.answer({"query": query, "in": ["bank"], "keep": False, **more}, NOW)
    return [(root.name, hit["path"], hit["line"], round(hit["score"], 6)) for hit in answer["hits"]]


@pytest.mark.parametrize(("query", "more"), examples("arguments", "of a fleet"))
def test_of_one_bank_it_answers_as_the_bank_itself(banks: dict[str, Path], fleet: Fleet, query: str, more: str) -> None:
    for name, root in banks.items():
        assert ask(fleet, query, name, **json.loads(more)) == ask_own(root, query, **json.loads(more))


def test_of_several_banks_each_hit_says_whose_it_is(banks: dict[str, Path], fleet: Fleet) -> None:
    assert {bank for bank, *_ in ask(fleet, "커피")} == {"home", "work"}
    assert {bank for bank, *_ in ask(fleet, "커피", "work")} == {"work"}
    with pytest.raises(UserError, match="nobody"):
        ask(fleet, "커피", "nobody")


def contents(fleet: Fleet) -> dict[str, list[str]]:
    """What the tables hold, but for which state of the index it is."""
    found = {table: fleet.database.rows(f"SELECT * FROM {table}") for table in TABLES}
    found["shared_banks"] = [(row[0], *row[4:]) for row in found["shared_banks"]]
    return {table: sorted(map(repr, rows)) for table, rows in found.items()}


def test_what_changed_is_all_that_is_written_and_it_ends_as_if_all_were_new(
    banks: dict[str, Path], fleet: Fleet
) -> None:
    bank = fleet.find(["work"])[0]
    assert share_bank(fleet, bank).memories == 0
    learn(banks["work"], "W: 커피머신은 3층에 있다.", day="2026-05-04")
    page = next(path for path in (banks["work"] / "bank").rglob("*.md") if "staging server" in path.read_text("utf-8"))
    kept = [line for line in page.read_text("utf-8").splitlines(keepends=True) if "staging server" not in line]
    page.write_text("".join(kept), "utf-8")
    with open_workspace(banks["work"]) as workspace:
        workspace.refresh()
    written = share_bank(fleet, bank)
    step_by_step = contents(fleet)
    with fleet.database.transaction() as connection:
        for table in TABLES:
            connection.execute(f"DELETE FROM {table} WHERE bank = {bank.number}")
    assert 0 < written.memories < share_bank(fleet, bank).memories
    assert contents(fleet) == step_by_step
    assert ask(fleet, "커피머신", "work") == ask_own(banks["work"], "커피머신")
    # Its own index counts words of what is gone until it is swept out: the order is the same, scores need not be.
    own = [hit[:3] for hit in ask_own(banks["work"], "staging server")]
    assert [hit[:3] for hit in ask(fleet, "staging server", "work")] == own


def test_what_is_only_added_joins_the_terms_that_are_there(banks: dict[str, Path], fleet: Fleet) -> None:
    learn(banks["work"], "W: 커피머신은 3층에 있다.", day="2026-05-04")
    share_bank(fleet, fleet.find(["work"])[0])

    assert ask(fleet, "커피머신", "work") == ask_own(banks["work"], "커피머신")
    assert len(ask(fleet, "커피머신", "work")) == 2


def test_who_may_not_read_a_bank_touches_no_row_of_it(banks: dict[str, Path], fleet: Fleet, dsn: str) -> None:
    reader = f"reader_{uuid4().hex[:8]}"
    with fleet.database.transaction() as connection:
        connection.execute(f"CREATE ROLE {reader} LOGIN")
    with pytest.raises(UserError, match="no such role"):
        fleet.allow("nobody_at_all", fleet.find(["home"]))
    fleet.allow(reader, fleet.find(["home"]))

    with open_fleet(dsn.replace("user=owner", f"user={reader}")) as theirs:
        assert {bank for bank, *_ in ask(theirs, "커피")} == {"home"}
        with pytest.raises(UserError, match="may not read"):
            ask(theirs, "커피", "work")
        allowed = fleet.find(["home"])[0].number
        seen = theirs.database.rows(" UNION ALL ".join(f"SELECT bank FROM {table}" for table in (*TABLES, "readers")))
        assert {bank for (bank,) in seen} == {allowed}
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            theirs.database.rows("SELECT * FROM banks")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            theirs.database.rows("DELETE FROM shared_memories RETURNING 1")
        fleet.deny(reader, fleet.find(["home"]))
        assert ask(theirs, "커피") == []


def test_a_function_of_the_reader_sees_no_row_that_is_closed_to_him(
    banks: dict[str, Path], fleet: Fleet, dsn: str
) -> None:
    reader = f"reader_{uuid4().hex[:8]}"
    with fleet.database.transaction() as connection:
        connection.execute(f"CREATE ROLE {reader} LOGIN; GRANT CREATE ON SCHEMA public TO {reader}")
    fleet.allow(reader, fleet.find(["home"]))
    seen: list[str] = []
    with psycopg.connect(dsn.replace("user=owner", f"user={reader}"), autocommit=True) as spy:
        spy.add_notice_handler(lambda notice: seen.append(notice.message_primary or ""))
        spy.execute(
            "CREATE FUNCTION public.leak(said text) RETURNS boolean COST 0.0001 LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE NOTICE '%', said; RETURN true; END $$"
        )
        spy.execute("SELECT count(*) FROM bankd.shared_memories WHERE public.leak(text)")

    assert any("커피 화분" in said for said in seen)
    assert not [said for said in seen if "커피 머신" in said or "staging" in said]


def test_what_is_taken_out_of_the_fleet_is_found_no_more(banks: dict[str, Path], fleet: Fleet) -> None:
    remove_banks(fleet, ["work"])

    assert {bank for bank, *_ in ask(fleet, "커피")} == {"home"}
    assert fleet.database.rows("SELECT count(DISTINCT bank) FROM shared_postings") == [(1,)]


def test_a_night_brings_the_shared_search_up_to_date(
    fleet: Fleet, dsn: str, make_bank: MakeBank, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BANKD_FLEET", dsn)
    root = make_bank("one")
    add_bank(fleet, root, "one", "default", NOW)
    assert main(["fleet", "index"]) == 3  # it has no index of its own yet; its nights make it
    assert "no search index yet" in capsys.readouterr().err
    with fleet.database.transaction() as connection:
        connection.execute("UPDATE banks SET due = %s", (utc_now(),))
    assert main(["fleet", "worker", "--until-idle"]) == 0

    assert main(["fleet", "search", "where does the server stand?"]) == 0
    assert "stands in Busan" in capsys.readouterr().out
    assert main(["fleet", "search", "--json", "--bank", "one", "금요일", "백업"]) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["bank"] == "one"
    assert main(["fleet", "search", "zebra"]) == 1


def test_lengths_are_kept_as_tantivy_keeps_them() -> None:
    lengths = (0, 39, 40, 41, 43, 55, 57, 87, 89, 200)
    assert [rounded_length(length) for length in lengths] == [0, 39, 40, 40, 42, 54, 56, 84, 88, 200]
    assert len(KINDS) == 3

"""Which memories contradict each other."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from bankd.core.dedup.conflicts import Dated, find_conflicts
from bankd.core.language.reading import read_statement
from bankd.core.language.wording import plain_wording


def memory(id_: str, text: str, day: int | None = None) -> Dated:
    return Dated(id_, read_statement(plain_wording(text)), date(2026, 11, day) if day else None)


def test_the_newest_conflict_comes_first_and_names_its_older_side() -> None:
    old_port, new_port = memory("m-1", "Port is 8080", 1), memory("m-2", "Port is 8081", 2)
    old_town, new_town = memory("m-3", "Peter lives in Seoul", 3), memory("m-4", "Peter lives in Busan", 9)
    found = find_conflicts([(new_port, old_port), (old_town, new_town), (new_town, old_town)])

    assert [(c.older.id, c.newer.id) for c in found] == [("m-3", "m-4"), ("m-1", "m-2")]
    assert found[1].reason == "number: 8080 → 8081"


def test_rewordings_and_other_subjects_are_no_conflict() -> None:
    pairs = [
        (memory("m-1", "Port is 8080"), memory("m-2", "The port is 8080.")),
        (memory("m-3", "Peter lives in Seoul"), memory("m-4", "Paul lives in Seoul")),
        (memory("m-5", "Port is 8080"), memory("m-5", "Port is 8081")),
    ]

    assert find_conflicts(pairs) == []


def test_what_has_no_day_counts_as_older() -> None:
    (conflict,) = find_conflicts([(memory("m-1", "Port is 8081", 1), memory("m-2", "Port is 8080"))])

    assert conflict.older.id == "m-2"


def test_of_two_lines_of_one_day_the_later_is_the_newer() -> None:
    first, second = (
        replace(memory(id_, text, 1), line=n) for id_, text, n in [("m-2", "Port 1", 4), ("m-1", "Port 2", 5)]
    )

    (conflict,) = find_conflicts([(second, first)])

    assert (conflict.older.id, conflict.newer.id) == ("m-2", "m-1")

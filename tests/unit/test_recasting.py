"""A page is divided as a whole or not at all, unless a hand has changed it meanwhile."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from bankd.edits.operations import Create, Moved, Recast, from_json, operation_json
from bankd.edits.transaction import Step, find_half_divided, take_step

WHOLE, HUB = "# A\n\n- one\n- two\n", "# A\n\n- [One](a/a-1.md)\n- [Two](a/a-2.md)\n"
ONE, TWO = Create("bank/a/a-1.md", "- one\n"), Create("bank/a/a-2.md", "- two\n")
ELSEWHERE = Create("bank/b.md", "# B\n")
DIVIDED = Recast("bank/a.md", WHOLE, HUB, (Moved(ONE.path, 2, 3, ()), Moved(TWO.path, 3, 4, ())))


def halves(files: Mapping[str, str], recast: Recast = DIVIDED) -> list[tuple[str, str, tuple[Create, ...]]]:
    """What is half done where these files are there."""
    data = {path: text.encode() for path, text in files.items()}
    return list(find_half_divided([ONE, TWO, ELSEWHERE, recast], data.get))


def test_where_a_part_is_lacking_the_others_are_named() -> None:
    files = {DIVIDED.path: WHOLE, ONE.path: ONE.text, ELSEWHERE.path: ELSEWHERE.text}

    assert halves(files) == [(DIVIDED.path, TWO.path, (ONE,))]
    assert halves({**files, TWO.path: TWO.text}) == []


def test_a_page_that_a_hand_changed_or_that_is_divided_already_goes_by_pieces() -> None:
    assert halves({DIVIDED.path: f"{WHOLE}- three\n", ONE.path: ONE.text}) == []
    assert halves({DIVIDED.path: HUB, ONE.path: ONE.text}) == []


def test_a_page_that_goes_away_or_gives_nothing_away_is_not_divided() -> None:
    merged = Recast(DIVIDED.path, WHOLE, None, DIVIDED.moved)

    assert halves({DIVIDED.path: WHOLE}, merged) == []
    assert halves({DIVIDED.path: WHOLE}, Recast(DIVIDED.path, WHOLE, HUB)) == []


@pytest.mark.parametrize(("files", "expected"), [({"bank/c.md": "# C\n"}, "[B](c.md)\n"), ({}, "[B](b.md)\n")])
def test_links_that_are_rewritten_as_a_whole_stay_where_what_they_would_lead_to_is_not_there(
    files: Mapping[str, str], expected: str
) -> None:
    links = Recast("bank/x.md", "[B](b.md)\n", "[B](c.md)\n", phase=3, needs=("bank/c.md",))
    data = {path: text.encode() for path, text in files.items()}
    read_back = from_json(json.loads(json.dumps(operation_json(links))))
    done = take_step(Step(links.path, (read_back,)), links.before.encode(), data.get)

    assert (done.data, done.stayed) == (expected.encode(), ())

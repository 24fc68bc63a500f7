"""Which lines of a log are earlier lines of it, edited."""

from __future__ import annotations

import pytest

from bankd.memory.new_lines import find_edited, past_line
from bankd.memory.retain import RetainLine, read_log

STAYED = tuple(f"W: this line {n} stays in its log" for n in range(6))
SAID, EDITED = "W: lunch with Mina is at noon", "W: lunch with Mina is at one"
FAR = "W: the server room needs a new lock"


def lines_of(*lines: str) -> tuple[RetainLine, ...]:
    return read_log("2026-05-04.md", "".join(f"- {line}\n" for line in lines), anywhere=True).lines


def edited(before: list[str], now: list[str]) -> list[tuple[str, str]]:
    """The pairs as what was said and what is said."""
    past = {past_line(line): line.memory.text for line in lines_of(*before)}
    return [(f"W: {past[old]}", f"W: {line.memory.text}") for old, line in find_edited(list(past), lines_of(*now))]


def test_a_line_in_the_place_of_another_is_that_one_when_half_of_its_letters_are_the_same() -> None:
    assert edited([*STAYED, SAID], [*STAYED, EDITED]) == [(SAID, EDITED)]
    assert edited([*STAYED, SAID], [*STAYED, "W: lunch was cold, and Jun went out"]) == []


def test_elsewhere_nearly_all_must_be_the_same() -> None:
    assert edited([SAID, *STAYED], [*STAYED, EDITED]) == [(SAID, EDITED)]
    assert edited([SAID, *STAYED], [*STAYED, "W: lunch with Jun is at half past one"]) == []
    assert edited([SAID], ["W: lunch with Jun is at half past one"]), "in its place it is enough"


def test_a_log_of_which_more_than_half_went_was_written_anew() -> None:
    three = [SAID, FAR, "W: Jun paints on Sundays"]
    rewritten = [f"{line} now" for line in three]

    assert len(edited([*STAYED, *three], [*STAYED, *rewritten])) == 3
    assert edited([*STAYED[:2], *three], [*STAYED[:2], *rewritten]) == []


def test_two_lines_of_a_short_log_may_be_edited_at_once() -> None:
    assert len(edited([SAID, FAR], [EDITED, f"{FAR} now"])) == 2


def test_the_likest_are_paired_and_each_line_is_in_one_pair() -> None:
    less = "W: supper with Mina is at six"

    assert edited([*STAYED, SAID], [*STAYED, less, EDITED]) == [(SAID, EDITED)]
    assert edited([*STAYED, less, SAID], [*STAYED, EDITED]) == [(SAID, EDITED)]


@pytest.mark.parametrize("lines", [[*STAYED, SAID], [SAID, *STAYED], [SAID, *STAYED, FAR]])
def test_what_only_moved_or_came_is_no_edit(lines: list[str]) -> None:
    assert edited([*STAYED, SAID], lines) == []

"""Which files a run leaves alone and why, which paths count, and when a path is quiet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankd.edits.settle import (
    ENTRY_CAP,
    LINE_CAP,
    FileFingerprint,
    ListedFile,
    RestRule,
    is_watched,
    judge_listings,
    why_doubted,
    why_ignored,
    why_quarantined,
    why_unsettled,
)
from bankd.workspace.watcher import Debouncer

NOW = 1_000_000.0
DAY = 86400


@pytest.mark.parametrize(
    ("seconds", "waits"), [(0, True), (4.9, True), (5, False), (-4.9, True), (-5, False), (-9e9, False)]
)
def test_a_file_is_read_once_it_has_rested_whatever_the_clock_did(seconds: float, waits: bool) -> None:
    assert (why_unsettled(seconds, 5, ()) is not None) is waits


@pytest.mark.parametrize("swap", [".a.md.swp", ".#a.md", "a.md~"])
def test_a_file_that_is_open_in_an_editor_waits(swap: str) -> None:
    listing = {name: listed(age=60) for name in ("a.md", "b.md", swap)}
    found = judge_listings({"bank": listing}, RestRule(NOW, 5, None), {})

    assert found.unsettled == {"bank/a.md": "open in an editor"}
    assert list(found.files) == ["bank/b.md"]


def test_a_page_that_is_as_it_was_when_it_was_read_is_at_rest_however_young() -> None:
    listing = {name: listed(age=1) for name in ("a.md", "b.md", "c.md", ".c.md.swp")}
    seen = listed(age=1).seen
    known = {"bank/a.md": seen, "bank/b.md": seen._replace(mtime_ns=1), "bank/c.md": seen}
    found = judge_listings({"bank": listing}, RestRule(NOW, 5, None), known)

    assert list(found.files) == ["bank/a.md"]
    assert found.unsettled == {"bank/b.md": "changed less than 5 s ago", "bank/c.md": "open in an editor"}


def listed(age: float) -> ListedFile:
    return ListedFile(FileFingerprint(10, 0, 1), NOW - age, is_regular=True)


def test_an_editor_that_died_an_hour_ago_holds_nothing_up() -> None:
    listing = {"a.md": listed(age=60), ".a.md.swp": listed(age=3600)}

    assert list(judge_listings({"bank": listing}, RestRule(NOW, 5, None), {}).files) == ["bank/a.md"]


@pytest.mark.parametrize(("seconds", "waits"), [(60, True), (DAY - 1, True), (DAY, False), (-60, True)])
def test_a_file_that_fell_to_nothing_waits_a_day(seconds: float, waits: bool) -> None:
    assert (why_doubted(0, seconds) is not None) is waits


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n", "merge markers"),
        (b"<<<<<<< ours\r\n- a\r\n=======\r\n- b\r\n>>>>>>> theirs\r\n", "merge markers"),
        ("# P\n\n- W: one ^m-aaaaaaaaaaaa\n".encode("utf-16"), "UTF-16"),
        ("# P\n\n- W: one ^m-aaaaaaaaaaaa\n".encode("utf-16-be"), "UTF-16"),
        (b"# P\r\r- W: one ^m-aaaaaaaaaaaa\r- W: two\r", "carriage return alone"),
        (b"# P\r\r- one ^m-aaaaaaaaaaaa\r- two", "carriage return alone"),
        (b"x" * (LINE_CAP + 1), "a line is longer"),
        (b"- x\n" * (ENTRY_CAP + 1), "entries"),
    ],
)
def test_what_must_not_be_rewritten_is_told(data: bytes, reason: str) -> None:
    assert reason in (why_quarantined(data) or "")


@pytest.mark.parametrize(
    "data",
    [
        b"Title\n=======\n\ntext\n",
        b"see <<<<<<< in a diff\n=======\n",
        b"<<<<<<< alone\n",
        b"# P\r\n\r\n- W: one ^m-aaaaaaaaaaaa\r\n- W: two\r\n",
        b"# P\n\n```\n10 %\r20 %\r- done\n```\n",
        b"x" * LINE_CAP,
        b"- x\n" * ENTRY_CAP,
    ],
)
def test_what_only_looks_so_may_be(data: bytes) -> None:
    assert why_quarantined(data) is None


@pytest.mark.parametrize("name", [".a.md", "a.md~", "#a.md#", "4913", "a.md.tmp", "a.swx", "a.txt"])
def test_what_is_nobodys_page_is_ignored_with_a_reason(name: str) -> None:
    assert why_ignored(name)
    assert why_ignored("a.md") is None


def test_a_page_whose_ending_is_in_capitals_is_named() -> None:
    listing = {name: ListedFile(FileFingerprint(9, 1, 1), 0.0, True) for name in ("a.MD", "b.md")}
    survey = judge_listings({"memory": listing}, RestRule(1000.0, 5, None), {})

    assert [*survey.files] == ["memory/b.md"]
    assert survey.quarantined == {"memory/a.MD": "its name ends in .MD, and only .md is read; rename it"}


QUIET, LONGEST = 1.0, 10.0


@pytest.mark.parametrize(
    "path", ["bank/a.md", "bank/정직/가치관.md", "memory/2026-11-20.md", "memory/2026/11/x.MD", "bank/_meta/inbox.md"]
)
def test_pages_and_logs_count(path: str) -> None:
    assert is_watched(path)


@pytest.mark.parametrize(
    "path",
    ["bank/a.txt", "bank/.a.md.swp", "bank/a.md~", "bank/4913", "bank/.#a.md", "bank/#a.md#", "bank/a.md.tmp", "bank/.obsidian/x.md",
     "bank/.git/x.md", "bank/.trash/x.md", "bank/a.sync-conflict-20261121-101010-ABC.md", "bank/a (conflicted copy 2026-11-21).md"],
)  # fmt: skip
def test_what_passes_by_does_not(path: str) -> None:
    assert not is_watched(path)


def test_a_path_waits_until_it_is_quiet() -> None:
    debouncer = Debouncer(QUIET, LONGEST)
    debouncer.note("a", 0.0)
    debouncer.note("b", 0.5)
    debouncer.note("a", 0.9)

    assert debouncer.take(1.4) == []
    assert debouncer.wait(1.4) == pytest.approx(0.1)
    assert debouncer.take(1.5) == ["b"]
    assert debouncer.take(1.91) == ["a"]
    assert debouncer.wait(2.0) is None


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0.01, 2.0)), max_size=60))
def test_no_hint_is_lost_early_or_late(hints: list[tuple[str, float]]) -> None:
    debouncer, now, waiting = Debouncer(QUIET, LONGEST), 0.0, {}
    for path, pause in hints:
        until = now + pause
        while (wait := debouncer.wait(now)) is not None and now + wait <= until:
            now += wait + 1e-6
            for taken in debouncer.take(now):
                first, last = waiting.pop(taken)

                assert now - last >= QUIET or now - first >= LONGEST
        now = max(now, until)
        debouncer.note(path, now)
        waiting[path] = (waiting.get(path, (now, now))[0], now)

        assert all(now - first <= LONGEST + 1e-3 for first, _ in waiting.values())
    assert set(debouncer.take(now + LONGEST)) == set(waiting)

"""Which paths count, and when a path is quiet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankd.workspace.snapshot import Debouncer, is_watched

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

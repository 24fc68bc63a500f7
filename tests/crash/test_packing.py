"""Old events are packed and put away, broken at every step of that: the fold is the same whatever copies there are."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from bankd.adapters.index.event_days import EventDays
from bankd.adapters.storage.events import EventLog
from bankd.adapters.storage.packing import SegmentPacker
from bankd.adapters.storage.staging import Staging
from bankd.adapters.storage.syscalls import Syscalls
from bankd.adapters.storage.tree import FileTree
from bankd.core.lifecycle.events import DUPLICATE, KEPT, Ledger, fold_events, make_event
from bankd.core.use.signals import IGNORED, IMPORTANCE, RECALLED, USED
from tests.crash.faults import Fault, FaultyCalls, Killed

BEGAN = datetime(2026, 1, 1, 3, tzinfo=UTC)
PACKING, ARCHIVING = date(2026, 5, 1), date(2027, 3, 1)
ONE, TWO = "m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb"
PLAIN, PACKED, AWAY = "events/host-0001.jsonl", "events/host-0001.jsonl.gz", "events/archive/host-0001.jsonl.gz"


def said(kind: str, day: int, memory: str = ONE, /, **facts: object) -> dict[str, object]:
    at = BEGAN + timedelta(day)
    return make_event(kind, f"{memory}@{at}", at, memory=memory, run=str(day), **facts)


EVENTS = (
    said(KEPT, 0, log="2026-01-01.md", line=1),
    said(KEPT, 0, TWO, log="2026-01-01.md", line=2),
    said(USED, 1),
    said(USED, 2),
    said(IGNORED, 3, TWO),
    said(IMPORTANCE, 4, value=3),
    said(IMPORTANCE, 5, value=8),
    said(RECALLED, 6, TWO, day="2026-01-06"),
)


def lines_of(*events: dict[str, object]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace whose events are those of last winter."""
    (tmp_path / "w" / "events").mkdir(parents=True)
    (tmp_path / "w" / PLAIN).write_bytes(lines_of(*EVENTS))
    return tmp_path / "w"


def packed(root: Path, today: date = PACKING, calls: Syscalls | None = None, writer: str = "host") -> list[str]:
    tree = FileTree(root, calls)
    try:
        return SegmentPacker(tree, Staging(tree), writer).pack_until(today)
    finally:
        tree.close()


def read(root: Path) -> tuple[Ledger, list[str]]:
    """The fold of the events, and what could not be read of them."""
    tree = FileTree(root)
    try:
        log = EventLog(tree, "host")
        return fold_events(log.read()), list(map(str, log.corrupt))
    finally:
        tree.close()


def files(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in (root / "events").rglob("*") if path.is_file())


def test_segments_are_packed_after_ninety_days_and_put_away_after_a_year_and_say_the_same(root: Path) -> None:
    before, _ = read(root)
    last = date(2026, 1, 7)

    for day, there in ((90, PLAIN), (91, PACKED), (365, PACKED), (366, AWAY), (9000, AWAY)):
        assert packed(root, last + timedelta(day)) == []
        assert files(root) == [there]
        assert read(root) == (before, [])
    assert gzip.decompress((root / AWAY).read_bytes()) == lines_of(*EVENTS)


@pytest.mark.parametrize("today", [PACKING, ARCHIVING])
def test_a_crash_at_any_step_leaves_the_same_fold_and_the_next_night_one_copy(root: Path, today: date) -> None:
    before = read(root)
    calls = FaultyCalls()
    clean = shutil.copytree(root, root.parent / "clean")
    packed(clean, today, calls)
    assert len(calls.log) > 5

    for action in ("kill", "torn"):
        for at in range(1, len(calls.log) + 1):
            broken = shutil.copytree(root, root.parent / f"{action}{at}")
            with suppress(Killed):
                packed(broken, today, FaultyCalls(Fault(at, action)))
            assert read(broken) == before, calls.log[at - 1]
            assert packed(broken, today) == []
            assert (files(broken), read(broken)) == (files(clean), before), calls.log[at - 1]


@pytest.mark.parametrize("problem", ["ENOSPC", "EIO"])
def test_a_disk_that_refuses_any_step_loses_nothing_and_stops_nothing(root: Path, problem: str) -> None:
    before = read(root)
    calls = FaultyCalls()
    packed(shutil.copytree(root, root.parent / "clean"), PACKING, calls)

    for at in range(1, len(calls.log) + 1):
        broken = shutil.copytree(root, root.parent / f"broken{at}")
        packed(broken, PACKING, FaultyCalls(Fault(at, problem)))
        assert read(broken) == before
        packed(broken)
        assert (files(broken), read(broken)) == ([PACKED], before)


def test_both_copies_count_once_and_what_either_has_more_stays(root: Path) -> None:
    late = said(USED, 7, TWO)
    (root / PACKED).write_bytes(gzip.compress(lines_of(*EVENTS)))
    (root / PLAIN).write_bytes(lines_of(*EVENTS[2:], late))
    expected = fold_events([*EVENTS, late])

    assert read(root) == (expected, [])
    assert packed(root) == []
    assert files(root) == [PACKED]
    assert read(root) == (expected, [])


def test_what_a_backup_brought_back_is_put_with_what_was_put_away(root: Path) -> None:
    before = read(root)
    packed(root, ARCHIVING)
    (root / PLAIN).write_bytes(lines_of(*EVENTS))

    assert read(root) == before
    packed(root, ARCHIVING)
    assert (files(root), read(root)) == ([AWAY], before)


def appending(root: Path) -> None:
    with (root / PLAIN).open("ab") as file:
        file.write(lines_of(said(USED, 8, TWO)))


def second_packer(root: Path) -> None:
    packed(root)


@pytest.mark.parametrize("hook", [appending, second_packer])
def test_a_second_packer_or_writer_at_any_step_loses_nothing(root: Path, hook: Callable[[Path], None]) -> None:
    calls = FaultyCalls()
    packed(shutil.copytree(root, root.parent / "clean"), PACKING, calls)

    for at in range(1, len(calls.log) + 1):
        raced = shutil.copytree(root, root.parent / f"raced{at}")
        packed(raced, PACKING, FaultyCalls(Fault(at, "hook", hook=lambda raced=raced: hook(raced))))  # type: ignore[misc]
        late = [said(USED, 8, TWO)] if hook is appending else []
        assert read(raced)[0] == fold_events([*EVENTS, *late]), calls.log[at - 1]
        packed(raced)
        assert (files(raced), read(raced)[0]) == ([PACKED], fold_events([*EVENTS, *late]))


def test_the_files_of_other_writers_are_left_to_them(root: Path) -> None:
    assert packed(root, ARCHIVING, writer="other") == []
    assert files(root) == [PLAIN]


ODD = {
    "a torn middle line": b'{"id": "x", "ty\n',
    "a line of a newer version": json.dumps({"id": "painted:1", "type": "painted", "at": "2026-01-03", "v": 9}).encode()
    + b"\n",
    "a line in UTF-16": '{"id": "y", "type": "used"}'.encode("utf-16") + b"\n",
    "Latin letters in another encoding": b'{"id": "z", "note": "caf\xe9"}\n',
    "Windows line ends": lines_of(said(USED, 6)).replace(b"\n", b"\r\n"),
    "a byte order mark": b"\xef\xbb\xbf" + lines_of(said(USED, 6)),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_lines_that_are_not_ours_to_read_are_packed_as_they_are(root: Path, odd: bytes) -> None:
    whole = lines_of(*EVENTS[:4]) + odd + lines_of(*EVENTS[4:]) + b'{"id": "torn at the e'
    (root / PLAIN).write_bytes(whole)
    before, corrupt = read(root)

    assert packed(root) == []
    after, named = read(root)
    assert gzip.decompress((root / PACKED).read_bytes()) == whole
    assert after == before
    assert named == [place.replace(".jsonl:", ".jsonl.gz:") for place in corrupt]
    assert after.signals_of(ONE).importance == 8


def test_nobody_can_tell_how_old_a_segment_is_that_nobody_can_read(root: Path) -> None:
    (root / PLAIN).write_bytes(b"\x00\x01\n")
    assert packed(root, ARCHIVING) == []
    assert files(root) == [PLAIN]


@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_packed_segment_that_is_cut_off_is_read_as_far_as_it_goes_and_named(root: Path, cut: float) -> None:
    events = [said(USED, day % 30, f"m-{day:012x}") for day in range(3000)]
    (root / PLAIN).unlink()
    data = gzip.compress(lines_of(*events))
    (root / PACKED).write_bytes(data[: int(len(data) * cut)])

    ledger, corrupt = read(root)
    assert 0 < len(ledger.signals) < 3000
    assert any(PACKED in line and "cannot be unpacked" in line for line in corrupt)
    assert "cannot be unpacked" in packed(root, ARCHIVING)[0]
    assert files(root) == [PACKED]


def test_a_cut_off_copy_does_not_take_the_whole_one_with_it(root: Path) -> None:
    (root / PACKED).write_bytes(gzip.compress(lines_of(*EVENTS))[:40])
    assert any("cannot be unpacked" in note for note in packed(root))
    assert files(root) == [PLAIN, PACKED]
    assert read(root)[0] == fold_events(EVENTS)


@pytest.mark.parametrize("pattern", ["*.gz", "events/*.jsonl.gz", "events/**/*.gz\n*.gz"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("file", [".gitignore", "events/.gitignore"])
def test_nothing_is_packed_that_a_repository_would_then_lose(
    root: Path, file: str, pattern: str, encoding: str
) -> None:
    if file != ".gitignore" and pattern.startswith("events/"):
        pattern = "*.jsonl.gz"
    (root / file).write_text(f"# ours\r\n{pattern}\r\n", encoding=encoding)

    assert packed(root) == [f"{PLAIN}: stays unpacked, for {file} leaves {PACKED} out of the repository"]
    assert PLAIN in files(root)


@pytest.mark.parametrize("text", ["events/\n", "events\n", "*.gz\n!*.jsonl.gz\n", "*.gzip\n", ""])
def test_what_a_repository_has_anyway_or_never_had_is_packed(root: Path, text: str) -> None:
    (root / ".gitignore").write_text(text, encoding="utf-8")
    assert packed(root) == []
    assert files(root) == [PACKED]


def append(root: Path, *events: dict[str, object]) -> None:
    tree = FileTree(root)
    try:
        EventLog(tree, "host").append(events)
    finally:
        tree.close()


def test_a_writer_goes_on_in_a_new_segment_after_one_that_is_packed_or_was_begun_long_ago(root: Path) -> None:
    append(root, said(USED, 80))
    assert files(root) == [PLAIN]
    append(root, said(USED, 100))
    assert files(root) == [PLAIN, "events/host-0002.jsonl"]
    packed(root, date(2026, 9, 1))
    append(root, said(USED, 300))

    assert files(root) == [PACKED, "events/host-0002.jsonl.gz", "events/host-0003.jsonl"]
    packed(root, date(2029, 9, 1))
    append(root, said(USED, 301))
    assert "events/host-0004.jsonl" in files(root)
    assert len(read(root)[0].signals_of(ONE).used) == 6


def test_search_reads_the_days_of_packed_events_and_none_of_them_twice(root: Path) -> None:
    log = root / "events"
    first = EventDays(log).read_since("")
    assert set(first.learned) == {ONE, TWO}

    for day in (PACKING, ARCHIVING):
        packed(root, day)
        assert EventDays(log).read_since("")[:2] == first[:2]
        assert EventDays(log).read_since(first.seen)[:2] == ({}, {})
    again = make_event(DUPLICATE, "x", BEGAN + timedelta(500), of=ONE, memory="m-c", log="2027-05-16.md")
    append(root, again)
    assert EventDays(log).read_since(first.seen).changed == {ONE: date(2027, 5, 16)}

"""The files of events, and of what models said and wrote: torn, doubled, odd, shrunk, packed by an earlier version."""

from __future__ import annotations

import gzip
import json
import shutil
from contextlib import closing, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from bankd.errors import ConflictError
from bankd.index.told import read_event_days
from bankd.memory.ledger import DUPLICATE, KEPT, Ledger, fold_events, make_event
from bankd.memory.use import IGNORED, IMPORTANCE, RECALLED, USED
from bankd.night.asking import Reply
from bankd.storage import events as event_files
from bankd.storage.events import REPLIES, EventLog, ReplyLog
from bankd.storage.tree import FileTree, Syscalls
from tests.crash.faults import Fault, FaultyCalls, Killed

BEGAN = datetime(2026, 1, 1, 3, tzinfo=UTC)
ONE, TWO = "m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb"
OWN = "events/host-2026.jsonl"


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
    """A workspace with some events."""
    (tmp_path / "w" / "events").mkdir(parents=True)
    (tmp_path / "w" / OWN).write_bytes(lines_of(*EVENTS))
    return tmp_path / "w"


def append(root: Path, *events: dict[str, object], calls: Syscalls | None = None) -> None:
    with closing(FileTree(root, calls)) as tree:
        EventLog(tree, "host").append(events)


def read(root: Path) -> tuple[Ledger, list[str]]:
    """The fold of the events, and what could not be read of them."""
    with closing(FileTree(root)) as tree:
        log = EventLog(tree, "host")
        return fold_events(log.read_events()), list(map(str, log.corrupt))


def files(root: Path, folder: str = "events") -> list[str]:
    return sorted(path.relative_to(root / folder).as_posix() for path in (root / folder).rglob("*") if path.is_file())


def put(root: Path, path: str, *events: dict[str, object]) -> None:
    """Write a file as an earlier version or another machine would."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    data = lines_of(*events)
    (root / path).write_bytes(gzip.compress(data) if path.endswith(".gz") else data)


def test_each_year_has_a_file_that_goes_on_in_that_of_earlier_versions_order(root: Path) -> None:
    shutil.move(root / OWN, root / "events/host-0003.jsonl")
    append(root, said(USED, 7))
    append(root, said(USED, 400))

    assert files(root) == ["host-0003.jsonl", "host-2026.jsonl", "host-2027.jsonl"]
    assert len(read(root)[0].signals_of(ONE).used) == 4


def test_a_clock_set_back_writes_behind_what_was_written_last(root: Path) -> None:
    append(root, said(IMPORTANCE, 400, value=2))
    append(root, said(IMPORTANCE, 10, value=9))

    assert files(root) == ["host-2026.jsonl", "host-2027.jsonl"]
    assert (root / "events/host-2027.jsonl").read_bytes().count(b"\n") == 2
    assert read(root)[0].signals_of(ONE).importance == 9


def test_a_full_file_is_followed_by_the_next(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_files, "FULL", 100)
    append(root, said(USED, 7))
    append(root, said(USED, 8))
    append(root, said(USED, 400))

    assert files(root) == ["host-2026.jsonl", "host-2027.jsonl", "host-2028.jsonl", "host-2029.jsonl"]
    assert len(read(root)[0].signals_of(ONE).used) == 5


OLD = {
    "packed": ["events/host-0001.jsonl.gz"],
    "put away": ["events/archive/host-0001.jsonl.gz"],
    "not yet packed": ["events/host-0001.jsonl"],
    "half packed": ["events/host-0001.jsonl", "events/host-0001.jsonl.gz"],
    "half put away": [
        "events/host-0001.jsonl.gz",
        "events/archive/host-0001.jsonl",
        "events/archive/host-0001.jsonl.gz",
    ],
    "brought back by a backup": ["events/host-0001.jsonl", "events/archive/host-0001.jsonl.gz"],
}


@pytest.mark.parametrize("paths", OLD.values(), ids=OLD)
def test_what_an_earlier_version_packed_is_read_once_and_left_as_it_is(root: Path, paths: list[str]) -> None:
    before, days = read(root), read_event_days(root, "")
    (root / OWN).unlink()
    for path in paths:
        put(root, path, *EVENTS)

    assert read(root) == before
    found = read_event_days(root, "")
    assert (found.learned, found.changed, set(found.uses)) == (days.learned, days.changed, set(days.uses))
    assert read_event_days(root, found.seen) == ({}, {}, found.seen, [])
    append(root, said(USED, 7))
    assert files(root) == sorted([*(path.removeprefix("events/") for path in paths), "host-2026.jsonl"])


def test_of_two_copies_each_may_have_more_than_the_other(root: Path) -> None:
    late = said(USED, 7, TWO)
    put(root, "events/host-0001.jsonl.gz", *EVENTS)
    put(root, "events/host-0001.jsonl", *EVENTS[2:], late)
    (root / OWN).unlink()

    assert read(root) == (fold_events([*EVENTS, late]), [])


@pytest.mark.parametrize("name", ["other-2026", "host-2026.sync-conflict-20260102-033", "host-2026 (copy)"])
def test_a_file_that_a_sync_tool_brought_twice_changes_nothing(root: Path, name: str) -> None:
    before = read(root)
    put(root, f"events/{name}.jsonl", *EVENTS[:5])

    assert read(root) == before
    append(root, said(USED, 9))
    assert (root / f"events/{name}.jsonl").read_bytes() == lines_of(*EVENTS[:5])


def test_a_copy_by_another_name_does_not_change_the_order_in_which_a_writer_wrote(root: Path) -> None:
    back = [said(IMPORTANCE, 2, value=5), said(USED, 3), said(IMPORTANCE, 3, value=6)]
    append(root, *back)
    expected = read(root)
    assert expected[0].signals_of(ONE).importance == 6
    put(root, "events/host-2026 (copy).jsonl", *back)

    assert read(root) == expected


def test_the_files_of_other_writers_are_read_and_never_written(root: Path) -> None:
    put(root, "events/other-2026.jsonl", said(USED, 9))
    with (root / "events/other-2026.jsonl").open("ab") as file:
        file.write(b'{"torn')
    append(root, said(USED, 10))

    assert (root / "events/other-2026.jsonl").read_bytes().endswith(b'{"torn')
    assert len(read(root)[0].signals_of(ONE).used) == 4


ODD = {
    "a torn middle line": b'{"id": "x", "ty\n',
    "a line of a newer version": json.dumps({"id": "painted:1", "type": "painted", "at": "2026-01-03", "v": 9}).encode()
    + b"\n",
    "a line in UTF-16": '{"id": "y", "type": "used"}'.encode("utf-16") + b"\n",
    "Latin letters in another encoding": b'{"id": "z", "note": "caf\xe9"}\n',
    "a line that is too long": b'{"id": "' + b"x" * 70_000 + b'", "type": "used", "at": "2026-01-03"}\n',
}


@pytest.mark.parametrize("path", [OWN, f"{OWN}.gz"])
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_lines_are_named_and_cost_only_themselves(root: Path, odd: bytes, path: str) -> None:
    (root / OWN).unlink()
    whole = lines_of(*EVENTS[:4]) + odd + lines_of(*EVENTS[4:]) + b'{"id": "torn at the e'
    (root / path).write_bytes(gzip.compress(whole) if path.endswith(".gz") else whole)

    ledger, corrupt = read(root)
    assert ledger == fold_events(EVENTS)
    assert [line.partition(": ")[0] for line in corrupt] == ([] if b"painted" in odd else [f"{path}:5"])


def test_a_last_line_that_lacks_its_end_alone_is_read_and_ended_by_the_next_write(root: Path) -> None:
    late, last = said(USED, 9), said(USED, 10)
    with (root / OWN).open("ab") as file:
        file.write(lines_of(late).rstrip(b"\n"))

    assert read(root) == (fold_events([*EVENTS, late]), [])
    append(root, last)
    assert read(root) == (fold_events([*EVENTS, late, last]), [])


@pytest.mark.parametrize("text", [b"\r\n", b"\xef\xbb\xbf"])
def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(root: Path, text: bytes) -> None:
    data = lines_of(*EVENTS)
    (root / OWN).write_bytes(data.replace(b"\n", text) if text == b"\r\n" else text + data)

    ledger, corrupt = read(root)
    assert ledger.signals_of(ONE) == fold_events(EVENTS).signals_of(ONE)
    assert len(corrupt) <= 1


def test_a_file_that_cannot_be_read_is_named_and_the_others_count(root: Path) -> None:
    (root / "events/fifo-2026.jsonl").symlink_to("/dev/zero")
    assert read(root)[0] == fold_events(EVENTS)
    assert any("fifo-2026.jsonl: a link or special file" in line for line in read(root)[1])
    assert set(read_event_days(root, "").learned) == {ONE, TWO}


@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_packed_file_that_is_cut_off_is_read_as_far_as_it_goes_and_named(root: Path, cut: float) -> None:
    put(root, f"{OWN}.gz", *(said(USED, day % 30, f"m-{day:012x}") for day in range(3000)))
    (root / OWN).unlink()
    data = (root / f"{OWN}.gz").read_bytes()
    (root / f"{OWN}.gz").write_bytes(data[: int(len(data) * cut)])

    ledger, corrupt = read(root)
    assert 0 < len(ledger.signals) < 3000
    assert [line for line in corrupt if "cannot be unpacked" in line] == corrupt != []


def test_a_packed_file_that_would_fill_the_memory_is_read_in_part_and_named() -> None:
    data, wrong = event_files.unpack(gzip.compress(b"\0" * (9 << 20)), cap=8 << 20)
    assert (len(data), wrong) == (8 << 20, "unpacks to more than 8 MB; only its beginning is read")


@pytest.mark.parametrize("action", ["kill", "torn", "ENOSPC", "short"])
def test_a_crash_or_a_full_disk_at_any_step_of_a_write_tears_no_other_event(root: Path, action: str) -> None:
    late, last = [said(USED, day) for day in (10, 11, 12)], said(USED, 20)
    calls = FaultyCalls()
    append(shutil.copytree(root, root.parent / "clean"), *late, calls=calls)
    assert len(calls.log) >= 4

    for at in range(1, len(calls.log) + 1):
        broken = shutil.copytree(root, root.parent / f"{action}{at}")
        with suppress(Killed, OSError):
            append(broken, *late, calls=FaultyCalls(Fault(at, action)))
        told = read(broken)[0].signals_of(ONE).used
        append(broken, last)
        ledger, corrupt = read(broken)
        assert corrupt == [], calls.log[at - 1]
        assert set(ledger.signals_of(ONE).used) == {*told, BEGAN.date() + timedelta(20)}
        with closing(FileTree(broken)) as tree:
            EventLog(tree, "host").append_missing([*late, last])
        assert len(read(broken)[0].signals_of(ONE).used) == 6
        lines = (broken / OWN).read_bytes().splitlines()
        assert len(lines) == len(set(lines)) == len(EVENTS) + 4


def test_who_reads_by_offset_reads_each_event_once(root: Path) -> None:
    first = read_event_days(root, "")
    assert set(first.learned) == {ONE, TWO}
    assert read_event_days(root, first.seen) == ({}, {}, first.seen, [])

    append(root, make_event(DUPLICATE, "x", BEGAN + timedelta(500), of=ONE, memory="m-c", log="2027-05-16.md"))
    assert read_event_days(root, first.seen).changed == {ONE: date(2027, 5, 16)}


def test_who_reads_by_offset_waits_for_the_end_of_a_line(root: Path) -> None:
    whole = lines_of(said(KEPT, 8, "m-cccccccccccc"))
    with (root / OWN).open("ab") as file:
        file.write(whole[:40])
    half = read_event_days(root, "")
    with (root / OWN).open("ab") as file:
        file.write(whole[40:])

    assert set(half.learned) == {ONE, TWO}
    assert set(read_event_days(root, half.seen).learned) == {"m-cccccccccccc"}


def test_who_reads_by_offset_reads_a_file_that_shrank_again(root: Path) -> None:
    put(root, "events/other-2026.jsonl", said(KEPT, 9, "m-dddddddddddd"))
    seen = read_event_days(root, "").seen
    put(root, OWN, *EVENTS[:3], said(KEPT, 8, "m-cccccccccccc"))  # a purge or a backup, and then a run

    assert "m-cccccccccccc" in read_event_days(root, seen).learned


# what models said and wrote


@pytest.fixture
def paid(tmp_path: Path) -> Path:
    """A workspace with a file that has no number, of the first version, and what was said last winter."""
    root = tmp_path / "paid"
    (root / REPLIES).mkdir(parents=True)
    old = {"call": "0", "at": "2025-11-01T03:00:00+00:00", "reply": "old", "value": "said before"}
    old |= {"input": 1, "output": 1}
    (root / REPLIES / "host.jsonl").write_text(json.dumps(old) + "\n", "utf-8")
    with closing(FileTree(root)) as tree:
        log = ReplyLog(tree, "host")
        log.note("key", BEGAN, most=50)
        log.note("key", BEGAN, took=20)
        log.keep("key", BEGAN, "key", Reply("key", 15, 5, is_kept=False))
    return root


def known(root: Path) -> tuple[Reply | None, Reply | None, int]:
    with closing(FileTree(root)) as tree:
        log = ReplyLog(tree, "host")
        return log.find("old"), log.find("key"), log.spent(BEGAN.date())


@pytest.mark.parametrize("place", ["host-0001.jsonl.gz", "archive/host-0001.jsonl.gz", "host-0001.jsonl"])
def test_what_models_said_is_found_wherever_an_earlier_version_put_it(paid: Path, place: str) -> None:
    before = known(paid)
    assert None not in before
    assert files(paid, REPLIES) == ["host-2026.jsonl", "host.jsonl"]

    own, old = paid / REPLIES / "host-2026.jsonl", paid / REPLIES / place
    old.parent.mkdir(exist_ok=True)
    old.write_bytes(gzip.compress(own.read_bytes()) if place.endswith(".gz") else own.read_bytes())
    assert known(paid) == before
    own.unlink()
    assert known(paid) == before


def test_nobody_asks_a_model_where_what_it_said_may_not_be_read(paid: Path) -> None:
    (paid / REPLIES / "other-2026.jsonl").symlink_to("/dev/zero")
    with pytest.raises(ConflictError, match=r"other-2026\.jsonl: a link or special file"):
        known(paid)

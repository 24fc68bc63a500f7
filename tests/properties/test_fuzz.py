"""Every parser on damaged input: an answer or an error that names its place, within a second and 200 MB."""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from bankd.config.workspace import load_rules, load_settings
from bankd.edits.operations import Append, Piece, carry_lines
from bankd.edits.settle import why_quarantined
from bankd.edits.transaction import Journal, Transaction
from bankd.errors import ConflictError, UserError
from bankd.memory.ledger import fold_events
from bankd.memory.retain import read_log
from bankd.pages.memory import parse_memory
from bankd.pages.page import read_page
from bankd.pages.references import references_of
from bankd.pages.scanner import decode_text, scan_text
from bankd.storage import events as event_files
from bankd.storage.events import EventLog, parse_row
from bankd.storage.journals import Lock, decode_journal, encode_journal
from bankd.storage.transactions import TransactionWriter
from bankd.storage.tree import BankFiles
from tests.examples import texts

NOW = datetime.fromisoformat("2026-06-10T03:00:00+09:00")
Parse = Callable[[bytes], object]

LOG = "# Day\n\n## Retain\n- W @Peter: Currently in Marrakech.\n- O(c=0.95) @Minji: 짧게 답하는 것을 좋아한다.\n  계속되는 줄\n"
PAGE = (
    "---\ntitle: x\ntags: [a, b]\n---\n# Tools\n\n> what\n\n- O(c=0.86@2026-11-21) @P: text ^m-k3f9a2xqb7t0\n  - nested\n\n"
    '```py\nx\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<!-- c -->\n[r]: <a b.md#x> "t"\n[[page#h|alias]] ![x](y.md#^z)\n[^1]: note\n'
)
EVENT = json.dumps(
    {"id": "kept:m-1", "at": "2026-06-10", "type": "kept", "memory": "m-1", "log": "2026-05-02.md", "line": 3}
)
JOURNAL = encode_journal(
    Journal(1, Transaction("r", "2026-06-10", (Append("p.md", "", (Piece("m-1", "- W: x ^m-1"),)),)), {"p.md": "# P\n"})
).partition(b"\n")[2]
NASTY = [
    b"\xff\xfe",
    b"\x00",
    b"\r\n",
    b"\xef\xbb\xbf",
    b"[" * 60,
    b"{" * 60,
    b"- " * 40,
    b"> " * 40,
    b"9" * 200,
    b"\xc2\x85",
    b"&a *a <<:",
]


def front_matter(data: bytes) -> object:
    return read_page("p.md", b"---\n" + data + b"\n---\n# T\n\n- W: x ^m-000000000001\n").entries


def config(data: bytes) -> object:
    return load_settings(Path("bankd.yaml"), decode_text(data))


def rules(data: bytes) -> object:
    return load_rules(Path("routing.yaml"), decode_text(data))


def events(data: bytes) -> object:
    rows = [row for line in data.split(b"\n") if (row := parse_row(line)) is not None]
    return fold_events(row for row in rows if isinstance(row.get("id"), str))


def page(data: bytes) -> object:
    read = read_page("p.md", data)
    return Append("p.md", "Tools", (Piece("m-9", "- W: new ^m-9"),)).apply(data), read, why_quarantined(data)


def journal(data: bytes) -> object:
    return decode_journal(sha256(data).hexdigest().encode() + b"\n" + data)


def tree_index(data: bytes) -> object:
    """Bankd never believes this file; whoever reads it gets JSON or an error, and a run writes it anew."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


PARSERS: dict[str, tuple[Parse, bytes]] = {
    "log": (lambda data: read_log("2026-05-02.md", decode_text(data), anywhere=True), LOG.encode()),
    "page": (page, PAGE.encode()),
    "front matter": (front_matter, b"title: x\ntags: [a, b]\nwhen: 2026-13-45\n"),
    "config": (
        config,
        b"timezone: Asia/Seoul\nsettle_seconds: 5\ndedup: {threshold: 80}\nsearch: {tree_weight: 0.4}\n",
    ),
    "rules": (
        rules,
        b"TAG_ROUTING:\n  W:\n    - {match: 'tool|\xeb\x8f\x84\xea\xb5\xac', target: knowledge/tools.md}\ndefaults: {W: a.md}\nentities: true\n",
    ),
    "events": (events, f"{EVENT}\n{EVENT}\n".encode()),
    "journal": (journal, JOURNAL),
    "tree index": (
        tree_index,
        b'{"format": 1, "nodes": {"a": {"files": ["a.md"], "keywords": []}}, "idf": {"x": [1, 2.5]}}',
    ),
    "memory": (
        lambda data: parse_memory(decode_text(data)),
        b"O(c=0.86@2026-11-21) @Peter: Prefers concise replies. ^m-k3f9a2xqb7t0",
    ),
    "late write": (lambda data: carry_lines(PAGE, PAGE, decode_text(data)), PAGE.encode()),
    "references": (lambda data: references_of(scan_text(decode_text(data))), PAGE.encode()),
}
ALLOWED = {"config": UserError, "rules": UserError, "journal": (ValueError, KeyError, TypeError)}


def damaged(seed: bytes, rng: Random) -> bytes:
    """A few cuts, swaps, repetitions and nasty insertions."""
    data = bytearray(seed)
    for _ in range(rng.randint(1, 6)):
        at = rng.randint(0, len(data))
        end = min(len(data), at + rng.randint(0, 12))
        match rng.randrange(5):
            case 0:
                del data[at:end]
            case 1:
                data[at:at] = rng.choice(NASTY)
            case 2:
                data[at:end] = rng.randbytes(end - at)
            case 3:
                data[at:at] = data[at:end] * rng.randint(1, 30)
            case 4:
                other = rng.randint(0, len(data))
                data[at:at] = data[other : other + 20]
    return bytes(data)


def fuzz(name: str, count: int) -> None:
    parse, seed = PARSERS[name]
    rng = Random(name)
    allowed = ALLOWED.get(name, ())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    slowest = 0.0
    for _ in range(count):
        data = damaged(seed, rng)
        started = time.process_time()
        try:
            parse(data)
        except allowed:
            pass
        except Exception as error:  # whatever it is, this input shows it
            raise AssertionError(f"{name}: {error!r} on {data!r}") from error
        slowest = max(slowest, time.process_time() - started)

    assert slowest < 1.0
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) < 200 * 1024  # KiB


@pytest.mark.parametrize("name", PARSERS)
def test_damaged_input_gets_an_answer(name: str) -> None:
    fuzz(name, 800)


@pytest.mark.full
@pytest.mark.parametrize("name", PARSERS)
def test_a_hundred_thousand_damaged_inputs_get_an_answer(name: str) -> None:
    fuzz(name, 100_000)


def in_time(action: Callable[[], object]) -> object:
    """Run it; it may take two seconds of the processor."""
    started = time.process_time()
    try:
        return action()
    finally:
        assert time.process_time() - started < 2.0


@pytest.mark.parametrize(
    "text", [*texts("settings", "bombs"), "[" * 5_000, "{a: " * 5_000, "settle_seconds: " + "9" * 5_000, "- " * 20_000]
)
def test_bombs_in_settings_are_refused_at_once(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bankd.yaml"
    path.write_text(text)
    for load in (load_settings, load_rules):
        with pytest.raises(UserError, match=r"bankd\.yaml"):
            in_time(lambda load=load: load(path))


def test_a_pipe_named_like_a_page_neither_hangs_nor_is_read(tmp_path: Path) -> None:
    (tmp_path / "bank").mkdir()
    os.mkfifo(tmp_path / "bank" / "x.md")
    (tmp_path / "bank" / "dir.md").mkdir()
    (tmp_path / "bank" / "away.md").symlink_to("/etc/passwd")
    files = BankFiles(tmp_path)

    survey = in_time(lambda: files.survey("bank", NOW, 5))

    assert sorted(survey.quarantined) == ["bank/away.md", "bank/dir.md", "bank/x.md"]  # type: ignore[attr-defined]
    for name in ("x.md", "away.md", "dir.md"):
        with pytest.raises(ConflictError):
            in_time(lambda name=name: files.read(f"bank/{name}"))


def test_a_folder_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "out").symlink_to("/etc")
    files = BankFiles(tmp_path)

    with pytest.raises(ConflictError, match="goes through a link"):
        files.read("bank/out/passwd")
    for path in ("../x.md", "/etc/passwd", "bank/../../x", "bank//x.md", "bank/\0"):
        with pytest.raises(UserError, match="not a path inside"):
            files.read(path)


def test_a_long_line_a_large_file_and_too_many_entries_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank/line.md").write_bytes(b"- W: " + b"x" * 100_000 + b"\n")
    (tmp_path / "bank/many.md").write_bytes(b"- x\n" * 20_001)
    (tmp_path / "bank/large.md").write_bytes(b"x\n" * (5 * 1024 * 1024))
    (tmp_path / "bank/merge.md").write_bytes(b"<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")
    (tmp_path / "bank/fine.md").write_bytes(b"# fine\n\n=======\n")

    survey = in_time(lambda: BankFiles(tmp_path).survey("bank", NOW, 5))

    assert sorted(survey.quarantined) == [f"bank/{name}.md" for name in ("large", "line", "many", "merge")]  # type: ignore[attr-defined]
    assert list(survey.files) == ["bank/fine.md"]  # type: ignore[attr-defined]


def test_events_count_once_however_often_and_wherever_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_files, "FULL", 500)
    files = BankFiles(tmp_path)
    (tmp_path / "events").mkdir()
    log = TransactionWriter(files, Lock(files, "now"), "here").events
    for n in range(40):
        log.append([{"id": f"e{n}", "at": f"2026-06-{n % 28 + 1:02}", "type": "said"}])
    first = (tmp_path / "events/here-2026.jsonl").read_bytes()  # a sync tool brings it twice
    (tmp_path / "events/there-2026.jsonl").write_bytes(first + b'{"id": "torn')

    found = [event["id"] for event in log.read_events()]

    assert sorted(found) == sorted(f"e{n}" for n in range(40))
    assert found == [event["id"] for event in EventLog(files, "other").read_events()]
    assert log.corrupt == []

"""Real editors against real runs, in real time: people save in every way while runs follow each other without pause."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bankd.edits.inserting import LineSpan, text_of
from bankd.edits.operations import Append, Operation, Piece, Remove
from bankd.edits.transaction import Transaction
from bankd.errors import ConflictError
from bankd.pages.memory import parse_memory
from bankd.pages.page import read_page
from tests.crash.world import Recoverer, Session, bank_of

FOLDERS = ("identity", "daily", "knowledge", "opinions")
PAGES = tuple(f"bank/{folder}/page-{n}.md" for folder in FOLDERS for n in range(5))
_ID = re.compile(r"\^(m-\d{6})[ \t]*\r?$", re.MULTILINE)
_NOTE = re.compile(r"note (\d+-\d+) of a person")


def build(root: Path) -> Path:
    for path in PAGES:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"# {path}\n\nSome words.\n\n- A list of my own\n")
    return root


def edit_for(root: Path, folder: str, style: str, seconds: float, seed: int) -> int:
    """One person with a folder of pages and one way to save; gives how many edits were made."""
    rng = random.Random(seed)
    ends = time.monotonic() + seconds
    count = 0
    while time.monotonic() < ends:
        page = root / "bank" / folder / f"page-{rng.randrange(5)}.md"
        note = f"note {seed}-{count} of a person"
        if style == "append":
            with page.open("a") as file:
                file.write(f"\n{note}\n")
        else:
            save(page, note, style, rng)
        count += 1
        time.sleep(rng.random() * 0.016)
    return count


def save(page: Path, note: str, style: str, rng: random.Random) -> None:
    """Read, think, write: by rename, or in place, first emptied and then filled in two goes, as editors do."""
    text = page.read_text()
    time.sleep(rng.random() * 0.003)
    text = text.rstrip("\n") + f"\n\n{note}\n"
    if style == "rename":
        temporary = page.with_name(f".{page.name}.swx")
        temporary.write_text(text)
        temporary.replace(page)
        return
    fd = os.open(page, os.O_WRONLY | os.O_TRUNC)
    half = len(text) // 2
    os.write(fd, text[:half].encode())
    os.write(fd, text[half:].encode())
    os.close(fd)


def run_for(root: Path, seconds: float) -> set[str]:
    """Runs without pause: each takes new memories in and moves some from page to page; gives what was taken in."""
    rng = random.Random(1)
    ends = time.monotonic() + seconds
    known: set[str] = set()
    n = 0
    while time.monotonic() < ends:
        n += 1
        with Session(root) as session:
            now = datetime.now(UTC)
            try:
                Recoverer(session.tree, session.transactions, settle_seconds=0).recover(now)
                fresh = [Piece(f"m-{n * 3 + k:06}", f"- W: memory {n * 3 + k} ^m-{n * 3 + k:06}") for k in range(3)]
                operations = [Append(rng.choice(PAGES), "Taken in", tuple(fresh)), *moves(session, rng)]
                known |= {piece.key for piece in fresh}
                session.transactions.commit(Transaction(f"run-{n}", now.isoformat(), tuple(operations)))
            except ConflictError:
                continue
    return known


def moves(session: Session, rng: random.Random) -> list[Operation]:
    source, target = rng.sample(PAGES, 2)
    data = session.transactions.look(source) or b""
    page = read_page(source, data)
    entries = [e for e in page.entries if e.memory.id and e.memory.id.startswith("m-")]
    chosen = rng.sample(entries, min(2, len(entries)))
    pieces = tuple(Piece(str(e.memory.id), text_of(page.document, LineSpan(e.start, e.whole_end))) for e in chosen)
    return [Append(target, "Moved", pieces), Remove(source, pieces, target)] if pieces else []


def battle(root: Path, seconds: float, styles: tuple[str, ...]) -> tuple[int, int, list[str]]:
    """Let editors and runs at each other; give edits made, memories taken in, and what is wrong afterwards."""
    build(root)
    code = "import sys; from tests.crash.test_editors import *; sys.stdin.readline(); print(edit_for(Path(sys.argv[1]), *sys.argv[2:4], float(sys.argv[4]), int(sys.argv[5])))"
    editors = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(root), folder, style, str(seconds), str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed, (folder, style) in enumerate(zip(FOLDERS, styles, strict=True))
    ]
    time.sleep(0.5)  # a slow start only makes it overlap less
    for editor in editors:
        editor.stdin.write("go\n")  # type: ignore[union-attr]
        editor.stdin.flush()  # type: ignore[union-attr]
    known = run_for(root, seconds + 0.5)
    edits = [int(editor.communicate()[0]) for editor in editors]
    for minutes in (0, 11, 11, 22):  # a page that was fought over rests for ten minutes, then it is looked at again
        with Session(root) as session:
            moment = datetime.now(UTC) + timedelta(minutes=minutes)
            Recoverer(session.tree, session.transactions, settle_seconds=0).recover(moment)
    return sum(edits), len(known), wrongs(root, edits, known)


def wrongs(root: Path, edits: list[int], known: set[str]) -> list[str]:
    text = "\n".join(data.decode() for data in bank_of(root).values())
    ids = Counter(_ID.findall(text))
    notes = set(_NOTE.findall(text))
    wrong = [f"{key} is lost" for key in sorted(known - ids.keys())]
    wrong += [f"{key} is there {times} times" for key, times in sorted(ids.items()) if times > 1]
    wrong += [
        f"note {seed}-{n} is lost" for seed, made in enumerate(edits) for n in range(made) if f"{seed}-{n}" not in notes
    ]
    wrong += [
        f"torn: {line}" for line in text.split("\n") if line.startswith("- W:") and parse_memory(line[2:]).id is None
    ]
    return wrong


def move(root: Path, source: str, target: str, piece: Piece, stale: str = "") -> None:
    """A run that moves a memory, by what it sees on one page only; an old copy of that page may be saved before it looks."""
    with Session(root) as session:
        now = datetime.now(UTC)
        Recoverer(session.tree, session.transactions, settle_seconds=0).recover(now)
        if stale:
            (root / source).write_text(stale)
        operations = (Append(target, "Moved", (piece,)), Remove(source, (piece,), target))
        session.transactions.commit(Transaction(f"to {target}", now.isoformat(), operations))


def test_what_a_hand_moved_to_a_page_that_is_just_being_saved_is_not_put_back(tmp_path: Path) -> None:
    root, piece = build(tmp_path), Piece("m-000001", "- W: memory 1 ^m-000001")
    old, new = (root / PAGES[0]).read_text(), f"{(root / PAGES[1]).read_text()}\n{piece.text}\n"
    with Session(root) as session:
        now = datetime.now(UTC)
        session.transactions.commit(Transaction("run", now.isoformat(), (Append(PAGES[0], "New", (piece,)),)))
    (root / PAGES[0]).write_text(old)
    (root / PAGES[1]).write_text("")  # an editor that writes in place empties it first

    with Session(root) as session:
        recoverer = Recoverer(session.tree, session.transactions, pause=lambda _: (root / PAGES[1]).write_text(new))
        recoverer.recover(now + timedelta(minutes=1))
    (root / PAGES[1]).write_text(new)  # at the latest

    assert wrongs(root, [], {piece.key}) == []


def test_a_memory_that_a_run_takes_from_an_old_copy_of_a_page_stands_once_after_the_next(tmp_path: Path) -> None:
    root, piece = build(tmp_path), Piece("m-000001", "- W: memory 1 ^m-000001")
    old = f"# Old\n\n{piece.text}\n"
    (root / PAGES[0]).write_text(old)
    move(root, PAGES[0], PAGES[1], piece)
    move(root, PAGES[0], PAGES[2], piece, stale=old)
    assert Counter(_ID.findall("".join(data.decode() for data in bank_of(root).values())))[piece.key] == 2

    with Session(root) as session:
        Recoverer(session.tree, session.transactions, settle_seconds=0).recover(datetime.now(UTC))

    assert wrongs(root, [], {piece.key}) == []
    assert piece.text in (root / PAGES[1]).read_text()


STYLES = ("append", "rename", "in place", "rename")


@pytest.mark.parametrize(("seconds", "least"), [(3, 100), pytest.param(60, 10_000, marks=pytest.mark.full)])
def test_some_seconds_of_editing_lose_nothing(tmp_path: Path, seconds: int, least: int) -> None:
    edits, taken_in, wrong = battle(tmp_path, seconds, STYLES)
    print(f"{edits} edits, {taken_in} memories, {len(wrong)} wrong")

    assert wrong == []
    assert edits >= least
    assert taken_in > 10

"""A hand's edit right before every change of the disk, and then a kill within the next three."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from bankd.errors import ConflictError
from bankd.storage import journals
from bankd.storage.tree import FileTree
from tests.crash.faults import Fault, FaultyCalls, Killed
from tests.crash.hands import PAGES, STYLES, Hand
from tests.crash.world import EXPECTED, VALUES, bank_of, faults, fresh, run


def race(template: Path, root: Path, style: str, path: str, at: int, kill: int = 0) -> list[str]:
    """Edit before change `at`, die `kill` changes later, run twice more; give what is wrong."""
    fresh(template, root)
    hand = Hand(root, path, style)
    with suppress(Killed, ConflictError):
        run(root, FaultyCalls(Fault(at, "hook", hook=hand, kill_at=at + kill if kill else 0)))
    hand.after()
    run(root)
    run(root)
    wrong = wrong_after(root, hand)
    recovery, applied = run(root)
    return [*wrong, "still something to do in the third run"] if applied.changed or recovery.changed else wrong


def wrong_after(root: Path, hand: Hand) -> list[str]:
    """What is wrong with the bank and with the words that a person wrote."""
    wrong = faults(root, EXPECTED - hand.deleted)
    texts = [data.decode("utf-8", "surrogateescape") for data in bank_of(root).values()]
    for word in sorted(set(hand.words)):
        if (times := sum(text.count(word) for text in texts)) != 1:
            wrong.append(f"{word!r} is there {times} times")
    return wrong


@pytest.mark.parametrize(("first", "step", "kills"), [(1, 37, (0,)), (5, 83, (1, 3))], ids=["an edit", "and a kill"])
def test_an_edit_before_some_changes_is_kept(
    template: Path,
    clean: tuple[dict[str, bytes], list[str]],
    tmp_path: Path,
    first: int,
    step: int,
    kills: tuple[int, ...],
) -> None:
    bad = {}
    cases = product(range(first, len(clean[1]) + 1, step), STYLES, kills)
    for number, (at, style, kill) in enumerate(cases, 1):
        path = PAGES[number % len(PAGES)]
        if wrong := race(template, tmp_path / "w", style, path, at, kill):
            bad[f"{style} edit of {path} before {at}, killed {kill} later"] = wrong
        shutil.rmtree(tmp_path / "w")

    assert bad == {}


NOTE = b"\nA line noted by hand.\n"


def after_reads(monkeypatch: pytest.MonkeyPatch, *steps: Callable[[], object]) -> None:
    """Do one step after each of the first looks at what came out of the bank, before anything is done about it."""
    real, left = journals.read_all, list(steps)

    def read_all(fd: int, path: str, cap: int) -> bytes:
        data = real(fd, path, cap)
        if left:
            left.pop(0)()
        return data

    monkeypatch.setattr(journals, "read_all", read_all)


def notes_after(root: Path) -> int:
    run(root)
    assert faults(root) == []
    return b"".join(bank_of(root).values()).count(NOTE.strip())


def write_undated(editor: int, data: bytes) -> None:
    """Write, and leave the date as it is: as a write does that began before, or the second one within a tick of the clock."""
    date = os.fstat(editor).st_mtime_ns
    os.write(editor, data)
    os.utime(editor, ns=(date, date))


@pytest.mark.parametrize("write", [os.write, write_undated], ids=["after it was looked at", "meanwhile"])
def test_a_line_written_while_its_page_is_displaced_is_kept(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[int, bytes], object]
) -> None:
    root = fresh(template, tmp_path / "w")
    editors = [os.open(root / path, os.O_WRONLY | os.O_APPEND) for path in (PAGES[1], VALUES)]
    after_reads(monkeypatch, lambda: [write(editor, NOTE) for editor in editors])

    run(root)

    assert notes_after(root) == len(editors)


def test_a_line_written_to_a_form_of_a_page_that_was_taken_back_is_kept(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean, root = FaultyCalls(), fresh(template, tmp_path / "w")
    run(fresh(template, tmp_path / "clean"), clean)
    renames = [said for said in clean.log if said.startswith("rename")]
    swap = next(n for n, said in enumerate(renames, 1) if said.endswith("<-> values.md"))
    opened: list[int] = []
    after_reads(
        monkeypatch,
        lambda: opened.append(os.open(root / VALUES, os.O_WRONLY | os.O_APPEND)),
        lambda: os.write(opened[0], NOTE),
    )

    run(root, FaultyCalls(Fault(swap, "hook", kinds=("rename",), hook=Hand(root, VALUES, "in place"))))

    assert notes_after(root) == 1


def test_a_line_written_while_an_earlier_late_one_is_carried_over_is_kept(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = fresh(template, tmp_path / "w")
    editor = os.open(root / VALUES, os.O_WRONLY | os.O_APPEND)
    run(root)
    os.write(editor, b"\nAn earlier line.\n")
    real, left = FileTree.read, [NOTE]

    def read(tree: FileTree, path: str, *cap: int) -> bytes | None:
        data = real(tree, path, *cap)
        if path.startswith(".bankd/trash/") and left:
            os.write(editor, left.pop())
        return data

    monkeypatch.setattr(FileTree, "read", read)
    run(root)

    assert notes_after(root) == 1


@pytest.mark.parametrize("earlier", [b"", b"\nAn earlier line.\n"], ids=["displaced", "carried over"])
def test_a_line_dated_like_the_write_before_it_is_kept(template: Path, tmp_path: Path, earlier: bytes) -> None:
    root = fresh(template, tmp_path / "w")
    editor = os.open(root / VALUES, os.O_WRONLY | os.O_APPEND)
    if earlier:
        run(root)
        os.write(editor, earlier)
    date = os.fstat(editor).st_mtime_ns
    run(root)
    os.write(editor, NOTE)
    os.utime(editor, ns=(date, date))

    assert notes_after(root) == 1


@pytest.mark.full
@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("style", STYLES)
def test_an_edit_before_every_change_is_kept(
    template: Path, clean: tuple[dict[str, bytes], list[str]], tmp_path: Path, style: str, path: str
) -> None:
    bad = {}
    for at in range(1, len(clean[1]) + 1):
        for kill in (0, 1 + at % 3):
            root = tmp_path / "w"
            if wrong := race(template, root, style, path, at, kill):
                bad[f"before {at}, killed {kill} later"] = wrong
            shutil.rmtree(root)

    assert bad == {}

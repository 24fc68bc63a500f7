"""What people made of what a run wrote: known by what is left of it on the page."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from bankd.edits.inserting import bare_lines_in, keys_in
from bankd.edits.operations import Append, Piece, Remove, Replace
from bankd.edits.second_look import Settling, without_settled
from bankd.edits.transaction import Transaction
from bankd.pages.scanner import encode_text

ONE, TWO = Piece("m-1", "- W: one [a](old.md) ^m-1"), Piece("m-2", "- W: two ^m-2\n  - nested")
BEFORE = "# A\n\n- mine\n"
RUN = Transaction("run", "2026-06-10", (Append("a.md", "", (ONE, TWO)),))
AFTER = f"{BEFORE}{ONE.text}\n{TWO.text}\n"


def settled(pages: Mapping[str, str], run: Transaction = RUN, *later: Transaction, known: str = "") -> set[str]:
    def look(path: str) -> bytes | None:
        return encode_text(pages[path]) if path in pages else None

    def locate(keys: Collection[str]) -> Mapping[str, Collection[str]]:
        return {
            key: {path for path in pages if keys_in(look(path), [key]) | bare_lines_in(look(path), [key])}
            for key in keys
        }

    return set(Settling(look, locate, later).find(run, {"a.md": BEFORE}, set(known.split()), {"a.md"}))


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (AFTER, ""),
        (AFTER.replace("old.md", "new/place.md"), ""),
        (AFTER.replace("- W: one", "  - W: one"), ""),
        (AFTER.replace("  - nested", "  - nested\n    - more of mine"), ""),
        (AFTER.replace("W: one", "W: 1"), "m-1"),
        (AFTER.replace(f"{ONE.text}\n", ""), "m-1"),
        (BEFORE + ONE.text.replace(" ^m-1", "\n"), "m-1 m-2"),
        (BEFORE, ""),
        (BEFORE + "\nA note.\n", ""),
        ("", ""),
    ],
)
def test_a_piece_is_settled_when_it_was_changed_or_alone_is_gone(now: str, expected: str) -> None:
    assert settled({"a.md": now}) == set(expected.split())


def test_a_page_that_is_gone_settles_nothing() -> None:
    assert settled({}) == set()


def test_the_blank_lines_that_a_run_put_there_tell_that_it_was_read() -> None:
    run = Transaction("run", "2026-06-10", (Append("a.md", "Part", (ONE,)),))
    cut_out = f"{BEFORE}\n## Part\n\n"

    assert settled({"a.md": cut_out}, run) == {"m-1"}
    assert settled({"a.md": f"{BEFORE}\n## Part\n\nand more\n"}, run) == set()


def test_a_piece_that_was_moved_is_settled_only_when_it_was_changed_too() -> None:
    page = AFTER.replace(f"{ONE.text}\n", "")

    assert settled({"a.md": page, "b.md": f"{ONE.text}\n"}) == set()
    assert settled({"a.md": page, "b.md": "- W: 1 ^m-1\n"}) == {"m-1"}
    assert settled({"a.md": BEFORE, "b.md": "- W: 1 ^m-1\n"}) == {"m-1"}


@pytest.mark.parametrize("there", [{}, {"a.md": BEFORE}])
def test_a_line_without_its_id_on_a_page_that_has_another_name_now_is_settled(there: Mapping[str, str]) -> None:
    renamed = AFTER.replace(" ^m-2", "")

    assert settled({**there, "b.md": renamed}) == {"m-2"}
    assert settled({**there, "b.md": renamed.replace("two", "2")}) == set()


def test_what_is_known_or_was_decided_later_is_not_found_again() -> None:
    page = {"a.md": AFTER.replace(f"{ONE.text}\n", "")}

    assert settled(page, known="m-1") == set()
    assert settled(page, RUN, Transaction("forget", "2026-06-10", (Remove("a.md", (ONE,)),))) == set()


def test_a_wording_that_was_renewed_is_settled_when_it_is_neither_old_nor_new() -> None:
    run = Transaction("run", "2026-06-10", (Replace("a.md", "m-1", "- W: old ^m-1", "- W: new ^m-1"),))

    assert settled({"a.md": "- W: old ^m-1\n"}, run) == settled({"a.md": "- W: new ^m-1\n"}, run) == set()
    assert settled({"a.md": "- W: mine ^m-1\n"}, run) == {"m-1"}


def test_what_is_settled_is_not_asked_for_again() -> None:
    renewed = Replace("a.md", "m-1", "x", "y")
    run = Transaction("run", "2026-06-10", (Append("a.md", "", (ONE, TWO)), renewed))

    assert without_settled(run, {"m-1"}).operations == (Append("a.md", "", (TWO,)),)
    assert without_settled(run, {"m-1", "m-2"}).operations == ()
    assert without_settled(run, set()) == run

"""Operations on any page: idempotent, commuting with edits elsewhere, and lossless where they have nothing to do."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bankd.edits.inserting import LineSpan, block_key, block_shape, page_of, split_bom, text_of
from bankd.edits.operations import (
    Append,
    Carry,
    Moved,
    Operation,
    Piece,
    Remove,
    Replace,
    Write,
    append_all,
    carry_lines,
    from_json,
    operation_json,
)
from bankd.pages.memory import split_id
from bankd.pages.page import read_page
from bankd.pages.scanner import BlockKind, Document, decode_text, encode_text, scan_text
from tests.examples import texts

SCALE = int(os.environ.get("BANKD_EXAMPLES", "1"))
"""How many times the usual number of examples to try."""

ENDINGS = st.sampled_from(["\n", "\r\n"])
ODD_WORDS = "plain words;한글 낱말;tail  ;a\x85b;a\u2028b;café;\udcff\udcfe;`code`;[l](p.md#x);#tag;x | y;*a*"
WORDS = st.sampled_from(ODD_WORDS.split(";"))
MEMORIES = [f"m-{n:012}" for n in range(6)]


@st.composite
def blocks(draw: st.DrawFn) -> str:
    """One block of a page, of any kind."""
    shape = draw(st.sampled_from(["", *texts("blocks", "shapes")]))
    return shape.format(words=draw(WORDS), key=draw(st.sampled_from(MEMORIES)))


@st.composite
def page_bytes(draw: st.DrawFn) -> bytes:
    """A whole page: perhaps a BOM, front matter, mixed line ends, an unclosed fence, no final newline."""
    front = draw(st.sampled_from(["", "---\ntitle: x\nz: 1\na: 2\n---\n", "---\nno end\n"]))
    parts = draw(st.lists(blocks(), max_size=8))
    gaps = draw(st.lists(st.sampled_from(["\n", "\n\n"]), min_size=len(parts), max_size=len(parts)))
    text = front + "".join(part + gap for part, gap in zip(parts, gaps, strict=True))
    text += draw(st.sampled_from(["", "```\nunclosed\n", "last line"]))
    ending = draw(ENDINGS)
    text = text.replace("\n", ending)
    if draw(st.booleans()):
        text = text.replace(ending, "\n", 1)
    return encode_text(draw(st.sampled_from(["", "\ufeff"])) + text)


@st.composite
def operations(draw: st.DrawFn) -> Operation:
    """Any operation, on memories that the page may or may not have, with their text or another."""
    piece = Piece(draw(st.sampled_from(MEMORIES)), "")
    text = draw(st.sampled_from([f"- W: {w} ^{piece.key}" for w in ("plain words", "한글 낱말", "new")]))
    piece = Piece(piece.key, text)
    prose = Piece(block_key("Some prose."), "Some prose.")
    heading = draw(st.sampled_from(["", "plain words", "New heading"]))
    nested = Piece("m-000000000009", "- W: with a nested line ^m-000000000009\n  - nested")
    return draw(
        st.sampled_from(
            [
                Write("p.md", None, text + "\n"),
                Append("p.md", heading, (piece,)),
                Append("p.md", heading, (piece, prose, nested)),
                Replace("p.md", piece.key, text, f"- W: replaced ^{piece.key}"),
                Remove("p.md", (piece,)),
                Remove("p.md", (piece, prose)),
                Write("p.md", text + "\n", None, (Moved("q.md", 0, 1, ("-",)),)),
                Write("p.md", text + "\n", "# new\n"),
                Carry("p.md", "# a\n- one\n", f"# a\n- one\n{text}\nmore\n"),
            ]
        )
    )


def run(operation: Operation, data: bytes | None) -> bytes | None:
    return operation.apply(data)


@given(page_bytes())
@settings(max_examples=100 * SCALE)
def test_scanning_and_joining_gives_the_bytes_back(data: bytes) -> None:
    assert encode_text(scan_text(decode_text(data)).text) == data
    assert encode_text(read_page("p.md", data).document.text) == data


@given(st.binary(max_size=300))
@settings(max_examples=100 * SCALE)
def test_so_it_does_for_any_bytes(data: bytes) -> None:
    assert encode_text(scan_text(decode_text(data)).text) == data


@given(operations(), st.none() | page_bytes())
@settings(max_examples=200 * SCALE)
def test_doing_it_twice_is_doing_it_once(operation: Operation, data: bytes | None) -> None:
    once = run(operation, data)

    assert run(operation, once) == once


@given(operations())
def test_an_operation_survives_its_journal(operation: Operation) -> None:
    assert from_json(operation_json(operation)) == operation


@given(page_bytes(), st.sampled_from(["", "plain words", "New"]))
@example(b"    indented\n```\nnever closed\n", "")
@settings(max_examples=133 * SCALE)
def test_an_append_leaves_every_line_that_was_there_as_it_was(data: bytes, heading: str) -> None:
    longer = Append("p.md", heading, (Piece("m-000000000009", "- W: new ^m-000000000009"),)).apply(data)

    assert longer is not None
    assert is_subsequence(bare(data), bare(longer))
    assert longer.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
    assert sum(entry.memory.id == "m-000000000009" for entry in read_page("p.md", split_bom_off(longer)).entries) == 1


@given(
    st.none() | page_bytes(),
    st.permutations(["", "plain words", "New", "Newer", "한글 낱말"]),
    st.sampled_from(MEMORIES),
)
@settings(max_examples=100 * SCALE)
def test_appends_at_once_are_appends_one_after_another(data: bytes | None, headings: list[str], key: str) -> None:
    pieces = [Piece(key, f"- W: known ^{key}"), *(Piece(f"m-n{n:011}", f"- W: new ^m-n{n:011}") for n in range(4))]
    appends = [Append("p.md", heading, (piece,)) for heading, piece in zip(headings, pieces, strict=True)]
    one_by_one = data
    for append in appends:
        one_by_one = append.apply(one_by_one)

    assert append_all(appends, data) == one_by_one


@given(page_bytes(), st.sampled_from(["", "plain words", "New"]))
@settings(max_examples=133 * SCALE)
def test_what_was_appended_can_be_removed_again(data: bytes, heading: str) -> None:
    piece = Piece("m-000000000009", "- W: new ^m-000000000009")
    back = Remove("p.md", (piece,)).apply(Append("p.md", heading, (piece,)).apply(data))

    assert back is not None
    assert b"m-000000000009" not in back
    assert is_subsequence(bare(data), bare(back))


@given(page_bytes(), st.integers(0, 30))
@settings(max_examples=200 * SCALE)
def test_a_removal_takes_its_own_lines_and_the_rest_reads_as_before(data: bytes, choice: int) -> None:
    bom, text = split_bom(data)
    page = read_page("p.md", encode_text(text))
    pieces = list(pieces_of_page(page.document, text))
    if not pieces:
        return
    _, piece = pieces[choice % len(pieces)]
    rest = Remove("p.md", (piece,)).apply(data)

    assert rest is not None
    left = page_of(split_bom(rest)[1]).document
    if rest != data and piece.text not in {other.text for _, other in pieces_of_page(left, left.text)}:
        equal = [s for s, other in pieces if other.text == piece.text]  # one that holds others apart may stay
        assert block_shape(scan_text(split_bom(rest)[1])) == block_shape(
            page.document, lambda line: not any(span.start <= line < span.end for span in equal)
        )
        assert decode_text(rest).startswith(bom)


@given(page_bytes(), st.data())
@settings(max_examples=133 * SCALE)
def test_an_operation_commutes_with_rewording_another_memory(data: bytes, draw: st.DataObject) -> None:
    """A hand rewords one item; an operation on others gives the same whichever came first."""
    reword = reworder(data, draw)
    if reword is None:
        return
    piece = Piece("m-000000000009", "- W: new ^m-000000000009")
    for operation in (Append("p.md", "plain words", (piece,)), Append("p.md", "", (piece,)), Remove("p.md", (piece,))):
        assert operation.apply(reword(data)) == reword(operation.apply(data) or b"")


def reworder(data: bytes, draw: st.DataObject) -> Callable[[bytes], bytes] | None:
    """Another wording for one single-line item with an id that is there once."""
    found = sorted(set(re.findall(rb"(?m)^- W: [^\r\n]* \^(m-0{11}\d)\r?$", data)))
    found = [key for key in found if data.count(key) == 1]
    if not found:
        return None
    key = draw.draw(st.sampled_from(found))
    pattern = re.compile(rb"(?m)^- W: [^\r\n]* \^" + key)
    return lambda page: pattern.sub(b"- W: reworded by a hand ^" + key, page, count=1)


@given(st.lists(blocks(), max_size=5), st.lists(blocks(), max_size=5), st.lists(blocks(), max_size=5))
@example(  # he copied a line with its id and reworded the copy
    [],
    ["- W: plain words ^m-000000000000", "- W: 한글 낱말 ^m-000000000001"],
    ["- W: 한글 낱말 ^m-000000000001", "- W: plain words ^m-000000000000", "- W: plain words ^m-000000000001"],
)
@example(  # the same, and the page has the line that he copied
    ["- W: 한글 낱말 ^m-000000000001"],
    ["- W: plain words ^m-000000000000", "- W: 한글 낱말 ^m-000000000001"],
    ["- W: 한글 낱말 ^m-000000000001", "- W: plain words ^m-000000000000", "- W: plain words ^m-000000000001"],
)
@settings(max_examples=100 * SCALE)
def test_what_an_editor_wrote_late_is_there_afterwards_and_nothing_is_deleted(
    live: list[str], pristine: list[str], late: list[str]
) -> None:
    texts = ["\n".join(parts) + "\n" for parts in (live, pristine, late)]
    result = carry_lines(*texts)

    assert carry_lines(result, texts[1], texts[2]) == result
    new = [line for line in texts[2].split("\n") if line.strip() and line not in texts[1].split("\n")]
    words = {split_id(line)[0] for line in result.split("\n")}
    assert {split_id(line)[0] for line in new} <= words
    assert set(texts[0].split("\n")) & set(texts[2].split("\n")) <= set(result.split("\n"))


def pieces_of_page(document: Document, text: str) -> Iterator[tuple[LineSpan, Piece]]:
    page = read_page("p.md", encode_text(text))
    ids = {entry.start: entry.memory.id for entry in page.entries if entry.memory.id}
    for block in document.blocks:
        if block.kind is not BlockKind.BLANK:
            span = LineSpan(block.start, max(block.end, block.whole_end))
            body = text_of(document, span)
            yield span, Piece(ids.get(block.start) or block_key(body), body)


def is_subsequence(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)


def bare(data: bytes) -> list[str]:
    return [line.rstrip("\r") for line in split_bom(data)[1].split("\n") if line.strip()]


def split_bom_off(data: bytes) -> bytes:
    return data.removeprefix(b"\xef\xbb\xbf")


def vault_files(shared: Path) -> list[Path]:
    return sorted(path for path in (shared / "vaults").rglob("*") if path.is_file() and path.suffix == ".md")


@pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.full)])
def test_operations_on_files_of_the_vaults_keep_their_promises(shared: Path, step: int) -> None:
    bad = [problem for path in vault_files(shared)[::step] for problem in broken_promises(path)]

    assert bad == []


def broken_promises(path: Path) -> Iterator[str]:
    """What goes wrong with a file when a memory comes, goes, and when its own blocks are taken out."""
    data = path.read_bytes()
    piece = Piece("m-000000000009", "- W: new ^m-000000000009")
    longer = Append("p.md", "", (piece,)).apply(data)
    if not is_subsequence(bare(data), bare(longer or b"")):
        yield f"{path}: an append changed what was there"
    if b"m-000000000009" not in (longer or b""):
        yield f"{path}: an append found no place"
    back = Remove("p.md", (piece,)).apply(longer)
    if bare(back or b"") != bare(data):
        yield f"{path}: what was appended does not go away cleanly"
    _, text = split_bom(data)
    document = scan_text(text)
    for span, own in list(pieces_of_page(document, text))[:: max(1, len(document.blocks) // 5)]:
        rest = Remove("p.md", (own,)).apply(data) or b""
        if Remove("p.md", (own,)).apply(rest) != rest:
            yield f"{path}:{span.start + 1}: removing twice is not removing once"

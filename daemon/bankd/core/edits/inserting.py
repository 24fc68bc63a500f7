"""Where new memories go in a page, and the page that they begin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from bankd.core.edits.spans import (
    BlockShape,
    LineSpan,
    block_shape,
    filled_blocks,
    is_item,
    majority_ending,
    page_of,
    shape_of_block,
)
from bankd.core.markdown.memory import normalise_text
from bankd.core.markdown.pages import Page
from bankd.core.markdown.scanner import BlockKind, Document, scan_text


def insert_pieces(text: str, heading: str, pieces: list[str]) -> str | None:
    """Put pieces under a heading ("" is the page's own), after its last item; None when no place reads as it should."""
    document = page_of(text).document
    page = page_of(text)
    ending = majority_ending(text)
    want = block_shape(document)
    for at, lines in _places(page, heading, pieces):
        head = list(document.lines[:at])
        if head and not head[-1].endswith("\n"):
            head[-1] += ending
        result = "".join([*head, *(line + ending for line in lines), *document.lines[at:]])
        after = page_of(result).document
        new = LineSpan(at, at + len(lines))
        if block_shape(after, new) == want and _reads_alone(after, new):
            return result
    return None


def insert_at_once(text: str, additions: Sequence[tuple[str, list[str]]]) -> str | None:
    """Put pieces under several headings, each where `insert_pieces` first would; None when the page then reads otherwise.

    The page is read twice, however many headings there are.
    """
    page = page_of(text)
    sections = [section for heading, _ in additions if (section := _section(page, heading))]
    if len(set(sections)) < len(sections) or not page.headings:  # one changes where another belongs
        return None
    placed = [(*next(_places(page, heading, pieces)), not _section(page, heading)) for heading, pieces in additions]
    placed.sort(key=lambda place: (place[0], place[2]))  # a new heading after what belongs above it
    result, new = _spliced_all(page.document, [(at, lines) for at, lines, _ in placed])
    after = page_of(result).document
    own = [shape for _, lines, _ in placed for shape in block_shape(scan_text("".join(f"{line}\n" for line in lines)))]
    is_well = _shape_where(after, new, inside=False) == block_shape(page.document)
    return result if is_well and _shape_where(after, new, inside=True) == own else None


def _spliced_all(document: Document, additions: Iterable[tuple[int, list[str]]]) -> tuple[str, set[int]]:
    """A page with lines added before some of its own, in their order, and the numbers of the new ones."""
    lines, new, done, ending = list[str](), set[int](), 0, majority_ending(document.text)
    for at, added in additions:
        lines += document.lines[done:at]
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += ending
        new |= set(range(len(lines), len(lines) + len(added)))
        lines += (line + ending for line in added)
        done = at
    return "".join([*lines, *document.lines[done:]]), new


def _shape_where(document: Document, lines: Set[int], *, inside: bool) -> list[BlockShape]:
    """The shape of the blocks that begin in these lines, or of the others."""
    return [shape_of_block(document, block) for block in filled_blocks(document) if (block.start in lines) is inside]


def _reads_alone(document: Document, new: LineSpan) -> bool:
    """Whether the new lines form the same blocks as they would by themselves."""
    own = scan_text("".join(document.lines[new.start : new.end]))
    around = LineSpan(0, new.start), LineSpan(new.end, len(document.lines))
    return block_shape(own) == block_shape(document, *around)


def _places(page: Page, heading: str, pieces: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Places for new lines, the best first; the later ones are for pages whose end swallows what follows."""
    lines = page.document.lines
    body = _spaced(pieces)
    section = _section(page, heading)
    if section is not None:
        items = [
            b
            for b in page.document.blocks
            if b.kind is BlockKind.ITEM and not b.depth and section.start <= b.start < section.end
        ]
        if items and is_item(pieces[0]):
            yield items[-1].whole_end, _closed(body, pieces, lines, items[-1].whole_end)
        at = _content_end(lines, section)
        yield at, _opened(_closed(body, pieces, lines, at), at)
    named = [f"## {heading}", "", *body] if heading else body
    end = _content_end(lines, LineSpan(0, len(lines)))
    yield end, _opened(named, end)
    front = next((b.end for b in page.document.blocks if b.kind is BlockKind.FRONT_MATTER), 0)
    starts = [
        b.start for b in page.document.blocks if not b.depth and b.kind is not BlockKind.BLANK and b.start >= front
    ]
    for at in (*reversed(starts), front):
        yield at, [*_opened(named, at), ""]


def _spaced(pieces: list[str]) -> list[str]:
    lines: list[str] = []
    for n, piece in enumerate(pieces):
        if n and not (is_item(piece) and is_item(pieces[n - 1])):
            lines.append("")
        lines += piece.split("\n")
    return lines


def _opened(body: list[str], at: int) -> list[str]:
    return ["", *body] if at else body


def _closed(body: list[str], pieces: list[str], lines: tuple[str, ...], at: int) -> list[str]:
    blank_follows = at >= len(lines) or not lines[at].strip()
    return body if blank_follows or (is_item(pieces[-1]) and is_item(lines[at])) else [*body, ""]


def _section(page: Page, heading: str) -> LineSpan | None:
    """The lines right under a heading, up to the next heading of any level."""
    starts = [h.start for h in page.headings] + [len(page.document.lines)]
    if not page.headings and not heading:
        front = next((b.end for b in page.document.blocks if b.kind is BlockKind.FRONT_MATTER), 0)
        return LineSpan(front, len(page.document.lines))
    for n, found in enumerate(page.headings):
        if not heading or normalise_text(found.title) == normalise_text(heading):
            return LineSpan(found.end, starts[n + 1])
    return None


def _content_end(lines: tuple[str, ...], section: LineSpan) -> int:
    end = section.end
    while end > section.start and not lines[end - 1].strip():
        end -= 1
    return end


def new_page(title: str, heading: str, pieces: list[str]) -> str:
    """A page of its own for the pieces."""
    head = [f"# {title}", ""] + ([f"## {heading}", ""] if heading else [])
    return "\n".join([*head, *_spaced(pieces)]) + "\n"

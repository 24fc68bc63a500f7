"""What of a page of the bank goes into the index: its memories, and as mere text the rows of its tables and its code.

Such a text is found and shown by its line. It is no memory: nothing is compared with it, and it is not counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bankd.core.markdown.pages import Page, heading_title, read_page_once
from bankd.core.markdown.scanner import Block, BlockKind
from bankd.core.ranking.indexable import IndexableEntry, IndexablePage, context_of, day_above, entries_of
from bankd.core.secrets.screening import screen_text

LARGE = 800
"""Characters of a piece of code, as of a passage of a log; more only where a line is longer."""
_CODE = {BlockKind.FENCE, BlockKind.CODE}
_CELLS = re.compile(r"(?<!\\)\|")
_HEAD = 2
"""Lines of a table above its rows: the names of its columns, and the rule below them."""


def read_bank_page(path: str, data: bytes) -> IndexablePage:
    """Read a page of memories, named from the workspace on."""
    page = read_page_once(path, data)
    entries = sorted((*entries_of(page), *tables_and_code(page)), key=lambda entry: entry.line)
    return IndexablePage(page.title, [heading.path for heading in page.headings], entries)


def tables_and_code(page: Page) -> Iterator[IndexableEntry]:
    """The rows of tables, and code; what looks like a credential in them is masked."""
    opened: list[tuple[int, str]] = []
    for block in page.document.blocks:
        if block.kind is BlockKind.HEADING:
            title = heading_title(page.document.lines, block)
            opened = [(level, name) for level, name in opened if level < block.level] + [(block.level, title)]
        heading = tuple(name for _, name in opened) or (page.title,)
        if block.kind is BlockKind.TABLE:
            yield from _rows(page, block, heading)
        elif block.kind in _CODE:
            yield from _code(page, block, heading)


def _rows(page: Page, block: Block, heading: tuple[str, ...]) -> Iterator[IndexableEntry]:
    """Each row of a table, read below the names of its columns; a table without rows by these alone."""
    columns = _cells(page.document.lines[block.start])
    for number in range(block.start + _HEAD, block.end):
        yield from _text(page, number, heading, " | ".join(_cells(page.document.lines[number])), columns)
    if block.end - block.start <= _HEAD:
        yield from _text(page, block.start, heading, " | ".join(columns))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELLS.split(line.strip().strip("|")) if cell.strip()]


def _code(page: Page, block: Block, heading: tuple[str, ...]) -> Iterator[IndexableEntry]:
    """The code of a block without its fences, in pieces."""
    is_fenced = block.kind is BlockKind.FENCE
    start, held = block.start + is_fenced, list[str]()
    for number in range(block.start + is_fenced, block.end):
        line = page.document.lines[number].rstrip()
        if is_fenced and number == block.end - 1 and set(line.strip()) in ({"`"}, {"~"}):
            break
        if held and sum(map(len, held)) + len(line) > LARGE:
            yield from _text(page, start, heading, "\n".join(held))
            start, held = number, []
        held.append(line)
    yield from _text(page, start, heading, "\n".join(held))


def _text(
    page: Page, number: int, heading: tuple[str, ...], text: str, columns: Sequence[str] = ()
) -> Iterator[IndexableEntry]:
    if text.strip():
        day, context = day_above(page.path, heading), context_of((*heading, *columns), ())
        yield IndexableEntry(
            number + 1, None, None, None, day, (), heading, screen_text(text, ()), context, is_text=True
        )

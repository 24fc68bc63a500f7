"""A page of the bank as it is read: its title, headings and memories, and the lines of a hub that stand for its parts.

Reading never changes a page: `Page.document.text` is the page as it was. The text that bankd adds around lines that it
moves to a part (names, hub lines, front matter) has a form that people do not write, so a merge removes only that.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count, takewhile
from typing import NamedTuple
from urllib.parse import unquote

from bankd.pages.memory import Confidence, Memory, parse_memory
from bankd.pages.names import INBOX, folder_of, is_own, path_key
from bankd.pages.scanner import PROPERTY, Block, BlockKind, Document, decode_text, document_of
from bankd.pages.text import MARK

MARKER = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
"""The marker of a list item, which is not part of what it says."""
ITEM_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_HEADING_TEXT = re.compile(r" {0,3}#{1,6}[ \t]*(.*?)(?:[ \t]+#+)?[ \t]*$")
_CONFIDENCE = re.compile(r"\([ \t]*c[ \t]*=[^()\n]*\)")


class Entry(NamedTuple):
    """A memory in its page: own lines `start` to `end`, with nested blocks to `whole_end` (0-based, half open)."""

    memory: Memory
    start: int
    end: int
    whole_end: int
    heading: tuple[str, ...]
    kind: BlockKind

    @property
    def line(self) -> int:
        """The 1-based line where it begins, as editors count."""
        return self.start + 1


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with the path of the headings above it, itself last."""

    title: str
    path: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file of the bank, read."""

    path: str
    document: Document
    headings: tuple[Heading, ...]
    entries: tuple[Entry, ...]

    def text_of(self, entry: Entry) -> str:
        """The exact lines of a memory with all that is nested in it."""
        return "".join(self.document.lines[entry.start : entry.whole_end]).rstrip("\r\n")

    @property
    def title(self) -> str:
        """The first heading, else the name of the file."""
        return self.headings[0].title if self.headings else self.path.rsplit("/", 1)[-1].removesuffix(".md")


def read_page(path: str, data: bytes) -> Page:
    """Read a page of the bank."""
    document = document_of(decode_text(data))
    parts = part_lines(document, path)  # a hub's line for a part is not a memory
    headings, entries = [], []
    for block, heading in with_headings(document):
        if block.kind is BlockKind.HEADING:
            headings.append(Heading(heading[-1], heading, block.start, block.end))
        elif block.kind in {BlockKind.ITEM, BlockKind.PARAGRAPH} and block.start not in parts:
            is_item = block.kind is BlockKind.ITEM
            first, *others = document.lines[block.start : block.end]
            first = first.removeprefix(MARK)
            lines = [ITEM_MARKER.sub("", first, count=1) if is_item else first, *others]
            memory = parse_memory("\n".join([line.strip(" \t\r\n") for line in lines]))
            entries.append(Entry(memory, block.start, block.end, block.whole_end, heading, block.kind))
    return Page(path, document, tuple(headings), tuple(entries))


read_page_once = lru_cache(maxsize=32)(read_page)
"""Reads a page by its path in the workspace, and caches the result: several steps of a run read a changed page."""


def holds_memories(path: str) -> bool:
    """Whether a page, by its path in the workspace, holds memories: in `bank/_meta/` only the inbox does."""
    page = path.removeprefix("bank/")
    return path.endswith(".md") and (page in {path, INBOX} or not is_own(page))


@dataclass(frozen=True, slots=True)
class MemoryLines:
    """The exact lines of a memory, its page, and the ids of its neighbours under the same heading, nearest first."""

    page: str
    text: str
    heading: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    own: int = 1
    """How many of the lines are its own; the rest is nested in it."""
    before: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    """The ids of the memories nested in it, which go where it goes."""
    is_apart: tuple[bool, bool] | None = None
    """Whether a blank line stands above it, and below it."""


class PageLines:
    """Gives the memories of a page with their lines and neighbours; each is put together when it is asked for."""

    _NEAREST = 8  # neighbours kept on either side: some may be gone when one is needed

    def __init__(self, page: Page) -> None:
        """Note the neighbours of each memory."""
        self._page = page
        self._numbers = {entry.start: number for number, entry in enumerate(page.entries)}
        self._neighbours: list[tuple[list[str], int]] = []  # for each memory: the ids of its level, its place there
        depths = {block.start: block.depth for block in page.document.blocks}
        levels: dict[object, list[str]] = {}
        for entry in page.entries:
            level = levels.setdefault((entry.heading, depths.get(entry.start)), [])
            self._neighbours.append((level, len(level)))
            if entry.memory.id:
                level.append(entry.memory.id)

    def of(self, entry: Entry) -> MemoryLines:
        """One memory of the page."""
        page, number = self._page, self._numbers[entry.start]
        level, before = self._neighbours[number]
        after = before + bool(entry.memory.id)
        following = (page.entries[n] for n in range(number + 1, len(page.entries)))
        nested = takewhile(lambda other: other.start < entry.whole_end, following)
        lines = page.document.lines
        return MemoryLines(
            page.path,
            page.text_of(entry).removeprefix(MARK),
            entry.heading,
            tuple(reversed(level[max(0, before - self._NEAREST) : before])),
            entry.end - entry.start,
            tuple(level[after : after + self._NEAREST]),
            tuple(other.memory.id for other in nested if other.memory.id),
            (
                entry.start > 0 and not lines[entry.start - 1].strip(),
                entry.whole_end < len(lines) and not lines[entry.whole_end].strip(),
            ),
        )


def with_confidence(text: str, confidence: Confidence) -> str:
    """The lines of a memory with another confidence in place of theirs."""
    return _CONFIDENCE.sub(f"({confidence})", text, count=1)


def with_headings(document: Document) -> Iterator[tuple[Block, tuple[str, ...]]]:
    """Each block of a text, with the headings that it stands under, the outermost first; a heading stands under itself."""
    above: list[tuple[int, str]] = []
    heading: tuple[str, ...] = ()
    for block in document.blocks:
        if block.kind is BlockKind.HEADING:
            title = heading_title(document.lines, block)
            above = [(level, name) for level, name in above if level < block.level] + [(block.level, title)]
            heading = tuple(name for _, name in above)
        yield block, heading


def heading_title(lines: tuple[str, ...], block: Block) -> str:
    """The text of a heading block, ATX or setext, without its marks."""
    first = lines[block.start].removeprefix(MARK).rstrip("\r\n")
    if found := _HEADING_TEXT.match(first):
        return found[1].strip()
    return " ".join(line.removeprefix(MARK).strip() for line in lines[block.start : block.end - 1])


EXPLICIT_ID = re.compile(r"[ \t]*\{#([^\s{}]+)\}[ \t]*$")
_OBSIDIAN_MARKS = re.compile(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\s]+")  # what Obsidian's heading links leave out
_INLINE = re.compile(
    r"(?P<tick>`+)(?P<code>.+?)(?<!`)(?P=tick)(?!`)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])"
    r"|<(?P<autolink>[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*)>"
    r"|</?[A-Za-z][^<>]*>"
    r"|\[(?P<text>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\](?:\((?:<[^>]*>|[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)"
    r"|\[[^\[\]]*\])"
    r"|(?<!\w)_(?P<emphasis>\S(?:.*?\S)?)_(?!\w)"
)


def plain_text(title: str) -> str:
    """A heading as it is shown: without marks, link targets, tags and pictures."""
    return html.unescape(_INLINE.sub(_plain, title))


def without_explicit_id(title: str) -> str:
    """The title of a heading without the `{#id}` that some sites put after it."""
    return EXPLICIT_ID.sub("", title)


def github_anchor(title: str) -> str:
    """GitHub's anchor of a heading, before duplicates are numbered."""
    words = {"Nd", "Nl", "Pc"}  # and all kinds of letters and marks
    said = plain_text(title).strip().lower()
    kept = (c for c in said if c in "- " or (kind := unicodedata.category(c))[0] in "LM" or kind in words)
    return "".join(kept).replace(" ", "-")


def obsidian_words(title: str) -> str:
    """The form in which Obsidian compares a heading with a link to it: case folded, without most signs."""
    return _OBSIDIAN_MARKS.sub(" ", unicodedata.normalize("NFC", title)).strip().casefold()


def _plain(found: re.Match[str]) -> str:
    if found["code"] is not None:
        return found["code"].strip() or str(found["code"])
    for name in ("escaped", "autolink"):
        if found[name] is not None:
            return str(found[name])
    for name in ("text", "emphasis"):
        if found[name] is not None:
            return _INLINE.sub(_plain, found[name])
    return ""


_PART_LINE = re.compile(
    r"[-*] \[(?P<title>(?:[^\[\]\\\n]|\\.)*)\]\((?P<target>[^()\s]+\.md)\)(?P<about>: [^\r\n]*)?\r?\n?"
)
_SPECIAL = re.compile(r"([\\\[\]<>*`|#])")
# A part does not inherit these: two pages with the same value would be mistaken for one another, or for the hub.
_OWN_KEYS = frozenset(
    {"title", "aliases", "alias", "id", "uid", "uuid", "slug", "permalink", "url", "redirect_from", "redirect_to"}
    | {"redirects", "description", "summary", "weight", "order", "nav_order", "sidebar_position", "next", "prev"}
)


def parts_folder(hub: str) -> str:
    """The folder of a page's parts."""
    return hub.removesuffix(".md")


def slug_of(title: str, length: int = 48) -> str:
    """The file name for a title, without ending: letters of every script, digits, `-` and `_`; cut at a whole word."""
    kept = re.sub(r"-+", "-", github_anchor(unicodedata.normalize("NFC", without_explicit_id(title)))).strip("-_")
    if len(kept) > length:
        kept = kept[: length + 1].rpartition("-")[0] or kept[:length]
    return kept.strip("-_") or "part"


def slug_of_titles(titles: Sequence[str]) -> str:
    """The file name for a part of several sections: made of the first and the last title."""
    if len(titles) == 1:
        return slug_of(titles[0])
    return "-".join(dict.fromkeys((slug_of(titles[0], 24), slug_of(titles[-1], 24))))


def part_path(hub: str, slug: str, is_taken: Callable[[str], bool], chosen: set[str]) -> str:
    """A path for a part that is not taken yet; it is added to `chosen`.

    When the name is taken anywhere in the bank, the name of the hub goes in front of it, so that links by name stay
    unique.
    """
    longer = f"{slug_of(hub.rpartition('/')[2].removesuffix('.md'), 24)}-{slug}"
    short = [] if slug in {"index", "readme"} else [slug]  # these are pages of a folder itself
    paths = (f"{parts_folder(hub)}/{name}.md" for name in chain(short, [longer], (f"{longer}-{n}" for n in count(2))))
    path = next(path for path in paths if path_key(path) not in chosen and not is_taken(path))
    chosen.add(path_key(path))
    return path


def part_line(hub: str, part: str, title: str, about: str, line_end: str, marker: str = "-") -> str:
    """The hub's line for a part."""
    target = part[len(folder_of(hub)) + 1 :] if folder_of(hub) else part
    target = "".join(f"%{ord(c):02X}" if c in " ()%?#<>" else c for c in target)
    shown = _escaped(title or part.rpartition("/")[2].removesuffix(".md"))
    return f"{marker} [{shown}]({target})" + (f": {_escaped(about)}" if about else "") + line_end


def part_of_line(line: str, hub: str) -> str | None:
    """The part that a line of a hub stands for; None when it is not such a line."""
    found = _PART_LINE.fullmatch(line)
    if found is None:
        return None
    part = f"{folder_of(hub)}/{unquote(found['target'])}".removeprefix("/")
    return part if folder_of(part) == parts_folder(hub) else None


def part_lines(document: Document, hub: str) -> dict[int, str]:
    """The lines of a hub that stand for its parts: line -> path of the part."""
    items = (block for block in document.blocks if block.kind is BlockKind.ITEM and block.end - block.start == 1)
    found = ((block.start, part_of_line(document.lines[block.start], hub)) for block in items)
    return {line: part for line, part in found if part}


def properties_of(document: Document) -> list[tuple[int, str]]:
    """The properties in the front matter that say something: the 0-based line of each, and `key: value` in one line."""
    found: list[tuple[int, str, list[str]]] = []
    first = next(iter(document.blocks), None)
    for number in range(1, first.end - 1) if first and first.kind is BlockKind.FRONT_MATTER else ():
        line = document.lines[number]
        if key := PROPERTY.match(line):
            found.append((number, key[1].strip("\"'"), [line[key.end() :]]))
        elif found and not line.startswith("#"):
            found[-1][2].append(line)
    listed = (
        (number, key, (value.strip().removeprefix("- ").strip("[]\"' ") for value in values))
        for number, key, values in found
    )
    said = (
        (number, key, ", ".join(value for value in values if value not in {"", "|", ">", "|-", ">-"}))
        for number, key, values in listed
    )
    return [(number, f"{key}: {value}") for number, key, value in said if value]


def inherited_front_matter(document: Document) -> str:
    """The front matter that each part gets: all keys but those that only one page may have."""
    if not document.blocks or document.blocks[0].kind is not BlockKind.FRONT_MATTER:
        return ""
    first, *body, last = document.lines[: document.blocks[0].end]
    kept, keeps = [], True
    for line in body:
        if found := PROPERTY.match(line):
            keeps = found[1].strip("\"'").casefold() not in _OWN_KEYS
        if keeps:
            kept.append(line)
    if not any(PROPERTY.match(line) for line in kept):
        return ""
    end = first[len(first.rstrip("\r\n")) :]
    return "".join([first.removeprefix("\ufeff"), *kept, last.rstrip("\r\n") + end])


def line_end_of(document: Document) -> str:
    """The line ending that most lines of a page have."""
    return "\r\n" if 2 * sum(line.endswith("\r\n") for line in document.lines) > len(document.lines) else "\n"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))

"""What a heading says, and the forms in which GitHub and Obsidian compare it with a link.

What bankd writes around the lines that it moves to a part: names, hub lines, front matter, shared definitions.

Everything here differs from what people wrote, so that a merge takes out exactly that.

What a page of the bank says: its title, its headings, its memories and where each stands.

Reading never changes a page; `Page.document.text` is the page as it was.

A memory as it stands in its page: its exact lines, and what is around them.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count, takewhile
from typing import Literal, NamedTuple
from urllib.parse import unquote

from bankd.pages.memory import Confidence, Memory, parse_memory
from bankd.pages.names import INBOX, folder_of, is_own, path_key
from bankd.pages.scanner import Block, BlockKind, Document, decode_text, document_of
from bankd.pages.text import MARK

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
    """What a heading says when it is rendered: no marks, no link targets, no tags, no pictures."""
    return html.unescape(_INLINE.sub(_plain, title))


def without_explicit_id(title: str) -> str:
    """A heading's title without the `{#id}` that some sites let stand behind it."""
    return EXPLICIT_ID.sub("", title)


def github_anchor(title: str) -> str:
    """GitHub's anchor of a heading, before duplicates are numbered."""
    kept = (c for c in plain_text(title).strip().lower() if c in "- " or _is_word(c))
    return "".join(kept).replace(" ", "-")


def obsidian_words(title: str) -> str:
    """The form in which Obsidian compares a heading with a link to it."""
    return _OBSIDIAN_MARKS.sub(" ", unicodedata.normalize("NFC", title)).strip().casefold()


def _plain(found: re.Match[str]) -> str:
    if found["code"] is not None:
        return found["code"].strip() if found["code"].strip() else found["code"]
    for name in ("escaped", "autolink"):
        if found[name] is not None:
            return str(found[name])
    for name in ("text", "emphasis"):
        if found[name] is not None:
            return _INLINE.sub(_plain, found[name])
    return ""


def _is_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" or category in {"Nd", "Nl", "Pc"}


SHARED_MARK = "<!-- definitions shared with the other parts -->"
_PART_LINE = re.compile(
    r"[-*] \[(?P<title>(?:[^\[\]\\\n]|\\.)*)\]\((?P<target>[^()\s]+\.md)\)(?P<about>: [^\r\n]*)?\r?\n?"
)
_KEY = re.compile(r"([^\s#:\-\"'][^:]*?)[ \t]*:(?:\s|$)")
_SPECIAL = re.compile(r"([\\\[\]<>*`|#])")
# Two pages with the same of these would be taken for one another, or claim to be what only the hub is.
_OWN_KEYS = frozenset(
    {"title", "aliases", "alias", "id", "uid", "uuid", "slug", "permalink", "url", "redirect_from", "redirect_to"}
    | {"redirects", "description", "summary", "weight", "order", "nav_order", "sidebar_position", "next", "prev"}
)
_OUTER = frozenset({"index.md", "readme.md"})  # a folder's own page: a part may not become it


def parts_folder(hub: str) -> str:
    """The folder of a page's parts."""
    return hub.removesuffix(".md")


def slug_of(title: str, length: int = 48) -> str:
    """The file name that a title gives, without ending: letters of every script, digits, `-` and `_`, whole words."""
    kept = re.sub(r"-+", "-", github_anchor(unicodedata.normalize("NFC", without_explicit_id(title)))).strip("-_")
    if len(kept) > length:
        kept = kept[: length + 1].rpartition("-")[0] or kept[:length]
    return kept.strip("-_") or "part"


def slug_of_titles(titles: Sequence[str]) -> str:
    """The file name for a part of several sections: its first and its last."""
    if len(titles) == 1:
        return slug_of(titles[0])
    return "-".join(dict.fromkeys((slug_of(titles[0], 24), slug_of(titles[-1], 24))))


def part_path(hub: str, slug: str, is_taken: Callable[[str], bool], chosen: set[str]) -> str:
    """A path for a part that nothing has yet; it is added to `chosen`.

    When the name is taken anywhere in the bank, the hub's name goes in front: links by name stay unique.
    """
    longer = f"{slug_of(hub.rpartition('/')[2].removesuffix('.md'), 24)}-{slug}"
    names = chain([] if f"{slug}.md" in _OUTER else [slug], [longer], (f"{longer}-{n}" for n in count(2)))
    paths = (f"{parts_folder(hub)}/{name}.md" for name in names)
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
    """Which part a line of a hub stands for; None when it is not such a line."""
    found = _PART_LINE.fullmatch(line)
    if found is None:
        return None
    part = f"{folder_of(hub)}/{unquote(found['target'])}".removeprefix("/")
    return part if folder_of(part) == parts_folder(hub) else None


def part_lines(document: Document, hub: str) -> dict[int, str]:
    """The lines of a hub that stand for its parts."""
    items = (block for block in document.blocks if block.kind is BlockKind.ITEM and block.end - block.start == 1)
    found = ((block.start, part_of_line(document.lines[block.start], hub)) for block in items)
    return {line: part for line, part in found if part}


def inherited_front_matter(document: Document) -> str:
    """The front matter that holds for each part: all keys but those that only one page can have."""
    if not document.blocks or document.blocks[0].kind is not BlockKind.FRONT_MATTER:
        return ""
    first, *body, last = document.lines[: document.blocks[0].end]
    kept, keeps = [], True
    for line in body:
        if found := _KEY.match(line):
            keeps = found[1].strip().casefold() not in _OWN_KEYS
        if keeps:
            kept.append(line)
    if not any(_KEY.match(line) for line in kept):
        return ""
    end = first[len(first.rstrip("\r\n")) :]
    return "".join([first.removeprefix("\ufeff"), *kept, last.rstrip("\r\n") + end])


def shared_head(line_end: str) -> str:
    """What stands between the body of a part and the definitions that it shares.

    A body that lacked its final newline is followed by no blank line: so a merge can tell.
    """
    return line_end + SHARED_MARK + line_end


def line_end_of(document: Document) -> str:
    """The line end that most lines of a page have."""
    crlf = sum(line.endswith("\r\n") for line in document.lines)
    return "\r\n" if crlf * 2 > len(document.lines) else "\n"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_HEADING_TEXT = re.compile(r" {0,3}#{1,6}[ \t]*(.*?)(?:[ \t]+#+)?[ \t]*$")


class Entry(NamedTuple):
    """A memory in its page: own lines `start` to `end`, with nested blocks to `whole_end` (0-based, half open)."""

    memory: Memory
    start: int
    end: int
    whole_end: int
    heading: tuple[str, ...]
    kind: Literal["item", "paragraph"]

    @property
    def line(self) -> int:
        """The 1-based line where it begins, as editors count."""
        return self.start + 1


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with the path of the headings around it, itself last."""

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
        """The first heading, else the file's name."""
        return self.headings[0].title if self.headings else self.path.rsplit("/", 1)[-1].removesuffix(".md")


def read_page(path: str, data: bytes) -> Page:
    """Read a page of the bank."""
    document = document_of(decode_text(data))
    reader = _Reader(path, document)
    entries = tuple(reader.entries())
    return Page(path, document, tuple(reader.headings), entries)


@lru_cache(maxsize=32)
def read_page_once(path: str, data: bytes) -> Page:
    """Read a page of the bank by its path in the workspace, once: several steps of a run look at one that changed."""
    return read_page(path, data)


def holds_memories(path: str) -> bool:
    """Whether a page, by its path in the workspace, holds memories: in `bank/_meta/` only the inbox does."""
    page = path.removeprefix("bank/")
    return path.endswith(".md") and (page in {path, INBOX} or not is_own(page))


def heading_title(lines: tuple[str, ...], block: Block) -> str:
    """The text of a heading block, ATX or setext, without its marks."""
    first = lines[block.start].removeprefix(MARK).rstrip("\r\n")
    if found := _HEADING_TEXT.match(first):
        return found[1].strip()
    return " ".join(line.removeprefix(MARK).strip() for line in lines[block.start : block.end - 1])


class _Reader:
    """Walks the blocks once, with the headings that are open at the current one."""

    def __init__(self, path: str, document: Document) -> None:
        self._path, self._document = path, document
        self._open: list[tuple[int, str]] = []
        self._heading: tuple[str, ...] = ()
        self.headings: list[Heading] = []

    def entries(self) -> Iterator[Entry]:
        for block in self._document.blocks:
            if block.kind is BlockKind.HEADING:
                self._enter(block)
            elif block.kind in {BlockKind.ITEM, BlockKind.PARAGRAPH} and not self._stands_for_part(block):
                yield self._entry(block)

    def _enter(self, block: Block) -> None:
        title = heading_title(self._document.lines, block)
        self._open = [(level, name) for level, name in self._open if level < block.level] + [(block.level, title)]
        self._heading = tuple(name for _, name in self._open)
        self.headings.append(Heading(title, self._heading, block.start, block.end))

    def _stands_for_part(self, block: Block) -> bool:
        """A hub's line for a part is a place of the tree, not a memory."""
        is_line = block.kind is BlockKind.ITEM and block.end - block.start == 1
        return is_line and part_of_line(self._document.lines[block.start], self._path) is not None

    def _entry(self, block: Block) -> Entry:
        is_item = block.kind is BlockKind.ITEM
        first, *others = self._document.lines[block.start : block.end]
        first = first.removeprefix(MARK)
        lines = [_MARKER.sub("", first, count=1) if is_item else first, *others]
        memory = parse_memory("\n".join([line.strip(" \t\r\n") for line in lines]))
        return Entry(memory, block.start, block.end, block.whole_end, self._heading, "item" if is_item else "paragraph")


MARKER = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
"""The marker of a list item, which is not part of what it says."""
_NEAREST = 8
"""Neighbours on either side that are remembered: some of them may have gone by the time when one is asked for."""
_CONFIDENCE = re.compile(r"\([ \t]*c[ \t]*=[^()\n]*\)")


@dataclass(frozen=True, slots=True)
class MemoryLines:
    """The exact lines of a memory, the page that holds them, and its neighbours under the same heading, nearest first."""

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
    """The memories of a page as they stand there; each is put together when it is asked for, with all nested in it."""

    def __init__(self, page: Page) -> None:
        """Note who stands beside whom."""
        self._page = page
        self._depths = {block.start: block.depth for block in page.document.blocks}
        self._numbers = {entry.start: number for number, entry in enumerate(page.entries)}
        self._siblings: dict[object, list[str]] = {}
        self._places: list[int] = []
        for entry in page.entries:
            kin = self._kin(entry)
            self._places.append(len(kin))
            if entry.memory.id:
                kin.append(entry.memory.id)

    def _kin(self, entry: Entry) -> list[str]:
        return self._siblings.setdefault((entry.heading, self._depths.get(entry.start)), [])

    def of(self, entry: Entry) -> MemoryLines:
        """One memory of the page."""
        page, number = self._page, self._numbers[entry.start]
        kin, before = self._kin(entry), self._places[number]
        after = before + bool(entry.memory.id)
        following = (page.entries[n] for n in range(number + 1, len(page.entries)))
        nested = takewhile(lambda other: other.start < entry.whole_end, following)
        return MemoryLines(
            page.path,
            "".join(page.document.lines[entry.start : entry.whole_end]).removeprefix(MARK).rstrip("\r\n"),
            entry.heading,
            tuple(reversed(kin[max(0, before - _NEAREST) : before])),
            entry.end - entry.start,
            tuple(kin[after : after + _NEAREST]),
            tuple(other.memory.id for other in nested if other.memory.id),
            (_is_blank(page, entry.start - 1), _is_blank(page, entry.whole_end)),
        )


def _is_blank(page: Page, n: int) -> bool:
    lines = page.document.lines
    return 0 <= n < len(lines) and not lines[n].strip()


def with_confidence(text: str, confidence: Confidence) -> str:
    """The lines of a memory with another confidence in the place of theirs."""
    return _CONFIDENCE.sub(f"({confidence})", text, count=1)

"""What bankd writes around the lines that it moves to a part: names, hub lines, front matter, shared definitions.

Everything here differs from what people wrote, so that a merge takes out exactly that.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import chain, count
from urllib.parse import unquote

from bankd.core.markdown.names import folder_of, path_key
from bankd.core.markdown.scanner import BlockKind, Document
from bankd.core.markdown.titles import github_anchor, without_explicit_id

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

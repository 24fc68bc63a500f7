"""What a memory names: the pages and blocks that it links to, and the memories that were merged into it.

A mention is a line, `kind target`, as it was written: what it leads to is decided when somebody asks, since another
page may take that name at any time.
"""

from __future__ import annotations

from collections.abc import Iterable

from bankd.core.links.linking import link_key
from bankd.core.links.points import block_named
from bankd.core.links.references import Reference, references_of
from bankd.core.markdown.inline import LinkKind, may_name
from bankd.core.markdown.memory import Memory
from bankd.core.markdown.scanner import scan_text

MERGED = "also"
"""The kind of a mention of a memory that was merged into this one; all others are kinds of links."""


def mentions_of(memory: Memory) -> tuple[str, ...]:
    """The mentions of a memory, each once."""
    found = references_of(scan_text(memory.text)) if may_name(memory.text) else ()
    links = (f"{one.kind} {one.target}" for one in found if one.kind is not LinkKind.IMAGE)
    return tuple(dict.fromkeys((*links, *(f"{MERGED} {id_}" for id_ in memory.sources))))


def read_mention(mention: str) -> Reference | str:
    """The link of a mention, or the id of the memory that was merged."""
    kind, _, target = mention.partition(" ")
    return target if kind == MERGED else Reference(LinkKind(kind), 0, 0, 0, target)


def ids_named(mentions: Iterable[str]) -> list[str]:
    """For each mention the id of the memory that it names; empty for one that names none."""
    return [named if isinstance(named, str) else block_named(named) for named in map(read_mention, mentions)]


def words_of(path: str, mentions: Iterable[str]) -> set[str]:
    """The words by which a memory on a page is found as one that mentions: `^id` of a memory, or the last word of a path."""
    found = set()
    for mention in mentions:
        named = read_mention(mention)
        if isinstance(named, str):
            found.add(f"^{named}")
        else:
            found |= {link_key(path, named), *([f"^{block}"] if (block := block_named(named)) else [])}
    return found

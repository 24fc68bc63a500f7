"""How far a reference leads: to nothing, to a file, or to the very point in it that it names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias
from urllib.parse import unquote

from bankd.core.links.linking import Link
from bankd.core.links.references import Reference
from bankd.core.links.relink import fragment_of
from bankd.core.links.resolve import WIKI_KINDS, Target, resolve_reference, split_target
from bankd.core.markdown.anchors import AnchorPlace, Outline, find_place
from bankd.core.markdown.names import Names

_BLOCK = re.compile(r"\^([A-Za-z0-9-]+)")

OutlineOf: TypeAlias = Callable[[str], Outline | None]
"""The places of a Markdown file; None for a file that is not looked into."""


class Reach(IntEnum):
    """How far a reference leads."""

    NOWHERE = 0
    FILE = 1
    POINT = 2


@dataclass(frozen=True, slots=True)
class LinkScene:
    """The files at one moment: their names and the places in them."""

    names: Names
    outline_of: OutlineOf

    def target(self, link: Link) -> Target | None:
        """The file or folder that a reference leads to."""
        return resolve_reference(link.reference, link.source, self.names)

    def reach(self, link: Link) -> Reach:
        """How far a reference leads; a place where none can be looked for is believed."""
        target = self.target(link)
        if target is None:
            return Reach.NOWHERE
        if not target.fragment:
            return Reach.FILE
        if target.is_folder or not target.path.endswith(".md") or _is_top(link.reference, target.fragment):
            return Reach.POINT
        outline = self.outline_of(target.path)
        return Reach.POINT if outline and place_in(outline, link.reference, target) else Reach.FILE


def block_named(reference: Reference) -> str:
    """The id of the block that a reference names by its words; empty when it names none."""
    fragment = split_target(reference.target)[1] or ""
    found = _BLOCK.match(fragment if reference.kind in WIKI_KINDS else unquote(fragment))
    return found[1].lower() if found else ""


def wanted_reach(reference: Reference) -> Reach:
    """How far a reference says that it leads."""
    return Reach.POINT if split_target(reference.target)[1] else Reach.FILE


def _is_top(reference: Reference, fragment: str) -> bool:
    """Whether this is what browsers take for the page itself."""
    return fragment == "top" and reference.kind not in WIKI_KINDS


def place_in(outline: Outline, reference: Reference, target: Target) -> AnchorPlace | None:
    """The place that a reference names in its file."""
    fragment = fragment_of(reference, target, outline)[0]
    return find_place(outline, fragment, is_wiki=reference.kind in WIKI_KINDS)

"""The last check before a layout is carried out: every link that led somewhere still does, every memory is there once.

What it finds wrong is a bug in bankd, not the user's fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from bankd.core.edits.layout import Layout, placed_pieces
from bankd.core.links.references import Reference
from bankd.core.links.relink import Relinked, Source
from bankd.core.links.resolve import WIKI_KINDS, resolve_reference
from bankd.core.markdown.anchors import Outline, find_place, outline_of
from bankd.core.markdown.names import Names
from bankd.core.markdown.pages import read_page
from bankd.core.markdown.scanner import encode_text, scan_text


class LayoutCheck:
    """A layout with the files before and after it."""

    def __init__(
        self, layout: Layout, relinked: Relinked, old: Mapping[str, Source], new: Mapping[str, Source]
    ) -> None:
        """`old` and `new` are the files that the layout reads and writes, with their references."""
        self._layout, self._old, self._new = layout, old, new
        self._after = {**old, **new}
        self._old_lines = {path: _by_line(source) for path, source in old.items()}
        self._lost = {(lost.source, lost.reference) for lost in relinked.lost}
        self._outlines: dict[tuple[bool, str], Outline] = {}

    def findings(self, names: Names) -> list[str]:
        """Every way in which the result would be worse; empty when all is well."""
        after = names.changed(self._layout.gone, self._layout.new_paths)
        findings = []
        there = {path: _by_line(source) for path, source in self._new.items()}
        for path, reference, new_page, line, nth in self._places():
            here = there[new_page].get(line, [])
            if nth >= len(here) or here[nth].kind != reference.kind:
                findings.append(f"{path}:{reference.line + 1}: {reference.target} would not be read back in {new_page}")
            elif self._leads(path, reference, names, is_new=False) and (path, reference) not in self._lost:
                now = self._leads(new_page, here[nth], after, is_new=True)
                if now < self._leads(path, reference, names, is_new=False):
                    findings.append(f"{new_page}:{line + 1}: {here[nth].target} would lead nowhere")
        return findings + self._memories() + self._pages()

    def _places(self) -> Iterator[tuple[str, Reference, str, int, int]]:
        """Every old reference with the line on which it stands afterwards, and its number there."""
        for new_page, piece, first in placed_pieces(self._layout):
            for number, here in self._old_lines.get(piece.source or "", {}).items():
                if piece.start <= number < piece.end:
                    for nth, reference in enumerate(here):
                        yield piece.source or "", reference, new_page.path, first + number - piece.start, nth
        for path in self._old.keys() & self._new.keys() - set(self._layout.new_paths):
            for number, here in self._old_lines[path].items():
                for nth, reference in enumerate(here):
                    yield path, reference, path, number, nth

    def _leads(self, path: str, reference: Reference, names: Names, *, is_new: bool) -> int:
        """0 nowhere, 1 to a file, 2 to a place in it that we can see."""
        target = resolve_reference(reference, path, names)
        if target is None:
            return 0
        files = self._after if is_new else self._old
        if not target.fragment or target.path not in files or not target.path.endswith(".md"):
            return 1
        key = (is_new, target.path)
        if key not in self._outlines:
            self._outlines[key] = outline_of(scan_text("".join(files[target.path].lines)))
        return 1 + (find_place(self._outlines[key], target.fragment, is_wiki=reference.kind in WIKI_KINDS) is not None)

    def _memories(self) -> list[str]:
        before = self._ids(self._layout.sources, self._old)
        after = self._ids(self._layout.new_paths, self._new)
        return [
            f"memory {id_} would stand {after[id_]} times"
            for id_ in sorted(before | after)
            if before[id_] != after[id_]
        ]

    def _pages(self) -> list[str]:
        both = set(self._layout.gone).intersection(self._layout.new_paths)
        return [f"{path}: would be written, and taken away" for path in sorted(both)]

    def _ids(self, paths: frozenset[str] | tuple[str, ...], files: Mapping[str, Source]) -> Counter[str]:
        pages = (read_page(path, encode_text("".join(files[path].lines))) for path in paths)
        return Counter(entry.memory.id for page in pages for entry in page.entries if entry.memory.id)


def _by_line(source: Source) -> dict[int, list[Reference]]:
    found: dict[int, list[Reference]] = {}
    for reference in source.references:
        found.setdefault(reference.line, []).append(reference)
    return found

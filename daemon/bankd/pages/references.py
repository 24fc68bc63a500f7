"""Finds every reference of a file to a page, with its line and columns, and the definitions of a page.

Markdown is read block by block, other files as text that may name paths of the bank. Fences, indented code and HTML
comments hold no references.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from bankd.pages.inline import LinkKind, TargetSpan, bare_paths, may_name, spans_in
from bankd.pages.scanner import QUOTE_MARK, Block, BlockKind, Document, Lines, split_lines, walk_blocks


@dataclass(frozen=True, slots=True)
class Reference:
    """A target as written, its line (0-based) and its columns there.

    `is_angled`: it stands alone in marks that show where it ends (angle brackets, quotes, a code span).
    """

    kind: LinkKind
    line: int
    start: int
    end: int
    target: str
    is_angled: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """A reference definition or footnote of a page: its folded label and its lines."""

    label: str
    start: int
    end: int


_OPAQUE = frozenset({BlockKind.FENCE, BlockKind.CODE, BlockKind.COMMENT, BlockKind.BLANK, BlockKind.RULE})
_DEFINITION = re.compile(r"[ \t]{0,3}\[((?:[^\[\]\\]|\\.)+)\]:\s*(?:<((?:[^<>\n\\]|\\.)*)>|(\S+))")
_NOTE_MARK = re.compile(r"[ \t]{0,3}\[\^([^\]\s]+)\]:[ \t]*")
_NOTE_INDENT = re.compile(r"(?:\t| {1,4})?")
_NESTING = {BlockKind.QUOTE: (QUOTE_MARK, QUOTE_MARK), BlockKind.FOOTNOTE: (_NOTE_MARK, _NOTE_INDENT)}
_PROPERTY_LINK = re.compile(r"\[\[([^\[\]\n|,]+)(?:\|[^\[\]\n]*)?\]\]")
_QUOTED_PATH = re.compile(r"([\"'])((?:[^\"'\n]*/)?(?:bank|archive)/[^\"'\n]*?\.md(?:#[^\"'\n]*)?)\1")
_ROUTE_TARGET = re.compile(
    r"(?<=\")[^\"\n]+\.md(?=\")|(?<=')[^'\n]+\.md(?=')"
    r"|(?<![^\s\[{,])[^\s\"'\[\]{},:#-][^\[\]{},:#\n]*?\.md(?![^\s\[\]{},])"
)  # in quotes; or without, as YAML takes it: with spaces, up to a character that ends a value


def references_of(document: Document) -> tuple[Reference, ...]:
    """Find the references of a Markdown text, but not where it uses its own definitions."""
    return tuple(found for found in _found_in(document) if found.kind not in {LinkKind.LABEL, LinkKind.NOTE})


def references_in_text(text: str) -> tuple[Reference, ...]:
    """Find the paths of the bank that a YAML, JSON, TOML, shell or Python file names."""
    found = []
    for number, line in enumerate(split_lines(text)):
        quoted = [TargetSpan(LinkKind.BARE, *match.span(2), is_angled=True) for match in _QUOTED_PATH.finditer(line)]
        outside = [span for span in bare_paths(line) if not any(q.start <= span.start < q.end for q in quoted)]
        found += [_reference(span, number, line) for span in sorted([*quoted, *outside], key=lambda span: span.start)]
    return tuple(found)


def route_targets(text: str) -> tuple[Reference, ...]:
    """Find the pages that a file of routing rules names, relative to `bank/`."""
    found = []
    for number, line in enumerate(split_lines(text)):
        if not line.lstrip().startswith("#"):
            for match in _ROUTE_TARGET.finditer(line):
                is_quoted = line[: match.start()].endswith(("'", '"'))
                found.append(_reference(TargetSpan(LinkKind.ROUTE, *match.span(), is_quoted), number, line))
    return tuple(found)


def label_uses(document: Document) -> tuple[tuple[str, int], ...]:
    """The definitions and footnotes (`^label`) that a page uses, defined or not, each with the line that uses it."""
    kinds = {LinkKind.LABEL: "", LinkKind.NOTE: "^"}
    found = (item for item in _found_in(document) if item.kind in kinds)
    return tuple((kinds[item.kind] + fold_label(item.target), item.line) for item in found)


def definitions_of(document: Document) -> tuple[Definition, ...]:
    """The reference definitions and footnotes (`^label`) of a page; the first of a label counts."""
    found: dict[str, Definition] = {}
    for block in document.blocks:
        text = "".join(document.lines[block.start : block.end]).lstrip(" \t")
        if block.kind is BlockKind.REFERENCE and (match := _DEFINITION.match(text)):
            label = fold_label(match[1])
        elif block.kind is BlockKind.FOOTNOTE and (match := _NOTE_MARK.match(text)):
            label = "^" + fold_label(match[1])
        else:
            continue
        found.setdefault(label, Definition(label, block.start, block.end))
    return tuple(found.values())


def fold_label(label: str) -> str:
    """The form in which labels are compared."""
    return re.sub(r"\s+", " ", label).strip().casefold()


def _found_in(document: Document) -> Iterator[Reference]:
    for block, layer in walk_blocks(document, _NESTING) if may_name(document.text) else ():
        if block.kind not in _OPAQUE:
            for found in _READERS.get(block.kind, _in_block)(layer.lines, block):
                line, column = layer.first + found.line, layer.columns[found.line]  # from the layer to the whole text
                yield replace(found, line=line, start=found.start + column, end=found.end + column)


def _in_block(lines: Lines, block: Block) -> Iterator[Reference]:
    return _in_lines(lines, block.start, block.end, spans_in)


def _in_table(lines: Lines, block: Block) -> Iterator[Reference]:
    return chain.from_iterable(_in_lines(lines, n, n + 1, spans_in) for n in range(block.start, block.end))


def _in_front_matter(lines: Lines, block: Block) -> Iterator[Reference]:
    """Obsidian takes quoted wikilinks in properties for links; people leave the quotes out."""
    for number in range(block.start, block.end):
        for found in _PROPERTY_LINK.finditer(lines[number]):
            yield _reference(TargetSpan(LinkKind.WIKI, *found.span(1)), number, lines[number])


def _in_definition(lines: Lines, block: Block) -> Iterator[Reference]:
    def target_in(text: str) -> Iterator[TargetSpan]:
        if found := _DEFINITION.match(text, len(text) - len(text.lstrip(" \t"))):
            group = 2 if found[2] is not None else 3
            yield TargetSpan(LinkKind.DEFINITION, *found.span(group), is_angled=group == 2)

    return _in_lines(lines, block.start, block.end, target_in)


def _in_lines(lines: Lines, start: int, end: int, find: Callable[[str], Iterator[TargetSpan]]) -> Iterator[Reference]:
    """The targets that are found in the text of some lines; a target never goes over the end of a line."""
    number, line_start = start, 0
    for span in sorted(find("".join(lines[start:end])), key=lambda span: span.start):
        while span.start >= line_start + len(lines[number]):
            line_start += len(lines[number])
            number += 1
        moved = TargetSpan(span.kind, span.start - line_start, span.end - line_start, span.is_angled)
        yield _reference(moved, number, lines[number])


def _reference(span: TargetSpan, number: int, line: str) -> Reference:
    return Reference(span.kind, number, span.start, span.end, line[span.start : span.end], span.is_angled)


_READERS: dict[BlockKind, Callable[[Lines, Block], Iterator[Reference]]] = {
    BlockKind.FRONT_MATTER: _in_front_matter,
    BlockKind.REFERENCE: _in_definition,
    BlockKind.TABLE: _in_table,
}

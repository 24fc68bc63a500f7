"""Finds the links of a text and of a whole file: every target with its place, and the definitions of a page.

`spans_in` reads the running text of one block: CommonMark's brackets, Obsidian's wikilinks, HTML attributes, paths; code
spans and comments hide what they hold. `references_of` reads Markdown block by block; fences, indented code and HTML
comments hold no references. Other files are read as text that may name paths of the bank. `resolve` decides what a target
leads to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain

from bankd.pages.scanner import QUOTE_MARK, Block, BlockKind, Document, Lines, split_lines, walk_blocks


class LinkKind(StrEnum):
    """The ways in which a text names a page or a definition."""

    INLINE = "inline"
    IMAGE = "image"
    DEFINITION = "definition"
    WIKI = "wiki"
    EMBED = "embed"
    HTML = "html"
    BARE = "bare"
    ROUTE = "route"  # the target of a routing rule, relative to bank/
    LABEL = "label"  # `[text][label]`: names a definition of its own page, never rewritten
    NOTE = "note"  # `[^label]`


@dataclass(frozen=True, slots=True)
class TargetSpan:
    """A target inside a text, without the marks around it; `is_angled` if these marks show where it ends."""

    kind: LinkKind
    start: int
    end: int
    is_angled: bool = False


_TOKEN = re.compile(
    r"\\[!-/:-@\[-`{-~]"
    r"|(?P<ticks>`+)"
    r"|<!--.*?-->"
    r"|<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>"
    r"|(?P<tag></?[A-Za-z](?:[^<>\"']|\"[^\"]*\"|'[^']*'){0,2000}>)"
    r"|(?P<wiki>!?\[\[(?P<inner>[^\[\]\n]+)\]\](?!\())"
    r"|(?P<open>!?\[)"
    r"|(?P<close>\])",
    re.DOTALL,
)
_MAY_NAME = re.compile(r"[\[<`]|\.md|bank/")
"""A text with a target has one of these characters; most memories have none."""
_SPACE = r"(?:[ \t]*\n?[ \t>]*)"
_DESTINATION = re.compile(
    r"\(" + _SPACE + r"(?:<(?P<angled>(?:[^<>\n\\]|\\.)*)>"
    r"|(?!<)(?P<plain>(?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))*\))*))"
    r"(?:[ \t\n>]+(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?" + _SPACE + r"\)"
)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]")
_ATTRIBUTE = re.compile(r"\s(?:href|src)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_ALIAS = re.compile(r"\\?\|")
_SEGMENT = r"[^\s/\\`'\"<>()\[\]{}|,;:*?#!$]+"
_PREFIX = r"(?:\$\{?\w+\}?/|(?:\.{1,2}/)+|/)?"
_FRAGMENT = r"(?:#[^\s`'\"<>()\[\]{}|,;*]+)?"
_PAGE_PATH = rf"{_PREFIX}(?:{_SEGMENT}/)+[^\s/\\`'\"<>()\[\]{{}}|,;:*?#!]*?\.md(?![A-Za-z0-9_/-]){_FRAGMENT}"
_FOLDER_PATH = rf"{_PREFIX}(?:{_SEGMENT}/)*bank(?:/{_SEGMENT})+/?"
_BARE = re.compile(rf"(?<![A-Za-z0-9_./:@%+$~-])(?:{_PAGE_PATH}|{_FOLDER_PATH})")
_WHOLE_PATH = re.compile(r"\s*((?:[^\s#/][^#\n/]*/)+[^#\n/]*\.md(?:#[^\n]*?)?)\s*")


def may_name(text: str) -> bool:
    """Whether a text may have a target: a quick test, so that most lines need not be scanned."""
    return _MAY_NAME.search(text) is not None


def spans_in(text: str) -> Iterator[TargetSpan]:
    """Find every target in running text, in the order in which the links end."""
    return _Scanner(text).spans() if may_name(text) else iter(())


def without_targets(text: str) -> str:
    """A text without its link targets: two texts that differ only in these become equal."""
    for span in sorted(spans_in(text), key=lambda span: -span.start):
        if span.kind not in {LinkKind.LABEL, LinkKind.NOTE}:
            text = text[: span.start] + text[span.end :]
    return text


def bare_paths(text: str, start: int = 0, end: int | None = None) -> Iterator[TargetSpan]:
    """Find the paths of pages and of folders of the bank that stand in a text as whole words."""
    for found in _BARE.finditer(text, start, len(text) if end is None else end):
        path = found.group().rstrip(".:")  # these belong to the sentence
        yield TargetSpan(LinkKind.BARE, found.start(), found.start() + len(path))


def is_bare_path(text: str, *, is_angled: bool) -> bool:
    """Whether a path is found again where it is written: in running text, or (`is_angled`) alone in code or quotes."""
    alone = _WHOLE_PATH.fullmatch(text) if is_angled else None
    return alone is not None or [(span.start, span.end) for span in bare_paths(text)] == [(0, len(text))]


class _Scanner:
    """One pass over a text with the brackets that are open."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._free = 0  # where the text that belongs to no construct begins
        self._open: list[tuple[int, bool]] = []  # after the bracket, whether it opens a picture
        self._unclosed_ticks: set[int] = set()  # lengths of backtick runs that nothing closes

    def spans(self) -> Iterator[TargetSpan]:
        n = 0
        while found := _TOKEN.search(self._text, n):
            n = found.end()
            if found["open"]:
                self._open.append((n, found["open"] == "!["))
                continue
            yield from bare_paths(self._text, self._free, found.start())
            self._free = n
            if found["ticks"]:
                end = self._code_end(len(found["ticks"]), n)
                yield from self._in_code(n, end) if end > n else ()
                self._free = n = end
            elif found["tag"]:
                for attribute in _ATTRIBUTE.finditer(self._text, found.start(), n):
                    yield TargetSpan(LinkKind.HTML, *attribute.span(1 if attribute[1] is not None else 2))
            elif found["wiki"]:
                target = _ALIAS.split(found["inner"], maxsplit=1)[0]
                start = found.start("inner") + len(target) - len(target.lstrip())
                kind = LinkKind.EMBED if found["wiki"].startswith("!") else LinkKind.WIKI
                yield TargetSpan(kind, start, found.start("inner") + len(target.rstrip()))
            elif found["close"] and self._open:
                yield self._closed(found.start())
                n = self._free
        yield from bare_paths(self._text, self._free)

    def _code_end(self, ticks: int, start: int) -> int:
        """The end of a code span that a run of this many backticks opens; `start` (the end of the run) if nothing closes it."""
        if ticks not in self._unclosed_ticks:
            if closer := re.compile(rf"(?<!`)`{{{ticks}}}(?!`)").search(self._text, start):
                return closer.end()
            self._unclosed_ticks.add(ticks)
        return start

    def _in_code(self, start: int, end: int) -> Iterator[TargetSpan]:
        end = start + len(self._text[start:end].rstrip("`"))
        if whole := _WHOLE_PATH.fullmatch(self._text, start, end):
            yield TargetSpan(LinkKind.BARE, *whole.span(1), is_angled=True)
        else:
            yield from bare_paths(self._text, start, end)

    def _closed(self, at: int) -> TargetSpan:
        """The meaning of the brackets that end here: a link, a footnote, a use of a definition, or nothing."""
        start, is_image = self._open.pop()
        if destination := _DESTINATION.match(self._text, at + 1):
            self._free = destination.end()
            group = "angled" if destination["angled"] is not None else "plain"
            if not is_image:  # a link holds no link: outer brackets are plain text
                self._open = [(before, is_picture) for before, is_picture in self._open if is_picture]
            kind = LinkKind.IMAGE if is_image else LinkKind.INLINE
            return TargetSpan(kind, *destination.span(group), is_angled=group == "angled")
        if self._text.startswith("^", start):
            return TargetSpan(LinkKind.NOTE, start + 1, at)
        label = _LABEL.match(self._text, at + 1)
        self._free = label.end() if label else at + 1
        return TargetSpan(LinkKind.LABEL, *(label.span(1) if label and label[1].strip() else (start, at)))


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
_PROPERTY_TARGET = re.compile(r"\[[^\[\]\n]+\]\(([^()\s:]+)\)")
_QUOTED_PATH = re.compile(r"([\"'])((?:[^\"'\n]*/)?(?:bank|archive)/[^\"'\n]*?\.md(?:#[^\"'\n]*)?)\1")
_CALLED = re.compile(r"\b(?:link|file|hasLink)\(\s*\\?[\"']([^\"'\\\n]+)(?<!\.md)(?=\\?[\"'])")
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


def targets_of_obsidian(text: str) -> tuple[Reference, ...]:
    """Find the pages that a `.canvas` or `.base` names: paths in quotes, and names in `link("x")` or `file.hasLink("x")`."""
    called = (
        _reference(TargetSpan(LinkKind.WIKI, *match.span(1), is_angled=True), number, line)
        for number, line in enumerate(split_lines(text))
        for match in _CALLED.finditer(line)
    )
    return (*(one for one in route_targets(text) if one.is_angled), *called)


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
        for found in _PROPERTY_TARGET.finditer(lines[number]):
            yield _reference(TargetSpan(LinkKind.INLINE, *found.span(1)), number, lines[number])


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

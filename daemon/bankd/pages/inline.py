"""Finds the links in the running text of one block: CommonMark's brackets, Obsidian's wikilinks, HTML attributes, paths.

Code spans and comments hide what they hold. `resolve` decides what a target leads to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


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
"""Every text that names something has one of these; most memories have none."""
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
        """Where the code span ends that a run of so many backticks opens; `start`, the end of the run, when none does."""
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
        """What the pair of brackets that ends here is: a link, a footnote, or a use of a definition (or just brackets)."""
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

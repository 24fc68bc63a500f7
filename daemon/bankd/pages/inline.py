"""Where the links of a piece of running text are: CommonMark's brackets, Obsidian's wikilinks, HTML attributes.

Works on the text of one block; code spans and comments hide what they hold. What a target means is decided in
`resolve`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class LinkKind(StrEnum):
    """The ways in which a text can name a page, and how it calls a definition."""

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
    """A target inside a text, without the marks around it; `is_angled` says that these tell where it ends."""

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
"""What is in every text that names something; most memories name nothing."""
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
    """Whether a text may have a target at all: a quick test that spares reading most lines."""
    return _MAY_NAME.search(text) is not None


def spans_in(text: str) -> Iterator[TargetSpan]:
    """Find every target in running text, in the order in which the links end."""
    return _Scanner(text).spans() if may_name(text) else iter(())


def without_targets(text: str) -> str:
    """A text with its targets left out: what it says, wherever it stands."""
    hidden = {LinkKind.LABEL, LinkKind.NOTE}
    for span in sorted(spans_in(text), key=lambda span: -span.start):
        if span.kind not in hidden:
            text = text[: span.start] + text[span.end :]
    return text


def bare_paths(text: str, start: int = 0, end: int | None = None) -> Iterator[TargetSpan]:
    """Find the paths of pages and of folders of the bank that stand in a text as whole tokens."""
    for found in _BARE.finditer(text, start, len(text) if end is None else end):
        yield TargetSpan(LinkKind.BARE, *_without_full_stop(text, found.start(), found.end()))


def is_bare_path(text: str, *, is_angled: bool) -> bool:
    """Whether a path would be read back where one stands: in running text, or alone in a code span or quotes."""
    alone = _WHOLE_PATH.fullmatch(text) if is_angled else None
    return alone is not None or [(span.start, span.end) for span in bare_paths(text)] == [(0, len(text))]


def _without_full_stop(text: str, start: int, end: int) -> tuple[int, int]:
    """A sentence's own full stop or colon does not belong to the path that ends it."""
    while text[end - 1] in ".:":
        end -= 1
    return start, end


class _Scanner:
    """One pass over a text with the brackets that are open."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._free = 0  # where the text that belongs to no construct begins
        self._open: list[tuple[int, bool]] = []  # after the bracket, whether it opens a picture
        self._hidden_ticks: set[int] = set()  # lengths of backtick runs that nothing closes

    def spans(self) -> Iterator[TargetSpan]:
        n = 0
        while found := _TOKEN.search(self._text, n):
            n = found.end()
            if found["open"]:
                self._open.append((n, found["open"] == "!["))
                continue
            yield from self._flush(found.start())
            self._free = n
            if found["ticks"]:
                end = self._code_end(found)
                yield from self._code(n, end) if end > n else ()
                self._free = n = end
            elif found["tag"]:
                yield from _attributes(found)
            elif found["wiki"]:
                yield _wiki(found)
            elif found["close"]:
                yield from self._close(found.start())
                n = self._free
        yield from self._flush(len(self._text))

    def _flush(self, end: int) -> Iterator[TargetSpan]:
        return bare_paths(self._text, self._free, end)

    def _code_end(self, found: re.Match[str]) -> int:
        """Where the code span ends that this backtick run opens; the run itself when nothing closes it."""
        length = len(found["ticks"])
        if length not in self._hidden_ticks:
            closer = re.compile(rf"(?<!`)`{{{length}}}(?!`)").search(self._text, found.end())
            if closer:
                return closer.end()
            self._hidden_ticks.add(length)
        return found.end()

    def _code(self, start: int, end: int) -> Iterator[TargetSpan]:
        inner_end = end
        while self._text[inner_end - 1] == "`":
            inner_end -= 1
        if whole := _WHOLE_PATH.fullmatch(self._text, start, inner_end):
            yield TargetSpan(LinkKind.BARE, whole.start(1), whole.end(1), is_angled=True)
        else:
            yield from bare_paths(self._text, start, inner_end)

    def _close(self, at: int) -> Iterator[TargetSpan]:
        """Decide what the bracket pair that ends here is: a link, a use of a definition, or just brackets."""
        if not self._open:
            return
        start, is_image = self._open.pop()
        if destination := _DESTINATION.match(self._text, at + 1):
            self._free = destination.end()
            group = "angled" if destination["angled"] is not None else "plain"
            kind = LinkKind.IMAGE if is_image else LinkKind.INLINE
            yield TargetSpan(kind, destination.start(group), destination.end(group), group == "angled")
            if not is_image:  # a link holds no link: outer brackets are plain text
                self._open = [(before, is_picture) for before, is_picture in self._open if is_picture]
            return
        if self._text.startswith("^", start):
            yield TargetSpan(LinkKind.NOTE, start + 1, at)
            return
        label = _LABEL.match(self._text, at + 1)
        self._free = label.end() if label else at + 1
        named = label if label and label[1].strip() else None
        yield (
            TargetSpan(LinkKind.LABEL, named.start(1), named.end(1)) if named else TargetSpan(LinkKind.LABEL, start, at)
        )


def _attributes(found: re.Match[str]) -> Iterator[TargetSpan]:
    for attribute in _ATTRIBUTE.finditer(found["tag"]):
        group = 1 if attribute[1] is not None else 2
        offset = found.start("tag")
        yield TargetSpan(LinkKind.HTML, offset + attribute.start(group), offset + attribute.end(group))


def _wiki(found: re.Match[str]) -> TargetSpan:
    inner = found["inner"]
    alias = _ALIAS.search(inner)
    target = inner[: alias.start()] if alias else inner
    start = found.start("inner") + len(target) - len(target.lstrip())
    kind = LinkKind.EMBED if found["wiki"].startswith("!") else LinkKind.WIKI
    return TargetSpan(kind, start, found.start("inner") + len(target.rstrip()))

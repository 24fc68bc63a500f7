"""The Retain lines of a log: which lines its writer wants remembered, and which were meant to be but are wrong.

A bad line is a value with its place, never an exception. Whether a line was read before is the ledger's business.

A Retain line from what a person typed: with its tag, on one line, and one that the next run will understand.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from bankd.errors import UsageError
from bankd.pages.memory import Confidence, Memory, TagHead, memory_id, parse_head, statement_of
from bankd.pages.page import heading_title
from bankd.pages.scanner import Block, BlockKind, Document, scan_text
from bankd.pages.text import MARK, is_utf8

if TYPE_CHECKING:
    from bankd.secrets.screening import Finder

PROFILES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "default": MappingProxyType({"W": "world", "B": "behaviour", "O": "opinion", "S": "self"}),
        "openclaw": MappingProxyType({"W": "world", "B": "experience", "O": "opinion", "S": "observation (summary)"}),
    }
)
"""What each tag of a log means, by profile; B and S differ between the tools that write Retain lines."""

MAX_LINE_BYTES = 64 * 1024
"""Longer lines are no statement of a person or an agent; they stay in the log and are reported."""

_DAY = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_ESCAPE_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x1b\\|\x07|$)|\x1b[@-Z\\-_]|\x9b[0-?]*[ -/]*[@-~]", re.DOTALL
)  # CSI, then OSC/DCS/SOS/PM/APC strings, then two-character escapes: ECMA-48, section 5
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_MEANT = re.compile(
    r"[WBOSwbos][ \t]*[(\[{][ \t]*c[ \t]*="  # a confidence, whatever comes after it
    r"|[WBOS](?:[ \t]*：|(?:[ \t]+c[ \t]*=[ \t]*\d|[ \t]+@\S|@[\w-]+(?=[ \t:：]))[^\n]*?(?:：|:(?=\s|$)))"
)
"""A tag with what only a Retain line has, although the grammar does not read it; `- A: …` and `- S and P: …` are prose."""
_TAGGED = r"[WBOS](?:\([^()\n]*\))?(?:[ \t]+@[^\s:]+)*[ \t]*:"
_TIGHT_MARKER = re.compile(rf"^([ \t]*-)(?={_TAGGED}(?:\s|$))", re.MULTILINE)
"""`-W: text`, which Markdown takes for a paragraph: nobody writes that but for a list item."""
_TIGHT_TEXT = re.compile(rf"({_TAGGED})(?=[^\s/\d])")
"""`W:text`; of one word, and where nothing is to be retained, it may be a ratio, and before a digit a time."""
_QUESTION = re.compile(r"\?[ \t]+(?P<text>\S.*)")
"""A line below a Retain line that says what it answers; a line of the text itself does not begin so."""
_NO_PROSE = {BlockKind.BLANK, BlockKind.FRONT_MATTER, BlockKind.COMMENT, BlockKind.RULE, BlockKind.REFERENCE}
_NOTES = re.compile(
    r"(?:[ \t]*<!--[ \t]*(?:importance|trigger|project|source|refused|proposed)[ \t]*:(?:(?!-->).)*-->)+[ \t]*$"
)
"""What OpenClaw notes at the end of a line for itself, and bankd of a line that a model wrote: no part of what it says."""
_DOUBTED = re.compile(r"<!--[ \t]*(?P<kind>refused|proposed):[ \t]*(?P<reason>(?:(?!-->).)*?)[ \t]*-->")
_ACCEPT = "bankctl inbox accept {place} takes it in"
"""What to do with a line that is right all the same."""
BAD, REFUSED, PROPOSED = "bad", "refused", "proposed"
"""Why a line waits: it cannot be read; a model wrote it and was not believed; a model or a rule only proposes it."""
_UNTAGGED = "no tag; write it as `- W: text`, with W, B, O or S"
_TIGHT = "no space after the colon; write it as `- W: text`"
_UNREAD = "what stands before the text cannot be read; write it as `- O(c=0.90) @Name: text`"


@dataclass(frozen=True, slots=True, order=True)
class LogPlace:
    """A line of a log: its path below `memory/` and its 1-based number."""

    log: str
    line: int

    def day(self, today: date) -> date:
        """The day that the name of the log has last; today where it has none, or one that is still to come."""
        for found in reversed(_DAY.findall(self.log)):
            with suppress(ValueError):
                return min(date.fromisoformat(found), today)
        return today

    def __str__(self) -> str:
        """Render as editors open it, relative to the workspace."""
        return f"memory/{self.log}:{self.line}"


@dataclass(frozen=True, slots=True)
class RetainLine:
    """A tagged line of a log; `id` is that of the memory it becomes, whatever questions stand below it."""

    place: LogPlace
    memory: Memory
    occurrence: int
    id: str
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was meant to be remembered but cannot be read, why, and its text as far as it is known."""

    place: LogPlace
    reason: str
    text: str = ""
    kind: str = BAD

    @property
    def key(self) -> str:
        """What stays the same until the line is edited, wherever it moves."""
        said = self.text or str(self.place)
        return f"bad-{sha256(said.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}"

    def screened(self, finders: Sequence[Finder] = ()) -> BadLine:
        """The line as it may be shown: credentials are masked in its text, and in the reason, which may quote it."""
        from bankd.secrets.screening import find_secrets, mask_secrets  # noqa: PLC0415 -- a query shows none

        secrets, reason = find_secrets(self.text, finders), self.reason
        for secret in secrets:
            reason = reason.replace(self.text[secret.start : secret.end], f"[{secret.kind}]")
        return replace(self, text=mask_secrets(self.text, secrets), reason=reason)


@dataclass(frozen=True, slots=True)
class LogReading:
    """What one log says; `unended` is its last Retain line, or bad line, when no line break ends it."""

    log: str
    lines: tuple[RetainLine, ...]
    bad: tuple[BadLine, ...]
    unended: LogPlace | None = None
    prose: int = 0
    """Lines that are neither of these, nor empty, headings or comments: search finds them, nobody takes them in."""
    was: str = ""

    @property
    def identity(self) -> str:
        """The name under which the log was first read."""
        return self.was or self.log


def read_log(log: str, text: str, *, anywhere: bool) -> LogReading:
    """Read the Retain lines of a log."""
    reader = _LogReader(log, scan_text(_TIGHT_MARKER.sub(r"\1 ", text.removeprefix(MARK))), anywhere)
    found = list(reader.read())
    bad = tuple(item for item in found if isinstance(item, BadLine))
    tagged = [item for item in found if not isinstance(item, BadLine)]
    return LogReading(log, tuple(_identify(log, tagged)), bad, reader.unended, reader.prose)


def without_unended(reading: LogReading) -> LogReading:
    """The same reading as long as its last line may still be being written."""
    lines = tuple(line for line in reading.lines if line.place != reading.unended)
    return replace(reading, lines=lines, bad=tuple(bad for bad in reading.bad if bad.place != reading.unended))


def identified_as(reading: LogReading, identity: str) -> LogReading:
    """The same reading with the ids that its lines have under the name the log was first read by."""
    if identity == reading.log:
        return reading
    tagged = [_Tagged(line.place, line.memory, line.questions) for line in reading.lines]
    return replace(reading, lines=tuple(_identify(identity, tagged)), was=identity)


class _Tagged(NamedTuple):
    """A tagged line before it has an id."""

    place: LogPlace
    memory: Memory
    questions: tuple[str, ...]


def _identify(identity: str, tagged: list[_Tagged]) -> Iterator[RetainLine]:
    seen: Counter[str] = Counter()
    for place, memory, questions in tagged:
        statement = statement_of(memory)
        id_ = memory_id(identity, statement, seen[statement])
        yield RetainLine(place, memory, seen[statement], id_, questions)
        seen[statement] += 1


def clean_text(text: str) -> str:
    """Unescape HTML entities, then drop terminal escapes and control characters."""
    unescaped = html.unescape(text)
    return _CONTROL.sub(" ", _ESCAPE_SEQUENCE.sub("", unescaped)).strip()


class _LogReader:
    """Walks the list items of one log, knowing whether the current one stands under a heading `Retain`."""

    def __init__(self, log: str, document: Document, anywhere: bool) -> None:
        self._log = log
        self._document = document
        self._anywhere = anywhere
        self._retain_level = 0
        self.unended: LogPlace | None = None
        self.prose = 0

    def read(self) -> Iterator[_Tagged | BadLine]:
        for block in self._document.blocks:
            if block.kind is BlockKind.HEADING:
                self._enter(block)
            elif block.kind is BlockKind.ITEM and (found := self._item(block)):
                if not self._document.lines[block.end - 1].endswith("\n"):
                    self.unended = LogPlace(self._log, block.start + 1)
                yield found
            elif block.kind not in _NO_PROSE:
                self.prose += sum(bool(line.strip()) for line in self._document.lines[block.start : block.end])

    def _enter(self, block: Block) -> None:
        if heading_title(self._document.lines, block).strip().rstrip(":").casefold() == "retain":
            self._retain_level = block.level
        elif block.level <= self._retain_level:
            self._retain_level = 0

    def _item(self, block: Block) -> _Tagged | BadLine | None:
        place = LogPlace(self._log, block.start + 1)
        raw, questions = _part_questions([line.strip() for line in self._document.lines[block.start : block.end]])
        text = _MARKER.sub("", raw[0] + " ", count=1).strip() + "".join("\n" + line for line in raw[1:])
        if self._retain_level:
            text = _TIGHT_TEXT.sub(r"\1 ", text, count=1) if _TIGHT_TEXT.match(text) else text
        head = parse_head(text)
        if self._is_prose(block, text, head):
            return None
        problem = _problem_of(text, head)
        if problem is not None or head is None:
            return BadLine(place, problem or _UNTAGGED, _NOTES.sub("", text))
        if doubt := _DOUBTED.search(text):
            return BadLine(place, _tell_doubt(doubt, place), _NOTES.sub("", text), doubt["kind"])
        return _Tagged(place, _memory_of(head, text), questions)

    def _is_prose(self, block: Block, text: str, head: TagHead | None) -> bool:
        """Tell a list item of ordinary prose from a line that was meant to be retained."""
        if not self._retain_level and not self._anywhere:
            return True
        if _MEANT.match(text) or (_TIGHT_TEXT.match(text) and " " in text):
            return False
        if self._retain_level:
            return block.depth > 0 and head is None  # details under a Retain line
        return head is None or head.tag not in PROFILES["default"]


def _part_questions(lines: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """The lines of an item without the questions below it, and these."""
    found = [_QUESTION.fullmatch(line) for line in lines[1:]]
    text = [line for line, question in zip(lines[1:], found, strict=True) if question is None]
    return [*lines[:1], *text], tuple(clean_text(question["text"]) for question in found if question)


def _problem_of(text: str, head: TagHead | None) -> str | None:
    if not is_utf8(text):
        return "bytes that are not UTF-8; save the log as UTF-8"
    if len(text.encode("utf-8", "surrogateescape")) > MAX_LINE_BYTES:
        return f"longer than {MAX_LINE_BYTES // 1024} KiB; shorten it"
    if head is None:
        return _TIGHT if _TIGHT_TEXT.match(text) else _UNREAD if _MEANT.match(text) else _UNTAGGED
    if head.tag not in PROFILES["default"]:
        return f"unknown tag {head.tag[:20]}; use W, B, O or S"
    if head.problem is None and not clean_text(text[head.length :]):
        return "a tag without a text"
    return head.problem


def _tell_doubt(doubt: re.Match[str], place: LogPlace) -> str:
    """Why a line that a model wrote is not believed, or by which rule it is only proposed."""
    what = {REFUSED: "not believed", PROPOSED: "proposed"}[doubt["kind"]]
    return f"{what}: {doubt['reason']}; {_ACCEPT.format(place=place)}"


def _memory_of(head: TagHead, text: str) -> Memory:
    lines = [clean_text(_NOTES.sub("", line)) for line in text[head.length :].split("\n")]
    confidence = Confidence(head.confidence.hundredths, head.confidence.day) if head.confidence else None
    return Memory("\n".join(line for line in lines if line), head.tag, confidence, head.entities)


def retain_line(text: str, tag: str | None, confidence: float | None = None, questions: Iterable[str] = ()) -> str:
    """Make the list item for a log, the questions that it answers below it; UsageError when it would be a bad line there."""
    said = _one_line(text).removeprefix("- ")
    head = parse_head(said)
    tagged = head is not None and (head.tag in PROFILES["default"] or len(head.tag) == 1)
    if head and tagged and tag not in {None, head.tag}:
        raise UsageError(f"the text has the tag {head.tag} and --tag says {tag}; leave out one of them")
    line = f"- {said}" if tagged else f"- {_head_for(said, tag or 'W', confidence)}{said}"
    reading = read_log("", f"## Retain\n{line}\n", anywhere=True)
    if reading.bad or not reading.lines:
        reason = reading.bad[0].reason if reading.bad else "it has no text"
        raise UsageError(f"cannot be remembered: {reason}")
    return line + "".join(f"\n  ? {asked}" for asked in filter(None, map(_question, questions)))


def _question(text: str) -> str:
    return _one_line(text).removeprefix("? ").strip()


def _one_line(text: str) -> str:
    return " ".join(clean_text(text).split())


def _head_for(said: str, tag: str, confidence: float | None) -> str:
    """What must stand before a text without a tag; `@Peter: …` has its colon already."""
    sure = "" if confidence is None else f"(c={confidence:.2f})"
    named = f"{tag}{sure} "
    return named if said.startswith("@") and parse_head(named + said) else f"{tag}{sure}: "

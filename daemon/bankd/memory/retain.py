"""The Retain lines of a log: the lines to remember, and those that were meant to be remembered but cannot be read.

A bad line is a value with its place, never an exception. Whether a line was read before is for the ledger. This module
also makes a Retain line from what a person typed.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING

from bankd.errors import UsageError
from bankd.pages.memory import Confidence, Memory, TagHead, is_memory_id, memory_id, parse_head, statement_of
from bankd.pages.names import day_in
from bankd.pages.page import MARKER, heading_title, properties_of
from bankd.pages.scanner import (
    Block,
    BlockKind,
    Document,
    cut_blocks,
    indent_of,
    is_open_comment,
    scan_text,
    without_hidden,
)
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
"""A longer line is not a statement of a person or an agent; it stays in the log and is reported."""

_ESCAPE_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x1b\\|\x07|$)|\x1b[@-Z\\-_]|\x9b[0-?]*[ -/]*[@-~]", re.DOTALL
)  # CSI, then OSC/DCS/SOS/PM/APC strings, then two-character escapes: ECMA-48, section 5
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_MEANT = re.compile(
    r"[WBOSwbos][ \t]*[(\[{][ \t]*c[ \t]*="  # a confidence, whatever comes after it
    r"|[WBOS](?:[ \t]*：|(?:[ \t]+c[ \t]*=[ \t]*\d|[ \t]+@|@[\w-]+(?=[ \t:：]))[^\n]*?(?:：|:(?=\s|$)))"
)
"""A line that does not parse but has a tag with something only Retain lines have; `- A: …` and `- S and P: …` are prose."""
_TAGGED = r"[WBOS](?:\([^()\n]*\))?(?:[ \t]+@[^\s:]+)*[ \t]*:"
_TIGHT_MARKER = re.compile(rf"^([ \t]*-)(?={_TAGGED}(?:\s|$))", re.MULTILINE)
"""`-W: text` is a paragraph in Markdown, but meant as a list item."""
_TIGHT_TEXT = re.compile(rf"({_TAGGED})(?=[^\s/\d])")
"""`W:text` without a space. Outside of Retain sections, one word may be a ratio, and a digit a time: those do not count."""
_QUESTION = re.compile(r"\?[ \t]+(?P<text>\S.*)")
"""A line below a Retain line with a question that it answers."""
_SENTENCE_END = re.compile(r"[.!?。！？…][\"'’”)\]」』*_`]*$")
_NO_PROSE = {BlockKind.BLANK, BlockKind.FRONT_MATTER, BlockKind.COMMENT, BlockKind.RULE, BlockKind.REFERENCE}
_NOTES = re.compile(
    r"(?:[ \t]*<!--[ \t]*(?:importance|trigger|project|source|refused|proposed)[ \t]*:(?:(?!-->).)*-->)+[ \t]*$"
)
"""Notes at the end of a line, of OpenClaw for itself and of bankd on a line that a model wrote; not part of the text."""
_PROJECT = re.compile(r"[ \t]*<!--[ \t]*project[ \t]*:[ \t]*(?P<folder>/(?:(?!-->).)*?)[ \t]*-->")
"""The comment that names the project of a line by its folder; one without a folder (OpenClaw) is an ordinary note."""
_DOUBTED = re.compile(r"<!--[ \t]*(?P<kind>refused|proposed):[ \t]*(?P<reason>(?:(?!-->).)*?)[ \t]*-->")
_COPIED = re.compile(r"[ \t]+\^m-[a-z2-7]{12}[ \t]*$")
"""The id of a memory, copied from its page with the line."""
_REPLACES = re.compile(r"[ \t]*\(replaces[ \t]+\^?(?P<id>[^\s()]*)\)[ \t]*$", re.MULTILINE)
"""The end of a line that says which memory it replaces."""
_STATES_DAY = re.compile(r"(?:date|day|created)\b", re.IGNORECASE)
"""A property with the day of a log."""
BAD, REFUSED, PROPOSED = "bad", "refused", "proposed"
"""Why a line waits: it cannot be read; a model wrote it and was not believed; a model or a rule only proposes it."""
_CODE_SPAN = re.compile(r"(`+)(?!`)(?:.*?[^`])?\1(?!`)", re.DOTALL)
_OPEN = "%% hides what comes after it in Obsidian; close the comment, or write `%%` in backticks"
_UNTAGGED = "no tag; write it as `- W: text`, with W, B, O or S"
_UNREAD = "the part before the text cannot be read; write it as `- O(c=0.90) @Name: text`"


@dataclass(frozen=True, slots=True, order=True)
class LogPlace:
    """A line of a log: its path below `memory/` and its 1-based number."""

    log: str
    line: int
    stated: date | None = field(default=None, compare=False)
    """The day in a heading above the line, else in the properties of the log, where the name of the log has none."""

    def day(self, today: date) -> date:
        """The last day in the name of the log; today where it has none, or one in the future."""
        return min(day_in(self.log) or self.stated or today, today)

    def follows(self, other: LogPlace | None) -> bool:
        """Whether it was said after another line, as far as logs tell."""
        own, before = (day_in(one.log) or one.stated if one else None for one in (self, other))
        is_below = other is not None and self.log == other.log and self.line > other.line
        return is_below or bool(own and before and own > before)

    def __str__(self) -> str:
        """The place as editors open it, relative to the workspace."""
        return f"memory/{self.log}:{self.line}"


@dataclass(frozen=True, slots=True)
class RetainLine:
    """A tagged line of a log; `id` is that of the memory it becomes.

    The id depends neither on the questions below the line, nor on `replaces`, the id of the memory that it replaces, nor
    on `project`, the folder of its project.
    """

    place: LogPlace
    memory: Memory
    occurrence: int = 0
    id: str = ""
    questions: tuple[str, ...] = ()
    replaces: str = ""
    project: str = ""


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A line that was meant to be remembered and was not taken in: the reason, its text if it is known, and its kind."""

    place: LogPlace
    reason: str
    text: str = ""
    kind: str = BAD
    known_as: str = ""
    """Its key, where that does not come from the text here, in which credentials are masked."""

    @property
    def key(self) -> str:
        """A key that stays the same until the line is edited, also when it moves."""
        return self.known_as or waiting_key(self.text or str(self.place))

    @property
    def is_offered(self) -> bool:
        """Whether the user can accept it as it is; if not, the log must be corrected."""
        return self.kind in {REFUSED, PROPOSED}

    def screened(self, finders: Sequence[Finder] = ()) -> HeldBack:
        """The line with credentials masked: in its text, and in the reason, which may quote it."""
        from bankd.secrets.screening import find_secrets, mask_secrets  # noqa: PLC0415 -- a query shows none

        secrets, reason = find_secrets(self.text, finders), self.reason
        for secret in secrets:
            reason = reason.replace(self.text[secret.start : secret.end], f"[{secret.kind}]")
        return replace(self, text=mask_secrets(self.text, secrets), reason=reason, known_as=self.key)


def waiting_key(said: str) -> str:
    """The key of a line that waits, by its text in the log."""
    return f"bad-{sha256(said.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}"


SOURCED = re.compile(r"<!-- source: (?P<place>memory/(?P<log>.+?):(?P<lines>[\d,]+)) -->")
"""The comment behind a line that a model or a rule made, with the log and the lines of which it was made."""


@dataclass(frozen=True, slots=True)
class LogReading:
    """What one log says; `unended` is its last Retain line or bad line when no line break ends it."""

    log: str
    lines: tuple[RetainLine, ...]
    bad: tuple[HeldBack, ...]
    unended: LogPlace | None = None
    prose: int = 0
    """How many other lines with text there are; search finds them, but no run takes them in.

    Less the lines of other logs of which a model or a rule made its lines: over all logs, the sum is what is left.
    """
    was: str = ""
    """The name under which the log was first read, if that is another."""

    @property
    def identity(self) -> str:
        """The name under which the log was first read."""
        return self.was or self.log


def read_log(log: str, text: str, *, anywhere: bool, since: int = 1, until: int | None = None) -> LogReading:
    """Read the Retain lines of a log: those below a heading `Retain`, or with `anywhere` all tagged list items.

    Only those that begin in line `since` or later, up to line `until`; the whole log decides as always whether they count.
    """
    document = scan_log(_TIGHT_MARKER.sub(r"\1 ", text.removeprefix(MARK)))
    reader = _LogReader(log, document, anywhere, range(since, (until or len(document.lines)) + 1))
    found = list(reader.read())
    bad = tuple(item for item in found if isinstance(item, HeldBack))
    tagged = [item for item in found if not isinstance(item, HeldBack)]
    made_of = {(one["log"], line) for one in SOURCED.finditer(text) for line in one["lines"].split(",")}
    return LogReading(log, tuple(_identify(log, tagged)), bad, reader.unended, reader.prose - len(made_of))


def scan_log(text: str) -> Document:
    """The blocks of a log. A line that is not indented goes on with the list item above only where no sentence ends there.

    In CommonMark it always does, but who writes a new sentence at the margin does not mean the item.
    """
    document = scan_text(text)
    lines = document.lines

    def end_of(block: Block) -> int:
        if block.kind is not BlockKind.ITEM:
            return block.end
        outer, own = indent_of(lines[block.start]), range(block.start + 1, block.end)
        return next((n for n in own if indent_of(lines[n]) <= outer and _is_new(lines, n)), block.end)

    return replace(document, blocks=tuple(cut_blocks(document.blocks, end_of, lines)))


def _is_new(lines: Sequence[str], n: int) -> bool:
    """Whether a line begins a sentence of its own: the line above ends one, or has what stands only at the end."""
    above = lines[n - 1].rstrip()
    is_ended = _SENTENCE_END.search(above) or _NOTES.search(above) or _REPLACES.search(above)
    return bool(is_ended) and not _QUESTION.match(lines[n].strip())


def without_unended(reading: LogReading) -> LogReading:
    """A reading without its last line, which may not be complete yet."""
    lines = tuple(line for line in reading.lines if line.place != reading.unended)
    return replace(reading, lines=lines, bad=tuple(bad for bad in reading.bad if bad.place != reading.unended))


def identified_as(reading: LogReading, identity: str) -> LogReading:
    """A reading with ids made from the name under which the log was first read."""
    if identity == reading.log:
        return reading
    return replace(reading, lines=tuple(_identify(identity, reading.lines)), was=identity)


def _identify(identity: str, lines: Iterable[RetainLine]) -> Iterator[RetainLine]:
    """The lines of a log with the ids of the memories that they become."""
    seen: Counter[str] = Counter()
    for line in lines:
        statement = statement_of(line.memory)
        yield replace(line, occurrence=seen[statement], id=memory_id(identity, statement, seen[statement]))
        seen[statement] += 1


def clean_text(text: str) -> str:
    """Unescape HTML entities, then drop terminal escapes and control characters."""
    return _CONTROL.sub(" ", _ESCAPE_SEQUENCE.sub("", html.unescape(text))).strip()


def _options_in(document: Document) -> set[int]:
    """The first lines of list items that are choices, sizes or speakers: beside them stands a letter that is no tag.

    A list with a confidence or a name after `@` is meant to be remembered, whatever else it has.
    """
    lists: dict[int, list[tuple[int, TagHead | None]]] = {}
    found: set[int] = set()
    for block in (*document.blocks, None):
        ends = block is None or block.kind is BlockKind.BLANK
        ended = [at for at in lists if ends or (block and at >= block.depth + (block.kind is BlockKind.ITEM))]
        for depth in ended:
            listed = lists.pop(depth)
            heads = [head for _, head in listed if head and len(head.tag) == 1]
            is_meant = any(head.confidence or head.problem or head.entities for head in heads)
            if not is_meant and any(head.tag not in PROFILES["default"] for head in heads):
                found.update(start for start, head in listed if head in heads)
        if block and block.kind is BlockKind.ITEM:
            text = MARKER.sub("", document.lines[block.start].rstrip() + " ", count=1)
            lists.setdefault(block.depth, []).append((block.start, parse_head(text)))
    return found


class _LogReader:
    """Walks the list items of one log, knowing whether the current one stands under a heading `Retain`."""

    def __init__(self, log: str, document: Document, anywhere: bool, read: range) -> None:
        self._log, self._read = log, read
        self._document = document
        self._anywhere = anywhere
        self._retain_level = 0
        self._options = _options_in(document)
        self.unended: LogPlace | None = None
        self.prose = 0
        self._days: list[tuple[int, date]] = []
        if day_in(log) is None:
            stated = (day_in(text) for _, text in properties_of(document) if _STATES_DAY.match(text))
            self._days = [(0, day) for day in stated if day][:1]

    def read(self) -> Iterator[RetainLine | HeldBack]:
        for block in self._document.blocks:
            if block.kind is BlockKind.HEADING:
                title = heading_title(self._document.lines, block)
                self._days = [one for one in self._days if one[0] < block.level]
                if day := day_in(title):
                    self._days.append((block.level, day))
                if title.strip().rstrip(":").casefold() == "retain":
                    self._retain_level = block.level
                elif block.level <= self._retain_level:
                    self._retain_level = 0
            elif block.kind is BlockKind.ITEM and block.start + 1 in self._read and (found := self._item(block)):
                if not self._document.lines[block.end - 1].endswith("\n"):
                    self.unended = LogPlace(self._log, block.start + 1)
                yield found
            elif block.kind is BlockKind.FRONT_MATTER:
                yield from self._hidden(block, "inside front matter; move it below")
            elif block.kind is BlockKind.COMMENT and is_open_comment(self._document, block):
                yield from self._hidden(block, f"inside a comment that begins in line {block.start + 1} and never ends")
            elif block.kind not in _NO_PROSE:
                self.prose += sum(bool(line.strip()) for line in self._document.lines[block.start : block.end])

    def _hidden(self, block: Block, reason: str) -> Iterator[HeldBack]:
        """The Retain lines in a block that is passed over, although nobody may have meant to hide them."""
        for number in range(block.start, block.end):
            text = MARKER.sub("", self._document.lines[number], count=1).strip()
            if (self._anywhere or self._retain_level) and text != self._document.lines[number].strip():
                head = parse_head(text)
                if head and head.tag in PROFILES["default"]:
                    yield HeldBack(LogPlace(self._log, number + 1), reason, text)

    def _item(self, block: Block) -> RetainLine | HeldBack | None:
        place = LogPlace(self._log, block.start + 1, self._days[-1][1] if self._days else None)
        raw, questions = _part_questions([line.strip() for line in self._document.lines[block.start : block.end]])
        said = MARKER.sub("", raw[0] + " ", count=1).strip() + "".join("\n" + line for line in raw[1:])
        text = without_hidden(said).strip()
        if self._retain_level:
            text = _TIGHT_TEXT.sub(r"\1 ", text, count=1) if _TIGHT_TEXT.match(text) else text
        head = parse_head(text)
        if self._is_prose(block, text, head):
            return None
        problem = _problem_of(text, head) or (_OPEN if "%%" in _CODE_SPAN.sub("", text) else None)
        if problem is not None or head is None:
            return HeldBack(place, problem or _UNTAGGED, _NOTES.sub("", text))
        if doubt := _DOUBTED.search(text):
            what = "not believed" if doubt["kind"] == REFUSED else "proposed"
            reason = f"{what}: {doubt['reason']}; bankctl review accept {place} takes it in"
            return HeldBack(place, reason, _NOTES.sub("", text), doubt["kind"])
        said, replaces = part_replaced(text[head.length :])
        lines = [clean_text(line) for line in said.split("\n")]
        confidence = Confidence(head.confidence.hundredths, head.confidence.day) if head.confidence else None
        memory = Memory("\n".join(line for line in lines if line), head.tag, confidence, head.entities)
        project = project_in(text) if head.tag in OF_PROJECTS else ""
        return RetainLine(place, memory, questions=questions, replaces=replaces, project=project)

    def _is_prose(self, block: Block, text: str, head: TagHead | None) -> bool:
        """Whether a list item is ordinary prose, and was not meant to be remembered."""
        if not self._retain_level and not self._anywhere:
            return True
        if not self._retain_level and block.start in self._options:
            return True
        if _MEANT.match(text) or (_TIGHT_TEXT.match(text) and " " in text):
            return False
        if self._retain_level:
            return block.depth > 0 and head is None  # details under a Retain line
        return head is None or head.tag not in PROFILES["default"]


def _part_questions(lines: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """The lines of an item without the questions below it, and the questions."""
    found = [_QUESTION.fullmatch(line) for line in lines[1:]]
    text = [line for line, question in zip(lines[1:], found, strict=True) if question is None]
    return [*lines[:1], *text], tuple(clean_text(question["text"]) for question in found if question)


OF_PROJECTS = frozenset("WB")
"""The tags of lines that belong to a project; opinions and lines about oneself hold everywhere."""


def people_in(memories: Iterable[Memory]) -> frozenset[str]:
    """The slugs of people who have or are the subject of an opinion: lines about them hold in every project."""
    return frozenset(slug for memory in memories if memory.tag == "O" for slug in memory.entities)


def project_in(text: str) -> str:
    """The project that a line of a log names; empty if it names none."""
    found = _PROJECT.search(text)
    return found["folder"] if found else ""


def project_of_log(text: str) -> str:
    """The project that a log names above its first session; empty if it names none."""
    return project_in(text.partition("\n## ")[0])


def project_mark(folder: str) -> str:
    """The comment that names a project; empty for a folder whose path does not fit into a comment."""
    is_plain = folder.startswith("/") and is_utf8(folder) and not re.search(r"[\x00-\x1f]|-->|%%", folder)
    return f"<!-- project: {folder} -->" if is_plain else ""


def without_project(text: str) -> str:
    """A text without the comments that name a project."""
    return _PROJECT.sub("", text)


def part_replaced(text: str) -> tuple[str, str]:
    """The text of a line without notes, ids of a page and what it replaces, and the id of that; empty if there is none."""
    said = "\n".join(_NOTES.sub("", line) for line in text.split("\n"))
    found = _REPLACES.search(said)
    return _COPIED.sub("", _REPLACES.sub("", said)), found["id"] if found else ""


def _problem_of(text: str, head: TagHead | None) -> str | None:
    if not is_utf8(text):
        return "bytes that are not UTF-8; save the log as UTF-8"
    if len(text.encode("utf-8", "surrogateescape")) > MAX_LINE_BYTES:
        return f"longer than {MAX_LINE_BYTES // 1024} KiB; shorten it"
    if head is None:
        tight = "no space after the colon; write it as `- W: text`"
        return tight if _TIGHT_TEXT.match(text) else _UNREAD if _MEANT.match(text) else _UNTAGGED
    if head.tag not in PROFILES["default"]:
        return f"unknown tag {head.tag[:20]}; use W, B, O or S"
    said, replaces = part_replaced(text[head.length :])
    if replaces and not is_memory_id(replaces):
        return f"(replaces {replaces[:20]}) names no memory; write the id that bankctl search shows, as (replaces m-…)"
    return head.problem or (None if clean_text(said) else "a tag without a text")


def retain_line(
    text: str,
    tag: str | None,
    confidence: float | None = None,
    questions: Iterable[str] = (),
    replaces: str = "",
    project: str = "",
) -> str:
    """Make a Retain line for a log, with its questions below it; UsageError when no run could read it.

    `replaces` is the id of the memory that it replaces, `project` the folder of the project of a fact or habit.
    """
    said = _one_line(text).removeprefix("- ")
    if copied := _COPIED.search(said):
        id_ = copied[0].strip().lstrip("^")
        raise UsageError(
            f"{id_} is the id of a memory: leave it out; if this replaces that memory, write (replaces {id_})"
        )
    if replaces:
        said = f"{part_replaced(said)[0]} (replaces {replaces})"
    head = parse_head(said)
    tagged = head is not None and (head.tag in PROFILES["default"] or len(head.tag) == 1)
    if head and tagged and tag not in {None, head.tag}:
        raise UsageError(f"the text has the tag {head.tag} and --tag says {tag}; leave out one of them")
    named = f"{tag or 'W'}{'' if confidence is None else f'(c={confidence:.2f})'}"
    if head is None and (_MEANT.match(said) or re.match(r"[WBOS](?:[ \t]+@|:\S)", said)):
        raise UsageError(f"cannot be remembered: {_UNREAD}")
    has_colon = said.startswith("@") and parse_head(f"{named} {said}")  # `@Peter: …`
    line = f"- {said}" if tagged else f"- {named} {said}" if has_colon else f"- {named}: {said}"
    reading = read_log("", f"## Retain\n{line}\n", anywhere=True)
    if reading.bad or not reading.lines:
        reason = reading.bad[0].reason if reading.bad else "it has no text"
        raise UsageError(f"cannot be remembered: {reason}")
    if reading.lines[0].memory.tag in OF_PROJECTS and (mark := project_mark(project)) and not project_in(line):
        line = f"{line} {mark}"
    asked = (_one_line(question).removeprefix("? ").strip() for question in questions)
    return line + "".join(f"\n  ? {question}" for question in asked if question)


def _one_line(text: str) -> str:
    return " ".join(clean_text(text).split())

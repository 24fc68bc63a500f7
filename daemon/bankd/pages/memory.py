"""One memory: how it is written in a line of a log or a page, its identity, and its normal form.

    O(c=0.86@2026-11-21) @Peter: Prefers concise replies. ^m-k3f9a2xqb7t0

List markers and the place in a file belong to `retain` and `page`.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

TAGS = ("W", "B", "O", "S")
"""World, behaviour, opinion, self: the tags of a bank, whatever the profile of the logs calls them."""

_BASE32 = "abcdefghijklmnopqrstuvwxyz234567"

_HEAD = re.compile(
    r"(?P<tag>[^\W\d_]+)(?:\((?P<arguments>[^()\n]*(?:\)\([^()\n]*)*)\))?(?P<entities>(?:[ \t]+@[^\s:]+)*)[ \t]*:(?=\s|$)[ \t]*",
    re.UNICODE,
)
_NAMED = re.compile(
    r"(?:\((?P<inside>@[\w-]+(?:,?[ \t]+@[\w-]+)*)\)|(?P<before>@[\w-]+(?:,?[ \t]+@[\w-]+)*):)[ \t]+(?=\S)"
)
"""Names at the beginning of a text: `W: @Nadia: …` and `W: (@Nadia) …` mean `W @Nadia: …`."""
_CONFIDENCE = re.compile(r"[ \t]*c[ \t]*=[ \t]*(?P<value>\d(?:\.\d{1,2})?)(?:@(?P<day>\d{4}-\d{2}-\d{2}))?[ \t]*")
_BLOCK_ID = re.compile(r"(?:^|[ \t\n]+)\^(?P<id>[A-Za-z0-9-]+)[ \t]*$")
_SOURCES = re.compile(r"(?:^|[ \t\n]+)<!-- also(?P<ids>(?: m-[a-z2-7]{12})+) -->$")


@dataclass(frozen=True, slots=True, order=True)
class Confidence:
    """How sure a memory was on a day; `day` is None until a run has dated a value that a person wrote."""

    hundredths: int
    day: date | None = None

    def __str__(self) -> str:
        """Render as it stands between the parentheses, e.g. `c=0.86@2026-11-21`."""
        value = f"c={self.hundredths // 100}.{self.hundredths % 100:02d}"
        return value if self.day is None else f"{value}@{self.day.isoformat()}"


PIN = "#pinned"


@dataclass(frozen=True, slots=True)
class Memory:
    """One remembered statement; `text` may hold line breaks, but neither list marker nor block id.

    `sources` are the ids of the memories that were merged into it: they stand in a comment before its own id.
    """

    text: str
    tag: str | None = None
    confidence: Confidence | None = None
    entities: tuple[str, ...] = ()
    id: str | None = None
    sources: tuple[str, ...] = ()

    @property
    def is_pinned(self) -> bool:
        """Whether it carries the Obsidian tag `#pinned`: then it does not decay."""
        return re.search(rf"(?:^|\s){PIN}(?:\s|$)", self.text) is not None


class TagHead(NamedTuple):
    """The part before the colon of a tagged line, as written; `problem` says what is wrong with it, if anything."""

    tag: str
    confidence: Confidence | None
    entities: tuple[str, ...]
    length: int
    problem: str | None


def parse_head(line: str) -> TagHead | None:
    """Read `TAG(c=…) @Slug:` at the start of a line; None when the line has no such head."""
    found = _HEAD.match(line)
    if found is None:
        return None
    confidence, problem = parse_confidence(found["arguments"])
    if not found["entities"]:
        named = _NAMED.match(line, found.end())
        slugs = tuple(re.findall(r"[\w-]+", unicodedata.normalize("NFC", named[0]))) if named else ()
        return TagHead(found["tag"], confidence, slugs, (named or found).end(), problem)
    slugs = tuple(unicodedata.normalize("NFC", word[1:]) for word in found["entities"].split())
    odd = next((slug for slug in slugs if not _is_slug(slug)), None)
    if odd is not None:
        problem = problem or f"@{odd}: a name after @ has letters, digits, - and _ only"
    return TagHead(found["tag"], confidence, slugs, found.end(), problem)


def _is_slug(text: str) -> bool:
    """Whether a name has only letters (a mark may be a character of its own), digits, `-` and `_`."""
    return bool(text) and all(c.isalnum() or c in "-_" or unicodedata.category(c)[0] == "M" for c in text)


def parse_confidence(arguments: str | None) -> tuple[Confidence | None, str | None]:
    """Read what stands between the parentheses of a tag: a confidence, or what is wrong with it."""
    if arguments is None:
        return None, None
    found = _CONFIDENCE.fullmatch(arguments)
    if found is None:
        return None, f"({arguments}) is not of the form (c=0.00..1.00)"
    hundredths = int(found["value"].replace(".", "").ljust(3, "0"))
    if hundredths > 100:
        return None, f"c={found['value']} is out of range, 0.00 to 1.00"
    try:
        return Confidence(hundredths, date.fromisoformat(found["day"]) if found["day"] else None), None
    except ValueError:
        return None, f"{found['day']} is not a day"


def parse_memory(text: str) -> Memory:
    """Read the statement of a list item or paragraph; a text without a known tag is a memory too."""
    body, id_ = split_id(text)
    body, sources = split_sources(body)
    head = parse_head(body)
    if head is None or head.tag not in TAGS or head.problem:
        return Memory(body, id=id_, sources=sources)
    return Memory(body[head.length :], head.tag, head.confidence, head.entities, id_, sources)


def split_id(text: str) -> tuple[str, str | None]:
    """Take an Obsidian block id off the end of a text; it may be a line of its own right below the others."""
    found = _last(_BLOCK_ID, "^", text)
    return (text[: found.start()].rstrip(), found["id"]) if found else (text.rstrip(), None)


def split_sources(body: str) -> tuple[str, tuple[str, ...]]:
    """Take the comment that names merged memories off the end of a text without its block id."""
    found = _last(_SOURCES, "<!-- also", body)
    return (body[: found.start()].rstrip(), tuple(found["ids"].split())) if found else (body, ())


def pinned(text: str, id_: str) -> str:
    """The lines of a memory with `#pinned` at the end of its text, before its comment and id."""
    said, _ = split_sources(text[: text.index(f"^{id_}")].rstrip())
    return f"{said} {PIN}{text[len(said) :]}"


def _last(pattern: re.Pattern[str], beginning: str, text: str) -> re.Match[str] | None:
    """Search only from the last place where the pattern may begin: trying every space takes a third of the time to read a page."""
    at = text.rfind(beginning)
    return pattern.search(text, len(text[:at].rstrip(" \t\n"))) if at >= 0 else None


def render_sources(sources: tuple[str, ...]) -> str:
    """The comment that names merged memories; empty without any."""
    return f" <!-- also {' '.join(sources)} -->" if sources else ""


def render_memory(memory: Memory) -> str:
    """Render what `parse_memory` reads; continuation lines are separated by line breaks."""
    said = _render(memory, memory.confidence) + render_sources(memory.sources)
    return said + (f" ^{memory.id}" if memory.id else "")


def _render(memory: Memory, confidence: Confidence | None) -> str:
    head = ""
    if memory.tag:
        sure = f"({confidence})" if confidence else ""
        head = memory.tag + sure + "".join(f" @{slug}" for slug in memory.entities) + ": "
    return head + memory.text


def normalise_text(text: str) -> str:
    """A text in NFC with white space folded, to be compared with another."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def statement_of(memory: Memory) -> str:
    """The text of a memory with its subjects, without confidence, merged memories and id: its identity is computed from this."""
    return normalise_text(_render(memory, None))


def is_memory_id(text: str) -> bool:
    """Whether a text has the form of an id that bankd gives."""
    return re.fullmatch(r"m-[a-z2-7]{12}", text) is not None


def memory_id(log: str, statement: str, occurrence: int) -> str:
    """Make the block id of a Retain line: 60 bits of SHA-256 over its log, statement and occurrence in that log.

    60 bits collide with a probability of about 4e-9 among 100,000 memories.
    """
    digest = hashlib.sha256("\0".join((log, statement, str(occurrence))).encode("utf-8", "surrogateescape")).digest()
    bits = int.from_bytes(digest[:8])
    return "m-" + "".join([_BASE32[bits >> at & 31] for at in range(59, 0, -5)])


_LAST_STOPS = " .。!！~"


def text_key(memory: Memory) -> str:
    """A key that ignores case, white space and final stops; equal only for texts about the same entities."""
    text = normalise_text(memory.text).casefold().rstrip(_LAST_STOPS)
    parts = (memory.tag or "", *sorted(normalise_text(slug).casefold() for slug in memory.entities), text)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]

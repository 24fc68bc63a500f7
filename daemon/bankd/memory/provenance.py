"""Provenance both ways: from a memory to the log line it came from, and from any line of a log to what became of it.

Taking a text out of everything that remembers it: which forms of it to look for, and what stays in its place.

What bankd itself goes by stays as it is, though the text is part of it: the day of a run, an id, the path of a page. None
of it is said by anybody, and a record without it is none.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bankd.memory.ledger import DUPLICATE, KEPT, SCREENED, Event, Ledger
from bankd.memory.retain import LogPlace, LogReading, RetainLine
from bankd.memory.use import UseSignals
from bankd.pages.memory import statement_of
from bankd.pages.scanner import BlockKind, scan_text
from bankd.secrets.screening import Finder, find_secrets, mask_secrets, screen_text
from bankd.words.analysis import has_hangul
from bankd.words.tables import split_words


@dataclass(frozen=True, slots=True)
class Trace:
    """What is known of one line: its outcome in a word, and in a sentence."""

    place: LogPlace
    outcome: str
    memory: str | None
    text: str
    sentence: str


def trace_line(
    reading: LogReading,
    number: int,
    ledger: Ledger,
    pages: Mapping[str, Sequence[str]],
    finders: Sequence[Finder] = (),
) -> Trace:
    """What became of a line of a log, masked; `pages` tells where the memories of that log stand now."""
    place = LogPlace(reading.log, number)
    for bad in reading.bad:
        if bad.place.line == number:
            outcome = "dismissed" if bad.key in ledger.dismissed else bad.kind
            shown = bad.screened(finders)
            return Trace(place, outcome, None, shown.text, shown.reason)
    for line in reading.lines:
        if line.place.line == number:
            memory = ledger.revised.get(line.id, line.id)
            outcome, sentence = _outcome(memory, ledger, pages)
            if memory in ledger.revisions and outcome == "kept":
                sentence += "; the line was edited, and the memory with it"
            if outcome == "new" and line.place == reading.unended:
                sentence = "not read yet: no line break ends it, so it may still be being written"
            text = statement_of(line.memory)
            return Trace(place, outcome, memory, mask_secrets(text, find_secrets(text, finders)), sentence)
    return Trace(place, "prose", None, "", "no Retain line begins here")


def _outcome(id_: str, ledger: Ledger, pages: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    fact = ledger.consumed.get(id_)
    if id_ in pages:
        return "kept", f"stands in {' and '.join(pages[id_])}"
    if id_ in ledger.gone:
        gone = ledger.gone[id_]
        return str(gone["type"]), f"{gone['type']} on {str(gone['at'])[:10]}; it will not come back by itself"
    if fact is None:
        return "new", "not taken in yet; the next run does it, or says what it waits for"
    return str(fact["type"]), _sentence(fact)


def _sentence(fact: Event) -> str:
    if fact["type"] == DUPLICATE and fact.get("overruled"):
        return f"not taken in: {fact['reason']}"
    if fact["type"] == DUPLICATE:
        return f"says what {fact['of']} already says; blocked on {str(fact['at'])[:10]}"
    if fact["type"] == SCREENED:
        return f"held back on {str(fact['at'])[:10]}: it looks like a credential ({fact.get('looks_like')})"
    if fact["type"] == KEPT:
        return "was kept, and no page holds it now; the next run will note that it was taken out by hand"
    return str(fact["type"])


def source_line(id_: str, reading: LogReading) -> RetainLine | None:
    """The line of a memory in its log as it is now; lines move as a log is edited."""
    return next((line for line in reading.lines if line.id == id_), None)


def life_of(id_: str, ledger: Ledger, merged: Sequence[str]) -> list[str]:
    """What happened to a memory since it was kept, in words; `merged` are those that were merged into it."""
    lines = [f"said again in memory/{item['log']}:{item['line']}" for item in confirmations(id_, ledger)]
    lines += [
        f"its line was edited; until {str(item['at'])[:10]} it said: {item.get('said')}"
        for item in ledger.revisions.get(id_, ())
    ]
    lines += [f"says all that {other} said, which is in the archive" for other in merged if other in ledger.gone]
    if id_ in ledger.allowed:
        lines.append(f"was blocked as saying what {ledger.allowed[id_].get('of')} says; a person let it in")
    lines += [f"says newer what {old} says" for old, new in ledger.successors().items() if new == id_]
    if newer := ledger.successors().get(id_):
        lines.append(f"superseded by {newer}: {ledger.supersessions[id_].get('reason')}")
    lines += _uses_of(ledger.signals_of(id_))
    if id_ in ledger.restored:
        lines.append(f"brought back on {ledger.restored[id_]}")
    if id_ in ledger.gone:
        gone = ledger.gone[id_]
        lines.append(f"{gone['type']} on {gone['at']}" + (f": {gone['reason']}" if gone.get("reason") else ""))
    return lines


def _uses_of(signals: UseSignals) -> Iterator[str]:
    for what, days in (("used", signals.used), ("ignored", signals.ignored)):
        if days:
            yield f"{what} {len(days)} time{'s' * (len(days) > 1)}, last on {max(days)}"
    if signals.importance is not None:
        yield f"has importance {signals.importance} of 10"


def confirmations(id_: str, ledger: Ledger) -> list[Event]:
    """The lines that were blocked because they say what this memory says, oldest first."""
    found = [fact for fact in ledger.consumed.values() if _confirms(fact, id_)]
    return sorted(found, key=lambda fact: (str(fact["at"]), str(fact["id"])))


def _confirms(fact: Event, id_: str) -> bool:
    return fact["type"] == DUPLICATE and fact.get("of") == id_ and not fact.get("overruled")


_PROSE = (
    "not taken in, found by search; to have it remembered: bankctl add 'W: …', or tag it `- W: …` below `## Retain`"
)
_SENTENCES = {
    BlockKind.BLANK: ("empty", "nothing stands there"),
    BlockKind.HEADING: (
        "heading",
        "search reads it along with what is below; below `## Retain` stand lines to remember",
    ),
    BlockKind.COMMENT: ("comment", "neither taken in nor searched"),
    BlockKind.FRONT_MATTER: ("front matter", "neither taken in nor searched"),
    BlockKind.RULE: ("rule", "neither taken in nor searched"),
    BlockKind.REFERENCE: ("link", "neither taken in nor searched"),
    BlockKind.FENCE: ("code", "not taken in, found by search"),
    BlockKind.CODE: ("code", "not taken in, found by search"),
}


def describe_line(trace: Trace, text: str, reading: LogReading, finders: Sequence[Finder] = ()) -> Trace:
    """The trace of a line that is no Retain line, with what it is in the text of its log."""
    document, number, place = scan_text(text), trace.place.line, trace.place
    if not 0 < number <= len(document.lines):
        return Trace(place, "nothing", None, "", f"the log has {len(document.lines)} lines")
    block = next((one for one in reversed(document.blocks) if one.start < number <= one.end), None)
    first = block.start + 1 if block else number
    if any(line.place.line == first for line in reading.lines):
        return Trace(place, "part", None, "", f"belongs to the line above: bankctl show memory/{reading.log}:{first}")
    outcome, sentence = _SENTENCES.get(block.kind, ("prose", _PROSE)) if block else _SENTENCES[BlockKind.BLANK]
    own = screen_text(text, finders).split("\n")[number - 1].strip()  # a key has several lines
    return Trace(place, outcome, None, own, sentence)


PURGED = "[purged]"
_SHORTEST, _SHORTEST_HANGUL = 4, 3  # characters: a shorter line would be found in half of all texts
_CONFIDENCE = r"\([ \t]*c[ \t]*=[ \t]*\d(?:\.\d+)?(?:@\d{4}-\d\d-\d\d)?[ \t]*\)"
_MARKS = re.compile(rf"(\^?\bm-[a-z2-7]{{12}}\b|{_CONFIDENCE}|\bsha:[0-9a-f]{{24}}\b)")
"""In a text: the id of a memory, how sure it is and since when, and the name of a block without an id. No other digits:
many credentials look like digests."""
_OWN_FIELDS = split_words(
    "at by call cycle day due elsewhere id job key kind log memory of op other outcome page path planned_at reply run slot",
    "to type undoes was",
)
_OWN_LISTS = split_words("digests needs")
"""The fields of events, journals, replies and the ledger of runs whose strings, or lists, bankd itself goes by."""


def text_forms(text: str) -> tuple[str, ...]:
    """The lines of a text in the forms in which a disk may hold them, the longest first."""
    lines = {unicodedata.normalize("NFC", line.strip()) for line in text.split("\n")}
    long = [line for line in lines if len(line) >= (_SHORTEST_HANGUL if has_hangul(line) else _SHORTEST)]
    forms = {unicodedata.normalize(form, line) for line in long for form in ("NFC", "NFD")}
    return tuple(sorted(forms, key=lambda line: (-len(line), line)))


def encoded_forms(words: Iterable[str]) -> tuple[bytes, ...]:
    """The same as bytes: in UTF-8, and as JSON escapes them."""
    found = {word.encode("utf-8", "surrogateescape") for word in words}
    found |= {json.dumps(word)[1:-1].encode() for word in words}
    return tuple(sorted(found, key=len, reverse=True))


def holds_form(data: bytes, wanted: Iterable[bytes]) -> bool:
    """Whether any form of the text is in these bytes."""
    return any(form in data for form in wanted)


def without_marks(text: str) -> str:
    """What somebody says in lines of a page."""
    return _MARKS.sub("", text)


def scrub_text(text: str, words: Iterable[str]) -> str:
    """The text with every occurrence replaced, but in marks of our own."""
    parts = _MARKS.split(text)  # every second is a mark
    for word in words:
        parts[::2] = [part.replace(word, PURGED) for part in parts[::2]]
    return "".join(parts)


def scrub_bytes(data: bytes, forms: Iterable[bytes]) -> bytes:
    """The same of bytes that are not read."""
    for form in forms:
        data = data.replace(form, PURGED.encode())
    return data


def scrub_record(value: Any, words: tuple[str, ...]) -> Any:
    """A record, or part of one, with the text taken out of every string that bankd does not go by."""
    match value:
        case str():
            return scrub_text(value, words)
        case dict():
            return {key: item if _is_own(key, item) else scrub_record(item, words) for key, item in value.items()}
        case list() | tuple():
            return [scrub_record(item, words) for item in value]
        case _:
            return value


def _is_own(field: str, value: object) -> bool:
    return field in (_OWN_FIELDS if isinstance(value, str) else _OWN_LISTS)

"""What became of a line of a log, and where a memory came from; whether a bank has lost any; how a text is purged.

Verifying goes by logs and pages, and does not trust what runs noted about them.

A purge replaces the text in records, but not in the fields that bankd itself needs: the day of a run, an id, the path of
a page. Nobody said those, and a record without them cannot be read.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bankd.memory.ledger import DUPLICATE, KEPT, REVISED, SCREENED, Event, Ledger
from bankd.memory.retain import PROPOSED, REFUSED, LogPlace, LogReading, RetainLine
from bankd.pages.memory import render_memory, statement_of
from bankd.pages.scanner import BlockKind, scan_text
from bankd.secrets.screening import Finder, find_secrets, mask_secrets, screen_text
from bankd.words.analysis import has_hangul
from bankd.words.tables import split_words


@dataclass(frozen=True, slots=True)
class Trace:
    """What became of one line: in a word, and in a sentence."""

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
    """What became of a line of a log, without secrets; `pages` tells on which pages the memories of that log are now."""
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
    kind, day = str(fact["type"]), str(fact["at"])[:10]
    if kind == DUPLICATE and fact.get("overruled"):
        return kind, f"not taken in: {fact['reason']}"
    sentences = {
        DUPLICATE: f"says what {fact.get('of')} already says; blocked on {day}",
        SCREENED: f"held back on {day}: it looks like a credential ({fact.get('looks_like')})",
        KEPT: "was kept, and no page holds it now; the next run will note that it was taken out by hand",
    }
    return kind, sentences.get(kind, kind)


def source_line(id_: str, reading: LogReading) -> RetainLine | None:
    """The line of a memory in its log as it is now; line numbers change when a log is edited."""
    return next((line for line in reading.lines if line.id == id_), None)


def life_of(id_: str, ledger: Ledger, merged: Sequence[str]) -> list[str]:
    """What happened to a memory since it was kept, in words; `merged` are the memories that were merged into it."""
    lines = [f"said again in memory/{item['log']}:{item['line']}" for item in confirmations(id_, ledger)]
    lines += [
        f"its line was edited; until {str(item['at'])[:10]} it said: {item.get('said')}"
        for item in ledger.revisions.get(id_, ())
    ]
    lines += [f"says all that {other} said, which is in the archive" for other in merged if other in ledger.gone]
    successors, signals = ledger.successors(), ledger.signals_of(id_)
    if id_ in ledger.allowed:
        lines.append(f"was blocked as saying what {ledger.allowed[id_].get('of')} says; a person let it in")
    lines += [f"says newer what {old} says" for old, new in successors.items() if new == id_]
    if newer := successors.get(id_):
        lines.append(f"superseded by {newer}: {ledger.supersessions[id_].get('reason')}")
    for what, days in (("used", signals.used), ("ignored", signals.ignored)):
        if days:
            lines.append(f"{what} {len(days)} time{'s' * (len(days) > 1)}, last on {max(days)}")
    if signals.importance is not None:
        lines.append(f"has importance {signals.importance} of 10")
    if id_ in ledger.restored:
        lines.append(f"brought back on {ledger.restored[id_]}")
    if id_ in ledger.gone:
        gone = ledger.gone[id_]
        lines.append(f"{gone['type']} on {gone['at']}" + (f": {gone['reason']}" if gone.get("reason") else ""))
    return lines


def confirmations(id_: str, ledger: Ledger) -> list[Event]:
    """The lines that were blocked because they say what this memory says, oldest first."""
    facts = (fact for fact in ledger.consumed.values() if fact["type"] == DUPLICATE and not fact.get("overruled"))
    return sorted(
        (fact for fact in facts if fact.get("of") == id_), key=lambda fact: (str(fact["at"]), str(fact["id"]))
    )


_PROSE = (
    "not taken in, found by search; to have it remembered: bankctl add 'W: …', or tag it `- W: …` below `## Retain`"
)
_SENTENCES = {
    BlockKind.BLANK: ("empty", "nothing stands there"),
    BlockKind.HEADING: (
        "heading",
        "search reads it with the text below it; lines to remember go below `## Retain`",
    ),
    BlockKind.COMMENT: ("comment", "neither taken in nor searched"),
    BlockKind.FRONT_MATTER: ("front matter", "not taken in, found by search"),
    BlockKind.RULE: ("rule", "neither taken in nor searched"),
    BlockKind.REFERENCE: ("link", "neither taken in nor searched"),
    BlockKind.FENCE: ("code", "not taken in, found by search"),
    BlockKind.CODE: ("code", "not taken in, found by search"),
}


def describe_line(trace: Trace, text: str, reading: LogReading, finders: Sequence[Finder] = ()) -> Trace:
    """The trace of a line that is not a Retain line: what it is in the text of its log."""
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
"""The marks of bankd in a text: an id, a confidence with its day, and the name of a block without an id. Other digests are
not marks: many credentials look like digests."""
_OWN_FIELDS = split_words(
    "at by call cycle day due elsewhere id job key kind log memory of op other outcome page path planned_at reply run slot",
    "to type undoes was",
)
_OWN_LISTS = split_words("digests needs")
"""The fields of events, journals, replies and the ledger of runs that bankd needs: strings, and lists."""


def text_forms(text: str) -> tuple[str, ...]:
    """The lines of a text in both Unicode forms that a disk may hold, the longest first; too short ones are left out."""
    lines = {unicodedata.normalize("NFC", line.strip()) for line in text.split("\n")}
    long = [line for line in lines if len(line) >= (_SHORTEST_HANGUL if has_hangul(line) else _SHORTEST)]
    forms = {unicodedata.normalize(form, line) for line in long for form in ("NFC", "NFD")}
    return tuple(sorted(forms, key=lambda line: (-len(line), line)))


def encoded_forms(words: Iterable[str]) -> tuple[bytes, ...]:
    """The words as bytes: in UTF-8, and with the escapes of JSON."""
    found = {word.encode("utf-8", "surrogateescape") for word in words}
    found |= {json.dumps(word)[1:-1].encode() for word in words}
    return tuple(sorted(found, key=len, reverse=True))


def holds_form(data: bytes, wanted: Iterable[bytes]) -> bool:
    """Whether these bytes contain the text in any of its encoded forms (see `encoded_forms`)."""
    return any(form in data for form in wanted)


def without_marks(text: str) -> str:
    """The text without the marks of bankd."""
    return _MARKS.sub("", text)


def scrub_text(text: str, words: Iterable[str]) -> str:
    """Replace the words everywhere in a text, but not in the marks of bankd."""
    parts = _MARKS.split(text)  # every second piece is a mark
    for word in words:
        parts[::2] = [part.replace(word, PURGED) for part in parts[::2]]
    return "".join(parts)


def scrub_bytes(data: bytes, forms: Iterable[bytes]) -> bytes:
    """Replace the forms everywhere in bytes whose format is not known."""
    for form in forms:
        data = data.replace(form, PURGED.encode())
    return data


def scrub_record(value: Any, words: tuple[str, ...]) -> Any:
    """Replace the words in every string of a record, but not in the fields that bankd needs."""
    if isinstance(value, str):
        return scrub_text(value, words)
    if isinstance(value, dict):
        return {key: item if _is_own(key, item) else scrub_record(item, words) for key, item in value.items()}
    return [scrub_record(item, words) for item in value] if isinstance(value, list | tuple) else value


def _is_own(field: str, value: object) -> bool:
    return field in (_OWN_FIELDS if isinstance(value, str) else _OWN_LISTS)


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A line that was not taken in: its place, the kind of trouble, its text without secrets, the reason, and its key."""

    place: LogPlace
    kind: str
    text: str
    reason: str
    key: str

    @property
    def is_offered(self) -> bool:
        """Whether the user can accept it as it is; if not, the log must be corrected."""
        return self.kind in {REFUSED, PROPOSED}


def held_back_in(
    reading: LogReading, ledger: Ledger, withheld: Mapping[str, str], finders: Sequence[Finder] = ()
) -> tuple[HeldBack, ...]:
    """The lines of a log that wait for a person, in their order.

    `withheld` has what the credential in a line looks like, by its id, for the lines that the ledger does not know yet.
    """
    found = []
    for bad in reading.bad:
        shown = bad.screened(finders)
        found.append(HeldBack(bad.place, bad.kind, shown.text, shown.reason, bad.key))
    for line in reading.lines:
        fact = ledger.consumed.get(line.id, {})
        kind = fact.get("looks_like", "") if fact.get("type") == SCREENED else withheld.get(line.id)
        if kind is not None:
            text = render_memory(line.memory)
            secrets = find_secrets(text, finders)
            masked = mask_secrets(text, secrets) if secrets else ""  # the patterns may have changed: then show nothing
            reason = f"it looks like a credential ({kind}); take it out of the log and change it"
            found.append(HeldBack(line.place, "screened", masked, reason, line.id))
    return tuple(sorted((item for item in found if item.key not in ledger.dismissed), key=lambda item: item.place))


@dataclass(frozen=True, slots=True)
class VerifyFinding:
    """One problem: its kind (`lost`, `twice`, `link`, `left over`, `unreadable`), its place, and a description."""

    kind: str
    place: str
    words: str


@dataclass(frozen=True, slots=True)
class Emptied:
    """A page that is empty now; its memories count as deleted only after `days` days."""

    page: str
    memories: int
    days: int

    @property
    def words(self) -> str:
        """The finding in words, for people."""
        which = f"{self.memories} memories stood on it" if self.memories > 1 else "1 memory stood on it"
        days = f"{self.days} day{'s' if self.days > 1 else ''}"
        return f"is empty, perhaps cut by an unfinished save; {which}, taken for deleted after {days}"


@dataclass(frozen=True, slots=True)
class Verification:
    """How much was checked, how many lines wait for the next run, the problems, and which pages were just emptied."""

    lines: int
    memories: int
    waiting: int
    findings: tuple[VerifyFinding, ...]
    emptied: tuple[Emptied, ...] = ()


def find_lost(
    readings: Sequence[LogReading], places: Mapping[str, Sequence[str]], ledger: Ledger
) -> Iterator[VerifyFinding]:
    """Retain lines that were taken in and left nothing: no page, no archive, no tombstone.

    Then the memories whose log line is gone too, so that only the event log knows them.
    """
    lines = [line for reading in readings for line in reading.lines]
    for line in lines:
        if words := _why_lost(line.id, places, ledger):
            yield VerifyFinding("lost", str(line.place), words)
    in_logs = {line.id for line in lines}
    for id_ in find_missing_memories(places, ledger):
        if id_ not in in_logs:
            fact = ledger.consumed[id_]
            place = f"memory/{fact.get('log')}:{fact.get('line')}"
            yield VerifyFinding("lost", place, f"{id_} is on no page, and its log line is gone too")


def _why_lost(id_: str, places: Mapping[str, Sequence[str]], ledger: Ledger) -> str:
    fact = ledger.consumed.get(id_, {"type": SCREENED})
    if fact["type"] == SCREENED or id_ in places or id_ in ledger.gone:
        return ""
    other = str(fact.get("of"))
    is_known = other in places or other in ledger.gone
    if fact["type"] == REVISED:
        return "" if is_known else f"{other} was to follow it, and is on no page"
    if fact["type"] == DUPLICATE:
        is_known = is_known or not other.startswith("m-") or bool(fact.get("text"))
        return "" if is_known else f"was blocked because {other} says the same, and {other} is gone"
    return f"became {id_}, which is on no page; if you took it out, the next run will note that"


def count_waiting(readings: Iterable[LogReading], places: Mapping[str, Sequence[str]], ledger: Ledger) -> int:
    """How many Retain lines no run has taken in yet."""
    lines = [line for reading in readings for line in reading.lines]
    return sum(line.id not in ledger.consumed and line.id not in places for line in lines)


def find_missing_memories(places: Mapping[str, Sequence[str]], ledger: Ledger) -> list[str]:
    """The ids of memories that were kept, are in no place, and were not noted as taken out."""
    kept = {id_ for id_, fact in ledger.consumed.items() if fact["type"] == KEPT}
    return sorted(kept - places.keys() - ledger.gone.keys())

"""Provenance both ways: from a memory to the log line it came from, and from any line of a log to what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bankd.core.lifecycle.events import DUPLICATE, KEPT, SCREENED, Event, Ledger
from bankd.core.lifecycle.retain import LogPlace, LogReading, RetainLine
from bankd.core.markdown.memory import statement_of
from bankd.core.markdown.scanner import BlockKind, scan_text
from bankd.core.secrets.screening import Finder, find_secrets, mask_secrets, screen_text
from bankd.core.use.signals import UseSignals


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

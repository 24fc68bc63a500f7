"""Questions about a workspace: where a memory came from, and what became of a log line."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Any

from bankd.app.workspace import Workspace
from bankd.core.language.analysis import has_hangul
from bankd.core.language.dates.labels import label_of
from bankd.core.language.dates.memory_days import days_spoken_of
from bankd.core.language.dates.spans import on
from bankd.core.lifecycle.events import Event, Ledger, day_of
from bankd.core.lifecycle.provenance import Trace, confirmations, describe_line, life_of, source_line, trace_line
from bankd.core.lifecycle.retain import PROFILES, LogPlace
from bankd.core.markdown.memory import Memory, parse_memory, split_id, split_sources, statement_key
from bankd.core.markdown.page_lines import MARKER
from bankd.core.secrets.screening import screen_text
from bankd.core.use.strength import StrengthPoint, curve_of
from bankd.errors import UserError


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory with its places, its text, what its tag means, its source line and what happened to it since."""

    id: str
    places: list[str]
    text: str
    meaning: str | None
    source: str | None
    history: list[str]
    questions: list[str]
    """Those below its line, in its log."""
    when: str = ""
    """The days that it is of and how far away they are; empty when nobody knows."""
    strength: float | None = None
    """0 to 1, today; None of what nobody knows when it was learned, or what no page holds."""
    curve: list[StrengthPoint] = field(default_factory=list)
    """How it came to that, from the day on which it was learned to today."""
    written: tuple[str, ...] = ()
    """What a model wrote, by which it is found too; no part of what is known."""


def describe_memory(found: FoundMemory) -> dict[str, Any]:
    """The same as plain values."""
    points = [point._asdict() | {"day": point.day.isoformat()} for point in found.curve]
    return asdict(replace(found, curve=[])) | {"curve": points}


def trace_log_line(workspace: Workspace, log: str, line: int) -> Trace:
    """What became of a line of a log; UserError when there is no such log."""
    workspace.catalog.refresh(workspace.now)
    ledger = workspace.transactions.ledger()
    reading = workspace.read_log(log, ledger)
    if reading is None:
        raise UserError(f"memory/{log}: no such log")
    memories = (ledger.revised.get(item.id, item.id) for item in reading.lines)
    finders = workspace.finders()
    trace = trace_line(reading, line, ledger, workspace.catalog.pages_of(memories), finders)
    if trace.outcome != "prose":
        return trace
    return describe_line(trace, workspace.logs.text(log), reading, finders)


def find_memory(workspace: Workspace, id_: str, *, is_korean: bool = False) -> FoundMemory:
    """A memory by its id: where it stands, what it says, where it came from; UserError when nobody knows it.

    Its days are named in Korean for a reader of Korean, or where its own text is Korean.
    """
    workspace.catalog.refresh(workspace.now)
    ledger = workspace.transactions.ledger()
    copies = workspace.catalog.copies_of(id_)
    fact = ledger.consumed.get(id_)
    if not copies and fact is None:
        raise UserError(f"{id_}: no memory with this id, no line memory/LOG.md:N and no run; bankctl search finds ids")
    places, texts = [place for place, _ in copies], [text for _, text in copies]
    history = life_of(id_, ledger, _merged_into(texts))
    text, meaning = texts[0] if texts else "", _meaning(workspace, texts)
    source, questions = _source(workspace, id_, ledger)
    today, memory = workspace.now.date(), parse_memory(MARKER.sub("", text)) if text else None
    when = _when(memory, fact, today, is_korean=is_korean) if memory else ""
    curve = _curve(id_, memory, ledger, today) if memory else []
    strength = curve[-1].after if curve else None
    enrichment = workspace.outside.enriched.of(statement_key(memory.text, memory.entities)) if memory else None
    written = enrichment.asked if enrichment else ()
    return FoundMemory(id_, places, text, meaning, source, history, list(questions), when, strength, curve, written)


def _curve(id_: str, memory: Memory, ledger: Ledger, today: date) -> list[StrengthPoint]:
    """How strong a memory of the bank was over its life; nothing of one of which nobody knows when it was learned."""
    fact = ledger.consumed.get(id_)
    learned = day_of(fact) if fact else None
    if learned is None or learned > today:
        return []
    said_again = [day_of(again) for again in confirmations(id_, ledger)]
    return curve_of(learned, said_again, ledger.signals_of(id_), today, is_pinned=memory.is_pinned)


def _when(memory: Memory, fact: Event | None, today: date, *, is_korean: bool) -> str:
    """The days that a memory speaks of, else that of its log, else that of its confidence."""
    written = memory.confidence.day if memory.confidence else None
    learned = LogPlace(str(fact.get("log", "")), 0).day(day_of(fact)) if fact else written
    about = days_spoken_of(memory.text, learned, memory.tag)
    days = about[0] if about else on(learned) if learned else None
    return label_of(days, today, is_korean=is_korean or has_hangul(memory.text)) if days else ""


def _meaning(workspace: Workspace, texts: list[str]) -> str | None:
    """What the tag of a memory means to those who write the logs."""
    tag = parse_memory(MARKER.sub("", texts[0])).tag if texts else None
    return PROFILES[workspace.settings.retain.profile].get(tag) if tag else None


def _merged_into(texts: list[str]) -> list[str]:
    """The memories that the lines of one name as its sources."""
    lines = (line for text in texts for line in text.split("\n"))
    return [id_ for line in lines for id_ in split_sources(split_id(line)[0])[1]]


def _source(workspace: Workspace, id_: str, ledger: Ledger) -> tuple[str | None, tuple[str, ...]]:
    """Where the line of a memory stands in its log now, and the questions below it."""
    fact = ledger.consumed.get(id_)
    if fact is None:
        return None, ()
    readings = (workspace.read_log(log, ledger) for log in ledger.names_of(str(fact.get("log"))))
    line = next(
        (found for reading in readings if reading and (found := source_line(ledger.line_of(id_), reading))), None
    )
    if line is None:
        return f"memory/{fact.get('log')}:{fact.get('line')} (the line is not there any more)", ()
    return str(line.place), tuple(screen_text(question, workspace.finders()) for question in line.questions)

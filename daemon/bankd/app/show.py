"""Questions about a workspace: where a memory came from, what became of a log line, and what past runs did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from difflib import unified_diff
from threading import Event as Pause
from typing import Any

from bankd.app.recording import RunRows
from bankd.app.workspace import Workspace
from bankd.core.daemon.schedule_rows import logged_run
from bankd.core.edits.journal import Journal
from bankd.core.edits.transaction import HEALING, replay_transaction
from bankd.core.language.analysis import has_hangul
from bankd.core.language.dates.labels import label_of
from bankd.core.language.dates.memory_days import days_spoken_of
from bankd.core.language.dates.spans import on
from bankd.core.lifecycle.events import Event, Ledger, day_of
from bankd.core.lifecycle.provenance import Trace, confirmations, describe_line, life_of, source_line, trace_line
from bankd.core.lifecycle.retain import PROFILES, LogPlace
from bankd.core.markdown.memory import Memory, parse_memory, split_id, split_sources, statement_key
from bankd.core.markdown.page_lines import MARKER
from bankd.core.markdown.scanner import decode_text, encode_text
from bankd.core.plan.report import ReportRow
from bankd.core.secrets.screening import screen_text
from bankd.core.use.strength import StrengthPoint, curve_of
from bankd.errors import UserError

_LOOK_SECONDS = 0.3


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


# past runs


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that a run changed, with its difference as lines; `is_new` and `is_gone` say what the lines cannot."""

    path: str
    is_new: bool
    is_gone: bool
    diff: tuple[str, ...]


def list_runs(workspace: Workspace) -> list[dict[str, Any]]:
    """The rows of the history, newest first, each with the number of its journal when it can be undone."""
    journals = [*workspace.transactions.journals.all()]
    kept = {j.transaction.run: j.seq for j in journals if j.transaction.kind not in HEALING}
    logged = (run for row in workspace.recorder.open_ledger().read() if (run := logged_run(row)))
    rows = [{**run, "undoable": kept.get(run["run"])} for run in logged]
    known = {row["run"] for row in rows}
    for journal in journals:
        transaction = journal.transaction
        if transaction.run not in known:
            found = {
                "run": transaction.run,
                "cycle": transaction.kind,
                "at": transaction.planned_at,
                "status": "changed",
            }
            rows.append({**found, "undoable": kept.get(transaction.run)})
    return sorted(rows, key=lambda row: datetime.fromisoformat(row["at"]))[::-1]


@dataclass(frozen=True, slots=True)
class RunPage:
    """A run as `bankctl show` prints it: its row of the history, its report, and what it changed, file by file."""

    run: str
    row: Mapping[str, Any]
    rows: Sequence[ReportRow]
    files: Sequence[ChangedFile]
    is_undoable: bool


def show_run(workspace: Workspace, wanted: str) -> RunPage:
    """What a run did and changed; UserError when nothing of it is kept."""
    journals = [j for j in workspace.transactions.journals.all() if wanted in {j.transaction.run, str(j.seq)}]
    run = journals[0].transaction.run if journals else wanted
    known: list[Mapping[str, Any]] = [row for row in list_runs(workspace) if row.get("run") == run]
    if not known:
        raise UserError(f"{wanted}: no such run is kept; `bankctl log` lists those that are")
    files = [file for journal in journals for file in _changes(workspace, journal)]
    return RunPage(run, known[0], workspace.recorder.reports.read(run), files, bool(journals))


def _changes(workspace: Workspace, journal: Journal) -> list[ChangedFile]:
    before, after = images_of(workspace, journal)
    found = []
    for path, old in before.items():
        new = after[path]
        lines = unified_diff(_lines(old), _lines(new), path, path, lineterm="", n=2)
        found.append(ChangedFile(path, old is None, new is None, tuple(lines)))
    return found


def _lines(data: bytes | None) -> list[str]:
    return decode_text(data or b"").split("\n")


def images_of(workspace: Workspace, journal: Journal) -> tuple[Mapping[str, bytes | None], Mapping[str, bytes | None]]:
    """The files of a run from before it, and as it left them."""
    before = {path: None if text is None else encode_text(text) for path, text in sorted(journal.before.items())}
    transactions = workspace.transactions
    return before, replay_transaction(journal.transaction, before, transactions.look, transactions.rewrite)


def follow_runs(ledger: RunRows) -> Iterator[dict[str, Any]]:
    """Each row that is added from now on, for ever."""
    pause = Pause()
    while True:
        yield from (run for row in ledger.learn() if (run := logged_run(row)))
        pause.wait(_LOOK_SECONDS)

"""Use cases that explain: where a memory came from, and what became of a log line.

Also feedback from people and agents: which memories were useful, and how important one is.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Any, NamedTuple

from bankd.app.workspace import Said, Workspace, record_run
from bankd.briefing.recalled import DOUBT
from bankd.errors import UsageError, UserError
from bankd.memory.ledger import FORGOTTEN, Event, Ledger, day_of, day_said
from bankd.memory.report import ReportRow, Trace, confirmations, describe_line, life_of, source_line, trace_line
from bankd.memory.retain import PROFILES, SOURCED, part_replaced
from bankd.memory.undo import lines_deleted
from bankd.memory.use import IGNORED, IMPORTANCE, TAKEN_BACK, USED, StrengthPoint, curve_of
from bankd.night.distil import log_of
from bankd.pages.memory import PIN, Memory, parse_memory, split_id, split_sources
from bankd.pages.page import MARKER, read_page
from bankd.secrets.screening import screen_text
from bankd.words.analysis import has_hangul
from bankd.words.day_mentions import days_spoken_of
from bankd.words.days import label_of, on

_UNKNOWN = "{}: no page holds it; bankctl search finds memories by their words"


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory with its places, its text, the meaning of its tag, its source line and what happened to it."""

    id: str
    places: list[str]
    text: str
    meaning: str | None
    source: str | None
    history: list[str]
    questions: list[str]
    """The questions below its line, in its log."""
    when: str = ""
    """The days that it is about and how far away they are; empty when they are not known."""
    strength: float | None = None
    """0 to 1, today; None when the day it was learned is not known, or no page holds it."""
    curve: list[StrengthPoint] = field(default_factory=list)
    """Its strength from the day on which it was learned to today."""


def describe_memory(found: FoundMemory) -> dict[str, Any]:
    """A found memory as plain values, for JSON."""
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
    finders, newer, catalog = workspace.finders(), ledger.successors(), workspace.catalog

    def says(id_: str) -> tuple[str | None, str | None]:
        return catalog.plain_texts_of([id_]).get(id_), newer.get(id_)

    trace = trace_line(reading, line, ledger, catalog.pages_of(memories), finders, says)
    if trace.outcome != "prose":
        return trace
    trace = describe_line(trace, workspace.logs.text(log), reading, finders)
    distilled = log_of(log, workspace.now.date())
    for number, row in enumerate((workspace.logs.text(distilled) or "").split("\n"), 1):
        if any(one["log"] == log and str(line) in one["lines"].split(",") for one in SOURCED.finditer(row)):
            return replace(trace, sentence=f"what was made of it: bankctl show memory/{distilled}:{number}")
    return trace


def memory_at(workspace: Workspace, path: str, line: int) -> str:
    """The id of the memory that stands in this line of a page of the bank; UserError when none does."""
    file = _file_of(workspace, path) or ""
    data = workspace.files.read(file) if file.startswith("bank/") else None
    if data is None:
        raise UserError(f"{path}: no such page")
    page = read_page(file.removeprefix("bank/"), data)
    for entry in page.entries:
        if entry.memory.id and entry.line <= line <= entry.line + page.text_of(entry).rstrip("\n").count("\n"):
            return entry.memory.id
    raise UserError(f"{file}:{line}: no memory stands in this line")


def _file_of(workspace: Workspace, path: str) -> str | None:
    """The Markdown file that a person names, relative to the workspace: `bank/` and `.md` may be left out."""
    names = (f"{folder}{path.removesuffix('.md')}.md" for folder in ("", "bank/"))
    return next((name for name in names if ".." not in name and (workspace.root / name).is_file()), None)


def find_memory(workspace: Workspace, id_: str, *, is_korean: bool = False) -> FoundMemory:
    """Everything known about the memory with this id; UserError when there is none.

    Its days are written in Korean with `is_korean`, or where its own text is Korean.
    """
    workspace.catalog.refresh(workspace.now)
    ledger = workspace.transactions.ledger()
    copies = workspace.catalog.copies_of(id_)
    fact = ledger.consumed.get(id_)
    if not copies and fact is None:
        raise UserError(f"{id_}: no such memory, log line (memory/LOG.md:N) or run; bankctl search --ids finds ids")
    places, texts = [place for place, _ in copies], [text for _, text in copies]
    sources = (split_sources(split_id(line)[0])[1] for text in texts for line in text.split("\n"))
    history = life_of(id_, ledger, [other for named in sources for other in named])
    source, questions, said = _source(workspace, id_, ledger)
    history = [*_why_there(workspace, id_, places, fact), *history] if fact else history
    if not (text := texts[0] if texts else ""):
        gone = ledger.gone.get(id_, {})
        last = "" if gone.get("type") == FORGOTTEN else (lines_deleted(gone) or said).strip()
        return FoundMemory(id_, places, last, None, source, history, list(questions))
    today, memory, curve = workspace.now.date(), parse_memory(MARKER.sub("", text)), list[StrengthPoint]()
    now = workspace.catalog.plain_texts_of([id_]).get(id_, memory.text).removesuffix(PIN)
    if said and " ".join(said.split()) != " ".join(now.split()):
        history.append(f"reworded by hand; its log line says: {said}")
    waiting = (part_replaced(item.text)[1] for item in workspace.logs.held_back())
    if id_ in ledger.asked_about() or id_ in waiting:
        history.append(DOUBT)
    meaning = PROFILES[workspace.settings.retain.profile].get(memory.tag) if memory.tag else None
    when = _when(memory, fact, today, is_korean=is_korean)
    if fact and (learned := day_of(fact)) <= today:
        said_again = [day_of(again) for again in confirmations(id_, ledger)]
        curve = curve_of(learned, said_again, ledger.signals_of(id_), today, is_pinned=memory.is_pinned)
    strength = curve[-1].after if curve else None
    return FoundMemory(id_, places, text, meaning, source, history, list(questions), when, strength, curve)


def locate(workspace: Workspace, what: str) -> tuple[str, int]:
    """The file below the workspace and the 1-based line of a memory, a log line or a page; UserError when there is none."""
    path, _, line = what.removeprefix("./").rpartition(":")
    if line.isdecimal() and (file := _file_of(workspace, path)):
        lines = len((workspace.root / file).read_bytes().splitlines())
        if not 0 < int(line) <= max(lines, 1):
            raise UserError(f"{file}:{line}: no such line; the last is {lines}")
        return file, int(line)
    workspace.catalog.refresh(workspace.now)
    if copies := workspace.catalog.copies_of(what):
        path, _, line = copies[0][0].rpartition(":")
        return path, int(line)
    workspace.graph.refresh()
    names = workspace.graph.names
    if page := names.page(what.removeprefix("@")):
        return page, 1
    for name in (what, f"memory/{what.removesuffix('.md')}.md"):
        if name.endswith(".md") and ".." not in name and (workspace.root / name).is_file():
            return name, 1
    if near := names.similar_page(what):
        raise UserError(f"{what}: no memory with this id, no line FILE:N and no page; did you mean {near}?")
    raise UserError(f"{what}: no memory with this id, no line FILE:N and no page; bankctl search --ids finds ids")


_AT_PLACE = {"code", "codium", "code-insiders", "cursor", "windsurf", "zed", "subl", "hx", "helix"}
"""Editors that take `file:line`; the first ones after `-g`."""
_AFTER_GOTO = {"code", "codium", "code-insiders", "cursor", "windsurf"}
_AT_LINE = {"vi", "vim", "nvim", "gvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "pico", "view"}
"""Editors that take `+line file`."""


def editor_command(environment: Mapping[str, str], path: str, line: int) -> list[str]:
    """The command that opens a file at a line: `$VISUAL`, `$EDITOR` with its options, or vi."""
    words = shlex.split(environment.get("VISUAL") or environment.get("EDITOR") or "") or ["vi"]
    name = words[0].rpartition("/")[2]
    if name in _AT_PLACE:
        return [*words, *(["-g"] if name in _AFTER_GOTO else []), f"{path}:{line}"]
    return [*words, f"+{line}", path] if name in _AT_LINE else [*words, path]


def _when(memory: Memory, fact: Event | None, today: date, *, is_korean: bool) -> str:
    """The days that a memory mentions, else the day of its log, else that of its confidence."""
    learned = day_said(fact) or (memory.confidence.day if memory.confidence else None)
    about = days_spoken_of(memory.text, learned, memory.tag)
    days = about[0] if about else on(learned) if learned else None
    return label_of(days, today, is_korean=is_korean or has_hangul(memory.text)) if days else ""


def _why_there(workspace: Workspace, id_: str, places: Sequence[str], fact: Event) -> Iterator[str]:
    """The run that first put a memory on a page, with its reason, and the one that put it where it stands, if that differs.

    Nothing where the report of the first is gone.
    """
    run, place = str(fact.get("run")), f"memory/{fact.get('log')}:{fact.get('line')}"
    rows = workspace.reports.read(run)
    for reason in [row.reason for row in rows if row.place == place and row.kind in {"learned", "inbox"}][:1]:
        yield f"placed by {run} on {reason}"
        now = places[0].rpartition(":")[0] if places else ""
        if now and re.split("[#:]", reason)[0] != now:
            journals = [one for one in workspace.transactions.journals.all() if now in one.before]
            brought = [one.transaction.run for one in journals if f"^{id_}" not in (one.before[now] or "")]
            yield f"put on {now} by {brought[-1]}" if brought else f"put on {now} by hand"


def _source(workspace: Workspace, id_: str, ledger: Ledger) -> tuple[str | None, tuple[str, ...], str]:
    """The place of a memory's line in its log now, the questions below it, and its text there, without secrets."""
    fact = ledger.consumed.get(id_)
    if fact is None:
        return None, (), ""
    line = source_line(id_, ledger, workspace.logs.read)
    if line is None:
        return f"memory/{fact.get('log')}:{fact.get('line')} (the line is not there any more)", (), ""
    questions = tuple(screen_text(question, workspace.finders()) for question in line.questions)
    return str(line.place), questions, screen_text(line.memory.text, workspace.finders())


class Feedback(NamedTuple):
    """The ids of useful memories, of those that were not useful, and of those that no page holds."""

    used: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def give_feedback(workspace: Workspace, used: Sequence[str], ignored: Sequence[str] = ()) -> Feedback:
    """Note which memories were of use, and which were not; one named as both was used. UserError when none is known."""
    workspace.catalog.refresh(workspace.now)
    held = workspace.catalog.pages_of([*used, *ignored])
    said = Feedback(
        tuple(dict.fromkeys(id_ for id_ in used if id_ in held)),
        tuple(dict.fromkeys(id_ for id_ in ignored if id_ in held and id_ not in used)),
        tuple(dict.fromkeys(id_ for id_ in (*used, *ignored) if id_ not in held)),
    )
    if said.unknown and not (said.used or said.ignored):
        raise UserError(*map(_UNKNOWN.format, said.unknown))
    facts: list[Said] = [*((USED, id_, {}) for id_ in said.used), *((IGNORED, id_, {}) for id_ in said.ignored)]
    _note(workspace, "feedback", facts)
    return said


def set_importance(workspace: Workspace, id_: str, number: str) -> None:
    """Note how important a memory is, 1 to 10; UsageError for another number, UserError when no page holds it."""
    if number not in map(str, range(1, 11)):
        raise UsageError("importance is a number from 1 to 10")
    workspace.catalog.refresh(workspace.now)
    if id_ not in workspace.catalog.pages_of([id_]):
        raise UserError(_UNKNOWN.format(id_))
    before = workspace.transactions.ledger().signals_of(id_).importance or TAKEN_BACK
    _note(workspace, "importance", [(IMPORTANCE, id_, {"value": int(number), "before": before})])


def _note(workspace: Workspace, name: str, said: Sequence[Said]) -> None:
    if said and not workspace.is_dry:
        rows = [ReportRow("=", kind, id_, "", str(facts.get("value", ""))) for kind, id_, facts in said]
        events = ((kind, id_, {"memory": id_, **facts}) for kind, id_, facts in said)
        record_run(workspace, name, Counter(kind for kind, _, _ in said), rows, said=events)
        with suppress(UserError):  # the event is written; the next refresh of the index reads it
            workspace.index.catch_up(workspace.now)

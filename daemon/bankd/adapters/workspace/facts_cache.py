"""The facts for briefings as they were last read: a session waits for its start, and most start from the same bank.

Derived and disposable: whatever cannot be read is read again from the pages.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import Any

from bankd.adapters.system.staged_file import replace_file
from bankd.core.briefing.facts import BriefFacts, Happened, KnownMemory, OpenLine

PATH = ".bankd/brief-facts.json"


def kept_facts(root: Path, stamp: str) -> BriefFacts | None:
    """The facts that were kept under this stamp; None when there are none."""
    try:
        held = json.loads((root / PATH).read_bytes())
        if held["stamp"] != stamp:
            return None
        memories = tuple(map(_memory, held["memories"]))
        happened = tuple(Happened(kind, datetime.fromisoformat(at), *rest) for kind, at, *rest in held["happened"])
        lines = tuple(OpenLine(date.fromisoformat(day), *rest) for day, *rest in held["lines"])
        return BriefFacts(memories, happened, held["newer"], lines)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def keep_facts(root: Path, stamp: str, facts: BriefFacts) -> None:
    """Keep them for the next briefing; where nothing can be written they are read again."""
    held = {
        "stamp": stamp,
        "memories": [_row(memory) for memory in facts.memories],
        "happened": [[one.kind, one.at.isoformat(), one.key, one.by, one.place] for one in facts.happened],
        "newer": dict(facts.newer),
        "lines": [[line.day.isoformat(), line.text, line.place] for line in facts.log_lines],
    }
    with suppress(OSError):
        replace_file(root / PATH, json.dumps(held))


def _row(one: KnownMemory) -> list[Any]:
    days = [_text(one.learned), _text(one.used), [day.isoformat() for day in one.said]]
    fields = [one.key, one.path, one.line, one.text, one.tag, one.value, one.entities, one.heading, one.is_pinned]
    return [*fields, *days, one.links, _text(one.fades_on)]


def _memory(row: list[Any]) -> KnownMemory:
    key, path, line, text, tag, value, entities, heading, is_pinned, learned, used, said, links, fades_on = row
    return KnownMemory(
        key, path, line, text, tag, value, tuple(entities), tuple(heading), is_pinned,
        _day(learned), _day(used), tuple(map(date.fromisoformat, said)), links, _day(fades_on),
    )  # fmt: skip


def _text(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None

"""Briefings for a reader (a person or a session). What was shown is remembered, so nothing is said twice in a day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from bankd.briefing.choose import Briefing, make_briefing
from bankd.briefing.facts import Occasion
from bankd.briefing.shown import add_shown, last_seen, note_seen

if TYPE_CHECKING:
    from bankd.briefing.shown import Shown
    from bankd.wiring.reader import BankReader

USER = "user"
USER_SESSIONS = "sessions"
"""A reader for all sessions of all agents together: it records when the last one began."""


def brief_reader(
    modes: Sequence[str],
    bank: BankReader,
    now: datetime,
    readers: Sequence[str] = (USER,),
    subjects: tuple[str, ...] = (),
    project: str = "",
) -> list[Briefing]:
    """Make briefings one after another, empty ones too. No item is in two of them.

    They are for the first of the readers, and say what changed since the first of them that was seen before was last seen.
    All readers are noted as seen now. Memories of other projects than `project` are left out.
    """
    facts, shown, reader = bank.brief_facts(now), bank.shown(), readers[0]
    made: list[Briefing] = []
    for mode in modes:
        seen = frozenset(mark.rpartition(":")[0] for mark in shown.get(reader, {}))
        last = next(filter(None, (last_seen(shown, one) for one in readers)), None)
        made.append(make_briefing(mode, facts, Occasion(now, subjects, seen, last, project), shown, reader))
        shown = add_shown(shown, reader, made[-1].marks, now)
    for reader in readers:
        shown = note_seen(shown, reader, now)
    bank.remember_shown(shown)
    return made


def brief_asked(mode: str, bank: BankReader, subjects: tuple[str, ...], now: datetime | None = None) -> Briefing:
    """A briefing that somebody asked for in the folder of `bank`: complete, whatever was shown before; nothing is recorded."""
    now = now or bank.now()
    last = last_seen(bank.shown(), USER_SESSIONS)
    occasion = Occasion(now, subjects, last_here=last, project=bank.project)
    return make_briefing(mode, bank.brief_facts(now), occasion, {}, USER)


def modes_for_start(source: str, shown: Shown, now: datetime, has_subject: bool) -> list[str]:
    """The briefings at a session's start: `resume` for one that goes on, else `orient`, which says what changed since."""
    if source in {"resume", "compact"}:
        return ["resume"]
    last = last_seen(shown, USER_SESSIONS)
    is_first = last is None or last.astimezone(now.tzinfo).date() < now.date()
    return ["orient", *(["project"] if has_subject else []), *(["dates"] if now.hour >= 5 and is_first else [])]

"""Briefings for a reader, a person or a session; what was shown is remembered, so that nothing is said twice a day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bankd.briefing.choose import Briefing, make_briefing
from bankd.briefing.facts import Occasion
from bankd.briefing.shown import add_shown, last_seen, note_seen

if TYPE_CHECKING:
    from bankd.briefing.facts import BriefFacts
    from bankd.briefing.shown import Shown
    from bankd.wiring.reader import BankReader

USER = "user"
USER_SESSIONS = "sessions"
"""Stands for the sessions of all agents together, as far as it goes when one was last begun."""
_AWAY = timedelta(hours=4)
_MORNING_HOUR = 5


def brief_reader(
    modes: Sequence[str],
    bank: BankReader,
    now: datetime,
    readers: Sequence[str] = (USER,),
    subjects: tuple[str, ...] = (),
) -> list[Briefing]:
    """Make briefings one after another, of which no two say the same; empty ones are given too.

    They are for the first of the readers; all of them are remembered as having been here.
    """
    facts, shown = bank.brief_facts(now), bank.shown()
    made: list[Briefing] = []
    for mode in modes:
        made.append(_brief(mode, facts, now, shown, readers[0], subjects))
        shown = add_shown(shown, readers[0], made[-1].marks, now)
    for reader in readers:
        shown = note_seen(shown, reader, now)
    bank.remember_shown(shown)
    return made


def brief_asked(mode: str, bank: BankReader, subjects: tuple[str, ...]) -> Briefing:
    """The briefing for who asks for it by itself, whatever was shown before; nothing is remembered."""
    now = bank.now()
    return make_briefing(mode, bank.brief_facts(now), Occasion(now, subjects), {}, USER)


def _brief(
    mode: str, facts: BriefFacts, now: datetime, shown: Shown, reader: str, subjects: tuple[str, ...]
) -> Briefing:
    seen = frozenset(mark.rpartition(":")[0] for mark in shown.get(reader, {}))
    return make_briefing(mode, facts, Occasion(now, subjects, seen, last_seen(shown, reader)), shown, reader)


def modes_for_start(source: str, shown: Shown, now: datetime, has_subject: bool) -> list[str]:
    """What a session begins with: what it knew when it goes on, else where the user stands and what happened since."""
    if source in {"resume", "compact"}:
        return ["resume"]
    last = last_seen(shown, USER_SESSIONS)
    is_first = last is None or last.astimezone(now.tzinfo).date() < now.date()
    modes = ["orient", *(["project"] if has_subject else [])]
    if now.hour >= _MORNING_HOUR and is_first:
        return [*modes, "morning", "dates"]
    return [*modes, "since-last"] if last is not None and now - last >= _AWAY else modes

"""The modes of a briefing: when each is worth it, what it chooses, how much it may take; and a briefing made of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, time
from typing import NamedTuple

from bankd.core.briefing import choosing
from bankd.core.briefing.facts import BriefFacts, Item, Occasion
from bankd.core.briefing.shown import Shown, is_shown, mark_of
from bankd.core.briefing.tokens import count_tokens, cut_to_tokens

_LONGEST_ITEM = 120
"""Tokens of one item: nothing may crowd out all else."""

Choose = Callable[[BriefFacts, Occasion], Iterator[Item]]
Due = Callable[[datetime], bool]


def _always(_: datetime) -> bool:
    return True


def _never(_: datetime) -> bool:
    return False


def _weekly(now: datetime) -> bool:
    return now.weekday() == 0


def _in_the_morning(now: datetime) -> bool:
    return now.time() >= time(5)


def _in_the_evening(now: datetime) -> bool:
    return now.time() >= time(20)


class Mode(NamedTuple):
    """A mode: what fires it in words, its choice, its tokens, and when the daemon writes it (never: only when asked)."""

    fires: str
    choose: Choose
    tokens: int
    due: Due = _never
    repeats: bool = False
    """Whether what was shown today is said again."""


MODES: Mapping[str, Mode] = {
    "orient": Mode("a session starts, or is cleared", choosing.orient, 600),
    "resume": Mode("a session is resumed or compacted", choosing.resume, 400, repeats=True),
    "project": Mode("a session starts in a folder that memories name", choosing.project, 500),
    "person": Mode("a prompt names @Somebody", choosing.person, 400),
    "meeting": Mode("brief meeting @A @B", choosing.meeting, 600),
    "morning": Mode("the first session after 05:00", choosing.morning, 500, _in_the_morning),
    "day": Mode("20:00", choosing.day, 300, _in_the_evening),
    "week": Mode("Monday", choosing.week, 700, _weekly),
    "since-last": Mode("a reader is back after four hours", choosing.since_last, 400),
    "conflicts": Mode("two memories say different things", choosing.conflicts, 300, _always),
    "fading": Mode("Monday", choosing.fading, 250, _weekly),
    "loops": Mode("morning, project", choosing.loops, 300, _in_the_morning),
    "dates": Mode("daily", choosing.dates, 250, _always),
    "on-this-day": Mode("daily", choosing.on_this_day, 200, _always),
    "forgotten": Mode("Monday", choosing.forgotten, 200, _weekly),
    "decisions": Mode("brief decisions [WORD]", choosing.decisions, 500),
    "habits": Mode("Monday", choosing.habits, 200, _weekly),
    "quiz": Mode("brief quiz", choosing.quiz, 300),
}


class Briefing(NamedTuple):
    """What a mode says, and what stands for each item in the ledger of what was shown."""

    mode: str
    items: Sequence[Item]
    marks: Sequence[str]

    @property
    def text(self) -> str:
        """As lines of a list; empty when there is nothing to say."""
        return "".join(f"{item.line}\n" for item in self.items)


def make_briefing(mode: str, facts: BriefFacts, occasion: Occasion, shown: Shown, reader: str) -> Briefing:
    """Choose what is new to a reader, as much as fits."""
    rule, left, taken = MODES[mode], MODES[mode].tokens, dict[str, Item]()
    for item in rule.choose(facts, occasion):
        mark = mark_of(item.key, item.text)
        if mark in taken or (not rule.repeats and is_shown(shown, reader, mark, occasion.now)):
            continue
        short = Item(item.key, cut_to_tokens(item.text, _LONGEST_ITEM), item.place, item.day)
        left -= count_tokens(short.line + "\n")
        if left < 0:
            break
        taken[mark] = short
    return Briefing(mode, tuple(taken.values()), tuple(taken))


def due_modes(now: datetime, wanted: Sequence[str]) -> list[str]:
    """The modes that are due at a moment, of those that are wanted."""
    return [name for name, mode in MODES.items() if name in wanted and mode.due(now)]

"""The story of a night's prose: sections that no model has seen become lines of a log, and a run takes these in.

    find sections | ask | judge | have mended | put at the end of memory/distilled/DAY.md

What a model says is never believed by itself: a line that says more than the lines that it names waits for a person.
Whatever happens to an answer, the prose waits for the next night, and the run goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from bankd.core.distil.composing import JudgedLine, compose, judge_line, log_of, texts_in
from bankd.core.distil.mending import mendable, mended_in, mending_prompt
from bankd.core.distil.observing import DistilledLine, lines_in, prompt_for
from bankd.core.distil.prompts import Prompt, Reply, Unanswered
from bankd.core.distil.proposing import ProposedLine, propose_lines
from bankd.core.distil.sections import (
    DISTILLED,
    FOLDER,
    PROPOSED,
    ProseSection,
    distilled_keys,
    new_sections,
    sections_of,
)
from bankd.core.grounding.passages import Passage
from bankd.core.grounding.rewriting import as_read
from bankd.core.language.reading import read_statement
from bankd.core.lifecycle.retain import LogPlace
from bankd.core.markdown.policy import DistilPolicy
from bankd.core.plan.decisions import Deferred
from bankd.core.secrets.screening import Finder, screen_text
from bankd.errors import BankError
from bankd.ports.logs import ProseLogs
from bankd.ports.models import Models
from bankd.ports.reading import Wordings

_AT_ONCE = 8
"""Sections between two writes: what a crash loses of them was paid for, and is kept by the models' door."""


@dataclass(frozen=True, slots=True)
class ProseParts:
    """What reading prose needs: the logs, and what credentials look like."""

    logs: ProseLogs
    finders: Sequence[Finder]


@dataclass(frozen=True, slots=True)
class DistilParts(ProseParts):
    """What distilling needs beside: a model, and how texts are taken apart."""

    models: Models
    wordings: Wordings


class Distilled(NamedTuple):
    """What came of a night's prose: sections read, lines believed and not, and what waits and why."""

    sections: int = 0
    lines: int = 0
    refused: int = 0
    waiting: tuple[Deferred, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say of it."""
        if not self.sections:
            return ()
        refused = f", {self.refused} not believed: bankctl inbox" if self.refused else ""
        return (f"{self.sections} sections of prose distilled to {self.lines} lines in memory/{FOLDER}/{refused}",)


UNDISTILLED = Distilled()


class Proposed(NamedTuple):
    """What the rules find in a section."""

    section: ProseSection
    lines: Sequence[ProposedLine]


def find_sections(parts: ProseParts, policy: DistilPolicy, now: datetime, by: str = DISTILLED) -> list[ProseSection]:
    """The sections of the last days that nobody read as they are now, newest day first, without credentials.

    `by` says who reads: a model, or the rules that propose.
    """
    first = now.date() - timedelta(days=policy.days)
    logs = [log for log in parts.logs.settled(now) if not log.startswith(f"{FOLDER}/")]
    recent = [log for log in logs if LogPlace(log, 1).day(now.date()) >= first]
    found = [section for log in reversed(recent) for section in _sections_in(log, parts)]
    known = {
        key for log in {log_of(one, now.date()) for one in found} for key in distilled_keys(parts.logs.text(log), by)
    }
    return new_sections(found, known)


def _sections_in(log: str, parts: ProseParts) -> Iterator[ProseSection]:
    reading = parts.logs.read(log)
    if reading is not None:
        yield from sections_of(reading, screen_text(parts.logs.text(log), parts.finders))


def distil_prose(parts: DistilParts, policy: DistilPolicy, now: datetime) -> Distilled:
    """Have a model read what is new, and put what is believed of its lines, and what is not, into the distilled logs."""
    done, waiting = Distilled(), list[tuple[ProseSection, str]]()
    found = find_sections(parts, policy, now)
    for sections in (found[at : at + _AT_ONCE] for at in range(0, len(found), _AT_ONCE)):
        replies = _ask(sections, parts, policy)
        waiting += [(one, reply.reason) for one, reply in replies.items() if isinstance(reply, Unanswered)]
        judged = _mend(judge_distilled(_lines_of(replies), parts, now), parts, now)
        for section, lines in judged.items():
            problem = _write(section, lines, parts.logs, now)
            waiting += [(section, problem)] if problem else []
            done = done if problem else _counted(done, lines)
    return done._replace(waiting=tuple(_deferred(waiting)))


def mending_prompts(parts: DistilParts, policy: DistilPolicy, now: datetime) -> list[Prompt]:
    """What there will be to ask once more, by what the model says of what is new; nothing is written."""
    replies = _ask(find_sections(parts, policy, now), parts, policy)
    return [mending_prompt(*one) for one in _mendable(judge_distilled(_lines_of(replies), parts, now)).items()]


def _ask(
    sections: Sequence[ProseSection], parts: DistilParts, policy: DistilPolicy
) -> dict[ProseSection, Reply | Unanswered]:
    answers = parts.models.answer([prompt_for(section, policy.categories) for section in sections])
    return dict(zip(sections, answers, strict=True))


def _lines_of(replies: Mapping[ProseSection, Reply | Unanswered]) -> dict[ProseSection, list[DistilledLine]]:
    return {one: lines_in(reply.value, one) for one, reply in replies.items() if isinstance(reply, Reply)}


def judge_distilled(
    read: Mapping[ProseSection, Sequence[DistilledLine]], parts: DistilParts, now: datetime
) -> dict[ProseSection, list[JudgedLine]]:
    """What a model wrote, each line with what is not in the text that it is of."""
    texts = {text for section, lines in read.items() for text in texts_in(section, lines)}
    wordings = parts.wordings.take_apart(map(as_read, texts)) if texts else {}
    passage = cache(lambda text: Passage(text, read_statement(wordings[as_read(text)])))
    return {
        section: [judge_line(line, section, now.date(), passage) for line in lines] for section, lines in read.items()
    }


def _mendable(judged: Mapping[ProseSection, Sequence[JudgedLine]]) -> dict[ProseSection, list[JudgedLine]]:
    return {section: doubted for section, lines in judged.items() if (doubted := mendable(lines))}


def _mend(
    judged: Mapping[ProseSection, Sequence[JudgedLine]], parts: DistilParts, now: datetime
) -> dict[ProseSection, list[JudgedLine]]:
    """Have what is not believed written again, once; what is not believed then either stays as it was first."""
    refused = _mendable(judged)
    answers = parts.models.answer([mending_prompt(*one) for one in refused.items()]) if refused else ()
    mended = {
        section: mended_in(answer.value, refused[section])
        for section, answer in zip(refused, answers, strict=True)
        if isinstance(answer, Reply)
    }
    again = judge_distilled({section: list(lines.values()) for section, lines in mended.items()}, parts, now)
    better = {
        (section, first): one
        for section, lines in mended.items()
        for first, one in zip(lines, again[section], strict=True)
        if one.reason is None
    }
    return {section: [better.get((section, one.line), one) for one in lines] for section, lines in judged.items()}


def _write(section: ProseSection, judged: Sequence[JudgedLine], logs: ProseLogs, now: datetime) -> str:
    """Put the lines of a section into the log of its day; gives why that could not be done."""
    log = log_of(section, now.date())
    try:
        logs.append(log, compose(section, judged, log, is_new=not logs.text(log)))
    except BankError as problem:
        return str(problem)
    return ""


def propose(parts: ProseParts, policy: DistilPolicy, now: datetime, *, dry_run: bool) -> list[Proposed]:
    """Find by rules what asks to be remembered in what is new, and let it wait in the inbox, unless only looked for."""
    found = [Proposed(one, list(propose_lines(one))) for one in find_sections(parts, policy, now, PROPOSED)]
    for section, lines in found if not dry_run else ():
        log = log_of(section, now.date())
        judged = [JudgedLine(line, rule) for line, rule in lines]
        parts.logs.append(log, compose(section, judged, log, is_new=not parts.logs.text(log), by=PROPOSED))
    return [one for one in found if one.lines]


def _counted(done: Distilled, lines: Sequence[JudgedLine]) -> Distilled:
    refused = sum(one.reason is not None for one in lines)
    return Distilled(done.sections + 1, done.lines + len(lines) - refused, done.refused + refused)


def _deferred(waiting: Iterable[tuple[ProseSection, str]]) -> Iterator[Deferred]:
    """One line a log and reason, however many of its sections wait."""
    counts = Counter((section.log, reason) for section, reason in waiting)
    for (log, reason), count in counts.items():
        sections = "a section waits" if count == 1 else f"{count} sections wait"
        yield Deferred(f"memory/{log}", f"{sections} to be distilled: {reason}")

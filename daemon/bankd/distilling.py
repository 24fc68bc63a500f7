"""The story of a night's prose: sections that no model has seen become lines of a log, and a run takes these in.

    find sections | ask | judge by rules | have the model verify | put at the end of memory/distilled/DAY.md

What a model says is never believed by itself: a line that says more than the lines that it names waits for a person.
Whatever happens to an answer, the prose waits for the next night, and the run goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from bankd.core.distil.composing import JudgedLine, compose, judge_line, log_of, texts_in
from bankd.core.distil.observing import DistilledLine, lines_in, prompt_for
from bankd.core.distil.prompts import Unanswered
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
from bankd.core.distil.verifying import verified_in, verify_trial, verifying_prompt
from bankd.core.grounding.passages import Passage
from bankd.core.language.analysis import has_hangul
from bankd.core.language.reading import read_statement
from bankd.core.lifecycle.retain import LogPlace
from bankd.core.markdown.policy import DistilPolicy
from bankd.core.plan.decisions import Deferred
from bankd.core.secrets.screening import Finder, screen_text
from bankd.errors import BankError
from bankd.ports.logs import ProseLogs
from bankd.ports.models import Models
from bankd.ports.reading import Wordings


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
FAILED = "the model that would verify it fails its trial: it says wrongly of known lines whether they are so"


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
    """Put what is believed of a model's lines, and what is not, into the distilled logs."""
    done, waiting = Distilled(), list[tuple[ProseSection, str]]()
    for section, lines in distil_sections(parts, policy, now):
        problem = lines.reason if isinstance(lines, Unanswered) else _write(section, lines, parts.logs, now)
        waiting += [(section, problem)] if problem else []
        done = done if problem or isinstance(lines, Unanswered) else _counted(done, lines)
    return done._replace(waiting=tuple(_deferred(waiting)))


def distil_sections(
    parts: DistilParts, policy: DistilPolicy, now: datetime
) -> Iterator[tuple[ProseSection, list[JudgedLine] | Unanswered]]:
    """Have a model read what is new, one section after the other, so that a budget that ends leaves none half read."""
    for section in find_sections(parts, policy, now):
        yield section, _read(section, parts, policy, now)


def _read(
    section: ProseSection, parts: DistilParts, policy: DistilPolicy, now: datetime
) -> list[JudgedLine] | Unanswered:
    """The lines that a model makes of a section, judged by the rules and then by the model, asked again."""
    (reply,) = parts.models.answer([prompt_for(section, policy.categories)])
    if isinstance(reply, Unanswered):
        return reply
    return verify_lines(judge_distilled(lines_in(reply.value, section), section, parts, now), section, parts, now)


def verify_lines(
    judged: list[JudgedLine], section: ProseSection, parts: DistilParts, now: datetime, *, are_insights: bool = False
) -> list[JudgedLine] | Unanswered:
    """Have the model verify lines, once it has passed its trial; a line that it writes again is judged and verified again.

    Gives the lines, each with why it is not believed. A model that fails its trial believes none.
    """
    prompt = verifying_prompt(section, judged, are_insights=are_insights)
    if prompt is None:
        return judged
    trial = verify_trial(is_korean=has_hangul(prompt.text))
    (tried,) = parts.models.answer([trial.prompt])
    if isinstance(tried, Unanswered):
        return tried
    if not trial.is_passed(tried.value):
        return [one._replace(reason=one.reason or FAILED) for one in judged]
    (answer,) = parts.models.answer([prompt])
    if isinstance(answer, Unanswered):
        return answer
    verified = verified_in(answer.value, judged)
    again = judge_distilled([one.again for one in verified if one.again], section, parts, now)
    mended = [one for one in again if one.reason is None]
    prompt = verifying_prompt(section, mended, are_insights=are_insights)
    if prompt is not None:
        (answer,) = parts.models.answer([prompt])
        if isinstance(answer, Unanswered):
            return answer
        mended = [one.judged for one in verified_in(answer.value, mended)]
    believed = {one.line.text: one for one in mended if one.reason is None}
    return [believed.get(one.again.text, one.judged) if one.again else one.judged for one in verified]


def judge_distilled(
    lines: Sequence[DistilledLine], section: ProseSection, parts: DistilParts, now: datetime
) -> list[JudgedLine]:
    """What a model wrote, each line with what is not in the text that it is of."""
    wordings = parts.wordings.take_apart(texts_in(section, lines)) if lines else {}
    passage = cache(lambda text: Passage(text, read_statement(wordings[text])))
    return [judge_line(line, section, now.date(), passage) for line in lines]


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

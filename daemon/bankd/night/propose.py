"""Without a model, rules propose lines by set phrases: asking to remember, deciding, preferring.

A person accepts the right ones in the review. Text of agents and tools is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple

from bankd.errors import StorageError
from bankd.memory.retain import clean_text
from bankd.night.asking import DistilledLine, JudgedLine, prompt_text
from bankd.night.believe import sentences_of
from bankd.night.distil import as_line, find_pieces, log_of
from bankd.night.sections import PROPOSED, LogPiece, ProseSection, append_lines
from bankd.ports import ProseLogs
from bankd.secrets.screening import Finder
from bankd.settings import DistilPolicy
from bankd.words.analysis import has_hangul

_SHORTEST, _LONGEST = 3, 300
"""The words and characters of a sentence: a shorter one says nothing by itself, a longer one is not one statement."""
_ITEM = re.compile(r"^(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_SPEAKER = re.compile(r"^\W{0,2}(?:user|human|me|나|사용자)\W{0,2}:\W{0,2}\s*", re.IGNORECASE)
_OF_MACHINE = re.compile(r"^\W{0,2}(?:\d\d:\d\d )?(?:assistant|tool|system)(?:$|\W{0,2}:)", re.IGNORECASE)
"""A heading, or the start of a line, that shows that an agent speaks and not a person."""
_CODE = re.compile(r"^(?:[$>#%]\s|[{}<\[|]|https?://\S+$)|[;{}]\s*$|=>|\)\s*->|\b(?:def|class|import|SELECT)\s\w+[(:]")
_QUESTION = re.compile(r"\?\s*[\"')\]]*\s*$|(?:나요|까요|을까|을래|냐|니까)\W*$")


class SpeechAct(NamedTuple):
    """A kind of sentence worth remembering: its name, the tag of such a line, and its patterns."""

    name: str
    tag: str
    said: re.Pattern[str]
    lead: re.Pattern[str]
    """Introductory words that are left out of the statement; it matches nothing if there are none."""


@cache
def _acts(language: str) -> list[SpeechAct]:
    """The kinds of sentences of a language, in the order in which they are tried; the rows `future` and `lead` are parts of others."""
    rows = [line.split("\t") for line in prompt_text("proposing.tsv").split("\n")]
    future = next(said for of, _, _, said, _ in rows if of == "future")
    return [
        SpeechAct(
            name,
            tag,
            re.compile(said.replace("{future}", future).replace("{lead}", lead), re.IGNORECASE),
            re.compile(lead or "(?!)", re.IGNORECASE),
        )
        for of, name, tag, said, lead in rows
        if of == language
    ]


class Proposed(NamedTuple):
    """What the rules find in a piece of a log, perhaps nothing."""

    piece: LogPiece
    lines: Sequence[JudgedLine]
    """The lines that a person may take in, each with the rule that found it as the reason."""


def propose(
    logs: ProseLogs, finders: Sequence[Finder], policy: DistilPolicy, now: datetime, *, dry_run: bool
) -> list[Proposed]:
    """Find sentences worth remembering in new prose, by rules, and put them into the review unless this is a dry run.

    Gives all pieces that were read, also those where no rule finds anything.
    """
    found = [
        Proposed(piece, [line for section in piece.sections for line in propose_lines(section)])
        for piece in find_pieces(logs, finders, policy, now, PROPOSED)
    ]
    for piece, lines in found if not dry_run else ():
        log = log_of(piece.log, now.date())
        said = (as_line(one, piece, PROPOSED) for one in lines)
        if problem := append_lines(logs, log, said, (one.key for one in piece.sections), PROPOSED):
            raise StorageError(problem)
    return found


def propose_lines(section: ProseSection) -> Iterator[JudgedLine]:
    """The sentences of a section that are worth remembering, in order; text of agents and tools is ignored."""
    for number, text in section.lines if not _OF_MACHINE.search(section.heading) else ():
        said = _ITEM.sub("", text).strip()
        told = _SPEAKER.sub("", said) if not _OF_MACHINE.match(said) else ""
        # Each with its end mark, which tells a question.
        for sentence in filter(str.strip, re.split(r"(?<=[.!?\u3002])\s+", told)):
            if (rule := _rule_for(sentence)) is not None:
                yield JudgedLine(DistilledLine(rule.tag, (), _statement(sentence, rule), (number,)), rule.name)


def _rule_for(sentence: str) -> SpeechAct | None:
    is_statement = len(sentence) <= _LONGEST and len(sentence.split()) >= _SHORTEST
    if not is_statement or _CODE.search(sentence) or _QUESTION.search(sentence):
        return None
    rules = _acts("korean" if has_hangul(sentence) else "english")
    return next((rule for rule in rules if rule.said.search(sentence)), None)


def _statement(sentence: str, rule: SpeechAct) -> str:
    whole = clean_text(" ".join(rule.lead.sub("", sentence).split())) or clean_text(sentence)
    (first, *_) = sentences_of(whole) or [whole]
    return first[:1].upper() + first[1:] if first[:1].isascii() else first

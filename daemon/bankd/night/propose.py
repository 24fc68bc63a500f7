"""Without a model, rules propose lines by set phrases: asking to remember, deciding, preferring.

A person accepts the right ones in the review. Text of agents and tools is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from bankd.errors import StorageError
from bankd.memory.retain import clean_text
from bankd.night.asking import DistilledLine, JudgedLine
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
_FUTURE = (
    r"(?:by|before|until|on|from|next|this|due|deadline)\s+(?:the\s+)?(?:\w+\s+)?"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:by|before|until|due|on)\s+(?:the\s+)?(?:end|\d|january|february|march|"
    r"april|may|june|july|august|september|october|november|december|tomorrow|noon|tonight)|\btomorrow\b|next (?:week|month)"
)


class SpeechAct(NamedTuple):
    """A kind of sentence worth remembering: its name, the tag of such a line, and its patterns."""

    name: str
    tag: str
    said: re.Pattern[str]
    lead: re.Pattern[str] | None = None
    """Introductory words that are left out of the statement."""


def _rule(name: str, tag: str, said: str, lead: str = "") -> SpeechAct:
    return SpeechAct(name, tag, re.compile(said, re.IGNORECASE), re.compile(lead, re.IGNORECASE) if lead else None)


_LEAD = r"^(?:please,?\s+|ok(?:ay)?,?\s+|and\s+)*(?:remember|note|keep in mind|don't forget|for (?:future )?reference)\b[:,]?\s*(?:that\s+)?"
_ENGLISH = (
    _rule("asks to remember", "W", _LEAD + r"(?!to\b.{0,12}$)\S+|\b(?:so you know|for the record|worth remembering)\b", _LEAD),
    _rule("corrects", "W", r"^(?:no,|wait,)?\s*(?:actually|correction)\b[,:]|\bi (?:was wrong|misspoke|meant)\b", r"^(?:no,|wait,)?\s*(?:actually|correction)\b[,:]\s*"),
    _rule(
        "sets a rule", "B",
        r"^(?:please\s+)?(?:always|never|do not|don't)\s+(?!mind\b|worry\b|know\b|think\b)[a-z]+|\bfrom now on\b|\bgoing forward\b|\bin (?:the )?future,"
        r"|\b(?:must|should) (?:always|never)\b|\b(?:i|we) (?:always|never|usually)\s+[a-z]+",
    ),
    _rule(
        "decides", "W",
        r"\b(?:we|i|they|team)(?:'ve| have)? (?:all )?(?:decided|agreed|settled|chose|opted)\b|^(?:decided|agreed|decision)\b[:\s]|\bit (?:was|is) (?:decided|agreed)\b"
        r"|\b(?:let's|we'll|we will|we are|we're) (?:go(?:ing)? with|stick(?:ing)? (?:to|with)|use|using|keep|keeping|drop|dropping|switch(?:ing)? to)\b",
    ),
    _rule("commits", "W", rf"\b(?:i|we|he|she|they)(?:'ll| will| have to| need to| must| promised to)\b.*(?:{_FUTURE})|\b(?:deadline|due)\b.*(?:{_FUTURE}|\d)"),
    _rule(
        "prefers", "O",
        r"\b(?:i|we|he|she|they|user)(?:'d| would| really| much)*\s+(?:prefers?|rather|likes?|loves?|hates?|dislikes?|can't stand|enjoys?)\b|\bmy favou?rite\b|\bi(?:'m| am) (?:allergic|a (?:vegetarian|vegan))\b",
    ),
)  # fmt: skip
_KOREAN = (
    _rule("기억해 달라고 함", "W", r"(?:기억해|잊지\s?마|명심|메모해|참고로|알아\s?둬|알아두)", r"[,.]?\s*(?:꼭\s*)?(?:기억해\s?(?:줘|둬|주세요|두세요|둘\s?것)?|잊지\s?마(?:세요)?|메모해\s?(?:줘|둬)|알아\s?둬)\W*$|^참고로[,\s]+"),
    _rule("바로잡음", "W", r"^(?:아니|정정|사실은|참)[,:\s].*|(?:이|가)\s?아니라\s|(?:착각했|잘못 말했|잘못 알)", r"^(?:아니|정정|사실은|참)[,:\s]+"),
    _rule("규칙을 정함", "B", r"앞으로(?:는)?\s|이제부터|다음부터|(?:항상|언제나|반드시|꼭|절대)\s.*(?:할 것|하기|해줘|해라|한다|하자|해야|말 것|마라|마세요|말아|마\W*$|금지|않는다|써줘|써라|쓰지)|(?:금지|말 것)(?:\W*$|이다|한다)"),
    _rule("결정함", "W", r"기로\s?(?:했|함|하자|결정|정했|합의|하고)|(?:으로|로)\s?(?:결정|확정|정했|정함|하기로|가기로|가자)|기로\W*$|(?:결정|확정|합의)(?:했|함|됐|됨|되었|\W*$)"),
    _rule("약속함", "W", r"까지\s?.*(?:해야|할게|하겠|보내|제출|마감|끝내|주기로|드리|낼게|내야)|마감(?:은|이|일)|(?:내일|모레|다음\s?주|이번\s?주|월요일|화요일|수요일|목요일|금요일|토요일|일요일).*(?:할게|하겠|해야\s?(?:한다|함|해)|약속)"),
    _rule("선호함", "O", r"(?:좋아한|좋아함|좋아해|좋아하|싫어한|싫어함|싫어해|싫어하|선호|질색|편하다|낫다|최애|알레르기|더 좋|제일 좋|가장 좋)"),
)  # fmt: skip


class ProposedLine(NamedTuple):
    """A line that a person may take in, and the rule that found it."""

    line: DistilledLine
    rule: str


class Proposed(NamedTuple):
    """What the rules find in a piece of a log."""

    piece: LogPiece
    lines: Sequence[ProposedLine]


def propose(
    logs: ProseLogs, finders: Sequence[Finder], policy: DistilPolicy, now: datetime, *, dry_run: bool
) -> list[Proposed]:
    """Find sentences worth remembering in new prose, by rules, and put them into the review unless this is a dry run."""
    found = [
        Proposed(piece, [line for section in piece.sections for line in propose_lines(section)])
        for piece in find_pieces(logs, finders, policy, now, PROPOSED)
    ]
    for piece, lines in found if not dry_run else ():
        log = log_of(piece.log, now.date())
        said = (as_line(JudgedLine(line, rule), piece, PROPOSED) for line, rule in lines)
        if problem := append_lines(logs, log, said, (one.key for one in piece.sections), PROPOSED):
            raise StorageError(problem)
    return [one for one in found if one.lines]


def propose_lines(section: ProseSection) -> Iterator[ProposedLine]:
    """The sentences of a section that are worth remembering, in order; text of agents and tools is ignored."""
    for number, text in section.lines if not _OF_MACHINE.search(section.heading) else ():
        said = _ITEM.sub("", text).strip()
        told = _SPEAKER.sub("", said) if not _OF_MACHINE.match(said) else ""
        for sentence in sentences_with_ends(told):
            if (rule := _rule_for(sentence)) is not None:
                statement = _statement(sentence, rule)
                yield ProposedLine(DistilledLine(rule.tag, (), statement, (number,)), rule.name)


def sentences_with_ends(text: str) -> list[str]:
    """The sentences of a line with their end marks, which tell a question."""
    return [part for part in re.split(r"(?<=[.!?\u3002])\s+", text) if part.strip()]


def _rule_for(sentence: str) -> SpeechAct | None:
    is_statement = len(sentence) <= _LONGEST and len(sentence.split()) >= _SHORTEST
    if not is_statement or _CODE.search(sentence) or _QUESTION.search(sentence):
        return None
    rules = _KOREAN if has_hangul(sentence) else _ENGLISH
    return next((rule for rule in rules if rule.said.search(sentence)), None)


def _statement(sentence: str, rule: SpeechAct) -> str:
    said = rule.lead.sub("", sentence) if rule.lead else sentence
    whole = clean_text(" ".join(said.split())) or clean_text(sentence)
    (first, *_) = sentences_of(whole) or [whole]
    return first[:1].upper() + first[1:] if first[:1].isascii() else first

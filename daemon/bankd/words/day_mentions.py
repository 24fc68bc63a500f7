"""The days that a text names: their places and spans; "from … to …" and "…부터 …까지" are one span.

Also the days that a memory is about: when something happened, happens or holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from bankd.words import day_english as english
from bankd.words import day_korean as korean
from bankd.words.analysis import has_hangul
from bankd.words.day_rules import NUMERIC_RULES, SLASHED_RULE, Grain, Groups, Rule, groups_of
from bankd.words.days import DAY, Anchor, Span, may_name_a_day

_NEAR = 25
"""The most letters between the two ends of a span that no word joins."""
_END = re.compile(r"[.!?;\n]+(?=\s|$)")
_CLAUSE = re.compile(
    r"[.!?;:\n]+(?=\s|$)|,(?=\s)|\s(?:and|but|so|which|because|while|when) |(?<=[고며]) |(?<=는데) |(?<=지만) |(?<=라서) "
)
_TIME = r"(?: ?(?:오전|오후|아침|점심|저녁|밤|새벽|낮|정오))?(?: ?\d{1,2}시(?: ?\d{1,2}분| ?반)?)?"
_TO = re.compile(rf"{_TIME} ?(?:부터|에서|~|-|–|—)\s*|\s(?:to|until|till|through)\s(?:the )?|\s?[-–—~]\s?")
_AND = re.compile(r"\s(?:and|to)\s(?:the )?")
_BETWEEN = re.compile(r"\b(?:between|from) (?:the )?$")
_SINCE = re.compile(r"\b(?:since|after) (?:the |about |around )?$")
_UNTIL = re.compile(r"\b(?:until|till|before|up to) (?:the )?$")
_FROM = re.compile(r"\b(?:from|starting) (?:the )?$")
_THEN_SINCE = re.compile(rf"{_TIME} ?(?:이후|이래|부터|뒤로|후로)")
_THEN_UNTIL = re.compile(rf"{_TIME} ?(?:까지|이전|전에)")
_CHANGED = re.compile(r"\b(?:mov|chang|push|postpon|delay|shift|brought|bring|reschedul)\w*\b[^.;!?]*$")
_FROM_TO = re.compile(
    rf"(?: ?\(?[월화수목금토일]요일\)?)?{_TIME} ?으?로 ?(?:옮|미뤘|미뤄|미루|바꾸|바꿨|바뀌|바뀐|바뀜|바뀔|변경|연기|당겼|당기|앞당)"
)
_BEFORE = re.compile(r"before|이전|전에")
_LUNAR_BEFORE = re.compile(
    r"(?:음력[^\d,.;!?\n]{0,12}|(?<![가-힣])음\.? |\blunar )(?:(?:\d{1,2}월 ?)?\d{1,2}일?\s?(?:부터|에서|[~–—-])\s*)?$"
)
_LUNAR_AFTER = re.compile(r" ?[([]?(?:음력|lunar)| ?[([]음[)\]]")
_OF_CALENDAR = re.compile(r"\d ?[월일/.-]|설|[a-z]")
"""A day of the lunar calendar is not converted: it is a different day of our calendar each year."""
_MODAL = re.compile(
    r"(?<!in )(?<!of )(?<!since )(?<!until )(?<!by )(?<!early )(?<!mid )(?<!late )(?<!last )(?<!next )(?<!from )(?<!to )\b(?:may|march)\b(?! \d)|\bMay (?=[Ii]\b|we\b|you\b)"
)
_SPELT_AS_DAYS = ("sat", "sun", "wed")
_NO_WEEKDAY = re.compile(
    r"(?<!\bon )(?<!\blast )(?<!\bnext )(?<!\bthis )(?<!\bby )(?<!\btill )(?<!\buntil )\b(?:sat|sun|wed)\b|\b[Tt]he Sun\b"
    r"|(?:^|(?<=[.!?\n-] ))(?:Sat(?= (?:down|through|beside|under|around|still|back|up|there|(?:with|in|at|by|on|for) [a-zA-Z]))|Sun(?= [a-z]))"
)
"""Words that look like short weekdays: without a capital, after an article, or with a capital because they begin
a sentence: Sat by the river, Sun came out."""


_ENGLISH_RULES = (*NUMERIC_RULES, *english.RULES)
_ALL_RULES = (*NUMERIC_RULES, SLASHED_RULE, *korean.RULES, *english.RULES)
"""For a text with Hangul, which may have English in it; the reverse is rare."""


class Mention(NamedTuple):
    """A span that a text names at `start` to `end`; `edge` is -1 for "since", 1 for "until", 2 for "before", else 0."""

    start: int
    end: int
    span: Span
    grain: Grain
    edge: int = 0
    lean: int = 0


class _Found(NamedTuple):
    start: int
    end: int
    rule: Rule
    groups: Groups


def read_mentions(text: str, anchor: Anchor) -> Sequence[Mention]:
    """The spans that a text names, in order; impossible dates such as February 30 are left out."""
    return read_mentions_on(text, (anchor,))[0]


def read_mentions_on(text: str, anchors: Sequence[Anchor]) -> Sequence[Sequence[Mention]]:
    """The spans that a text names, for each of several days on which it may have been written; the text is searched once."""
    lowered = _lower(text)
    if not may_name_a_day(lowered):
        return [()] * len(anchors)
    is_korean = has_hangul(text)
    found = _match(lowered, _ALL_RULES if is_korean else _ENGLISH_RULES)
    return [tuple(_joined(lowered, found, anchor, is_korean=is_korean)) for anchor in anchors]


def _lower(text: str) -> str:
    """The text in lower case, of the same length, without words that only look like months and weekdays."""
    lowered = text.lower()
    for spelt, words in ((_MODAL, ("may", "march")), (_NO_WEEKDAY, _SPELT_AS_DAYS)):
        if any(map(lowered.__contains__, words)):
            text = spelt.sub(lambda word: "\0" * len(word[0]), text)
            lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _match(text: str, rules: Sequence[Rule]) -> list[_Found]:
    """The matches of the rules; what an earlier rule matched is not matched again."""
    taken: list[_Found] = []
    for rule in rules:
        for found in rule.find(text):
            is_taken = any(one.start < found.end() and found.start() < one.end for one in taken)
            if found.end() > found.start() and not is_taken:
                taken.append(_Found(found.start(), found.start() + len(found[0].rstrip()), rule, groups_of(found)))
    return sorted(taken, key=lambda one: one.start)


def _joined(text: str, found: Sequence[_Found], anchor: Anchor, *, is_korean: bool) -> Iterator[Mention]:
    """The mentions, with the two ends of one span joined."""
    before: Mention | None = None
    for one in found:
        mention = _read(text, one, anchor, is_korean=is_korean)
        end = _end_of(before, one) if before and _is_range(text, before, one) else None
        if before and end:
            before = before._replace(span=Span(before.span.first, end.last), end=one.end, edge=0)
        elif mention:
            if before:
                yield before
            before = mention
    if before:
        yield before


def _is_range(text: str, one: Mention, after: _Found) -> bool:
    """Whether two mentions are the ends of one span; "moved from Monday to Friday" is not."""
    between, before, behind = text[one.end : after.start], text[: one.start], text[after.end :]
    if _CHANGED.search(before) or _FROM_TO.match(behind):
        return False
    if _TO.fullmatch(between) or (_BETWEEN.search(before) and _AND.fullmatch(between)):
        return True
    is_end = _THEN_UNTIL.match(behind) and not _THEN_UNTIL.match(text, one.end)  # one span ends here
    if _CLAUSE.search(between) and not _THEN_SINCE.match(between):
        return False  # it expires on the 30th, and is decided until the 8th
    return len(between) < _NEAR and not _END.search(between) and bool(is_end)


def _end_of(mention: Mention, after: _Found) -> Span | None:
    """The end of a span, read as a day after its start."""
    span = _mean(after, Anchor(mention.span.first, 1, is_strict=True))
    return span if span and span.last >= mention.span.first else None


def _read(text: str, one: _Found, anchor: Anchor, *, is_korean: bool) -> Mention | None:
    if _LUNAR_AFTER.match(text, one.end) or (
        _LUNAR_BEFORE.search(text[max(0, one.start - _NEAR) : one.start])
        and _OF_CALENDAR.search(text, one.start, one.end)
    ):
        return None
    last = one.groups.get("last")
    if last and " to " in text[one.start : one.end] and _CHANGED.search(text[: one.start]):
        one = one._replace(groups={**one.groups, "day": last})  # moved from 21 to 28 December
    lean = _lean_at(text, one, is_korean=is_korean) or anchor.lean
    span = _mean(one, anchor._replace(lean=lean))
    return Mention(one.start, one.end, span, one.rule.grain, 0 if last else _edge(text, one), lean) if span else None


def _mean(one: _Found, anchor: Anchor) -> Span | None:
    """The span of a match; None if there is no such day, or the rule fails on it.

    The words of one memory must never stop the index, which would take such errors for damage.
    """
    try:
        return one.rule.meaning(one.groups, anchor)
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError):
        return None


def _lean_at(text: str, one: _Found, *, is_korean: bool) -> int:
    """The lean (past or future) of the clause around a mention, else of the rest of its sentence."""
    if _SINCE.search(text[: one.start]):
        return -1
    if is_korean:  # the verb comes last
        return next(filter(None, (korean.read_korean_lean(part) for part in _clauses_after(text, one))), 0)
    if text[: one.end].endswith(_SPELT_AS_DAYS):  # the name of the day is not a past verb
        text = f"{text[: one.end - 3]}day{text[one.end :]}"
    sentence = text[max((cut.end() for cut in _END.finditer(text, 0, one.start)), default=0) :]
    before = max((cut.end() for cut in _CLAUSE.finditer(text, 0, one.start)), default=0)
    after = next((cut.start() for cut in _CLAUSE.finditer(text, one.end)), len(text))
    end = _END.search(sentence)
    return english.read_english_lean(text[before:after]) or english.read_english_lean(
        sentence[: end.start()] if end else sentence
    )


def _clauses_after(text: str, one: _Found) -> Iterator[str]:
    """The rest of the clause after a mention, then the rest of the sentence."""
    end = _END.search(text, one.end)
    sentence = text[one.end : end.start() if end else len(text)]
    cut = _CLAUSE.search(sentence)
    yield sentence[: cut.start()] if cut and cut.start() else sentence
    yield sentence


def _edge(text: str, one: _Found) -> int:
    """Whether only the start of a span is named (since March: -1), or only the end (8월 말까지: 1)."""
    before, after = text[: one.start], text[one.end : one.end + _NEAR]
    if _SINCE.search(before) or _THEN_SINCE.match(after) or _FROM.search(before):
        return -1
    until = _UNTIL.search(before) or _THEN_UNTIL.match(after)
    return 0 if not until else 2 if _BEFORE.search(until[0]) else 1


_OPEN = timedelta(days=365)
"""How far back a span goes if only its end is named."""
_HABIT_TAG = "B"
_ON_TWO_DAYS = (Anchor(date(2003, 6, 18)), Anchor(date(2031, 1, 23)))
"""Any two days: a mention that means the same on both does not depend on the day of writing."""


@lru_cache(maxsize=20_000)  # enough for the lines of a run, read by the indexes of bank and logs and by a briefing
def days_spoken_of(text: str, learned: date | None, tag: str | None = None) -> Sequence[Span]:
    """The spans that a memory is about, given its day and tag; without a day only full dates count."""
    if learned is None:
        return _said_whole(text)
    mentions = read_mentions(text, Anchor(learned, 1))
    return tuple(dict.fromkeys(_spans(mentions, learned, is_habit=tag == _HABIT_TAG)))


def _spans(mentions: Iterable[Mention], learned: date, *, is_habit: bool) -> Iterator[Span]:
    """The spans of a text; "on Tuesdays" is a habit and names no day."""
    for mention in mentions:
        if is_habit and mention.grain == "weekday":
            continue
        first, last = mention.span
        if mention.edge < 0 and first <= learned:
            last = max(last, learned)
        elif mention.edge > 0 and last < learned:
            first, last = first - _OPEN, last if mention.edge == 1 else first - DAY
        yield Span(first, last)


def _said_whole(text: str) -> Sequence[Span]:
    one, other = read_mentions_on(text, _ON_TWO_DAYS)
    also = {mention.span for mention in other}
    return tuple(span for span in dict.fromkeys(mention.span for mention in one) if span in also)

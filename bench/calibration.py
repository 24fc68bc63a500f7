"""Measures the comparison of memories on pairs that people labelled, beside plain likeness.

Thresholds are chosen on one half of each set and reported on the other; pairs that share a sentence share a half.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rapidfuzz import fuzz

from bankd.core.dedup.duplicates import Relation, compare_statements
from bankd.core.dedup.guard import find_difference
from bankd.core.language.statement import Statement

Judge: TypeAlias = Callable[[Statement, Statement], bool]
"""(old, new) -> whether the new one is called the same."""

PRECISION = 0.98
"""What `same` has to reach on every set."""

_PLAIN = 80
"""Percent at which the plain measures call two texts the same."""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two texts and what people say of them; `group` names what pairs of one sentence share."""

    old: str
    new: str
    is_equal: bool
    is_contradiction: bool
    group: str

    @property
    def is_for_choosing(self) -> bool:
        """The half of the set, a function of the group alone."""
        return hashlib.sha256(self.group.encode()).digest()[0] % 2 == 0


@dataclass(frozen=True, slots=True)
class Tally:
    """What a judge called the same, out of `pairs`, of which `equal` are; `contradictions` are among the wrong ones."""

    pairs: int
    equal: int
    called: int
    right: int
    contradictions: int

    @property
    def wrong(self) -> int:
        """Pairs called the same that are not."""
        return self.called - self.right

    @property
    def precision(self) -> float:
        """The share of right calls; 1 when nothing was called."""
        return self.right / self.called if self.called else 1.0

    @property
    def recall(self) -> float:
        """The share of equal pairs that were found; 1 when there are none."""
        return self.right / self.equal if self.equal else 1.0


def read_pairs(rows: Sequence[Mapping[str, object]]) -> list[LabelledPair]:
    """Read the rows of a set: pairs with `a` and `b`, or memories some of which are `distractor_of` another.

    Equal texts that a set calls different are mistakes of the set and left out; the caller counts them.
    """
    texts = {str(row.get("id")): str(row.get("text", "")) for row in rows}
    pairs = []
    for row in rows:
        if "a" in row and "b" in row:
            is_equal = row["binary"] == 1 if "binary" in row else row.get("label") == "entailment"
            group = _group(row)
            pairs.append(
                LabelledPair(str(row["a"]), str(row["b"]), is_equal, row.get("label") == "contradiction", group)
            )
        elif "distractor_of" in row:
            twin = str(row["distractor_of"])
            pairs.append(LabelledPair(texts[twin], str(row["text"]), False, False, twin))
    return pairs


def _group(row: Mapping[str, object]) -> str:
    """What a pair shares with others: its set of sentences where its id has one (pk-000-p2), else its first text."""
    parts = str(row.get("id", "")).split("-")
    return "-".join(parts[:2]) if len(parts) == 3 and parts[2][:1] in {"p", "n"} else str(row["a"])


def without_mistakes(pairs: Sequence[LabelledPair]) -> list[LabelledPair]:
    """The pairs without those of equal texts that are labelled different."""
    return [pair for pair in pairs if pair.is_equal or pair.old.strip() != pair.new.strip()]


def tally(pairs: Sequence[LabelledPair], statements: Mapping[str, Statement], judge: Judge) -> Tally:
    """Count what a judge calls the same."""
    called = [pair for pair in pairs if judge(statements[pair.old], statements[pair.new])]
    return Tally(
        pairs=len(pairs),
        equal=sum(pair.is_equal for pair in pairs),
        called=len(called),
        right=sum(pair.is_equal for pair in called),
        contradictions=sum(pair.is_contradiction for pair in called),
    )


def judge_at(threshold: float) -> Judge:
    """Our own comparison at a threshold."""
    return lambda old, new: compare_statements(old, new, threshold).outcome is Relation.SAME


def has_no_word_of_its_own(old: Statement, new: Statement) -> bool:
    """What the design lets be the same at most: the new text has no content word that the old one lacks."""
    return not find_difference(old, new).only_new


def _bases(statement: Statement) -> set[str]:
    return {token.base for token in statement.tokens}


def _overlap(old: Statement, new: Statement) -> bool:
    ours, theirs = _bases(old), _bases(new)
    return 100 * len(ours & theirs) >= _PLAIN * max(1, min(len(ours), len(theirs)))


def _jaccard(old: Statement, new: Statement) -> bool:
    ours, theirs = _bases(old), _bases(new)
    return 100 * len(ours & theirs) >= _PLAIN * max(1, len(ours | theirs))


def _token_set(old: Statement, new: Statement) -> bool:
    ours, theirs = (" ".join(token.base for token in statement.tokens) for statement in (old, new))
    return fuzz.token_set_ratio(ours, theirs) >= _PLAIN


PLAIN_JUDGES: Mapping[str, Judge] = {"80 % overlap": _overlap, "token_set_ratio": _token_set, "Jaccard": _jaccard}
"""What others do: likeness alone, at 80 percent, on the same morphemes."""


def choose_threshold(
    sets: Sequence[Sequence[LabelledPair]], statements: Mapping[str, Statement], candidates: Sequence[int]
) -> int | None:
    """The lowest threshold that reaches the precision on the choosing half of every set; None when none does."""
    halves = [[pair for pair in pairs if pair.is_for_choosing] for pairs in sets]
    for threshold in sorted(candidates):
        if all(tally(half, statements, judge_at(threshold)).precision >= PRECISION for half in halves):
            return threshold
    return None

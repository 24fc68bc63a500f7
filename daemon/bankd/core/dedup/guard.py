"""What differs between two statements, and whether that is a rewording, a changed value, or another subject.

It never decides by likeness: `duplicates` does that, and asks here what the likeness hides.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from bankd.core.dedup.series import is_about_another, is_of_series, is_subject_matter, names_two
from bankd.core.language.opposites import OPPOSITES, are_opposites
from bankd.core.language.quantities import base_quantity
from bankd.core.language.statement import Statement, Token, TokenKind
from bankd.core.language.values import DATE_UNITS

_DATE, _NUMBER, _NAME = "date", "number", "name"
_STEM_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s")


@dataclass(frozen=True, slots=True)
class Difference:
    """Tokens that only one of the two has; the changes of value that pair them, in words; and what no change explains.

    `shared` counts the words that both have and that say what it is about: no values, no prepositions.
    """

    only_old: tuple[Token, ...]
    only_new: tuple[Token, ...]
    changes: tuple[str, ...]
    is_explained: bool
    shared: int
    is_of_series: bool = False
    """Whether a number that may name one of many changed, as batch 12 did to batch 13."""
    is_about_another: bool = False
    """Whether what it is about has another number or name, as sprint 13 has beside sprint 12."""

    @property
    def is_none(self) -> bool:
        """Both have the same tokens, perhaps in another order."""
        return not self.only_old and not self.only_new

    @property
    def is_one_subject(self) -> bool:
        """Whether no more was changed than was kept; a moment counts once, however many numbers tell it.

        A line of a chat that begins with another time and says another word updates nothing.
        """
        dates = sum(change.startswith(_DATE) for change in self.changes)
        return len(self.changes) - max(dates - 1, 0) <= max(self.shared, 1)

    @property
    def is_one_change(self) -> bool:
        """Whether no other value changed beside a day, or the number of a thing.

        What was so in January and in February was so in both, and sprint 13 with its 38 points says nothing of sprint 12.
        """
        sorts = Counter(change.partition(":")[0] for change in self.changes)
        is_denied = any(token.negation for token in (*self.only_old, *self.only_new))
        is_of_another = self.is_about_another or (
            self.is_of_series and (sorts[_NUMBER] + sorts[_NAME] > 1 or is_denied)
        )
        return not is_of_another and (len(sorts) < 2 or _DATE not in sorts)


def find_difference(old: Statement, new: Statement) -> Difference:
    """Find what only one of two statements says; it is explained when at most one of them says more than new values."""
    only_old, only_new = _surplus(old, new), _surplus(new, old)
    changes, rest_old, rest_new = _changes(only_old, only_new)
    is_explained = not (_says_more(rest_old) and _says_more(rest_new))
    shared = _count_subject_matter(old) - sum(map(is_subject_matter, only_old))
    series = is_of_series(old, only_old), is_about_another(old, new) or names_two(old, only_old)
    return Difference(only_old, only_new, tuple(changes), is_explained, shared, *series)


@lru_cache(maxsize=50_000)
def _count_subject_matter(statement: Statement) -> int:
    return sum(map(is_subject_matter, statement.tokens))


def _says_more(rest: Sequence[Token]) -> bool:
    return any(token.kind is not TokenKind.MARK for token in rest)


def _surplus(of: Statement, over: Statement) -> tuple[Token, ...]:
    """The tokens of one statement that the other lacks, counting repetitions."""
    theirs = _numbered(over)
    lacking = [token for key, token in _numbered(of).items() if key not in theirs]
    return tuple([token for token in lacking if token.negation or not token.is_optional])


@lru_cache(maxsize=50_000)
def _numbered(statement: Statement) -> Mapping[tuple[str, int], Token]:
    """The tokens of a statement by their key, and how often it stood before."""
    before: defaultdict[str, Iterator[int]] = defaultdict(count)
    return {(key, next(before[key])): token for key, token in zip(statement.keys, statement.tokens, strict=True)}


@lru_cache(maxsize=50_000)
def count_keys(statement: Statement) -> Mapping[str, int]:
    """How often each key stands in a statement."""
    return Counter(statement.keys)


def _changes(
    only_old: Sequence[Token], only_new: Sequence[Token]
) -> tuple[list[str], Sequence[Token], Sequence[Token]]:
    """Pair what went with what came, best pairs first; say what each pair changes, and give what is left of both."""
    rest_old, rest_new = list(only_old), list(only_new)
    changes = []
    for explain, concerns in _EXPLANATIONS:
        for token in [*filter(concerns, rest_old)]:
            for other in rest_new:
                if change := explain(token, other):
                    rest_old.remove(token)
                    rest_new.remove(other)
                    changes.append(change)
                    break
    return changes, *_without_counted(rest_old, rest_new)


def _without_counted(rest_old: Sequence[Token], rest_new: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """Without what is one of a thing in one and several in the other: the numbers tell that."""
    ours, theirs = ({token.base for token in rest if token.base.isascii()} for rest in (rest_old, rest_new))
    counted = {base for base in ours if f"{base}s" in theirs} | {base for base in theirs if f"{base}s" in ours}
    both = counted | {f"{base}s" for base in counted}
    return [token for token in rest_old if token.base not in both], [t for t in rest_new if t.base not in both]


def _negated(old: Token, new: Token) -> str:
    if old.negation != new.negation and stem(old.base) == stem(new.base):
        return f"negation: {old.key} → {new.key}"
    return ""


def _opposed(old: Token, new: Token) -> str:
    if are_opposites(old.base, new.base) or are_opposites(stem(old.base), stem(new.base)):
        return f"opposite: {old.base} → {new.base}"
    return ""


def _has_opposite(token: Token) -> bool:
    return token.base in OPPOSITES or stem(token.base) in OPPOSITES


def _revalued(old: Token, new: Token) -> str:
    is_value = old.kind is new.kind is TokenKind.VALUE and not _is_counter_gone(old.base, new.base)
    if is_value and base_quantity(old.base) != base_quantity(new.base):
        return f"{value_name(old.base, new.base)}: {old.base} → {new.base}"
    return ""


def _is_counter_gone(old: str, new: str) -> bool:
    """Whether the same number only lost or gained what it counts: two, two people."""
    short, long = sorted((old, new), key=len)
    return short.isdigit() and long.startswith(short) and not long[len(short) : len(short) + 1].isdigit()


def _renamed(old: Token, new: Token) -> str:
    if old.kind is new.kind is TokenKind.NAME and old.base != new.base:
        return f"{_NAME}: {old.base} → {new.base}"
    return ""


_EXPLANATIONS: Sequence[tuple[Callable[[Token, Token], str], Callable[[Token], bool] | None]] = (
    (_negated, None),
    (_opposed, _has_opposite),
    (_revalued, lambda token: token.kind is TokenKind.VALUE),
    (_renamed, lambda token: token.kind is TokenKind.NAME),
)
"""What may explain that one token went and another came, and which tokens it may explain, None for all."""


def value_name(old: str, new: str) -> str:
    """What kind of value changed: a unit when the numbers agree, else a date or a number."""
    (before, unit), (number, other) = _split_unit(old), _split_unit(new)
    if before == number != "":
        return "unit"
    is_date = not DATE_UNITS.isdisjoint((unit, other)) or not (before and number) or ":" in old + new
    return _DATE if is_date else _NUMBER


@lru_cache(maxsize=50_000)
def _split_unit(value: str) -> tuple[str, str]:
    """What a value is up to its last digit, and its unit."""
    number = value.rstrip("".join({letter for letter in value if not letter.isdigit()}))
    return number, value[len(number) :]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A rough English stem, for recognising the same verb behind a changed negation; never used for `same`."""
    if not word.isascii():
        return word
    for ending in _STEM_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e")

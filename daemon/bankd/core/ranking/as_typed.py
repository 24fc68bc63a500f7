"""A question typed with other spaces than its words have, or with a slip of the finger, read by what the bank has.

`세 종대왕의` is the one word of the bank; `담배를피우는` ends a word where its particle ends and another word begins.
A Latin word that the bank does not have is the one it has that is a slip away, or that it begins; Hangul needs none of
this: a wrong syllable leaves the other bigrams of its word. What the bank does not help with stays as it was typed.
"""

# No postponed annotations here: what a query imports is compiled once; and no pattern, which takes longer than the work.
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

from bankd.core.language.analysis import is_hangul
from bankd.core.language.lexicon import Known, Readings, longest_word
from bankd.core.ranking.question_words import DETERMINERS, starts_asking

_OBJECT = ("을", "를")
_PARTICLES = (
    "에게서", "에서는", "으로는", "이라는", "까지", "라는", "로는", "보다", "부터", "에게", "에는", "에서", "으로", "이나",
    "이란", "한테", "가", "과", "는", "도", "란", "로", "를", "만", "에", "와", "은", "을", "의", "이",
)  # fmt: skip
"""What closes a word, longest first. The object's two close words of one syllable too, since hardly any word begins with them."""
_ONLY_PARTICLES = frozenset(
    ("에게서", "에서는", "으로는", "까지", "부터", "에게", "에는", "에서", "으로", "한테", "는", "를", "에", "을")
)
"""Those that are hardly ever a word: 만 is also ten thousand, 보다 also to see."""
_LONGEST_RUN = 16
_SHORTEST = 4
_SHORTENED = 6
"""Letters from which on a word may stand for a longer one: postgres for PostgreSQL."""

Beginning = Callable[[str], Sequence[str]]
"""The terms of the bank with a beginning, common ones first."""


class _Bank(NamedTuple):
    """What the bank has: how each run of Hangul in it was read, and whether a term occurs."""

    readings: Readings
    known: Known

    def has(self, run: str) -> bool:
        return self.readings(run) is not None

    def longest(self, run: str, least: int = 2) -> int:
        return longest_word(run, self.known, least)

    def begins_word(self, rest: str) -> bool:
        if len(rest) < 2:
            return False
        is_short = rest[1] in _OBJECT and self.known(rest[0])
        return is_short or starts_asking(rest) or bool(self.readings(rest) or self.longest(rest))


def restore_spaces(text: str, readings: Readings, known: Known) -> str:
    """A text in NFKC with the spaces between words, and only there, as far as the bank has the words."""
    bank = _Bank(readings, known)
    return " ".join(_parted(word, bank) for word in _joined(text.split(" "), bank))


def cut_run(run: str, terms: Iterable[str]) -> list[str]:
    """A run of Hangul cut before each of its terms that follows what is none: words begin after particles and endings."""
    pieces, start, at, is_after_gap, of_run = [], 0, 0, False, frozenset(terms).__contains__
    while at < len(run):
        length = longest_word(run[at:], of_run, least=1)
        if length and is_after_gap:
            pieces.append(run[start:at])
            start = at
        at, is_after_gap = at + (length or 1), not length
    return [*pieces, run[start:]]


# Spaces inside words


def _joined(words: Iterable[str], bank: _Bank) -> Iterator[str]:
    parts = iter(words)
    result = next(parts)
    for word in parts:
        if _is_one(_run(reversed(result))[::-1], _run(word), bank):
            result += word
        else:
            yield result
            result = word
    yield result


def _run(letters: Iterable[str]) -> str:
    return "".join(takewhile(is_hangul, letters))


def _is_one(left: str, right: str, bank: _Bank) -> bool:
    """Whether the bank has two runs as one and not both by themselves, or a word that begins in one and ends in the other.

    A particle belongs to what it follows, unless it is a word in the bank too.
    """
    if not (left and right):
        return False
    if right in _ONLY_PARTICLES and not bank.readings(right):
        return True
    if bank.has(left) and bank.has(right):
        return False
    if bank.has(left + right):
        return True
    return not bank.has(right) and bank.longest(left + right) - len(left) > bank.longest(right)


# Words written together


def _parted(word: str, bank: _Bank) -> str:
    runs = ((hangul, "".join(letters)) for hangul, letters in groupby(word, is_hangul))
    return "".join(" ".join(_words_in(run, bank)) if hangul else run for hangul, run in runs)


def _words_in(run: str, bank: _Bank) -> Iterator[str]:
    while not bank.has(run) and (end := _end_of_first(run, bank)):
        yield run[:end]
        run = run[end:]
    yield run


def _end_of_first(run: str, bank: _Bank) -> int:
    """Where the first of two words ends that are written together; 0 when it is one word, or nobody knows."""
    if len(run) > 3 and run.startswith(DETERMINERS):
        return len(DETERMINERS[0])
    if len(run) < 3 or _is_one_word(run, bank):
        return 0
    return _after_seen(run, bank) or _after_object(run, bank) or _after_particle(run, bank)


def _is_one_word(run: str, bank: _Bank) -> bool:
    """Whether a run is words of the bank, with a particle or none."""
    at = 0
    while length := bank.longest(run[at:]):
        at += length
    return at > 0 and (at == len(run) or run[at:] in _PARTICLES)


def _after_seen(run: str, bank: _Bank) -> int:
    """After a run that the bank has, with its particle or ending, unless a longer word begins there: 대한 in 대한민국의."""
    longest = bank.longest(run, least=1)
    for end in range(min(len(run) - 1, _LONGEST_RUN), max(longest, 1), -1):
        reading = bank.readings(run[:end])
        if reading is not None and "".join(reading) != run[:end]:
            return end if bank.begins_word(run[end:]) else 0
    return 0


def _after_object(run: str, bank: _Bank) -> int:
    end = bank.longest(run, least=1)
    return end + 1 if end and run[end : end + 1] in _OBJECT and bank.begins_word(run[end + 1 :]) else 0


def _after_particle(run: str, bank: _Bank) -> int:
    at = 0
    while length := bank.longest(run[at:]):
        at += length
        for particle in _PARTICLES:
            if run.startswith(particle, at) and bank.begins_word(run[at + len(particle) :]):
                return at + len(particle)
    return 0


# Slips of the finger


def mend_typos(terms: Sequence[str], known: Known, beginning: Beginning) -> list[str]:
    """The terms of a query, each unknown Latin one replaced by the most common one that is one slip away, or longer."""
    return [_mended(term, beginning) if _is_unknown(term, known) else term for term in terms]


def _is_unknown(term: str, known: Known) -> bool:
    return len(term) >= _SHORTEST and term.isascii() and term.isalpha() and not known(term)


def _mended(term: str, beginning: Beginning) -> str:
    """A first letter is seldom mistyped, and it keeps the search short."""
    length, middle = len(term), len(term) // 2
    head, tail = term[:middle], term[middle + 1 :]  # one slip leaves one of them as it is
    near = [other for other in beginning(term[0]) if -1 <= len(other) - length <= 1]
    near = [other for other in near if other.startswith(head) or other.endswith(tail)]
    slip = next((other for other in near if is_one_slip(term, other)), "")
    return slip or (length >= _SHORTENED and next(iter(beginning(term)), "")) or term


def is_one_slip(one: str, other: str) -> bool:
    """Whether two words differ by one letter left out, added or replaced, or two neighbours swapped."""
    if len(one) > len(other):
        one, other = other, one
    at = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    is_swapped = one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    return one[at + 1 :] == other[at + 1 :] or is_swapped

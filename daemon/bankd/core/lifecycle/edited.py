"""Which lines of a log are earlier lines of it, edited: judged by their places and the share of letters that is the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property
from itertools import product
from operator import add
from zlib import crc32

from bankd.core.dedup.exact_match import text_key
from bankd.core.lifecycle.retain import RetainLine
from bankd.core.markdown.memory import Memory

IN_PLACE = 0.5
"""The share of common letter pairs (Dice) from which a line in the place of another is that line, edited."""

ELSEWHERE = 0.8
"""The same for a line that stands where the other did not."""

_FEW = 2
"""Lines that may go from a log however short it is; else at least half stay, or it was written again and not edited."""

_MOST = 200
"""Lines that went, or came, beyond which a log was not edited by hand: all of them would be compared with each other."""

_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class PastLine:
    """What is remembered of a Retain line: its id, the key of its text, its letter pairs (16 bits each), its confidence."""

    id: str
    key: str
    pairs: frozenset[int]
    hundredths: int | None = None


def past_line(line: RetainLine) -> PastLine:
    """What to remember of a line."""
    confidence = line.memory.confidence
    return PastLine(
        line.id, text_key(line.memory), _pairs_of(line.memory), confidence.hundredths if confidence else None
    )


def _pairs_of(memory: Memory) -> frozenset[int]:
    letters = _LETTERS.sub("", memory.text.casefold())
    pairs = {*map(add, letters, letters[1:])} or {letters}
    return frozenset(map(_code_of, pairs))


@cache  # of pairs of letters there are few
def _code_of(pair: str) -> int:
    return crc32(pair.encode("utf-8", "surrogateescape")) & 0xFFFF


def find_edited(before: Sequence[PastLine], lines: Sequence[RetainLine]) -> list[tuple[PastLine, RetainLine]]:
    """Pair the lines that went from a log with those that came, the likest first; each is in one pair at most."""
    went = len({past.id for past in before} - {line.id for line in lines})
    if not went or went > max(_FEW, len(before) // 2):
        return []
    likest = sorted(_Alignment(before, lines).alike(), key=lambda found: -found[0])
    pairs: dict[int, int] = {}
    for _, old, new in likest:
        if old not in pairs and new not in pairs.values():
            pairs[old] = new
    return [(before[old], lines[new]) for old, new in sorted(pairs.items())]


class _Alignment:
    """A log as it was beside the same as it is."""

    def __init__(self, before: Sequence[PastLine], lines: Sequence[RetainLine]) -> None:
        self._before, self._lines = before, lines

    def alike(self) -> Iterator[tuple[float, int, int]]:
        """The lines that may be the same edited: by how much they are alike enough, and their places before and now."""
        went, came = self._gaps
        if len(went) > _MOST or len(came) > _MOST:
            return
        pairs = {new: _pairs_of(self._lines[new].memory) for new in came}
        for old, new in product(went, came):
            least = IN_PLACE if went[old] == came[new] else ELSEWHERE
            if (share := _share(self._before[old].pairs, pairs[new])) >= least:
                yield share - least, old, new

    @cached_property
    def _gaps(self) -> tuple[dict[int, int], dict[int, int]]:
        """By the places of lines that went, and came, the gap in which each stands between lines that stayed."""
        ours, theirs = [past.id for past in self._before], [line.id for line in self._lines]
        stayed = set(ours) & set(theirs)
        went: dict[int, int] = {}
        came: dict[int, int] = {}
        for number, (_, i, i_end, j, j_end) in enumerate(SequenceMatcher(None, ours, theirs, False).get_opcodes()):
            went |= {old: number for old in range(i, i_end) if ours[old] not in stayed}
            came |= {new: number for new in range(j, j_end) if theirs[new] not in stayed}
        return went, came


def _share(ours: frozenset[int], theirs: frozenset[int]) -> float:
    return 2 * len(ours & theirs) / (len(ours) + len(theirs))

"""Which Retain lines are new: not consumed before, under whatever name their log had then.

It sees readings and the ledger; where logs lie and how they are read is not its business.

Which lines of a log are earlier lines of it, edited: judged by their places and the share of letters that is the same.

History in batches: a run takes in as many lines as the budget allows, oldest first, and says where the next begins.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property
from itertools import product
from operator import add
from zlib import crc32

from bankd.memory.ledger import DELETED, KEPT, Ledger
from bankd.memory.retain import LogPlace, LogReading, RetainLine
from bankd.pages.memory import Memory, memory_id, statement_of
from bankd.same.pairs import text_key
from bankd.settings import BudgetPolicy

_RENAME_SHARE = 0.5
"""A log of whose lines at least this share was read under another name is that log, renamed."""

_ALL_OF_A_LOG = 3
"""Lines that a log must have had for one that holds them all to be it, renamed and grown by more than it had."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A log that was first read under another name, and the other logs that are there and were first read under it."""

    log: str
    was: str
    beside: tuple[str, ...] = ()


def find_renamed(readings: Sequence[LogReading], ledger: Ledger, present: Set[str]) -> tuple[Renamed, ...]:
    """Recognise logs that were renamed, for a wrong date say, by the lines that were read under another name.

    A name says little: logs are renamed again and again, change names with each other, or take one that was used before.
    """
    consumed = ledger.read
    strangers = [r for r in readings if r.lines and not _is_log(r, ledger.identity_of(r.log), consumed)]
    borne = Counter(ledger.identity_of(log) for log in present - {reading.log for reading in strangers})
    # Several logs may go by one first name: it is free while fewer of them are there than ever were at once.
    free = {was: ids for was, ids in consumed.items() if borne[was] < ledger.logs.get(was, 1)}
    found = {r.log: was for r in strangers if free and (was := _best_match(r, free)) is not None}
    bearing = _by_first_name(present, {**ledger.identities, **found}) if found else {}
    return tuple(Renamed(log, was, tuple(sorted(bearing[was] - {log}))) for log, was in found.items())


def _by_first_name(logs: Set[str], identities: Mapping[str, str]) -> Mapping[str, Set[str]]:
    bearing: defaultdict[str, set[str]] = defaultdict(set)
    for log in logs:
        bearing[identities.get(log, log)].add(log)
    return bearing


def _best_match(reading: LogReading, free: Mapping[str, Set[str]]) -> str | None:
    best = max(sorted(free), key=lambda was: _count_known(reading, was, free))
    return best if _is_log(reading, best, free) else None


def _is_log(reading: LogReading, was: str, consumed: Mapping[str, Set[str]]) -> bool:
    """Whether it is the log of that first name: half of its lines were read there, or it has all that were, and grew."""
    known = _count_known(reading, was, consumed)
    is_grown = known >= max(len(consumed.get(was, ())), _ALL_OF_A_LOG)
    return known >= _RENAME_SHARE * len(reading.lines) or is_grown


def _count_known(reading: LogReading, was: str, consumed: Mapping[str, Set[str]]) -> int:
    """How many of its lines were read under a first name."""
    ids = consumed.get(was)
    if not ids:
        return 0
    if was == reading.identity:
        return sum(line.id in ids for line in reading.lines)
    return sum(memory_id(was, statement_of(line.memory), line.occurrence) in ids for line in reading.lines)


def find_returned(ledger: Ledger, held: Callable[[Set[str]], Set[str]]) -> tuple[str, ...]:
    """Memories that passed for deleted by hand and that a page holds again."""
    deleted = {id_ for id_, fact in ledger.gone.items() if fact["type"] == DELETED}
    return tuple(sorted(held(deleted)))


def find_vanished(ledger: Ledger, held: Callable[[Set[str]], Set[str]]) -> tuple[str, ...]:
    """Memories that were kept and that no page holds any more although nobody but the user took them out."""
    kept = {id_ for id_, fact in ledger.consumed.items() if fact["type"] == KEPT} - ledger.gone.keys()
    return tuple(sorted(kept - held(kept)))


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


_DAY = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_FORCED = 10
"""Times the budget that a forced run may add: each run looks at all of the pages that it adds to, and a run holds some
20 kB of memory for a line."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What a run has left for the next: the line where that begins, and how many logs are not read to their end."""

    start: LogPlace
    logs: int


def order_by_day(logs: Iterable[str]) -> list[str]:
    """The names of logs as their days follow each other; those that name no day come last."""
    return sorted(logs, key=_day_and_name)


def _day_and_name(log: str) -> tuple[str, str]:
    days = _DAY.findall(log)
    return (days[-1] if days else "~", log)


def take_from(start: LogPlace | None, lines: Iterable[RetainLine]) -> list[RetainLine]:
    """The lines that no earlier batch has looked at."""
    return [line for line in lines if start is None or line.place.log != start.log or line.place >= start]


def most_lines(budget: BudgetPolicy, *, force: bool) -> int:
    """How many lines of text one run may add."""
    return budget.max_added_lines * (_FORCED if force else 1)


def cut_batch(lines: Sequence[RetainLine], most: int | None) -> tuple[Sequence[RetainLine], Sequence[RetainLine]]:
    """Divide new lines into a batch of up to this many lines of text, or one memory, and the rest."""
    if most is None:
        return lines, ()
    count = max(sum(total <= most for total in _totals(lines)), 1)
    return lines[:count], lines[count:]


def _totals(lines: Iterable[RetainLine]) -> Iterator[int]:
    total = 0
    for line in lines:
        total += lines_added(line)
        yield total


def lines_added(line: RetainLine) -> int:
    """How many lines of text a memory adds to a page."""
    return line.memory.text.count("\n") + 1


def rest_of(readings: Sequence[LogReading], over: Sequence[RetainLine], later: Sequence[str]) -> Rest | None:
    """Where the next batch begins, when lines of these logs are over, or logs were left for later."""
    if over:
        log = over[0].place.log
        first = [reading.log for reading in readings].index(log)
        return Rest(over[0].place, len(readings) - first + len(later))
    return Rest(LogPlace(later[0], 1), len(later)) if later else None


def whole_logs(readings: Sequence[LogReading], start: LogPlace | None, rest: Rest | None) -> Sequence[LogReading]:
    """The logs that are in this batch from their first line to their last."""
    names = [reading.log for reading in readings]
    first = 1 if start and start.line > 1 and names[:1] == [start.log] else 0
    end = names.index(rest.start.log) if rest and rest.start.log in names else len(names)
    return readings[first:end]

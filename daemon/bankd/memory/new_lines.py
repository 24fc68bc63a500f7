"""Which Retain lines are new: logs that were renamed, lines that were edited, and batches of a long history.

It sees what was read of the logs and the ledger. It does not know where logs are or how they are read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher
from functools import cache, lru_cache
from itertools import accumulate, product
from operator import add
from zlib import crc32

from bankd.memory.ledger import DELETED, KEPT, Ledger
from bankd.memory.retain import LogPlace, LogReading, RetainLine
from bankd.pages.memory import memory_id, statement_of, text_key
from bankd.pages.names import day_in

_RENAME_SHARE = 0.5
"""If at least this share of a log's lines was read under another name, it is that log, renamed."""

_ALL_OF_A_LOG = 3
"""The fewest lines of a log for which a longer log that holds them all counts as the same log, renamed and grown."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A log that was first read under the name `was`; `beside` are the other present logs with that first name."""

    log: str
    was: str
    beside: tuple[str, ...] = ()


def find_renamed(readings: Sequence[LogReading], ledger: Ledger, present: Set[str]) -> tuple[Renamed, ...]:
    """Recognise renamed logs by lines that were read under another name.

    Names are no help: logs are renamed again and again, swap names, or take a name that was used before.
    """
    consumed = ledger.read
    strangers = [r for r in readings if r.lines and not _is_log(r, ledger.identity_of(r.log), consumed)]
    borne = Counter(ledger.identity_of(log) for log in present - {reading.log for reading in strangers})
    # Several logs may go by one first name: it is free while fewer of them are there than ever were at once.
    free = {was: ids for was, ids in consumed.items() if borne[was] < ledger.logs.get(was, 1)}
    found: dict[str, str] = {}
    for reading in strangers if free else ():
        best = max(sorted(free), key=lambda was: _count_known(reading, was, free))
        if _is_log(reading, best, free):
            found[reading.log] = best
    identities, bearing = {**ledger.identities, **found}, defaultdict[str, set[str]](set)
    for log in present if found else ():
        bearing[identities.get(log, log)].add(log)
    return tuple(Renamed(log, was, tuple(sorted(bearing[was] - {log}))) for log, was in found.items())


def _is_log(reading: LogReading, was: str, consumed: Mapping[str, Set[str]]) -> bool:
    """Whether it is the log with this first name: half of its lines were read there, or it holds all that were and grew."""
    known = _count_known(reading, was, consumed)
    is_grown = known >= max(len(consumed.get(was, ())), _ALL_OF_A_LOG)
    return known >= _RENAME_SHARE * len(reading.lines) or is_grown


def _count_known(reading: LogReading, was: str, consumed: Mapping[str, Set[str]]) -> int:
    """How many lines of a log were read under this first name."""
    ids = consumed.get(was)
    if not ids:
        return 0
    if was == reading.identity:
        return sum(line.id in ids for line in reading.lines)
    return sum(memory_id(was, statement_of(line.memory), line.occurrence) in ids for line in reading.lines)


def find_returned(ledger: Ledger, held: Callable[[Set[str]], Collection[str]]) -> tuple[str, ...]:
    """Memories that counted as deleted by hand and are on a page again; `held` tells which of these ids a page holds."""
    return tuple(sorted(held({id_ for id_, fact in ledger.gone.items() if fact["type"] == DELETED})))


def find_vanished(ledger: Ledger, held: Callable[[Set[str]], Collection[str]]) -> tuple[str, ...]:
    """Memories that were kept or archived, that no page holds any more, and that only the user can have taken out."""
    kept = {*ledger.tombstones, *(id_ for id_, fact in ledger.consumed.items() if fact["type"] == KEPT)} - ledger.ended
    return tuple(sorted(kept.difference(held(kept))))


IN_PLACE = 0.5
"""A line at the place of a removed one is that line, edited, if they share at least this part of letter pairs (Dice)."""

ELSEWHERE = 0.8
"""The same for a line at another place."""

_FEW = 2
"""Up to this many lines may go from a log that is edited. If more go, at least half must stay; else it was rewritten."""

_MOST = 200
"""With more removed or new lines, a log was not edited by hand. Each removed line is compared with each new one."""

_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class PastLine:
    """A Retain line as it was read before: its id, the key of its text, its letter pairs (16 bits each), its confidence."""

    id: str
    key: str
    pairs: frozenset[int]
    hundredths: int | None = None


def past_line(line: RetainLine) -> PastLine:
    """What to remember of a line."""
    hundredths = line.memory.confidence.hundredths if line.memory.confidence else None
    return PastLine(line.id, text_key(line.memory), letter_pairs(line.memory.text), hundredths)


@lru_cache(maxsize=10_000)  # of a run: the same memories are found for many lines
def letter_pairs(text: str) -> frozenset[int]:
    """The pairs of neighbouring letters of a text, 16 bits each, without spaces and punctuation; for one letter that letter."""
    letters = _LETTERS.sub("", text.casefold())
    return frozenset(map(_code_of, {*map(add, letters, letters[1:])} or {letters}))


@cache  # of pairs of letters there are few
def _code_of(pair: str) -> int:
    return crc32(pair.encode("utf-8", "surrogateescape")) & 0xFFFF


def share_of(one: Set[int], other: Set[int]) -> float:
    """How many of their letter pairs two texts share, 0 to 1 (Dice); cheaper than to compare their words."""
    return 2 * len(one & other) / (len(one) + len(other))


def find_edited(before: Sequence[PastLine], lines: Sequence[RetainLine]) -> list[tuple[PastLine, RetainLine]]:
    """Pair the lines that went from a log with the new ones, the most alike first; each is in one pair at most.

    A line that only got another confidence is in a pair with itself.
    """
    known = {past.id: past for past in before}
    sure = ((line, line.memory.confidence) for line in lines if line.id in known)
    resaid = [(known[line.id], line) for line, value in sure if value and value.hundredths != known[line.id].hundredths]
    went = len(known.keys() - {line.id for line in lines})
    if not went or went > max(_FEW, len(before) // 2):
        return resaid
    pairs: dict[int, int] = {}
    for _, old, new in sorted(_alike(before, lines), key=lambda found: -found[0]):
        if old not in pairs and new not in pairs.values():
            pairs[old] = new
    return [*resaid, *((before[old], lines[new]) for old, new in sorted(pairs.items()))]


def _alike(before: Sequence[PastLine], lines: Sequence[RetainLine]) -> Iterator[tuple[float, int, int]]:
    """Pairs that may be one line, edited: how far above the threshold, and the places before and now."""
    ours, theirs = [past.id for past in before], [line.id for line in lines]
    stayed = set(ours) & set(theirs)
    went: dict[int, int] = {}  # by the place of a line: the gap between lines that stayed in which it stands
    came: dict[int, int] = {}
    for number, (_, i, i_end, j, j_end) in enumerate(SequenceMatcher(None, ours, theirs, False).get_opcodes()):
        went |= {old: number for old in range(i, i_end) if ours[old] not in stayed}
        came |= {new: number for new in range(j, j_end) if theirs[new] not in stayed}
    if len(went) > _MOST or len(came) > _MOST:
        return
    pairs = {new: letter_pairs(lines[new].memory.text) for new in came}
    for old, new in product(went, came):
        least = IN_PLACE if went[old] == came[new] else ELSEWHERE
        share = share_of(before[old].pairs, pairs[new])
        if share >= least:
            yield share - least, old, new


FORCED = 10
"""A forced run may add this many times the budget. It reads each page that it adds to, and needs about 20 kB a line."""


def order_by_day(logs: Iterable[str]) -> list[str]:
    """Sort the names of logs by the last day in each; those without a day come last."""
    return sorted(logs, key=lambda log: (day_in(log) or date.max, log))


def cut_batch(lines: Sequence[RetainLine], most: int | None) -> tuple[Sequence[RetainLine], Sequence[RetainLine]]:
    """Divide new memories into a batch (at most this many lines of text, at least one memory) and the rest."""
    if most is None:
        return lines, ()
    added = accumulate(line.memory.text.count("\n") + 1 for line in lines)
    count = max(sum(total <= most for total in added), 1)
    return lines[:count], lines[count:]


def rest_of(over: Sequence[RetainLine], later: Sequence[str]) -> LogPlace | None:
    """Where the next batch begins: at the first line that is left over, or the first log left for later."""
    if over:
        return over[0].place
    return LogPlace(later[0], 1) if later else None


def whole_logs(readings: Sequence[LogReading], start: LogPlace | None, rest: LogPlace | None) -> Sequence[LogReading]:
    """The logs of which this batch holds every line."""
    names = [reading.log for reading in readings]
    first = 1 if start and start.line > 1 and names[:1] == [start.log] else 0
    end = names.index(rest.log) if rest and rest.log in names else len(names)
    return readings[first:end]

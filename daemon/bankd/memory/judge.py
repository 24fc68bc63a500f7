"""Decides for each new line of a run whether the bank, or an earlier line, says the same or an older value.

The index says who might be alike; this decides, line by line, in the order of the logs. It also compares memories of the
bank that are new or changed with those like them, once; the catalog keeps the outcome for answers, conflicts and the inbox.
And it lets a memory follow its line where that was edited.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from bankd.errors import bug_in
from bankd.memory.archive import memory_of
from bankd.memory.ledger import DELETED, FORGOTTEN, KEPT, PROJECT, Event, Ledger, are_apart, day_said
from bankd.memory.new_lines import PastLine
from bankd.memory.plan import Blocked, Confirmed, Deferred, Placement, Plan, Revised, Update
from bankd.memory.retain import RetainLine
from bankd.memory.use import Fading, is_fading, raise_confidence, value_on
from bankd.pages.memory import Confidence, Memory, memory_id, normalise_text, render_memory, statement_of
from bankd.pages.page import MARKER, MemoryLines, with_confidence
from bankd.same import (
    Dated,
    Likeness,
    Match,
    Pairs,
    Relation,
    compare_pairs,
    compared_text,
    find_match,
    read_statement,
    slots_of,
    text_key,
)
from bankd.words.statement import Statement, Wording

if TYPE_CHECKING:
    from bankd.app.index import RunIndex
    from bankd.workspace.catalog import PageMemoryCatalog

_NEAREST = 10
"""Earlier lines of the same run that are compared with a new one, those that share most words first."""

_LATEST = 50
"""For each word only this many lines, the latest, are looked at: a thousand similar lines would mean a million comparisons.

Of the labelled pairs of all sets in one run, 411 find their partner so, with 200 lines 412."""

_TIMES_AS_LONG, _LETTERS_MORE = 2, 20
"""How much longer the longer of two memories may be; in 12,250 labelled pairs of five sets it was 3 letters over twice."""

_OCCURRENCES = 20
"""The most lines with the same words in one log whose ids are tried, to see whether a memory still has the text of its line."""

_ENTITIES = "entities/"
"""The folder of pages about one person or thing each, relative to the bank."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory of the bank that looks like a new one; without an id it goes by its place, page and line."""

    id: str
    memory: Memory


def said_on(page: str, memory: Memory) -> Memory:
    """A memory with whom its page is about: what the user writes on `entities/Peter.md` is said of Peter."""
    if memory.entities or not page.startswith(_ENTITIES):
        return memory
    return replace(memory, entities=(page.removeprefix(_ENTITIES).removesuffix(".md").split("/")[0],))


@dataclass(frozen=True, slots=True)
class JudgedLines:
    """The lines that are new, those that say nothing new, and what the new ones update; `warnings` name those kept unjudged."""

    placements: tuple[Placement, ...]
    blocked: tuple[Blocked, ...]
    updates: tuple[Update, ...]
    warnings: tuple[str, ...] = ()


def judge_lines(
    placements: Sequence[Placement],
    neighbours: Mapping[str, Sequence[Neighbour]],
    wordings: Mapping[str, Wording],
    threshold: int,
    projects: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> JudgedLines:
    """Judge the lines of a run; `neighbours` by the id of the line, `wordings` by text, `projects` by memory.

    Only memories with the same tag are compared: an opinion and a fact in the same words are two different memories. Nor do
    two projects have any relation.
    """
    judge = _Judge(wordings, threshold, projects)
    kept: list[Placement] = []
    blocked: list[Blocked] = []
    updates: list[Update] = []
    warnings: list[str] = []
    for placement in placements:
        try:
            match = judge.match(placement.line, neighbours.get(placement.line.id, ()))
        except Exception as error:  # one line that cannot be compared must not keep all the others out
            match = None
            warnings.append(bug_in(f"{placement.line.place}: kept without being compared with what is known", error))
        if match and match.verdict.outcome is Relation.SAME:
            blocked.append(Blocked(placement.line, match.id, match.verdict.reason))
            continue
        kept.append(placement)
        updates += _update(placement, match)
    return JudgedLines(tuple(kept), tuple(blocked), tuple(updates), tuple(warnings))


class _Judge:
    """Finds the memory that a line repeats or updates, and remembers the lines that repeat nothing."""

    def __init__(
        self, wordings: Mapping[str, Wording], threshold: int, projects: Mapping[str, Collection[str]]
    ) -> None:
        self._reader, self._threshold, self._projects = Reader(wordings), threshold, dict(projects)
        self._earlier: dict[str | None, EarlierLines] = defaultdict(EarlierLines)

    def match(self, retained: RetainLine, neighbours: Sequence[Neighbour]) -> Match | None:
        memory, read = retained.memory, self._reader.read
        line = ReadLine.of(retained.id, read(memory))
        own = (retained.project,) if retained.project else ()
        kin = [
            item for item in neighbours if item.memory.tag in {None, memory.tag} and not self._is_apart(own, item.id)
        ]
        length = len(memory.text)
        alike = range((length - _LETTERS_MORE) // _TIMES_AS_LONG, length * _TIMES_AS_LONG + _LETTERS_MORE + 1)
        known = [(item.id, read(item.memory)) for item in kin if len(item.memory.text) in alike]
        earlier = self._earlier[memory.tag]
        before = [one for one in earlier.nearest(line) if not self._is_apart(own, one[0])]
        match = find_match([*known, *before], line.statement, self._threshold)
        if match is None or match.verdict.outcome is not Relation.SAME:
            earlier.add(line)
            self._projects[retained.id] = own
        return match

    def _is_apart(self, own: tuple[str, ...], id_: str) -> bool:
        return are_apart(own, self._projects.get(id_, ()))


def _update(placement: Placement, match: Match | None) -> list[Update]:
    if match is None or not match.id.startswith("m-"):
        return []  # a memory without an id was written by a person and is not changed
    return [Update(placement.line, match.id, match.verdict.reason)]


class Reader:
    """Reads each memory once."""

    def __init__(self, wordings: Mapping[str, Wording]) -> None:
        self._wordings = wordings
        self._read: dict[tuple[str, tuple[str, ...]], Statement] = {}

    def read(self, memory: Memory) -> Statement:
        """The tokens of a memory."""
        key = (memory.text, memory.entities)
        if key not in self._read:
            self._read[key] = read_statement(self._wordings[compared_text(memory)], memory.entities)
        return self._read[key]


class ReadLine(NamedTuple):
    """A line of this run, by its content words and values; by all of its words if it has none."""

    id: str
    statement: Statement
    words: frozenset[str]

    @classmethod
    def of(cls, id_: str, statement: Statement) -> ReadLine:
        content = frozenset([part.stem for part in slots_of(statement).content])
        return cls(id_, statement, content or frozenset([token.base for token in statement.tokens]))

    @property
    def keys(self) -> tuple[object, ...]:
        """The keys that find it: its words, and its letters, since equal statements have equal letters."""
        return *self.words, ("letters", self.statement.letters)


class EarlierLines:
    """The lines of a run so far, found again by the words that they share with a new one."""

    def __init__(self) -> None:
        self._lines: list[ReadLine] = []
        self._by_key: dict[object, list[int]] = defaultdict(list)

    def add(self, line: ReadLine) -> None:
        """Remember a line."""
        for key in line.keys:
            self._by_key[key].append(len(self._lines))
        self._lines.append(line)

    def nearest(self, new: ReadLine) -> list[tuple[str, Statement]]:
        """The lines that share most words with a new one, at least half of them; among many of equal words the latest."""
        near = [
            (-len(new.words & self._lines[number].words), turn, number)
            for turn, number in enumerate(self._worth_a_look(new) if new.words else ())
        ]
        return [self._lines[number][:2] for some, _, number in sorted(near)[:_NEAREST] if -2 * some >= len(new.words)]

    def _worth_a_look(self, new: ReadLine) -> list[int]:
        """The lines with the same words, and those that may share half of them: they have at least two of the rarer words.

        A line with six of twelve words has two of any eight of them, so counting rules out most lines. Only the latest lines
        with a word are counted, so an older line may have more of the words than its count.
        """
        found, size = self._by_key, len(new.words)
        least = min(2, (size + 1) // 2)
        rarest = sorted([(len(found.get(word, ())), word) for word in new.words])[: size // 2 + least]
        lines = [found[key] for key in (new.keys[-1], *(word for _, word in rarest)) if key in found]
        older = max((some[-_LATEST] for some in lines if len(some) > _LATEST), default=0)
        counts = Counter(chain.from_iterable([some[-_LATEST:] for some in lines]))
        return [number for number, often in counts.items() if often >= least or number < older]


def find_replaced(
    lines: Iterable[RetainLine], plan: Plan, ledger: Ledger, held: Mapping[str, MemoryLines]
) -> tuple[list[Update], list[str]]:
    """What the lines that end in `(replaces m-…)` replace, and warnings on those that name no memory of the bank.

    A line that was taken in before counts too, since what it replaces may be written behind it later. `held` has the
    memories that are named, if they can be written now. A person is asked about what they wrote themselves.
    """
    behind = {**{one.line.id: one.twin for one in plan.blocked}, **{one.line.id: one.id for one in plan.revised}}
    waiting, updates, warnings = {line.id for line in plan.lines} - behind.keys(), list[Update](), list[str]()
    placed = {placement.line.id for placement in plan.placements}
    waiting -= placed
    for line in lines:
        new, old = behind.get(line.id) or ledger.memory_behind(line.id), line.replaces
        pair = (min(old, new), max(old, new))
        is_told = ledger.superseded.get(old) == new or (old, new) in ledger.may_replace or pair in ledger.wanted_both
        if line.id in waiting or old == new or is_told:
            continue
        if old in held or old in placed:
            by_hand = old in held and _is_by_hand(held[old], ledger)
            updates.append(Update(line, old, f"its line says so: {line.place}", new, is_question=by_hand))
        elif line.id not in ledger.consumed:
            warnings.append(
                f"{line.place}: says that it replaces {old}, which is not in the bank; both stay as they are"
            )
    return updates, warnings


def _is_by_hand(lines: MemoryLines, ledger: Ledger) -> bool:
    """Whether a person wrote, changed or pinned a memory on its page."""
    memory = memory_of(lines)
    fact, said = ledger.consumed.get(memory.id or "", {}), statement_of(replace(memory, sources=()))
    if memory.is_pinned or fact.get("type") != KEPT:
        return True
    if memory.id in ledger.revisions:
        return normalise_text(str(ledger.revisions[memory.id][-1].get("said", said))) != said
    log = ledger.identity_of(str(fact.get("log", "")))
    return not any(memory_id(log, said, occurrence) == memory.id for occurrence in range(_OCCURRENCES))


def confirmations_of(
    blocked: Iterable[Blocked], held: Mapping[str, MemoryLines], ledger: Ledger, today: date, fading: Fading
) -> Iterator[Confirmed]:
    """The new confidence of opinions that blocked lines repeat, each on the day of the latest log that repeats it.

    They have at least the confidence just said, from that day. `held` has the lines of those that can be written now.
    """
    last = {one.twin: one.line for one in sorted(blocked, key=lambda one: one.line.place.day(today))}
    for twin in sorted(last.keys() & held.keys()):
        lines, memory = held[twin], memory_of(held[twin])
        written, said, day = memory.confidence, last[twin].memory.confidence, last[twin].place.day(today)
        if written is None or not is_fading(memory):
            continue
        if written.day and day < written.day:  # an old log says nothing about today
            said, day = None, written.day
        worth = value_on(written, day, fading, lines.page, ledger.signals_of(twin).used)
        stronger = with_confidence(lines.text, raise_confidence(worth, day, said))
        if stronger != lines.text:
            yield Confirmed(lines.page, twin, lines.text, stronger)


AT_ONCE = 1_000
"""The most new lines and memories that a run looks at, some seconds of work; more memories wait for the next."""


@dataclass(frozen=True, slots=True)
class CompareParts:
    """What comparing needs: what the bank holds, who looks alike, how texts are taken apart, and `dedup.threshold`."""

    catalog: PageMemoryCatalog
    index: RunIndex
    wordings: RunIndex
    threshold: int


def compare_changed(
    of: CompareParts, ledger: Ledger, fresh: Iterable[Event] = (), most: int | None = None
) -> list[str]:
    """Compare the memories that are new or changed with those that look like them; gives what could not be compared.

    `fresh` are events newer than the ledger.
    """
    catalog = of.catalog
    changed = catalog.changed_since_look(of.threshold, most)
    if not changed:
        return []
    memories = _memories(catalog, changed)
    near = of.index.neighbours_of(memories)
    alike = {(min(id_, one.id), max(id_, one.id)) for id_, found in near.items() for one in found if one.id != id_}
    fresh = [*fresh]
    memories |= _memories(catalog, {id_ for pair in alike for id_ in pair} - memories.keys())
    pairs = [pair for pair in alike - ledger.wanted_both if memories.keys() >= set(pair)]
    sources = {**ledger.consumed, **{str(item["memory"]): item for item in fresh if item.get("type") == KEPT}}
    named = {str(item["memory"]): [str(item["project"])] for item in fresh if item.get("type") == PROJECT}
    projects: Mapping[str, Collection[str]] = {**ledger.projects(), **named}
    pairs = [pair for pair in pairs if not are_apart(*(projects.get(id_, ()) for id_ in pair))]
    compared = _compare(pairs, memories, sources, of)
    catalog.record_look({id_: key for id_, key in changed.items() if id_ in memories}, compared)
    return [likeness.bug for likeness in compared.values() if likeness.bug]


def _memories(catalog: PageMemoryCatalog, ids: Iterable[str]) -> dict[str, Memory]:
    return {id_: memory_of(lines) for id_, lines in catalog.lines_of(ids).items()}


def _compare(
    pairs: Iterable[tuple[str, str]], memories: Mapping[str, Memory], sources: Mapping[str, Event], of: CompareParts
) -> Pairs:
    """Their relations; an opinion and a fact in the same words are two different memories."""
    kin = [pair for pair in pairs if memories[pair[0]].tag == memories[pair[1]].tag]
    ids = {id_ for pair in kin for id_ in pair}
    reader = Reader(of.wordings.take_apart(sorted({compared_text(memories[id_]) for id_ in ids})))
    dated = {
        id_: Dated(id_, reader.read(memories[id_]), day_said(sources.get(id_)), source_line_number(sources.get(id_)))
        for id_ in ids
    }
    near = of.index.cosines([(memories[one].text, memories[other].text) for one, other in kin])
    cosines = {frozenset(pair): cosine for pair, cosine in zip(kin, near, strict=True) if cosine is not None}
    compared = compare_pairs(((dated[one], dated[other]) for one, other in kin), of.threshold, cosines)
    return {**dict.fromkeys(set(pairs) - set(kin), Likeness()), **compared}


def source_line_number(fact: Event | None) -> int:
    """The line of the log that a memory came from; 0 if that is not known."""
    line = fact.get("line") if fact else None
    return line if isinstance(line, int) else 0


_DEPARTED = frozenset({DELETED, FORGOTTEN})


@dataclass(frozen=True, slots=True)
class Standing:
    """Where memories are: the pages of each, and the lines of those that can be written now."""

    pages: Mapping[str, tuple[str, ...]]
    lines: Mapping[str, MemoryLines]


def memories_behind(edited: Iterable[tuple[PastLine, RetainLine]], ledger: Ledger) -> set[str]:
    """The memories that came from these lines."""
    return {memory for past, _ in edited if (memory := ledger.memory_of(past.id))}


def revise(plan: Plan, edited: Iterable[tuple[PastLine, RetainLine]], ledger: Ledger, standing: Standing) -> Plan:
    """Let memories follow their edited lines; what a person changed or took out stays as it is."""
    fresh = {line.id for line in plan.lines}
    found = [
        outcome
        for past, line in edited
        if (memory := ledger.memory_of(past.id)) and (line.id in fresh or ledger.memory_of(line.id) == memory)
        for outcome in _outcomes(memory, past, line, plan, ledger, standing)
    ]
    revised = tuple(item for item in found if isinstance(item, Revised))
    overruled = tuple(item for item in found if isinstance(item, Blocked) and item.line.id in fresh)
    waiting = [item for item in found if isinstance(item, Deferred)]
    updates = tuple(item for item in found if isinstance(item, Update))
    places = {item.line.place for item in revised} | {item.line.place for item in overruled}
    waits = {item.what for item in waiting}
    return plan.with_(
        lines=tuple(line for line in plan.lines if line.place not in places and str(line.place) not in waits),
        revised=revised,
        overruled=overruled,
        updates=(*plan.updates, *updates),
        undated=tuple(item for item in plan.undated if item.key not in {one.id for one in revised}),
        deferred=(*plan.deferred, *waiting),
    )


def _outcomes(
    id_: str, past: PastLine, line: RetainLine, plan: Plan, ledger: Ledger, standing: Standing
) -> Iterator[Revised | Blocked | Deferred | Update]:
    gone = ledger.gone.get(id_)
    if id_ in plan.deleted or (gone is not None and gone["type"] in _DEPARTED):
        yield Blocked(line, id_, f"{id_} came from this line and was taken out by hand; it stays out")
        return
    pages, lines = standing.pages.get(id_, ()), standing.lines.get(id_)
    if lines is None:
        yield from (Deferred(str(line.place), f"waits for {path}") for path in pages[:1] if path.startswith("bank/"))
        return
    now = memory_of(lines)
    if text_key(now) not in {past.key, text_key(line.memory)}:
        yield Blocked(line, id_, f"{id_} came from this line and was changed by hand; it stays so")
    elif (now.tag, set(now.entities)) != (line.memory.tag, set(line.memory.entities)):
        yield Update(line, id_, "its line was edited")  # it may belong on another page
    else:
        yield Revised(
            line,
            id_,
            lines.page,
            lines.text,
            _rewritten(lines, now, past, line.memory, line.place.day(plan.now.date())),
        )


def _rewritten(lines: MemoryLines, now: Memory, past: PastLine, said: Memory, day: date) -> str:
    """The lines of a memory with new text; its id, its marker and what is nested in it stay."""
    confidence = now.confidence
    if said.confidence and said.confidence.hundredths != past.hundredths:
        confidence = Confidence(said.confidence.hundredths, said.confidence.day or day)
    own = render_memory(replace(now, text=said.text, confidence=confidence)).split("\n")
    rows = lines.text.split("\n")
    found = MARKER.match(rows[0])
    marker = found[0] if found else ""
    below = [f"{' ' * len(marker)}{row}" for row in own[1:]]
    return "\n".join([f"{marker}{own[0]}", *below, *rows[lines.own :]])

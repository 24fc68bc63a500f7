"""Decides for each new line of a run whether the bank, or an earlier line, says the same or an older value.

The index says who might be alike; this decides, line by line, in the order of the logs. It also compares memories of the
bank that are new or changed with those like them, once; the catalog keeps the outcome for answers, conflicts and the inbox.
And it lets a memory follow its line where that was edited.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from bankd import same
from bankd.edits.operations import Replace
from bankd.errors import bug_in
from bankd.memory.archive import memory_of
from bankd.memory.ledger import DELETED, FORGOTTEN, KEPT, PROJECT, REWORDED, Event, Ledger, age_of, are_apart, day_said
from bankd.memory.new_lines import PastLine
from bankd.memory.plan import Blocked, Deferred, Placement, Plan, Revised, Update
from bankd.memory.retain import LogPlace, RetainLine
from bankd.memory.use import Fading, is_fading, raise_confidence, value_on
from bankd.pages.memory import Confidence, Memory, memory_id, render_memory, statement_of, text_key
from bankd.pages.names import whom_page_is_about
from bankd.pages.page import MARKER, MemoryLines, with_confidence
from bankd.pages.text import other_part
from bankd.words.statement import Statement, Wording

if TYPE_CHECKING:
    from bankd.app.index import RunIndex
    from bankd.workspace.catalog import PageMemoryCatalog

_NEAREST = 10
"""Earlier lines of the same run that are compared with a new one, those that share most words first."""

_LATEST = 50
"""For each word only this many lines, the latest, are looked at: a thousand similar lines would mean a million comparisons.

Of the labelled pairs of all sets in one run, 411 find their partner so, with 200 lines 412."""


_OCCURRENCES = 20
"""The most lines with the same words in one log whose ids are tried, to see whether a memory still has the text of its line."""


@dataclass(frozen=True, slots=True)
class ComparedMemory:
    """A memory of the bank, to be compared with a new one; without an id it goes by its place, page and line."""

    id: str
    memory: Memory
    projects: Collection[str] = ()


def said_on(page: str, memory: Memory) -> Memory:
    """A memory with whom its page is about: what the user writes on `entities/Peter.md` is said of Peter."""
    return replace(memory, entities=memory.entities or whom_page_is_about(page))


@dataclass(frozen=True, slots=True)
class JudgedLines:
    """The lines that are new, those that say nothing new, and what the new ones update; `warnings` name those kept unjudged."""

    placements: tuple[Placement, ...]
    blocked: tuple[Blocked, ...]
    updates: tuple[Update, ...]
    warnings: tuple[str, ...] = ()


def judge_lines(
    placements: Sequence[Placement],
    neighbours: Mapping[str, Sequence[ComparedMemory]],
    wordings: Mapping[str, Wording],
    threshold: int,
    projects: Mapping[str, Collection[str]],
    replaced: Mapping[str, LogPlace] = {},
) -> JudgedLines:
    """Judge the lines of a run; `neighbours` by the id of the line, `wordings` by text, `projects` by memory.

    A line is not compared with a memory that was `replaced` before it was said; that has the place of the newer line. Only memories with the same tag are compared: an opinion and a fact in the same words are two different memories. Nor do
    two projects have any relation.
    """

    def read(memory: Memory) -> Statement:
        return same.read_statement(wordings[same.compared_text(memory)], memory.entities)

    kept, blocked, updates, warnings = list[Placement](), list[Blocked](), list[Update](), list[str]()
    earlier, of_projects, until = defaultdict[str | None, EarlierLines](EarlierLines), dict(projects), dict(replaced)
    for placement in placements:
        line, memory = placement.line, placement.line.memory
        own = (line.project,) if line.project else ()
        try:
            statement = read(memory)
            near = [one for one in neighbours.get(line.id, ()) if one.memory.tag in {None, memory.tag}]
            known = [*((one.id, read(one.memory)) for one in near), *earlier[memory.tag].nearest(statement)]
            known = [one for one in known if not are_apart(own, of_projects.get(one[0], ()))]
            known = [one for one in known if not line.place.follows(until.get(one[0]))]
            id_, found = same.find_match(known, statement, threshold) or ("", same.Likeness())
        except Exception as error:  # one line that cannot be compared must not keep all the others out
            kept.append(placement)
            warnings.append(bug_in(f"{line.place}: kept without being compared with what is known", error))
            continue
        if found.relation is same.Relation.SAME:
            blocked.append(Blocked(line, id_, found.reason))
            continue
        kept.append(placement)
        earlier[memory.tag].add(line.id, statement)
        of_projects[line.id] = own
        if id_.startswith("m-"):  # a memory without an id was written by a person and is not changed
            old = next((one.memory.text for one in near if one.id == id_), "")
            words = f"{other_part(old, memory.text)} → {other_part(memory.text, old)}"  # as the user wrote the values
            updates.append(Update(line, id_, words if old else found.reason))
            until[id_] = line.place
    return JudgedLines(tuple(kept), tuple(blocked), tuple(updates), tuple(warnings))


class EarlierLines:
    """The lines of a run so far, found again by the words that they share with a new one."""

    def __init__(self) -> None:
        self._lines: list[tuple[str, Statement]] = []
        self._by_key: dict[object, list[int]] = defaultdict(list)

    def add(self, id_: str, statement: Statement) -> None:
        """Remember a line."""
        for key in (*content_words(statement), ("letters", statement.letters)):
            self._by_key[key].append(len(self._lines))
        self._lines.append((id_, statement))

    def nearest(self, new: Statement) -> list[tuple[str, Statement]]:
        """The lines that share most words with a new one, at least half of them; among many of equal words the latest."""
        words = content_words(new)
        keys = (*words, ("letters", new.letters))  # equal statements have equal letters
        worth_a_look = {number for key in keys for number in self._by_key.get(key, ())[-_LATEST:]}
        shared = {number: len(words & content_words(self._lines[number][1])) for number in worth_a_look}
        near = sorted((-some, -number) for number, some in shared.items() if some and 2 * some >= len(words))
        return [self._lines[-number] for _, number in near[:_NEAREST]]


def content_words(statement: Statement) -> frozenset[str]:
    """The content words and values of a statement; all of its words if it has none."""
    content = frozenset([part.stem for part in same.slots_of(statement).content])
    return content or frozenset([token.base for token in statement.tokens])


def find_replaced(
    lines: Iterable[RetainLine], plan: Plan, ledger: Ledger, held: Mapping[str, MemoryLines]
) -> tuple[list[Update], list[str]]:
    """What the lines that end in `(replaces m-…)` replace, and warnings on those that name no memory of the bank.

    A line that was taken in before counts too, since what it replaces may be written behind it later. `held` has the
    memories that are named, if they can be written now.
    """
    behind, updates, warnings = plan.behind, list[Update](), list[str]()
    placed = {placement.line.id for placement in plan.placements}
    waiting = {line.id for line in plan.lines} - behind.keys() - placed
    for line in lines:
        new, old = behind.get(line.id) or ledger.memory_behind(line.id), line.replaces
        pair = (min(old, new), max(old, new))
        by = ledger.superseded.get(old, {}).get("by")
        is_told = by == new or (old, new) in ledger.may_replace or pair in ledger.wanted_both
        if line.id in waiting or old == new or is_told:
            continue
        if old in held or old in placed:
            updates.append(Update(line, old, f"its line says so: {line.place}", new))
        elif line.id not in ledger.consumed:
            warnings.append(
                f"{line.place}: says that it replaces {old}, which is not in the bank; both stay as they are"
            )
    return updates, warnings


def find_doubted(
    marks: Mapping[str, str], was: Mapping[str, Memory], now: Mapping[str, Memory], wordings: Mapping[str, Wording]
) -> Iterator[tuple[str, str]]:
    """The older and newer memories of these marks of which a person reworded one, so that the mark may not hold any more.

    `was` has them as they were told before, `now` as they stand.
    """

    def relation(*both: Memory) -> same.Relation:
        of = [same.read_statement(wordings[same.compared_text(one)], one.entities) for one in both]
        dated = [same.Dated((date.min, place, str(place)), statement) for place, statement in enumerate(of)]
        return same.compare_pairs([(dated[0], dated[1])])["0", "1"].relation

    for old, new in marks.items():
        if old in now and new in now and (found := relation(now[old], now[new])) is not same.Relation.SAME:
            says_as_before = relation(was[old], now[old]) is same.Relation.SAME
            if not (says_as_before and relation(now[old], was[new]) is found):
                yield old, new


def is_by_hand(lines: MemoryLines, ledger: Ledger) -> bool:
    """Whether a person wrote, changed or pinned a memory on its page: the id of its line tells what the log says."""
    memory = memory_of(lines)
    fact, said = ledger.consumed.get(memory.id or "", {}), statement_of(memory)
    if memory.is_pinned or fact.get("type") != KEPT:
        return True
    log, line = ledger.identity_of(str(fact.get("log", ""))), ledger.line_of(memory.id or "")
    return not any(memory_id(log, said, occurrence) == line for occurrence in range(_OCCURRENCES))


def confirmations_of(
    blocked: Iterable[Blocked], held: Mapping[str, MemoryLines], ledger: Ledger, today: date, fading: Fading
) -> Iterator[Replace]:
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
            yield Replace(lines.page, twin, lines.text, stronger)


AT_ONCE = 1_000
"""The most new lines and memories that a run looks at, some seconds of work; more memories wait for the next."""


def compare_changed(
    catalog: PageMemoryCatalog,
    index: RunIndex,
    ledger: Ledger,
    threshold: int,
    fresh: Sequence[Event] = (),
    most: int | None = None,
) -> list[str]:
    """Compare the memories that are new or changed with those that look like them; gives what could not be compared.

    `fresh` are events newer than the ledger. An opinion and a fact in the same words are two different memories. The day of
    a log does not date what a person has reworded on its page since.
    """
    changed = catalog.changed_since_look(threshold, most)
    if not changed:
        return []
    memories = catalog.memories_of(changed)
    near = index.neighbours_of(memories)
    alike = {(min(id_, one.id), max(id_, one.id)) for id_, found in near.items() for one in found if one.id != id_}
    memories |= catalog.memories_of({id_ for pair in alike for id_ in pair} - memories.keys())
    sources = {**ledger.consumed, **{str(item["memory"]): item for item in fresh if item.get("type") == KEPT}}
    named = {str(item["memory"]): [str(item["project"])] for item in fresh if item.get("type") == PROJECT}
    projects: Mapping[str, Collection[str]] = {**ledger.projects(), **named}
    pairs = [pair for pair in alike - ledger.wanted_both if memories.keys() >= set(pair)]
    pairs = [pair for pair in pairs if not are_apart(*(projects.get(id_, ()) for id_ in pair))]
    kin = [pair for pair in pairs if memories[pair[0]].tag == memories[pair[1]].tag]
    texts = {id_: same.compared_text(memories[id_]) for pair in kin for id_ in pair}
    wordings = index.take_apart(sorted({*texts.values()}))
    dated = {
        id_: same.Dated(age_of(id_, sources.get(id_)), same.read_statement(wordings[text], memories[id_].entities))
        for id_, text in texts.items()
    }
    cosines = index.cosines([(memories[one].text, memories[other].text) for one, other in kin])
    known = {frozenset(pair): cosine for pair, cosine in zip(kin, cosines, strict=True) if cosine is not None}
    compared = same.compare_pairs(((dated[one], dated[other]) for one, other in kin), threshold, known)
    compared = {**dict.fromkeys(pairs, same.Likeness()), **compared}
    reworded = {*ledger.reworded, *(item["memory"] for item in fresh if item.get("type") == REWORDED)}
    compared |= {ids: one._replace(is_dated=False) for ids, one in compared.items() if ids[0] in reworded}
    catalog.record_look({id_: key for id_, key in changed.items() if id_ in memories}, compared)
    return [likeness.bug for likeness in compared.values() if likeness.bug]


def open_contradictions(
    found: same.Pairs, held: Collection[str], ledger: Ledger, today: date
) -> dict[tuple[str, str], str]:
    """The pairs of memories that say different values of the same thing, each with the reason, unless that is decided.

    It is decided when another replaces the older one, or a person said that both hold. This week's few questions are
    among them: pairs in which the newer may replace the older. `held` are the ids of all memories of the bank.
    """
    days = {id_: day_said(fact) for id_, fact in ledger.consumed.items()}
    replaced, both = ledger.successors(), ledger.wanted_both

    def is_open(pair: tuple[str, str]) -> bool:
        is_decided = pair[0] in replaced or replaced.get(pair[1]) == pair[0] or (min(pair), max(pair)) in both
        return pair[0] in held and pair[1] in held and not is_decided

    there = {pair: one for pair, one in found.items() if is_open(pair)}
    likely = {pair: there[pair].reason for pair in same.likely_changes(there, days, today)}
    asked = {pair: str(item["reason"]) for pair, item in ledger.may_replace.items() if is_open(pair)}
    dated = {pair: one.reason for pair, one in there.items() if one.relation is same.Relation.NEWER}
    return {**likely, **asked, **dated}


def revise(
    plan: Plan,
    edited: Iterable[tuple[PastLine, RetainLine]],
    ledger: Ledger,
    pages: Mapping[str, Sequence[str]],
    held: Mapping[str, MemoryLines],
) -> Plan:
    """Let memories follow their edited lines; what a person changed or took out stays as it is.

    `pages` has where the memories behind the lines are, `held` the lines of those that can be written now.
    """
    fresh = {line.id for line in plan.lines}
    revised, overruled, waiting, updates = list[Revised](), list[Blocked](), list[Deferred](), list[Update]()
    for past, line in edited:
        id_ = ledger.memory_of(past.id)
        if not id_ or (line.id not in fresh and ledger.memory_of(line.id) != id_):
            continue
        lines = held.get(id_)
        if id_ in plan.deleted or ledger.gone.get(id_, {}).get("type") in {DELETED, FORGOTTEN}:
            overruled.append(Blocked(line, id_, f"{id_} came from this line and was taken out by hand; it stays out"))
        elif lines is None:
            page = next(iter(pages.get(id_, ())), "")
            waiting += [Deferred(str(line.place), f"waits for {page}")] if page.startswith("bank/") else []
        elif past.id == line.id:  # only its confidence was edited; what a person or a later line changed since stays
            now, day = memory_of(lines), line.place.day(plan.now.date())
            was, value = past.hundredths, line.memory.confidence
            if value and now.confidence == (Confidence(was, value.day or day) if was is not None else None):
                reworded = _rewritten(lines, now, past, replace(line.memory, text=now.text), day)
                revised.append(Revised(line, Replace(lines.page, id_, lines.text, reworded)))
        elif text_key(now := memory_of(lines)) not in {past.key, text_key(line.memory)}:
            overruled.append(Blocked(line, id_, f"{id_} came from this line and was changed by hand; it stays so"))
        elif (now.tag, set(now.entities)) != (line.memory.tag, set(line.memory.entities)):
            updates.append(Update(line, id_, "its line was edited"))  # it may belong on another page
        else:
            reworded = _rewritten(lines, now, past, line.memory, line.place.day(plan.now.date()))
            revised.append(Revised(line, Replace(lines.page, id_, lines.text, reworded)))
    overruled = [item for item in overruled if item.line.id in fresh]
    settled = [*(item.line for item in revised), *(item.line for item in overruled)]
    places = {str(line.place) for line in settled} | {item.what for item in waiting}
    return plan.with_(
        lines=tuple(line for line in plan.lines if str(line.place) not in places),
        revised=tuple(revised),
        overruled=(*plan.overruled, *overruled),
        updates=(*plan.updates, *updates),
        dated=tuple(item for item in plan.dated if item.key not in {one.change.key for one in revised}),
        deferred=(*plan.deferred, *waiting),
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

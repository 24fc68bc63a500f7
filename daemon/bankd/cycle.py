"""One run: new Retain lines become memories of the bank. `run_cycle` has its steps in order.

    distil | collect | route | deduplicate | consolidate, archive | split, relink | check | apply | index | report

Everything up to `check_plan` decides and writes nothing, with one exception: at night a model, if the user named one,
first writes lines from the prose of the logs into logs of its own, which the run then reads like all others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from bankd.errors import InvariantError, RefusedError
from bankd.memory import judge, links, new_lines
from bankd.memory.archive import allowed_removals, lines_told, memory_of
from bankd.memory.ledger import REWORDED, Ledger, changes_relations
from bankd.memory.plan import Blocked, Deferred, Placement, Plan, Update, Withheld, leave_out, put_off, wait_for_page
from bankd.memory.report import held_back_in, source_line, with_masked
from bankd.memory.retain import LogPlace, LogReading, RetainLine, identified_as
from bankd.memory.route import Destination, ExampleLine, RenamedPages, Rules, choose_part, route_memory
from bankd.memory.undo import lines_left
from bankd.memory.use import Fading
from bankd.night.asking import NightParts
from bankd.night.distil import distil_prose
from bankd.night.insights import derive_insights
from bankd.night.match import match_memories
from bankd.night.retention import merge_near_copies, retire_memories
from bankd.night.sections import FOLDER
from bankd.pages.memory import Memory, render_memory, text_key
from bankd.pages.names import BANK, is_outside
from bankd.pages.page import MemoryLines
from bankd.same import compared_text
from bankd.secrets.screening import Finder, find_secrets, mask_secrets
from bankd.settings import DistilPolicy, Settings

if TYPE_CHECKING:
    from bankd.app.workspace import Workspace
    from bankd.edits.transaction import Transaction
    from bankd.storage.transactions import TransactionWriter
    from bankd.workspace.catalog import PageMemoryCatalog
    from bankd.workspace.graph import LinkGraph

CycleKind: TypeAlias = Literal["micro", "reflect"]


@dataclass(frozen=True, slots=True)
class Policy:
    """The policy of a run: settings, rules, the user's patterns for credentials; `force` lifts the budget.

    While the clock is not trusted (frozen), nothing is archived for its age. A batch of history begins at `start`, a line of a log.
    """

    settings: Settings
    rules: Rules
    finders: Sequence[Finder] = ()
    force: bool = False
    clock_frozen: bool = False
    start: LogPlace | None = None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Everything that a run reads before it decides; the logs `later` are left for the next batch."""

    readings: Sequence[LogReading]
    waiting: Sequence[Deferred]
    later: Sequence[str]
    unread_pages: Sequence[Deferred]
    ledger: Ledger
    renamed: tuple[new_lines.Renamed, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What a run, or a command that changes the bank, did.

    `notes` tells which edits of the user it left alone, and what happened to the index. The `rest` of the new lines
    is for another run. `ledger` has the relations of memories; None when the run may have changed them.
    """

    kind: str
    plan: Plan
    is_applied: bool
    notes: Sequence[str] = ()
    rest: LogPlace | None = None
    ledger: Ledger | None = None


def run_cycle(kind: CycleKind, run: str, world: Workspace, policy: Policy, night: NightParts | None = None) -> Report:
    """Run one cycle; `now` of the world is the only moment it knows. `night` asks a model, if the user named one.

    In a dry workspace the report has the plan, and nothing is written.
    Raises RefusedError when the plan takes out more than the budget, InvariantError when it would lose something.
    """
    added = policy.settings.budget.max_added_lines * (new_lines.FORCED if policy.force else 1)
    now, most = world.now, None if world.is_dry else added
    thought = Thought()
    if kind == "reflect" and night is not None and not world.is_dry:
        thought = think_over(night, world.transactions.ledger(), policy.settings.distil, now)
    facts = _gather(now, world, policy, most)
    waiting = (*facts.waiting, *facts.unread_pages, *thought.waiting)
    by_hand = world.catalog.saved_by_hand()
    plan = Plan(run, now, deferred=waiting, by_hand=by_hand, reworded=_reworded(facts, world) if by_hand else {})

    plan, rest = collect_lines(plan, facts, world, policy, most)
    plan = route_lines(follow_edits(plan, facts, world), facts, policy.rules, world)
    plan = deduplicate_lines(plan, facts, world, policy)
    plan = ask_first(replace_named(plan, facts, world, policy), facts, world)
    if kind == "reflect":
        plan = apply_retention(plan, facts, world, policy)
    plan = leave_out(plan, closed_for(plan, world.transactions))
    plan = links.relink_plan(plan, world.graph, world.catalog.read)
    if kind == "reflect" or policy.settings.links.heal == "offer":
        plan = links.heal_outside_moves(plan, world.graph, policy.settings)
    if kind == "reflect":
        plan = links.split_pages(plan, facts.unread_pages, world.catalog, world.graph, policy.settings)
    plan = leave_out(plan, closed_for(plan, world.transactions))
    check_plan(plan, world.catalog, world.graph, policy)

    if world.is_dry:
        return Report(kind, plan, is_applied=False)
    conflicts = () if plan.is_empty else world.transactions.commit(plan.transaction).conflicts
    if conflicts:
        new = {placement.line.id for placement in plan.placements}
        plan = put_off(plan, new - world.transactions.ledger().consumed.keys())  # their page could not be written
    _note_logs(plan, facts, world, policy, rest)
    if plan.by_hand:
        world.catalog.told_by_hand()
    if not plan.is_empty:  # else all pages have been seen
        world.catalog.refresh(now)
    notes = _look_again(plan, facts, world, policy, rest)
    if any(kind == "reflect" or operation.path not in world.graph.names for operation in plan.operations):
        world.graph.refresh()  # a page that was made just now may be renamed before the next run
    if kind == "reflect":
        notes += links.note_sizes(plan, world.catalog, world.graph, policy.settings)
    is_same = not (conflicts or changes_relations(plan.transaction.events, facts.ledger))
    known, said = facts.ledger if is_same else None, (*thought.notes, *conflicts, *notes)
    return Report(kind, plan, is_applied=True, notes=said, rest=rest, ledger=known)


class Thought(NamedTuple):
    """The result of asking a model: what waits and why, and notes for the report."""

    waiting: Sequence[Deferred] = ()
    notes: Sequence[str] = ()


def think_over(
    parts: NightParts, ledger: Ledger, policy: DistilPolicy, now: datetime, *, dry_run: bool = False
) -> Thought:
    """Have the model read new prose, derive insights from memories, and compare similar memories.

    With `dry_run` its comparisons are not recorded; `parts.logs` decides where its lines go.
    """
    distilled = distil_prose(parts, ledger, policy, now)
    insights = derive_insights(parts, now)
    matched = match_memories(parts, ledger, policy.compare, dry_run=dry_run)
    return Thought((*distilled.waiting, *insights), (*distilled.notes, *matched.notes))


def closed_for(plan: Plan | Transaction, transactions: TransactionWriter) -> Mapping[str, str]:
    """The pages that a plan or transaction would change and that cannot be written now, and why."""
    return transactions.closed({operation.path for operation in plan.operations if not is_outside(operation.path)})


def _gather(now: datetime, world: Workspace, policy: Policy, most: int | None) -> RunFacts:
    unread_pages = world.catalog.refresh(now)
    world.graph.refresh()
    ledger = world.transactions.ledger()
    unread = world.logs.unread(now, policy.start.log if policy.start else "", most)
    renamed = new_lines.find_renamed(unread.readings, ledger, world.logs.present())
    names = {**ledger.identities, **{item.log: item.was for item in renamed}}
    readings = [
        identified_as(with_masked(one, world.logs.text(one.log), policy.finders), names.get(one.log, one.log))
        for one in unread.readings
    ]
    return RunFacts(readings, unread.waiting, unread.later, unread_pages, ledger, renamed)


def collect_lines(
    plan: Plan, facts: RunFacts, world: Workspace, policy: Policy, most: int | None
) -> tuple[Plan, LogPlace | None]:
    """Find the lines that are new, and what the user did to the logs and the bank since the last run.

    The oldest of them make a batch of at most this many lines of text; the rest is for the next.
    """
    start, taken = policy.start, facts.ledger.consumed
    lines = [line for reading in facts.readings for line in reading.lines if line.id not in taken]
    if start is not None:  # earlier batches have read what stands above it
        lines = [line for line in lines if line.place.log != start.log or line.place >= start]
    held = world.catalog.pages_of(line.id for line in lines)
    forgotten = facts.ledger.forgotten
    fresh: Sequence[RetainLine] = [line for line in lines if line.id not in held]
    old = {
        line.id: Blocked(line, str(stone["memory"]), f"forgotten on {str(stone['at'])[:10]}, and the line may be older")
        for line in (fresh if forgotten else ())
        if (stone := forgotten.get(text_key(line.memory)))
        and not facts.ledger.is_said_again(line, stone, is_own=not line.place.log.startswith(f"{FOLDER}/"))
    }
    fresh, over = new_lines.cut_batch([line for line in fresh if line.id not in old], most)
    seen = {line.id for line in fresh}
    of_projects = [
        line
        for reading in facts.readings
        for line in reading.lines
        if line.project != facts.ledger.line_projects.get(line.id, "") and (line.id in seen or line.id in taken)
    ]
    secrets_in = cache(partial(find_secrets, finders=policy.finders))  # many lines may have the same text
    secrets = {line.id: secrets_in(render_memory(line.memory)) for line in fresh}
    told = {item.key for item in world.logs.held_back()}  # an earlier run told of these; the review has them
    plan = plan.with_(
        lines=tuple(line for line in fresh if not secrets[line.id]),
        withheld=tuple(
            Withheld(line, found[0].kind, mask_secrets(render_memory(line.memory), found))
            for line in fresh
            if (found := secrets[line.id])
        ),
        overruled=tuple(old.values()),
        repaired=tuple(_known_place(line, held[line.id][0]) for line in lines if line.id in held),
        renamed=facts.renamed,
        projects=tuple(of_projects),
        bad=tuple(
            bad.screened(policy.finders)
            for reading in facts.readings
            for bad in reading.bad
            if bad.key not in facts.ledger.dismissed and bad.key not in told
        ),
        dated=tuple(world.catalog.undated(plan.now.date())),
        recalled=_recalled(facts.ledger, world),
        copied=tuple(world.catalog.copied()),
        prose=max(0, sum(reading.prose for reading in facts.readings)),
        returned=new_lines.find_returned(facts.ledger, world.catalog.pages_of),
    )
    return _believe_vanished(plan, facts, world, policy), new_lines.rest_of(over, facts.later)


def _known_place(line: RetainLine, page: str) -> Placement:
    """The place of a line whose memory stands on a page although no event says so."""
    return Placement(line, Destination(page.removeprefix(BANK), None, f"{page} has it; noted in the event log"))


def follow_edits(plan: Plan, facts: RunFacts, world: Workspace) -> Plan:
    """Let memories follow their lines where these were edited in the logs."""
    edited = [
        pair
        for reading in facts.readings
        if not (reading.identity in facts.ledger.reused or facts.ledger.has_name_of_another(reading.log))
        for pair in new_lines.find_edited(world.logs.lines_before(reading.identity), reading.lines)
    ]
    behind = {memory for past, _ in edited if (memory := facts.ledger.memory_of(past.id))}
    return judge.revise(plan, edited, facts.ledger, world.catalog.pages_of(behind), world.catalog.lines_of(behind))


def _recalled(ledger: Ledger, world: Workspace) -> tuple[tuple[str, date], ...]:
    """The memories that answered a search since the last run, each at most once a day."""
    recent = sorted({id_: answer.day for answer in world.recalls.answers() for id_ in answer.memories}.items())
    fresh = [(id_, day) for id_, day in recent if day not in ledger.signals_of(id_).recalled]
    held = world.catalog.pages_of(id_ for id_, _ in fresh)
    return tuple((id_, day) for id_, day in fresh if id_ in held)


_FEW = 5
"""A person may take out so many memories at once, also where that is most of what the bank holds."""


def _believe_vanished(plan: Plan, facts: RunFacts, world: Workspace, policy: Policy) -> Plan:
    """Take missing memories as deleted by hand, unless a page could not be read or too many are missing."""
    catalog = world.catalog
    if not all(page.hides_nothing for page in facts.unread_pages):
        return plan
    vanished = new_lines.find_vanished(facts.ledger, catalog.pages_of)
    mentions = catalog.mentions_of(set(vanished))
    said = (f"{place}: {id_} stands there but is not a memory, as in a code block" for id_, place in mentions.items())
    plan = plan.with_(warnings=(*plan.warnings, *said))
    vanished = tuple(id_ for id_ in vanished if id_ not in mentions)
    held = catalog.count()
    if len(vanished) <= min(allowed_removals(held, policy.settings.budget), max(_FEW, held)) or policy.force:
        return plan.with_(deleted=_last_seen(vanished, facts, world))
    warning = f"{len(vanished)} memories are gone from bank/ or archive/; if you deleted them, say so with --force"
    return plan.with_(warnings=(*plan.warnings, warning))


def _last_seen(ids: Sequence[str], facts: RunFacts, world: Workspace) -> dict[str, MemoryLines]:
    """The lines of memories that a person took out: as runs last left or saw them, else as their log has them."""
    writer, found = world.transactions, dict[str, MemoryLines]()
    for journal in reversed(writer.journals.all() if ids else []):
        if not (wanted := {*ids} - found.keys()):
            break
        before, after = writer.images_of(journal)
        seen = [event for event in journal.transaction.events if event["type"] == REWORDED]
        told = {str(event["memory"]): lines_told(event) for event in seen if event["memory"] in wanted}
        found |= lines_left(before, wanted) | told | lines_left(after, wanted)
    return {id_: found.get(id_) or _as_told(id_, facts.ledger, world) for id_ in ids}


def _as_told(id_: str, ledger: Ledger, world: Workspace) -> MemoryLines:
    """The lines of a memory as an event last told them, else as its log has them; without text if neither does."""
    if worded := ledger.reworded.get(id_):
        return lines_told(worded[-1])
    if not (line := source_line(id_, ledger, world.logs.read)):
        return MemoryLines("", "")
    text = render_memory(replace(line.memory, id=id_)).replace("\n", "\n  ")
    return MemoryLines(f"bank/{ledger.consumed[id_].get('page')}", f"- {text}\n")


def _reworded(facts: RunFacts, world: Workspace) -> dict[str, MemoryLines]:
    """The memories that others than bankd wrote anew since the last run, with their lines where nothing else has these."""
    known = (id_ for id_ in world.catalog.saved_by_hand("lines") if id_ in facts.ledger.consumed)
    lines = world.catalog.lines_of(known)
    return {
        id_: now for id_, now in lines.items() if now.text.strip() != _as_told(id_, facts.ledger, world).text.strip()
    }


def route_lines(plan: Plan, facts: RunFacts, rules: Rules, world: Workspace) -> Plan:
    """Give every line its page, or the part of it that fits; a page that cannot be written now makes its lines wait."""
    renamed = RenamedPages(facts.ledger, world.catalog.pages_of)
    has_page = pages_there(world.graph, renamed)
    rules = rules.taught(partial(moved_lines, renamed, world.catalog))

    def place(memory: Memory) -> Destination:
        found = route_memory(memory, rules, world.index.similar_to, has_page)
        return place_on_page(memory, found, world.graph, renamed)

    destination_of = cache(place)
    placements = [Placement(line, destination_of(line.memory)) for line in plan.lines]  # many may have the same text
    closed = {item.what: item.reason for item in facts.unread_pages}
    going_on = [p for p in placements if f"bank/{p.destination.page}" not in closed]
    waiting = [p for p in placements if f"bank/{p.destination.page}" in closed]
    return plan.with_(placements=tuple(going_on), deferred=(*plan.deferred, *map(wait_for_page, waiting)))


_MOST_MOVED = 300


def moved_lines(renamed: RenamedPages, catalog: PageMemoryCatalog) -> Sequence[ExampleLine]:
    """The memories that a person moved, the last hundreds of them, each with its page."""
    is_there = cache(lambda page: catalog.read(f"bank/{page}") is not None)
    pages = dict([*renamed.moved(is_there).items()][-_MOST_MOVED:])
    return [(pages[id_], one.tag, one.text) for id_, one in catalog.memories_of(pages).items() if one.tag]


def pages_there(graph: LinkGraph, renamed: RenamedPages) -> Callable[[str], bool]:
    """A function that tells whether the bank has a page, also under a new name."""
    return lambda page: graph.names.file(f"bank/{page}") is not None or renamed.name_now(page) != page


def place_on_page(memory: Memory, destination: Destination, graph: LinkGraph, renamed: RenamedPages) -> Destination:
    """The present name of the page that a rule names; for a split page, the part that fits the memory.

    Names that differ only in case count as one page, since they are one file on other systems.
    """
    if there := graph.names.file(f"bank/{destination.page}"):
        destination = replace(destination, page=there.removeprefix("bank/"))
    else:
        destination = renamed.follow(destination)
    is_hub = graph.is_hub(f"bank/{destination.page}")
    return choose_part(memory, destination, graph.view) if is_hub else destination


def deduplicate_lines(
    plan: Plan, facts: RunFacts, world: Workspace, policy: Policy, back: Collection[str] = ()
) -> Plan:
    """Block the lines that say what the bank, or an earlier line of this run, already says; find what others update.

    A value that holds again after another one is no repetition of the memory that was replaced in between. The texts with
    these keys come `back` in this run: they are compared with what holds when they are said.
    """
    keys, replaced = [text_key(placement.line.memory) for placement in plan.placements], facts.ledger.replacing_lines()
    twins = dict(world.catalog.find_exact_matches(keys, replaced))
    placements, equal = [], []
    for placement, key in zip(plan.placements, keys, strict=True):
        if key in twins and key not in back and not placement.line.place.follows(replaced.get(twins[key])):
            equal.append(Blocked(placement.line, twins[key], "the same words"))
        else:
            twins[key] = placement.line.id
            placements.append(placement)
    lines = {placement.line.id: placement.line.memory for placement in placements}
    neighbours = world.index.neighbours_of(lines) if lines else {}
    stale = {item.change.key for item in plan.revised}  # their texts will have changed when this run has ended
    neighbours = {id_: [one for one in found if one.id not in stale] for id_, found in neighbours.items()}
    known = [neighbour.memory for found in neighbours.values() for neighbour in found]
    wordings = world.index.take_apart(compared_text(memory) for memory in (*lines.values(), *known))
    projects = facts.ledger.projects()
    judged = judge.judge_lines(placements, neighbours, wordings, policy.settings.dedup.threshold, projects, replaced)
    until = {update.old: update.line.place for update in judged.updates}
    if more := {text_key(one.line.memory) for one in equal if one.line.place.follows(until.get(one.twin))}:
        return deduplicate_lines(plan, facts, world, policy, {*back, *more})
    blocked = tuple(sorted((*equal, *judged.blocked), key=lambda item: item.line.place))
    held = world.catalog.lines_of(item.twin for item in blocked)
    fading = Fading.of(policy.settings.decay, RenamedPages(facts.ledger, world.catalog.pages_of).name_now)
    again = judge.confirmations_of(blocked, held, facts.ledger, plan.now.date(), fading)
    kept = {placement.line.id for placement in judged.placements}
    said = lines | {neighbour.id: neighbour.memory for found in neighbours.values() for neighbour in found}
    allowed = updates_allowed(judged.updates, said, policy.settings.distil.conflict)
    updates = {u.old: u for u in (*allowed, *(u for u in plan.updates if u.line.id in kept))}
    return plan.with_(
        placements=judged.placements,
        blocked=blocked,
        updates=tuple(updates.values()),
        confirmed=tuple(again),
        warnings=(*plan.warnings, *judged.warnings),
    )


def replace_named(plan: Plan, facts: RunFacts, world: Workspace, policy: Policy) -> Plan:
    """Let each line that ends in `(replaces m-…)` replace that memory, unless a person wrote it; that person is asked."""
    lines = [line for reading in facts.readings for line in reading.lines if line.replaces]
    if not lines:
        return plan
    held = world.catalog.lines_of({line.replaces for line in lines})
    found, warnings = judge.find_replaced(lines, plan, facts.ledger, held)
    known = {id_: memory_of(one) for id_, one in held.items()}
    allowed = updates_allowed(found, known, policy.settings.distil.conflict)
    updates = {one.old: one for one in (*plan.updates, *allowed)}
    return plan.with_(updates=tuple(updates.values()), warnings=(*plan.warnings, *warnings))


def ask_first(plan: Plan, facts: RunFacts, world: Workspace) -> Plan:
    """Make a question of what would replace a memory that a person wrote.

    And of what replaces one, where they have since given that, or the newer one, another meaning.
    """
    places, marks = facts.ledger.replacing_lines() if plan.reworded else {}, facts.ledger.successors()
    marks = {old: marks[old] for old in places if not plan.reworded.keys().isdisjoint((old, marks[old]))}
    now = world.catalog.memories_of({*marks, *marks.values()})
    told = {id_: _as_told(id_, facts.ledger, world) for id_ in now.keys() & plan.reworded.keys()}
    was = now | {id_: judge.said_on(plan.reworded[id_].page, memory_of(lines)) for id_, lines in told.items()}
    wordings = world.index.take_apart(map(compared_text, (*now.values(), *was.values())))
    doubted = [
        Update(RetainLine(places[old], now[new]), old, "it may replace the older", new, True)
        for old, new in judge.find_doubted(marks, was, now, wordings)
    ]
    held = world.catalog.lines_of(one.old for one in plan.updates)
    by_hand = {old for old, lines in held.items() if judge.is_by_hand(lines, facts.ledger)}
    return plan.with_(updates=(*doubted, *(replace(one, is_question=one.old in by_hand) for one in plan.updates)))


def updates_allowed(updates: Iterable[Update], known: Mapping[str, Memory], conflict: str) -> tuple[Update, ...]:
    """The updates, without those in which a line of a model may not supersede a memory.

    `conflict` is newer, both or surer; `known` has the older memories, by id.
    """
    return tuple(
        one
        for one in updates
        if not one.line.place.log.startswith(f"{FOLDER}/") or _may(one, known.get(one.old), conflict)
    )


def _may(update: Update, old: Memory | None, conflict: str) -> bool:
    is_surer = old is None or _worth(update.line.memory) >= _worth(old)
    return conflict == "newer" or (conflict == "surer" and is_surer)


def _worth(memory: Memory) -> int:
    """The confidence in hundredths; without one an opinion counts 50, a fact 100."""
    if memory.confidence is not None:
        return memory.confidence.hundredths
    return 50 if memory.tag == "O" else 100


def apply_retention(plan: Plan, facts: RunFacts, world: Workspace, policy: Policy) -> Plan:
    """Merge near-copies, if so set, and move what has faded to the archive; nothing is deleted."""
    settings, ledger = policy.settings, facts.ledger
    if settings.consolidate.in_reflect:
        said = judge.compare_changed(world.catalog, world.index, ledger, settings.dedup.threshold)
        plan = plan.with_(warnings=(*plan.warnings, *said))
        plan = merge_near_copies(plan, ledger, world.catalog, settings)
    return retire_memories(plan, ledger, world.catalog, settings, clock_frozen=policy.clock_frozen, force=policy.force)


def check_plan(plan: Plan, catalog: PageMemoryCatalog, graph: LinkGraph, policy: Policy) -> None:
    """Raise InvariantError when a plan would lose something, RefusedError when it exceeds the budget."""
    findings = links.find_faults(plan, catalog, graph)
    if findings:
        raise InvariantError(*findings)
    excess = links.find_excess(plan, policy.settings.budget, catalog.count())
    if excess and not policy.force:
        raise RefusedError(excess, "--force")


def _look_again(plan: Plan, facts: RunFacts, world: Workspace, policy: Policy, rest: LogPlace | None) -> list[str]:
    """Update the index, and compare what was written with the rest of the bank; gives notes.

    Nothing is compared while a rest of the logs waits (it would take a fifth of the time of years of logs) or while
    memories wait for their sentence vectors. A run that took in hundreds of lines, and so looked at each already, leaves
    as many more memories to the next.
    """
    notes = [*world.index.refresh(plan.now)]
    most = 0 if rest or world.index.has_more else judge.AT_ONCE - len(plan.placements)
    if most > 0:
        threshold, said = policy.settings.dedup.threshold, plan.transaction.events
        notes += judge.compare_changed(world.catalog, world.index, facts.ledger, threshold, said, most)
    return notes


def _note_logs(plan: Plan, facts: RunFacts, world: Workspace, policy: Policy, rest: LogPlace | None) -> None:
    """Remember what the logs said: which lines wait for a person, what memories answer, which logs are read whole."""
    withheld = {item.line.id: item.kind for item in plan.withheld}
    world.logs.note_held_back(
        {one.log: held_back_in(one, facts.ledger, withheld, policy.finders) for one in facts.readings}
    )
    waiting = {item.what for item in plan.deferred}
    finished = [
        reading
        for reading in new_lines.whole_logs(facts.readings, policy.start, rest)
        if not waiting or waiting.isdisjoint(map(str, (reading.unended, *(line.place for line in reading.lines))))
    ]
    world.logs.note_questions(questions_in(finished, facts.ledger, plan.behind, policy.finders))
    world.logs.mark_read(finished)


def questions_in(
    readings: Iterable[LogReading], ledger: Ledger, behind: Mapping[str, str], finders: Sequence[Finder]
) -> dict[str, dict[str, list[str]]]:
    """The questions in these readings, by log and memory; questions with a credential in them are left out.

    `behind` maps the ids of lines that this run read to the memory that represents them, if it has another id.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for reading in readings:
        by_memory = found.setdefault(reading.identity, {})
        for line in reading.lines:
            asked = [question for question in line.questions if not find_secrets(question, finders)]
            if asked:
                memory = behind.get(line.id) or ledger.memory_behind(line.id)
                by_memory.setdefault(memory, []).extend(asked)
    return found

"""Use cases in which a person decides: the inbox, lines that were held back or blocked, near-copies and contradictions.

And for single memories: archive, pin, keep, or promote to lasting knowledge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Sequence
from itertools import combinations
from typing import TypeAlias

from bankd.app.workspace import Workspace, record_run
from bankd.config.workspace import add_rule
from bankd.cycle import Report, moved_lines, pages_there, place_on_page
from bankd.edits.operations import Replace
from bankd.edits.transaction import Transaction, keep_versions
from bankd.errors import InvariantError, UserError
from bankd.health.health import COPIED_ADVICE
from bankd.layouts.merge import parts_of
from bankd.layouts.rearrange import relink_operations
from bankd.memory import archive
from bankd.memory.archive import Resident
from bankd.memory.judge import compare_changed
from bankd.memory.ledger import APART, DISMISSED, DUPLICATE, Event, Ledger
from bankd.memory.links import find_losses, follow_links, foresee_pages, rebase_moved
from bankd.memory.plan import MovingMemory, Placement, Plan, move_operations
from bankd.memory.report import ReportRow, held_back_in, source_line
from bankd.memory.retain import HeldBack, LogPlace, RetainLine
from bankd.memory.route import Destination, RenamedPages, Rules, find_claims, route_memory
from bankd.memory.use import CERTAIN, NOTICE
from bankd.pages.memory import PIN, Confidence, Memory, parse_memory, pinned, split_sources
from bankd.pages.names import INBOX, is_own, problem_of_target
from bankd.pages.page import MARKER, MemoryLines, parts_folder, read_page, with_confidence
from bankd.same import Likeness, Pairs, Relation, near_groups
from bankd.secrets.screening import find_secrets

Moves: TypeAlias = list[tuple[MovingMemory, Destination]]


def list_inbox(workspace: Workspace) -> list[MovingMemory]:
    """The memories in the inbox, in the order of its page."""
    page = read_page(INBOX, workspace.files.read(f"bank/{INBOX}") or b"")
    return [
        MovingMemory(entry.memory.id, page.text_of(entry), entry.line, " ".join(entry.heading[-1:]))
        for entry in page.entries
        if entry.memory.id
    ]


def place_memory(workspace: Workspace, id_: str, target: str) -> list[tuple[str, str]]:
    """Move one memory out of the inbox, or from its page; UserError when no page holds it or the new one is not allowed.

    Gives nothing for one that is there already.
    """
    destination = named_place(workspace, target, "placed by hand")
    waiting = next((item for item in list_inbox(workspace) if item.id == id_), None)
    if waiting is None:
        workspace.catalog.refresh(workspace.now)
        if id_ not in workspace.catalog.lines_of([id_]):
            raise UserError(f"{id_}: no memory of the bank has this id; bankctl review lists what is")
        waiting = _moving(workspace, id_)
    moves = _without_those_there(workspace, [(waiting, destination)])
    if moves and not _without_copies(workspace, moves):
        raise UserError(f"{id_}: bank/{destination.page} has it in other words; {COPIED_ADVICE}")
    return move_memories(workspace, "place", moves)


def _moving(workspace: Workspace, id_: str) -> MovingMemory:
    """A memory of the bank where it stands now."""
    place, lines = workspace.catalog.texts_of([id_])[id_][0], workspace.catalog.lines_of([id_])[id_]
    return MovingMemory(id_, lines.text, int(place.rpartition(":")[2]), page=lines.page)


def named_place(workspace: Workspace, target: str, reason: str = "") -> Destination:
    """The page and heading that a person named as `page#heading`; `bank/` and `.md` may be left out.

    UserError when the page is not allowed, or when it is new, but named without `.md`: it may be a slip of the pen.
    """
    given, _, heading = target.removeprefix("bank/").partition("#")
    workspace.graph.refresh()
    names, path = workspace.graph.names, given if given.endswith(".md") else f"{given}.md"
    page = (names.page(path) or path).removeprefix("bank/")
    if problem := problem_of_target(page):
        raise UserError(problem)
    if names.file(f"bank/{page}") is None and given != path:
        if near := names.similar_page(page):
            raise UserError(f"{given}: no such page; did you mean {near}? To make a new page, write {path}")
        raise UserError(f"{given}: no such page; to make a new page, write {path}")
    return Destination(page, heading or None, reason)


def _without_those_there(workspace: Workspace, moves: Moves) -> Moves:
    """The moves without those of memories that are on their page, or on a part of it, already."""
    workspace.graph.refresh()
    graph = workspace.graph

    def is_there(page: str, target: str) -> bool:
        if page == target or not page.startswith(f"{parts_folder(target)}/") or graph.names.file(target) is None:
            return page == target
        below = (path for path in graph.sizes() if path.startswith(f"{parts_folder(target)}/"))
        return page in parts_of(target, {path: graph.document(path) for path in (target, *below)})

    return [(item, to) for item, to in moves if not is_there(item.page, f"bank/{to.page}")]


def retry_inbox(workspace: Workspace) -> list[tuple[str, str]]:
    """Route everything in the inbox again by the rules as they are now."""
    waiting = list_inbox(workspace)
    found = places_for(workspace, [parse_memory(MARKER.sub("", item.text)) for item in waiting])
    placed = [(item, places[0]) for item, places in zip(waiting, found, strict=True) if places[0].page != INBOX]
    inside = {item.line + at for item, _ in placed for at in range(1, len(item.text.splitlines()))}
    placed = [(item, place) for item, place in placed if item.line not in inside]  # what is nested in one goes with it
    return move_memories(workspace, "retry", _without_copies(workspace, placed))


def _without_copies(workspace: Workspace, moves: Moves) -> Moves:
    """The moves without those to a page on which the user has put the memory already, in other words."""
    _, versions = keep_versions(Transaction("", "", move_operations(moves)), workspace.transactions.look)
    return [(item, to) for item, to in moves if item.id not in versions]


def places_for(workspace: Workspace, memories: Sequence[Memory]) -> list[list[Destination]]:
    """For each memory every place that claims it, the winner first.

    Pages are given by their present names; of a split page, the part that fits.
    """
    workspace.catalog.refresh(workspace.now)
    workspace.graph.refresh()
    rules, graph, like = learned_rules(workspace), workspace.graph, workspace.index.similar_to
    renamed = RenamedPages(workspace.transactions.ledger(), workspace.catalog.pages_of)
    there = pages_there(graph, renamed)
    return [
        [place_on_page(memory, place, graph, renamed) for place in find_claims(memory, rules, like, there)]
        for memory in memories
    ]


def learned_rules(workspace: Workspace) -> Rules:
    """The rules, told by the memories that a person moved."""
    renamed = RenamedPages(workspace.transactions.ledger(), workspace.catalog.pages_of)
    return workspace.policy().rules.taught(lambda: moved_lines(renamed, workspace.catalog))


def teach_rule(
    workspace: Workspace, tag: str, words: str, page: str, placed: Collection[str] = (), *, apply: bool
) -> tuple[str, int]:
    """The rule that files lines with this tag and these words on `page`; with `apply` it stands before the others.

    Gives it with the number of lines in the inbox that it would file, besides those that are `placed` now.
    """
    target, _, heading = page.removeprefix("bank/").partition("#")
    path = workspace.root / workspace.settings.routing
    rule = add_rule(path, tag, target, heading or None, re.escape(words), apply=apply)
    waiting = (parse_memory(MARKER.sub("", item.text)) for item in list_inbox(workspace) if item.id not in placed)
    return rule, sum(one.tag == tag and words.casefold() in one.text.casefold() for one in waiting)


def list_held_back(workspace: Workspace, log: str) -> tuple[HeldBack, ...]:
    """The lines of a log that were not taken in and wait for a person."""
    ledger = workspace.transactions.ledger()
    reading = workspace.read_log(log, ledger)
    return held_back_in(reading, ledger, {}, workspace.policy().finders) if reading else ()


def dismiss_line(workspace: Workspace, log: str, line: int, *, accepted: str = "") -> HeldBack:
    """Stop listing a line of a log that was not taken in; UserError when no such line waits there.

    `accepted` is the line that replaces it in the log, if any.
    """
    item = _held_back_at(workspace, log, line)
    if workspace.is_dry:
        return item
    facts = {"key": item.key, "log": log, "line": line, "why": item.kind} | ({"accepted": accepted} if accepted else {})
    row = ReportRow("-", "dismissed", str(item.place), item.text, item.reason)
    record_run(workspace, "dismiss", {"dismissed": 1}, [row], said=[(DISMISSED, item.key, facts)])
    workspace.logs.dismiss(item.key)
    return item


def _held_back_at(workspace: Workspace, log: str, line: int) -> HeldBack:
    place = LogPlace(log, line)
    item = next((item for item in list_held_back(workspace, log) if item.place == place), None)
    if item is None:
        raise UserError(f"{place}: no line there waits for a decision; bankctl review lists those that do")
    return item


def accept_line(workspace: Workspace, log: str, line: int) -> HeldBack:
    """Accept a line that a model or a rule proposed: append it to the log as a plain line, and dismiss the old one.

    UserError for a line that must be corrected in its log.
    """
    item = _held_back_at(workspace, log, line)
    if not item.is_offered:
        raise UserError(f"{item.place}: {item.reason}")
    if not workspace.is_dry:
        accepted = f"- {' '.join(item.text.split())}\n"
        workspace.logs.append(log, accepted)
        dismiss_line(workspace, log, line, accepted=accepted)
    return item


def move_memories(workspace: Workspace, kind: str, moves: Moves) -> list[tuple[str, str]]:
    """Move memories, with the links to them, as a run of this kind; gives id and new page of each that is elsewhere now.

    InvariantError when one would be lost.
    """
    moves = _without_those_there(workspace, moves)
    moved = [(waiting.id, destination.page) for waiting, destination in moves]
    if workspace.is_dry or not moved:
        return moved
    look = workspace.transactions.look
    operations = rebase_moved(move_operations(moves), workspace.graph, look)
    before = {one.path: data for one in operations if (data := look(one.path)) is not None}
    after = foresee_pages(Transaction(kind, "", operations), before)
    if lost := find_losses(Plan(kind, workspace.now), before, after):
        raise InvariantError(*lost)
    links = follow_links(operations, workspace.graph, look).followed
    rows = [
        ReportRow("~", "placed", f"{item.page}:{item.line}", item.text, f"bank/{to.page}: {to.reason}")
        for item, to in moves
    ]
    record_run(workspace, kind, {"placed": len(moves)}, rows, operations=(*operations, *relink_operations(links)))
    workspace.catalog.compare_again(id_ for id_, _ in moved)  # it may be said of somebody else on its new page
    return moved


def allow_line(workspace: Workspace, id_: str) -> Report:
    """Let a blocked line in, onto the page that its rule gives; UserError when no blocked line has this id."""
    ledger = workspace.read_anew()
    fact = ledger.consumed.get(id_)
    if fact is None or fact["type"] != DUPLICATE:
        raise UserError(f"{id_}: no blocked line has this id; bankctl review list blocked shows those there are")
    line = _line_of(workspace, ledger, id_, fact)
    workspace.graph.refresh()
    rules = workspace.policy().rules
    renamed = RenamedPages(ledger, workspace.catalog.pages_of)
    destination = place_on_page(line.memory, route_memory(line.memory, rules), workspace.graph, renamed)
    return workspace.carry_out("allow", lines=(line,), placements=(Placement(line, destination),))


def _line_of(workspace: Workspace, ledger: Ledger, id_: str, fact: Event) -> RetainLine:
    """The line as it is in its log now; if it is gone from there, as the event has it."""
    if line := source_line(id_, ledger, workspace.logs.read):
        return line
    place = LogPlace(str(fact.get("log")), int(fact.get("line", 0)))
    return RetainLine(place, parse_memory(str(fact.get("text", ""))), 0, id_)


def consolidate_bank(workspace: Workspace, only: str | None = None, *, force: bool = False) -> Report:
    """Merge what says the same, all over the bank; or the near-copies of one memory, or several named, as a person asked.

    UserError when that memory has no near-copies, or none that can be merged.
    """
    ledger = workspace.read_anew()
    held, pairs, restored = workspace.catalog.all_lines(), compare_all(workspace, ledger), ledger.restored
    if only is not None:
        _require(workspace, only.split(), held)
        group = only.split() if " " in only else _near_group(workspace, only)
        pairs, restored = dict.fromkeys(combinations(group, 2), Likeness(Relation.SAME)), {}
    merged = archive.find_mergers(held, pairs, restored, workspace.now.date(), workspace.fading())
    if only is not None and not merged:
        raise UserError(
            f"{only}: not merged, for the others are pinned or have memories nested in them; bankctl review drop ID "
            "archives one"
        )
    return workspace.carry_out("consolidate", force=force, merged=merged)


def compare_all(workspace: Workspace, ledger: Ledger) -> Pairs:
    """Bring the index up to date and compare all that is not compared yet; gives the relations of all pairs."""
    workspace.index.catch_up(workspace.now)
    compare_changed(workspace.catalog, workspace.index, ledger, workspace.settings.dedup.threshold)
    return workspace.catalog.known_pairs()


def archive_memories(workspace: Workspace, ids: Sequence[str]) -> Report:
    """Move memories to the archive; UserError when one is not in the bank."""
    workspace.read_anew()
    held = workspace.catalog.lines_of(ids)
    _require(workspace, ids, held)
    nested = [id_ for id_ in ids if held[id_].inside]
    if nested:
        raise UserError(*(f"{id_}: other memories are nested in it and would go with it" for id_ in nested))
    going = tuple(archive.Archived(id_, held[id_], "archived by hand") for id_ in dict.fromkeys(ids))
    return workspace.carry_out("archive", archived=going)


def pin_memory(workspace: Workspace, id_: str) -> str:
    """Put a pin at the end of a memory's text, so that it does not fade; gives its page. UserError when it has one."""

    def pin(lines: MemoryLines) -> str:
        if archive.memory_of(lines).is_pinned:
            raise UserError(f"{id_}: has {PIN} already")
        return pinned(lines.text, id_)

    return _rewrite(workspace, id_, "pinned", "it does not fade any more", pin)


def confirm_memory(workspace: Workspace, id_: str) -> str:
    """Date an opinion's written confidence today, raised so that it stays for two weeks; gives its page.

    UserError when it has none.
    """
    fading = workspace.fading()
    least = min(CERTAIN, fading.floor + fading.per_day * 2 * NOTICE.days)  # else the review would ask again at once

    def confirm(lines: MemoryLines) -> str:
        confidence = archive.memory_of(lines).confidence
        if confidence is None:
            raise UserError(f"{id_}: has no confidence, so it does not fade")
        return with_confidence(lines.text, Confidence(max(confidence.hundredths, least), workspace.now.date()))

    return _rewrite(workspace, id_, "confirmed", "sure as of today", confirm)


def edit_memory(workspace: Workspace, id_: str, head: str, said: str, shown: str | None = None) -> str:
    """Give a memory another text, and with `head`, such as `O @Peter`, another kind and subject; gives its page.

    Id and sources stay. UserError when its text is not `shown` any more, or the new line cannot be read.
    """

    def edit(lines: MemoryLines) -> str:
        before = archive.memory_of(lines)
        if shown is not None and before.text != shown:
            raise UserError("Changed meanwhile: nothing was saved. Look at it as it is now, then edit again")
        tag, *names = head.split() or [before.tag or "", *(f"@{name}" for name in before.entities)]
        sure = f"({before.confidence})" if before.confidence and tag == before.tag else ""
        text = " ".join(said.split())
        line = f"{tag}{sure} {' '.join(names)}".strip() + f": {text}" if tag else text
        if tag and (parse_memory(line).tag, parse_memory(line).text) != (tag, text):
            raise UserError(f"{line[:80]}: cannot be read as a memory; write it as O @Name: text")
        if secrets := find_secrets(line, workspace.finders()):
            raise UserError(f"it looks like a credential ({secrets[0].kind}) and was not saved; leave that out")
        own, _ = split_sources(lines.text[: lines.text.index(f"^{id_}")].rstrip())
        mark = MARKER.match(own)
        return f"{mark[0] if mark else ''}{line}{lines.text[len(own) :]}"

    return _rewrite(workspace, id_, "edited", "by hand", edit)


def _rewrite(workspace: Workspace, id_: str, what: str, why: str, change: Callable[[MemoryLines], str]) -> str:
    """Put other lines in the place of a memory's, as a run that can be undone; gives its page."""
    workspace.read_anew()
    held = workspace.catalog.lines_of([id_])
    _require(workspace, [id_], held)
    lines = held[id_]
    text = change(lines)
    if text == lines.text:
        return lines.page
    row = ReportRow("~", what, lines.page, text.strip(), why)
    operations = [Replace(lines.page, id_, lines.text, text)]
    if left := record_run(workspace, what, {what: 1}, [row], operations=operations).conflicts:
        raise UserError(*left)
    return lines.page


def keep_both(workspace: Workspace, one: str, other: str) -> tuple[str, str]:
    """Note that two memories are both true, however alike they are; UserError when one is not in the bank."""
    workspace.read_anew()
    _require(workspace, (one, other), workspace.catalog.lines_of((one, other)))
    pair = min(one, other), max(one, other)
    keep_apart(workspace, [pair], 2, [ReportRow("=", "kept", "", " and ".join(pair), "both hold")])
    return pair


def keep_apart(workspace: Workspace, pairs: Sequence[tuple[str, str]], count: int, rows: Sequence[ReportRow]) -> None:
    """Note that both memories of each pair stay (`count` memories in all); no run or search treats them as one again."""
    said = ((APART, f"{one}+{other}", {"memory": one, "other": other}) for one, other in map(sorted, pairs))
    record_run(workspace, "keep", {"kept": count}, rows, said=said)
    if workspace.is_dry:
        return
    workspace.catalog.keep_apart(pairs)
    workspace.tell_search()


def _require(workspace: Workspace, ids: Sequence[str], held: Container[str]) -> None:
    missing = [id_ for id_ in ids if id_ not in held]
    if missing:
        if put := workspace.catalog.lines_of(missing, "archive"):
            raise UserError(*(f"{id_}: is in the archive; bankctl archive restore brings it back" for id_ in put))
        raise UserError(*(f"{id_}: no memory of the bank has this id" for id_ in missing))


def list_near(workspace: Workspace) -> list[dict[str, tuple[str, str]]]:
    """The groups of near-copies that runs found, and that nobody has decided to keep: place and text of each by its id."""
    groups = near_groups(workspace.catalog.known_pairs())
    texts = workspace.catalog.texts_of({id_ for group in groups for id_ in group})
    held = {id_: said for id_, said in texts.items() if said[0].startswith("bank/")}
    found = [{id_: held[id_] for id_ in group if id_ in held} for group in groups]
    return [group for group in found if len(group) > 1]


def _near_group(workspace: Workspace, id_: str) -> dict[str, tuple[str, str]]:
    group = next((group for group in list_near(workspace) if id_ in group), None)
    if group is None:
        raise UserError(f"{id_}: no near-copies of it wait for a decision; bankctl review list near shows what does")
    return group


def keep_near(workspace: Workspace, id_: str) -> None:
    """Keep all of a memory's group as it is, for good; UserError when it is in no group."""
    group = _near_group(workspace, id_)
    pairs = [pair for pair in workspace.catalog.known_pairs() if group.keys() >= set(pair)]
    why = "besides others that say much the same"
    keep_apart(workspace, pairs, len(group), [ReportRow("=", "kept", *held, why) for held in group.values()])


def list_promotable(workspace: Workspace) -> list[tuple[Resident, str, str]]:
    """The events that were used often enough to become lasting knowledge, the most used first: each with place and text."""
    workspace.catalog.refresh(workspace.now)
    ledger = workspace.transactions.ledger()
    used = {id_ for id_, signals in ledger.signals.items() if signals.used}
    residents = archive.residents_of(workspace.catalog.lines_of(used), ledger) if used else []
    found = archive.find_promotable(residents, workspace.now.date(), ledger.dismissed)
    texts = workspace.catalog.texts_of({one.id for one in found})
    return [(one, *texts[one.id]) for one in found if one.id in texts]


def promote_memory(workspace: Workspace, id_: str, target: str | None) -> list[tuple[str, str]]:
    """Move one to lasting knowledge, to `target` or where its rules say; UserError when it is not offered."""
    offered, *_ = _offered(workspace, id_)
    if target is None:
        (claims,) = places_for(workspace, [offered.memory])
        lasting = (place for place in claims if not (place.page.startswith(archive.LIVED) or is_own(place.page)))
        destination = next(lasting, Destination("knowledge/learned.md", None, "lasting knowledge"))
    else:
        destination = named_place(workspace, target, "promoted by hand")
        if destination.page.startswith(archive.LIVED):
            raise UserError(f"{destination.page}: is a page for events; lasting knowledge is elsewhere")
    return move_memories(workspace, "promote", [(_moving(workspace, id_), destination)])


def decline_promotion(workspace: Workspace, id_: str) -> None:
    """Leave one where it is, and do not offer it again; UserError when it is not offered."""
    _, place, text = _offered(workspace, id_)
    row = ReportRow("=", "kept", place, text, "it stays among the events")
    record_run(workspace, "keep", {"kept": 1}, [row], said=[(DISMISSED, id_, {"key": id_, "why": "promotion"})])


def _offered(workspace: Workspace, id_: str) -> tuple[Resident, str, str]:
    found = next((one for one in list_promotable(workspace) if one[0].id == id_), None)
    if found is None:
        raise UserError(f"{id_}: not offered as lasting knowledge; bankctl review lists what is")
    return found

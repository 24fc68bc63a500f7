"""Use cases of what leaves: the archive, what fades when, forgetting a memory for good, and purging a text from everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import NamedTuple

from bankd.app.workspace import Said, Workspace, record_run
from bankd.cycle import Report
from bankd.edits.inserting import LineSpan, block_key, ids_in, text_of
from bankd.edits.operations import Piece, Remove
from bankd.errors import StorageError, UserError
from bankd.layouts.links import Link
from bankd.memory import archive
from bankd.memory.archive import ArchiveCandidate
from bankd.memory.ledger import DUPLICATE, FORGOTTEN, Ledger
from bankd.memory.links import follow_links
from bankd.memory.report import dead_link
from bankd.memory.retain import identified_as
from bankd.memory.route import RenamedPages, find_claims
from bankd.memory.undo import PURGED, encoded_forms, lines_deleted, scrub_text, text_forms
from bankd.memory.use import FADING_TAG, value_on
from bankd.pages.memory import Memory, is_memory_id, normalise_text, parse_memory, statement_of, text_key
from bankd.pages.names import BANK
from bankd.pages.page import Entry, MemoryLines, read_page
from bankd.pages.scanner import encode_text


class ArchivedMemory(NamedTuple):
    """A memory in the archive: its place there, its text, its old page, since when and why it is there."""

    id: str
    place: str
    text: str
    page: str
    since: str
    reason: str


def list_archive(workspace: Workspace) -> list[ArchivedMemory]:
    """Everything in the archive, the latest first."""
    ledger, found = workspace.read_anew(), list[ArchivedMemory]()
    for page in workspace.catalog.pages("archive"):
        for entry in page.entries:
            if id_ := entry.memory.id:
                stone = ledger.tombstones.get(id_, {})
                was = str(stone.get("page") or BANK + page.path.removeprefix("archive/"))
                since, reason = str(stone.get("at", ""))[:10], str(stone.get("reason", "put there by hand"))
                text = statement_of(entry.memory)
                found.append(ArchivedMemory(id_, f"{page.path}:{entry.line}", text, was, since, reason))
    return sorted(found, key=lambda item: (item.since, item.id), reverse=True)


def restore_memories(workspace: Workspace, ids: Sequence[str]) -> Report:
    """Bring memories back from the archive, and those that a person deleted on a page; UserError for any other."""
    ledger = workspace.read_anew()
    deleted = {id_: fact for id_ in ids if lines_deleted(fact := ledger.gone.get(id_, {}))}
    held = {id_: archive.lines_told(fact) for id_, fact in deleted.items()}
    held |= workspace.catalog.lines_of(ids, "archive")
    missing = [id_ for id_ in ids if id_ not in held]
    if missing:
        raise UserError(*(f"{id_}: not in the archive; bankctl archive list shows what is" for id_ in missing))
    nested = (inner for id_ in deleted for inner in ids_in(encode_text(held[id_].text)))
    if twice := workspace.catalog.lines_of({*ids, *nested}):
        raise UserError(*(f"{id_}: is in {twice[id_].page} too; delete one of the two" for id_ in sorted(twice)))
    keys = {text_key(archive.memory_of(lines)): id_ for id_, lines in held.items()}
    if said := workspace.catalog.find_exact_matches(keys):
        raise UserError(*(f"{keys[key]}: {said[key]} says the same; delete that first" for key in sorted(said)))
    pages = {page.path: page for page in workspace.catalog.pages()}
    stones, renamed = ledger.tombstones | deleted, RenamedPages(ledger, workspace.catalog.pages_of)

    def name_now(page: str) -> str:
        return page if workspace.catalog.read(page) is not None else BANK + renamed.name_now(page.removeprefix(BANK))

    outer_first = sorted(ids, key=lambda id_: -len(held[id_].text))  # one may be nested in another
    back = tuple(archive.plan_restoring(id_, held[id_], stones.get(id_), pages, name_now) for id_ in outer_first)
    return workspace.carry_out("restore", restored=back)


def collect_garbage(workspace: Workspace, *, force: bool) -> Report:
    """Move memories that were superseded, have faded or were not used for 90 days to the archive."""
    ledger = workspace.read_anew()
    held = workspace.catalog.all_lines()
    offered = _find_offered(workspace, ledger, held)
    going = (archive.Archived(one.resident.id, held[one.resident.id], one.detail) for one in offered)
    return workspace.carry_out("gc", force=force, archived=tuple(going))


def offer_candidates(workspace: Workspace) -> list[ArchiveCandidate]:
    """What `collect_garbage` would take, the weakest first."""
    found = _find_offered(workspace, workspace.read_anew(), workspace.catalog.all_lines())
    return sorted(found, key=lambda one: (round(one.strength, 6), one.resident.page, one.resident.id))


def _find_offered(workspace: Workspace, ledger: Ledger, held: Mapping[str, MemoryLines]) -> list[ArchiveCandidate]:
    residents = archive.residents_of(held, ledger)
    today, is_frozen = workspace.now.date(), workspace.policy().clock_frozen
    return archive.offered_among(archive.find_archivable(residents, today, workspace.fading(), clock_frozen=is_frozen))


class FadingForecast(NamedTuple):
    """A memory that will be below the floor on a day: its id or else its place, its confidence now in hundredths."""

    day: date
    id: str
    value: int
    place: str
    text: str
    kept_on: str = ""
    """If its words make it a preference: the page on which it would not fade."""


def forecast_fading(workspace: Workspace, days: int) -> tuple[list[FadingForecast], Counter[str]]:
    """What falls below the floor within this many days, soonest first; and how many opinions never fade, by the reason."""
    ledger, never = workspace.read_anew(), Counter[str]()
    fading, today, found = workspace.fading(), workspace.now.date(), list[FadingForecast]()
    open_ = {opinion.path for opinion in workspace.catalog.opinions()}
    for page, entry in ((one, entry) for one in workspace.catalog.pages() for entry in one.entries):
        memory, place, written = entry.memory, f"{page.path}:{entry.line}", entry.memory.confidence
        if memory.tag != FADING_TAG:
            continue
        reasons = {
            "pinned": memory.is_pinned, "on a page that decay.keep names": fading.keeps(page.path),
            "without a confidence": not written, "while decay.per_day or decay.floor is 0": not (fading.per_day and fading.floor),
        }  # fmt: skip
        if why := next((why for why, holds in reasons.items() if holds), ""):
            never[why] += 1
        elif written and page.path in open_:
            dated = replace(memory, confidence=replace(written, day=written.day or today))
            resident = archive.resident_of(memory.id or place, page.path, dated, ledger)
            day = archive.fades_away_on(resident, today, fading)
            if day and (day - today).days <= days:
                worth = value_on(written, today, fading, page.path, resident.signals.used)
                belongs = find_claims(replace(memory, entities=()), workspace.policy().rules)[0].page
                kept_on = belongs if fading.keeps(BANK + belongs) else ""
                found.append(FadingForecast(day, resident.id, worth, place, statement_of(memory), kept_on))
    return sorted(found, key=lambda one: (one.day, one.id)), never


class Forgotten(NamedTuple):
    """A memory that was forgotten: its id, text and pages, and the run; of a preview no run."""

    id: str
    text: str
    pages: tuple[str, ...]
    run: str | None
    dangling: Sequence[Link]
    """The links that break."""


class Purged(NamedTuple):
    """The memories that go; where the text was taken out, what is made anew as it may hold it, where bankd does not write."""

    texts: Sequence[str]
    cleaned: Sequence[str]
    anew: Sequence[str]
    beyond: Sequence[str]
    dangling: Sequence[Link] = ()


class _Found(NamedTuple):
    """An entry: its page, its exact lines with all that is nested in it, its memory, the places of these lines.

    `below` are the places of those nested lines that are neither blank nor of an entry that was found too.
    """

    page: str
    piece: Piece
    memory: Memory
    places: tuple[str, ...]
    below: Sequence[str]


def forget_memory(workspace: Workspace, id_: str) -> Forgotten:
    """Take a memory out of bank and archive, with a tombstone. UserError when no page holds it."""
    found = _find(workspace, lambda entry, _: entry.memory.id == id_)
    if not found and not is_memory_id(id_):
        raise UserError(f"{id_[:80]}: not the id of a memory; bankctl search --ids finds it by its words")
    if not found:
        raise UserError(f"{id_}: no page holds it; bankctl search finds memories by their words")
    _require_one_wording(id_, found)
    run, changed, dangling = _take_out(workspace, found, "forget")
    return Forgotten(id_, found[0].memory.text, changed, run, dangling)


def purge_text(workspace: Workspace, wanted: str) -> Purged:
    """Take a text, or the memory with this id, out of everything that bankd writes here.

    StorageError when the disk fails: it says what is purged and what is not, and the same call completes it.
    """
    if not workspace.is_dry:
        workspace.traces.require_room()
    sought = _sought(workspace, wanted)
    text, about = sought.text, {*sought.entities}
    reworded = workspace.transactions.ledger().reworded.get(wanted, ())
    worded = (archive.memory_of(archive.lines_told(event)).text for event in reworded)
    words, whole = text_forms("\n".join((text, *worded))), normalise_text(text)
    if not words:
        raise UserError(f"{text!r} is too short to be looked for; give at least four characters, three in Hangul")

    def is_meant(entry: Entry, own: str) -> bool:
        memory = entry.memory
        if sought.id == wanted or not memory.id:  # what says more is not what the id names, or is a person's own
            return memory.id == wanted or (normalise_text(memory.text) == whole and {*memory.entities} <= about)
        said = normalise_text(own)
        return about <= {*memory.entities} and scrub_text(said, (whole,)) != said

    def staying(scrubbed: Collection[str], going: Collection[str] = ()) -> list[str]:
        places = [place for place in traces.beyond(encoded_forms(words), scrubbed) if place not in going]
        said = _find(workspace, lambda _, own: whole in normalise_text(own))  # also where it is wrapped
        return [*(item.places[0] for item in said if not {*item.places} & {*places, *going}), *places]

    found, traces = _find(workspace, is_meant), workspace.traces
    _require_one_wording(wanted, found)
    texts = [*dict.fromkeys(item.memory.text for item in found)]
    memories = {wanted, *(item.memory.id or "" for item in found), *_ids_in_past_runs(workspace, is_meant)}
    if workspace.is_dry:
        _, pages, dangling = _take_out(workspace, found, "purge")
        scrubbed = {path for path, _ in traces.find(words, memories)}
        beyond, held = staying(scrubbed, {place for one in found for place in one.places}), {*pages, *scrubbed}
        return Purged(texts, sorted(held - traces.made_anew), sorted(held & traces.made_anew), beyond, dangling)
    done, dangling = set[str](), ()
    try:
        if found:
            _, pages, dangling = _take_out(workspace, found, "purge")
            done |= {*pages}
        for path, scrub in traces.find(words, memories):
            scrub()
            done.add(path)
        try:
            workspace.refresh()
        finally:
            traces.drop_derived("index/logs")
    except (OSError, StorageError) as problem:
        left = {item.page for item in _find(workspace, is_meant)}
        left |= {path for path, _ in traces.find(words, memories)} - done
        done = {*done, *(item.page for item in found)} - left
        # A StorageError ends with a sentence on the next run, which is not true here.
        what = problem.strerror if isinstance(problem, OSError) else str(problem).rsplit(". ", 1)[0]
        raise StorageError(
            f"the purge is not complete: {what}",
            f"purged: {', '.join(sorted(done)) or 'nothing yet'}",
            f"not purged: {', '.join(sorted(left)) or 'nothing known'}",
            "Mend that (free some space) and type the same command again: it takes out the rest.",
        ) from problem
    beyond = staying(traces.made_anew)
    return Purged(texts, sorted(done - traces.made_anew), sorted(done & traces.made_anew), beyond, dangling)


def _ids_in_past_runs(workspace: Workspace, is_meant: Callable[[Entry, str], bool]) -> Iterator[str]:
    """The ids of these memories on pages as they were before past runs, such as an interrupted purge."""
    for journal in workspace.transactions.journals.all():
        for text in filter(None, journal.before.values()):
            page = read_page("", encode_text(text))
            for entry in page.entries:
                if entry.memory.id and is_meant(entry, text_of(page.document, LineSpan(entry.start, entry.end))):
                    yield entry.memory.id


def _find(workspace: Workspace, is_meant: Callable[[Entry, str], bool]) -> list[_Found]:
    """The entries to take out, chosen by their memory and own lines."""
    found = []
    for path in _pages_of(workspace):
        page = read_page(path, (workspace.transactions.look(path) or b"").removeprefix(b"\xef\xbb\xbf"))
        meant = [e for e in page.entries if is_meant(e, text_of(page.document, LineSpan(e.start, e.end)))]
        theirs = {number for entry in meant for number in range(entry.start, entry.end)}
        theirs |= {number for number, line in enumerate(page.document.lines) if not line.strip()}
        for entry in meant:
            places = tuple(f"{path}:{number + 1}" for number in range(entry.start, entry.whole_end))
            below = [f"{path}:{number + 1}" for number in range(entry.end, entry.whole_end) if number not in theirs]
            text = text_of(page.document, LineSpan(entry.start, entry.whole_end))
            piece = Piece(entry.memory.id or block_key(text), text)
            found.append(_Found(path, piece, entry.memory, places, below))
    return found


def _require_one_wording(id_: str, found: Sequence[_Found]) -> None:
    """UserError if copies with one id say different things: whoever names the id may not mean both."""
    of_id = [item for item in found if item.memory.id == id_]
    if len({normalise_text(item.memory.text) for item in of_id}) > 1:
        places = " and ".join(sorted(item.places[0] for item in of_id))
        raise UserError(f"{id_}: it stands in different words at {places}; remove the id from the one to keep")


def _take_out(
    workspace: Workspace, found: Sequence[_Found], cause: str
) -> tuple[str | None, tuple[str, ...], Sequence[Link]]:
    """Take entries out of their pages, with a tombstone for each memory.

    Gives the run (None in a dry workspace), the pages that change, and the links that break. UserError when other lines
    are nested in one: they are no part of it, and may be a person's.
    """
    for item in (item for item in found if item.below):
        name = item.memory.id or item.places[0]
        raise UserError(f"{name}: other lines stand below it ({', '.join(item.below)}); move or delete them")
    by_page: dict[str, list[Piece]] = {}
    for item in found:
        by_page.setdefault(item.page, []).append(item.piece)
    operations = tuple(Remove(page, tuple(pieces)) for page, pieces in by_page.items())
    workspace.graph.refresh()
    dangling = follow_links(operations, workspace.graph, workspace.transactions.look).dangling
    if workspace.is_dry:
        return None, tuple(sorted(by_page)), dangling
    memories = {item.memory.id: item.memory for item in found if item.memory.id}
    keys = {id_: text_key(memory) for id_, memory in memories.items()}
    said: list[Said] = [(FORGOTTEN, id_, {"memory": id_, "key": key}) for id_, key in keys.items()]
    said += _unread_lines(workspace, {key: id_ for id_, key in keys.items()})
    rows = [dead_link(link.source, link.reference, "named what was taken out") for link in dangling]
    applied = record_run(workspace, cause, {"forgotten": len(memories)}, rows, said=said, operations=operations)
    return applied.run, tuple(sorted(applied.changed)), dangling


def _unread_lines(workspace: Workspace, of_keys: Mapping[str, str]) -> Iterator[Said]:
    """Events for the log lines that say what is forgotten and that no run has read yet: as if one had, just before."""
    ledger = workspace.transactions.ledger()
    if workspace.is_live:
        workspace.wait_until_settled()
    for reading in workspace.logs.unread(workspace.now).readings:
        for line in identified_as(reading, ledger.identity_of(reading.log)).lines:
            if (id_ := of_keys.get(text_key(line.memory))) and line.id not in ledger.consumed:
                yield DUPLICATE, line.id, {"memory": line.id, "log": line.place.log, "line": line.place.line, "of": id_}


def _pages_of(workspace: Workspace) -> Iterator[str]:
    """Every page of bank and archive, in whatever state."""
    for folder in ("bank", "archive"):
        yield from workspace.files.survey(folder, workspace.now, 0).files


def _sought(workspace: Workspace, wanted: str) -> Memory:
    """The memory with this id, from a page or a past run; if this is no id, the text itself."""
    if not wanted.startswith("m-") or " " in wanted:
        return parse_memory(wanted)
    pages = (workspace.transactions.look(path) or b"" for path in _pages_of(workspace))
    kept = reversed(workspace.transactions.journals.all())
    past = (encode_text(text or "") for journal in kept for text in journal.before.values())
    for data in chain(pages, past):
        if wanted.encode() in data:
            for entry in read_page("", data).entries:
                if entry.memory.id == wanted and entry.memory.text != PURGED:
                    return entry.memory
    raise UserError(f"{wanted}: no page or past run holds it; give the text itself to purge what is left elsewhere")

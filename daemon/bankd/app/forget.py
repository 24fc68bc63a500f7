"""Use cases of deletion: forget a memory for good, and purge a text from everything under the workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from bankd.app.workspace import Workspace
from bankd.edits.inserting import LineSpan, block_key, text_of
from bankd.edits.operations import Piece, Remove
from bankd.edits.transaction import Transaction
from bankd.errors import StorageError, UserError
from bankd.memory.ledger import FORGOTTEN, make_event
from bankd.memory.links import Announce, follow_links, say_nothing
from bankd.memory.provenance import PURGED, encoded_forms, text_forms, without_marks
from bankd.memory.report import dead_link
from bankd.pages.memory import Memory, normalise_text, parse_memory
from bankd.pages.page import Entry, read_page
from bankd.pages.scanner import encode_text
from bankd.same import text_key


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A memory that was forgotten: its id, text and pages, and the run; of a preview no run."""

    id: str
    text: str
    pages: tuple[str, ...]
    run: str | None


@dataclass(frozen=True, slots=True)
class Purged:
    """Where a text was taken out, and where it still is because bankd does not write there."""

    text: str
    cleaned: tuple[str, ...]
    beyond: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """An entry to take out: its page, its exact lines with all that is nested in it, its memory and its line numbers."""

    page: str
    piece: Piece
    memory: Memory
    lines: range


def forget_memory(workspace: Workspace, id_: str, announce: Announce = say_nothing, *, apply: bool) -> Forgotten:
    """Take a memory out of bank and archive, with a tombstone; a preview unless `apply`. UserError when no page holds it."""
    found = _find(workspace, lambda entry, _: entry.memory.id == id_)
    if not found:
        raise UserError(f"{id_}: no page holds it; bankctl search finds memories by their words")
    _require_one_wording(id_, found)
    run, changed = _take_out(workspace, found, "forget", announce, apply=apply)
    if apply:
        workspace.refresh()
    return Forgotten(id_, found[0].memory.text, changed, run)


def purge_text(workspace: Workspace, wanted: str, announce: Announce = say_nothing, *, apply: bool) -> Purged:
    """Take a text, or the memory with this id, out of everything that bankd writes here; a preview unless `apply`.

    StorageError when the disk fails: it says what is purged and what is not, and the same call completes it.
    """
    if apply:
        workspace.outside.traces.require_room()
    text = _text_of(workspace, wanted)
    words, whole = text_forms(text), normalise_text(text)
    if not words:
        raise UserError(f"{text!r} is too short to be looked for; give at least four characters, three in Hangul")

    def is_meant(entry: Entry, own: str) -> bool:
        return entry.memory.id == wanted or whole in normalise_text(without_marks(own))

    found, traces = _find(workspace, is_meant), workspace.outside.traces
    _require_one_wording(wanted, found)
    memories = {wanted, *(item.memory.id or "" for item in found), *_ids_in_past_runs(workspace, is_meant)}
    if not apply:
        pages = _take_out(workspace, found, "purge", announce, apply=False)[1] if found else ()
        scrubbed = {path for path, _ in traces.find(words, memories)}
        ours = {f"{one.page}:{line}" for one in found for line in one.lines}
        beyond = (place for place in traces.beyond(encoded_forms(words), scrubbed) if place not in ours)
        return Purged(text, tuple(sorted({*pages, *scrubbed})), tuple(beyond))
    done = set[str]()
    try:
        done |= {*_take_out(workspace, found, "purge", announce, apply=True)[1]} if found else set()
        for path, scrub in traces.find(words, memories):
            scrub()
            done.add(path)
        try:
            workspace.refresh()
        finally:
            traces.drop_passages()
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
    return Purged(text, tuple(sorted(done)), tuple(traces.beyond(encoded_forms(words), ())))


def _ids_in_past_runs(workspace: Workspace, is_meant: Callable[[Entry, str], bool]) -> Iterator[str]:
    """The ids of these memories on pages as they were before past runs, such as an interrupted purge."""
    for journal in workspace.transactions.journals.all():
        for text in filter(None, journal.before.values()):
            page = read_page("", encode_text(text))
            for entry in page.entries:
                if entry.memory.id and is_meant(entry, text_of(page.document, LineSpan(entry.start, entry.end))):
                    yield entry.memory.id


def _find(workspace: Workspace, is_meant: Callable[[Entry, str], bool]) -> list[_Found]:
    """The entries to take out, chosen by their memory and own lines; UserError when one has other memories nested in it."""
    found = []
    for path in _pages_of(workspace):
        page = read_page(path, (workspace.transactions.look(path) or b"").removeprefix(b"\xef\xbb\xbf"))
        meant = [e for e in page.entries if is_meant(e, text_of(page.document, LineSpan(e.start, e.end)))]
        for entry in meant:
            below = [e for e in page.entries if entry.start < e.start < entry.whole_end and e.memory.id]
            if others := sorted(str(e.memory.id) for e in below if e not in meant):
                name = entry.memory.id or f"{path}:{entry.line}"
                raise UserError(
                    f"{name}: other memories stand below it ({', '.join(others)}); move or forget those first"
                )
            text = text_of(page.document, LineSpan(entry.start, entry.whole_end))
            piece = Piece(entry.memory.id or block_key(text), text)
            found.append(_Found(path, piece, entry.memory, range(entry.line, entry.whole_end + 1)))
    return found


def _require_one_wording(id_: str, found: Sequence[_Found]) -> None:
    """UserError if copies with one id say different things: whoever names the id may not mean both."""
    of_id = [item for item in found if item.memory.id == id_]
    if len({normalise_text(item.memory.text) for item in of_id}) > 1:
        places = " and ".join(sorted(f"{item.page}:{item.lines[0]}" for item in of_id))
        raise UserError(f"{id_}: it stands in different words at {places}; remove the id from the one to keep")


def _take_out(
    workspace: Workspace, found: Sequence[_Found], cause: str, announce: Announce, *, apply: bool
) -> tuple[str | None, tuple[str, ...]]:
    """Take entries out of their pages, with a tombstone for each memory; gives the run and the pages that change."""
    by_page: dict[str, list[Piece]] = {}
    for item in found:
        by_page.setdefault(item.page, []).append(item.piece)
    operations = tuple(Remove(page, tuple(pieces)) for page, pieces in by_page.items())
    workspace.graph.refresh()
    dangling = follow_links(operations, workspace.graph, workspace.transactions.look).dangling
    announce(dangling)
    if not apply:
        return None, tuple(sorted(by_page))
    run = workspace.recorder.new_run(cause)
    memories = {item.memory.id: item.memory for item in found if item.memory.id}
    tombstones = tuple(
        make_event(FORGOTTEN, id_, workspace.now, memory=id_, run=run, key=text_key(memory))
        for id_, memory in memories.items()
    )
    at = workspace.now.isoformat(timespec="seconds")
    with workspace.recorder.recording(cause, run) as record:
        applied = workspace.commit(Transaction(run, at, operations, tombstones, cause))
        record.is_changed, record.note = bool(applied.changed), ", ".join(memories)
        reason = f"named what was taken out by {run}"
        record.rows = [dead_link(link.source, link.reference, reason) for link in dangling]
    return run, tuple(sorted(applied.changed))


def _pages_of(workspace: Workspace) -> Iterator[str]:
    """Every page of bank and archive, in whatever state."""
    for folder in ("bank", "archive"):
        yield from workspace.files.survey(folder, workspace.now, 0).files


def _text_of(workspace: Workspace, wanted: str) -> str:
    """The text of a memory if this is an id, from a page or a past run; else the text itself."""
    if not wanted.startswith("m-") or " " in wanted:
        return parse_memory(wanted).text
    pages = (workspace.transactions.look(path) or b"" for path in _pages_of(workspace))
    kept = reversed(workspace.transactions.journals.all())
    past = (encode_text(text or "") for journal in kept for text in journal.before.values())
    for data in chain(pages, past):
        if wanted.encode() in data:
            for entry in read_page("", data).entries:
                if entry.memory.id == wanted and entry.memory.text != PURGED:
                    return entry.memory.text
    raise UserError(
        f"{wanted}: no page or past run holds it; give the text itself to purge what is left of it elsewhere"
    )

"""A person's deletion of a memory, for good; and purging a text from everything that remembers it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from bankd.app.workspace import Workspace
from bankd.edits.inserting import LineSpan, block_key, text_of
from bankd.edits.operations import Operation, Piece, Remove
from bankd.edits.transaction import Transaction
from bankd.errors import StorageError, UserError
from bankd.layouts.links import Link
from bankd.memory.ledger import FORGOTTEN, make_event
from bankd.memory.links import Announce, follow_links, say_nothing
from bankd.memory.provenance import PURGED, encoded_forms, text_forms, without_marks
from bankd.memory.report import dead_link
from bankd.pages.memory import Memory, normalise_text, parse_memory
from bankd.pages.page import Entry, read_page
from bankd.pages.scanner import encode_text
from bankd.same.pairs import text_key


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A memory that is gone: its id, what it said, its pages, and the run that took it out; of a preview, none."""

    id: str
    text: str
    pages: tuple[str, ...]
    run: str | None


@dataclass(frozen=True, slots=True)
class Purged:
    """Where a text was taken out, and where it still is because bankd does not reach there."""

    text: str
    cleaned: tuple[str, ...]
    beyond: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """An entry that is to go: its page, its exact lines with all that is nested in it, what it says, where it stands."""

    page: str
    piece: Piece
    memory: Memory
    lines: range

    @property
    def place(self) -> str:
        """Where it begins."""
        return f"{self.page}:{self.lines[0]}"

    @property
    def places(self) -> set[str]:
        """Each line of it."""
        return {f"{self.page}:{line}" for line in self.lines}


def forget_memory(workspace: Workspace, id_: str, announce: Announce = say_nothing, *, apply: bool) -> Forgotten:
    """Take a memory out of bank and archive, with a tombstone, or only say so; UserError when no page holds it."""
    found = _find(workspace, lambda entry, _: entry.memory.id == id_)
    if not found:
        raise UserError(f"{id_}: no page holds it; bankctl search finds memories by their words")
    _require_one_wording(id_, found)
    run, changed = _take_out(workspace, found, "forget", announce, apply=apply)
    if apply:
        workspace.refresh()
    return Forgotten(id_, found[0].memory.text, changed, run)


def purge_text(workspace: Workspace, wanted: str, announce: Announce = say_nothing, *, apply: bool) -> Purged:
    """Take a memory, by its id, or any text out of all under this workspace that is ours to write; or only say so.

    StorageError when the disk does not take it: it says what is purged and what is not, and the same call completes it.
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
        beyond = [
            place
            for place in traces.beyond(encoded_forms(words), scrubbed)
            if not any(place in one.places for one in found)
        ]
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
        raise _stopped({*done, *(item.page for item in found)} - left, left, problem) from problem
    return Purged(text, tuple(sorted(done)), tuple(traces.beyond(encoded_forms(words), ())))


def _stopped(done: Collection[str], left: Collection[str], problem: OSError | StorageError) -> StorageError:
    """What stands of a purge that the disk stopped, and what to do."""
    what = problem.strerror if isinstance(problem, OSError) else str(problem).rsplit(". ", 1)[0]  # but of a next run
    return StorageError(
        f"the purge is not complete: {what}",
        f"purged: {', '.join(sorted(done)) or 'nothing yet'}",
        f"not purged: {', '.join(sorted(left)) or 'nothing known'}",
        "Mend that (free some space) and type the same command again: it takes out the rest.",
    )


def _ids_in_past_runs(workspace: Workspace, is_meant: Callable[[Entry, str], bool]) -> Iterator[str]:
    """The ids of memories that are meant and stood on pages before past runs, such as a purge that did not end."""
    for journal in workspace.transactions.journals.all():
        for text in filter(None, journal.before.values()):
            page = read_page("", encode_text(text))
            for entry in page.entries:
                if entry.memory.id and is_meant(entry, text_of(page.document, LineSpan(entry.start, entry.end))):
                    yield entry.memory.id


def _find(workspace: Workspace, is_meant: Callable[[Entry, str], bool]) -> list[_Found]:
    """The entries that are meant, by their memory and own lines; UserError when others stand below one of them."""
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
    """UserError where a copy with the id of a memory says something else: whoever names the one may not mean the other."""
    of_id = [item for item in found if item.memory.id == id_]
    if len({normalise_text(item.memory.text) for item in of_id}) > 1:
        places = " and ".join(sorted(item.place for item in of_id))
        raise UserError(f"{id_}: it stands in different words at {places}; take the id off what is to stay")


def _take_out(
    workspace: Workspace, found: Sequence[_Found], cause: str, announce: Announce, *, apply: bool
) -> tuple[str | None, tuple[str, ...]]:
    """Take entries out of their pages, with a tombstone for each memory; gives the run and the pages that changed."""
    by_page: dict[str, list[Piece]] = {}
    for item in found:
        by_page.setdefault(item.page, []).append(item.piece)
    operations = tuple(Remove(page, tuple(pieces)) for page, pieces in by_page.items())
    dangling = _dangling(workspace, operations)
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


def _dangling(workspace: Workspace, operations: Sequence[Operation]) -> Sequence[Link]:
    """The links that will lead nowhere."""
    workspace.graph.refresh()
    return follow_links(operations, workspace.graph, workspace.transactions.look).dangling


def _pages_of(workspace: Workspace) -> Iterator[str]:
    """Every page of bank and archive, whatever state it is in."""
    for folder in ("bank", "archive"):
        yield from workspace.files.survey(folder, workspace.now, 0).files


def _text_of(workspace: Workspace, wanted: str) -> str:
    """The words of a memory when this is an id, of one that was forgotten as a past run had it; else the text itself."""
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

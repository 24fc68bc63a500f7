"""A person's deletion of a memory, for good; and purging a text from everything that remembers it."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TypeAlias

from bankd.adapters.storage.derived import remove_derived
from bankd.adapters.storage.disk import check_room
from bankd.adapters.storage.events import SEGMENT_CAP, line_of, parse_row
from bankd.adapters.storage.journals import DONE, RUNS, TXN
from bankd.adapters.storage.tree import find_lines
from bankd.adapters.workspace.run_ledger import PATH as LEDGER
from bankd.core.dedup.exact_match import text_key
from bankd.core.edits.operations import Operation, Piece, Remove
from bankd.core.edits.spans import LineSpan, block_key, text_of
from bankd.core.edits.transaction import Transaction
from bankd.core.lifecycle.events import FORGOTTEN, make_event
from bankd.core.lifecycle.purge import PURGED, encoded_forms, holds_form, scrub_bytes, scrub_json, text_forms
from bankd.core.links.linking import Link
from bankd.core.markdown.memory import Memory, normalise_text, parse_memory
from bankd.core.markdown.pages import Entry, read_page
from bankd.core.markdown.scanner import encode_text
from bankd.core.plan.report import dead_link
from bankd.errors import ConflictError, UserError
from bankd.relinking import Announce, follow_links, say_nothing
from bankd.wiring.workspace import Workspace

_DERIVED = ("index", "analyses")
_Scrub: TypeAlias = tuple[str, Callable[[], object]]
"""A file or folder that holds the text, and what takes it out there."""
_REWRITTEN = ("events", TXN, DONE, RUNS)


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
    places: frozenset[str]


def forget_memory(workspace: Workspace, id_: str, announce: Announce = say_nothing, *, apply: bool) -> Forgotten:
    """Take a memory out of bank and archive, with a tombstone, or only say so; UserError when no page holds it."""
    found = _find(workspace, lambda entry, _: entry.memory.id == id_)
    if not found:
        raise UserError(f"{id_}: no page holds it; bankctl search finds memories by their words")
    run, changed = _take_out(workspace, found, "forget", announce, apply=apply)
    if apply:
        workspace.refresh()
    return Forgotten(id_, found[0].memory.text, changed, run)


def purge_text(workspace: Workspace, wanted: str, announce: Announce = say_nothing, *, apply: bool) -> Purged:
    """Take a memory, by its id, or any text out of all under this workspace that is ours to write; or only say so."""
    if apply:
        _require_room(workspace)
    text = _text_of(workspace, wanted)
    words, whole = text_forms(text), normalise_text(text)
    if not words:
        raise UserError(f"{text!r} is too short to be looked for; give at least four characters")
    found = _find(workspace, lambda entry, own: entry.memory.id == wanted or whole in normalise_text(own))
    pages = _take_out(workspace, found, "purge", announce, apply=apply)[1] if found else ()
    scrubbed = _scrub_all(workspace, words, apply=apply)
    beyond = list(_beyond(workspace, encoded_forms(words), () if apply else scrubbed))
    if apply:
        workspace.refresh()
    else:
        beyond = [place for place in beyond if not any(place in one.places for one in found)]
    return Purged(text, tuple(sorted({*pages, *scrubbed})), tuple(beyond))


def _require_room(workspace: Workspace) -> None:
    """Raises StorageError where the largest file that may be written anew would not fit."""
    tree = workspace.files.tree
    sizes = [size for folder in _REWRITTEN for _, size in tree.sizes(folder, tree.names(folder)).values()]
    check_room(tree, max(sizes, default=0))


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
            places = frozenset(f"{path}:{line}" for line in range(entry.line, entry.whole_end + 1))
            found.append(_Found(path, Piece(entry.memory.id or block_key(text), text), entry.memory, places))
    return found


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


def _scrub_all(workspace: Workspace, words: tuple[str, ...], *, apply: bool) -> set[str]:
    """Take a text out of what remembers it, or only look; gives what holds it."""
    scrubbed = set()
    for path, scrub_it in chain(*(find(workspace, words) for find in (_scrub_journals, _scrub_lines, _drop_copies))):
        scrubbed.add(path)
        if apply:
            scrub_it()
    return scrubbed


def _scrub_journals(workspace: Workspace, words: tuple[str, ...]) -> Iterator[_Scrub]:
    journals = workspace.transactions.journals
    for folder in (TXN, DONE, RUNS):
        for journal in list(journals.load(folder)):
            fields = {**journal.transaction.to_json(), "before": dict(journal.before)}
            clean = scrub_json(fields, words)
            if clean != fields:
                before = clean.pop("before")
                clean_one = replace(journal, transaction=Transaction.from_json(clean), before=before)
                yield f"{folder}/{journal.name}", partial(journals.rewrite, folder, clean_one)


def _scrub_lines(workspace: Workspace, words: tuple[str, ...]) -> Iterator[_Scrub]:
    """The event log of every writer, and the ledger of runs."""
    tree = workspace.files.tree
    paths = [f"events/{name}" for name in tree.names("events") if name.endswith((".jsonl", ".jsonl.gz"))]
    for path in [*paths, LEDGER]:
        data = _unpacked(path, tree.read_own(path, SEGMENT_CAP) or b"")
        clean = b"\n".join(_scrub_line(line, words) for line in data.split(b"\n"))
        if clean != data:
            packed = gzip.compress(clean, mtime=0) if path.endswith(".gz") else clean
            yield path, partial(workspace.transactions.staging.publish, path, packed)


def _unpacked(path: str, data: bytes) -> bytes:
    """The lines of a file; none of one that is not whole, which is named with what cannot be reached."""
    try:
        return gzip.decompress(data) if path.endswith(".gz") else data
    except (OSError, EOFError, zlib.error):
        return b""


def _scrub_line(line: bytes, words: tuple[str, ...]) -> bytes:
    """A line without the text; one that says nothing of it stays as it is, and so does one that cannot be read."""
    if not holds_form(line, encoded_forms(words)):
        return line
    row = parse_row(line)
    return line_of(scrub_json(row, words)).rstrip(b"\n") if row is not None else scrub_bytes(line, encoded_forms(words))


def _drop_copies(workspace: Workspace, words: tuple[str, ...]) -> Iterator[_Scrub]:
    """Displaced files, answers kept for reading, and everything that is derived."""
    tree = workspace.files.tree
    forms = encoded_forms(words)
    for folder in (".bankd/trash", ".bankd/stage", ".bankd/reports", "recall"):
        for name in tree.names(folder):
            if holds_form(tree.read_own(f"{folder}/{name}", SEGMENT_CAP) or b"", forms):
                yield f"{folder}/{name}", partial(tree.remove, f"{folder}/{name}")
    for name in _DERIVED:
        if (workspace.root / ".bankd" / name).exists():
            yield f".bankd/{name}", partial(_drop_derived, workspace, name)


def _drop_derived(workspace: Workspace, name: str) -> None:
    workspace.index.close()
    remove_derived(workspace.root / ".bankd" / name)


def _beyond(workspace: Workspace, forms: tuple[bytes, ...], scrubbed: Collection[str]) -> Iterator[str]:
    """Where the text still is outside of what will be scrubbed, and where nobody can say: read for it, not believed."""
    within = tuple(f"{path}/" for path in scrubbed)
    tree, wanted, longest = workspace.files.tree, re.compile(b"|".join(map(re.escape, forms))), max(map(len, forms))
    for path in sorted(workspace.root.rglob("*")):
        relative = path.relative_to(workspace.root).as_posix()
        if path.is_dir() or path.is_symlink() or ".git" in path.relative_to(workspace.root).parts:
            continue
        if relative in scrubbed or relative.startswith(within):
            continue
        try:
            with tree.file(relative) as descriptor:
                yield from (f"{relative}:{line}" for line in find_lines(descriptor, wanted, longest))
        except FileNotFoundError:
            continue
        except (OSError, ConflictError) as problem:
            yield f"{relative}, which cannot be looked through: {_reason(problem)}"
    if any((folder / ".git").exists() for folder in (workspace.root, *workspace.root.parents)):
        yield "the history of the git repository around this workspace, if it was ever committed"
    yield "backups, and copies on other machines"


def _reason(problem: OSError | ConflictError) -> str:
    return problem.strerror or str(problem) if isinstance(problem, OSError) else str(problem).rpartition(": ")[2]

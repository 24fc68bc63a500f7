"""A person's deletion of a memory, for good; and purging a text from everything that remembers it."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

from bankd.adapters.events import SEGMENT_CAP, line_of, parse_lines
from bankd.adapters.journals import DONE, RUNS, TXN, Journal
from bankd.adapters.runs import PATH as HISTORY
from bankd.adapters.runs import RunHistory
from bankd.core.events import FORGOTTEN, event
from bankd.core.memory import Memory, parse_memory
from bankd.core.operations import Operation, Piece, Remove
from bankd.core.pages import read_page
from bankd.core.plan import new_run_id
from bankd.core.purge import encoded, holds, needles, scrub
from bankd.core.spans import Span, block_key, text_of
from bankd.core.transaction import Transaction
from bankd.core.twins import text_key
from bankd.errors import UserError
from bankd.wiring.workspace import Workspace

_DERIVED = ("index", "analyses", "answers")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A memory that is gone: its id, what it said, the pages it was on, and the run that took it out."""

    id: str
    text: str
    pages: tuple[str, ...]
    run: str


@dataclass(frozen=True, slots=True)
class Purged:
    """Where a text was taken out, and where it still is because bankd does not reach there."""

    text: str
    cleaned: tuple[str, ...]
    beyond: tuple[str, ...]


def forget(workspace: Workspace, id_: str, cause: str = "forget") -> Forgotten:
    """Take a memory out of bank and archive, with a tombstone; UserError when no page holds it."""
    found = [(page, *held) for page in pages_of(workspace) for held in _pieces(workspace, page, id_)]
    if not found:
        raise UserError(f"{id_}: no page holds it; bankctl search finds memories by their words")
    nested = sorted({child for *_, children in found for child in children})
    if nested:
        raise UserError(f"{id_}: other memories stand below it ({', '.join(nested)}); move or forget those first")
    history = RunHistory(workspace.files.tree)
    run = new_run_id(workspace.now, cause, {str(row.get("run")) for row in history.read()})
    operations: tuple[Operation, ...] = tuple(Remove(page, (piece,)) for page, piece, _, _ in found)
    memory = found[0][2]
    tombstone = event(FORGOTTEN, id_, workspace.now, memory=id_, run=run, key=text_key(memory))
    at = workspace.now.isoformat(timespec="seconds")
    workspace.transactions.commit(Transaction(run, at, operations, (tombstone,), cause))
    history.note(run, cause, workspace.now, "changed", memory=id_)
    workspace.refresh()
    return Forgotten(id_, memory.text, tuple(page for page, *_ in found), run)


def pages_of(workspace: Workspace) -> Iterator[str]:
    """Every page of bank and archive, whatever state it is in."""
    for folder in ("bank", "archive"):
        yield from workspace.files.survey(folder, workspace.now, 0).files


def _pieces(workspace: Workspace, path: str, id_: str) -> Iterator[tuple[Piece, Memory, list[str]]]:
    data = workspace.transactions.look(path)
    if data is None or id_.encode() not in data:
        return
    page = read_page(path, data.removeprefix(b"\xef\xbb\xbf"))
    for entry in page.entries:
        if entry.memory.id == id_:
            text = text_of(page.document, Span(entry.start, entry.whole_end))
            inside = [e.memory.id for e in page.entries if entry.start < e.start < entry.whole_end and e.memory.id]
            yield Piece(id_, text), entry.memory, inside


def purge(workspace: Workspace, wanted: str) -> Purged:
    """Take a memory, by its id, or any text out of everything under this workspace that is ours to write."""
    text = _text_of(workspace, wanted)
    words = needles(text)
    if not words:
        raise UserError(f"{text!r} is too short to be looked for; give at least four characters")
    cleaned = list(forget(workspace, wanted, "purge").pages) if wanted != text else []
    cleaned += _purge_pages(workspace, encoded(words))
    cleaned += [*_scrub_journals(workspace, words), *_scrub_lines(workspace, words), *_drop_copies(workspace, words)]
    workspace.refresh()
    return Purged(text, tuple(sorted(set(cleaned))), tuple(_beyond(workspace, encoded(words))))


def _text_of(workspace: Workspace, wanted: str) -> str:
    """The words of a memory when this is an id; else the text itself."""
    for page in pages_of(workspace):
        for _, memory, _ in _pieces(workspace, page, wanted):
            return memory.text
    if wanted.startswith("m-") and " " not in wanted:
        raise UserError(f"{wanted}: no page holds it; give the text itself to purge what is left of it elsewhere")
    return parse_memory(wanted).text


def _purge_pages(workspace: Workspace, forms: tuple[bytes, ...]) -> list[str]:
    """Take out the entries of pages that have the text in them; what is no entry is named afterwards."""
    touched = []
    operations: list[Operation] = []
    for path in pages_of(workspace):
        data = workspace.transactions.look(path) or b""
        if holds(data, forms):
            page = read_page(path, data.removeprefix(b"\xef\xbb\xbf"))
            spans = [Span(e.start, e.whole_end) for e in page.entries]
            keys = [(e.memory.id, text_of(page.document, span)) for e, span in zip(page.entries, spans, strict=True)]
            pieces = tuple(
                Piece(key or block_key(text), text) for key, text in keys if holds(text.encode(errors="replace"), forms)
            )
            operations.append(Remove(path, pieces))
            touched.append(path)
    at = workspace.now.isoformat(timespec="seconds")
    run = f"{workspace.now:%Y%m%dT%H%M%S}-purge-text"
    applied = workspace.transactions.commit(Transaction(run, at, tuple(operations), (), "purge"))
    return [path for path in touched if path in applied.changed]


def _scrub_journals(workspace: Workspace, words: tuple[str, ...]) -> Iterator[str]:
    journals = workspace.transactions.journals
    for folder in (TXN, DONE, RUNS):
        for journal in list(journals.load(folder)):
            fields = {**journal.transaction.to_json(), "before": dict(journal.before)}
            clean = scrub(fields, words)
            if clean != fields:
                before = clean.pop("before")
                journals.rewrite(folder, Journal(journal.seq, Transaction.from_json(clean), before))
                yield f"{folder}/{journal.name}"


def _scrub_lines(workspace: Workspace, words: tuple[str, ...]) -> Iterator[str]:
    """The event log of every writer, and the history of runs."""
    tree = workspace.files.tree
    forms = encoded(words)
    paths = [f"events/{name}" for name in tree.names("events") if name.endswith((".jsonl", ".jsonl.gz"))]
    for path in [*paths, HISTORY]:
        raw = tree.read(path, SEGMENT_CAP) or b""
        is_packed = path.endswith(".gz")
        data = gzip.decompress(raw) if is_packed and raw else raw
        if holds(data, forms):
            rows = list(parse_lines(data, path, []))
            clean = b"".join(line_of(scrub(row, words)) for row in rows)
            workspace.transactions.staging.publish(path, gzip.compress(clean, mtime=0) if is_packed else clean)
            yield path


def _drop_copies(workspace: Workspace, words: tuple[str, ...]) -> Iterator[str]:
    """Displaced files, answers kept for reading, and everything that is derived."""
    tree = workspace.files.tree
    forms = encoded(words)
    for folder in (".bankd/trash", ".bankd/stage", ".bankd/reports", "recall"):
        for name in tree.names(folder):
            if holds((workspace.root / folder / name).read_bytes(), forms):
                tree.remove(f"{folder}/{name}")
                yield f"{folder}/{name}"
    workspace.index.close()
    for name in _DERIVED:
        if (workspace.root / ".bankd" / name).exists():
            shutil.rmtree(workspace.root / ".bankd" / name)
            yield f".bankd/{name}"


def _beyond(workspace: Workspace, forms: tuple[bytes, ...]) -> Iterator[str]:
    """Where the text still is: read for the purpose, not believed."""
    for path in sorted(workspace.root.rglob("*")):
        relative = path.relative_to(workspace.root)
        if path.is_file() and not path.is_symlink() and ".git" not in relative.parts:
            for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
                if holds(line, forms):
                    yield f"{relative}:{number}"
    if any((folder / ".git").exists() for folder in (workspace.root, *workspace.root.parents)):
        yield "the history of the git repository around this workspace, if it was ever committed"
    yield "backups, and copies on other machines"

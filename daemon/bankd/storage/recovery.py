"""The work of a start before anything new: finish committed transactions, look at pages again, carry late writes over.

It uses the normal write path, so a crash in here is a crash like any other. `Trash` keeps displaced files for a while,
because an editor that still had one open may have written to it. Their names are that of the staged file and the
modification time at which it was displaced.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event

from bankd.edits.inserting import LineSpan, bare_lines_in, block_key, keys_in, lines_named, text_of
from bankd.edits.operations import Append, Carry, Operation, Piece, Replace, digest_of, is_carried
from bankd.edits.second_look import UNREAD, Locate, Settling, describe_changes, second_look, without_settled
from bankd.edits.settle import why_quarantined
from bankd.edits.transaction import HEALING, Applied, Journal, Look, Transaction, take_step
from bankd.errors import ConflictError
from bankd.memory.ledger import DELETED, FORGOTTEN, RESTORED, UNDONE, make_event
from bankd.pages.memory import split_id
from bankd.pages.page import read_page
from bankd.pages.scanner import decode_text, encode_text
from bankd.pages.text import lines_not_utf8
from bankd.settings import KeepPolicy
from bankd.storage.disk import explain_failure
from bankd.storage.journals import DONE, EDIT, PRISTINE, RUNS, TRASH, TXN, StagedName, Staging, rests_of
from bankd.storage.transactions import TransactionWriter
from bankd.storage.tree import FileTree

SECOND_LOOK = timedelta(minutes=10)
_HALF_SAVED = timedelta(seconds=2)  # an editor that writes in place may take this long
_MOMENT = 0.2  # seconds in which a page that is written in place has been emptied and filled again
_KEEP_EDITS = timedelta(minutes=10)
_CAP = 200 * 1024 * 1024  # bytes; an editor may make a displaced file larger, then we stop reading it
_ASIDE = "no-text"  # the ending of a file in the trash that is not looked at again


@dataclass(slots=True)
class Recovery:
    """The work that a start did: the files that it changed, and in words the pages that are not as people saved them."""

    changed: dict[str, None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Recoverer:
    """Recovers one workspace; the lock must be held."""

    def __init__(
        self,
        tree: FileTree,
        transactions: TransactionWriter,
        settle_seconds: float = 5.0,
        keep: KeepPolicy | None = None,
        pause: Callable[[float], object] | None = None,
    ) -> None:
        self._tree = tree
        self._transactions = transactions
        self._journals = transactions.journals
        self._trash = Trash(tree, transactions.staging)
        self._settle = timedelta(seconds=settle_seconds)
        self._keep = keep or KeepPolicy()
        self._pause = pause or Event().wait

    def recover(self, now: datetime) -> Recovery:
        """Finish all committed transactions and heal pages. ConflictError when a page is being edited all the time."""
        recovery = Recovery()
        try:
            self._clear_stage()
            waiting: set[str] = set()
            for journal in list(self._journals.load(TXN)):
                applied = self._transactions.run(journal, {})
                recovery.changed |= applied.changed
                waiting.update(applied.postponed)
            if waiting:
                raise ConflictError(f"{', '.join(sorted(waiting))}: being edited; the next run goes on from there")
            self._carry_late_writes(now, recovery)
            for operations, applied, run in self._look_again(now):
                recovery.changed |= applied.changed
                recovery.notes += describe_changes(operations, applied.changed, run)
            self._retire(now)
        except OSError as problem:
            raise explain_failure(problem, self._tree.root) from problem
        return recovery

    def _clear_stage(self) -> None:
        """Empty the stage after a crash: our files are removed, an edit that was just displaced goes back."""
        staging = self._transactions.staging
        names = staging.names()
        journals = {journal.seq: journal for journal in self._journals.load(TXN)} if names else {}
        for name in names:
            staged = StagedName.parse(name)
            if staged is None or staged.seq not in journals:
                staging.discard(name)  # unfinished, or never committed and hence never swapped
            else:
                staging.look(staged, journals[staged.seq].paths()[staged.step])

    def _carry_late_writes(self, now: datetime, recovery: Recovery) -> None:
        """Bring text that was written to displaced pages into the bank; anything else is kept in the trash, and named."""
        if not self._tree.names(".bankd/trash"):
            return
        journals = {j.seq: j for folder in (DONE, RUNS) for j in self._journals.load(folder)}
        for late in list(self._trash.late_writes(journals, now, self._settle.total_seconds())):
            if late.is_text:
                run = journals[late.staged.seq].transaction.run
                operations = carry_operations(late, self._locate, self._transactions.look)
                carry = Transaction(f"{run}~late", now.isoformat(), operations, kind="late write")
                recovery.changed |= self._transactions.commit(carry).changed
                self._trash.carried(late)
            elif late.is_long_at_rest(now):
                kept = f"kept as {self._trash.set_aside(late)} for {self._keep.trash_days} days"
                recovery.notes.append(
                    f"{late.path}: an older copy of it was written to, and not with text; it is {kept}"
                )
        self._trash.expire(now, self._keep)

    def _look_again(self, now: datetime) -> Iterator[tuple[Sequence[Operation], Applied, str]]:
        """Apply young transactions once more, except for pieces that a later one decided about."""
        young = list(self._journals.load(DONE))
        if not young or next(_pages(self._tree, "bank"), None) is None:
            return  # of a bank that is gone as a whole, a few lines are not put back
        later = self._journals.young_and_later()
        rests = rests_of(later)
        for journal in young:
            after = [other for other in later if other.seq > journal.seq]
            since = [other.transaction for other in after]
            paths = self._young_paths(journal, now, rests)
            settled = self._settle_pieces(journal, paths, after, now)
            hurried = {path for path in paths if self._is_hurried(path, since)}
            look = partial(
                second_look, look=self._transactions.look, locate=self._locate,
                paths=paths, later=since, hurried=hurried,
            )  # fmt: skip
            operations = look(without_settled(journal.transaction, settled))
            if back := _added_by(operations):
                self._pause(_MOMENT)  # a memory that stands nowhere may be on a page that is just being saved
                operations = look(without_settled(journal.transaction, settled | self._taken_out(back)))
            if operations:
                applied = self._transactions.commit(self._again(journal.transaction.run, operations, now))
                if applied.changed:
                    yield operations, applied, journal.transaction.run

    def _taken_out(self, memories: Set[str]) -> Set[str]:
        """The memories that a command took out; read from events, because the journal may be lost."""
        gone = self._transactions.ledger().gone
        return {key for key in memories & gone.keys() if gone[key]["type"] in {FORGOTTEN, UNDONE}}

    def _settle_pieces(
        self, journal: Journal, paths: Set[str], later: Sequence[Journal], now: datetime
    ) -> frozenset[str]:
        """The pieces of a run that people have changed since; for pages at rest they are recorded in its journal."""
        settling = Settling(self._transactions.look, self._locate, later, self._modified)
        at_rest = {path for path in paths if abs(now - self._modified(path)) >= min(self._settle, _HALF_SAVED)}
        for_good = settling.find(journal.transaction, journal.before, journal.settled, at_rest)
        if for_good:
            journal = replace(journal, settled=journal.settled | for_good)
            self._journals.write(DONE, journal)
        return journal.settled | settling.find(journal.transaction, journal.before, journal.settled, paths - at_rest)

    def _again(self, run: str, operations: tuple[Operation, ...], now: datetime) -> Transaction:
        """The transaction that heals a page; an event restores each memory that was recorded as deleted meanwhile."""
        own, at = f"{run}~again", now.isoformat()
        back = _added_by(operations)
        gone = self._transactions.ledger().gone if back else {}
        deleted = sorted(key for key in back & gone.keys() if gone[key]["type"] == DELETED)
        events = tuple(make_event(RESTORED, f"{key}@{own}@{at}", now, memory=key, run=own) for key in deleted)
        return Transaction(own, at, operations, events, "second look")

    def _young_paths(self, journal: Journal, now: datetime, rests: Mapping[str, datetime]) -> set[str]:
        """The files that an old buffer may have overwritten: now, or their last change, is within ten minutes of the run.

        A page that is fought over is left alone for a while and then looked at once more. So is one that no run reads.
        """
        resting = {path for path, until in rests.items() if until > now}
        paths = {operation.path for operation in journal.transaction.operations} - resting
        paths = {path for path in paths if why_quarantined(self._transactions.look(path) or b"") is None}
        if _age(journal, now) <= SECOND_LOOK:
            return paths
        return {path for path in paths if path in rests or _age(journal, self._modified(path)) <= SECOND_LOOK}

    def _is_hurried(self, path: str, since: Iterable[Transaction]) -> bool:
        """Whether a page was saved within seconds after a second look at it: then it was read before, and its buffer is old."""
        looks = (other for other in since if other.kind in HEALING and path in {op.path for op in other.operations})
        last = max((datetime.fromisoformat(other.planned_at) for other in looks), default=None)
        return last is not None and abs(self._modified(path) - last) <= UNREAD

    def _modified(self, path: str) -> datetime:
        try:
            with self._tree.file(path) as fd:
                return datetime.fromtimestamp(os.fstat(fd).st_mtime, UTC)
        except (OSError, ConflictError, OverflowError, ValueError):
            return datetime.min.replace(tzinfo=UTC)

    def _locate(self, keys: Collection[str]) -> Mapping[str, Collection[str]]:
        """The pages of bank/ and archive/ with each key. All are read: use it only for pieces that are not where they were put."""
        found: dict[str, set[str]] = {key: set() for key in keys}
        for path in [*_pages(self._tree, "bank"), *_pages(self._tree, "archive")]:
            data = self._transactions.look(path)
            for key in keys_in(data, keys) | lines_named(data, keys).keys() | bare_lines_in(data, keys):
                found[key].add(path)
        return found

    def _retire(self, now: datetime) -> None:
        resting = self._journals.resting(now).keys()
        for journal in list(self._journals.load(DONE)):
            if _age(journal, now) > SECOND_LOOK and not resting & journal.before.keys():
                self._journals.move(journal, DONE, RUNS)
        self._journals.prune(now, self._keep)


def _added_by(operations: Iterable[Operation]) -> set[str]:
    return {piece.key for op in operations if isinstance(op, Append) for piece in op.pieces}


def _age(journal: Journal, moment: datetime) -> timedelta:
    return abs(moment - datetime.fromisoformat(journal.transaction.planned_at))


def _pages(tree: FileTree, folder: str) -> Iterator[str]:
    with suppress(NotADirectoryError, ConflictError):
        for name in tree.names(folder):
            path = f"{folder}/{name}"
            if name.endswith(".md"):
                yield path
            elif not name.startswith("."):
                yield from _pages(tree, path)


@dataclass(frozen=True, slots=True)
class LateWrite:
    """A displaced file that was written to: its bytes now (`data`), before (`pristine`), and when it was written."""

    name: str
    modified: int
    staged: StagedName
    path: str
    pristine: bytes
    data: bytes

    @property
    def is_text(self) -> bool:
        """Whether an editor may have written it: zeros and broken letters come from a disk that lost its power."""
        return b"\0" not in self.data and (not lines_not_utf8(self.data) or bool(lines_not_utf8(self.pristine)))

    def is_long_at_rest(self, now: datetime) -> bool:
        """Whether nobody has written to it for ten minutes; until then it may be half written."""
        return abs(now.timestamp() - self.modified / 1e9) > _KEEP_EDITS.total_seconds() and not self.is_edit

    @property
    def is_edit(self) -> bool:
        """Whether it is a copy of an edit that was put back at once; an editor may still overwrite that edit."""
        return self.name.endswith(EDIT)


class Trash:
    """The displaced files of one workspace, in `.bankd/trash/`."""

    def __init__(self, tree: FileTree, staging: Staging) -> None:
        self._tree = tree
        self._staging = staging

    def late_writes(self, journals: Mapping[int, Journal], now: datetime, settle: float) -> Iterator[LateWrite]:
        """The displaced files that were written to since they were displaced, and are at rest now."""
        for name, state in self._items():
            staged = StagedName.parse(name)
            # After a power cut, a new journal may have the number of a lost one: then this file is not of it.
            is_known = staged and staged.seq in journals and staged.step < len(journals[staged.seq].paths())
            is_written = name.rsplit(".", 1)[-1] not in {PRISTINE, _ASIDE, str(state.st_mtime_ns)}
            is_at_rest = abs(now.timestamp() - state.st_mtime) >= settle
            if staged and is_known and is_written and is_at_rest and stat.S_ISREG(state.st_mode):
                late = self._late(name, staged, journals[staged.seq])
                if late.data != late.pristine:
                    yield late

    def _late(self, name: str, staged: StagedName, journal: Journal) -> LateWrite:
        modified = 0 if name.endswith(EDIT) else self._staging.mark_displaced(TRASH, name)
        data = self._tree.read(f"{TRASH}/{name}", _CAP) or b""
        pristine = self._tree.read(f"{TRASH}/{staged}.{PRISTINE}")
        if pristine is None:
            pristine = _replayed(journal, staged.before)
        return LateWrite(name, modified, staged, journal.paths()[staged.step], pristine, data)

    def carried(self, late: LateWrite) -> None:
        """Remember that a late write was carried over. Not so edits that were put back: they are looked at until they expire."""
        if late.is_edit:
            return
        self._staging.publish(f"{TRASH}/{late.staged}.{PRISTINE}", late.data)
        name = f"{late.staged}.{late.modified}"  # as it was before we read it: it may have been written to since
        with self._tree.folder(TRASH) as folder:
            if name != late.name:
                self._tree.calls.rename(late.name, folder, name, folder)

    def set_aside(self, late: LateWrite) -> str:
        """Stop looking at a file; gives where it is kept. It expires as the others do."""
        aside = f"{late.name}.{_ASIDE}"
        with self._tree.folder(TRASH) as folder:
            self._tree.calls.rename(late.name, folder, aside, folder)
        return f"{TRASH}/{aside}"

    def expire(self, now: datetime, keep: KeepPolicy) -> None:
        """Remove the files that are too old, and the oldest while all together are too large."""
        items = sorted(self._items(), key=lambda item: item[1].st_ctime_ns)
        size = sum(state.st_size for _, state in items)
        for name, state in items:
            keep_for = _KEEP_EDITS if name.endswith(EDIT) else timedelta(days=keep.trash_days)
            if now.timestamp() - state.st_ctime > keep_for.total_seconds() or size > keep.trash_mib << 20:
                self._tree.remove(f"{TRASH}/{name}")
                size -= state.st_size

    def _items(self) -> list[tuple[str, os.stat_result]]:
        names = self._tree.names(TRASH)
        if not names:
            return []
        with self._tree.folder(TRASH) as folder:
            return [(name, os.stat(name, dir_fd=folder, follow_symlinks=False)) for name in names]


def _replayed(journal: Journal, wanted: str) -> bytes:
    """The bytes with this digest among those that a transaction reads and writes; empty when none have it."""
    state = {path: None if text is None else encode_text(text) for path, text in journal.before.items()}
    befores = list(state.values())
    for step in journal.transaction.steps():
        data = state.get(step.path)
        if digest_of(data) == wanted and data is not None:
            return data
        state[step.path] = take_step(step, data, state.get).data
    return next((data for data in befores if data is not None and digest_of(data) == wanted), b"")


def carry_operations(late: LateWrite, locate: Locate, look: Look) -> tuple[Operation, ...]:
    """The operations for a late write: lines go to their page, reworded memories to the page where they are now."""
    here, pristine, written = look(late.path), decode_text(late.pristine), decode_text(late.data)
    if is_carried(decode_text(here or b""), pristine, written):
        return ()
    before, after = _entries(late.pristine), _entries(late.data)
    away = after.keys() - _entries(here).keys()
    moved = {key: min(held) for key, held in locate(away).items() if held} if away else {}
    operations: list[Operation] = [Carry(late.path, pristine, written, tuple(sorted(moved)))]
    for key, place in sorted(moved.items()):
        if before.get(key, after[key]) == after[key]:
            continue
        if _entries(look(place)).get(key) in {before[key], after[key]}:
            operations.append(Replace(place, key, before[key], after[key]))
        else:  # it has changed there too: both wordings are kept
            first, line_break, rest = after[key].partition("\n")
            nameless = split_id(first)[0] + line_break + rest
            operations.append(Append(late.path, "", (Piece(block_key(nameless), nameless),)))
    return tuple(operations)


def _entries(data: bytes | None) -> dict[str, str]:
    page = read_page("", data or b"")
    return {
        entry.memory.id: text_of(page.document, LineSpan(entry.start, entry.whole_end))
        for entry in page.entries
        if entry.memory.id
    }

"""The one writer under bank/, archive/ and events/: commit a transaction, and finish what a crash interrupted.

    stage all | journal [COMMIT] | swap and look, step by step | events | journal to done/

Until the journal is in place nothing visible has changed. After it, the same code always goes forward.

The files of other folders whose links follow are the only files outside the workspace that bankd writes. They are staged and
exchanged as in the bank, when all else is done, but without a journal: after a crash, the links that did not follow are found
and offered as after a move by the user.

`Recoverer` does the work of a start before anything new: it finishes committed transactions, looks at pages again, and carries
late writes over. It uses the normal write path, so a crash in there is a crash like any other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Event

from bankd.edits.inserting import LineSpan, bare_lines_in, block_key, keys_in, lines_named, text_of
from bankd.edits.operations import (
    Append,
    Carry,
    Operation,
    Piece,
    Remove,
    Replace,
    Rewrite,
    Write,
    digest_of,
    is_carried,
)
from bankd.edits.second_look import UNREAD, Locate, Settling, describe_changes, second_look, without_settled
from bankd.edits.settle import why_quarantined
from bankd.edits.transaction import (
    HEALING,
    Applied,
    Journal,
    Look,
    Step,
    StepResult,
    Transaction,
    find_half_divided,
    keep_versions,
    refused_step,
    replay_transaction,
    state_of,
    take_step,
)
from bankd.errors import ConflictError, InvariantError, StorageError, UserError
from bankd.memory.ledger import Ledger, fold_events
from bankd.pages.memory import split_id
from bankd.pages.names import folders_above, is_outside
from bankd.pages.page import read_page
from bankd.pages.scanner import decode_text, encode_text
from bankd.settings import KeepPolicy
from bankd.storage import disk
from bankd.storage.events import EventLog
from bankd.storage.journals import DONE, RUNS, TXN, Journals, LateWrite, Lock, StagedName, Staging, Trash, rests_of
from bankd.storage.tree import FILE_CAP, FileTree, split_path

_TRIES = 20
_DERIVED_CAP = 512 * 1024 * 1024  # bytes; the index of a large bank is larger than any page may be
_PAUSE = 0.025  # seconds between looks at a page that an editor has just emptied


class TransactionWriter:
    """Commits transactions to one workspace; the lock must be held."""

    def __init__(self, tree: FileTree, lock: Lock, writer: str, rewrite: Rewrite | None = None) -> None:
        """`writer` names this machine's event files; `rewrite` is the rule that rewrites links in a page."""
        self._tree = tree
        self._lock = lock
        self.rewrite = rewrite
        self.staging = Staging(tree)
        self.journals = Journals(tree, self.staging)
        self.events = EventLog(tree, writer)
        self.own_writes: dict[str, str] = {}
        self._wait = Event().wait

    @property
    def may_write(self) -> bool:
        """Whether the lock is held."""
        return self._lock.is_held

    def closed(self, paths: Collection[str]) -> dict[str, str]:
        """The files among these that cannot be written now, and why; a file need not exist yet."""
        return disk.closed_among(self._tree, paths)

    def commit(self, transaction: Transaction) -> Applied:
        """Carry out a transaction completely or not at all; StorageError if the disk fails."""
        if not self._lock.is_held:
            raise InvariantError("a transaction was begun without the lock")
        outside = [operation for operation in transaction.operations if is_outside(operation.path)]
        inside = tuple(operation for operation in transaction.operations if not is_outside(operation.path))
        transaction = replace(transaction, operations=inside)
        with disk.storage_told(self._tree.root):
            disk.check_writable(self._tree)
            transaction, versions = keep_versions(transaction, self.look)
            journal, staged = self._stage(transaction)
            is_empty = not journal.before and not transaction.events
            if not is_empty:
                self.journals.write(TXN, journal)
            applied = Applied(0) if is_empty else self.run(journal, staged)
        applied.conflicts += [f"{key} stays, for {path} has it in other words" for key, path in versions.items()]
        for operation in outside:
            try:
                self._write_outside(operation)
            except (OSError, ConflictError, UserError) as problem:
                applied.conflicts.append(f"{operation.path}: links could not follow ({problem})")
        return applied

    def _write_outside(self, operation: Operation) -> None:
        """Carry out an operation on a file outside; ConflictError, UserError or OSError when it must be left alone."""
        folder, _, name = operation.path.rpartition("/")
        with closing(FileTree(Path(folder), self._tree.calls)) as tree, tree.folder("") as fd:
            staged = f".bankd-{name}.tmp"
            for _ in range(_TRIES):
                old = tree.read(name)
                new = take_step(Step(operation.path, (operation,)), old, self.look, self.rewrite).data
                if new is None or new == old:
                    return
                tree.remove(staged)  # a crash left it behind
                try:
                    Staging(tree).fill(tree.calls.create(staged, fd), new, name)
                    tree.calls.exchange(staged, fd, name, fd)
                    if is_ours := tree.read(staged) == old:
                        disk.sync_file(tree, fd)
                    else:  # an edit came out
                        tree.calls.exchange(staged, fd, name, fd)
                finally:
                    tree.remove(staged)
                if is_ours:
                    return
        raise ConflictError("it changes all the time")

    def _stage(self, transaction: Transaction) -> tuple[Journal, dict[int, StagedName]]:
        """Put the result of every step on the stage: all space is taken before anything is visible."""
        seq = self.journals.next_seq()
        foreseen = list(self._foresee(transaction))
        before: dict[str, str | None] = {}
        for _, path, old, _ in foreseen:
            before.setdefault(path, None if old is None else decode_text(old))
        if foreseen or transaction.events:
            texts = [len(new or b"") for *_, new in foreseen] + [len(text or "") for text in before.values()]
            disk.check_room(self._tree, sum(texts))
        staged = {}
        try:
            for number, path, old, new in foreseen:
                name = StagedName(seq, number, 0, digest_of(old), digest_of(new))
                with suppress(ConflictError):  # met again, and reported, when the step runs
                    self._stage_one(name, path, new)
                    staged[number] = name
        except BaseException:
            with suppress(OSError):
                for left in self.staging.names():
                    self.staging.discard(left)
            raise
        return Journal(seq, transaction, before), staged

    def _foresee(self, transaction: Transaction) -> Iterator[tuple[int, str, bytes | None, bytes | None]]:
        """For each step that changes its file: number, path, and bytes before and after, if nobody changes it meanwhile."""
        state: dict[str, bytes | None] = {}
        look = state_of(state, self.look)
        for number, step in enumerate(transaction.steps()):
            with suppress(ConflictError):  # as above
                old = state[step.path] if step.path in state else self._tree.read(step.path)
                new = take_step(step, old, look, self.rewrite).data
                if new != old and _fits(new):
                    state[step.path] = new
                    yield number, step.path, old, new

    def _stage_one(self, staged: StagedName, path: str, new: bytes | None) -> None:
        if new is not None:
            self.staging.stage(str(staged), new, path if self._tree.read(path) is not None else None)

    def run(self, journal: Journal, staged: Mapping[int, StagedName]) -> Applied:
        """Carry out a committed journal: a fresh one, or one that a crash left behind."""
        applied = Applied(journal.seq)
        if staged:
            self.staging.sync()
        added: list[str] = []
        for number, step in enumerate(journal.transaction.steps()):
            if step.phase < Remove.phase:
                added.append(step.path)
            elif added:
                self._take_back_halves(journal, applied)
                self._sync_folders(added)  # what is taken out below must be there, for good, before it goes
                added = []
            self._run_step(journal, number, step, staged.get(number), applied)
        self._sync_folders(journal.paths())  # also what was swapped before a crash: the journal is about to move on
        if applied.postponed:
            return applied
        missing = self._report_missing(journal.transaction, applied)
        # A memory that could not be placed gets no event: the next run reads its line again instead of taking it for deleted.
        events = tuple(said for said in journal.transaction.events if said.get("memory") not in missing)
        if events:
            (self.events.append if staged else self.events.append_missing)(events)
        # A second look gets none itself.
        self.journals.move(journal, TXN, RUNS if journal.transaction.kind in HEALING else DONE)
        disk.clear_failure(self._tree)
        return applied

    def _sync_folders(self, paths: Iterable[str]) -> None:
        for folder in sorted({split_path(path)[0] for path in paths}):
            with suppress(FileNotFoundError), self._tree.folder(folder) as fd:
                disk.sync_file(self._tree, fd)

    def _run_step(self, journal: Journal, number: int, step: Step, staged: StagedName | None, applied: Applied) -> None:
        try:
            outcome = self._settle_step(journal, number, step, staged, applied)
        except ConflictError as conflict:
            applied.conflicts.append(str(conflict))
            outcome = refused_step(step, self.look(step.path))
        for key in outcome.stayed:
            applied.conflicts.append(f"{step.path}: {key} was changed by hand meanwhile and stays")
        for withdrawal in outcome.withdrawals:
            number = journal.paths().index(withdrawal.path, len(journal.transaction.steps()))
            self._withdraw(journal, number, withdrawal, applied)

    def _take_back_halves(self, journal: Journal, applied: Applied) -> None:
        """A page is split completely or not at all: if one part could not be made, the others are removed again."""
        for page, lacking, made in find_half_divided(journal.transaction.operations, self.look):
            for part in made:
                self._withdraw(journal, journal.paths().index(part.path), Write(part.path, part.after, None), applied)
                if self.look(part.path) is None:
                    applied.changed.pop(part.path, None)
            for folder in sorted({split_path(part.path)[0] for part in made}, reverse=True):
                self._tree.remove_empty(folder)
            applied.conflicts.append(f"{page}: stays in one piece, for {lacking} could not be written")

    def _withdraw(self, journal: Journal, number: int, operation: Remove | Write, applied: Applied) -> None:
        is_new, data = journal.before.get(operation.path, "") is None, self.look(operation.path)
        if is_new and data is not None and not (operation.apply(data) or b"").strip():
            # made for a memory that does not come: leave no page with only a title
            operation = Write(operation.path, decode_text(data), None)
        try:
            self._settle_step(journal, number, Step(operation.path, (operation,)), None, applied)
        except ConflictError as conflict:
            applied.conflicts.append(str(conflict))

    def _settle_step(
        self, journal: Journal, number: int, step: Step, staged: StagedName | None, applied: Applied
    ) -> StepResult:
        """Swap a step's result in; if the page is not what we read, take the step again on what it is now."""
        for attempt in range(_TRIES):
            old = self._tree.read(step.path)
            outcome = take_step(step, old, self.look, self.rewrite)
            if outcome.data == old or not _fits(outcome.data):
                return outcome
            if not old and old is not None and attempt < _TRIES - 1:
                self._wait(_PAUSE)  # an editor truncates before it writes: an empty page is not "all deleted"
                continue
            name = StagedName(journal.seq, number, attempt, digest_of(old), digest_of(outcome.data))
            if staged is None or (staged.before, staged.after) != (name.before, name.after):
                self._stage_one(name, step.path, outcome.data)
                staged = name
            first = journal.before.get(step.path)
            if old is not None and (first is None or decode_text(old) != first):
                self.staging.keep_pristine(staged, old)
            if self.staging.swap(staged, step.path):
                applied.changed[step.path] = None
                self.own_writes[step.path] = digest_of(outcome.data)
                return outcome
            staged = None
        applied.postponed.append(step.path)
        return StepResult(None)

    def _report_missing(self, transaction: Transaction, applied: Applied) -> set[str]:
        """The memories that were to be appended and stand nowhere; each is reported as a conflict."""
        missing: set[str] = set()
        for operation in transaction.operations:
            if isinstance(operation, Append) and operation.path not in applied.changed:
                keys = {piece.key for piece in operation.pieces}
                for key in sorted(keys - keys_in(self.look(operation.path), keys)):
                    applied.conflicts.append(f"{operation.path}: {key} found no place that reads as it should")
                    missing.add(key)
        return missing

    def ledger(self) -> Ledger:
        """The ledger: the state that all events together give."""
        return fold_events(self.events.read_events())

    def images_of(self, journal: Journal) -> tuple[Mapping[str, bytes | None], Mapping[str, bytes | None]]:
        """The files of a run before it, and as it left them."""
        before = {path: None if text is None else encode_text(text) for path, text in sorted(journal.before.items())}
        after = replay_transaction(journal.transaction, before, self.look, self.rewrite)
        return before, {path: after[path] for path in before}

    def remove_empty_folders(self, gone: Iterable[str]) -> None:
        """Remove the folders above pages that are gone, if they are empty; `bank/` and `archive/` stay."""
        folders = {folder for path in gone for folder in folders_above(path) if "/" in folder}
        for folder in sorted(folders, reverse=True):
            self._tree.remove_empty(folder)

    def look(self, path: str) -> bytes | None:
        """The bytes of a file at this moment; None when there is none, or it must be left alone."""
        try:
            return self._tree.read(path)
        except ConflictError:
            return None

    def publish(self, path: str, data: bytes) -> None:
        """Put a derived file in place (tree-index.json); StorageError when the disk does not let us."""
        if self._tree.read_own(path, _DERIVED_CAP) == data:
            return
        try:
            self.staging.publish(path, data)
        except (OSError, ConflictError) as problem:
            why = disk.advise_person(problem) if isinstance(problem, OSError) else str(problem)
            raise StorageError(f"{path}: {why}; it is made anew by the next run") from problem
        self.own_writes[path] = digest_of(data)


def _fits(data: bytes | None) -> bool:
    return data is None or len(data) <= FILE_CAP


SECOND_LOOK = timedelta(minutes=10)
_HALF_SAVED = timedelta(seconds=2)  # an editor that writes in place may take this long
_MOMENT = 0.2  # seconds in which a page that is written in place has been emptied and filled again


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
        with disk.storage_told(self._tree.root):
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
            if back := {piece.key for op in operations if isinstance(op, Append) for piece in op.pieces}:
                self._pause(_MOMENT)  # a memory that stands nowhere may be on a page that is just being saved
                operations = look(without_settled(journal.transaction, settled | self._taken_out(back)))
            if operations:
                run = journal.transaction.run
                again = Transaction(f"{run}~again", now.isoformat(), operations, kind="second look")
                applied = self._transactions.commit(again)
                if applied.changed:
                    yield operations, applied, run

    def _taken_out(self, memories: Set[str]) -> Set[str]:
        """The memories that a command took out, or that a run noted as taken out by hand; the journal may be lost."""
        return {*memories & self._transactions.ledger().gone.keys()}

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

"""What a start does before anything new: finish what was committed, look a second time, carry late writes over.

It is the normal path again, so a crash in here is a crash like any other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event

from bankd.adapters.storage.disk import explain_failure
from bankd.adapters.storage.journals import DONE, RUNS, TXN, rests_of
from bankd.adapters.storage.staging import StagedName
from bankd.adapters.storage.transactions import TransactionWriter
from bankd.adapters.storage.trash import LateWrite, Trash, carry_operations
from bankd.adapters.storage.tree import FileTree
from bankd.core.daemon.settle import why_quarantined
from bankd.core.edits.journal import Applied, Journal
from bankd.core.edits.operations import Append, Operation
from bankd.core.edits.second_look import describe_changes, second_look
from bankd.core.edits.settled import Settling, without_settled
from bankd.core.edits.spans import bare_lines_in, keys_in, lines_named
from bankd.core.edits.transaction import HEALING, Transaction
from bankd.core.lifecycle.events import DELETED, FORGOTTEN, RESTORED, UNDONE, fold_events, make_event
from bankd.core.markdown.policy import KeepPolicy
from bankd.errors import ConflictError

SECOND_LOOK = timedelta(minutes=10)
_UNREAD = timedelta(seconds=5)  # nobody reads a page and deletes a line of it sooner
_HALF_SAVED = timedelta(seconds=2)  # an editor that writes in place may be in the middle of it for so long
_MOMENT = 0.2
"""Seconds in which a page that is written in place has been emptied and filled again."""


@dataclass(slots=True)
class Recovery:
    """What a start found to do: transactions finished, pages healed, late writes carried over.

    `notes` name for people what of their saving was not left as they saved it.
    """

    finished: list[Applied] = field(default_factory=list)
    healed: list[Applied] = field(default_factory=list)
    carried: list[Applied] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def changed(self) -> list[str]:
        """The files that changed."""
        return sorted({path for applied in self.finished + self.healed + self.carried for path in applied.changed})


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
        """Bring the workspace to what all committed transactions ask for; ConflictError when a page does not hold still."""
        recovery = Recovery()
        try:
            self._clear_stage()
            for journal in list(self._journals.load(TXN)):
                recovery.finished.append(self._transactions.run(journal, {}))
            _refuse_if_waiting(recovery)
            self._carry_late_writes(now, recovery)
            for operations, applied, run in self._look_again(now):
                recovery.healed.append(applied)
                recovery.notes += describe_changes(operations, applied.changed, run)
            self._retire(now)
        except OSError as problem:
            raise explain_failure(problem, self._tree.root) from problem
        return recovery

    def _clear_stage(self) -> None:
        """Look at what a crash left on the stage: ours goes, an edit that was just displaced goes back."""
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
        """Bring what was written to displaced pages into the bank; what is no text is kept, and named."""
        if not self._tree.names(".bankd/trash"):
            return
        journals = {j.seq: j for folder in (DONE, RUNS) for j in self._journals.load(folder)}
        for late in list(self._trash.late_writes(journals, now, self._settle.total_seconds())):
            if late.is_text:
                recovery.carried.append(self._carry(late, journals[late.staged.seq].transaction.run, now))
                self._trash.carried(late)
            elif late.is_long_at_rest(now):
                kept = f"kept as {self._trash.set_aside(late)} for {self._keep.trash_days} days"
                recovery.notes.append(
                    f"{late.path}: an older copy of it was written to, and not with text; it is {kept}"
                )
        self._trash.expire(now, self._keep)

    def _carry(self, late: LateWrite, run: str, now: datetime) -> Applied:
        operations = carry_operations(late, self._locate, self._transactions.look)
        return self._transactions.commit(Transaction(f"{run}~late", now.isoformat(), operations, kind="late write"))

    def _look_again(self, now: datetime) -> Iterator[tuple[Sequence[Operation], Applied, str]]:
        """Apply young transactions once more; what a later one decided about a piece stands."""
        young = list(self._journals.load(DONE))
        if not young:
            return
        later = young + list(self._journals.load(RUNS, since=young[0].seq))
        rests = rests_of(later)
        for journal in young:
            since = [other.transaction for other in later if other.seq > journal.seq]
            paths = self._young_paths(journal, now, rests)
            settled = self._settle_pieces(journal, paths, since, now)
            hurried = {path for path in paths if self._is_hurried(path, since)}
            look = partial(
                second_look, look=self._transactions.look, locate=self._locate,
                paths=paths, later=since, hurried=hurried,
            )  # fmt: skip
            operations = look(without_settled(journal.transaction, settled))
            if back := _added_by(operations):
                self._pause(_MOMENT)  # what stands nowhere may be on a page that is just being saved
                operations = look(without_settled(journal.transaction, settled | self._taken_out(back)))
            if operations:
                applied = self._transactions.commit(self._again(journal.transaction.run, operations, now))
                if applied.changed:
                    yield operations, applied, journal.transaction.run

    def _taken_out(self, memories: Set[str]) -> Set[str]:
        """Those that a command took out, as events tell: the journal of that may be lost."""
        gone = fold_events(self._transactions.events.read_events()).gone
        return {key for key in memories & gone.keys() if gone[key]["type"] in {FORGOTTEN, UNDONE}}

    def _settle_pieces(
        self, journal: Journal, paths: Set[str], since: Sequence[Transaction], now: datetime
    ) -> frozenset[str]:
        """Take note, for good where a page is at rest, of what people made of what a run wrote."""
        settling = Settling(self._transactions.look, self._locate, since)
        at_rest = {path for path in paths if abs(now - self._modified(path)) >= min(self._settle, _HALF_SAVED)}
        for_good = settling.find(journal.transaction, journal.before, journal.settled, at_rest)
        if for_good:
            journal = replace(journal, settled=journal.settled | for_good)
            self._journals.rewrite(DONE, journal)
        return journal.settled | settling.find(journal.transaction, journal.before, journal.settled, paths - at_rest)

    def _again(self, run: str, operations: tuple[Operation, ...], now: datetime) -> Transaction:
        """What heals a page; a memory that had passed for deleted meanwhile is said to be back."""
        own, at = f"{run}~again", now.isoformat()
        back = _added_by(operations)
        gone = fold_events(self._transactions.events.read_events()).gone if back else {}
        deleted = sorted(key for key in back & gone.keys() if gone[key]["type"] == DELETED)
        events = tuple(make_event(RESTORED, f"{key}@{own}@{at}", now, memory=key, run=own) for key in deleted)
        return Transaction(own, at, operations, events, "second look")

    def _young_paths(self, journal: Journal, now: datetime, rests: Mapping[str, datetime]) -> set[str]:
        """The files that an old buffer may have overwritten: now is, or they changed, within ten minutes of the run.

        One that is fought over is left alone for a while, and then looked at once more; one that no run reads is so too.
        """
        resting = {path for path, until in rests.items() if until > now}
        paths = {operation.path for operation in journal.transaction.operations} - resting
        paths = {path for path in paths if why_quarantined(self._transactions.look(path) or b"") is None}
        if _age(journal, now) <= SECOND_LOOK:
            return paths
        return {path for path in paths if path in rests or _age(journal, self._modified(path)) <= SECOND_LOOK}

    def _is_hurried(self, path: str, since: Iterable[Transaction]) -> bool:
        """Whether a page was saved again within seconds of a second look at it: by an old buffer too, read before that."""
        looks = (other for other in since if other.kind in HEALING and path in {op.path for op in other.operations})
        last = max((datetime.fromisoformat(other.planned_at) for other in looks), default=None)
        return last is not None and abs(self._modified(path) - last) <= _UNREAD

    def _modified(self, path: str) -> datetime:
        try:
            with self._tree.file(path) as fd:
                return datetime.fromtimestamp(os.fstat(fd).st_mtime, UTC)
        except (OSError, ConflictError, OverflowError, ValueError):
            return datetime.min.replace(tzinfo=UTC)

    def _locate(self, keys: Collection[str]) -> Mapping[str, Collection[str]]:
        """Read bank/ and archive/ for these keys: only for the few pieces that are not where they were put."""
        found: dict[str, set[str]] = {key: set() for key in keys}
        for path in [*_pages(self._tree, "bank"), *_pages(self._tree, "archive")]:
            data = self._transactions.look(path)
            for key in keys_in(data, keys) | lines_named(data, keys).keys() | bare_lines_in(data, keys):
                found[key].add(path)
        return found

    def _retire(self, now: datetime) -> None:
        old = [journal for journal in self._journals.load(DONE) if _age(journal, now) > SECOND_LOOK]
        resting = self._journals.resting(now).keys() if old else set()
        for journal in old:
            if not resting & journal.before.keys():
                self._journals.move(journal, DONE, RUNS)
        self._journals.prune(now, self._keep)


def _added_by(operations: Iterable[Operation]) -> set[str]:
    return {piece.key for op in operations if isinstance(op, Append) for piece in op.pieces}


def _refuse_if_waiting(recovery: Recovery) -> None:
    waiting = sorted({path for applied in recovery.finished for path in applied.postponed})
    if waiting:
        raise ConflictError(f"{', '.join(waiting)}: being edited; the next run goes on from there")


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

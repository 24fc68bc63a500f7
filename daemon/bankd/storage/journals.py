"""The redo journals of a workspace, the lock of its one writer, and the change of one file.

A transaction is committed when its journal, `.bankd/txn/SEQ.json`, is renamed into place. The journal then moves to
`done/` for a second look, and to `runs/`, where undo and show find it: what a run did, and the bytes from before. Its
first line is the SHA-256 of the rest. The lock is a file lock: it ends with its process, and a child has it only when it
is handed over.

A file is staged beside the one that it replaces, synced, swapped in, and then the file that came out is looked at. A bank file
is never opened for writing. Staged files are named SEQ.STEP.TRY.BEFORE.AFTER, with the digests of the bytes that they replace
and hold. While one is being written its name begins with `w`, so that nothing takes it for a finished one.

`Trash` keeps displaced files for a while, because an editor that still had one open may have written to it. Their names are
that of the staged file and the modification time at which it was displaced.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256

from bankd.edits.operations import digest_of
from bankd.edits.second_look import find_rests
from bankd.edits.transaction import Journal, Transaction
from bankd.errors import BusyError, ConflictError, UserError
from bankd.pages.scanner import encode_text
from bankd.pages.text import lines_not_utf8
from bankd.settings import KeepPolicy
from bankd.storage.disk import READ_ONLY, storage_told, sync_file
from bankd.storage.tree import FileTree, Syscalls, closing_descriptor, open_regular, read_all, split_path, write_all

TXN, DONE, RUNS = ".bankd/txn", ".bankd/done", ".bankd/runs"
_FORMAT = 1
_CAP = 512 * 1024 * 1024


class Journals:
    """The journals of one workspace."""

    def __init__(self, tree: FileTree, staging: Staging) -> None:
        self._tree = tree
        self._staging = staging
        self.set_aside: list[str] = []

    def next_seq(self) -> int:
        """The number of the next transaction."""
        names = [name for folder in (TXN, DONE, RUNS) for name in self._tree.names(folder)]
        return max((int(name[:6]) for name in names if name[:6].isdigit()), default=0) + 1

    def move(self, journal: Journal, old: str, new: str) -> None:
        """Move a journal to its next folder."""
        with self._tree.folder(old) as source, self._tree.folder(new, make=True) as target:
            self._tree.calls.rename(journal.name, source, journal.name, target)
            sync_file(self._tree, target)

    def write(self, folder: str, journal: Journal) -> None:
        """Put a journal in place, or replace one by another.

        In `txn/` that commits a transaction: before it nothing visible has changed, after it recovery rolls forward.
        """
        self._staging.publish(f"{folder}/{journal.name}", encode_journal(journal))

    def load(self, folder: str, since: int = 0) -> Iterator[Journal]:
        """The journals of a folder from number `since` on, oldest first. One that is torn, or of a newer version, is set aside.

        One that we have no right to read is whole, and is only passed over; but in `txn/` it raises PermissionError.
        """
        for name in self._tree.names(folder):
            if not name.endswith(".json") or name < f"{since:06}":
                continue
            try:
                data = self._tree.read(f"{folder}/{name}", _CAP)
                if data is not None:  # else it has moved on since the folder was listed
                    yield decode_journal(data)
            except (ConflictError, PermissionError, ValueError, KeyError, TypeError, RecursionError) as problem:
                if not isinstance(problem, PermissionError) and not isinstance(problem.__cause__, PermissionError):
                    with suppress(OSError), self._tree.folder(folder) as fd:  # a reader may not have the right to
                        self._tree.calls.rename(name, fd, f"{name}.bad", fd)
                        self.set_aside.append(f"{folder}/{name}.bad")
                elif folder == TXN:  # an interrupted run must be ended before anything else is written
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), f"{folder}/{name}") from problem

    def take_set_aside(self) -> list[str]:
        """The messages about journals that were set aside, once."""
        said = [
            f"{path}: this journal cannot be read and was set aside; bankctl doctor says more"
            for path in self.set_aside
        ]
        self.set_aside.clear()
        return said

    def prune(self, now: datetime, keep: KeepPolicy) -> None:
        """Remove the oldest runs, which then can no longer be undone; never the last few."""
        runs = [(name, state) for name, state in self._tree.states(RUNS).items() if name.endswith(".json")]
        oldest, total = now - timedelta(days=keep.runs_days), 0
        for age, (name, state) in enumerate(reversed(runs)):
            total += state.st_size
            is_excess = state.st_mtime < oldest.timestamp() or total > keep.runs_mib << 20
            if age >= keep.runs_at_least and is_excess:
                self._tree.remove(f"{RUNS}/{name}")

    def all(self) -> list[Journal]:
        """Every journal, oldest first. The folders are read in the order in which journals move, so that none is missed."""
        found = {journal.seq: journal for folder in (TXN, DONE, RUNS) for journal in self.load(folder)}
        return [found[seq] for seq in sorted(found)]

    def resting(self, now: datetime) -> dict[str, datetime]:
        """The pages that are fought over and left alone for a while, with the end of that time."""
        return {path: until for path, until in rests_of(self.young_and_later()).items() if until > now}

    def young_and_later(self) -> list[Journal]:
        """The journals in `done/`, and those in `runs/` that are younger than the oldest of them."""
        young = list(self.load(DONE))
        return [*young, *(self.load(RUNS, young[0].seq) if young else ())]

    def left_over(self) -> Iterator[tuple[str, str]]:
        """The files of a run that did not end, and of a failing disk: each path, and what it is."""
        for path in (f"{folder}/{name}" for folder in (TXN, STAGE) for name in self._tree.names(folder)):
            is_bad = path.endswith(".bad")
            what = "set aside: torn, or of a newer version" if is_bad else "an interrupted run; the next one ends it"
            yield path, what
        if READ_ONLY in self._tree.names(".bankd"):
            yield f".bankd/{READ_ONLY}", "syncing failed twice in a row; check the disk, then remove this file"

    def find(self, run: str) -> list[Journal]:
        """The journals of a run; UserError when there is none."""
        found = [journal for journal in self.all() if journal.transaction.run == run]
        if not found:
            raise UserError(f"{run}: no such run is kept; `bankctl log` lists those that are")
        return found


def rests_of(journals: Iterable[Journal]) -> dict[str, datetime]:
    """Until when each page that was fought over is left alone; that may be in the past."""
    in_order = sorted(journals, key=lambda journal: journal.seq)
    return find_rests([(journal.transaction, journal.before) for journal in in_order])


def encode_journal(journal: Journal) -> bytes:
    """A journal as bytes, its checksum first."""
    fields = {"format": _FORMAT, "seq": journal.seq, **journal.transaction.to_json(), "before": dict(journal.before)}
    fields |= {"settled": sorted(journal.settled)} if journal.settled else {}
    body = json.dumps(fields, sort_keys=True).encode() + b"\n"
    return sha256(body).hexdigest().encode() + b"\n" + body


def decode_journal(data: bytes) -> Journal:
    """Read a journal; ValueError, KeyError or TypeError when it is torn or newer than this program."""
    checksum, _, body = data.partition(b"\n")
    if sha256(body).hexdigest().encode() != checksum:
        raise ValueError("the checksum does not match")
    fields = json.loads(body)
    if fields["format"] != _FORMAT:
        raise ValueError("written by another version")
    datetime.fromisoformat(fields["planned_at"])  # raises when it is not a time: recovery and pruning need it
    settled = frozenset(fields.get("settled", ()))
    return Journal(fields["seq"], Transaction.from_json(fields), fields["before"], settled)


class Lock:
    """flock on `.bankd/lock`, held from `take` to `release`; the file names its holder for the message to others."""

    def __init__(self, tree: FileTree, started: str) -> None:
        """`started` is when the holder began, in ISO form."""
        self._tree = tree
        self._started = started
        self._fd: int | None = None

    @classmethod
    def handed(cls, tree: FileTree, descriptor: int) -> Lock:
        """Make a lock from an open file that another process holds and passed on; it must not be released here."""
        lock = cls(tree, "")
        lock._fd = descriptor
        return lock

    @property
    def descriptor(self) -> int:
        """The open file that holds the lock, for a process that works for this one."""
        if self._fd is None:
            raise BusyError("the right to write is lent to another process")
        return self._fd

    @property
    def is_held(self) -> bool:
        """Whether this process may write."""
        return self._fd is not None

    def take(self) -> None:
        """Take the lock; BusyError, with the holder, when another process has it."""
        with storage_told(".bankd/lock"), self._tree.folder(".bankd", make=True) as folder:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            fd = self._tree.making_way("lock", folder, lambda: os.open("lock", flags, 0o600, dir_fd=folder))
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as busy:
            with closing_descriptor(fd):
                data = os.pread(fd, 4096, 0)
            try:
                said = json.loads(data)
                who = f"busy: process {said['pid']} on {said['host']} has held this workspace since {said['started']}"
            except (ValueError, KeyError, TypeError):
                who = "busy: another process holds this workspace"
            raise BusyError(who) from busy
        self._fd = fd
        holder = json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "started": self._started}).encode()
        with suppress(OSError):  # the name is a courtesy; a full disk must not prevent the lock
            os.ftruncate(fd, 0)
            os.pwrite(fd, holder + b"\n", 0)

    def release(self) -> None:
        """Release the lock."""
        if self._fd is not None:
            with suppress(OSError):  # before closing: a process that it was handed to may still have it open
                fcntl.flock(self._fd, fcntl.LOCK_UN)
            os.close(self._fd)
            self._fd = None


STAGE, TRASH = ".bankd/stage", ".bankd/trash"
ABSENT = digest_of(None)
EDIT, PRISTINE = "edit", "pre"  # endings in the trash: an edit that was put back, what a later attempt had read
_OF_THE_PAGE = {errno.EPERM, errno.EACCES, errno.EROFS, errno.EXDEV, errno.EBUSY}  # the stage was written to before
_EDIT_CAP = 64 * 1024 * 1024  # what an editor may make of a displaced file before we stop reading it


@dataclass(frozen=True, slots=True)
class StagedName:
    """The parts of the name of a staged file."""

    seq: int
    step: int
    attempt: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.seq:06}.{self.step}.{self.attempt}.{self.before}.{self.after}"

    @classmethod
    def parse(cls, name: str) -> StagedName | None:
        """Read a name; None when it is not the name of a staged file."""
        parts = name.split(".")
        if len(parts) < 5 or not all(part.isdigit() for part in parts[:3]):
            return None
        return cls(int(parts[0]), int(parts[1]), int(parts[2]), parts[3], parts[4])


class Staging:
    """The stage folder of one workspace."""

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree

    @property
    def _calls(self) -> Syscalls:
        """The tree's calls at this moment: they are replaced later on a file system that cannot exchange."""
        return self._tree.calls

    def stage(self, name: str, data: bytes, model: str | None = None, mode: int = 0o666) -> None:
        """Write and sync a file on the stage, with the owner, mode and attributes of `model`, the file that it will replace."""
        with self._tree.folder(STAGE, make=True) as folder:
            try:
                with suppress(FileNotFoundError):
                    self._calls.unlink(f"w-{name}", folder)  # a crash left it behind
                self.fill(self._calls.create(f"w-{name}", folder, 0o600 if model else mode), data, model)
                self._calls.rename(f"w-{name}", folder, name, folder)
            except BaseException:
                with suppress(OSError):
                    self._calls.unlink(f"w-{name}", folder)
                raise

    def fill(self, fd: int, data: bytes, model: str | None) -> None:
        """Write and sync a new file, and close it; it gets the owner, mode and attributes of `model`."""
        with closing_descriptor(fd):
            if model:
                with self._tree.file(model) as shown:
                    if os.fstat(shown).st_nlink > 1:
                        raise ConflictError(f"{model}: has a second hard link, which swapping would cut; left alone")
                    try:
                        self._calls.dress(fd, shown)
                    except PermissionError as problem:
                        raise ConflictError(f"{model}: belongs to another user; left alone") from problem
            write_all(self._calls, fd, data)
            sync_file(self._tree, fd)

    def publish(self, path: str, data: bytes) -> None:
        """Put a whole file of ours in place, durably: a journal, an index; never a page, which people write too."""
        name = f"p-{path.rsplit('/', 1)[-1]}"
        self.stage(name, data, mode=0o600 if path.startswith(".bankd/") else 0o666)
        parent, leaf = split_path(path)
        try:
            with self._tree.folder(STAGE) as stage, self._tree.folder(parent, make=True) as folder:
                self._tree.making_way(leaf, folder, lambda: self._calls.rename(name, stage, leaf, folder))
                sync_file(self._tree, folder)
        except (OSError, ConflictError):
            with suppress(OSError):
                self.discard(name)
            raise

    def sync(self) -> None:
        """Make the names on the stage durable."""
        with self._tree.folder(STAGE) as folder:
            sync_file(self._tree, folder)

    def swap(self, staged: StagedName, path: str) -> bool:
        """Swap a staged file into the bank, or take a page away; False when somebody changed the page meanwhile."""
        parent, leaf = split_path(path)
        name = str(staged)
        with (
            self._tree.folder(STAGE, make=True) as stage,
            self._tree.folder(parent, make=staged.before == ABSENT) as folder,
        ):
            try:
                if staged.before == ABSENT:
                    self._calls.rename_new(name, stage, leaf, folder)
                    return True
                if staged.after == ABSENT:
                    self._calls.rename_new(leaf, folder, name, stage)
                else:
                    self._calls.exchange(name, stage, leaf, folder)
            except (FileExistsError, FileNotFoundError):
                self.discard(name)
                return False
            except OSError as problem:
                if problem.errno not in _OF_THE_PAGE:
                    raise
                self.discard(name)
                raise ConflictError(
                    f"{path}: cannot be written ({os.strerror(problem.errno)}); left alone"
                ) from problem
        return self.look(staged, path)

    def look(self, staged: StagedName, path: str) -> bool:
        """Check the file that the swap displaced: if it is the one we had read, move it to the trash; an edit goes back (False)."""
        data = self._read(str(staged))
        found = digest_of(data)
        if found == staged.before:
            self._to_trash(staged, staged)
            return True
        if found == staged.after:
            self.discard(str(staged))  # it had not been swapped yet, or was put back already
            return False
        # An editor may have read our file while it was in place: its next save must not lose the lines that ours lacked.
        self.publish(f"{TRASH}/{staged}.{EDIT}", data)
        self._put_back(staged, path)
        return False

    def _put_back(self, staged: StagedName, path: str) -> None:
        parent, leaf = split_path(path)
        name = str(staged)
        with self._tree.folder(STAGE) as stage, self._tree.folder(parent) as folder:
            live = digest_of(self._tree.read(path))
            if live == ABSENT:
                with suppress(FileExistsError):
                    self._calls.rename_new(name, stage, leaf, folder)
                    sync_file(self._tree, folder)
                    return
            elif live == staged.after:
                self._calls.exchange(name, stage, leaf, folder)
                sync_file(self._tree, folder)
                data = self._read(name)
                # An editor may still have it open, since it stood there for a while.
                if digest_of(data) == staged.after:
                    ours = replace(staged, before=staged.after)
                    self.keep_pristine(ours, data)
                    self._to_trash(staged, ours)
                    return
                # A second edit came out: it is the newer one, so it goes in again and the first is carried over later.
                self._calls.exchange(name, stage, leaf, folder)
        self._to_trash(staged, staged)

    def _to_trash(self, staged: StagedName, kept_as: StagedName) -> None:
        """Keep a displaced file under its date, because an editor may still hold it open; the date 0 marks a late write."""
        modified = self.mark_displaced(STAGE, str(staged))
        if digest_of(self._read(str(staged))) != kept_as.before:
            modified = 0
        with self._tree.folder(STAGE) as stage, self._tree.folder(TRASH, make=True) as trash:
            self._calls.rename(str(staged), stage, f"{kept_as}.{modified}", trash)

    def mark_displaced(self, folder: str, name: str) -> int:
        """Give a displaced file, before it is read, a date that every later write changes; gives it, or 0 if a write was faster.

        Its own date would not do: a write that has begun sets it before the bytes are there, and two writes within a
        tick of the kernel's clock have the same date.
        """
        with self._tree.folder(folder) as opened, closing_descriptor(open_regular(name, opened, name)) as fd:
            date = os.fstat(fd).st_mtime_ns - 1
            try:
                self._calls.date(fd, date)
            except PermissionError:
                date += 1  # the file is not ours to date: its own must do
            modified = os.fstat(fd).st_mtime_ns
            return modified if modified <= date else 0

    def keep_pristine(self, staged: StagedName, data: bytes) -> None:
        """Keep the bytes that an attempt began from when they are not in the journal: an edit that came before it."""
        self.publish(f"{TRASH}/{staged}.{PRISTINE}", data)

    def discard(self, name: str) -> None:
        """Take a file off the stage."""
        self._tree.remove(f"{STAGE}/{name}")

    def names(self) -> list[str]:
        """The names on the stage."""
        return self._tree.names(STAGE)

    def _read(self, name: str) -> bytes:
        with self._tree.folder(STAGE) as stage, closing_descriptor(open_regular(name, stage, name)) as fd:
            return read_all(fd, name, _EDIT_CAP)


_KEEP_EDITS = timedelta(minutes=10)
_CAP_LATE = 200 * 1024 * 1024  # bytes; an editor may make a displaced file larger, then we stop reading it
_ASIDE = "no-text"  # the ending of a file in the trash that is not looked at again


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
        for name, state in self._tree.states(TRASH).items():
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
        data = self._tree.read(f"{TRASH}/{name}", _CAP_LATE) or b""
        pristine = self._tree.read(f"{TRASH}/{staged}.{PRISTINE}")
        path = journal.paths()[staged.step]
        if pristine is None:
            pristine = encode_text(journal.before.get(path) or "")
        return LateWrite(name, modified, staged, path, pristine, data)

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
        items = sorted(self._tree.states(TRASH).items(), key=lambda item: item[1].st_ctime_ns)
        size = sum(state.st_size for _, state in items)
        for name, state in items:
            keep_for = _KEEP_EDITS if name.endswith(EDIT) else timedelta(days=keep.trash_days)
            if now.timestamp() - state.st_ctime > keep_for.total_seconds() or size > keep.trash_mib << 20:
                self._tree.remove(f"{TRASH}/{name}")
                size -= state.st_size

"""The change of one file: staged beside it, synced, swapped in, and then a look at the file that came out.

A bank file is never opened for writing. Staged files are named SEQ.STEP.TRY.BEFORE.AFTER, with the digests of the
bytes that they replace and hold. While one is being written its name begins with `w`, so that nothing takes it for a
finished one.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from dataclasses import dataclass, replace

from bankd.edits.operations import digest_of
from bankd.errors import ConflictError
from bankd.storage.disk import sync_file
from bankd.storage.tree import FileTree, Syscalls, closing_descriptor, open_regular, read_all, split_path, write_all

STAGE, TRASH = ".bankd/stage", ".bankd/trash"
ABSENT = digest_of(None)
EDIT, PRISTINE = "edit", "pre"  # endings in the trash: an edit that was put back, what a later attempt had read
_OF_THE_PAGE = {errno.EPERM, errno.EACCES, errno.EROFS, errno.EXDEV, errno.EBUSY}  # the stage was written to before
_CAP = 64 * 1024 * 1024  # what an editor may make of a displaced file before we stop reading it


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
                self._write(self._create(f"w-{name}", folder, 0o600 if model else mode), data, model)
                self._calls.rename(f"w-{name}", folder, name, folder)
            except BaseException:
                with suppress(OSError):
                    self._calls.unlink(f"w-{name}", folder)
                raise

    def _create(self, name: str, folder: int, mode: int) -> int:
        with suppress(FileExistsError):
            return self._calls.create(name, folder, mode)
        self._calls.unlink(name, folder)  # a crash left it behind
        return self._calls.create(name, folder, mode)

    def _write(self, fd: int, data: bytes, model: str | None) -> None:
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
                try:
                    self._calls.rename(name, stage, leaf, folder)
                except IsADirectoryError:
                    self._tree.make_way(leaf, folder)
                    self._calls.rename(name, stage, leaf, folder)
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
                if (
                    digest_of(data) == staged.after
                ):  # an editor may still have it open, since it stood there for a while
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
            return read_all(fd, name, _CAP)

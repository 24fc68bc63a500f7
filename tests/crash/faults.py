"""Faults at the seam of system calls: the Nth change of the disk is a kill, an error, a short write or a hand's edit.

Everything happens in one process, so a case costs milliseconds; `test_from_outside` does the same to real processes.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bankd.storage.tree import Syscalls

KINDS = ("create", "write", "sync", "rename", "unlink", "mkdir", "dress", "truncate", "date")


class Killed(BaseException):
    """The process is dead: nothing after this may touch the disk."""


@dataclass
class Fault:
    """What happens at the Nth change: `kill`, `torn`, `short`, `hook`, or the name of an error; `kinds` limits what counts."""

    at: int = 0
    action: str = "kill"
    forever: bool = False
    kinds: tuple[str, ...] = KINDS
    hook: Callable[[], None] | None = None
    kill_at: int = 0


def each(step: int) -> pytest.MarkDecorator:
    """Try every so-manieth point in the quick suite, and all of them under `full`."""
    return pytest.mark.parametrize("step", [step, pytest.param(1, marks=pytest.mark.full)])


def kills(log: Sequence[str], points: Sequence[int]) -> list[Fault]:
    """A kill at each of these changes, and one in the middle of each of them that is a write."""
    return [Fault(n) for n in points] + [Fault(n, "torn") for n in points if log[n - 1].startswith("write")]


WRITING = ("create", "write", "mkdir")
FULL = "the disk is full from there on"
ACTIONS = {
    "killed": Fault(),
    "killed in the middle of a write": Fault(action="torn"),
    "the disk reports an error": Fault(action="EIO"),
    FULL: Fault(action="ENOSPC", forever=True, kinds=WRITING),
}
"""What may happen to a command at any change of the disk."""


class FaultyCalls(Syscalls):
    """Counts every change, and breaks one. Syncing is counted and not done: a kill does not lose the page cache."""

    def __init__(self, fault: Fault | None = None, recorder: Callable[..., None] | None = None) -> None:
        self.fault = fault or Fault()
        self.count = 0
        self.log: list[str] = []
        self.fired = False
        self._dead = self._dying = False
        self._record = recorder or (lambda *_: None)

    def _meet(self, kind: str, what: str, data: bytes | None = None) -> bytes | None:
        """Count a change; what comes back is the data to write, shortened for a torn or short write."""
        if self._dead:
            raise Killed
        if kind not in self.fault.kinds:
            return data
        self.count += 1
        self.log.append(f"{kind} {what}")
        fault = self.fault
        if fault.kill_at and self.count == fault.kill_at:
            return self._tear(data)
        if fault.at and (self.count == fault.at or (fault.forever and self.count > fault.at)):
            return self._strike(kind, data)
        return data

    def _strike(self, kind: str, data: bytes | None) -> bytes | None:
        self.fired = True
        match self.fault.action:
            case "kill":
                self._die()
            case "torn":
                return self._tear(data)
            case "short":
                return data[: len(data) // 2] if data and len(data) > 1 else data
            case "hook":
                assert self.fault.hook is not None
                self.fault.hook()
            case name:
                number = getattr(errno, name)
                raise OSError(number, os.strerror(number))
        return data

    def _tear(self, data: bytes | None) -> bytes | None:
        """Die in the middle of a write, or before anything else."""
        if not data or len(data) < 2:
            self._die()
            return None
        self._dying = True
        return data[: len(data) // 2]

    def _die(self) -> None:
        self.fired = True
        self._dead = True
        raise Killed

    def create(self, name: str, folder: int, mode: int = 0o600) -> int:
        self._meet("create", name)
        fd = super().create(name, folder, mode)
        self._record("create", folder, name)
        return fd

    def open_to_append(self, name: str, folder: int, mode: int = 0o600) -> int:
        self._meet("create", name)
        is_new = name not in os.listdir(folder)
        fd = super().open_to_append(name, folder, mode)
        if is_new:
            self._record("create", folder, name)
        return fd

    def write(self, fd: int, data: bytes) -> int:
        part = self._meet("write", f"{len(data)} bytes", data)
        assert part is not None
        done = super().write(fd, part)
        self._record("write", fd, part)
        if self._dying:
            self._die()
        return done

    def truncate(self, fd: int, size: int) -> None:
        self._meet("truncate", f"to {size}")
        super().truncate(fd, size)
        self._record("truncate", fd, size)

    def sync(self, fd: int) -> None:
        self._meet("sync", Path(f"/proc/self/fd/{fd}").readlink().name)
        self._record("sync", fd)

    def rename(self, old: str, old_folder: int, new: str, new_folder: int) -> None:
        self._meet("rename", f"{old} -> {new}")
        super().rename(old, old_folder, new, new_folder)
        self._record("rename", old_folder, old, new_folder, new)

    def rename_new(self, old: str, old_folder: int, new: str, new_folder: int) -> None:
        self._meet("rename", f"{old} -> {new} (new)")
        super().rename_new(old, old_folder, new, new_folder)
        self._record("rename", old_folder, old, new_folder, new)

    def exchange(self, old: str, old_folder: int, new: str, new_folder: int) -> None:
        self._meet("rename", f"{old} <-> {new}")
        super().exchange(old, old_folder, new, new_folder)
        self._record("exchange", old_folder, old, new_folder, new)

    def unlink(self, name: str, folder: int) -> None:
        self._meet("unlink", name)
        super().unlink(name, folder)
        self._record("unlink", folder, name)

    def mkdir(self, name: str, folder: int, mode: int = 0o777) -> None:
        self._meet("mkdir", name)
        super().mkdir(name, folder, mode)
        self._record("mkdir", folder, name)

    def dress(self, fd: int, model: int) -> None:
        self._meet("dress", "")
        super().dress(fd, model)

    def date(self, fd: int, modified: int) -> None:
        self._meet("date", "")
        super().date(fd, modified)


_CALLS = {
    "mkdir": "mkdir", "symlink": "create", "link": "rename", "rename": "rename", "unlink": "unlink",
    "fchmod": "dress", "utime": "date", "fsync": "sync",
}  # fmt: skip
"""The kinds of the functions of `os` that change the disk; `open` and `write` are told apart by what they are given."""


class FaultyOs(FaultyCalls):
    """The same for what writes by `os` and `pathlib`: while this is a context, each call of `os` that changes is counted."""

    def __enter__(self) -> FaultyOs:
        self._patch = pytest.MonkeyPatch()
        for name, kind in _CALLS.items():
            self._patch.setattr(os, name, self._counted(kind, getattr(os, name)))
        self._patch.setattr(os, "open", self._opening(os.open))
        self._patch.setattr(os, "write", self._writing(os.write))
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.undo()

    def _counted(self, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            self._meet(kind, f"{real.__name__} {given}")
            return real(*given, **named)

        return call

    def _opening(self, real: Callable[..., int]) -> Callable[..., int]:
        def call(path: Any, flags: int, *given: Any, **named: Any) -> int:
            if flags & os.O_CREAT:
                self._meet("create", str(path))
            return real(path, flags, *given, **named)

        return call

    def _writing(self, real: Callable[..., int]) -> Callable[..., int]:
        def call(fd: int, data: Any) -> int:
            part = self._meet("write", f"{len(data)} bytes", bytes(data))
            assert part is not None
            done = real(fd, part)
            if self._dying:
                self._die()
            return done

        return call

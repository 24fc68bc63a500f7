"""The trees that a power cut could leave, worked out from the recorded changes of a run.

`ordered`, as ext4, xfs and btrfs behave: names reach the disk in order, any sync flushes all names before it; data of a
file not synced since is there, missing, or zeros. `strict`, as POSIX allows: a name is safe only after a sync of one of
its folders, each unsafe one may be missing on its own, and each unsynced file may have lost its data on its own.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.faults import FaultyCalls

FileTree = dict[str, bytes | None]  # None is a folder


@dataclass
class Change:
    """One recorded change by inode: a name set or taken (`names`: folder, name, inode or None), or bytes added."""

    names: tuple[tuple[int, str, int | None], ...] = ()
    inode: int = 0
    data: bytes = b""
    synced: int = 0
    size: int | None = None  # where a file was cut off


@dataclass
class Disk:
    """Inodes with their data (None for folders) and the names in each folder."""

    data: dict[int, bytes | None] = field(default_factory=dict)
    names: dict[int, dict[str, int]] = field(default_factory=dict)

    def apply(self, change: Change, *, zeros: bool = False) -> None:
        if change.inode:
            new = bytes(len(change.data)) if zeros else change.data
            self.data[change.inode] = (self.data.get(change.inode) or b"")[: change.size] + new
        for folder, name, inode in change.names:
            if inode is None:
                self.names.setdefault(folder, {}).pop(name, None)
            else:
                self.names.setdefault(folder, {})[name] = inode

    def tree(self) -> FileTree:
        found: FileTree = {}

        def walk(folder: int, prefix: str) -> None:
            for name, inode in sorted(self.names.get(folder, {}).items()):
                data = self.data.get(inode, b"")
                found[prefix + name] = data
                if data is None:
                    walk(inode, f"{prefix}{name}/")

        walk(1, "")
        return found


class Recorder:
    """Watches a run through FaultyCalls and keeps what it changed."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self.start = Disk({1: None}, {1: {}})
        self._next = 1
        self._read(self._root, 1)
        self._now = copy.deepcopy(self.start)
        self.changes: list[Change] = []

    def calls(self) -> FaultyCalls:
        return FaultyCalls(recorder=self)

    def _read(self, path: Path, inode: int) -> None:
        for child in sorted(path.iterdir()):
            self._next += 1
            number = self._next
            self.start.names[inode][child.name] = number
            self.start.data[number] = None if child.is_dir() else child.read_bytes()
            if child.is_dir():
                self.start.names[number] = {}
                self._read(child, number)

    def _inode(self, fd: int) -> int:
        inode = 1
        for part in Path(f"/proc/self/fd/{fd}").readlink().relative_to(self._root).parts:
            inode = self._now.names[inode][part]
        return inode

    def __call__(self, kind: str, *arguments: object) -> None:
        change = self._change(kind, *arguments)
        self.changes.append(change)
        self._now.apply(change)

    def _change(self, kind: str, fd: int, name: str | bytes | int = "", fd2: int = -1, name2: str = "") -> Change:  # type: ignore[override]
        folder = self._inode(fd)
        match kind:
            case "create" | "mkdir":
                self._next += 1
                self._now.data[self._next] = self.start.data[self._next] = None if kind == "mkdir" else b""
                return Change(names=((folder, str(name), self._next),))
            case "write":
                assert isinstance(name, bytes)
                return Change(inode=folder, data=name)
            case "truncate":
                assert isinstance(name, int)
                return Change(inode=folder, size=name)
            case "sync":
                return Change(synced=folder)
            case "unlink":
                return Change(names=((folder, str(name), None),))
        other = self._inode(fd2)
        moved = self._now.names[folder][str(name)]
        back = self._now.names[other].get(name2) if kind == "exchange" else None
        return Change(names=((folder, str(name), back), (other, name2, moved)))


def states(recorder: Recorder, model: str, step: int = 1, *, backwards: bool = False) -> Iterator[tuple[str, FileTree]]:
    """Every different tree that a cut after any change could leave, with what was lost in words."""
    seen: set[int] = set()
    cuts = range(0, len(recorder.changes) + 1, step)
    for cut in reversed(cuts) if backwards else cuts:
        for label, dropped, zeroed in _losses(recorder.changes[:cut], model):
            disk = copy.deepcopy(recorder.start)
            for n, change in enumerate(recorder.changes[:cut]):
                if n not in dropped:
                    disk.apply(change, zeros=n in zeroed)
            tree = disk.tree()
            mark = hash(tuple(sorted(tree.items(), key=lambda item: item[0])))
            if mark not in seen:
                seen.add(mark)
                yield f"cut after {cut}: {label}", tree


def _losses(done: list[Change], model: str) -> Iterator[tuple[str, set[int], set[int]]]:
    """What could be missing of these changes: (words, changes lost, changes turned to zeros)."""
    names, data = _unsafe(done, model)
    every = {n for group in data.values() for n in group}
    yield "nothing lost", set(), set()
    if model == "ordered":
        for keep in range(len(names) + 1):
            gone = set(names[keep:])
            yield f"the last {len(gone)} names", gone, set()
            if every:
                yield f"the last {len(gone)} names, all data", gone | every, set()
                yield f"the last {len(gone)} names, zeros for data", gone, every
        return
    for n in names:
        yield f"the name change {n}", {n}, set()
    yield "all unsafe names", set(names), set()
    for group in data.values():
        yield "the data of one file", set(group), set()
        yield "zeros for one file", set(), set(group)
        yield "the last write of one file", {group[-1]}, set()
    yield "everything unsafe", set(names) | every, set()


def _unsafe(done: list[Change], model: str) -> tuple[list[int], dict[int, list[int]]]:
    names: list[int] = []
    data: dict[int, list[int]] = {}
    for n, change in enumerate(done):
        if change.names:
            names.append(n)
        if change.inode:
            data.setdefault(change.inode, []).append(n)
        if change.synced:
            data.pop(change.synced, None)
            folders = {m: {folder for folder, _, _ in done[m].names} for m in names}
            names = [] if model == "ordered" else [m for m in names if change.synced not in folders[m]]
    return names, data


def materialise(tree: FileTree, root: Path) -> Path:
    """Write a tree to a real folder."""
    root.mkdir()
    for path, data in tree.items():
        if data is None:
            (root / path).mkdir(parents=True, exist_ok=True)
        else:
            (root / path).write_bytes(data)
    return root

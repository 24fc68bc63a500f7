"""Every state of the disk that a run passes through: what a kill at that moment would leave, each kept once.

A state is known again by its names and bytes, so that what many kills leave alike need not be recovered many times.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from tests.crash.faults import FaultyCalls
from tests.crash.world import run

_TRASH = ".bankd/trash/"


class _Camera(FaultyCalls):
    """Looks after every change, and has each write done in two halves, so that its middle is a state of its own."""

    def __init__(self, root: Path, seen: set[str], into: Path) -> None:
        super().__init__(recorder=self._look)
        self._root, self._seen, self._into = root, seen, into
        self._rest = 0
        self.kept: list[Path] = []

    def write(self, fd: int, data: bytes) -> int:
        part = data if len(data) == self._rest else data[: (len(data) + 1) // 2]
        self._rest = len(data) - len(part)
        return super().write(fd, part)

    def _look(self, *_: object) -> None:
        state = state_of(self._root)
        if state not in self._seen:
            self._seen.add(state)
            self.kept.append(shutil.copytree(self._root, self._into / f"state{len(self._seen)}"))


def states_passed(root: Path, seen: set[str], into: Path) -> list[Path]:
    """Run to the end; copies of the states on the way that nobody has seen before."""
    camera = _Camera(root, seen, into)
    run(root, camera)
    return camera.kept


def state_of(root: Path) -> str:
    """A digest of all names and bytes; of the trash also whether a file was written to after it was displaced."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if name == ".bankd/lock":
            continue
        if name.startswith(_TRASH):
            name, _, modified = name.rpartition(".")
            name += f" {modified == str(path.stat().st_mtime_ns) or modified}"
        data = b"/" if path.is_dir() else path.read_bytes()
        digest.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
    return digest.hexdigest()

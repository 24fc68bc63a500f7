"""What a repository around the workspace would leave out, as far as its own `.gitignore` files say.

Many ignore `*.gz`: an event log that is packed there would vanish from the repository, its old name deleted and its
new one never added.
"""

from __future__ import annotations

import codecs
from fnmatch import fnmatchcase
from typing import NamedTuple

from bankd.adapters.storage.tree import FileTree
from bankd.errors import ConflictError

_NAME = ".gitignore"
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Patterns(NamedTuple):
    """The patterns of a workspace, in order, the last that fits decides; each with the file that it stands in."""

    found: tuple[tuple[str, str], ...]

    def reason_against(self, new: str, old: str) -> str:
        """Why a file should not be renamed: its new name would be left out, its old one is not; empty when it may."""
        by = self._left_out_by(new)
        return f"{by} leaves {new} out of the repository" if by and not self._left_out_by(old) else ""

    def _left_out_by(self, path: str) -> str:
        parts = path.split("/")
        ways = ["/".join(parts[: n + 1]) for n in range(len(parts))]
        by = ""
        for file, pattern in self.found:
            bare = pattern.removeprefix("!").rstrip("/")
            names = ways if "/" in bare else parts
            if any(fnmatchcase(name, bare.lstrip("/").removeprefix("**/")) for name in names):
                by = "" if pattern.startswith("!") else file
        return by


def read_patterns(tree: FileTree, folder: str) -> Patterns:
    """The patterns in the root of a workspace and in one of its folders; a file that cannot be read has none."""
    return Patterns(tuple((path, line) for path in (_NAME, f"{folder}/{_NAME}") for line in _lines(tree, path)))


def _lines(tree: FileTree, path: str) -> list[str]:
    try:
        data = tree.read(path) or b""
    except ConflictError:
        return []
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    text = data.removeprefix(mark).decode(encoding, "replace")
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]

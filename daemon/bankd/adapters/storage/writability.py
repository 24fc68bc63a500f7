"""Which pages cannot be written, and why: asked before any write is planned, and by commands that only read.

One `statx` call a file tells links, mount and the marks that `chattr` sets; Python's own `stat` leaves those out.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from bankd.adapters.storage.tree import FileTree, split_path
from bankd.core.markdown.utf8 import shown_path
from bankd.errors import ConflictError

_LIBC = ctypes.CDLL(None, use_errno=True)
_NOFOLLOW, _EMPTY_PATH = 0x100, 0x1000
_BASIC_AND_MOUNT = 0x7FF | 0x1000
_IMMUTABLE, _APPEND_ONLY = 0x10, 0x20  # linux/stat.h


class _State(NamedTuple):
    marks: int
    links: int
    mount: int
    is_folder: bool
    user: int
    group: int


def closed_pages(tree: FileTree, folders: Iterable[str]) -> dict[str, str]:
    """Every page below these folders that cannot be written, and why."""
    home = _mount_of(tree)
    return {path: why for folder in folders for path, why in _walk(tree, folder, home)}


def closed_among(tree: FileTree, paths: Iterable[str]) -> dict[str, str]:
    """Those of these files, there or not yet, that cannot be written, and why."""
    home = _mount_of(tree)
    return {path: why for path in sorted(paths) if (why := _why_closed(tree, path, home))}


def _walk(tree: FileTree, folder: str, home: int) -> Iterator[tuple[str, str]]:
    try:
        names = [name for name in tree.names(folder) if not name.startswith(".")]
        with tree.folder(folder) as fd:
            why = _why_folder(fd, home)
            states = {name: state for name in names if (state := _look(fd, name))}
            pages = [name for name, state in states.items() if name.endswith(".md") and not state.is_folder]
            readable = {name for name in pages if os.access(name, os.R_OK, dir_fd=fd, effective_ids=True)}
    except (OSError, ConflictError):
        return  # what cannot be looked into is named by who reads it
    for name in pages:
        unread = "" if name in readable else "may not even be read; correct its owner or mode"
        if reason := unread or why or _why_page(states[name], home):
            yield shown_path(f"{folder}/{name}"), reason
    for name, state in states.items():
        if state.is_folder:
            yield from _walk(tree, f"{folder}/{name}", home)


def _why_closed(tree: FileTree, path: str, home: int) -> str:
    parent, name = split_path(path)
    while True:
        with suppress(FileNotFoundError, NotADirectoryError, ConflictError), tree.folder(parent) as fd:
            state = _look(fd, name)
            if f"{parent}/{name}".lstrip("/") != path and state is not None and not state.is_folder:
                return f"{parent}/{name} is no folder; put one in its place"
            return _why_folder(fd, home) or _why_page(state, home)
        if not parent:
            return ""
        parent, _, name = parent.rpartition("/")  # a folder that is still to be made


def _why_folder(fd: int, home: int) -> str:
    state = _look(fd, "")
    if state is not None and state.mount != home:
        return "on another file system than .bankd/, so it cannot be swapped in; keep bank/ and .bankd/ on one"
    if state is not None and state.marks & _IMMUTABLE:
        return "its folder is marked immutable; take that off with chattr -i"
    if not os.access(".", os.W_OK | os.X_OK, dir_fd=fd, effective_ids=True):
        return "its folder is read-only for bankd; correct its owner or mode"
    return ""


def _why_page(state: _State | None, home: int) -> str:
    if state is None:
        return ""
    if state.mount != home:
        return "mounted here from elsewhere, so it cannot be swapped in; put the file itself here"
    if state.marks & (_IMMUTABLE | _APPEND_ONLY):
        return "marked immutable or append-only; take that off with chattr -i -a"
    if not _may_keep_owner(state):
        return "belongs to another user or group, which a copy of ours could not keep; give it to the user of bankd"
    if state.links > 1:
        return "has a second hard link, which swapping would cut; make it a file of its own: copy it, move the copy over it"
    return ""


def _may_keep_owner(state: _State) -> bool:
    is_of_ours = state.user == os.geteuid() and state.group in {os.getegid(), *os.getgroups()}
    return is_of_ours or os.geteuid() == 0


def _mount_of(tree: FileTree) -> int:
    with tree.folder("") as fd:
        state = _look(fd, "")
    return state.mount if state else 0


def _look(folder: int, name: str) -> _State | None:
    """What `statx` says of a file or, without a name, of the folder; None when there is none or it cannot tell."""
    buffer = ctypes.create_string_buffer(256)
    flags = _NOFOLLOW | (0 if name else _EMPTY_PATH)
    if _LIBC.statx(folder, os.fsencode(name), flags, _BASIC_AND_MOUNT, buffer) != 0:
        return None
    marks, links, user, group, mode = struct.unpack_from("=QIIIH", buffer, 8)
    (mount,) = struct.unpack_from("=Q", buffer, 144)
    is_folder = mode & 0o170000 == 0o040000
    return _State(marks, 0 if is_folder else links, mount, is_folder, user, group)

"""One writer a workspace, told who it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bankd.errors import BusyError
from bankd.storage.journals import Lock
from bankd.storage.tree import FileTree


@pytest.fixture
def locks(tmp_path: Path) -> tuple[Lock, Lock]:
    """Two that want to write in one workspace."""
    return Lock(FileTree(tmp_path), "2026-05-04T03:00"), Lock(FileTree(tmp_path), "2026-05-04T03:01")


def test_while_one_writes_the_other_is_told_who_does(locks: tuple[Lock, Lock]) -> None:
    first, second = locks
    first.take()

    with pytest.raises(BusyError, match=str(os.getpid())):
        second.take()

    assert (first.is_held, second.is_held) == (True, False)


def test_when_the_first_is_done_the_other_may(locks: tuple[Lock, Lock]) -> None:
    first, second = locks
    first.take()
    first.release()
    second.take()

    assert (first.is_held, second.is_held) == (False, True)


def test_a_lock_that_was_handed_on_is_held_until_both_let_go(locks: tuple[Lock, Lock], tmp_path: Path) -> None:
    first, second = locks
    first.take()
    descriptor = os.dup(first.descriptor)
    handed = Lock.handed(FileTree(tmp_path), descriptor)

    assert handed.is_held
    with pytest.raises(BusyError):
        second.take()
    os.close(descriptor)

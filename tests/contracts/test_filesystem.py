"""File systems that can keep the promises, and those that cannot."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from bankd.errors import RefusedError
from bankd.storage.disk import probe_filesystem, require_safe
from bankd.storage.tree import FileTree, Syscalls, SyscallsWithoutExchange
from tests.crash.world import bank_of, build, faults, fresh, run


class NoExchange(Syscalls):
    def exchange(self, old: str, old_folder: int, new: str, new_folder: int) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))


def test_this_file_system_can_and_is_asked_once(tmp_path: Path) -> None:
    tree = FileTree(tmp_path)

    assert probe_filesystem(tree) == []
    require_safe(tree, permitted=False)
    tree.calls = NoExchange()
    require_safe(tree, permitted=False)  # the answer for this device is known
    assert not list((tmp_path / ".bankd/stage").iterdir())


def test_one_that_cannot_is_refused_with_the_setting_that_permits_it(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="unsafe_filesystem: true"):
        require_safe(FileTree(tmp_path, NoExchange()), permitted=False)


def test_permitted_it_is_written_without_exchange(tmp_path: Path) -> None:
    tree = FileTree(tmp_path, NoExchange())
    require_safe(tree, permitted=True)

    assert isinstance(tree.calls, SyscallsWithoutExchange)


def test_a_run_without_exchange_gives_the_same_bank(tmp_path: Path) -> None:
    template = build(tmp_path / "template")
    usual, other = fresh(template, tmp_path / "usual"), fresh(template, tmp_path / "other")
    run(usual)
    run(other, SyscallsWithoutExchange())

    assert faults(other) == []
    assert bank_of(other) == bank_of(usual)

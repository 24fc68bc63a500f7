"""A workspace on a file system that renames and links as NFS does, and cannot exchange two files."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from tests.stories.conftest import Run, write_log


@pytest.fixture
def as_on_nfs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse what renameat2 is asked beyond a rename: NFS has no flag of it."""

    def refuse(*_: Any) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr("bankd.storage.tree._renameat2", refuse)


def permit(root: Path) -> None:
    settings = root / "bankd.yaml"
    settings.write_text(settings.read_text().replace("unsafe_filesystem: false", "unsafe_filesystem: true"))


@pytest.mark.usefixtures("as_on_nfs")
def test_nothing_is_written_there_unless_the_settings_permit_it(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "W: The heron nests by the second weir.")
    refused = bankctl("cycle", "reflect")

    assert refused.code == 3
    assert "unsafe_filesystem: true" in refused.err


@pytest.mark.usefixtures("as_on_nfs")
def test_permitted_a_bank_is_kept_there_as_anywhere(root: Path, bankctl: Run) -> None:
    permit(root)
    write_log(root, "2026-05-01.md", "W: The heron nests by the second weir.")
    first = bankctl("cycle", "reflect")
    write_log(root, "2026-05-02.md", "W: The otter sleeps under the mill.")
    bankctl("cycle", "reflect")
    found = bankctl("search", "otter mill")
    run = bankctl("log", "--json").json["runs"][0]["run"]
    undone = bankctl("undo", run)

    assert first.code == undone.code == 0, (first, undone)
    assert "1 inbox" in first.out
    assert "The otter sleeps under the mill." in found.out
    assert bankctl("search", "heron weir").code == 0
    assert bankctl("doctor", "verify").code == 0
    assert list((root / ".bankd/stage").iterdir()) == []

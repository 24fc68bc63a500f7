"""No path leads out of a workspace: not by its text, not by a link, whatever the kernel can do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bankd.errors import ConflictError, UserError
from bankd.storage import tree as module
from bankd.storage.tree import FileTree


@pytest.fixture(params=["in one call", "step by step"])
def tree(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> FileTree:
    """A workspace with a page, beside a folder with a secret; opened by newer kernels' means and by older ones'."""
    if request.param == "step by step":
        monkeypatch.setattr(module, "_openat2", lambda *_: None)
    for path in ("ws/bank/a.md", "outside/secret.md"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("text\n")
    return FileTree(tmp_path / "ws")


@pytest.mark.parametrize(
    "path",
    ["../outside/secret.md", "bank/../../outside/secret.md", "/etc/passwd", "bank//a.md", "./bank/a.md", "", "a\0b"],
)
def test_a_path_that_could_leave_by_its_text_is_refused(tree: FileTree, path: str) -> None:
    with pytest.raises(UserError):
        tree.read(path)


def test_a_link_out_of_the_workspace_is_not_followed(tree: FileTree) -> None:
    (tree.root / "bank/out").symlink_to(tree.root.parent / "outside")
    (tree.root / "bank/up").symlink_to("../../outside")
    (tree.root / "bank/link.md").symlink_to(tree.root.parent / "outside/secret.md")

    for path in ("bank/out/secret.md", "bank/up/secret.md", "bank/link.md"):
        with pytest.raises(ConflictError):
            tree.read(path)


def test_what_is_no_regular_file_is_left_alone_without_waiting(tree: FileTree) -> None:
    os.mkfifo(tree.root / "bank/pipe.md")

    with pytest.raises(ConflictError):
        tree.read("bank/pipe.md")


def test_a_page_inside_is_read_and_one_that_is_not_there_is_none(tree: FileTree) -> None:
    assert tree.read("bank/a.md") == b"text\n"
    assert tree.read("bank/b.md") is None


def test_a_file_over_the_cap_is_not_read(tree: FileTree) -> None:
    assert tree.read("bank/a.md", cap=5) == b"text\n"
    with pytest.raises(ConflictError):
        tree.read("bank/a.md", cap=4)

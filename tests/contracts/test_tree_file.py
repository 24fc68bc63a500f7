"""tree-index.json after changes to some pages is what a bank read afresh would give."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest

from bankd.index.tree_file import TREE_FILE
from bankd.wiring.search import make_search
from bench.trial import SETTINGS

NOW = datetime(2026, 11, 21, tzinfo=UTC)
WORDS = [
    "정직",
    "약속",
    "루틴",
    "산행",
    "커피",
    "marrakech",
    "concise",
    "reply",
    "garden",
    "sunrise",
    "backend",
    "lake",
]
PAGES = ("identity/values.md", "knowledge/tools/vim.md", "knowledge/food.md", "knowledge/tools/old/ed.md", "x.md")


def written(root: Path) -> str:
    """Bring index and file up to date; gives what is in the file."""
    searching = make_search(root, SETTINGS)
    searching.refresh(NOW, lambda path, data: (root / path).write_bytes(data) and None)
    searching.close()
    return (root / TREE_FILE).read_text(encoding="utf-8")


def parts_of(text: str) -> tuple[str, str, str]:
    """The head, the nodes and the terms."""
    head, _, rest = text.partition('"nodes"')
    return head, *rest.split('\n}, "idf": {\n')


def afresh(root: Path, elsewhere: Path) -> tuple[str, str, str]:
    """What the file would be: its nodes made whole by the same index, its terms by one that never saw another page."""
    with_index, bare = (
        elsewhere / uuid4().hex for _ in range(2)
    )  # threads of an index that was closed may still write
    shutil.copytree(root, with_index)
    shutil.copytree(root, bare, ignore=shutil.ignore_patterns(".bankd"))
    (bare / ".bankd").mkdir()
    for copy in (with_index, bare):
        (copy / TREE_FILE).unlink()
    head, nodes, _ = parts_of(written(with_index))
    return head, nodes, parts_of(written(bare))[2]


def write_page(root: Path, path: str, random: Random) -> None:
    lines = [f"- W: {' '.join(random.choices(WORDS, k=4))}." for _ in range(random.randint(1, 4))]
    text = f"# {random.choice(WORDS)}\n\n## {random.choice(WORDS)}\n\n" + "\n".join(lines) + "\n"
    (root / "bank" / path).parent.mkdir(parents=True, exist_ok=True)
    (root / "bank" / path).write_text(text, encoding="utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / ".bankd").mkdir(parents=True)
    (root / "bank" / "_meta").mkdir(parents=True)
    for path in PAGES:
        write_page(root, path, Random(1))
    return root


def test_changed_new_and_removed_pages_give_what_the_whole_bank_gives(root: Path, tmp_path: Path) -> None:
    random = Random(2)
    written(root)
    for number in range(6):
        path = random.choice((*PAGES, f"knowledge/new/{number}.md"))
        if random.random() < 0.3:
            (root / "bank" / path).unlink(missing_ok=True)
        else:
            write_page(root, path, random)

        assert parts_of(written(root)) == afresh(root, tmp_path / "elsewhere")


@pytest.mark.parametrize("broken", ["", "not json at all"])
def test_a_file_that_a_hand_broke_is_made_whole_at_the_next_change(root: Path, tmp_path: Path, broken: str) -> None:
    written(root)
    (root / TREE_FILE).write_text(broken)
    write_page(root, PAGES[0], Random(3))

    assert parts_of(written(root)) == afresh(root, tmp_path / "elsewhere")

"""tree-index.json, and that after changes it is what a bank read afresh would give."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest

from bankd.config import shipped_folder
from bankd.index.tree_file import TREE_FILE, PageNode, render_tree
from bankd.search.score import Corpus
from bankd.wiring.search import make_search
from bench.trial import SETTINGS

CORPUS = Corpus(3, 4.0)
PAGES = [
    PageNode("identity/values.md", "Values", [("Values",), ("Values", "Work")], ["정직", "최우선"]),
    PageNode("daily/routines.md", "Routines", [("Routines",)], ["로그", "루틴"]),
]


def whole(pages: Sequence[PageNode], frequencies: Mapping[str, int], corpus: Corpus = CORPUS) -> bytes:
    return render_tree(pages, frequencies, corpus)


def test_it_holds_folders_pages_headings_and_the_idf_cache() -> None:
    tree = json.loads(whole(PAGES, {"정직": 1, "로그": 2}))

    assert tree["memories"] == 3
    assert tree["nodes"]["identity"]["files"] == ["identity/values.md"]
    assert tree["nodes"]["identity/values.md"]["keywords"] == ["정직", "최우선"]
    assert tree["nodes"]["identity/values.md#Work"]["title"] == "Values > Work"
    assert tree["idf"]["로그"][0] == 2
    assert tree["idf"]["정직"][1] > tree["idf"]["로그"][1]


def test_one_line_a_node_and_a_term_so_that_a_change_is_a_small_diff() -> None:
    before = whole(PAGES, {"정직": 1, "로그": 2}).splitlines()
    after = whole(PAGES, {"정직": 1, "로그": 2, "루틴": 1}).splitlines()

    assert len(before) == 1 + 5 + 1 + 2 + 1
    assert len(set(after) - set(before)) <= 2


def test_a_few_more_memories_change_no_weight() -> None:
    terms = {f"term{number}": 1 for number in range(50)}
    before = whole(PAGES, terms, CORPUS._replace(memories=1210)).splitlines()
    after = whole(PAGES, {**terms, "new": 1}, CORPUS._replace(memories=1215)).splitlines()

    assert len(set(after) - set(before)) == 2


def test_idf_falls_with_frequency_even_where_the_rounded_number_is_smaller() -> None:
    tree = json.loads(whole(PAGES, {"all": 1299, "one": 1}, CORPUS._replace(memories=1299)))

    assert 0 <= tree["idf"]["all"][1] < tree["idf"]["one"][1]


def test_it_has_the_form_that_the_schema_in_the_bank_tells() -> None:
    text = (shipped_folder("bank_template") / "_meta" / "schema.md").read_text(encoding="utf-8")
    example, schema = (
        json.loads(found) for found in re.findall(r"```(?:json)?\n(\{.*?\n?\})\n```", text, re.DOTALL)[-2:]
    )
    tree = json.loads(whole(PAGES, {"정직": 1}))
    node = schema["properties"]["nodes"]["additionalProperties"]["required"]

    assert list(tree) == list(example) == schema["required"]
    assert all(list(found) == node for shown in (tree, example) for found in shown["nodes"].values())
    assert all(
        [type(part) for part in found] == [int, float] for shown in (tree, example) for found in shown["idf"].values()
    )


def test_the_same_facts_give_the_same_bytes_in_any_order() -> None:
    assert whole(PAGES, {"a": 1, "b": 2}) == whole(PAGES[::-1], {"b": 2, "a": 1})


NOW = datetime(2026, 11, 21, tzinfo=UTC)
NAMED = "정직 약속 루틴 산행 커피 marrakech concise reply garden sunrise backend lake"
WORDS = NAMED.split()
PATHS = ("identity/values.md", "knowledge/tools/vim.md", "knowledge/food.md", "knowledge/tools/old/ed.md", "x.md")


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
    for path in PATHS:
        write_page(root, path, Random(1))
    return root


def test_changed_new_and_removed_pages_give_what_the_whole_bank_gives(root: Path, tmp_path: Path) -> None:
    random = Random(2)
    written(root)
    for number in range(6):
        path = random.choice((*PATHS, f"knowledge/new/{number}.md"))
        if random.random() < 0.3:
            (root / "bank" / path).unlink(missing_ok=True)
        else:
            write_page(root, path, random)

        assert parts_of(written(root)) == afresh(root, tmp_path / "elsewhere")


@pytest.mark.parametrize("broken", ["", "not json at all"])
def test_a_file_that_a_hand_broke_is_made_whole_at_the_next_change(root: Path, tmp_path: Path, broken: str) -> None:
    written(root)
    (root / TREE_FILE).write_text(broken)
    write_page(root, PATHS[0], Random(3))

    assert parts_of(written(root)) == afresh(root, tmp_path / "elsewhere")

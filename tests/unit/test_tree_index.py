"""tree-index.json."""

from __future__ import annotations

import json

from bankd.core.scoring import Corpus
from bankd.core.tree_index import PageNode, render_tree

CORPUS = Corpus(3, 4.0, 4.0, 5.5, 1.0)
PAGES = [
    PageNode("identity/values.md", "Values", [("Values",), ("Values", "Work")], ["정직", "최우선"], 2),
    PageNode("daily/routines.md", "Routines", [("Routines",)], ["로그", "루틴"], 1),
]


def test_it_holds_folders_pages_headings_and_the_idf_cache() -> None:
    tree = json.loads(render_tree(PAGES, {"정직": 1, "로그": 2}, CORPUS))

    assert tree["memories"] == 3
    assert tree["nodes"]["identity"]["files"] == ["identity/values.md"]
    assert tree["nodes"]["identity/values.md"]["keywords"] == ["정직", "최우선"]
    assert tree["nodes"]["identity/values.md#Work"]["title"] == "Values > Work"
    assert tree["idf"]["로그"][0] == 2
    assert tree["idf"]["정직"][1] > tree["idf"]["로그"][1]


def test_one_line_a_node_and_a_term_so_that_a_change_is_a_small_diff() -> None:
    before = render_tree(PAGES, {"정직": 1, "로그": 2}, CORPUS).splitlines()
    after = render_tree(PAGES, {"정직": 1, "로그": 2, "루틴": 1}, CORPUS).splitlines()

    assert len(before) == 1 + 5 + 1 + 2 + 1
    assert len(set(after) - set(before)) <= 2


def test_the_same_facts_give_the_same_bytes_in_any_order() -> None:
    assert render_tree(PAGES, {"a": 1, "b": 2}, CORPUS) == render_tree(PAGES[::-1], {"b": 2, "a": 1}, CORPUS)


def test_an_empty_bank_is_a_valid_tree() -> None:
    assert json.loads(render_tree([], {}, Corpus(0, 0, 0, 0, 0))) == {
        "format": 1,
        "memories": 0,
        "average": {"words": 0, "bigrams": 0, "heading": 0},
        "nodes": {},
        "idf": {},
    }

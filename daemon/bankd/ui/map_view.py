"""The bank as a map: its pages by size and age, and what is around one memory, page or person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bankd.ui.asked import Address, Shown
from bankd.ui.pictures import Leaf, NearNode, draw_graph, draw_tree
from bankd.wiring.banks import OpenBank

_NEIGHBOURS = 14
_DAY = 86_400


def show_map(bank: OpenBank, asked: Address) -> Shown:
    """The tree of pages; or the graph around something."""
    around = asked.text("around")
    if around:
        found = bank.ask({"op": "related", "of": around, "limit": _NEIGHBOURS})["related"]
        graph = draw_graph(around, list(map(_neighbour, found)), asked.bank, asked.language)
        return Shown("map.html", {"graph": graph, "found": found, "around": around})
    leaves = _leaves(bank)
    return Shown("map.html", {"tree": draw_tree(leaves, asked.bank, asked.language), "leaves": leaves, "around": ""})


def _leaves(bank: OpenBank) -> Sequence[Leaf]:
    """The pages of the bank that hold memories, the largest first; their age in days since they were saved."""
    with bank.look() as workspace:
        workspace.catalog.refresh(workspace.now)
        survey = workspace.files.survey("bank", workspace.now, 0)
        counts = workspace.catalog.sizes()
        now = workspace.now.timestamp()
    leaves = [
        Leaf(path, counts.get(path, 0), max(0, int((now - seen.mtime_ns / 1e9) // _DAY)))
        for path, seen in survey.files.items()
        if counts.get(path, 0)
    ]
    return sorted(leaves, key=lambda leaf: (-leaf.memories, leaf.path))


def _neighbour(one: Mapping[str, Any]) -> NearNode:
    return NearNode(one["id"] or one["path"], one["text"] or one["path"], one["steps"][-1]["tie"], one["score"])

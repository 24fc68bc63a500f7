"""What belongs to a memory, a page or a person, and what may be seen beside an answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from bankd.core.markdown.names import BANK
from bankd.core.markdown.utf8 import readable_text
from bankd.core.use.associations import Edge, Node, Reached, follow
from bankd.errors import UsageError
from bankd.search.associations import Associations, find_start

if TYPE_CHECKING:
    from bankd.core.ranking.query import FoundRow
    from bankd.ports.searching import AssociatedIndex, StoredTie

    TiesOf: TypeAlias = Callable[[Collection[str]], Sequence[StoredTie]]
    NewerOf: TypeAlias = Callable[[Collection[str]], Mapping[str, str]]

Json: TypeAlias = dict[str, Any]

MOST = 100
"""The most that is given, whoever asks."""
_TIES = 200
"""Ties of one kind that a node may have: the newest of an entity or a page, which few people read to the end."""
_WIDTH = 20
"""So many of what is next to the start lead on to what is two steps away."""
DEPTHS = (1, 2)


def find_related(request: Mapping[str, Any], index: AssociatedIndex, ties_of: TiesOf, newer_of: NewerOf) -> Json:
    """Answer a request such as `{"of": "@Peter", "depth": 2, "limit": 10}`; UsageError for what cannot be read or found."""
    asked, depth, limit = _read(request)
    start = find_start(asked, index)
    if start is None:
        raise UsageError(*_why_not(asked))
    associations = Associations(index, ties_of, _TIES)
    found = follow([start], associations.edges_of, associations.signals_of, depth, _WIDTH)
    return {"of": asked, "related": list(_Describing(index, newer_of, found).told(limit))}


def _read(request: Mapping[str, Any]) -> tuple[str, int, int]:
    asked, depth, limit = request.get("of"), request.get("depth", 1), request.get("limit", 10)
    if not isinstance(asked, str) or not asked.strip():
        raise UsageError(
            '"of" must name a memory, a page or somebody', "such as m-k3fba2xqb7te, bank/knowledge/tools.md, @Peter"
        )
    if type(depth) is not int or depth not in DEPTHS:
        raise UsageError(f"depth: {readable_text(str(depth))[:40]} is not a number of steps", "steps are 1 or 2")
    if type(limit) is not int or limit < 0:
        raise UsageError(f"limit: {readable_text(str(limit))[:40]} is not a whole number", "0 is for all")
    return readable_text(asked.strip())[:400], depth, min(limit or MOST, MOST)


def _why_not(asked: str) -> tuple[str, str]:
    if asked.startswith("@"):
        return f"{asked}: nothing in the bank is about it", "bankctl search finds memories by their words"
    if asked.endswith(".md") or "/" in asked:
        return f"{asked}: no such page in the bank", "bankctl search --files finds pages by their words"
    return f"{asked}: no memory in the bank has this id", "bankctl search prints the id of each memory"


class _Describing:
    """What was reached, in the words of people: the memories with their text and place, the pages with their path."""

    def __init__(self, index: AssociatedIndex, newer_of: NewerOf, found: Sequence[Reached]) -> None:
        self._found = found
        rows = index.rows([one.node.row for one in found if one.node.row])
        self._rows = {row.row: row for row in rows if not row.is_text}
        self._paths = index.paths({row.page for row in rows})
        self._newer = newer_of([row.id for row in rows if row.id])

    def told(self, limit: int) -> Iterator[Json]:
        given = 0
        for one in self._found:
            if given < limit and (one.node.page or one.node.row in self._rows):
                given += 1
                yield {**self.of(one.node), "score": round(one.score, 4), "steps": list(map(self._step, one.steps))}

    def of(self, node: Node) -> Json:
        row = self._rows.get(node.row)
        if row is None:
            return {"path": BANK + node.page, "line": None, "id": None, "tag": None, "text": "", "superseded_by": None}
        newer = self._newer.get(row.id or "")
        return {
            "path": self._path_of(row), "line": row.line, "id": row.id, "tag": row.tag, "text": row.text,
            "superseded_by": newer,
        }  # fmt: skip

    def _step(self, step: Edge) -> Json:
        row = self._rows.get(step.to.row)
        to = BANK + step.to.page if row is None else row.id or f"{self._path_of(row)}:{row.line}"
        return {"to": to, "tie": step.tie, "weight": round(step.weight, 4), "source": step.source}

    def _path_of(self, row: FoundRow) -> str:
        return BANK + self._paths.get(row.page, "")

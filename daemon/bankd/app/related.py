"""What belongs to a memory, a page or a person, and what may be seen beside an answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from bankd.core.markdown.names import BANK
from bankd.core.markdown.utf8 import readable_text
from bankd.core.ranking.query import Filters
from bankd.core.use.associations import Edge, Node, Reached, follow
from bankd.errors import UsageError
from bankd.search.associations import Associations, Placed

if TYPE_CHECKING:
    from bankd.core.ranking.query import Hit, Query
    from bankd.core.use.associations import StoredTie
    from bankd.ports.searching import AssociatedIndex

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

_MOST_BESIDE, _BESIDE_TIES = 3, 5
"""The most that stands beside an answer, and the most ties of a kind it is chosen from; each costs a search a hundredth."""


def find_related(request: Mapping[str, Any], index: AssociatedIndex, ties_of: TiesOf, newer_of: NewerOf) -> Json:
    """Answer a request such as `{"of": "@Peter", "depth": 2, "limit": 10}`; UsageError for what cannot be read or found."""
    asked, depth, limit = _read(request)
    associations = Associations(index, ties_of, _TIES)
    start = associations.find_start(asked)
    if start is None:
        raise UsageError(*_why_not(asked))
    found = follow([start], associations.edges_of, associations.signals_of, depth, _WIDTH)
    describing = _Describing(associations, newer_of, found)
    described = (describing.described(one) for one in found if describing.knows(one.node))
    return {"of": asked, "related": list(islice(described, limit))}


def see_also(
    query: Query, hits: Sequence[Hit], index: AssociatedIndex, ties_of: TiesOf, newer_of: NewerOf
) -> Iterator[Json]:
    """What belongs to the best hit of the bank, the nearest first: no hit, nothing superseded, at most three.

    Nothing where an answer was asked for that is only of some kind: what is beside it might be of another.
    """
    shown = [hit for hit in hits if hit.group == "bank"]
    if not _wants_more(query) or not shown:
        return
    associations = Associations(index, ties_of, _BESIDE_TIES)
    best = [Placed(hit.path.removeprefix(BANK), hit.line, hit.id, hit.mentions) for hit in shown[:1]]
    found = follow([Node()], lambda _: associations.beside(best), associations.signals_of, 1, 1)
    if not found:
        return
    describing = _Describing(associations, newer_of, found)
    said = {hit.row for hit in shown}, {hit.path for hit in shown}, {id_ for hit in shown for id_ in hit.like_it}
    fit = (one for one in found if describing.is_new(one.node, *said, query.filters.known_on))
    yield from islice((describing.described(one) for one in fit), _MOST_BESIDE)


def _wants_more(query: Query) -> bool:
    return query.see_also and not query.timeline and query.filters._replace(known_on=None) == Filters()


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

    def __init__(self, associations: Associations, newer_of: NewerOf, found: Sequence[Reached]) -> None:
        rows = associations.rows(one.node.row for one in found if one.node.row)
        self._rows = {row.row: row for row in rows if not row.is_text}
        self._placed = associations.placed
        self._newer = newer_of([row.id for row in rows if row.id])

    def knows(self, node: Node) -> bool:
        """Whether it is a page, or a memory that is still there."""
        return bool(node.page) or node.row in self._rows

    def is_new(
        self, node: Node, rows: Collection[int], pages: Collection[str], like: Collection[str], known_on: date | None
    ) -> bool:
        """Whether it adds to an answer of these memories, on these pages, that stand for those like them, as of a day."""
        row = self._rows.get(node.row)
        if row is None:
            return bool(node.page) and BANK + node.page not in pages
        is_later = known_on is not None and row.learned is not None and row.learned > known_on
        return row.row not in rows and not is_later and (row.id is None or row.id not in {*self._newer, *like})

    def described(self, one: Reached) -> Json:
        return {**self.of(one.node), "score": round(one.score, 4), "steps": list(map(self._step, one.steps))}

    def of(self, node: Node) -> Json:
        row = self._rows.get(node.row)
        if row is None:
            return {"path": BANK + node.page, "line": None, "id": None, "tag": None, "text": "", "superseded_by": None}
        newer = self._newer.get(row.id or "")
        return {
            "path": BANK + self._placed(row).page, "line": row.line, "id": row.id, "tag": row.tag, "text": row.text,
            "superseded_by": newer,
        }  # fmt: skip

    def _step(self, step: Edge) -> Json:
        row = self._rows.get(step.to.row)
        to = BANK + step.to.page if row is None else row.id or self._placed(row).place
        return {"to": to, "tie": step.tie, "weight": round(step.weight, 4), "source": step.source}

"""What is related to a memory, a page or a person, what is shown beside an answer ("see also"), and what is like a new line.

The ties between memories, pages and entities are found in the index when somebody asks:

    links out and in, containment, merged | superseded, contradicted | used together, same person, rare words

Each tie has a weight. Ties are followed a few steps; results are ordered by the number of steps, then by the product of
the weights, raised a little by use and importance. Nothing is stored outside the index.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from bankd.errors import UsageError
from bankd.pages.names import BANK, is_own
from bankd.pages.text import readable_text
from bankd.search.request import Filters, FoundRow
from bankd.search.score import FULLY_USED, MOST_RESPONSES, Weights, lexicon_within, score_memories, weigh_query
from bankd.words.analysis import analyse_by_lexicon, normal_form, runs_of

if TYPE_CHECKING:
    from bankd.index.search_index import SearchIndex
    from bankd.memory.use import UseSignals
    from bankd.ports import IndexView
    from bankd.search.request import Hit, Query

    TiesOf: TypeAlias = "Callable[[Collection[str]], Sequence[StoredTie]]"
    NewerOf: TypeAlias = Callable[[Collection[str]], Mapping[str, str]]


LEARNING_RATE = 0.1
"""Hebb's rule: each response that uses two memories closes this share of the gap between their tie and its limit."""
USE_WORTH, IMPORTANCE_WORTH = 0.1, 0.05
"""The most that use and importance add to how near something is: ours. Together they lift nothing inferred above what
somebody wrote (0.6 * 1.15 < 0.7)."""
RAREST, RAREST_SHARE = 20, 0.01
"""A rare word is in at most this many memories; in a small bank in at most this share of them, but at least two: ours."""
SHARED_WORDS = 2
"""The fewest rare words that two memories must share: ours. One alone is chance in a bank of a few hundred memories."""


class Tie(StrEnum):
    """Why two memories, or a memory and a page, are related: first the reasons that people wrote, then inferred ones."""

    LINK = "link"
    CONTAINED = "contained"
    DERIVED = "derived"
    SUPERSEDED = "superseded"
    CONTRADICTS = "contradicts"
    USED_TOGETHER = "used together"
    ENTITY = "entity"
    RARE_WORDS = "rare words"


WEIGHTS = {
    Tie.LINK: 1.0,
    Tie.CONTAINED: 0.9,
    Tie.DERIVED: 0.8,
    Tie.SUPERSEDED: 0.7,
    Tie.CONTRADICTS: 0.6,
    Tie.USED_TOGETHER: 0.6,
    Tie.ENTITY: 0.55,
    Tie.RARE_WORDS: 0.45,
}
"""Its weight, by design section 17; for "used together" the upper bound, which stays below every written tie."""


class Node(NamedTuple):
    """A memory by its number in the index, or a page or entity by its name; the unused field is empty."""

    row: int = 0
    page: str = ""
    """Relative to the bank."""
    entity: str = ""


class Edge(NamedTuple):
    """A step to a node: the tie, its weight (0 to 1), and its source, `file:line` or the rule in words."""

    to: Node
    tie: Tie
    weight: float
    source: str


class StoredTie(NamedTuple):
    """A tie between two memories that runs found, by their ids, and its source."""

    one: str
    other: str
    tie: Tie
    source: str


class Reached(NamedTuple):
    """A node, how near it is (0 to 1.15), and the steps that lead there."""

    node: Node
    score: float
    steps: tuple[Edge, ...]


def edge(to: Node, tie: Tie, source: str) -> Edge:
    """An edge with the weight of its tie."""
    return Edge(to, tie, WEIGHTS[tie], source)


def used_together(to: Node, responses: int) -> Edge:
    """An edge that grows with each response that used both, up to a bound."""
    weight = WEIGHTS[Tie.USED_TOGETHER] * (1 - (1 - LEARNING_RATE) ** min(responses, MOST_RESPONSES))
    times = "one response" if responses == 1 else f"{responses} responses"
    return Edge(to, Tie.USED_TOGETHER, weight, f"of use in {times}")


def worth_of(signals: UseSignals | None = None) -> float:
    """The factor for use and importance, 1 to 1.15; 1 for a memory that was never used."""
    if signals is None:
        return 1.0
    days = min(len(signals.recalled | {*signals.used}), FULLY_USED)
    use = math.log1p(days) / math.log1p(FULLY_USED)
    return 1 + USE_WORTH * use + IMPORTANCE_WORTH * (signals.importance or 0) / 10


def is_rare(memories: int, of: int) -> bool:
    """Whether a word in this many memories says something about those that share it."""
    return 2 <= memories <= max(2, min(RAREST, RAREST_SHARE * of))


def follow(
    starts: Iterable[Node],
    edges_of: Callable[[Node], Iterable[Edge]],
    signals_of: Callable[[Sequence[Node]], Mapping[Node, UseSignals]],
    depth: int,
    width: int,
) -> list[Reached]:
    """The nodes within this many steps, nearest first; from each step only the best `width` nodes are followed."""
    level, found = [Reached(node, 1.0, ()) for node in dict.fromkeys(starts)], list[Reached]()
    seen = {one.node for one in level}
    for _ in range(depth):
        best: dict[Node, Reached] = {}
        for came in level[:width]:
            for step in edges_of(came.node):
                reached = Reached(step.to, _strength(came.steps) * step.weight, (*came.steps, step))
                if step.to not in seen and (step.to not in best or reached.score > best[step.to].score):
                    best[step.to] = reached
        signals = signals_of([*best]) if best else {}
        level = _nearest_first(one._replace(score=one.score * worth_of(signals.get(one.node))) for one in best.values())
        seen |= best.keys()
        found += level
    return found


def _nearest_first(reached: Iterable[Reached]) -> list[Reached]:
    """Sort nodes, nearest first; equals keep their order."""
    return sorted(reached, key=lambda one: -round(one.score, 9))


def _strength(steps: Sequence[Edge]) -> float:
    return math.prod(step.weight for step in steps)


MERGED_MARK = "also "
"""The start of a mention of a merged memory, as in `layouts.links`, which is imported only if there is a link."""


class Placed(NamedTuple):
    """A memory where it stands: its page relative to the bank and 1-based line, its id, and what it mentions."""

    page: str
    line: int
    id: str | None
    mentions: Sequence[str]

    @property
    def place(self) -> str:
        """Where it stands, as editors open it."""
        return f"{BANK}{self.page}:{self.line}"


class Associations:
    """The ties in one state of an index, which must not change meanwhile."""

    def __init__(self, index: SearchIndex, ties_of: TiesOf, most: int) -> None:
        """Take the index, what runs found, and how many ties of a kind a node may have."""
        self._index, self._ties_of, self._most = index, ties_of, most
        self._rows: dict[int, FoundRow] = {}
        self._paths: dict[int, str] = {}

    def rows(self, numbers: Iterable[int]) -> list[FoundRow]:
        """The rows of memories, each fetched once; those that are gone are left out."""
        asked = list(numbers)
        if missing := [number for number in asked if number not in self._rows]:
            self._rows |= {row.row: row for row in self._index.rows.shown(missing)}
        return [self._rows[number] for number in asked if number in self._rows]

    def placed(self, row: FoundRow) -> Placed:
        """A memory where it stands."""
        if row.page not in self._paths:
            self._paths |= self._index.rows.paths(
                {one.page for one in self._rows.values()} - self._paths.keys() | {row.page}
            )
        return Placed(self._paths.get(row.page, ""), row.line, row.id, row.mentions)

    def find_start(self, asked: str) -> Node | None:
        """The memory, page or person that somebody names: an id, a path from `bank/` on or within it, or `@Slug`."""
        if asked.startswith("@"):
            slug = asked[1:]
            is_known = self._index.terms.find_within(None, Filters(entities=(slug,)), 1) or self._index.names.named(
                f"{slug}.md"
            )
            return Node(entity=slug) if slug and is_known else None
        if numbers := self._index.rows.with_ids([asked.removeprefix("^")]):
            return Node(next(iter(numbers.values())))
        wanted = BANK + asked.removeprefix(BANK)
        page = self._index.names.file(wanted) or self._index.names.file(f"{wanted}.md")
        return Node(page=page.removeprefix(BANK)) if page else None

    def edges_of(self, node: Node) -> Iterator[Edge]:
        """The ties of a node, in no order; there may be several to the same other node."""
        if node.entity:
            yield from self._of_entity(node.entity)
        elif node.page:
            yield from self._of_page(node.page)
        else:
            for row in self.rows([node.row]):
                yield from self._of_memory(row)

    def signals_of(self, nodes: Sequence[Node]) -> Mapping[Node, UseSignals]:
        """The signals of use of memories; nodes that are pages have none."""
        rows = {row.id: Node(row.row) for row in self.rows(node.row for node in nodes if node.row) if row.id}
        return {rows[id_]: signals for id_, signals in self._index.rows.signals_of([*rows]).items()}

    def beside(self, memories: Sequence[Placed]) -> Iterator[Edge]:
        """The ties of answers except by shared words, which would cost another search."""
        for memory in memories:
            yield from self._outgoing(memory)
        if ids := [memory.id for memory in memories if memory.id]:
            yield from self._incoming(ids)
            yield from self._found(ids)

    def _of_memory(self, row: FoundRow) -> Iterator[Edge]:
        memory = self.placed(row)
        yield edge(Node(page=memory.page), Tie.CONTAINED, memory.place)
        yield from self.beside([memory])
        yield from self.by_rare_words(row.row)
        for entity in row.entities:
            for number in self._index.terms.find_within(None, Filters(entities=(entity,)), self._most):
                yield edge(Node(number), Tie.ENTITY, f"@{entity}")

    def _incoming(self, ids: Sequence[str]) -> Iterator[Edge]:
        """The memories that link to these, or that these were merged into."""
        asked = sorted(f"^{id_}" for id_ in ids)
        for other in self._mentioning(asked):
            is_merged = any(
                f"^{one.removeprefix(MERGED_MARK)}" in asked for one in other.mentions if one.startswith(MERGED_MARK)
            )
            yield edge(Node(other.row), Tie.DERIVED if is_merged else Tie.LINK, self.placed(other).place)

    def _found(self, ids: Sequence[str]) -> Iterator[Edge]:
        """The ties that runs found, and the memories that were used together with these."""
        ties = [(tie.other if tie.one in ids else tie.one, tie) for tie in self._ties_of(ids)]
        used = self._index.rows.used_with(ids, MOST_RESPONSES, self._most)
        numbers = self._index.rows.with_ids([id_ for id_, _ in (*ties, *used)]) if ties or used else {}
        for id_, tie in ties:
            if id_ in numbers:
                yield edge(Node(numbers[id_]), tie.tie, tie.source or f"{tie.other} says it newer")
        for id_, responses in used:
            if id_ in numbers:
                yield used_together(Node(numbers[id_]), responses)

    def by_rare_words(self, number: int) -> Iterator[Edge]:
        """The memories that share rare words with this one, those that share most first."""
        own, of = self._words_of([number]).get(number, frozenset()), self._index.corpus.memories
        rare = {word for word in own if is_rare(self._index.terms.frequency("terms", word), of)}
        if len(rare) < SHARED_WORDS:
            return
        found = self._words_of(self._index.terms.find(dict.fromkeys(rare, 1.0), Filters(), self._most))
        shared = {other: sorted(rare & words) for other, words in found.items() if other != number}
        for other in sorted(shared, key=lambda other: (-len(shared[other]), other)):
            if len(shared[other]) >= SHARED_WORDS:
                yield edge(Node(other), Tie.RARE_WORDS, f"both say {', '.join(shared[other][:5])}")

    def _words_of(self, numbers: Sequence[int]) -> dict[int, frozenset[str]]:
        candidates = self._index.rows.candidates(numbers)
        return {one.row: frozenset(word for said in one.sentences for word in said) for one in candidates}

    def _of_page(self, path: str) -> Iterator[Edge]:
        """The memories of a page, what they link to, what links to it, and its hub or parts."""
        from bankd.layouts.links import keys_to  # noqa: PLC0415 -- see below

        for row in self.rows(self._index.terms.find_within(None, Filters(nodes=(path,)), self._most)):
            memory = self.placed(row)
            if not row.is_text and memory.page == path:
                yield edge(Node(row.row), Tie.CONTAINED, memory.place)
                yield from self._outgoing(memory)
        for row in self._mentioning(sorted(keys_to(BANK + path))):
            memory = self.placed(row)
            if any(self._led_to(mention, memory.page) == path for mention in row.mentions):
                yield edge(Node(row.row), Tie.LINK, memory.place)
        yield from self._family_of(path)

    def _family_of(self, path: str) -> Iterator[Edge]:
        """The hub that a page is a part of, and its own parts."""
        stem, hub = path.removesuffix(".md"), f"{path.rpartition('/')[0]}.md"
        for other in sorted(path.removeprefix(BANK) for path in self._index.names.paths()):
            if other == hub or (other.startswith(f"{stem}/") and "/" not in other.removeprefix(f"{stem}/")):
                part, whole = (path, other) if other == hub else (other, path)
                yield edge(Node(page=other), Tie.CONTAINED, f"{BANK}{part} is a part of {BANK}{whole}")

    def _of_entity(self, slug: str) -> Iterator[Edge]:
        """The page with this name, and the memories about it."""
        for page in self._index.names.named(f"{slug}.md"):
            yield edge(Node(page=page.removeprefix(BANK)), Tie.LINK, f"@{slug} is its name")
        for number in self._index.terms.find_within(None, Filters(entities=(slug,)), self._most):
            yield edge(Node(number), Tie.ENTITY, f"@{slug}")

    def _outgoing(self, memory: Placed) -> Iterator[Edge]:
        """What a memory links to: a memory of the bank, else the page."""
        if not memory.mentions:
            return
        from bankd.layouts.links import ids_named  # noqa: PLC0415 -- most answers have no link

        ids = ids_named(memory.mentions)
        numbers = self._index.rows.with_ids([id_ for id_ in ids if id_])
        for mention, id_ in zip(memory.mentions, ids, strict=True):
            if id_ in numbers:
                tie = Tie.DERIVED if mention.startswith(MERGED_MARK) else Tie.LINK
                yield edge(Node(numbers[id_]), tie, memory.place)
            elif page := self._led_to(mention, memory.page):
                yield edge(Node(page=page), Tie.LINK, memory.place)

    def _led_to(self, mention: str, path: str) -> str | None:
        """The page of the bank that a link on a page leads to; None for a memory that was merged."""
        from bankd.layouts.links import read_mention  # noqa: PLC0415 -- most answers have no link
        from bankd.pages.resolve import resolve_reference  # noqa: PLC0415 -- same

        link = read_mention(mention)
        target = None if isinstance(link, str) else resolve_reference(link, BANK + path, self._index.names)
        if target is None or target.is_folder or not target.path.startswith(BANK):
            return None
        return target.path.removeprefix(BANK)

    def _mentioning(self, words: Sequence[str]) -> Sequence[FoundRow]:
        return self.rows(self._index.terms.mentioning(words, self._most))


Json: TypeAlias = dict[str, Any]

MOST = 100
"""The most results of one request."""
_TIES = 200
"""Ties of one kind that a node may have: the newest of an entity or a page, which few people read to the end."""
_WIDTH = 20
"""From the first step, this many nodes are followed to the second."""
DEPTHS = (1, 2)

_LOOK_ALIKES = 20
"""The most memories that share words with a new line and are looked at; a duplicate shares nearly all of its words."""
_MOST_BESIDE, _BESIDE_TIES = 3, 5
"""The most entries of "see also", and the most ties of a kind they are chosen from; each costs 1 % of a search."""


def find_related(request: Mapping[str, Any], index: SearchIndex, ties_of: TiesOf, newer_of: NewerOf) -> Json:
    """Answer a request such as `{"of": "@Peter", "depth": 2, "limit": 10}`; UsageError for what cannot be read or found."""
    asked, depth, limit = _read(request)
    associations = Associations(index, ties_of, _TIES)
    start = associations.find_start(asked)
    if start is None:
        near = index.names.similar_page(asked.lstrip("@"))
        meant = f"did you mean {near}?" if near else "bankctl search finds memories by their words"
        if asked.startswith("@"):
            raise UsageError(f"{asked}: nothing in the bank is about it", meant)
        raise UsageError(f"{asked}: no such page in the bank, and no memory has this id", meant)
    found = follow([start], associations.edges_of, associations.signals_of, depth, _WIDTH)
    describing = _Describing(associations, newer_of, found)
    described = (describing.described(one) for one in found if describing.knows(one.node))
    return {"of": asked, "related": list(islice(described, limit))}


def see_also(
    query: Query, hits: Sequence[Hit], index: SearchIndex, ties_of: TiesOf, newer_of: NewerOf
) -> Iterator[Json]:
    """Memories related to the best hit of the bank, nearest first, at most three; no hits and nothing superseded.

    Empty if the question has filters, since related memories might not pass them.
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
    fit = (one for one in found if describing.is_new(one.node, shown, query.filters.known_on))
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


class _Describing:
    """Describes the nodes for people: memories with text and place, pages with their path."""

    def __init__(self, associations: Associations, newer_of: NewerOf, found: Sequence[Reached]) -> None:
        rows = associations.rows(one.node.row for one in found if one.node.row)
        self._rows = {row.row: row for row in rows if not row.is_text}
        self._placed = associations.placed
        self._newer = newer_of([row.id for row in rows if row.id])

    def knows(self, node: Node) -> bool:
        """Whether it is a page, or a memory that is still there."""
        return bool(node.page) or node.row in self._rows

    def is_new(self, node: Node, hits: Sequence[Hit], known_on: date | None) -> bool:
        """Whether a node adds something to these hits (near-copies included), as of a day."""
        row = self._rows.get(node.row)
        if row is None:
            return bool(node.page) and BANK + node.page not in {hit.path for hit in hits}
        is_later = known_on is not None and row.learned is not None and row.learned > known_on
        said = {*self._newer, *(id_ for hit in hits for id_ in hit.like_it)}
        return row.row not in {hit.row for hit in hits} and not is_later and row.id not in said

    def described(self, one: Reached) -> Json:
        row, steps = self._rows.get(one.node.row), list(map(self._step, one.steps))
        path = BANK + (self._placed(row).page if row else one.node.page)
        shown = (
            (row.line, row.id, row.tag, row.text, self._newer.get(row.id or ""))
            if row
            else (None, None, None, "", None)
        )
        found = dict(zip(("line", "id", "tag", "text", "superseded_by"), shown, strict=True))
        return {"path": path, **found, "score": round(one.score, 4), "steps": steps}

    def _step(self, step: Edge) -> Json:
        row = self._rows.get(step.to.row)
        to = BANK + step.to.page if row is None else row.id or self._placed(row).place
        return {"to": to, "tie": step.tie, "weight": round(step.weight, 4), "source": step.source}


class LookAlike(NamedTuple):
    """A memory that shares words with a new one, and the path of its page below bank/."""

    row: FoundRow
    path: str


class LookAlikes:
    """Finds memories that are like a new line, for routing and for the check for duplicates, in one state of the index.

    Lines are read by the words of the bank, never by the analyser: what is decided must not depend on whether that is warm.
    """

    def __init__(self, index: IndexView) -> None:
        """Use this index, whose state must not change meanwhile."""
        self._index = index
        self._frequency, self._lexicon = cache(index.terms.frequency), lexicon_within(index)
        self._found: dict[str, list[LookAlike]] = {}

    def near(self, text: str) -> list[LookAlike]:
        """The memories that share words with a text, those that share most first.

        Routing asks for a line first; what it found is kept until the check for duplicates has asked too.
        """
        return self._found.pop(text, None) or self._look_up(self._weigh(text))

    def similar(self, text: str) -> list[tuple[LookAlike, float]]:
        """The memories on the user's pages that share most words with a text, with scores, best first."""
        from bankd.memory.route import NEAREST  # noqa: PLC0415 -- "see also" has no time for it

        weights = self._weigh(text)
        self._found[text] = self._look_up(weights)
        near = [one for one in self._found[text] if not is_own(one.path)][:NEAREST]
        candidates = self._index.rows.candidates([one.row.row for one in near])
        vocabularies = self._index.rows.vocabularies({one.page for one in candidates})
        parts = score_memories(candidates, vocabularies, weights, self._index.corpus)
        scores = {one.row: score["score"] for one, score in zip(candidates, parts, strict=True)}
        scored = [(one, scores.get(one.row.row, 0.0)) for one in near]
        return sorted(scored, key=lambda one: (-round(one[1], 6), one[0].path, one[0].row.line))

    def _weigh(self, text: str) -> Weights:
        text, corpus = normal_form(text), self._index.corpus
        terms = analyse_by_lexicon(text, self._lexicon).terms
        return weigh_query(terms, runs_of(text), corpus.memories, corpus.words, partial(self._frequency, "terms"))

    def _look_up(self, weights: Weights) -> list[LookAlike]:
        numbers = self._index.terms.find(weights.terms, Filters(), _LOOK_ALIKES)
        rows = {row.row: row for row in self._index.rows.shown(numbers) if not row.is_text}
        paths = self._index.rows.paths({row.page for row in rows.values()})
        found = (rows[number] for number in numbers if number in rows)
        return [LookAlike(row, paths[row.page]) for row in found if row.page in paths]

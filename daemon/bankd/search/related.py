"""What is related to a memory, a page or a person, what is shown beside an answer ("see also"), and what is like a new line.

The ties between memories, pages and entities are found in the index when somebody asks:

    links out and in, containment, merged | superseded, contradicted | used together, same person, rare words

Each tie has a weight. Ties are followed a few steps; results are ordered by the number of steps, then by the product of
the weights, raised a little by use and importance. Nothing is stored outside the index.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from bankd.errors import UsageError
from bankd.pages.names import BANK, is_own, whom_page_is_about
from bankd.pages.text import readable_text
from bankd.search.request import Filters, FoundRow
from bankd.search.score import (
    FULLY_USED,
    MOST_RESPONSES,
    NOT_USED,
    Usage,
    Weights,
    lexicon_within,
    score_memories,
    weigh_query,
)
from bankd.words.analysis import analyse_by_lexicon, normal_form, runs_of

if TYPE_CHECKING:
    from bankd.index.search_index import SearchIndex
    from bankd.ports import IndexView
    from bankd.search.request import Hit, Query

    TiesOf: TypeAlias = "Callable[[Collection[str]], Sequence[StoredTie]]"
    NewerOf: TypeAlias = Callable[[Collection[str]], Mapping[str, str]]

Json: TypeAlias = dict[str, Any]


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

    LINK = "link", 1.0
    CONTAINED = "contained", 0.9
    DERIVED = "derived", 0.8
    SUPERSEDED = "superseded", 0.7
    CONTRADICTS = "contradicts", 0.6
    USED_TOGETHER = "used together", 0.6
    ENTITY = "entity", 0.55
    RARE_WORDS = "rare words", 0.45

    weight: float
    """By design section 17; for "used together" the upper bound, which stays below every written tie."""

    def __new__(cls, name: str, weight: float) -> Tie:
        """A name with its weight."""
        self = str.__new__(cls, name)
        self._value_, self.weight = name, weight
        return self


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
    return Edge(to, tie, tie.weight, source)


def used_together(to: Node, responses: int) -> Edge:
    """An edge that grows with each response that used both, up to a bound."""
    weight = Tie.USED_TOGETHER.weight * (1 - (1 - LEARNING_RATE) ** min(responses, MOST_RESPONSES))
    times = "one response" if responses == 1 else f"{responses} responses"
    return Edge(to, Tie.USED_TOGETHER, weight, f"of use in {times}")


def worth_of(usage: Usage = NOT_USED) -> float:
    """The factor for use and importance, 1 to 1.15; 1 for a memory that was never used."""
    use = math.log1p(min(usage.days + usage.shown, FULLY_USED)) / math.log1p(FULLY_USED)
    return 1 + USE_WORTH * use + IMPORTANCE_WORTH * (usage.importance or 0) / 10


def is_rare(memories: int, of: int) -> bool:
    """Whether a word in this many memories says something about those that share it."""
    return 2 <= memories <= max(2, min(RAREST, RAREST_SHARE * of))


def follow(
    start: Node,
    edges_of: Callable[[Node], Iterable[Edge]],
    usage_of: Callable[[Iterable[Node]], Mapping[Node, Usage]],
    depth: int,
    width: int,
) -> list[Reached]:
    """The nodes within this many steps, nearest first; from each step only the best `width` nodes are followed."""
    level, found, seen = [Reached(start, 1.0, ())], list[Reached](), {start}
    for _ in range(depth):
        best: dict[Node, Reached] = {}
        for came in level[:width]:
            strength = math.prod(step.weight for step in came.steps)
            for step in edges_of(came.node):
                reached = Reached(step.to, strength * step.weight, (*came.steps, step))
                if step.to not in seen and (step.to not in best or reached.score > best[step.to].score):
                    best[step.to] = reached
        usage = usage_of(best)
        level = [one._replace(score=one.score * worth_of(usage.get(node, NOT_USED))) for node, one in best.items()]
        level.sort(key=lambda one: -round(one.score, 9))  # equals keep their order
        seen |= best.keys()
        found += level
    return found


MERGED_MARK = "also "
"""The start of a mention of a merged memory, as in `layouts.links`, which is imported only if there is a link."""


def _place_of(row: FoundRow) -> str:
    """Where a memory stands, as editors open it."""
    return f"{BANK}{row.path}:{row.line}"


class Associations:
    """The ties in one state of an index, which must not change meanwhile."""

    def __init__(self, index: SearchIndex, ties_of: TiesOf, newer_of: NewerOf, most: int) -> None:
        """Take the index, what runs found, and how many ties of a kind a node may have."""
        self._index, self._ties_of, self._newer_of, self._most = index, ties_of, newer_of, most
        self._rows: dict[int, FoundRow] = {}

    def rows(self, numbers: Iterable[int]) -> list[FoundRow]:
        """The rows of memories, each fetched once; those that are gone are left out."""
        asked = list(numbers)
        if missing := [number for number in asked if number not in self._rows]:
            self._rows |= {row.row: row for row in self._index.rows.shown(missing)}
        return [self._rows[number] for number in asked if number in self._rows]

    def find_start(self, asked: str) -> Node | None:
        """The memory, page or person that somebody names: an id, a path from `bank/` on or within it, or `@Slug`."""
        if asked.startswith("@"):
            slug, index = asked[1:], self._index
            is_known = index.terms.find_within(None, Filters(entities=(slug,)), 1) or index.names.named(f"{slug}.md")
            return Node(entity=slug) if slug and is_known else None
        if numbers := self._index.rows.with_ids([asked.removeprefix("^")]):
            return Node(next(iter(numbers.values())))
        wanted = BANK + asked.removeprefix(BANK)
        page = self._index.names.file(wanted) or self._index.names.file(f"{wanted}.md")
        return Node(page=page.removeprefix(BANK)) if page else None

    def edges_of(self, node: Node) -> Iterator[Edge]:
        """The ties of a node, in no order; there may be several to the same other node."""
        if node.entity:
            for page in self._index.names.named(f"{node.entity}.md"):
                yield edge(Node(page=page.removeprefix(BANK)), Tie.LINK, f"@{node.entity} is its name")
            yield from self._about(node.entity)
        elif node.page:
            yield from self._of_page(node.page)
        for row in self.rows([node.row] if node.row else ()):
            yield edge(Node(page=row.path), Tie.CONTAINED, _place_of(row))
            yield from self.beside(row)
            yield from self.by_rare_words(row.row)
            for slug in row.entities or whom_page_is_about(row.path):
                yield from self._about(slug)

    def usage_of(self, nodes: Iterable[Node]) -> Mapping[Node, Usage]:
        """The use of memories; nodes that are pages have none."""
        rows = {row.id: Node(row.row) for row in self.rows(node.row for node in nodes if node.row) if row.id}
        return {rows[id_]: usage for id_, usage in self._index.rows.usage_of([*rows]).items()}

    def beside(self, row: FoundRow) -> Iterator[Edge]:
        """The ties of a memory except by shared words, which would cost another search, and by what it is about."""
        yield from self._outgoing(row)
        if row.id is None:
            return
        for other in self._mentioning([f"^{row.id}"]):  # what links to it, or what it was merged into
            is_merged = f"{MERGED_MARK}{row.id}" in other.mentions
            yield edge(Node(other.row), Tie.DERIVED if is_merged else Tie.LINK, _place_of(other))
        ties = [(tie.other if tie.one == row.id else tie.one, tie) for tie in self._ties_of([row.id])]
        used = self._index.rows.used_with([row.id], MOST_RESPONSES, self._most)
        numbers = self._index.rows.with_ids([id_ for id_, _ in (*ties, *used)])
        for id_, tie in ties:
            if id_ in numbers:
                yield edge(Node(numbers[id_]), tie.tie, tie.source or f"{tie.other} is newer")
        for id_, responses in used:
            if id_ in numbers:
                yield used_together(Node(numbers[id_]), responses)

    def _about(self, slug: str) -> Iterator[Edge]:
        for number in self._index.terms.find_within(None, Filters(entities=(slug,)), self._most):
            yield edge(Node(number), Tie.ENTITY, f"@{slug}")

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
            if not row.is_text and row.path == path:
                yield edge(Node(row.row), Tie.CONTAINED, _place_of(row))
                yield from self._outgoing(row)
        for row in self._mentioning(sorted(keys_to(BANK + path))):
            if any(self._led_to(mention, row) == path for mention in row.mentions):
                yield edge(Node(row.row), Tie.LINK, _place_of(row))
        yield from self._family_of(path)

    def _family_of(self, path: str) -> Iterator[Edge]:
        """The hub that a page is a part of, and its own parts."""
        stem, hub = path.removesuffix(".md"), f"{path.rpartition('/')[0]}.md"
        for other in sorted(path.removeprefix(BANK) for path in self._index.names.paths()):
            if other == hub or (other.startswith(f"{stem}/") and "/" not in other.removeprefix(f"{stem}/")):
                part, whole = (path, other) if other == hub else (other, path)
                yield edge(Node(page=other), Tie.CONTAINED, f"{BANK}{part} is a part of {BANK}{whole}")

    def _outgoing(self, row: FoundRow) -> Iterator[Edge]:
        """What a memory links to: a memory of the bank, else the page."""
        if not row.mentions:
            return
        from bankd.layouts.links import ids_named  # noqa: PLC0415 -- most answers have no link

        ids = ids_named(row.mentions)
        numbers = self._index.rows.with_ids([id_ for id_ in ids if id_])
        for mention, id_ in zip(row.mentions, ids, strict=True):
            if id_ in numbers:
                tie = Tie.DERIVED if mention.startswith(MERGED_MARK) else Tie.LINK
                yield edge(Node(numbers[id_]), tie, _place_of(row))
            elif page := self._led_to(mention, row):
                yield edge(Node(page=page), Tie.LINK, _place_of(row))

    def _led_to(self, mention: str, row: FoundRow) -> str | None:
        """The page of the bank that a link of a memory leads to; None for a memory that was merged."""
        from bankd.layouts.links import read_mention  # noqa: PLC0415 -- most answers have no link
        from bankd.pages.resolve import resolve_reference  # noqa: PLC0415 -- same

        link, path = read_mention(mention), BANK + row.path
        target = None if isinstance(link, str) else resolve_reference(link, path, self._index.names)
        if target is None or target.is_folder or not target.path.startswith(BANK):
            return None
        return target.path.removeprefix(BANK)

    def _mentioning(self, words: Sequence[str]) -> Sequence[FoundRow]:
        return self.rows(self._index.terms.mentioning(words, self._most))

    def described(
        self,
        found: Sequence[Reached],
        is_fit: Callable[[Node, FoundRow | None, Mapping[str, str]], bool] = lambda *_: True,
    ) -> Iterator[Json]:
        """What was found, for people: memories with text and place, pages with their path; whom they are about is left out."""
        rows = {row.row: row for row in self.rows(one.node.row for one in found if one.node.row) if not row.is_text}
        newer = self._newer_of([row.id for row in rows.values() if row.id])
        for one in found:
            row = rows.get(one.node.row)
            if (row or one.node.page) and is_fit(one.node, row, newer):
                path = row.path if row else one.node.page
                line, id_, tag, text = (row.line, row.id, row.tag, row.text) if row else (None, None, None, "")
                yield {
                    "path": BANK + path, "line": line, "id": id_, "tag": tag, "text": text,
                    "superseded_by": newer.get(id_ or ""), "score": round(one.score, 4),
                    "steps": [self._step(step) for step in one.steps],
                }  # fmt: skip

    def _step(self, step: Edge) -> Json:
        row = self._rows.get(step.to.row)
        to = BANK + step.to.page if row is None else row.id or _place_of(row)
        return {"to": to, "tie": step.tie, "weight": round(step.weight, 4), "source": step.source}


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
    associations = Associations(index, ties_of, newer_of, _TIES)
    start = associations.find_start(asked)
    if start is None:
        near = index.names.similar_page(asked.lstrip("@"))
        meant = f"did you mean {near}?" if near else "bankctl search finds memories by their words"
        if asked.startswith("@"):
            raise UsageError(f"{asked}: no memory has this @name", meant)
        raise UsageError(f"{asked}: no such page in the bank, and no memory has this id", meant)
    found = follow(start, associations.edges_of, associations.usage_of, depth, _WIDTH)
    return {"of": asked, "related": list(islice(associations.described(found), limit))}


def see_also(
    query: Query, hits: Sequence[Hit], index: SearchIndex, ties_of: TiesOf, newer_of: NewerOf
) -> Iterator[Json]:
    """Memories related to the best hit of the bank, nearest first, at most three; no hits and nothing superseded.

    Empty if the question has filters, since related memories might not pass them.
    """
    shown, known_on = [hit for hit in hits if hit.group == "bank"], query.filters.known_on
    if query.timeline or query.filters._replace(known_on=None) != Filters() or not shown:
        return
    associations = Associations(index, ties_of, newer_of, _BESIDE_TIES)
    best = associations.rows([shown[0].row])
    found = follow(Node(), lambda _: chain(*map(associations.beside, best)), associations.usage_of, 1, 1)
    near_copies = {id_ for hit in shown for id_ in hit.like_it}

    def adds(node: Node, row: FoundRow | None, newer: Mapping[str, str]) -> bool:
        """Whether a node adds something to the hits, as of the day that is asked for."""
        if row is None:
            return BANK + node.page not in {hit.path for hit in shown}
        is_later = known_on is not None and row.learned is not None and row.learned > known_on
        is_told = row.row in {hit.row for hit in shown} or row.id in near_copies or row.id in newer
        return not (is_later or is_told)

    yield from islice(associations.described(found, adds), _MOST_BESIDE)


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


class LookAlikes:
    """Finds memories that are like a new line, for routing and for the check for duplicates, in one state of the index.

    Lines are read by the words of the bank, never by the analyser: what is decided must not depend on whether that is warm.
    """

    def __init__(self, index: IndexView) -> None:
        """Use this index, whose state must not change meanwhile."""
        self._index = index
        self._frequency, self._lexicon = cache(index.terms.frequency), lexicon_within(index)
        self._found: dict[str, list[FoundRow]] = {}

    def near(self, text: str) -> list[FoundRow]:
        """The memories that share words with a text, those that share most first.

        Routing asks for a line first; what it found is kept until the check for duplicates has asked too.
        """
        return self._found.pop(text, None) or self._look_up(self._weigh(text))

    def similar(self, text: str) -> list[tuple[FoundRow, float]]:
        """The memories on the user's pages that share most words with a text, with scores, best first."""
        from bankd.memory.route import NEAREST  # noqa: PLC0415 -- "see also" has no time for it

        weights = self._weigh(text)
        self._found[text] = self._look_up(weights)
        near = [one for one in self._found[text] if not is_own(one.path)][:NEAREST]
        candidates = self._index.rows.candidates([one.row for one in near])
        vocabularies = self._index.rows.vocabularies({one.page for one in candidates})
        parts = score_memories(candidates, vocabularies, weights, self._index.corpus)
        scores = {one.row: score["score"] for one, score in zip(candidates, parts, strict=True)}
        scored = [(one, scores.get(one.row, 0.0)) for one in near]
        return sorted(scored, key=lambda one: (-round(one[1], 6), one[0].path, one[0].line))

    def _weigh(self, text: str) -> Weights:
        text, corpus = normal_form(text), self._index.corpus
        terms = analyse_by_lexicon(text, self._lexicon).terms
        return weigh_query(terms, runs_of(text), corpus.memories, corpus.words, partial(self._frequency, "terms"))

    def _look_up(self, weights: Weights) -> list[FoundRow]:
        numbers = self._index.terms.find(weights.terms, Filters(), _LOOK_ALIKES)
        rows = {row.row: row for row in self._index.rows.shown(numbers) if not row.is_text}
        return [rows[number] for number in numbers if number in rows]

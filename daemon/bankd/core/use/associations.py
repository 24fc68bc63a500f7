"""What belongs together: ties between memories, pages and entities, followed a few steps from where somebody asks.

The ties are given; this says how strong each is, and puts what they lead to in order: the nearer first, then by the
product of the weights of its steps, raised a little by use and importance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from bankd.core.use.policy import (
    FULLY_USED,
    IMPORTANCE_WORTH,
    LEARNING_RATE,
    MOST_IMPORTANT,
    MOST_RESPONSES,
    RAREST,
    RAREST_SHARE,
    USE_WORTH,
)

if TYPE_CHECKING:
    from bankd.core.use.signals import UseSignals


class Tie(StrEnum):
    """Why two memories, or a memory and a page, belong together; written by somebody first, then what is inferred."""

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
"""Design section 17. Of what was used together it is the bound, so that it never reaches what somebody wrote."""


class Node(NamedTuple):
    """A memory by its number in the index, or a page or entity by its name; the other of the two says nothing."""

    row: int = 0
    page: str = ""
    """Relative to the bank."""
    entity: str = ""


class Edge(NamedTuple):
    """A step to a node: why, how strong it is (0 to 1), and its source, `file:line` or the rule in words."""

    to: Node
    tie: Tie
    weight: float
    source: str


class StoredTie(NamedTuple):
    """A tie between two memories that runs found, by their ids, and what it rests on."""

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
    """An edge of the weight that its tie has."""
    return Edge(to, tie, WEIGHTS[tie], source)


def used_together(to: Node, responses: int) -> Edge:
    """An edge that grows with each response that used both, up to a bound."""
    weight = WEIGHTS[Tie.USED_TOGETHER] * (1 - (1 - LEARNING_RATE) ** min(responses, MOST_RESPONSES))
    times = "one response" if responses == 1 else f"{responses} responses"
    return Edge(to, Tie.USED_TOGETHER, weight, f"of use in {times}")


def worth_of(signals: UseSignals | None = None) -> float:
    """What use and importance make of nearness: a factor of 1 to 1.15; 1 for what nobody used."""
    if signals is None:
        return 1.0
    days = min(len(signals.recalled | {*signals.used}), FULLY_USED)
    use = math.log1p(days) / math.log1p(FULLY_USED)
    return 1 + USE_WORTH * use + IMPORTANCE_WORTH * (signals.importance or 0) / MOST_IMPORTANT


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
    """What is reached within this many steps, the nearest first; only the best `width` of a step lead on to the next."""
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
    """The nearest first; of equals the one that came first."""
    return sorted(reached, key=lambda one: -round(one.score, 9))


def _strength(steps: Sequence[Edge]) -> float:
    return math.prod(step.weight for step in steps)

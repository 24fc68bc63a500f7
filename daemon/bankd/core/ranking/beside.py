"""What is found beside the bank, in its logs and its archive: which line of a passage to show, and whether it says more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from bankd.core.language.analysis import Analysis
from bankd.core.ranking.parts import Part
from bankd.core.ranking.query import GROUPS, Filters
from bankd.core.ranking.scoring import Candidate, Corpus, Weights, bigrams_as_text, score_texts

MOST_BESIDE = 3
"""Answers of each group beside those of the bank, when nobody asked for the group."""
MOST_OF_PASSAGE = 2
"""Lines of one passage that are shown, so that it leaves room for others."""
AS_MUCH = 0.5
"""The share of what the best answer of the bank has of the words of a question that one beside it must have.

A second line of a passage must have this share of the question itself."""
_SAID = 0.8
"""The share of its words that an answer of the bank has of what says nothing more."""


def choose_lines(parts: Sequence[Part], read: Sequence[Analysis], weights: Weights, corpus: Corpus) -> Sequence[int]:
    """The parts of a passage that answer, as if each were a memory: the best, and those with as much of the question, if it is much.

    A heading is one only where there is nothing else.
    """
    told = [number for number, part in enumerate(parts) if not part.is_heading] or range(len(parts))
    alone = [
        Candidate(n, 0, n, read[n].sentences, bigrams_as_text(read[n].bigrams), (), frozenset(), read[n].denies)
        for n in told
    ]
    scores = score_texts(alone, weights, corpus._replace(words=corpus.sentence))
    best, *others = (n for _, n in sorted(zip(scores, told, strict=True), key=lambda one: (-one[0], one[1])))
    shares = [share_asked({term for sentence in one.sentences for term in sentence}, weights) for one in read]
    return [best, *(n for n in others if shares[n] >= max(shares[best], AS_MUCH))]


def shown_parts(parts: Sequence[Part], chosen: int) -> Sequence[Part]:
    """The part that was chosen; with one that asks, what comes after it, which answers."""
    after = parts[chosen + 1 : chosen + 2] if parts[chosen].text.rstrip("*_ ").endswith("?") else ()
    return [parts[chosen], *(part for part in after if not part.is_heading)]


def is_said(terms: Iterable[str], said: Iterable[frozenset[str]]) -> bool:
    """Whether one of these answers says nearly all of it, and every number."""
    own = frozenset(terms)
    return any(
        len(own & other) >= _SAID * len(own) and not any(term[:1].isdigit() for term in own - other) for other in said
    )


def share_asked(terms: Collection[str], weights: Weights) -> float:
    """The share of the words of a question, as the bank weighs them, that something has."""
    total = sum(weights.terms.values()) or 1.0
    return sum(weight for term, weight in weights.terms.items() if term in terms) / total


def filters_within(filters: Filters, group: str) -> Filters | None:
    """The filters as a group knows its pages; None when all pages that were named are of other groups.

    A page without a folder of the workspace before it is one of the bank.
    """
    if not filters.nodes:
        return filters
    nodes = [node.split("/", 1) if _names_folder(node) else ["bank", node] for node in filters.nodes]
    own = [rest for folder, *rest in nodes if folder == GROUPS[group]]
    if not own:
        return None
    return filters._replace(nodes=() if [] in own else tuple(path for (path,) in own))


def _names_folder(node: str) -> bool:
    return node.partition("/")[0] in GROUPS.values()

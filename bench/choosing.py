"""How the weights of search were chosen: each part of a score taken away, each constant varied, everything else the same.

    python -m bench.choosing [--queries 400] > bench/choices.md
    python -m bench.choosing --only beside locomo-turns-1-5      a part of it, of some sets

Varied on the questions for choosing (`trial.halves_of`); what a part brings stands beside it on the questions for reporting, with
the 95 % interval of a paired bootstrap. A query is read and found once; the score is computed by `bankd.search.find` itself.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from random import Random
from typing import Any, NamedTuple

from bankd.search import score as scoring
from bankd.search import weigh as weighing
from bankd.search.find import RankingOptions, find_candidates, rank_candidates
from bankd.search.read import read_query
from bankd.search.request import Filters
from bankd.search.request import Query as Question
from bench.quality import SETS, data_folder
from bench.remembering import RememberingIndex, RememberingReader
from bench.trial import NOW, SEED, OpenTrial, Query, bootstrap_interval, halves_of, open_trial, quality_of, read_set

_TODAY = NOW.date()
_MODULES = (scoring, weighing)


class Variation(NamedTuple):
    """A name, the constants of `bankd.search.score` and `weigh` that it changes, and the weight of the tree."""

    name: str
    constants: Mapping[str, Any] = {}
    tree_weight: float = scoring.TREE_WEIGHT


def _shares(**changed: float) -> Mapping[str, Any]:
    return {"_TREE_SHARES": {**scoring._TREE_SHARES, **changed}}


AS_CHOSEN = Variation("as chosen")
PARTS = (
    Variation("without the heading over each sentence", {"HEADING_COUNT": 0}),
    Variation("without the best sentence", {"SENTENCE_SHARE": 0.0}),
    Variation("without bigrams", {"BIGRAM_SHARE": 0.0}),
    Variation("without the order of words", {"ORDER_SHARE": 0.0}),
    Variation("without less weight for words that ask", {"ASKING_WEIGHT": 1.0}),
    Variation("without less weight for what is unknown", {"UNKNOWN_WEIGHT": 1.0}),
    Variation("without the words of the page", _shares(node=0.0)),
    Variation("without the heading path", _shares(heading=0.0)),
    Variation("without the memories beside", _shares(beside=0.0)),
    Variation("without whom it is about", _shares(entity=0.0)),
    Variation("without the tree", {}, 0.0),
    Variation("without caution about denials", {"_CAUTION": 0.0}),
)
CONSTANTS = (
    *(Variation(f"B {value}", {"B": value}) for value in (0.3, 0.75)),
    *(Variation(f"K1 {value}", {"K1": value}) for value in (0.8, 1.6)),
    *(Variation(f"HEADING_COUNT {value}", {"HEADING_COUNT": value}) for value in (0.5, 2)),
    *(Variation(f"SENTENCE_SHARE {value}", {"SENTENCE_SHARE": value}) for value in (0.25, 0.75)),
    *(Variation(f"BIGRAM_SHARE {value}", {"BIGRAM_SHARE": value}) for value in (0.2, 0.6)),
    *(Variation(f"ORDER_SHARE {value}", {"ORDER_SHARE": value}) for value in (0.07, 0.25)),
    *(Variation(f"ASKING_WEIGHT {value}", {"ASKING_WEIGHT": value}) for value in (0.25, 0.75)),
    *(Variation(f"node {value}", _shares(node=value)) for value in (0.05, 0.2)),
    *(Variation(f"heading {value}", _shares(heading=value)) for value in (0.2, 0.6)),
    *(Variation(f"beside {value}", _shares(beside=value)) for value in (0.05, 0.2)),
    *(Variation(f"entity {value}", _shares(entity=value)) for value in (0.05, 0.3)),
    *(Variation(f"tree weight {value}", {}, value) for value in (0.2, 0.6)),
)


@contextmanager
def varied(variation: Variation) -> Iterator[None]:
    """The constants of a variation for a while."""
    before = {
        name: getattr(module, name) for module in _MODULES for name in variation.constants if hasattr(module, name)
    }
    try:
        _set(variation.constants)
        yield
    finally:
        _set(before)


def _set(constants: Mapping[str, Any]) -> None:
    for module in _MODULES:
        for name, value in constants.items():
            if hasattr(module, name):
                setattr(module, name, value)


class Bench:
    """One set as a bank, its queries read once."""

    def __init__(self, name: str, opened: OpenTrial, most: int) -> None:
        self.name, self._opened = name, opened
        choosing, self.reporting = halves_of(opened.trial)
        self.choosing = Random(SEED).sample(list(choosing), min(most, len(choosing)))
        self._index = RememberingIndex(opened.search.index)
        self._reader = RememberingReader(opened.search.indexes.analyser)

    def ranks(self, queries: Sequence[Query], variation: Variation) -> list[float]:
        """The reciprocal rank of each query among the first ten."""
        with varied(variation):
            return [self._rank(query, RankingOptions(variation.tree_weight)) for query in queries]

    def _rank(self, query: Query, options: RankingOptions) -> float:
        filters = Filters(nodes=tuple(self._opened.inside(query).get("nodes", ())))
        weights = read_query(Question(query["text"]), self._index, self._reader)
        ranked = rank_candidates(
            find_candidates(weights, filters, self._index, _TODAY, options), weights, self._index, _TODAY, options
        )
        places = self._opened.bank.documents
        documents = [places[one.path, one.row.line] for one in ranked[:10] if one.parts["score"] > 0]
        return quality_of(documents, self._opened.trial.relevant[str(query["id"])]).mrr_10


def print_choosing(benches: Sequence[Bench], variations: Sequence[Variation]) -> None:
    """MRR@10 of every variation on the questions for choosing."""
    with_choice = [bench for bench in benches if bench.choosing]
    print("\n## On the questions for choosing\n\nMRR@10.\n")
    print_head([f"{bench.name} ({len(bench.choosing)})" for bench in with_choice])
    for variation in (AS_CHOSEN, *variations):
        ranks = [bench.ranks(bench.choosing, variation) for bench in with_choice]
        print_cells(variation.name, [f"{sum(own) / len(own):.3f}" for own in ranks])


def print_reporting(benches: Sequence[Bench], variations: Sequence[Variation]) -> None:
    """What each part brings on the questions for reporting, with its interval."""
    print("\n## On the questions for reporting\n\nMRR@10, and what is lost without a part (95 % interval).\n")
    print_head([f"{bench.name} ({len(bench.reporting)})" for bench in benches])
    whole = [bench.ranks(bench.reporting, AS_CHOSEN) for bench in benches]
    print_cells(AS_CHOSEN.name, [f"{sum(own) / len(own):.3f}" for own in whole])
    for variation in variations:
        less = [bench.ranks(bench.reporting, variation) for bench in benches]
        print_cells(variation.name, [lost_text(own, other) for own, other in zip(whole, less, strict=True)])


def lost_text(whole: Sequence[float], less: Sequence[float]) -> str:
    differences = [other - own for own, other in zip(whole, less, strict=True)]
    low, high = bootstrap_interval(differences)
    return f"{sum(differences) / len(differences):+.3f} [{low:+.3f}, {high:+.3f}]"


def print_head(names: Sequence[str]) -> None:
    print_cells("", names)
    print_cells("---", ["---"] * len(names))


def print_cells(name: str, cells: Sequence[str]) -> None:
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="How the weights of search were chosen.")
    parser.add_argument("--queries", type=int, default=400, help="at most so many of each set for choosing")
    parser.add_argument("--only", default="", help="only variations with this in their name, on both halves")
    parser.add_argument("sets", nargs="*", default=SETS)
    options = parser.parse_args(arguments)
    variations = [one for one in (*PARTS, *CONSTANTS) if options.only in one.name]
    print("# How the weights of search were chosen\n")
    print("Made by `python -m bench.choosing`, which says how; the weights are in `daemon/bankd/search/score.py`.")
    with ExitStack() as stack:
        trials = {name: stack.enter_context(open_trial(read_set(data_folder() / name))) for name in options.sets}
        benches = [Bench(name, opened, options.queries) for name, opened in trials.items()]
        print_choosing(benches, variations)
        print_reporting(benches, variations if options.only else PARTS)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""How the floor was chosen: each constant varied, and what that loses and stops.

    python -m bench.floor_choosing [--queries 400] > bench/floors.md

Everyday sentences are asked besides the questions of the sets: of parakqc, kor-question-pair and klue-sts, where two say
the same and one is a memory. A half of LoCoMo is asked what only the other half could answer. A query is ranked once;
`bankd.search.floor` itself decides what is an answer.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple
from unittest.mock import patch

from bankd.search import floor
from bankd.search.find import Ranked, RankingOptions, find_candidates, rank_candidates
from bankd.search.floor import above_floor
from bankd.search.read import read_query
from bankd.search.request import Filters
from bankd.search.request import Query as Question
from bankd.search.score import Corpus
from bankd.search.weigh import Weights
from bench.choosing import print_cells, print_head
from bench.quality import data_folder
from bench.trial import GROUP, NOW, SEED, OpenTrial, Query, TrialSet, halves_of, open_trial, read_set

SETS = ("korquad1-a", "naia-contract-ko")
CHOOSING, REPORTING = ("parakqc-a", "kor-question-pair-a"), ("klue-sts-a",)
_MOST_MEMORIES = 700
LOCOMO = ("locomo-turns-1-5", "locomo-facts-1-5", "locomo-sessions-1-5")
VARIED_LATIN: Mapping[str, Sequence[float]] = {
    "LATIN_FLOOR": (0.07, 0.085, 0.12),
    "LONG_TEXT": (20, 60),
    "OF_STRANGERS": (1.0, 1.3, 2.0),
    "KEYWORDS": (0.6, 1.0),
}
VARIED: Mapping[str, Sequence[float]] = {
    "HANGUL_FLOOR": (0.024, 0.026, 0.03, 0.032),
    "SHORT_TEXT": (10, 30, 60),
    "LONG_SENTENCE": (12, 20, 30),
    "EVERYDAY_DISCOUNT": (0.0, 0.4, 0.7),
}


class Asked(NamedTuple):
    """A query as it was ranked; `right` are the places among the first ten that answer it."""

    ranked: Sequence[Ranked]
    weights: Weights
    corpus: Corpus
    right: frozenset[int]


class Case(NamedTuple):
    """Queries asked of a bank: its own, of which none should lose its answer, or foreign ones."""

    bank: str
    queries: str
    asked: Sequence[Asked]

    @property
    def title(self) -> str:
        return "own answers lost" if self.bank == self.queries else f"{self.queries} answered"

    def share(self) -> float:
        """Of its own queries those that lose their answer, of foreign ones those that are answered."""
        kept = [above_floor(one.ranked, one.weights, one.corpus) for one in self.asked]
        if self.bank != self.queries:
            return sum(map(bool, kept)) / len(kept)
        own = [
            (one, {found.row.row for found in rest}) for one, rest in zip(self.asked, kept, strict=True) if one.right
        ]
        return sum(not any(one.ranked[place].row.row in rows for place in one.right) for one, rows in own) / len(own)


def pairs_set(name: str) -> TrialSet:
    """Sentences that say the same as another, which is the memory."""
    lines = (data_folder() / name / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [pair for pair in map(json.loads, lines) if pair["binary"] and pair["a"] != pair["b"]]
    few = Random(SEED).sample(pairs, min(_MOST_MEMORIES, len(pairs)))
    memories = {pair["b"]: str(pair["id"]) for pair in few}
    queries = [{"id": pair["id"], "text": pair["a"]} for pair in few]
    relevant = {str(pair["id"]): {memories[pair["b"]]: 1} for pair in few}
    return TrialSet([{"id": key, "text": text} for text, key in memories.items()], queries, relevant)


def halves_of_locomo(name: str) -> Sequence[TrialSet]:
    """The conversations for choosing, and those for reporting, each with their questions."""
    trial, halves = read_set(data_folder() / name), []
    for queries in halves_of(trial):
        groups = {query[GROUP] for query in queries}
        halves.append(TrialSet([one for one in trial.documents if one[GROUP] in groups], queries, trial.relevant))
    return halves


def cases_of(trials: Mapping[str, TrialSet], banks: Sequence[str], most: int) -> Iterator[Case]:
    """Every set asked of every bank."""
    for name in banks:
        with open_trial(trials[name]) as opened:
            for other, trial in trials.items():
                few = Random(SEED).sample(list(trial.queries), min(most, len(trial.queries)))
                relevant = trial.relevant if other == name else {}
                asked = [_ask(query, relevant.get(str(query["id"]), {}), opened) for query in few]
                yield Case(name, other, asked)


def _ask(query: Query, relevant: Mapping[str, int], opened: OpenTrial) -> Asked:
    """Ask it, its own inside their conversation."""
    index, today, options = opened.search.index, NOW.date(), RankingOptions()
    weights = read_query(Question(query["text"]), index, opened.search.indexes.analyser)
    filters = Filters(nodes=tuple(opened.inside(query)["nodes"])) if relevant and query.get(GROUP) else Filters()
    ranked = rank_candidates(find_candidates(weights, filters, index, today, options), weights, index, today, options)
    found = [opened.bank.documents[one.path, one.row.line] for one in ranked[:10]]
    right = frozenset(place for place, document in enumerate(found) if relevant.get(document, 0) > 0)
    return Asked(ranked, weights, index.corpus, right)


def print_tables(cases: Sequence[Case], variations: Mapping[str, Sequence[float]]) -> None:
    """A table for each bank."""
    for bank in dict.fromkeys(case.bank for case in cases):
        print(f"\n### Asked of {bank}\n")
        print_table([case for case in cases if case.bank == bank], variations)


def print_table(cases: Sequence[Case], variations: Mapping[str, Sequence[float]]) -> None:
    print_head([case.title for case in cases])
    print_cells("as chosen", [f"{case.share():.3f}" for case in cases])
    for name, values in variations.items():
        for value in values:
            with patch.object(floor, name, value):
                print_cells(f"{name} {value}", [f"{case.share():.3f}" for case in cases])


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="How the floor was chosen.")
    parser.add_argument("--queries", type=int, default=400, help="at most so many of each set")
    most = parser.parse_args(arguments).queries
    whole = {name: read_set(data_folder() / name) for name in SETS}
    choosing, reporting = halves_of(whole[SETS[0]])
    print("# How the floor was chosen\n\nMade by `python -m bench.floor_choosing`, which says how.\n")
    print(
        "Shares: of a bank's own queries those that lose their answer to the floor, of others those that are answered."
    )
    for title, queries, names in (("choosing", choosing, CHOOSING), ("reporting", reporting, REPORTING)):
        sets = {SETS[0]: whole[SETS[0]]._replace(queries=queries), SETS[1]: whole[SETS[1]]}
        trials = {**sets, **{name: pairs_set(name) for name in names}}
        print(f"\n## On the sentences for {title}")
        variations = VARIED if title == "choosing" else {"EVERYDAY_DISCOUNT": (0.0,)}
        print_tables(list(cases_of(trials, list(trials), most)), variations)
        for name in LOCOMO:
            halves = dict(zip(("choosing", "reporting"), halves_of_locomo(name), strict=True))
            english = {name: halves.pop(title), "the other half": halves.popitem()[1]}
            variations = VARIED_LATIN if title == "choosing" else {"OF_STRANGERS": (1.0,)}
            print_tables(list(cases_of(english, [name], most)), variations)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

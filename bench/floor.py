"""How well "nothing relevant" is told: questions of one set asked of the bank of another, and true answers lost.

    python -m bench.floor [--queries 200]

Sets with the same texts (the three of LoCoMo) are not asked each other's questions; but each half of a set is asked what
only the other half could answer, about other people or pages in the same words. `bench/floor_choosing.py` shows
what other values would give, and `bench/floors.md` has its tables.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from bench.quality import SETS, data_folder
from bench.trial import GROUP, NOW, SEED, OpenTrial, TrialSet, halves_of, open_trial, read_set

ALLOWED_FALSE, ALLOWED_LOST = 0.10, 0.02


def answers(opened: OpenTrial, query: Mapping[str, Any]) -> bool:
    """Whether the whole bank has an answer to a query."""
    return bool(opened.search.answer({"query": query["text"]}, NOW, pending=0)["hits"])


def lost_shares(opened: OpenTrial) -> tuple[float, float]:
    """Of the questions whose answer stands among the first ten: how many lose it to the floor, how many altogether.

    What is shown as nearest, where nothing is an answer, is lost to the floor and not altogether.
    """
    found, lost, gone = 0, 0, 0
    for query in opened.trial.queries:
        relevant = opened.trial.relevant[str(query["id"])]

        def is_in(hits: Sequence[Mapping[str, Any]], relevant: Mapping[str, int] = relevant) -> bool:
            return any(relevant.get(opened.bank.document_of(hit), 0) > 0 for hit in hits)

        request = {"query": query["text"], **opened.inside(query)}
        if is_in(opened.search.answer({**request, "everything": True}, NOW, pending=0)["hits"]):
            answer = opened.search.answer(request, NOW, pending=0)
            found += 1
            lost += not is_in(answer["hits"])
            gone += not is_in([*answer["hits"], *answer["nearest"]])
    return lost / found, gone / found


def halves_apart(trial: TrialSet) -> Iterator[TrialSet]:
    """The documents of each half of a set, with the questions that the other half answers."""
    parts = {str(document["id"]): document.get(GROUP) or document.get("title") for document in trial.documents}
    for queries in filter(None, halves_of(trial)):
        answering = {parts[key] for query in queries for key in trial.relevant[str(query["id"])]}
        rest = [document for document in trial.documents if parts[str(document["id"])] not in answering]
        yield TrialSet(rest, queries, trial.relevant)


def print_halves(name: str, trial: TrialSet, most: int) -> None:
    for half in halves_apart(trial):
        if half.documents:
            few = Random(SEED).sample(list(half.queries), min(most, len(half.queries)))
            with open_trial(half) as opened:
                share = sum(answers(opened, query) for query in few) / len(few)
            print(f"{name}: half of it answers {share:.3f} of {len(few)} questions that the other half answers")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description='How well "nothing relevant" is told.')
    parser.add_argument("--queries", type=int, default=200, help="at most so many of each set")
    options = parser.parse_args(arguments)
    trials = {name: read_set(data_folder() / name) for name in SETS}
    for name, trial in trials.items():
        few = Random(SEED).sample(list(trial.queries), min(options.queries, len(trial.queries)))
        trials[name] = trial._replace(queries=few)
    asked, answered = 0, 0
    for name, trial in trials.items():
        with open_trial(trial) as opened:
            lost, gone = lost_shares(opened)
            print(f"{name}: {lost:.3f} of its true answers lost (allowed {ALLOWED_LOST}), {gone:.3f} not even nearest")
            for other, foreign in trials.items():
                if other.split("-")[0] != name.split("-")[0]:
                    hits = sum(answers(opened, query) for query in foreign.queries)
                    asked, answered = asked + len(foreign.queries), answered + hits
                    print(f"  answers {hits / len(foreign.queries):.3f} of {len(foreign.queries)} questions of {other}")
    print(f"together: {answered / asked:.3f} of {asked} foreign questions answered (allowed {ALLOWED_FALSE})")
    for name in trials:
        print_halves(name, read_set(data_folder() / name), options.queries)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

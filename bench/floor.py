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
from contextlib import contextmanager
from random import Random
from typing import Any

from bankd.app.evaluate import NOW, SETTINGS, TrialSet, read_set, trial_workspace
from bankd.search.bank_search import BankSearch
from bankd.search.evaluation import TrialBank, group_folder
from bankd.system.clock import read_monotonic
from bankd.wiring.search import make_search
from bankd.workers.kiwi import KiwiWorker
from bench.halves import halves_of
from bench.quality import GROUP, SEED, SETS, data_folder

ALLOWED_FALSE, ALLOWED_LOST = 0.10, 0.02


def ask(search: BankSearch, query: Mapping[str, Any], *, everything: bool, inside: bool) -> list[Mapping[str, Any]]:
    """The hits of a query, inside its own group or in the whole bank."""
    hits: list[Mapping[str, Any]] = _answer(search, query, everything=everything, inside=inside)["hits"]
    return hits


def _answer(search: BankSearch, query: Mapping[str, Any], *, everything: bool, inside: bool) -> Mapping[str, Any]:
    request: dict[str, Any] = {"query": query["text"], "everything": everything}
    if inside and query.get(GROUP):
        request["nodes"] = [group_folder(query[GROUP])]
    return search.answer(request, NOW, pending=0)


def lost_shares(trial: TrialSet, search: BankSearch, bank: TrialBank) -> tuple[float, float]:
    """Of the questions whose answer stands among the first ten: how many lose it to the floor, how many altogether.

    What is shown as nearest, where nothing is an answer, is lost to the floor and not altogether.
    """
    found, lost, gone = 0, 0, 0
    for query in trial.queries:
        relevant = trial.relevant[str(query["id"])]

        def is_found(hits: Sequence[Mapping[str, Any]], relevant: Mapping[str, int] = relevant) -> bool:
            places = ((hit["path"].removeprefix("bank/"), hit["line"]) for hit in hits)
            return any(relevant.get(bank.documents[place], 0) > 0 for place in places)

        if is_found(ask(search, query, everything=True, inside=True)):
            answer = _answer(search, query, everything=False, inside=True)
            found += 1
            lost += not is_found(answer["hits"])
            gone += not is_found([*answer["hits"], *answer["nearest"]])
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
            with opened(half) as (search, _):
                few = Random(SEED).sample(list(half.queries), min(most, len(half.queries)))
                hits = sum(bool(ask(search, query, everything=False, inside=False)) for query in few)
            print(
                f"{name}: half of it answers {hits / len(few):.3f} of {len(few)} questions that the other half answers"
            )


@contextmanager
def opened(trial: TrialSet) -> Iterator[tuple[BankSearch, TrialBank]]:
    """A set as a bank, indexed, and searched with Kiwi."""
    with trial_workspace(trial.documents, GROUP) as (root, bank):
        search = make_search(root, SETTINGS, KiwiWorker(read_monotonic))
        search.refresh(NOW, None)
        yield search, bank
        search.close()


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
        with opened(trial) as (search, bank):
            lost, gone = lost_shares(trial, search, bank)
            print(f"{name}: {lost:.3f} of its true answers lost (allowed {ALLOWED_LOST}), {gone:.3f} not even nearest")
            for other, foreign in trials.items():
                if other != name and other.split("-")[0] != name.split("-")[0]:
                    hits = sum(bool(ask(search, query, everything=False, inside=False)) for query in foreign.queries)
                    asked, answered = asked + len(foreign.queries), answered + hits
                    print(f"  answers {hits / len(foreign.queries):.3f} of {len(foreign.queries)} questions of {other}")
    print(f"together: {answered / asked:.3f} of {asked} foreign questions answered (allowed {ALLOWED_FALSE})")
    for name in trials:
        print_halves(name, read_set(data_folder() / name), options.queries)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

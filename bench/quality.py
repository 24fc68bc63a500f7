"""Search judged on every set, beside the words baseline, and as people really type.

    python -m bench.quality [--queries 300] [--perturb] [--json] [SET …]

A difference stands with its 95 % interval, from a paired bootstrap over the queries.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from bench.baseline import WordSearch
from bench.perturbing import ALLOWED, PERTURBATIONS
from bench.trial import (
    GROUP,
    NOW,
    SEED,
    Evaluation,
    OpenTrial,
    TrialBank,
    TrialSet,
    bootstrap_interval,
    quality_of,
    read_set,
    search_of,
    trial_workspace,
)

SETS = ("korquad1-a", "locomo-turns-1-5", "locomo-facts-1-5", "locomo-sessions-1-5", "naia-contract-ko")
PROMISED = {
    "korquad1-a": 0.965,
    "locomo-turns-1-5": 0.52,
    "locomo-facts-1-5": 0.634,
    "locomo-sessions-1-5": 0.681,
    "naia-contract-ko": 0.88,
}


def data_folder() -> Path:
    """The folder of the sets; SystemExit when it is not there."""
    data = Path(os.environ.get("BANKD_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "data"
    if not data.is_dir():
        raise SystemExit(f"needs the real data in {data}; BANKD_SHARED names another place")
    return data


class Judge:
    """One set as a bank."""

    def __init__(self, trial: TrialSet, root: Path, bank: TrialBank) -> None:
        self.trial, self.bank = trial, bank
        self.search = search_of(root)
        self.search.refresh(NOW, None)

    def ask(self, texts: Mapping[str, str] | None = None) -> Evaluation:
        """Ask all queries, or other texts in their place."""
        queries = [dict(query, text=texts[str(query["id"])]) if texts else query for query in self.trial.queries]
        return OpenTrial(self.trial._replace(queries=queries), self.search, self.bank).judge()

    def close(self) -> None:
        self.search.close()


def judge_set(folder: Path, *, limit: int, perturb: bool) -> dict[str, Any]:
    """All figures of one set."""
    trial = read_set(folder, limit)
    with trial_workspace(trial.documents) as (root, bank):
        judge = Judge(trial, root, bank)
        found = judge.ask()
        row = _figures(trial, found)
        if perturb:
            row["perturbed"] = {name: _perturbed(judge, name, found) for name in PERTURBATIONS}
        judge.close()
    return row


def _figures(trial: TrialSet, found: Evaluation) -> dict[str, Any]:
    words = WordSearch(trial.documents)
    base = [quality_of(words.rank(query, GROUP), trial.relevant[str(query["id"])]).mrr_10 for query in trial.queries]
    gains = [one.quality.mrr_10 - other for one, other in zip(found.judged, base, strict=True)]
    return {
        "queries": len(trial.queries),
        **{name: round(value, 4) for name, value in found.quality._asdict().items()},
        "words_mrr_10": round(sum(base) / len(base), 4),
        "gain_over_words": [round(sum(gains) / len(gains), 4), *_rounded(bootstrap_interval(gains))],
        "mrr_10_of_answers": round(found.mrr_10_of_answers, 4),
        "unanswered": found.unanswered,
        "forbidden_above": sum(one.forbidden_above for one in found.judged),
        "milliseconds": round(found.milliseconds, 2),
    }


def _perturbed(judge: Judge, name: str, found: Evaluation) -> dict[str, float]:
    random = Random(SEED)
    texts = {str(query["id"]): PERTURBATIONS[name](str(query["text"]), random) for query in judge.trial.queries}
    changed = judge.ask(texts).quality.mrr_10
    return {
        "mrr_10": round(changed, 4),
        "cost": round(found.quality.mrr_10 - changed, 4),
        "allowed": ALLOWED.get(name, 0.05),
    }


def _rounded(interval: tuple[float, float]) -> list[float]:
    return [round(end, 4) for end in interval]


def print_row(name: str, row: Mapping[str, Any]) -> None:
    """One set for people."""
    gain, low, high = row["gain_over_words"]
    print(f"{name}: {row['queries']} queries, {row['milliseconds']} ms a query")
    print(f"  MRR@10 {row['mrr_10']:.3f} (promised {PROMISED.get(name, 0):.3f})  R@1 {row['recall_1']:.3f}", end="  ")
    print(f"R@5 {row['recall_5']:.3f}  R@10 {row['recall_10']:.3f}  nDCG@10 {row['ndcg_10']:.3f}")
    print(f"  words {row['words_mrr_10']:.3f}: gain {gain:+.3f} [{low:+.3f}, {high:+.3f}]")
    print(f"  of answers alone, without what is nearest to an unanswered one, MRR@10 {row['mrr_10_of_answers']:.3f}")
    print(f"  unanswered {row['unanswered']}, forbidden above its fact {row['forbidden_above']}")
    for kind, cost in row.get("perturbed", {}).items():
        print(f"  {kind:<16} costs {cost['cost']:+.3f} (allowed {cost['allowed']})")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Search judged on every set.")
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--queries", type=int, default=0, help="at most so many of each set (default: all)")
    parser.add_argument("--perturb", action="store_true", help="also as people really type")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    for name in options.sets:
        row = judge_set(data_folder() / name, limit=options.queries, perturb=options.perturb)
        if options.json:
            print(json.dumps({"set": name, **row}))
        else:
            print_row(name, row)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

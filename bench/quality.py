"""Search judged on every set: with Kiwi and without, beside the words baseline, and as people really type.

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

from bankd.search.bank_search import BankSearch
from bankd.wiring.search import make_search
from bench.baseline import WordSearch
from bench.perturbing import ALLOWED, PERTURBATIONS
from bench.trial import (
    GROUP,
    NOW,
    SEED,
    SETTINGS,
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
    """One set as a bank, searched with Kiwi and with the lexicon only."""

    def __init__(self, trial: TrialSet, root: Path, bank: TrialBank) -> None:
        self.trial, self.bank = trial, bank
        self.full = search_of(root)
        self.full.refresh(NOW, None)
        self.full.indexes.analyser.patience = "if warm"
        self.lean = make_search(root, SETTINGS)

    def ask(self, search: BankSearch, texts: Mapping[str, str] | None = None) -> Evaluation:
        """Ask all queries, or other texts in their place."""
        queries = [dict(query, text=texts[str(query["id"])]) if texts else query for query in self.trial.queries]
        return OpenTrial(self.trial._replace(queries=queries), search, self.bank).judge()

    def close(self) -> None:
        self.full.close()
        self.lean.close()


def judge_set(folder: Path, *, limit: int, perturb: bool) -> dict[str, Any]:
    """All figures of one set."""
    trial = read_set(folder, limit)
    with trial_workspace(trial.documents) as (root, bank):
        judge = Judge(trial, root, bank)
        full, lean = judge.ask(judge.full), judge.ask(judge.lean)
        row = _figures(trial, full, lean)
        if perturb:
            row["perturbed"] = {name: _perturbed(judge, name, full, lean) for name in PERTURBATIONS}
        judge.close()
    return row


def _figures(trial: TrialSet, full: Evaluation, lean: Evaluation) -> dict[str, Any]:
    words = WordSearch(trial.documents)
    base = [quality_of(words.rank(query, GROUP), trial.relevant[str(query["id"])]).mrr_10 for query in trial.queries]
    gains = [one.quality.mrr_10 - other for one, other in zip(full.judged, base, strict=True)]
    losses = [one.quality.mrr_10 - other.quality.mrr_10 for one, other in zip(lean.judged, full.judged, strict=True)]
    return {
        "queries": len(trial.queries),
        **{name: round(value, 4) for name, value in full.quality._asdict().items()},
        "words_mrr_10": round(sum(base) / len(base), 4),
        "gain_over_words": [round(sum(gains) / len(gains), 4), *_rounded(bootstrap_interval(gains))],
        "without_worker": [round(lean.quality.mrr_10, 4), *_rounded(bootstrap_interval(losses))],
        "mrr_10_of_answers": round(full.mrr_10_of_answers, 4),
        "unanswered": full.unanswered,
        "forbidden_above": [sum(one.forbidden_above for one in which.judged) for which in (full, lean)],
        "milliseconds": round(full.milliseconds, 2),
    }


def _perturbed(judge: Judge, name: str, full: Evaluation, lean: Evaluation) -> dict[str, float]:
    random = Random(SEED)
    texts = {str(query["id"]): PERTURBATIONS[name](str(query["text"]), random) for query in judge.trial.queries}
    changed = [judge.ask(search, texts).quality.mrr_10 for search in (judge.full, judge.lean)]
    return {
        "mrr_10": round(changed[0], 4),
        "cost": round(full.quality.mrr_10 - changed[0], 4),
        "cost_without_worker": round(lean.quality.mrr_10 - changed[1], 4),
        "allowed": ALLOWED.get(name, 0.05),
    }


def _rounded(interval: tuple[float, float]) -> list[float]:
    return [round(end, 4) for end in interval]


def print_row(name: str, row: Mapping[str, Any]) -> None:
    """One set for people."""
    gain, low, high = row["gain_over_words"]
    lean, lean_low, lean_high = row["without_worker"]
    print(f"{name}: {row['queries']} queries, {row['milliseconds']} ms a query")
    print(f"  MRR@10 {row['mrr_10']:.3f} (promised {PROMISED.get(name, 0):.3f})  R@1 {row['recall_1']:.3f}", end="  ")
    print(f"R@5 {row['recall_5']:.3f}  R@10 {row['recall_10']:.3f}  nDCG@10 {row['ndcg_10']:.3f}")
    print(f"  words {row['words_mrr_10']:.3f}: gain {gain:+.3f} [{low:+.3f}, {high:+.3f}]")
    print(f"  without Kiwi {lean:.3f}: difference [{lean_low:+.4f}, {lean_high:+.4f}]")
    print(f"  of answers alone, without what is nearest to an unanswered one, MRR@10 {row['mrr_10_of_answers']:.3f}")
    print(f"  unanswered {row['unanswered']}, forbidden above its fact {row['forbidden_above']} (with, without Kiwi)")
    for kind, cost in row.get("perturbed", {}).items():
        lost = f"{cost['cost']:+.3f}, without Kiwi {cost['cost_without_worker']:+.3f}"
        print(f"  {kind:<16} costs {lost} (allowed {cost['allowed']})")


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

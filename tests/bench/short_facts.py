"""Short Korean facts asked for in other words: what each part of a score brings there, beside plain BM25 of the same terms.

    python -m tests.bench.short_facts

Each fact of naia is asked for by the questions that a large model wrote for it from its text alone (`data/enriched`). The
facts of even number are for choosing, the odd ones are reported. Nothing is held back by the floor, but in the row that says so.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from bankd.app.evaluate import TrialSet, read_set, trial_workspace
from tests.bench.choosing import AS_CHOSEN, PARTS, CONSTANTS, Bench, Variation
from tests.bench.quality import GROUP, data_folder

PLAIN = Variation("BM25 of the same terms", {
    "BIGRAM_SHARE": 0.0, "ORDER_SHARE": 0.0, "SENTENCE_SHARE": 0.0, "HEADING_COUNT": 0, "ASKING_WEIGHT": 1.0,
    "UNKNOWN_WEIGHT": 1.0, "_CAUTION": 0.0, "B": 0.75}, 0.0)


def read_short_facts() -> TrialSet:
    trial = read_set(data_folder() / "naia-contract-ko")
    rows = [json.loads(line) for line in (data_folder() / "enriched" / "naia-contract-ko.jsonl").read_text(encoding="utf-8").splitlines()]
    queries = [{"id": f"{row['id']}-{at}", "text": text} for row in rows for at, text in enumerate(row["queries"])]
    return TrialSet(trial.documents, queries, {q["id"]: {q["id"].rsplit("-", 1)[0]: 1} for q in queries})


def half(trial, odd):
    import re
    return [q for q in trial.queries if int(re.search(r"\d+", q["id"])[0]) % 2 == odd]


if __name__ == "__main__":
    trial = read_short_facts()
    with trial_workspace(trial.documents, GROUP) as (root, bank):
        bench = Bench("short", trial, root, bank, 10**9)
        for v in (AS_CHOSEN, PLAIN, *PARTS, *CONSTANTS):
            print(f"{v.name:<46}", *(f"{sum(r)/len(r):.4f}" for r in (bench.ranks(half(trial, odd), v) for odd in (0, 1))), flush=True)
        bench.close()

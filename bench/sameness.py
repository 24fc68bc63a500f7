"""What the guard makes of pairs of remembered lines: the same, an update, or different, in each half of two sets.

    python -m bench.sameness

The word lists of `core.dedup.gist`, `core.dedup.telling` and `core.language.thesaurus` were chosen on the pairs of even
number; what these find `--without-words`, with no table of synonyms, is what hangs on no word that they have. `--choosing`
leaves the others unseen. `sameness/own_pairs.jsonl` is forty rewordings, twenty updates and twenty look-alikes of short facts,
written before their author had read a rule. `look_alikes.jsonl` (600, of which 180 are updates) and `written_twice.jsonl`
(160 rewordings, 160 updates) are by people who know no rule; what was called the same or an update wrongly was mended in
both halves of these, so that only what is found of their reporting halves is held back. `newer_values.jsonl` (200 updates
and 200 look-alikes of them) and `said_again.jsonl` (80 each of rewordings, updates and look-alikes), by other such people,
have reporting halves that nobody looked at. `natural.jsonl` (160 each) is by two who wrote a fact down a second time as one
does, in full once and in notes once: its reporting half was read by nobody, and it is where the guard finds least. The sets
that people labelled
are measured by `bench.calibrate`.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bankd.core.dedup.duplicates import find_match
from bankd.core.language import paraphrases, thesaurus
from bankd.core.language.statement import Statement
from bench.calibrate import read_statements
from bench.intervals import wilson
from bench.quality import data_folder

_OWN = Path(__file__).with_suffix("")

Pair = Mapping[str, Any]


def judge_half(pairs: Sequence[Pair], statements: Mapping[str, Statement]) -> str:
    """Precision and recall of `same` and `update`, and how many different pairs are called the same."""
    calls = Counter((str(pair["label"]), _call(statements[pair["old"]], statements[pair["new"]])) for pair in pairs)
    eaten = calls["different", "same"] + calls["update", "same"]
    return "  ".join([_figures(calls, "same"), _figures(calls, "update"), f"eaten {eaten}"])


def _call(old: Statement, new: Statement) -> str:
    """What a run makes of two lines: one that is not worth comparing is not compared."""
    found = find_match([("old", old)], new)
    return str(found.verdict.outcome) if found else "different"


def _figures(calls: Mapping[tuple[str, str], int], label: str) -> str:
    right = calls.get((label, label), 0)
    called = sum(number for (_, call), number in calls.items() if call == label)
    there = sum(number for (own, _), number in calls.items() if own == label)
    return f"{label}: precision {_share(right, called)}, recall {_share(right, there)}"


def _share(found: int, of: int) -> str:
    low, high = wilson(found, of)
    return f"{found / max(of, 1):.2f} ({found} of {of}) [{low:.2f}, {high:.2f}]"


def main() -> None:
    parser = ArgumentParser(description="Measure the guard on data/pairs.")
    parser.add_argument("--choosing", action="store_true", help="the choosing half alone")
    parser.add_argument("--without-words", action="store_true", help="without the tables of words that say the same")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        for module in (thesaurus, paraphrases) if arguments.without_words else ():
            stack.enter_context(patch.object(module, "_by_word", dict))
        _measure(("choosing",) if arguments.choosing else ("choosing", "reporting"))


def _measure(halves: Sequence[str]) -> None:
    ours = [
        (file.stem.replace("_", " "), file) for file in (_OWN / "own_pairs.jsonl", *sorted(_OWN.glob("[!o]*.jsonl")))
    ]
    for name, file in (("pairs", data_folder() / "pairs" / "pairs.jsonl"), *ours):
        pairs = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        statements = read_statements({text for pair in pairs for text in (pair["old"], pair["new"])}, None)
        for half in halves:
            rest = int(half == "reporting")
            judged = [pair for pair in pairs if int(pair["id"][-3:]) % 2 == rest]
            print(f"{name:<13} {half:<10} {judge_half(judged, statements)}")


if __name__ == "__main__":
    main()

"""What the questions below Retain lines are worth: each set without them and with them, as a large model wrote them.

    python -m tests.bench.questions [--json]

The questions go through the grammar of logs. A difference stands with its 95 % interval, from a paired bootstrap.
Conversation 26 is for choosing; 30 and the contract are reported on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bankd.adapters.workspace.catalog_database import CatalogDatabase
from bankd.app.evaluate import Evaluation, TrialSet, read_set, trial_workspace
from bankd.core.lifecycle.adding import retain_line
from bankd.core.lifecycle.retain import read_log
from bankd.core.ranking.comparing import compare_figures
from bankd.core.ranking.eval_bank import id_of
from tests.bench.quality import GROUP, Judge, data_folder

_ENRICHED = {
    "locomo-facts-1-5": ("locomo-facts-26-30", ("conv-26", "conv-30")),
    "naia-contract-ko": ("naia-contract-ko", ("",)),
}


def read_enriched(file: Path) -> Mapping[str, list[str]]:
    """By document the questions that it answers, in its own language and in the other."""
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {row["id"]: [*row["queries"], *row["other"]] for row in rows}


def through_grammar(text: str, questions: list[str]) -> list[str]:
    """The questions as a log gives them back whose line has them below it."""
    reading = read_log(
        "2026-01-01.md", f"## Retain\n{retain_line(' '.join(text.split()), 'W', None, questions)}\n", anywhere=False
    )
    return [question for line in reading.lines for question in line.questions]


def judge_both(trial: TrialSet, asked: Mapping[str, list[str]]) -> Iterator[Evaluation]:
    """A set judged without questions, and with them."""
    documents = [
        {**document, "questions": through_grammar(document["text"], asked[document["id"]])}
        for document in trial.documents
        if document["id"] in asked
    ]
    for is_with in (False, True):
        with trial_workspace(documents, GROUP) as (root, bank):
            if is_with:
                note_questions(root, documents)
            judge = Judge(trial, root, bank)
            yield judge.ask(judge.full)
            judge.close()


def note_questions(root: Path, documents: list[dict[str, Any]]) -> None:
    """Note the questions as a run does that has read the logs."""
    catalog = CatalogDatabase(root / ".bankd" / "catalogue.sqlite3")
    by_memory = {id_of(document): document["questions"] for document in documents}
    catalog.change(lambda: catalog.record_questions("undated.md", by_memory))
    catalog.close()


def judge(name: str) -> Iterator[dict[str, Any]]:
    """The figures of one set, each conversation by itself."""
    file, conversations = _ENRICHED[name]
    trial = read_set(data_folder() / name)
    asked = read_enriched(data_folder() / "enriched" / f"{file}.jsonl")
    trial = trial._replace(queries=[query for query in trial.queries if str(query.get(GROUP) or "") in conversations])
    without, with_questions = judge_both(trial, asked)
    for part in (conversations, *((one,) for one in conversations if len(conversations) > 1)):
        ids = {str(query["id"]) for query in trial.queries if str(query.get(GROUP) or "") in part}
        yield {"set": " ".join([name, *part]).strip(), **_figures(without, with_questions, ids)}


def _figures(without: Evaluation, with_questions: Evaluation, ids: set[str]) -> dict[str, Any]:
    before, now = (
        {one.query: one.quality for one in which.judged if one.query in ids} for which in (without, with_questions)
    )
    compared = compare_figures(now, before)
    return {
        "queries": len(ids),
        **{name: _row(compared[name], now, before, name) for name in ("mrr_10", "recall_10")},
        "forbidden_above": [sum(one.forbidden_above for one in which.judged) for which in (without, with_questions)],
        "milliseconds": [round(which.milliseconds, 2) for which in (without, with_questions)],
    }


def _row(change: Any, now: Mapping[str, Any], before: Mapping[str, Any], name: str) -> dict[str, Any]:
    means = [round(sum(getattr(one, name) for one in which.values()) / len(which), 4) for which in (before, now)]
    return {"without": means[0], "with": means[1], "change": change._asdict()}


def main() -> int:
    """Judge both sets and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    for name in _ENRICHED:
        for row in judge(name):
            print(json.dumps(row) if arguments.json else row)
    return 0


if __name__ == "__main__":
    sys.exit(main())

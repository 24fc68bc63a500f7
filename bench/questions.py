"""What a model writes for memories is worth: each set without it, with questions in its own language, and with all of it.

    python -m bench.questions [--json]

A large model wrote it from the memories alone. It goes through `events/enriched/`, as a night keeps it. A difference
stands with its 95 % interval, from a paired bootstrap. Conversation 26 is for choosing; 30 and the contract are reported
on, but its figures were seen while values were tried. In the other language each memory is asked for by one of its two
questions, which is not in the field then; nothing was held back there. Last, how many questions of other sets, which
nothing answers, are answered.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bankd.night.enrich import Enrichment, UnaskedStatement, read_enrichment
from bankd.pages.page import read_page
from bankd.storage.events import EnrichedLog
from bankd.storage.tree import FileTree
from bench.quality import Judge, data_folder
from bench.trial import GROUP, NOW, Evaluation, TrialBank, TrialSet, compare_figures, read_set, trial_workspace

_ENRICHED = {
    "locomo-facts-1-5": ("locomo-facts-26-30", ("conv-26", "conv-30")),
    "naia-contract-ko": ("naia-contract-ko", ("",)),
}
_FOREIGN = ("korquad1-a", "locomo-facts-1-5", "naia-contract-ko")
_ASKED_OF_EACH = 200
_WAYS: Mapping[str, Callable[[Enrichment], Enrichment]] = {
    "without": lambda _: Enrichment(),
    "own": lambda one: Enrichment(one.questions),
    "all": lambda one: one,
    "all but one": lambda one: one._replace(other=one.other[:1]),
}


def read_enriched(name: str) -> Mapping[str, Enrichment]:
    """By document what was written for it."""
    rows = map(json.loads, (data_folder() / "enriched" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    return {row["id"]: read_enrichment({**row, "questions": row["queries"]}) for row in rows}


def keep_enrichments(root: Path, bank: TrialBank, enriched: Mapping[str, Enrichment]) -> None:
    """Keep what was written for the memories of a bank, as a night does."""
    kept = EnrichedLog(FileTree(root), "bench")
    for path, text in bank.pages.items():
        for entry in read_page(path, text.encode()).entries:
            enrichment = enriched[bank.documents[path, entry.line]]
            if enrichment.asked:
                kept.keep(UnaskedStatement(entry.memory.text, entry.memory.entities), enrichment, NOW)


def judge_ways(trial: TrialSet, enriched: Mapping[str, Enrichment], ways: Sequence[str]) -> dict[str, Evaluation]:
    """A set judged with what these ways take of what was written."""
    documents = [document for document in trial.documents if document["id"] in enriched]
    judged = {}
    for way in ways:
        with trial_workspace(documents) as (root, bank):
            keep_enrichments(root, bank, {id_: _WAYS[way](one) for id_, one in enriched.items()})
            judge = Judge(trial, root, bank)
            judged[way] = judge.ask(judge.full)
            judge.close()
    return judged


def across(trial: TrialSet, enriched: Mapping[str, Enrichment]) -> TrialSet:
    """The same documents, each asked for by its last question in the other language."""
    groups = {str(document["id"]): document.get(GROUP) for document in trial.documents}
    asked = {id_: one.other[-1] for id_, one in enriched.items() if len(one.other) > 1}
    queries = [{"id": id_, "text": text, GROUP: groups[id_]} for id_, text in asked.items()]
    return trial._replace(queries=queries, relevant={id_: {id_: 1} for id_ in asked})


def answered_wrongly(trial: TrialSet, enriched: Mapping[str, Enrichment], others: Sequence[str]) -> dict[str, Any]:
    """Of questions of other sets, how many are answered without what was written, and with all but one of it."""
    documents = [document for document in trial.documents if document["id"] in enriched]
    asked = {other: read_set(data_folder() / other, _ASKED_OF_EACH).queries for other in others}
    found: dict[str, Any] = {other: {"questions": len(queries)} for other, queries in asked.items()}
    for way in ("without", "all but one"):
        with trial_workspace(documents) as (root, bank):
            keep_enrichments(root, bank, {id_: _WAYS[way](one) for id_, one in enriched.items()})
            judge = Judge(trial, root, bank)
            for other, queries in asked.items():
                requests = [{"query": query["text"], "limit": 1, "see_also": False} for query in queries]
                found[other][way] = sum(bool(judge.full.answer(one, NOW, pending=0)["hits"]) for one in requests)
            judge.close()
    return found


def judge(name: str) -> Iterator[dict[str, Any]]:
    """The figures of one set, each conversation by itself, and of questions in the other language."""
    file, conversations = _ENRICHED[name]
    trial, enriched = read_set(data_folder() / name), read_enriched(file)
    trial = trial._replace(queries=[query for query in trial.queries if str(query.get(GROUP) or "") in conversations])
    judged = judge_ways(trial, enriched, ("without", "own", "all"))
    for part in (conversations, *((one,) for one in conversations if len(conversations) > 1)):
        ids = {str(query["id"]) for query in trial.queries if str(query.get(GROUP) or "") in part}
        yield {"set": " ".join([name, *part]).strip(), **_figures(judged, ids)}
    other = across(trial, enriched)
    found = judge_ways(other, enriched, ("without", "own", "all but one"))
    yield {"set": f"{name} in the other language", **_figures(found, {str(query["id"]) for query in other.queries})}
    yield {"set": f"{name}, answered wrongly", **answered_wrongly(trial, enriched, [o for o in _FOREIGN if o != name])}


def _figures(judged: Mapping[str, Evaluation], ids: set[str]) -> dict[str, Any]:
    figures = {way: {one.query: one.quality for one in of.judged if one.query in ids} for way, of in judged.items()}
    rows: dict[str, Any] = {}
    for name in ("mrr_10", "recall_10"):
        rows[name] = {
            way: round(sum(getattr(one, name) for one in of.values()) / len(of), 4) for way, of in figures.items()
        }
        for way, of in figures.items():
            change = compare_figures(of, figures["without"])[name]
            rows[name] |= {} if way == "without" else {f"{way}, change": [round(part, 4) for part in change[:3]]}
    forbidden = {way: sum(one.forbidden_above for one in of.judged) for way, of in judged.items()}
    milliseconds = {way: round(of.milliseconds, 2) for way, of in judged.items()}
    return {"queries": len(ids), **rows, "forbidden_above": forbidden, "milliseconds": milliseconds}


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

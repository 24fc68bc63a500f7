"""`bankctl eval`: search judged by a test set."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bankd.cli.options import add_json

if TYPE_CHECKING:
    from bankd.app.evaluate import Evaluation

_NAMES = {
    "mrr_10": "MRR@10",
    "recall_1": "Recall@1",
    "recall_5": "Recall@5",
    "recall_10": "Recall@10",
    "ndcg_10": "nDCG@10",
}


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder with docs.jsonl, queries.jsonl, qrels.tsv")
    add_json(parser)
    parser.add_argument("--per-query", type=Path, metavar="FILE", help="write one JSON object a query to this file")
    parser.add_argument("--no-worker", action="store_true", help="read queries with the lexicon only, without Kiwi")
    parser.add_argument(
        "--group",
        metavar="FIELD",
        help="the field that says which documents a query is about; it is searched among those only",
    )


def run(arguments: Namespace) -> int:
    """Judge and print."""
    from bankd.app.evaluate import evaluate_search, read_set
    from bankd.cli.printing import say, say_json

    test_set = read_set(arguments.folder)
    evaluation = evaluate_search(test_set, group=arguments.group, with_worker=not arguments.no_worker)
    if arguments.per_query:
        _write_queries(arguments.per_query, evaluation)
    figures = _figures(evaluation)
    if arguments.json:
        say_json({"set": arguments.folder.name, "documents": len(test_set.documents), **figures})
        return 0
    say(f"{arguments.folder.name}: {len(test_set.documents)} documents, {figures['queries']} queries")
    for name in _NAMES.values():
        say(f"  {name:<10} {figures[name]:.3f}")
    say(f"  unanswered {figures['unanswered']}, forbidden above its fact {figures['forbidden_above']}")
    say(f"  {figures['milliseconds']:.1f} ms a query (median)")
    return 0


def _figures(evaluation: Evaluation) -> dict[str, Any]:
    means = {name: round(getattr(evaluation.quality, field), 4) for field, name in _NAMES.items()}
    return {
        "queries": len(evaluation.judged),
        **means,
        "unanswered": sum(1 for one in evaluation.judged if not one.ranking),
        "forbidden_above": sum(1 for one in evaluation.judged if one.forbidden_above),
        "milliseconds": round(evaluation.milliseconds, 2),
    }


def _write_queries(file: Path, evaluation: Evaluation) -> None:
    import json

    with file.open("w", encoding="utf-8") as lines:
        for one in evaluation.judged:
            row = {"query": one.query, "ranking": one.ranking, "scores": one.scores, **one.quality._asdict()}
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")

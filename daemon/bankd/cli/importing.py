"""`bankctl import`: conversations and notes from elsewhere become logs.

`bankctl distil`: a language model reads the prose of the logs.

`bankctl propose`: what asks to be remembered in prose, found by rules, without a language model.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.base import add_dry_run, add_json, add_now
from bankd.cli.location import find_workspace, open_named
from bankd.cli.printing import Progress, say, say_answer, say_json, styled
from bankd.errors import UsageError

if TYPE_CHECKING:
    from bankd.app.distil import DistilPlan
    from bankd.app.imports import Imported
    from bankd.app.workspace import Workspace
    from bankd.night.distil import Distilled

_LOOK_SECONDS = 5.0


def import_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "source",
        nargs="*",
        metavar="SOURCE",
        help="files, zip exports or folders, such as ~/.claude/projects (default: what imports.watch in bankd.yaml names)",
    )
    parser.add_argument("--watch", action="store_true", help="stay, and import what is new every few seconds")
    add_dry_run(parser)
    add_json(parser)


def import_command(arguments: Namespace) -> int:
    """Import once, or again and again."""
    from threading import Event

    code, pause = 0, Event()
    while True:
        code = _import_once(arguments)
        if not arguments.watch:
            return code
        pause.wait(_LOOK_SECONDS)


def _import_once(arguments: Namespace) -> int:

    with open_named(arguments, write=not arguments.dry_run) as workspace:
        done = _imported(workspace, arguments)
    if arguments.json:
        _print_json(done)
    elif done or not arguments.watch:
        _print(done, is_dry=arguments.dry_run)
    return 3 if any(one.problem for one in done) and arguments.source else 0


def _imported(workspace: Workspace, arguments: Namespace) -> list[Imported]:
    from bankd.wiring.runner import forget_handed_over, import_sources, sources_at

    sources = sources_at(workspace, arguments.source)
    bar = Progress("import", len(sources))
    done: list[Imported] = []
    for imported in import_sources(workspace, sources, is_by_hand=not arguments.watch, dry_run=arguments.dry_run):
        done.append(imported)
        bar.step(imported.source.rpartition("/")[2])
    bar.close()
    if not (arguments.source or arguments.dry_run):
        forget_handed_over(workspace)
    return done


def _print(done: list[Imported], *, is_dry: bool) -> None:
    for one in done:
        for log, turns in sorted(one.added.items()):
            say(f"{styled('+', 'green')} memory/imports/{styled(log)}  {styled(f'{turns} turns', 'dim')}")
        for torn in one.torn:
            say(styled(f"! {one.source}:{torn.line}: {torn.reason}", "red"))
        if one.problem:
            say(styled(f"! {one.source}: {one.problem}", "red"))
    turns = sum(sum(one.added.values()) for one in done)
    known = sum(one.known for one in done)
    verb = "would be imported" if is_dry else "imported"
    left = sum(bool(one.problem) for one in done)
    say(
        f"{turns} turns {verb}, {known} known or empty, from {len(done)} changed sources"
        + (f"; {left} not read" if left else "")
    )


def _print_json(done: list[Imported]) -> None:
    from dataclasses import asdict

    say_json({"imported": [asdict(one) for one in done]})


def distil_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_dry_run(parser)
    parser.add_argument("--text", action="store_true", help="with --dry-run, the text that would be sent too")
    add_now(parser)
    add_json(parser)


def distil_command(arguments: Namespace) -> int:
    """Distil, or say what would be sent, how many tokens that takes, and what it costs."""
    from bankd.app.distil import ask_now, distil_now, plan_distilling
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


def propose_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "--days", type=int, default=14, metavar="N", help="read the logs of the last N days (default: 14)"
    )
    add_dry_run(parser)
    add_now(parser)
    add_json(parser)


def propose_command(arguments: Namespace) -> int:
    """Let what is found wait in the inbox, or only say what that is."""
    from bankd.app.distil import propose_now

    if not 0 <= arguments.days <= 36_500:
        raise UsageError("--days must be from 0 to 36500")
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        if not arguments.now:
            workspace.wait_until_settled()
        found = propose_now(workspace, arguments.days, dry_run=arguments.dry_run)
    rows = [
        {"place": f"memory/{one.section.log}:{line.sources[0]}", "tag": line.tag, "text": line.text, "rule": rule}
        for one in found
        for line, rule in one.lines
    ]
    lines = [f"{styled(r['place'], 'bold')}  {r['tag']}: {r['text']}  {styled(r['rule'], 'dim')}" for r in rows]
    way = "after the next run bankctl inbox shows them, inbox accept takes one in"
    way = "nothing was written" if arguments.dry_run else way
    said = f"{len(rows)} {'line' if len(rows) == 1 else 'lines'} proposed; {way}"
    whole = {"proposed": rows, "applied": not arguments.dry_run}
    return say_answer(whole, *lines, said if rows else "nothing new asks to be remembered", as_json=arguments.json)

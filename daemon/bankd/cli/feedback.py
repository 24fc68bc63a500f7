"""`bankctl feedback`: which memories were of use."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from bankd.cli.options import add_dry_run, add_json, add_now
from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import open_named
from bankd.errors import UsageError, UserError

if TYPE_CHECKING:
    from bankd.app.feedback import Feedback


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("what", nargs="?", choices=["used", "ignored"], help="what the memories were")
    parser.add_argument("ids", nargs="*", metavar="ID", help="the memories, such as m-k3fba2xqb7te")
    parser.add_argument(
        "--from-response",
        metavar="FILE",
        help="a response (- is standard input): of the last answers, what it says something of was used, the rest ignored",
    )
    add_dry_run(parser)
    add_now(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Note it, or say what would be noted; exit code 1 when some ids are known and others not."""
    from bankd.app.feedback import give_feedback, judge_answers

    response = arguments.from_response
    if bool(response) == bool(arguments.ids):
        raise UsageError("usage: bankctl feedback used|ignored ID..., or bankctl feedback --from-response FILE")
    text = _read(response) if response else ""
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        ids = tuple(id_.removeprefix("^") for id_ in arguments.ids)
        if response:
            judged = judge_answers(workspace, text)
            used, ignored = judged.used, judged.ignored
        else:
            used, ignored = (ids, ()) if arguments.what == "used" else ((), ids)
        said = give_feedback(workspace, used, ignored, dry_run=arguments.dry_run)
    _tell(said, is_noted=not arguments.dry_run, as_json=arguments.json)
    return 1 if said.unknown else 0


def _read(file: str) -> str:
    import sys
    from pathlib import Path

    try:
        return (sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()).decode("utf-8", "replace")
    except OSError as problem:
        raise UserError(f"{file}: {problem.strerror or problem}") from problem


def _tell(said: Feedback, *, is_noted: bool, as_json: bool) -> None:
    kinds = ("used", said.used), ("ignored", said.ignored), ("no page holds", said.unknown)
    lines = [f"{what}  {styled(id_, 'bold')}" for what, ids in kinds for id_ in ids]
    last = "" if is_noted else "nothing was written"
    if not (said.used or said.ignored):
        last = "no answer of the last hour names a memory; bankctl feedback used ID... names them"
    say_answer({**asdict(said), "noted": is_noted}, *lines, last, as_json=as_json)

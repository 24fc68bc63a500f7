"""`bankctl related`: what belongs to a memory, a page or somebody, and why."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import closing
from typing import TYPE_CHECKING, Any

from bankd.cli.options import add_json, add_limit
from bankd.cli.printing import say, styled
from bankd.cli.workspace import locate_workspace

if TYPE_CHECKING:
    from collections.abc import Mapping


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("of", metavar="ID|PAGE|SLUG", help="such as m-k3fba2xqb7te, bank/knowledge/tools.md, @Peter")
    parser.add_argument(
        "--depth", type=int, choices=[1, 2], default=1, help="how many steps away it may be (default: 1)"
    )
    add_limit(parser, 10, most=100)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Ask and print; exit code 1 when nothing is related, as search has it."""
    from bankd.cli.streams import write_json
    from bankd.wiring.asking import Asked

    with closing(Asked(locate_workspace(arguments.workspace))) as asked:
        request = {"op": "related", "of": arguments.of, "depth": arguments.depth, "limit": arguments.limit}
        answer = asked.ask(request)
    if arguments.json:
        write_json(answer)
    elif not answer["related"]:
        say("nothing related")
    else:
        for one in answer["related"]:
            _print(one)
    return 0 if answer["related"] else 1


def _print(one: Mapping[str, Any]) -> None:
    """What is related with its place and text, and below it the steps that lead there, each with why and since where."""
    place = one["path"] if one["line"] is None else f"{one['path']}:{one['line']}"
    id_ = styled(f"^{one['id']}", "dim") if one["id"] else ""
    say("  ".join(filter(None, [styled(place, "cyan"), styled(f"{one['score']:.2f}", "dim"), id_])))
    if one["text"]:
        older = styled(f"[older; newer is {one['superseded_by']}] ", "yellow") if one["superseded_by"] else ""
        tag = f"{one['tag']}: " if one["tag"] else ""
        say(f"    {older}{tag}{styled(one['text'].replace(chr(10), ' '))}")
    for step in one["steps"]:
        say("    " + styled(f"{step['tie']} {step['weight']:.2f}, {step['source']} → {step['to']}", "dim"))

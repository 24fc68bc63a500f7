"""`bankctl importance`: how important a memory is, by your word."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_dry_run, add_json, add_now
from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import open_named


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("id", metavar="ID", help="the memory, such as m-k3fba2xqb7te")
    parser.add_argument(
        "value", metavar="1-10", type=int, choices=range(1, 11), help="10 never grows weak; the last word holds"
    )
    add_dry_run(parser)
    add_now(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Note it."""
    from bankd.app.feedback import set_importance

    id_ = arguments.id.removeprefix("^")
    tried = arguments.dry_run
    with open_named(arguments, write=not tried) as workspace:
        set_importance(workspace, id_, arguments.value, dry_run=tried)
    said = f"{styled(id_, 'bold')} {'would have' if tried else 'has'} importance {arguments.value}"
    whole = {"id": id_, "importance": arguments.value, "noted": not tried}
    return say_answer(whole, said, "nothing was written" if tried else "", as_json=arguments.json)

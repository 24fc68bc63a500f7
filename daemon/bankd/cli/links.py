"""`bankctl links`: what leads nowhere, who links to a page, and links to what the user has moved."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bankd.cli.options import add_dry_run, add_json
from bankd.cli.printing import say_answer, styled
from bankd.cli.rearranged import rearrange
from bankd.cli.workspace import open_named
from bankd.errors import UsageError

if TYPE_CHECKING:
    from bankd.core.links.linking import Link
    from bankd.ports.bank import Graph


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "check: links that led somewhere and do not now; to PAGE: who links to it; heal: follow what was moved in an editor"
    parser.add_argument("action", choices=["check", "to", "heal"], help=help_)
    parser.add_argument("page", nargs="?", metavar="PAGE", help="relative to bank/, or its unique name")
    parser.add_argument("--all", action="store_true", help="check: also links that have always been broken")
    add_dry_run(parser, "heal")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Check, list or heal."""
    if arguments.action == "heal":
        return rearrange(arguments, lambda rearranger: rearranger.heal(dry_run=arguments.dry_run))
    if arguments.action == "to" and not arguments.page:
        raise UsageError("usage: bankctl links to PAGE")
    from bankd.app.rearrange import open_rearranger

    with (
        open_named(arguments, write=False) as workspace,
        open_rearranger(workspace) as (rearranger, graph),
    ):
        if arguments.action == "check":
            return _check(graph, arguments)
        return _to(graph.links_to(rearranger.page(arguments.page)), as_json=arguments.json)


def _check(graph: Graph, arguments: Namespace) -> int:
    """Tell what is broken; 3 when something is that was whole."""
    broken = list(graph.broken())
    news, moved = [link for link, once in broken if once], graph.moved()
    blocks = {stray.block: stray.holders for stray in graph.strays() if stray.holders}
    shown = [link for link, _ in broken] if arguments.all else news
    since_ever, heals = len(broken) - len(news), "now: bankctl links heal lets links follow"
    say_answer(
        {"broken": [_row(link) for link in shown], "since_ever": since_ever, "moved": moved, "blocks": blocks},
        *(f"{_place(link)}  {styled(link.reference.target, 'bold')}" for link in shown),
        *(f"{styled(old)} is {styled(new, 'bold')} {heals}" for old, new in moved.items()),
        *(f"{styled(block)} is on {styled(' and '.join(pages), 'bold')} {heals}" for block, pages in blocks.items()),
        f"{len(news)} links lead nowhere that led somewhere; {since_ever} never did",
        as_json=arguments.json,
    )
    return 3 if news else 0


def _to(links: Sequence[Link], *, as_json: bool) -> int:
    lines = [f"{_place(link)}  {styled(link.reference.target)}" for link in links]
    return say_answer({"links": [_row(link) for link in links]}, *lines, f"{len(links)} links", as_json=as_json)


def _place(link: Link) -> str:
    return styled(f"{link.source}:{link.reference.line + 1}", "dim")


def _row(link: Link) -> dict[str, object]:
    return {"page": link.source, "line": link.reference.line + 1, "target": link.reference.target}

"""`bankctl links`: what leads nowhere, who links to a page, and links to what the user has moved."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bankd.cli.options import add_dry_run, add_json
from bankd.cli.printing import say, say_json, styled
from bankd.cli.rearranged import rearrange
from bankd.cli.workspace import find_workspace

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
    from bankd.errors import UsageError

    if arguments.action == "heal":
        return rearrange(arguments, lambda rearranger: rearranger.heal(dry_run=arguments.dry_run))
    if arguments.action == "to" and not arguments.page:
        raise UsageError("usage: bankctl links to PAGE")
    from bankd.app.rearrange import open_rearranger
    from bankd.wiring.workspace import open_workspace

    with (
        open_workspace(find_workspace(arguments.workspace), write=False) as workspace,
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
    if arguments.json:
        since_ever = len(broken) - len(news)
        whole = {"broken": [_row(link) for link in shown], "since_ever": since_ever, "moved": moved, "blocks": blocks}
        say_json(whole)
        return 3 if news else 0
    for link in shown:
        say(f"{_place(link)}  {styled(link.reference.target, 'bold')}")
    for old, new in moved.items():
        say(f"{styled(old)} is {styled(new, 'bold')} now: bankctl links heal lets links follow")
    for block, pages in blocks.items():
        say(f"{styled(block)} is on {styled(' and '.join(pages), 'bold')} now: bankctl links heal lets links follow")
    say(f"{len(news)} links lead nowhere that led somewhere; {len(broken) - len(news)} never did")
    return 3 if news else 0


def _to(links: Sequence[Link], *, as_json: bool) -> int:
    if as_json:
        say_json({"links": [_row(link) for link in links]})
        return 0
    for link in links:
        say(f"{_place(link)}  {styled(link.reference.target)}")
    say(f"{len(links)} links")
    return 0


def _place(link: Link) -> str:
    return styled(f"{link.source}:{link.reference.line + 1}", "dim")


def _row(link: Link) -> dict[str, object]:
    return {"page": link.source, "line": link.reference.line + 1, "target": link.reference.target}

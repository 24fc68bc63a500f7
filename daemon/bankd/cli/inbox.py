"""`bankctl inbox`: what waits for a person.

Lines that no rule placed or that were not taken in, memories nearly the same, and what was lived and is used again and again.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bankd.cli.options import add_dry_run, add_json, add_now
from bankd.cli.printing import say, say_answer, say_json, shortened, styled
from bankd.cli.workspace import open_named
from bankd.errors import UsageError

if TYPE_CHECKING:
    from bankd.app.decisions import NearMemory
    from bankd.app.promotion import PromotableMemory
    from bankd.core.plan.held_back import HeldBack
    from bankd.core.plan.memory_moves import MovingMemory


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = (
        "list (default); place ID PAGE[#HEADING]: move one; retry: route all again by the rules as they are now; "
        "accept LINE: take in one that a model or a rule wrote; dismiss LINE: name one that was not taken in no more; promote ID [PAGE]: what was lived becomes lasting "
        "knowledge; keep ID: be asked no more about what says nearly the same, or was lived"
    )
    parser.add_argument(
        "action",
        nargs="?",
        choices=["list", "place", "retry", "accept", "dismiss", "promote", "keep"],
        default="list",
        help=help_,
    )
    parser.add_argument(
        "id",
        nargs="?",
        metavar="ID|LINE",
        help="the memory to place, promote or keep, or the line to accept or dismiss",
    )
    parser.add_argument(
        "page", nargs="?", metavar="PAGE", help="where to, relative to bank/, e.g. knowledge/tools.md#Editors"
    )
    add_now(parser)
    add_dry_run(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """List or move."""
    from bankd.app.decisions import list_near
    from bankd.app.inbox import list_inbox, place_memory, retry_inbox
    from bankd.app.promotion import list_promotable, promote_memory

    if arguments.action == "place" and not (arguments.id and arguments.page):
        raise UsageError("usage: bankctl inbox place ID PAGE[#HEADING]")
    if arguments.action == "promote" and not arguments.id:
        raise UsageError("usage: bankctl inbox promote ID [PAGE[#HEADING]]")
    if arguments.action in {"accept", "dismiss"}:
        return _deal_with_line(arguments)
    if arguments.action == "keep":
        return _keep(arguments)
    with open_named(arguments, write=arguments.action != "list" and not arguments.dry_run) as workspace:
        if arguments.action == "list":
            logs = workspace.logs
            waiting, near, lived = list_inbox(workspace), list_near(workspace), list_promotable(workspace)
            return _list(waiting, logs.held_back(), logs.prose(), near, lived, as_json=arguments.json)
        if arguments.action == "place":
            moved = place_memory(workspace, arguments.id.removeprefix("^"), arguments.page, dry_run=arguments.dry_run)
        elif arguments.action == "promote":
            moved = promote_memory(workspace, arguments.id.removeprefix("^"), arguments.page, dry_run=arguments.dry_run)
        else:
            moved = retry_inbox(workspace, dry_run=arguments.dry_run)
    return _tell(moved, arguments)


def _deal_with_line(arguments: Namespace) -> int:
    from bankd.app.inbox import accept_line, dismiss_line
    from bankd.cli.show import LINE

    found = LINE.fullmatch(arguments.id or "")
    if found is None:
        raise UsageError(f"usage: bankctl inbox {arguments.action} memory/LOG.md:N")
    is_accepted = arguments.action == "accept"
    deal, done = (accept_line, "accepted") if is_accepted else (dismiss_line, "dismissed")
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        item = deal(workspace, found["log"], int(found["line"]), dry_run=arguments.dry_run)
    then = "the next run takes it in" if is_accepted else "it stays in its log and is named no more"
    place = styled(str(item.place), "bold")
    said = f"would be {done}: {place}. Nothing was written" if arguments.dry_run else f"{done}: {place}; {then}"
    return say_answer({done: str(item.place), "applied": not arguments.dry_run}, said, as_json=arguments.json)


def _keep(arguments: Namespace) -> int:
    from bankd.app.decisions import keep_near
    from bankd.app.promotion import decline_promotion, list_promotable

    if not arguments.id:
        raise UsageError("usage: bankctl inbox keep ID")
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        id_ = arguments.id.removeprefix("^")
        is_lived = any(one.id == id_ for one in list_promotable(workspace))
        kept: Sequence[NearMemory | PromotableMemory] = (
            [decline_promotion(workspace, id_, dry_run=arguments.dry_run)]
            if is_lived
            else keep_near(workspace, id_, dry_run=arguments.dry_run)
        )
    said = "would be kept. Nothing was written" if arguments.dry_run else "kept as they are; you are asked no more"
    lines = [f"{styled(one.id, 'dim')}  {styled(one.place, 'bold')}" for one in kept]
    whole = {"kept": [one.id for one in kept], "applied": not arguments.dry_run}
    return say_answer(whole, *lines, said, as_json=arguments.json)


def _list(
    waiting: list[MovingMemory],
    held_back: Sequence[HeldBack],
    prose: int,
    near: list[list[NearMemory]],
    lived: list[PromotableMemory],
    *,
    as_json: bool,
) -> int:
    if as_json:
        rows = [{"id": item.id, "line": item.line, "text": item.text, "source": item.source} for item in waiting]
        lines = [{"place": str(h.place), "kind": h.kind, "text": h.text, "reason": h.reason} for h in held_back]
        groups = [[{"id": one.id, "place": one.place, "text": one.text} for one in group] for group in near]
        lasting = [{"id": one.id, "place": one.place, "text": one.text, "used": one.days} for one in lived]
        say_json({"inbox": rows, "not_taken_in": lines, "prose": prose, "near": groups, "lived": lasting})
        return 0
    from bankd.core.markdown.memory import split_id
    from bankd.core.plan.report import tell_prose

    for item in waiting:
        say(
            f"{styled('bank/_meta/inbox.md:' + str(item.line), 'bold')}  {styled(f'{item.id}  from {item.source}', 'dim')}"
        )
        say(f"  {styled(shortened(split_id(item.text)[0], 200))}")
    say(f"{len(waiting)} wait; bankctl inbox place ID PAGE moves one" if waiting else "the inbox is empty")
    for line in held_back:
        why = line.reason if line.is_offered else f"{line.kind}: {line.reason}"
        say(f"{styled(str(line.place), 'bold')}  {styled(why, 'dim')}")
        if line.text:
            say(f"  {styled(shortened(line.text, 200))}")
    offered = sum(line.is_offered for line in held_back)
    if wrong := len(held_back) - offered:
        say(f"{wrong} not taken in: correct the line, or bankctl inbox dismiss memory/LOG.md:N")
    if offered:
        say(f"{offered} proposed: bankctl inbox accept memory/LOG.md:N takes one in, dismiss lets it go")
    if prose:
        say(tell_prose(prose))
    _list_near(near)
    _list_lived(lived)
    return 0


def _list_lived(lived: list[PromotableMemory]) -> None:
    from bankd.core.markdown.memory import split_id

    for one in lived:
        say(f"{styled(one.place, 'bold')}  {styled(f'{one.id}  used on {one.days} days', 'dim')}")
        say(f"  {styled(shortened(split_id(one.text)[0], 200))}")
    if lived:
        say(
            f"{len(lived)} lived and used again: bankctl inbox promote ID moves one to what is known, keep ID leaves it"
        )


def _list_near(near: list[list[NearMemory]]) -> None:
    from bankd.core.markdown.memory import split_id

    for group in near:
        for one in group:
            say(f"{styled(one.place, 'bold')}  {styled(one.id, 'dim')}")
            say(f"  {styled(shortened(split_id(one.text)[0], 200))}")
        say(f"{len(group)} say nearly the same; bankctl inbox keep {group[0].id} keeps them all as they are")
    if near:
        say("bankctl consolidate merges those of which one says all, bankctl forget ID takes one out")


def _tell(moved: list[tuple[str, str]], arguments: Namespace) -> int:
    lines = [f"{styled(id_, 'dim')} -> {styled(page, 'bold')}" for id_, page in moved]
    last = "no rule places any of them" if not moved else "nothing was written" if arguments.dry_run else ""
    whole = {"moved": [{"id": id_, "page": page} for id_, page in moved], "applied": not arguments.dry_run}
    return say_answer(whole, *lines, last, as_json=arguments.json)

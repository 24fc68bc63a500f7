"""`bankctl inbox`: what waits for a person.

Lines that no rule placed or that were not taken in, memories nearly the same, and what was lived and is used again and again.

`bankctl duplicates`: the lines that said nothing new, and a way in for them.

`bankctl conflicts`: memories that say different values of the same thing; which one holds, only a person knows.

`bankctl consolidate`: near-copies in the bank become one, none of which loses a word.

`bankctl decay`: which opinions will have faded when, unless somebody says them again or pins them.
"""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from bankd.cli.base import JSON, add_apply, add_dry_run, add_force, add_json, add_now, share, whole_number
from bankd.cli.location import open_named
from bankd.cli.printing import say, say_answer, say_json, shortened, styled
from bankd.errors import UsageError

if TYPE_CHECKING:
    from bankd.app.archive import FadingForecast
    from bankd.app.review import BlockedLine, ConflictSide, Contradiction, NearMemory, PromotableMemory
    from bankd.app.workspace import Workspace
    from bankd.cycle import Report
    from bankd.memory.plan import HeldBack, MovingMemory


def inbox_arguments(parser: ArgumentParser) -> None:
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


def inbox_command(arguments: Namespace) -> int:
    """List or move."""
    from bankd.app.review import list_inbox, list_near, list_promotable, place_memory, promote_memory, retry_inbox

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
    from bankd.app.review import accept_line, dismiss_line
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
    from bankd.app.review import decline_promotion, keep_near, list_promotable

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
    from bankd.memory.report import tell_prose
    from bankd.pages.memory import split_id

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
    from bankd.pages.memory import split_id

    for one in lived:
        say(f"{styled(one.place, 'bold')}  {styled(f'{one.id}  used on {one.days} days', 'dim')}")
        say(f"  {styled(shortened(split_id(one.text)[0], 200))}")
    if lived:
        say(
            f"{len(lived)} lived and used again: bankctl inbox promote ID moves one to what is known, keep ID leaves it"
        )


def _list_near(near: list[list[NearMemory]]) -> None:
    from bankd.pages.memory import split_id

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


def duplicates_arguments(parser: ArgumentParser) -> None:
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
    for action in (listing, shown, allowed, merge):
        action.add_argument("--json", action="store_true", default=SUPPRESS, help=JSON)
        action.add_argument("--workspace", metavar="DIR", default=SUPPRESS, help="the workspace")


def duplicates_command(arguments: Namespace) -> int:
    """List, show, allow or merge."""
    from bankd.app.review import find_blocked, list_blocked
    from bankd.cli.show import tell

    action = arguments.action or "list"
    writes = (action == "allow" and not arguments.dry_run) or (action == "merge" and arguments.apply)
    with open_named(arguments, write=writes) as workspace:
        if action == "list":
            return _list_duplicates(list_blocked(workspace), as_json=arguments.json)
        if action == "show":
            line = find_blocked(workspace, arguments.id.removeprefix("^"))
            return say_answer(asdict(line), _lines_of(line), as_json=arguments.json)
        return tell(_act(workspace, action, arguments), as_json=arguments.json)


def _act(workspace: Workspace, action: str, arguments: Namespace) -> Report:
    from bankd.app.review import allow_line, consolidate_bank

    id_ = arguments.id.removeprefix("^")
    if action == "allow":
        return allow_line(workspace, id_, dry_run=arguments.dry_run)
    return consolidate_bank(workspace, None, id_, apply=arguments.apply)


def _list_duplicates(lines: list[BlockedLine], *, as_json: bool) -> int:
    said = f"{len(lines)} blocked; bankctl duplicates allow ID lets one in" if lines else "no line was blocked"
    whole = {"duplicates": [asdict(line) for line in lines]}
    return say_answer(whole, *map(_lines_of, lines), said, as_json=as_json)


def _lines_of(line: BlockedLine) -> str:
    twin = f"{line.twin_text.strip()}  ({line.twin_place})" if line.twin_text else f"{line.twin}, which is gone since"
    return (
        f"{styled(line.id, 'bold')}  {styled(line.place, 'cyan')}  {styled(line.day, 'dim')}\n  {styled(line.text)}\n"
        f"  {styled('says nothing new beside', 'dim')} {styled(twin)}\n  {styled(line.reason, 'dim')}"
    )


def conflicts_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "list (default); keep ID ID: both hold, and are named no more"
    parser.add_argument("action", nargs="?", choices=["list", "keep"], default="list", help=help_)
    parser.add_argument("ids", nargs="*", metavar="ID", help="the two memories")
    add_now(parser)
    add_dry_run(parser, "keep")
    add_json(parser)


def conflicts_command(arguments: Namespace) -> int:
    """List them, or keep two."""
    if arguments.action == "keep" and len(arguments.ids) == 2:
        return _keep_conflicts(arguments)
    if arguments.action == "keep" or arguments.ids:
        raise UsageError("usage: bankctl conflicts [list], or bankctl conflicts keep ID ID")
    return _list_conflicts(arguments)


def _keep_conflicts(arguments: Namespace) -> int:
    from bankd.app.review import keep_both

    one, other = (id_.removeprefix("^") for id_ in arguments.ids)
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        kept = keep_both(workspace, one, other, dry_run=arguments.dry_run)
    said = "would both hold. Nothing was written" if arguments.dry_run else "both hold; they are named no more"
    return say_answer({"kept": kept, "applied": not arguments.dry_run}, said, as_json=arguments.json)


def _list_conflicts(arguments: Namespace) -> int:
    from dataclasses import asdict

    from bankd.app.review import list_conflicts

    with open_named(arguments, write=False) as workspace:
        found = list_conflicts(workspace)
    rows = [asdict(pair) for pair in found]
    for side in (row[which] for row in rows for which in ("older", "newer")):
        side["day"] = side["day"].isoformat() if side["day"] else None
    ways = "bankctl archive put ID ends one, bankctl conflicts keep ID ID lets both hold"
    said = f"{len(found)} pairs; {ways}" if found else "no two memories contradict"
    return say_answer({"conflicts": rows}, *map(_lines_of_conflicts, found), said, as_json=arguments.json)


def _lines_of_conflicts(pair: Contradiction) -> str:
    is_dated = pair.newer.day or pair.is_known  # of two that no log dates, nobody knows which is newer
    newer, older = ("newer", "older") if is_dated else ("one  ", "other")
    return "\n".join([styled(pair.reason, "bold"), _side(newer, pair.newer), _side(older, pair.older)])


def _side(which: str, side: ConflictSide) -> str:
    day = side.day.isoformat() if side.day else "undated   "
    where = styled(f"{side.place}  ^{side.id}  from {side.source}", "dim")
    return f"  {styled(which, 'green' if which == 'newer' else 'dim')} {styled(day, 'dim')}  {styled(side.text)}\n        {where}"


def consolidate_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_apply(parser)
    parser.add_argument(
        "--threshold", type=share, metavar="X", help="affinity from which two are compared, 0 to 1 (default: setting)"
    )
    add_force(parser)
    add_now(parser)
    add_json(parser)


def consolidate_command(arguments: Namespace) -> int:
    """Merge, or say what would be merged."""
    from bankd.app.review import consolidate_bank
    from bankd.cli.show import tell

    with open_named(arguments, write=arguments.apply) as workspace:
        report = consolidate_bank(workspace, arguments.threshold, apply=arguments.apply, force=arguments.force)
    code = tell(report, as_json=arguments.json)
    if report.plan.merged and not arguments.apply and not arguments.json:
        say("bankctl consolidate --apply does it, bankctl duplicates merge ID --apply for one of them")
    return code


def decay_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "forecast: what falls below the floor, and on which day; pin ID: it never fades"
    parser.add_argument("action", choices=["forecast", "pin"], help=help_)
    parser.add_argument("id", nargs="?", metavar="ID", help="the memory to pin")
    parser.add_argument(
        "--days", type=whole_number, default=30, metavar="N", help="how far to look ahead (default: 30)"
    )
    add_dry_run(parser, "pin")
    add_now(parser)
    add_json(parser)


def decay_command(arguments: Namespace) -> int:
    """Tell, or pin one."""
    if (arguments.action == "pin") != bool(arguments.id):
        raise UsageError("usage: bankctl decay forecast, or bankctl decay pin ID")
    return _pin(arguments) if arguments.id else _forecast(arguments)


def _pin(arguments: Namespace) -> int:
    from bankd.app.review import pin_memory

    id_, tried = arguments.id.removeprefix("^"), arguments.dry_run
    with open_named(arguments, write=not tried) as workspace:
        page = pin_memory(workspace, id_, dry_run=tried)
    said = f"{styled(page, 'bold')}  {id_} {'would be' if tried else 'is'} pinned"
    whole = {"pinned": id_, "page": page, "applied": not tried}
    return say_answer(whole, said, "nothing was written" if tried else "", as_json=arguments.json)


def _forecast(arguments: Namespace) -> int:
    from bankd.app.archive import forecast_fading

    if arguments.days > 36_500:
        raise UsageError("--days must be from 0 to 36500")
    with open_named(arguments, write=False) as workspace:
        fates, pinned = forecast_fading(workspace, arguments.days)
        floor = workspace.settings.decay.floor
    rows = [
        {"day": f.fall.day.isoformat(), "id": f.fall.id, "today": f.fall.value / 100, "place": f.place, "text": f.text}
        for f in fates
    ]
    said = f"{len(fates)} opinions fall below {floor:.2f} within {arguments.days} days"
    return say_answer(
        {"floor": floor, "days": arguments.days, "falls": rows, "pinned": pinned},
        *map(_lines_of_decay, fates),
        said + (f"; {pinned} pinned ones do not fade" if pinned else ""),
        "to keep one: say it again in a log, write another c=, or bankctl decay pin ID" if fates else "",
        as_json=arguments.json,
    )


def _lines_of_decay(fate: FadingForecast) -> str:
    now, place = styled(f"now {fate.fall.value / 100:.2f}", "dim"), styled(f"{fate.place}  ^{fate.fall.id}", "dim")
    return f"{styled(str(fate.fall.day), 'bold')}  {now}  {styled(fate.text)}\n    {place}"

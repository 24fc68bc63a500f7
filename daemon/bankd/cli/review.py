"""`bankctl inbox`, `duplicates`, `conflicts`, `consolidate` and `decay`: what waits for a person's decision."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from bankd.cli.base import add_options, bare_id, whole_number
from bankd.cli.location import open_named
from bankd.cli.printing import counted, say, say_answer, say_json, shortened, styled
from bankd.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bankd.app.archive import FadingForecast
    from bankd.app.review import BlockedLine, ConflictSide, Contradiction, NearMemory, PromotableMemory
    from bankd.app.workspace import Workspace


def inbox_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = (
        "list (default); place ID PAGE[#HEADING]: move a memory to a page; retry: route all again by today's rules; "
        "accept LINE: take in a proposed line; dismiss LINE: stop listing a rejected line; promote ID [PAGE]: move an "
        "experience that is used often to lasting knowledge; keep ID: stop asking about near-copies or an experience"
    )
    actions = ["list", "place", "retry", "accept", "dismiss", "promote", "keep"]
    parser.add_argument("action", nargs="?", choices=actions, default="list", help=help_)
    parser.add_argument("id", nargs="?", type=bare_id, metavar="ID|LINE", help="the memory or log line to decide on")
    parser.add_argument("page", nargs="?", metavar="PAGE", help="where to, such as knowledge/tools.md#Editors")
    add_options(parser, "--now", "--dry-run", "--json")


def inbox_command(arguments: Namespace) -> int:
    """List what waits, or decide on one."""
    from bankd.app.review import place_memory, promote_memory, retry_inbox

    action, id_, page, is_dry = arguments.action, arguments.id, arguments.page, arguments.dry_run
    if action == "place" and not (id_ and page):
        raise UsageError("usage: bankctl inbox place ID PAGE[#HEADING]")
    if action == "promote" and not id_:
        raise UsageError("usage: bankctl inbox promote ID [PAGE[#HEADING]]")
    with open_named(arguments, write=action != "list" and not is_dry) as workspace:
        if action == "list":
            return _list_inbox(workspace, as_json=arguments.json)
        if action in {"accept", "dismiss"}:
            return _deal_with_line(workspace, arguments)
        if action == "keep":
            return _keep(workspace, arguments)
        if action == "place":
            moved = place_memory(workspace, id_, page, dry_run=is_dry)
        elif action == "promote":
            moved = promote_memory(workspace, id_, page, dry_run=is_dry)
        else:
            moved = retry_inbox(workspace, dry_run=is_dry)
    lines = [f"{styled(id_, 'dim')} -> {styled(page, 'bold')}" for id_, page in moved]
    last = "no rule places any of them" if not moved else "nothing was written" if is_dry else ""
    whole = {"moved": [{"id": id_, "page": page} for id_, page in moved], "applied": not is_dry}
    return say_answer(whole, *lines, last, as_json=arguments.json)


def _list_inbox(workspace: Workspace, *, as_json: bool) -> int:
    from bankd.app.review import list_inbox, list_near, list_promotable
    from bankd.memory.report import tell_prose

    waiting, near, lived = list_inbox(workspace), list_near(workspace), list_promotable(workspace)
    held_back, prose = workspace.logs.held_back(), workspace.logs.prose()
    if as_json:
        rows = [{"id": item.id, "line": item.line, "text": item.text, "source": item.source} for item in waiting]
        lines = [{"place": str(h.place), "kind": h.kind, "text": h.text, "reason": h.reason} for h in held_back]
        groups = [[{"id": one.id, "place": one.place, "text": one.text} for one in group] for group in near]
        lasting = [{"id": one.id, "place": one.place, "text": one.text, "used": one.days} for one in lived]
        say_json({"inbox": rows, "not_taken_in": lines, "prose": prose, "near": groups, "lived": lasting})
        return 0
    for item in waiting:
        _say_item(f"bank/_meta/inbox.md:{item.line}", f"{item.id}  from {item.source}", item.text)
    say(f"{len(waiting)} waiting; to move one: bankctl inbox place ID PAGE" if waiting else "the inbox is empty")
    for line in held_back:
        _say_item(str(line.place), line.reason if line.is_offered else f"{line.kind}: {line.reason}", line.text)
    offered = sum(line.is_offered for line in held_back)
    if wrong := len(held_back) - offered:
        say(f"{wrong} not taken in; correct the line, or: bankctl inbox dismiss memory/LOG.md:N")
    if offered:
        say(f"{offered} proposed; to decide: bankctl inbox accept|dismiss memory/LOG.md:N")
    if prose:
        say(tell_prose(prose))
    for group in near:
        for one in group:
            _say_item(one.place, one.id, one.text)
        say(f"{len(group)} say nearly the same; to keep all as they are: bankctl inbox keep {group[0].id}")
    if near:
        say("to merge those where one says everything: bankctl consolidate; to delete one: bankctl forget ID")
    for memory in lived:
        _say_item(memory.place, f"{memory.id}  used on {counted(memory.days, 'day')}", memory.text)
    if lived:
        said = counted(len(lived), "experience is", "experiences are")
        say(f"{said} used often; to make it knowledge: bankctl inbox promote ID; to leave it: bankctl inbox keep ID")
    return 0


def _say_item(place: str, about: str, text: str) -> None:
    from bankd.pages.memory import split_id

    say(f"{styled(place, 'bold')}  {styled(about, 'dim')}")
    if text:
        say(f"  {styled(shortened(split_id(text)[0], 200))}")


def _deal_with_line(workspace: Workspace, arguments: Namespace) -> int:
    from bankd.app.review import accept_line, dismiss_line
    from bankd.cli.show import LINE

    found = LINE.fullmatch(arguments.id or "")
    if found is None:
        raise UsageError(f"usage: bankctl inbox {arguments.action} memory/LOG.md:N")
    is_accepted = arguments.action == "accept"
    item = (accept_line if is_accepted else dismiss_line)(
        workspace, found["log"], int(found["line"]), dry_run=arguments.dry_run
    )
    done = "accepted" if is_accepted else "dismissed"
    then = "the next run takes it in" if is_accepted else "it stays in its log and is no longer listed"
    place = styled(str(item.place), "bold")
    said = f"would be {done}: {place}. Nothing was written" if arguments.dry_run else f"{done}: {place}; {then}"
    return say_answer({done: str(item.place), "applied": not arguments.dry_run}, said, as_json=arguments.json)


def _keep(workspace: Workspace, arguments: Namespace) -> int:
    from bankd.app.review import decline_promotion, keep_near, list_promotable

    id_, is_dry = arguments.id, arguments.dry_run
    if not id_:
        raise UsageError("usage: bankctl inbox keep ID")
    kept: Sequence[NearMemory | PromotableMemory]
    if any(one.id == id_ for one in list_promotable(workspace)):
        kept = [decline_promotion(workspace, id_, dry_run=is_dry)]
    else:
        kept = keep_near(workspace, id_, dry_run=is_dry)
    said = "would be kept. Nothing was written" if is_dry else "kept as they are; they are not asked about again"
    lines = [f"{styled(one.id, 'dim')}  {styled(one.place, 'bold')}" for one in kept]
    whole = {"kept": [one.id for one in kept], "applied": not is_dry}
    return say_answer(whole, *lines, said, as_json=arguments.json)


def duplicates_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_options(parser, "--json")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="every blocked line, its twin and the reason (default)")
    shown = actions.add_parser("show", help="one of them")
    allowed = actions.add_parser("allow", help="let it in: it becomes a memory on the page that its rule gives")
    merge = actions.add_parser("merge", help="merge a memory of the bank with its near-copies")
    for action in (shown, allowed):
        action.add_argument("id", type=bare_id, metavar="ID", help="the id of the blocked line, as the list shows it")
    merge.add_argument("id", type=bare_id, metavar="ID", help="a memory of the bank")
    add_options(allowed, "--dry-run")
    add_options(merge, "--apply")
    for action in (listing, shown, allowed, merge):
        add_options(action, "--json", default=SUPPRESS)
        action.add_argument("--workspace", metavar="DIR", default=SUPPRESS, help="the workspace")


def duplicates_command(arguments: Namespace) -> int:
    """List, show, allow or merge."""
    from bankd.app.review import allow_line, consolidate_bank, find_blocked, list_blocked
    from bankd.cli.show import tell

    action = arguments.action or "list"
    writes = (action == "allow" and not arguments.dry_run) or (action == "merge" and arguments.apply)
    with open_named(arguments, write=writes) as workspace:
        if action == "list":
            lines = list_blocked(workspace)
            said = (
                f"{len(lines)} blocked; to let one in: bankctl duplicates allow ID" if lines else "no line was blocked"
            )
            whole = {"duplicates": [asdict(line) for line in lines]}
            return say_answer(whole, *map(_blocked_line, lines), said, as_json=arguments.json)
        if action == "show":
            line = find_blocked(workspace, arguments.id)
            return say_answer(asdict(line), _blocked_line(line), as_json=arguments.json)
        if action == "allow":
            report = allow_line(workspace, arguments.id, dry_run=arguments.dry_run)
        else:
            report = consolidate_bank(workspace, arguments.id, apply=arguments.apply)
        return tell(report, as_json=arguments.json)


def _blocked_line(line: BlockedLine) -> str:
    twin = f"{line.twin_text.strip()}  ({line.twin_place})" if line.twin_text else f"{line.twin}, which is gone now"
    return (
        f"{styled(line.id, 'bold')}  {styled(line.place, 'cyan')}  {styled(line.day, 'dim')}\n  {styled(line.text)}\n"
        f"  {styled('says the same as', 'dim')} {styled(twin)}\n  {styled(line.reason, 'dim')}"
    )


def conflicts_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "list (default); keep ID ID: both are true, stop listing them"
    parser.add_argument("action", nargs="?", choices=["list", "keep"], default="list", help=help_)
    parser.add_argument("ids", nargs="*", type=bare_id, metavar="ID", help="the two memories")
    add_options(parser, "--now", "keep --dry-run", "--json")


def conflicts_command(arguments: Namespace) -> int:
    """List memories that contradict each other, or keep two."""
    from bankd.app.review import keep_both, list_conflicts

    is_dry = arguments.dry_run
    if len(arguments.ids) != (2 if arguments.action == "keep" else 0):
        raise UsageError("usage: bankctl conflicts [list], or bankctl conflicts keep ID ID")
    if arguments.action == "keep":
        with open_named(arguments, write=not is_dry) as workspace:
            kept = keep_both(workspace, *arguments.ids, dry_run=is_dry)
        said = "both would be kept. Nothing was written" if is_dry else "both are kept and no longer listed"
        return say_answer({"kept": kept, "applied": not is_dry}, said, as_json=arguments.json)
    with open_named(arguments, write=False) as workspace:
        found = list_conflicts(workspace)
    rows = [asdict(pair) for pair in found]
    for side in (row[which] for row in rows for which in ("older", "newer")):
        side["day"] = side["day"].isoformat() if side["day"] else None
    ways = "to end one: bankctl archive put ID; to keep both: bankctl conflicts keep ID ID"
    said = f"{counted(len(found), 'pair')}; {ways}" if found else "no memories contradict each other"
    return say_answer({"conflicts": rows}, *map(_conflict_line, found), said, as_json=arguments.json)


def _conflict_line(pair: Contradiction) -> str:
    is_dated = pair.newer.day or pair.is_known  # of two that no log dates, nobody knows which is newer
    newer, older = ("newer", "older") if is_dated else ("one  ", "other")
    return "\n".join([styled(pair.reason, "bold"), _side_line(newer, pair.newer), _side_line(older, pair.older)])


def _side_line(which: str, side: ConflictSide) -> str:
    day = side.day.isoformat() if side.day else "undated   "
    head = f"{styled(which, 'green' if which == 'newer' else 'dim')} {styled(day, 'dim')}"
    return f"  {head}  {styled(side.text)}\n        {styled(f'{side.place}  ^{side.id}  from {side.source}', 'dim')}"


def consolidate_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_options(parser, "--apply", "--force", "--now", "--json")


def consolidate_command(arguments: Namespace) -> int:
    """Merge near-copies, or say what would be merged."""
    from bankd.app.review import consolidate_bank
    from bankd.cli.show import tell

    with open_named(arguments, write=arguments.apply) as workspace:
        report = consolidate_bank(workspace, apply=arguments.apply, force=arguments.force)
    code = tell(report, as_json=arguments.json)
    if report.plan.merged and not arguments.apply and not arguments.json:
        say("to merge all: bankctl consolidate --apply; to merge one: bankctl duplicates merge ID --apply")
    return code


def decay_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "forecast: which opinions fall below the floor, and when; pin ID: it never fades"
    parser.add_argument("action", choices=["forecast", "pin"], help=help_)
    parser.add_argument("id", nargs="?", type=bare_id, metavar="ID", help="the memory to pin")
    parser.add_argument("--days", type=whole_number, default=30, metavar="N", help="days to look ahead (default: 30)")
    add_options(parser, "pin --dry-run", "--now", "--json")


def decay_command(arguments: Namespace) -> int:
    """Print which opinions will fade, or pin one."""
    from bankd.app.archive import forecast_fading
    from bankd.app.review import pin_memory

    id_, is_dry, days = arguments.id, arguments.dry_run, arguments.days
    if (arguments.action == "pin") != bool(id_):
        raise UsageError("usage: bankctl decay forecast, or bankctl decay pin ID")
    if id_:
        with open_named(arguments, write=not is_dry) as workspace:
            page = pin_memory(workspace, id_, dry_run=is_dry)
        said = f"{styled(page, 'bold')}  {id_} {'would be' if is_dry else 'is'} pinned"
        whole = {"pinned": id_, "page": page, "applied": not is_dry}
        return say_answer(whole, said, "nothing was written" if is_dry else "", as_json=arguments.json)
    if days > 36_500:
        raise UsageError("--days must be from 0 to 36500")
    with open_named(arguments, write=False) as workspace:
        fates, pinned = forecast_fading(workspace, days)
        floor = workspace.settings.decay.floor
    rows = [
        {"day": f.fall.day.isoformat(), "id": f.fall.id, "today": f.fall.value / 100, "place": f.place, "text": f.text}
        for f in fates
    ]
    said = f"{counted(len(fates), 'opinion falls', 'opinions fall')} below {floor:.2f} within {counted(days, 'day')}"
    return say_answer(
        {"floor": floor, "days": days, "falls": rows, "pinned": pinned},
        *map(_fading_line, fates),
        said + (f"; {pinned} pinned, which never fade" if pinned else ""),
        "to keep one: say it again in a log, write another c=, or bankctl decay pin ID" if fates else "",
        as_json=arguments.json,
    )


def _fading_line(fate: FadingForecast) -> str:
    now, place = styled(f"now {fate.fall.value / 100:.2f}", "dim"), styled(f"{fate.place}  ^{fate.fall.id}", "dim")
    return f"{styled(str(fate.fall.day), 'bold')}  {now}  {styled(fate.text)}\n    {place}"

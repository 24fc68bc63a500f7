"""`bankctl archive` and `forget`: the ways out of the bank."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from bankd.cli.location import open_named
from bankd.cli.page import Announcer
from bankd.cli.printing import say, say_answer, styled
from bankd.errors import UsageError
from bankd.translate import counted
from bankd.translate import translate as _

if TYPE_CHECKING:
    from bankd.app.archive import ArchivedMemory, FadingForecast, OfferedMemory
    from bankd.app.workspace import Workspace


def archive_command(arguments: Namespace) -> int:
    """List, archive or restore."""
    from bankd.app.archive import collect_garbage, restore_memories
    from bankd.app.review import archive_memories
    from bankd.cli.show import tell

    names_ids = arguments.action in {"put", "restore"}
    if names_ids != bool(arguments.ids):
        raise UsageError(f"usage: bankctl archive {arguments.action}{' ID...' if names_ids else ''}")
    if arguments.days > 36_500:
        raise UsageError("--days must be from 0 to 36500")
    writes = not arguments.dry_run and (names_ids or arguments.apply)
    with open_named(arguments, write=writes) as workspace:
        if arguments.action in {"list", "candidates", "forecast"}:
            return _list(workspace, arguments)
        if names_ids:
            act = restore_memories if arguments.action == "restore" else archive_memories
            report = act(workspace, arguments.ids, dry_run=arguments.dry_run)
        else:
            report = collect_garbage(workspace, apply=writes, force=arguments.force)
    code = tell(report, as_json=arguments.json)
    if arguments.action == "gc" and not arguments.apply and report.plan.archived and not arguments.json:
        say(_("to archive them: bankctl archive gc --apply; to restore one later: bankctl archive restore ID"))
    return code


def _list(workspace: Workspace, arguments: Namespace) -> int:
    from bankd.app.archive import forecast_fading, list_archive, offer_candidates

    if arguments.action == "list":
        stored = list_archive(workspace)
        last = (
            _(f"{len(stored)} archived; to restore one: bankctl archive restore ID")
            if stored
            else _("the archive is empty")
        )
        whole: dict[str, object] = {"archive": [asdict(item) for item in stored]}
        return say_answer(whole, *map(_archived_line, stored), last, as_json=arguments.json)
    if arguments.action == "candidates":
        offered = offer_candidates(workspace)
        way = _(f"{len(offered)} may be archived; to archive them all: bankctl archive gc --apply")
        whole = {"candidates": [asdict(item) for item in offered]}
        last = way if offered else _("nothing may be archived")
        return say_answer(whole, *map(_offered_line, offered), last, as_json=arguments.json)
    (fates, pinned), floor = forecast_fading(workspace, arguments.days), workspace.settings.decay.floor
    rows = [
        {"day": f.day.isoformat(), "id": f.id, "today": f.value / 100, "place": f.place, "text": f.text} for f in fates
    ]
    within = counted(arguments.days, "day")
    said = _(f"{counted(len(fates), 'opinion falls', 'opinions fall')} below {floor:.2f} within {within}")
    return say_answer(
        {"floor": floor, "days": arguments.days, "falls": rows, "pinned": pinned},
        *map(_fading_line, fates),
        said + (_(f"; {pinned} pinned, which never fade") if pinned else ""),
        _("to keep one: say it again in a log, write another c=, or bankctl review keep ID") if fates else "",
        as_json=arguments.json,
    )


def _fading_line(fate: FadingForecast) -> str:
    now, place = styled(_(f"now {fate.value / 100:.2f}"), "dim"), styled(f"{fate.place}  ^{fate.id}", "dim")
    return f"{styled(str(fate.day), 'bold')}  {now}  {styled(fate.text)}\n    {place}"


def _archived_line(item: ArchivedMemory) -> str:
    head = f"{styled(item.id, 'bold')}  {styled(item.since or _('long ago'), 'dim')}  {styled(_(item.reason))}"
    return f"{head}\n  {styled(item.text)}\n  {styled(_(f'was in {item.page}, is in {item.place}'), 'dim')}"


def _offered_line(item: OfferedMemory) -> str:
    head = f"{item.strength:.2f}  {styled(item.id, 'bold')}  {styled(_(item.reason), 'dim')}"
    return f"{head}\n      {styled(item.text)}"


_FINAL = "repair them by hand: this cannot be undone"


def forget_command(arguments: Namespace) -> int:
    """Delete a memory for good, or say what would go."""
    from bankd.app.forget import forget_memory

    if arguments.everywhere:
        return _purge(arguments)
    applies, announcer = not arguments.dry_run, Announcer(_FINAL, as_json=arguments.json)
    with open_named(arguments, write=applies) as workspace:
        gone = forget_memory(workspace, arguments.what, announcer, apply=applies)
    whole = {"id": gone.id, "pages": gone.pages, "run": gone.run, "applied": applies, "dangling": announcer.rows}
    copies = "old copies of the page remain for a while; to delete them too: bankctl forget --everywhere"
    done = _(f"its log line will not bring it back; {copies} {gone.id} --apply")
    return say_answer(
        whole,
        f"{_('forgotten' if applies else 'would be forgotten')}: {styled(gone.text)}",
        *(_(f"  out of {styled(page)}") for page in gone.pages),
        done if applies else _(f"nothing was written; to do it: bankctl forget {gone.id} (this cannot be undone)"),
        as_json=arguments.json,
    )


def _purge(arguments: Namespace) -> int:
    """Remove a text from everything that bankd keeps, or say from where; then say where bankd does not reach."""
    from bankd.app.forget import purge_text

    applies, announcer = arguments.apply and not arguments.dry_run, Announcer(_FINAL, as_json=arguments.json)
    with open_named(arguments, write=applies) as workspace:
        purged = purge_text(workspace, arguments.what, announcer, apply=applies)
    done = styled(_("purged" if applies else "would be purged"), "green")
    said = {"cleaned": purged.cleaned, "beyond": purged.beyond, "applied": applies}
    return say_answer(
        {**said, "dangling": announcer.rows},
        *(f"{done}  {styled(path)}" for path in purged.cleaned),
        _("bankd does not reach:"),
        *(f"  {styled(_(place), 'yellow')}" for place in purged.beyond),
        "" if applies else _("nothing was written; to do it, repeat with --apply (this cannot be undone)"),
        as_json=arguments.json,
    )

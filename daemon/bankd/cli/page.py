"""`bankctl page`, `archive` and `forget`: pages rearranged, memories taken out, and the links that this breaks."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from bankd.cli import open_named
from bankd.cli.printing import Outcome, styled
from bankd.errors import UsageError
from bankd.translate import counted
from bankd.translate import translate as _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bankd.app.rearrange import Rearranged
    from bankd.app.workspace import Workspace
    from bankd.layouts.links import Link
    from bankd.workspace.graph import LinkGraph


_WORDS = {"split": (1, 1, "PAGE"), "merge": (1, 1, "PAGE"), "move": (2, 2, "OLD NEW"), "links": (0, 1, "[PAGE]")}
"""For each action, how many pages it takes at least and at most, and how these are called."""


def page_command(arguments: Namespace) -> Outcome:
    """Rearrange pages, or list links; 3 when something is left for a person."""
    from bankd.app.rearrange import Rearranger

    pages, action, is_dry = arguments.pages, arguments.action, arguments.dry_run
    least, most, words = _WORDS[action]
    if not least <= len(pages) <= most:
        raise UsageError(f"usage: bankctl page {action} {words}")
    only_lists = action == "links" and not arguments.heal
    with open_named(arguments, write=not (only_lists or is_dry)) as workspace:
        rearranger = Rearranger(workspace)
        if only_lists and not pages:
            return _broken(rearranger.graph, is_all=arguments.all)
        if only_lists:
            links = rearranger.graph.links_to(rearranger.page(pages[0]))
            lines = [f"{_place(link)}  {styled(link.reference.target)}" for link in links]
            return Outcome({"links": [link_row(link) for link in links]}, *lines, counted(len(links), "link"))
        done = rearranger.heal() if action == "links" else getattr(rearranger, action)(*pages)
    if done is None:
        nothing: dict[str, object] = dict.fromkeys(("pages", "gone", "links", "lost", "conflicts"), ())
        return Outcome({"run": None, "applied": False, **nothing}, _("nothing to do"))
    whole = {
        "run": done.run,
        "applied": not is_dry,
        "pages": list(done.sizes),
        "gone": list(done.gone),
        "links": [{"page": e.new_page, "was": e.reference.target, "is": e.target} for e in done.edits],
        "lost": [link_row(link) for link in done.lost],
        "conflicts": list(done.conflicts),
    }
    return Outcome(whole, *_lines(done, is_dry=is_dry), code=3 if done.conflicts or done.lost else 0)


def _lines(done: Rearranged, *, is_dry: bool) -> Iterator[str]:
    for path, size in done.sizes.items():
        yield f"{styled('+', 'green')} {styled(path, 'bold')}  {styled(f'{size / 1024:.1f} KiB', 'dim')}"
    yield from (f"{styled('-', 'yellow')} {styled(path)}" for path in done.gone)
    for edit in done.edits:
        place = edit.new_page if edit.new_page != edit.source else f"{edit.new_page}:{edit.reference.line + 1}"
        change = f"{styled(edit.reference.target)} -> {styled(edit.target)}"
        yield f"{styled('~', 'blue')} {styled(place, 'dim')} {change}"
    for lost in done.lost:
        place, target = f"{styled(lost.source)}:{lost.reference.line + 1}", styled(lost.reference.target)
        yield _(f"{styled('!', 'red')} {place} {target} cannot follow")
    yield from (f"{styled('!', 'red')} {styled(_(conflict))}" for conflict in done.conflicts)
    said = f"{counted(len(done.sizes), 'page')}, {counted(len(done.edits), 'link')}"
    yield styled(_(f"{done.run} would write {said}. Nothing was written") if is_dry else f"{done.run}: {said}", "bold")


def _broken(graph: LinkGraph, *, is_all: bool) -> Outcome:
    """The broken links; 3 when a link broke that worked before."""
    broken = list(graph.broken())
    news, moved = [link for link, once in broken if once], graph.moved()
    blocks = {stray.block: stray.holders for stray in graph.strays() if stray.holders}
    shown = [link for link, _ in broken] if is_all else news
    since_ever, heals = len(broken) - len(news), "now; to update the links: bankctl page links --heal"
    return Outcome(
        {"broken": [link_row(link) for link in shown], "since_ever": since_ever, "moved": moved, "blocks": blocks},
        *map(_broken_line, shown),
        *(_(f"{styled(old)} is {styled(new, 'bold')} {heals}") for old, new in moved.items()),
        *(_(f"{styled(block)} is on {styled(', '.join(pages), 'bold')} {heals}") for block, pages in blocks.items()),
        _(f"{counted(len(news), 'link')} lead nowhere that led somewhere; {since_ever} never did"),
        code=3 if news else 0,
    )


def _place(link: Link) -> str:
    return styled(f"{link.source}:{link.reference.line + 1}", "dim")


def _broken_line(link: Link) -> str:
    return f"{_place(link)}  {styled(link.reference.target, 'bold')}"


def link_row(link: Link) -> dict[str, object]:
    """A link for JSON."""
    return {"page": link.source, "line": link.reference.line + 1, "target": link.reference.target}


def breaking_links(links: Sequence[Link], advice: str) -> Iterator[str]:
    """The links that break, with their places and what can be done about them; nothing if there is none."""
    if links:
        yield styled(_(f"{counted(len(links), 'link')} will break"), "red") + f"; {_(advice)}"
        yield from (f"  {_broken_line(link)}" for link in links)


def archive_command(arguments: Namespace) -> Outcome:
    """List, archive or restore."""
    from bankd.app.archive import collect_garbage, restore_memories
    from bankd.app.review import archive_memories
    from bankd.cli.show import report_answer

    names_ids = arguments.action in {"put", "restore"}
    if names_ids != bool(arguments.ids):
        raise UsageError(f"usage: bankctl archive {arguments.action}{' ID...' if names_ids else ''}")
    if arguments.days > 36_500:
        raise UsageError("--days must be from 0 to 36500")
    writes = not arguments.dry_run and (names_ids or arguments.apply)
    with open_named(arguments, write=writes) as workspace:
        if arguments.action in {"list", "candidates", "forecast"}:
            return _LISTS[arguments.action](workspace, arguments.days)
        if names_ids:
            act = restore_memories if arguments.action == "restore" else archive_memories
            return report_answer(act(workspace, arguments.ids))
        report = collect_garbage(workspace, force=arguments.force)
    way = _("to archive them: bankctl archive gc --apply; to restore one later: bankctl archive restore ID")
    return report_answer(report, way if report.plan.archived and not arguments.apply else "")


def _archived(workspace: Workspace, _days: int) -> Outcome:
    from bankd.app.archive import list_archive

    stored, lines = list_archive(workspace), []
    for one in stored:
        lines += [
            f"{styled(one.id, 'bold')}  {styled(one.since or _('long ago'), 'dim')}  {styled(_(one.reason))}",
            f"  {styled(one.text)}",
            f"  {styled(_(f'was in {one.page}, is in {one.place}'), 'dim')}",
        ]
    last = _(f"{len(stored)} archived; to restore one: bankctl archive restore ID")
    return Outcome({"archive": [asdict(one) for one in stored]}, *lines, last if stored else _("the archive is empty"))


def _candidates(workspace: Workspace, _days: int) -> Outcome:
    from bankd.app.archive import offer_candidates

    offered, lines = offer_candidates(workspace), []
    for one in offered:
        lines.append(f"{one.strength:.2f}  {styled(one.id, 'bold')}  {styled(_(one.reason), 'dim')}")
        lines.append(f"      {styled(one.text)}")
    last = _(f"{len(offered)} may be archived; to archive them all: bankctl archive gc --apply")
    whole = {"candidates": [asdict(one) for one in offered]}
    return Outcome(whole, *lines, last if offered else _("nothing may be archived"))


def _forecast(workspace: Workspace, days: int) -> Outcome:
    from bankd.app.archive import forecast_fading

    (fates, pinned), floor = forecast_fading(workspace, days), workspace.settings.decay.floor
    rows, lines = [], []
    for one in fates:
        day, worth = one.day.isoformat(), one.value / 100
        rows.append({"day": day, "id": one.id, "today": worth, "place": one.place, "text": one.text})
        lines.append(f"{styled(day, 'bold')}  {styled(_(f'now {worth:.2f}'), 'dim')}  {styled(one.text)}")
        lines.append(f"    {styled(f'{one.place}  ^{one.id}', 'dim')}")
    falls, within = counted(len(fates), "opinion falls", "opinions fall"), counted(days, "day")
    said = _(f"{falls} below {floor:.2f} within {within}")
    return Outcome(
        {"floor": floor, "days": days, "falls": rows, "pinned": pinned},
        *lines,
        said + (_(f"; {pinned} pinned, which never fade") if pinned else ""),
        _("to keep one: say it again in a log, write another c=, or bankctl review keep ID") if fates else "",
    )


_LISTS = {"list": _archived, "candidates": _candidates, "forecast": _forecast}
_FINAL = "repair them by hand: this cannot be undone"


def forget_command(arguments: Namespace) -> Outcome:
    """Delete a memory for good, or say what would go."""
    from bankd.app.archive import forget_memory

    if arguments.everywhere:
        return _purge(arguments)
    applies = not arguments.dry_run
    with open_named(arguments, write=applies) as workspace:
        gone = forget_memory(workspace, arguments.what)
    whole = {"id": gone.id, "pages": gone.pages, "run": gone.run, "applied": applies}
    copies = "old copies of the page remain for a while; to delete them too: bankctl forget --everywhere"
    done = _(f"its log line will not bring it back; {copies} {gone.id} --apply")
    return Outcome(
        {**whole, "dangling": [link_row(link) for link in gone.dangling]},
        *breaking_links(gone.dangling, _FINAL),
        f"{_('forgotten' if applies else 'would be forgotten')}: {styled(gone.text)}",
        *(_(f"  out of {styled(page)}") for page in gone.pages),
        done if applies else _(f"nothing was written; to do it: bankctl forget {gone.id} (this cannot be undone)"),
    )


def _purge(arguments: Namespace) -> Outcome:
    """Remove a text from everything that bankd keeps, or say from where; then say where bankd does not reach."""
    from bankd.app.archive import purge_text

    applies = arguments.apply and not arguments.dry_run
    with open_named(arguments, write=applies) as workspace:
        purged = purge_text(workspace, arguments.what)
    done, dangling = styled(_("purged" if applies else "would be purged"), "green"), purged.dangling
    whole = {"cleaned": purged.cleaned, "beyond": purged.beyond, "applied": applies}
    return Outcome(
        {**whole, "dangling": [link_row(link) for link in dangling]},
        *breaking_links(dangling, _FINAL),
        *(f"{done}  {styled(path)}" for path in purged.cleaned),
        _("bankd does not reach:"),
        *(f"  {styled(_(place), 'yellow')}" for place in purged.beyond),
        "" if applies else _("nothing was written; to do it, repeat with --apply (this cannot be undone)"),
    )

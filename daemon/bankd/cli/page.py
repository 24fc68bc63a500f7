"""`bankctl page`, `archive` and `forget`: pages rearranged, memories taken out, and the links that this breaks."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from bankd.cli.location import open_named
from bankd.cli.printing import say, say_answer, styled
from bankd.errors import UsageError
from bankd.translate import counted
from bankd.translate import translate as _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bankd.app.archive import ArchivedMemory, FadingForecast, OfferedMemory
    from bankd.app.rearrange import Rearranged, Rearranger
    from bankd.app.workspace import Workspace
    from bankd.layouts.links import Link
    from bankd.workspace.graph import LinkGraph


_WORDS = {"split": (1, 1, "PAGE"), "merge": (1, 1, "PAGE"), "move": (2, 2, "OLD NEW"), "links": (0, 1, "[PAGE]")}
"""For each action, how many pages it takes at least and at most, and how these are called."""


def page_command(arguments: Namespace) -> int:
    """Rearrange pages, or list links."""
    pages, is_dry = arguments.pages, arguments.dry_run
    least, most, words = _WORDS[arguments.action]
    if not least <= len(pages) <= most:
        raise UsageError(f"usage: bankctl page {arguments.action} {words}")
    if arguments.action == "links" and not arguments.heal:
        return _links(arguments)

    acts: dict[str, Callable[[Rearranger], Rearranged | None]] = {
        "split": lambda one: one.split(pages[0], dry_run=is_dry),
        "merge": lambda one: one.merge(pages[0], dry_run=is_dry),
        "move": lambda one: one.move(*pages, dry_run=is_dry),
        "links": lambda one: one.heal(dry_run=is_dry),
    }
    return _rearrange(arguments, acts[arguments.action])


def _rearrange(arguments: Namespace, act: Callable[[Rearranger], Rearranged | None]) -> int:
    """Open the workspace and its graph, act, and print what was done; 3 when something is left for a person."""
    from bankd.app.rearrange import Rearranger

    is_dry = arguments.dry_run
    with open_named(arguments, write=not is_dry) as workspace:
        rearranger = Rearranger(workspace)
        done = act(rearranger)
    if done is None:
        nothing: dict[str, object] = dict.fromkeys(("pages", "gone", "links", "lost", "conflicts"), ())
        return say_answer({"run": None, "applied": False, **nothing}, _("nothing to do"), as_json=arguments.json)
    whole = {
        "run": done.run,
        "applied": not is_dry,
        "pages": list(done.sizes),
        "gone": list(done.gone),
        "links": [{"page": e.new_page, "was": e.reference.target, "is": e.target} for e in done.edits],
        "lost": [_row(link) for link in done.lost],
        "conflicts": list(done.conflicts),
    }
    say_answer(whole, *_lines(done, is_dry=is_dry), as_json=arguments.json)
    return 3 if done.conflicts or done.lost else 0


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


def _links(arguments: Namespace) -> int:
    from bankd.app.rearrange import Rearranger

    with open_named(arguments, write=False) as workspace:
        rearranger = Rearranger(workspace)
        graph = rearranger.graph
        if not arguments.pages:
            return _check(graph, arguments)
        links = graph.links_to(rearranger.page(arguments.pages[0]))
    lines = [f"{_place(link)}  {styled(link.reference.target)}" for link in links]
    whole = {"links": [_row(link) for link in links]}
    return say_answer(whole, *lines, counted(len(links), "link"), as_json=arguments.json)


def _check(graph: LinkGraph, arguments: Namespace) -> int:
    """Print broken links; 3 when a link broke that worked before."""
    broken = list(graph.broken())
    news, moved = [link for link, once in broken if once], graph.moved()
    blocks = {stray.block: stray.holders for stray in graph.strays() if stray.holders}
    shown = [link for link, _ in broken] if arguments.all else news
    since_ever, heals = len(broken) - len(news), "now; to update the links: bankctl page links --heal"
    say_answer(
        {"broken": [_row(link) for link in shown], "since_ever": since_ever, "moved": moved, "blocks": blocks},
        *(f"{_place(link)}  {styled(link.reference.target, 'bold')}" for link in shown),
        *(_(f"{styled(old)} is {styled(new, 'bold')} {heals}") for old, new in moved.items()),
        *(_(f"{styled(block)} is on {styled(', '.join(pages), 'bold')} {heals}") for block, pages in blocks.items()),
        _(f"{counted(len(news), 'link')} lead nowhere that led somewhere; {since_ever} never did"),
        as_json=arguments.json,
    )
    return 3 if news else 0


def _place(link: Link) -> str:
    return styled(f"{link.source}:{link.reference.line + 1}", "dim")


def _row(link: Link) -> dict[str, object]:
    return {"page": link.source, "line": link.reference.line + 1, "target": link.reference.target}


class Announcer:
    """Prints links that will break, with their places and the advice; `rows` has them for JSON."""

    def __init__(self, advice: str, *, as_json: bool) -> None:
        """Take what can be done about them; with `as_json` nothing is printed."""
        self._advice, self._as_json = advice, as_json
        self.rows: list[dict[str, object]] = []

    def __call__(self, dangling: Sequence[Link]) -> None:
        """Print them."""
        self.rows += map(_row, dangling)
        if dangling and not self._as_json:
            say(styled(_(f"{counted(len(dangling), 'link')} will break"), "red") + f"; {_(self._advice)}")
            for link in dangling:
                say(f"  {_place(link)}  {styled(link.reference.target, 'bold')}")


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

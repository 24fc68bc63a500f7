"""What `split`, `merge`, `move` and `links heal` have in common: open, do, tell.

`bankctl split`: a page becomes a hub with parts, and every link follows.

`bankctl merge`: the parts of a page go back into it, and every link follows.

`bankctl move`: a page or folder gets another path, and every link follows.

`bankctl links`: what leads nowhere, who links to a page, and links to what the user has moved.

How a command says, before it acts, which links will lead nowhere.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from bankd.cli.base import add_dry_run, add_json
from bankd.cli.location import open_named
from bankd.cli.printing import say, say_answer, styled
from bankd.errors import UsageError

if TYPE_CHECKING:
    from bankd.app.rearrange import Rearranged, Rearranger
    from bankd.layouts.links import Link
    from bankd.layouts.relink import Edit
    from bankd.ports import Graph

_NOTHING: dict[str, object] = {"run": None, "applied": False} | {
    name: [] for name in ("pages", "gone", "links", "lost", "conflicts")
}


def rearrange(arguments: Namespace, act: Callable[[Rearranger], Rearranged | None]) -> int:
    """Open the workspace and its graph, act, and tell what became of it; 3 when something was left for a person."""
    from bankd.app.rearrange import open_rearranger

    with (
        open_named(arguments, write=not arguments.dry_run) as workspace,
        open_rearranger(workspace) as (rearranger, _),
    ):
        done = act(rearranger)
    if done is None:
        return say_answer(_NOTHING, "nothing to do", as_json=arguments.json)
    is_dry = arguments.dry_run
    say_answer(_as_json(done, is_dry=is_dry), *_lines(done, is_dry=is_dry), as_json=arguments.json)
    return 3 if done.conflicts or done.lost else 0


def _lines(done: Rearranged, *, is_dry: bool) -> Iterator[str]:
    for path, size in done.sizes.items():
        yield f"{styled('+', 'green')} {styled(path, 'bold')}  {styled(f'{size / 1024:.1f} KiB', 'dim')}"
    yield from (f"{styled('-', 'yellow')} {styled(path)}" for path in done.gone)
    for edit in done.edits:
        place, sign = styled(_place_rearranged(edit), "dim"), styled("~", "blue")
        yield f"{sign} {place} {styled(edit.reference.target)} -> {styled(edit.target)}"
    for lost in done.lost:
        place, target = f"{styled(lost.source)}:{lost.reference.line + 1}", styled(lost.reference.target)
        yield f"{styled('!', 'red')} {place} {target} could not follow"
    yield from (f"{styled('!', 'red')} {styled(conflict)}" for conflict in done.conflicts)
    said = f"{len(done.sizes)} pages, {len(done.edits)} links"
    yield styled(f"{done.run} would write {said}. Nothing was written" if is_dry else f"{done.run}: {said}", "bold")


def _as_json(done: Rearranged, *, is_dry: bool) -> dict[str, object]:
    return {
        "run": done.run,
        "applied": not is_dry,
        "pages": list(done.sizes),
        "gone": list(done.gone),
        "links": [{"page": e.new_page, "was": e.reference.target, "is": e.target} for e in done.edits],
        "lost": [
            {"page": one.source, "line": one.reference.line + 1, "target": one.reference.target} for one in done.lost
        ],
        "conflicts": list(done.conflicts),
    }


def _place_rearranged(edit: Edit) -> str:
    return edit.new_page if edit.new_page != edit.source else f"{edit.new_page}:{edit.reference.line + 1}"


def split_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("page", metavar="PAGE", help="relative to bank/, or its unique name")
    add_dry_run(parser)
    add_json(parser)


def split_command(arguments: Namespace) -> int:
    """Split and tell."""
    return rearrange(arguments, lambda rearranger: rearranger.split(arguments.page, dry_run=arguments.dry_run))


def merge_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("page", metavar="PAGE", help="the hub, relative to bank/, or its unique name")
    add_dry_run(parser)
    add_json(parser)


def merge_command(arguments: Namespace) -> int:
    """Merge and tell."""
    return rearrange(arguments, lambda rearranger: rearranger.merge(arguments.page, dry_run=arguments.dry_run))


def move_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("old", metavar="OLD", help="a page or folder, relative to bank/")
    parser.add_argument("new", metavar="NEW", help="its new path, relative to bank/; a page ends in .md")
    add_dry_run(parser)
    add_json(parser)


def move_command(arguments: Namespace) -> int:
    """Move and tell."""
    return rearrange(
        arguments, lambda rearranger: rearranger.move(arguments.old, arguments.new, dry_run=arguments.dry_run)
    )


def links_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "check: links that led somewhere and do not now; to PAGE: who links to it; heal: follow what was moved in an editor"
    parser.add_argument("action", choices=["check", "to", "heal"], help=help_)
    parser.add_argument("page", nargs="?", metavar="PAGE", help="relative to bank/, or its unique name")
    parser.add_argument("--all", action="store_true", help="check: also links that have always been broken")
    add_dry_run(parser, "heal")
    add_json(parser)


def links_command(arguments: Namespace) -> int:
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


class Announcer:
    """Prints the links that will lead nowhere, with their places and what can be done; `rows` has them for JSON."""

    def __init__(self, advice: str, *, as_json: bool) -> None:
        """Say this of them, or with `as_json` nothing yet."""
        self._advice, self._as_json = advice, as_json
        self.rows: list[dict[str, object]] = []

    def __call__(self, dangling: Sequence[Link]) -> None:
        """Print them."""
        if dangling and not self._as_json:
            say(f"{styled(f'{len(dangling)} links will lead nowhere', 'red')}; {self._advice}")
        for link in dangling:
            line, target = link.reference.line + 1, link.reference.target
            self.rows.append({"page": link.source, "line": line, "target": target})
            if not self._as_json:
                say(f"  {styled(f'{link.source}:{line}', 'dim')}  {styled(target, 'bold')}")

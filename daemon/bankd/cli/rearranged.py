"""What `split`, `merge`, `move` and `links heal` have in common: open, do, tell."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import open_named

if TYPE_CHECKING:
    from bankd.app.rearrange import Rearranged, Rearranger
    from bankd.core.links.relink import Edit

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
        place, sign = styled(_place(edit), "dim"), styled("~", "blue")
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


def _place(edit: Edit) -> str:
    return edit.new_page if edit.new_page != edit.source else f"{edit.new_page}:{edit.reference.line + 1}"

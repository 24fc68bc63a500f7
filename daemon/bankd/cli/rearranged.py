"""What `split`, `merge`, `move` and `links heal` have in common: open, do, tell."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from bankd.cli.printing import say, say_json, styled
from bankd.cli.workspace import open_named

if TYPE_CHECKING:
    from bankd.app.rearrange import Rearranged, Rearranger
    from bankd.core.links.relink import Edit

_NOTHING: dict[str, object] = {
    "run": None,
    "applied": False,
    "pages": [],
    "gone": [],
    "links": [],
    "lost": [],
    "conflicts": [],
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
        (say_json(_NOTHING) if arguments.json else say("nothing to do"))
        return 0
    (_tell_json if arguments.json else _tell)(done, is_dry=arguments.dry_run)
    return 3 if done.conflicts or done.relinked.lost else 0


def _tell(done: Rearranged, *, is_dry: bool) -> None:
    for path in done.layout.new_paths:
        size = len(done.relinked.texts[path].encode("utf-8", "surrogateescape"))
        say(f"{styled('+', 'green')} {styled(path, 'bold')}  {styled(f'{size / 1024:.1f} KiB', 'dim')}")
    for path in done.layout.gone:
        say(f"{styled('-', 'yellow')} {styled(path)}")
    for edit in done.relinked.edits:
        say(
            f"{styled('~', 'blue')} {styled(_place(edit), 'dim')} {styled(edit.reference.target)} -> {styled(edit.target)}"
        )
    for lost in done.relinked.lost:
        say(
            f"{styled('!', 'red')} {styled(lost.source)}:{lost.reference.line + 1} {styled(lost.reference.target)} could not follow"
        )
    for conflict in done.conflicts:
        say(f"{styled('!', 'red')} {styled(conflict)}")
    said = f"{len(done.layout.new_paths)} pages, {len(done.relinked.edits)} links"
    say(styled(f"{done.run} would write {said}. Nothing was written" if is_dry else f"{done.run}: {said}", "bold"))


def _tell_json(done: Rearranged, *, is_dry: bool) -> None:
    edits = [{"page": e.new_page, "was": e.reference.target, "is": e.target} for e in done.relinked.edits]
    lost = [
        {"page": item.source, "line": item.reference.line + 1, "target": item.reference.target}
        for item in done.relinked.lost
    ]
    say_json(
        {
            "run": done.run,
            "applied": not is_dry,
            "pages": list(done.layout.new_paths),
            "gone": list(done.layout.gone),
            "links": edits,
            "lost": lost,
            "conflicts": list(done.conflicts),
        }
    )


def _place(edit: Edit) -> str:
    return edit.new_page if edit.new_page != edit.source else f"{edit.new_page}:{edit.reference.line + 1}"

"""`bankctl adopt`: a vault, or the logs of an agent, become a workspace's; what is read and never touched is said first."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from shlex import quote
from typing import TYPE_CHECKING

from bankd.cli.options import add_dry_run, add_json
from bankd.cli.printing import say, say_answer, styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bankd.app.adopt import Adoption

_SHOWN = 20
"""Names that are printed of what is left out: a vault may have hundreds of pictures."""


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("folder", metavar="DIR", help="a folder of Markdown: a vault, or what has logs in memory/")
    parser.add_argument("workspace_folder", metavar="NEW", help="the workspace to make for it")
    parser.add_argument("--copy", action="store_true", help="copy its Markdown; without, it is used where it is")
    add_dry_run(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Say what will be read and written, then make the workspace."""
    from pathlib import Path

    from bankd.app.adopt import Adopted, adopt_folder, plan_adoption

    folder, root = (Path(given).expanduser().resolve() for given in (arguments.folder, arguments.workspace_folder))
    adoption = plan_adoption(folder, root, is_copy=arguments.copy)
    if not arguments.json:
        _say_plan(adoption)
    adopted = Adopted([], ()) if arguments.dry_run else adopt_folder(adoption)
    counts = {"pages": len(adoption.parts.get("bank", ())), "logs": len(adoption.parts.get("memory", ()))}
    left_out = [{"why": why, "files": names} for why, names in adoption.left_out.items()]
    whole = {"workspace": str(root), "folder": str(folder), **counts, "left_out": left_out}
    return say_answer(
        {**whole, "made": adopted.made, "kept": adopted.kept},
        f"{styled('kept', 'bold')}    {_counted(adopted.kept, 'copies that were there and differ from their source')}"
        if adopted.kept
        else "",
        "Nothing was written." if arguments.dry_run else f"Made {root}. Next: cd there, and bankctl cycle micro",
        as_json=arguments.json,
    )


def _say_plan(adoption: Adoption) -> None:
    how = "copied to {}" if adoption.is_copy else "used where they are"
    label = styled("reads", "bold")
    for becomes, files in adoption.parts.items():
        what = "logs" if becomes == "memory" else "pages"
        place = styled(str(adoption.source(becomes)))
        say(f"{label}   {len(files)} Markdown files below {place}, {how.format(adoption.root / becomes)}: {what}")
        label = "     "
    if "bank" in adoption.parts and not adoption.is_copy:
        say(f"{styled('writes', 'bold')}  new memories on the pages that routing.yaml names, and _meta/ beside them;")
        say("        links in pages follow when a page is moved or split with bankctl")
    else:
        say(
            f"{styled('writes', 'bold')}  nothing there: what the logs say goes to pages in {styled(str(adoption.root))}"
        )
    for why, names in adoption.left_out.items():
        say(f"{styled('leaves', 'bold')}  {_counted(names, why)}")
    if adoption.left_out and not adoption.is_copy and "bank" not in adoption.parts:
        say(
            f"        to have all Markdown: bankctl adopt {quote(str(adoption.folder))} {quote(str(adoption.root))} --copy"
        )
    whole = f"; {adoption.large} large pages stay whole (split.pages: own)" if adoption.large else ""
    say(f"{styled('never', 'bold')}   hidden folders, or a line that you wrote{whole}")


def _counted(names: Sequence[str], what: str) -> str:
    """How many files, what they are, and their names: the first of many, since `--json` has all."""
    more = f", and {len(names) - _SHOWN} more (--json names them)" if len(names) > _SHOWN else ""
    return f"{len(names)} {what}: {', '.join(map(styled, names[:_SHOWN]))}{more}"

"""`bankctl adopt`: a vault, or the logs of an agent, become a workspace's; what is read and never touched is said first."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.options import add_dry_run, add_json
from bankd.cli.printing import say, say_answer, styled

if TYPE_CHECKING:
    from bankd.app.adopt import Adoption


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

    from bankd.app.adopt import adopt_folder, plan_adoption

    folder, root = (Path(given).expanduser().resolve() for given in (arguments.folder, arguments.workspace_folder))
    adoption = plan_adoption(folder, root, is_copy=arguments.copy)
    if not arguments.json:
        _say_plan(adoption)
    made = [] if arguments.dry_run else adopt_folder(adoption)
    whole = {"workspace": str(root), "folder": str(adoption.folder), "pages": len(adoption.pages), "made": made}
    said = "Nothing was written." if arguments.dry_run else f"Made {root}. Next: cd there, and bankctl cycle micro"
    return say_answer(whole, said, as_json=arguments.json)


def _say_plan(adoption: Adoption) -> None:
    how = f"copied to {adoption.root / adoption.becomes}" if adoption.is_copy else "used where they are"
    say(f"{styled('reads', 'bold')}   {len(adoption.pages)} Markdown files below {styled(str(adoption.folder))}, {how}")
    if adoption.becomes == "memory":
        say(
            f"{styled('writes', 'bold')}  nothing there: they are logs, and what they say goes to pages in {adoption.root}"
        )
    else:
        say(f"{styled('writes', 'bold')}  new memories on the pages that routing.yaml names, and _meta/ beside them;")
        say("        links in pages follow when a page is moved or split with bankctl")
    whole = f"; {adoption.large} large pages stay whole (split.pages: own)" if adoption.large else ""
    say(
        f"{styled('never', 'bold')}   the {adoption.others} other files, hidden folders, or a line that you wrote{whole}"
    )

"""`bankctl undo`: take a run back."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.dangling import Announcer
from bankd.cli.options import add_dry_run, add_json
from bankd.cli.printing import say, say_json, styled
from bankd.cli.workspace import open_named

if TYPE_CHECKING:
    from bankd.app.undo import Undone


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("run_id", metavar="RUN", help="the run, as `bankctl log` names it")
    add_dry_run(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Say what stays, then take back the rest."""
    from bankd.app.undo import Undo

    announcer = Announcer("undoing this undo lets them lead there again", as_json=arguments.json)
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        undo = Undo(workspace, arguments.run_id)
        announcer(undo.dangling)
        if not arguments.json:
            _say_what_stays(undo.stays)
        undone = undo.foretell() if arguments.dry_run else undo.carry_out()
    if arguments.json:
        stays = list(dict.fromkeys([*undo.stays, *undone.stays]))
        applied = not arguments.dry_run
        said = {"run": undone.run, "undoes": arguments.run_id, "changed": undone.changed, "stays": stays}
        say_json({**said, "applied": applied, "dangling": announcer.rows})
    else:
        _tell(undone, is_dry=arguments.dry_run)
    return 0


def _say_what_stays(stays: list[str]) -> None:
    for words in stays:
        say(f"{styled('stays', 'yellow')} {styled(words)}")


def _tell(undone: Undone, *, is_dry: bool) -> None:
    for path in undone.changed:
        say(f"{styled('back', 'green')}  {styled(path)}")
    if is_dry:
        say("nothing was written")
        return
    _say_what_stays(list(undone.stays))
    if undone.changed:
        say(f"taken back; bankctl undo {undone.run} brings it again")
    else:
        say("nothing of it is left to take back")

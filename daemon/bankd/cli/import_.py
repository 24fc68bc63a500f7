"""`bankctl import`: conversations and notes from elsewhere become logs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.options import add_dry_run, add_json
from bankd.cli.printing import Progress, say, say_json, styled
from bankd.cli.workspace import open_named

if TYPE_CHECKING:
    from bankd.app.import_sources import Imported
    from bankd.app.workspace import Workspace

_LOOK_SECONDS = 5.0


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "source",
        nargs="*",
        metavar="SOURCE",
        help="files, zip exports or folders, such as ~/.claude/projects (default: what imports.watch in bankd.yaml names)",
    )
    parser.add_argument("--watch", action="store_true", help="stay, and import what is new every few seconds")
    add_dry_run(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Import once, or again and again."""
    from threading import Event

    code, pause = 0, Event()
    while True:
        code = _import_once(arguments)
        if not arguments.watch:
            return code
        pause.wait(_LOOK_SECONDS)


def _import_once(arguments: Namespace) -> int:

    with open_named(arguments, write=not arguments.dry_run) as workspace:
        done = _imported(workspace, arguments)
    if arguments.json:
        _print_json(done)
    elif done or not arguments.watch:
        _print(done, is_dry=arguments.dry_run)
    return 3 if any(one.problem for one in done) and arguments.source else 0


def _imported(workspace: Workspace, arguments: Namespace) -> list[Imported]:
    from bankd.wiring.importing import forget_handed_over, import_sources, sources_at

    sources = sources_at(workspace, arguments.source)
    bar = Progress("import", len(sources))
    done: list[Imported] = []
    for imported in import_sources(workspace, sources, is_by_hand=not arguments.watch, dry_run=arguments.dry_run):
        done.append(imported)
        bar.step(imported.source.rpartition("/")[2])
    bar.close()
    if not (arguments.source or arguments.dry_run):
        forget_handed_over(workspace)
    return done


def _print(done: list[Imported], *, is_dry: bool) -> None:
    for one in done:
        for log, turns in sorted(one.added.items()):
            say(f"{styled('+', 'green')} memory/imports/{styled(log)}  {styled(f'{turns} turns', 'dim')}")
        for torn in one.torn:
            say(styled(f"! {one.source}:{torn.line}: {torn.reason}", "red"))
        if one.problem:
            say(styled(f"! {one.source}: {one.problem}", "red"))
    turns = sum(sum(one.added.values()) for one in done)
    known = sum(one.known for one in done)
    verb = "would be imported" if is_dry else "imported"
    left = sum(bool(one.problem) for one in done)
    say(
        f"{turns} turns {verb}, {known} known or empty, from {len(done)} changed sources"
        + (f"; {left} not read" if left else "")
    )


def _print_json(done: list[Imported]) -> None:
    from dataclasses import asdict

    say_json({"imported": [asdict(one) for one in done]})

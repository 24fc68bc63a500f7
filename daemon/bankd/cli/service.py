"""`bankctl service`: puts bankd under systemd, for yourself or as an instance of the system's template."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.options import add_json
from bankd.cli.printing import plain, say, say_json, styled
from bankd.cli.workspace import find_workspace

if TYPE_CHECKING:
    from bankd.app.service_units import Installation


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "action",
        choices=["install", "status", "uninstall", "reload"],
        help="install: put the unit in place and start it; reload: have the daemon read its settings again",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--user", action="store_true", help="as a service of yourself (the default)")
    where.add_argument("--all", action="store_true", help="as one service for all banks on the list of `bankctl banks`")
    where.add_argument("--system", action="store_true", help="as bankd@NAME.service of the system; needs root")
    parser.add_argument("--name", metavar="NAME", help="with --system: the user that it runs as")
    parser.add_argument("--no-start", action="store_true", help="put the files in place, and start nothing")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Do what was asked."""
    from bankd.wiring.probing import find_installation, installation_of_all

    if arguments.all:
        installation = installation_of_all()
    else:
        root = find_workspace(arguments.workspace)
        installation = find_installation(root, is_user=not arguments.system, name=arguments.name)
    if arguments.action == "reload":
        return _reload(installation)
    if arguments.action == "status":
        return _status(installation, as_json=arguments.json)
    done = (
        installation.install(start=not arguments.no_start)
        if arguments.action == "install"
        else installation.uninstall()
    )
    for line in done:
        say(plain(line))
    return 0


def _reload(installation: Installation) -> int:
    from bankd.app.doctor import reload_daemon
    from bankd.wiring.probing import open_probe

    if installation.is_all:
        installation.manager.run("reload", installation.unit)
        say(f"all read their settings again; what is wrong with one: journalctl --user -u {installation.unit}")
        return 0
    with open_probe(installation.root) as probe:
        problem = reload_daemon(probe)
    say(plain(problem) if problem else "settings reloaded")
    return 3 if problem else 0


def _status(installation: Installation, *, as_json: bool) -> int:
    from dataclasses import asdict

    state = installation.state()
    if as_json:
        say_json({"unit": installation.unit, "path": str(installation.path), **asdict(state)})
    elif not installation.path.exists():
        say(f"{installation.unit} is not installed; to have the work done by itself: {installation.how_to_start()}")
    else:
        say(
            f"{installation.unit}: {styled(state.active or 'unknown', 'bold')} ({state.sub}), {state.enabled}, restarts {state.restarts}"
        )
        say(styled(state.text))
    return 0 if state.active in {"active", "reloading", "activating"} else 3

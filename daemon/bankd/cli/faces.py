"""`bankctl ui`: the page, in the browser of this machine.

`bankctl` alone on a terminal: the finder, where it is installed and there is a bank to find in.

`bankctl banks`: the banks that `search --all`, the page and the finder know.

`bankctl service`: puts bankd under systemd, for yourself or as an instance of the system's template.

Completion scripts for bash, zsh and fish: static text, so that a TAB starts no Python.

`bankctl completions`: what a shell needs to complete commands and options, read from their own parsers.
"""

from __future__ import annotations

import argparse
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bankd.cli.base import COMMANDS, Parser, add_json, whole_number
from bankd.cli.location import find_workspace, locate_workspace
from bankd.cli.printing import plain, say, say_answer, say_json, styled
from bankd.errors import UsageError, UserError

if TYPE_CHECKING:
    from bankd.app.units import Installation


def ui_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "--port", type=whole_number, default=0, metavar="N", help="listen on this port (default: a free one)"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the link")


def ui_command(arguments: Namespace) -> int:
    """Serve until Ctrl-C."""
    if arguments.port > 65_535:
        raise UsageError("--port must be from 0 to 65535")
    here = locate_workspace(arguments.workspace)
    try:
        from bankd.ui.application import serve_page
    except ImportError as error:
        raise UserError(f"the page needs {error.name}; install it with: pip install 'bankd[ui]'") from error
    from bankd.wiring.banks import banks_around

    serve_page(
        lambda: banks_around(here), arguments.port, lambda link: _announce(link, open_it=not arguments.no_browser)
    )
    return 0


def _announce(link: str, *, open_it: bool) -> None:
    import sys
    import webbrowser

    say(link)
    say("the link opens once, on this machine; Ctrl-C ends the page")
    sys.stdout.flush()
    if open_it and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"):
        webbrowser.open(link)


def open_finder() -> bool:
    """Open it, and say whether it was there to be opened."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        return False
    from importlib.util import find_spec

    from bankd.cli.location import locate_workspace
    from bankd.errors import UserError

    if find_spec("textual") is None:
        return False
    from bankd.wiring.banks import Banks, banks_around

    try:
        here = locate_workspace(None)
    except UserError:
        here = None
    if not banks_around(here):
        return False
    from bankd.finder import Finder

    banks = Banks(lambda: banks_around(here), stays=True)
    try:
        Finder(banks, os.environ).run()
    finally:
        banks.close()
    return True


def banks_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "list (default); add [DIR]: put the workspace on the list; remove NAME|DIR: take it off, and touch nothing in it"
    parser.add_argument("action", nargs="?", choices=["list", "add", "remove"], default="list", help=help_)
    parser.add_argument("bank", nargs="?", metavar="DIR|NAME", help="the workspace (default: the one here)")
    parser.add_argument("--name", metavar="NAME", help="add: what to call it (default: the name of its folder)")
    add_json(parser)


def banks_command(arguments: Namespace) -> int:
    """List, or change the list."""
    from bankd.wiring.banks import read_banks

    banks = read_banks()
    if arguments.action == "add":
        return _add(banks, arguments)
    if arguments.action == "remove":
        return _remove(banks, arguments)
    return _list(banks, as_json=arguments.json)


def _add(banks: dict[str, str], arguments: Namespace) -> int:
    from bankd.wiring.banks import write_banks

    root = os.path.realpath(locate_workspace(arguments.bank or arguments.workspace))
    known = next((name for name, folder in banks.items() if os.path.realpath(folder) == root), None)
    name = _checked(arguments.name or known or os.path.basename(root), root, banks)  # noqa: PTH119 -- in `search --all` too
    kept = {one: folder for one, folder in banks.items() if one != known}
    if {**kept, name: root} != banks:
        write_banks({**kept, name: root})
    said = styled(f"{name} is on the list: bankctl search --all asks it too")
    return say_answer({"added": name, "root": root}, said, as_json=arguments.json)


def _checked(name: str, root: str, banks: dict[str, str]) -> str:
    if not root.isprintable():
        raise UserError(f"{root!r} cannot be on a list of a line each; rename the folder")
    if ":" in name or not name.strip() or name.startswith("#") or not name.isprintable():
        raise UserError(f"{name!r} cannot be the name of a bank: no colon, no # at its start; give another with --name")
    if os.path.realpath(banks.get(name, root)) != root:
        raise UserError(f"{name} is {banks[name]} already; give this one another name with --name")
    return name.strip()


def _remove(banks: dict[str, str], arguments: Namespace) -> int:
    from bankd.wiring.banks import write_banks

    wanted = arguments.bank or locate_workspace(arguments.workspace)
    folder = os.path.realpath(os.path.expanduser(wanted))  # noqa: PTH111 -- as above
    name = next((one for one, root in banks.items() if one == wanted or os.path.realpath(root) == folder), None)
    if name is None:
        raise UserError(f"{wanted}: no bank on the list has this name or folder; bankctl banks shows them")
    write_banks({one: root for one, root in banks.items() if one != name})
    said = styled(f"{name} is off the list; {banks[name]} is as it was")
    return say_answer({"removed": name, "root": banks[name]}, said, as_json=arguments.json)


def _list(banks: dict[str, str], *, as_json: bool) -> int:
    rows = [{"name": name, "root": root, "problem": _problem_of(root)} for name, root in banks.items()]
    shown = [(styled(row["name"], "bold"), styled(row["root"]), styled(row["problem"], "red")) for row in rows]
    lines = ["  ".join(filter(None, parts)) for parts in shown]
    none = "" if rows else "no bank is on the list; bankctl banks add DIR puts one there"
    say_answer({"banks": rows}, *lines, none, as_json=as_json)
    return 3 if any(row["problem"] for row in rows) else 0


def _problem_of(root: str) -> str:
    is_there = os.path.isfile(os.path.join(root, "bankd.yaml"))  # noqa: PTH113, PTH118 -- as above
    return "" if is_there else "no workspace is there (now)"


def service_arguments(parser: ArgumentParser) -> None:
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


def service_command(arguments: Namespace) -> int:
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


@dataclass(frozen=True, slots=True)
class Option:
    """An option; `kind` is `file`, `folder` or empty for what it takes."""

    name: str
    help: str
    takes: bool
    kind: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Completable:
    """A command with its options and the words that may follow it."""

    name: str
    summary: str
    options: tuple[Option, ...]
    words: tuple[str, ...]


def render_completions(shell: str, commands: Sequence[Completable]) -> str:
    """The script for a shell."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands)


def _bash(commands: Sequence[Completable]) -> str:
    lines = ["# bankctl, for bash: source this file, or save it in ~/.local/share/bash-completion/completions/bankctl"]
    lines += ["_bankctl() {", '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" name="" i']
    lines += [
        "  for ((i = 1; i < COMP_CWORD; i++)); do",
        '    case "${COMP_WORDS[i]}" in -*) ;; *) name="${COMP_WORDS[i]}"; break ;; esac',
    ]
    lines += ["  done", '  case "$before" in']
    lines += _bash_values(commands)
    lines += ["  esac", '  case "$name" in']
    for command in commands:
        words = " ".join([*command.words, *(option.name for option in command.options)])
        lines.append(f'    {command.name}) COMPREPLY=($(compgen -W "{words}" -- "$word")) ;;')
    names = " ".join(command.name for command in commands)
    lines += [f'    *) COMPREPLY=($(compgen -W "{names} --help --version" -- "$word")) ;;', "  esac", "}"]
    return "\n".join([*lines, "complete -o default -F _bankctl bankctl"]) + "\n"


def _bash_values(commands: Sequence[Completable]) -> list[str]:
    values: dict[str, str] = {}
    for option in (option for command in commands for option in command.options if option.takes):
        if option.choices:
            values[option.name] = f'compgen -W "{" ".join(option.choices)}" -- "$word"'
        elif option.kind:
            values[option.name] = f'compgen -{"d" if option.kind == "folder" else "f"} -- "$word"'
    return [f"    {name}) COMPREPLY=($({value})); return ;;" for name, value in sorted(values.items())]


def _zsh(commands: Sequence[Completable]) -> str:
    lines = ["#compdef bankctl", "# bankctl, for zsh: save this file as _bankctl in a folder of $fpath", "_bankctl() {"]
    lines += ["  local -a commands", "  commands=("]
    lines += [f"    {_quoted(f'{command.name}:{command.summary}')}" for command in commands]
    lines += ["  )", "  if (( CURRENT == 2 )); then _describe command commands; return; fi", '  case "$words[2]" in']
    for command in commands:
        arguments = [_zsh_option(option) for option in command.options]
        words = f"*:argument:({' '.join(command.words)})" if command.words else "*:argument:_files"
        lines.append(f"    {command.name}) _arguments {' '.join([*arguments, _quoted(words)])} ;;")
    return "\n".join([*lines, "  esac", "}", '_bankctl "$@"']) + "\n"


def _zsh_option(option: Option) -> str:
    text = option.help.replace("[", "(").replace("]", ")").replace(":", "\\:")
    tail = ""
    if option.takes:
        action = (
            f"({' '.join(option.choices)})"
            if option.choices
            else {"file": "_files", "folder": "_files -/"}.get(option.kind, "")
        )
        tail = f":value:{action}"
    return _quoted(f"{option.name}[{text}]{tail}")


def _fish(commands: Sequence[Completable]) -> str:
    lines = ["# bankctl, for fish: save this file as ~/.config/fish/completions/bankctl.fish", "complete -c bankctl -f"]
    for command in commands:
        lines.append(f"complete -c bankctl -n __fish_use_subcommand -a {command.name} -d {_quoted(command.summary)}")
        inside = f"complete -c bankctl -n '__fish_seen_subcommand_from {command.name}'"
        lines += [f"{inside} -a {word}" for word in command.words]
        lines += [f"{inside} {_fish_option(option)}" for option in command.options]
    return "\n".join(lines) + "\n"


def _fish_option(option: Option) -> str:
    name = (
        f"-l {option.name.removeprefix('--')}"
        if option.name.startswith("--")
        else f"-s {option.name.removeprefix('-')}"
    )
    takes = (
        f" -x -a '{' '.join(option.choices)}'"
        if option.choices
        else (" -r -F" if option.kind else " -x" if option.takes else "")
    )
    return f"{name}{takes} -d {_quoted(option.help)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def completions_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="print its script, to be sourced or saved")


def completions_command(arguments: Namespace) -> int:
    """Print the script."""
    sys.stdout.write(render_completions(arguments.shell, read_commands()))
    return 0


def read_commands() -> tuple[Completable, ...]:
    """Each command with its options and choices."""
    return tuple(_read_command(name) for name in COMMANDS)


def _read_command(name: str) -> Completable:
    command = COMMANDS[name]
    parser = Parser(f"bankctl {name}")
    parser.add_argument("--workspace", metavar="DIR", help="the workspace")
    configure, _ = command.load(name)
    configure(parser)
    options: list[Option] = []
    words: list[str] = []
    for action in parser._actions:
        choices = tuple(str(choice) for choice in action.choices or ())
        if action.option_strings:
            takes = action.nargs != 0
            options.append(Option(action.option_strings[-1], action.help or "", takes, _kind(action), choices))
        else:
            words += choices
    return Completable(name, command.summary, tuple(options), tuple(words))


def _kind(action: argparse.Action) -> str:
    metavar = str(action.metavar or "")
    return {"DIR": "folder", "FILE": "file"}.get(metavar, "")

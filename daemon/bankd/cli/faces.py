"""`bankctl ui`, the finder, `banks` and `completions`: bankd in a browser, a terminal and the shell."""

from __future__ import annotations

import os
import sys
from argparse import Action, Namespace
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bankd.cli import locate_workspace
from bankd.cli.base import COMMANDS, make_parser
from bankd.cli.printing import Outcome, say, styled
from bankd.errors import UsageError, UserError
from bankd.translate import translate as _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def ui_command(arguments: Namespace) -> int:
    """Serve the page until Ctrl-C."""
    if arguments.port > 65_535:
        raise UsageError("--port must be from 0 to 65535")
    here = locate_workspace(arguments.workspace)
    try:
        from bankd.ui.application import serve_page
    except ImportError as error:
        raise UserError(f"the page needs {error.name}; install it with: pip install 'bankd[ui]'") from error
    from bankd.wiring.banks import banks_around

    def announce(link: str) -> None:
        import webbrowser

        say(f"{link}\n{_('the link opens once, on this machine; Ctrl-C ends the page')}")
        sys.stdout.flush()
        has_screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"
        if has_screen and not arguments.no_browser:
            webbrowser.open(link)

    serve_page(lambda: banks_around(here), arguments.port, announce, lambda root: list(_agents_of(root)))
    return 0


def _agents_of(root: Path) -> Iterator[tuple[str, bool]]:
    """The agents that can be connected, and whether each is connected to this workspace."""
    from bankd.agents import connect

    for name in ("claude-code", "codex", "openclaw", "hermes"):
        with suppress(UserError, OSError):  # no HOME, or settings that cannot be read: `connect` says why
            yield name, not connect.plan_changes(connect.plan_connection(name, root, connect.Homes(os.environ)))


def open_finder() -> bool:
    """Open the finder; False if there is no terminal, no `textual` or no bank."""
    from importlib.util import find_spec

    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        return False
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


def banks_command(arguments: Namespace) -> Outcome:
    """Print or change the list of banks that `search --all`, the page and the finder know; 3 when one is missing."""
    from bankd.wiring.banks import read_banks

    banks = read_banks()
    if arguments.action == "add":
        return _add(banks, arguments)
    if arguments.action == "remove":
        return _remove(banks, arguments)
    rows = []
    for name, root in banks.items():
        is_there = os.path.isfile(os.path.join(root, "bankd.yaml"))  # noqa: PTH113, PTH118 -- paths stay as they were typed
        rows.append({"name": name, "root": root, "problem": "" if is_there else "no workspace is there (now)"})
    shown = [(styled(row["name"], "bold"), styled(row["root"]), styled(_(row["problem"]), "red")) for row in rows]
    none = "" if rows else _("no bank is on the list; add one with: bankctl banks add DIR")
    lines = ("  ".join(filter(None, parts)) for parts in shown)
    return Outcome({"banks": rows}, *lines, none, code=3 if any(row["problem"] for row in rows) else 0)


def _add(banks: dict[str, str], arguments: Namespace) -> Outcome:
    from bankd.wiring.banks import write_banks

    root = os.path.realpath(locate_workspace(arguments.bank or arguments.workspace))
    known = next((name for name, folder in banks.items() if os.path.realpath(folder) == root), None)
    name = arguments.name or known or os.path.basename(root)  # noqa: PTH119 -- as above
    if not root.isprintable():
        raise UserError(f"{root!r}: a path on the list must be printable; rename the folder")
    if ":" in name or not name.strip() or name.startswith("#") or not name.isprintable():
        raise UserError(f"{name!r} cannot be the name of a bank: no colon, no # at its start; give another with --name")
    if os.path.realpath(banks.get(name, root)) != root:
        raise UserError(f"{name} is already the name of {banks[name]}; give another with --name")
    name = name.strip()
    kept = {one: folder for one, folder in banks.items() if one != known} | {name: root}
    if kept != banks:
        write_banks(kept)
    said = styled(_(f"{name} is on the list: bankctl search --all asks it too"))
    return Outcome({"added": name, "root": root}, said)


def _remove(banks: dict[str, str], arguments: Namespace) -> Outcome:
    from bankd.wiring.banks import write_banks

    wanted = arguments.bank or locate_workspace(arguments.workspace)
    folder = os.path.realpath(os.path.expanduser(wanted))  # noqa: PTH111 -- as above
    name = next((one for one, root in banks.items() if one == wanted or os.path.realpath(root) == folder), None)
    if name is None:
        raise UserError(f"{wanted}: no bank on the list has this name or folder; bankctl banks shows them")
    write_banks({one: root for one, root in banks.items() if one != name})
    said = styled(_(f"{name} is off the list; {banks[name]} is unchanged"))
    return Outcome({"removed": name, "root": banks[name]}, said)


def completions_command(arguments: Namespace) -> int:
    """Print a script of static text, so that a TAB starts no Python."""
    render = {"bash": _bash, "zsh": _zsh, "fish": _fish}[arguments.shell]
    sys.stdout.write("\n".join(render(read_commands())) + "\n")
    return 0


class Completable(NamedTuple):
    """A command with its options and the words that may follow it."""

    name: str
    summary: str
    options: list[Action]
    words: list[str]


def read_commands() -> list[Completable]:
    """Each command with its options and choices, read from its own parser."""
    commands = []
    for name, (_module, summary) in COMMANDS.items():
        parser = make_parser(name)
        options = [action for action in parser._actions if action.option_strings]
        words = [str(word) for action in parser._actions if not action.option_strings for word in action.choices or ()]
        commands.append(Completable(name, _(summary), options, words))
    return commands


def _choices(option: Action) -> str:
    return " ".join(map(str, option.choices or ()))


def _filled(shell: str, **parts: Iterable[str]) -> Iterator[str]:
    """The script of a shell, from its template with the parts in their places."""
    text = (Path(__file__).parent / f"completion.{shell}").read_text("utf-8")
    for name, lines in parts.items():
        text = text.replace(f"@{name}@", (" " if shell == "bash" and name == "NAMES" else "\n").join(lines))
    yield text.rstrip("\n")


def _bash(commands: list[Completable]) -> Iterator[str]:
    values = {}
    for option in (option for command in commands for option in command.options):
        files = {"DIR": "-d", "FILE": "-f"}.get(str(option.metavar))
        if found := f'-W "{_choices(option)}"' if option.choices else files:
            values[option.option_strings[-1]] = f'compgen {found} -- "$word"'
    words = {one.name: [*one.words, *(option.option_strings[-1] for option in one.options)] for one in commands}
    named = (
        f'    {name}) COMPREPLY=($(compgen -W "{" ".join(found)}" -- "$word")) ;;' for name, found in words.items()
    )
    taken = (f"    {name}) COMPREPLY=($({value})); return ;;" for name, value in sorted(values.items()))
    return _filled("bash", VALUES=taken, COMMANDS=named, NAMES=words)


def _zsh(commands: list[Completable]) -> Iterator[str]:
    def told(command: Completable) -> str:
        words = f"*:argument:({' '.join(command.words)})" if command.words else "*:argument:_files"
        return f"    {command.name}) _arguments {' '.join([*map(_zsh_option, command.options), _quoted(words)])} ;;"

    names = (f"    {_quoted(f'{command.name}:{command.summary}')}" for command in commands)
    return _filled("zsh", NAMES=names, COMMANDS=map(told, commands))


def _zsh_option(option: Action) -> str:
    text = _(option.help or "").replace("[", "(").replace("]", ")").replace(":", "\\:")
    files = {"DIR": "_files -/", "FILE": "_files"}.get(str(option.metavar), "")
    value = "" if option.nargs == 0 else f":value:{f'({_choices(option)})' if option.choices else files}"
    return _quoted(f"{option.option_strings[-1]}[{text}]{value}")


def _fish(commands: list[Completable]) -> Iterator[str]:
    yield "# bankctl, for fish: save this file as ~/.config/fish/completions/bankctl.fish\ncomplete -c bankctl -f"
    for command in commands:
        yield f"complete -c bankctl -n __fish_use_subcommand -a {command.name} -d {_quoted(command.summary)}"
        inside = f"complete -c bankctl -n '__fish_seen_subcommand_from {command.name}'"
        yield from (f"{inside} -a {word}" for word in command.words)
        for option in command.options:
            flag = option.option_strings[-1]
            name = f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
            takes = "" if option.nargs == 0 else " -r -F" if option.metavar in {"DIR", "FILE"} else " -x"
            values = f" -x -a '{_choices(option)}'" if option.choices else takes
            yield f"{inside} {name}{values} -d {_quoted(_(option.help or ''))}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"

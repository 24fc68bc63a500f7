"""`bankctl ui`, the finder, `banks` and `completions`: bankd in a browser, a terminal and the shell."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from bankd.cli import is_workspace, locate_workspace
from bankd.cli.base import COMMANDS, Outcome, make_parser, say, styled
from bankd.errors import UserError
from bankd.translate import translate as _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def ui_command(arguments: Namespace) -> int:
    """Serve the page until Ctrl-C."""
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

    serve_page(lambda: banks_around(here), arguments.port, announce)
    return 0


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
    gone = "no workspace is there (now)"
    rows = [{"name": name, "root": root, "problem": "" if is_workspace(root) else gone} for name, root in banks.items()]
    shown = [(styled(row["name"], "bold"), styled(row["root"]), styled(_(row["problem"]), "red")) for row in rows]
    none = "" if rows else _("no bank is on the list; add one with: bankctl banks add DIR")
    lines = ("  ".join(filter(None, parts)) for parts in shown)
    return Outcome({"banks": rows}, *lines, none, code=3 if any(row["problem"] for row in rows) else 0)


def _add(banks: dict[str, str], arguments: Namespace) -> Outcome:
    from bankd.wiring.banks import write_banks

    root = os.path.realpath(locate_workspace(arguments.bank or arguments.workspace))
    known = next((name for name, folder in banks.items() if os.path.realpath(folder) == root), None)
    name = arguments.name or known or os.path.basename(root)  # noqa: PTH119 -- paths stay as they were typed
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
    return Outcome({"added": name, "root": root}, styled(_(f"{name} is on the list: bankctl search --all asks it too")))


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
    """Print the script of a shell, or, as that script asks at a TAB, what may stand in the place of the last word typed.

    1 where nothing fits: the shell then completes names of files.
    """
    shell, typed = arguments.shell, arguments.typed
    if not typed:
        sys.stdout.write((Path(__file__).parent / f"completion.{shell}").read_text("utf-8"))
        return 0
    found = [(word, said) for word, said in _candidates(typed[:-1]) if word.startswith(typed[-1])]
    for word, said in found:
        told = {"zsh": f":{_(said)}", "fish": f"\t{_(said)}"}.get(shell, "") if said else ""
        sys.stdout.write(f"{word}{told}\n")
    return 0 if found else 1


def _candidates(before: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What may follow these words, each with its help: commands, or the options and words of a command, or of an option."""
    name = next((word for word in before if word in COMMANDS), None)
    if name is None:
        yield from ((name, said) for name, (_module, said) in COMMANDS.items())
        return
    actions = make_parser(name)._actions
    option = next((one for one in actions if before[-1] in one.option_strings and one.nargs != 0), None)
    for one in [option] if option else actions:
        if one.option_strings and not option:
            yield from ((word, one.help or "") for word in one.option_strings if word.startswith("--"))
        else:
            yield from ((str(word), "") for word in one.choices or ())

"""`bankctl banks`: the banks that `search --all`, the page and the finder know."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json
from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import locate_workspace
from bankd.errors import UserError


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "list (default); add [DIR]: put the workspace on the list; remove NAME|DIR: take it off, and touch nothing in it"
    parser.add_argument("action", nargs="?", choices=["list", "add", "remove"], default="list", help=help_)
    parser.add_argument("bank", nargs="?", metavar="DIR|NAME", help="the workspace (default: the one here)")
    parser.add_argument("--name", metavar="NAME", help="add: what to call it (default: the name of its folder)")
    add_json(parser)


def run(arguments: Namespace) -> int:
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

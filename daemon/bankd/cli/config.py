"""`bankctl config check`: every problem of the settings and rules, each with file and line."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json
from bankd.cli.printing import plain, say_answer
from bankd.cli.workspace import find_workspace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "action", choices=["check"], help="check: read bankd.yaml and the routing file, and say what is wrong"
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Check the files."""
    from bankd.config.workspace_config import check_configuration

    checked = check_configuration(find_workspace(arguments.workspace))
    said = f"settings and {checked.rules} rules are fine"
    if not checked.rules:
        said = (
            "settings are fine; there are no rules, so every line goes to the default page of its tag or to the inbox"
        )
    whole = {"problems": list(checked.problems), "rules": checked.rules}
    say_answer(whole, plain("\n".join(checked.problems)) or said, as_json=arguments.json)
    return 3 if checked.problems else 0

"""`bankctl completions`: what a shell needs to complete commands and options, read from their own parsers."""

from __future__ import annotations

import argparse
import sys
from argparse import ArgumentParser, Namespace
from importlib import import_module

from bankd.cli.commands import COMMANDS
from bankd.cli.parsing import Parser
from bankd.core.daemon.completions import Completable, Option, render_completions


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="print its script, to be sourced or saved")


def run(arguments: Namespace) -> int:
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
    import_module(f"bankd.cli.{command.module}").configure(parser)
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

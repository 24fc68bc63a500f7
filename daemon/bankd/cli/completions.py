"""`bankctl completions`: what a shell needs to complete commands and options."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="print its script, to be sourced or saved")


def run(arguments: Namespace) -> int:
    """Print the script."""
    import sys

    from bankd.cli.completing import read_commands
    from bankd.core.daemon.completions import render_completions

    sys.stdout.write(render_completions(arguments.shell, read_commands()))
    return 0

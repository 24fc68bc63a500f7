"""The option `--now`: a command as if it were another moment."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime


def add_now(parser: ArgumentParser) -> None:
    """Let a command take `--now`."""
    parser.add_argument("--now", type=_moment, metavar="ISO", help="as if it were this moment, e.g. 2026-05-02T03:00")


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a moment such as 2026-05-02T03:00") from error

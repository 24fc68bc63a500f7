"""Options that several commands take: each has one name, one meaning and one line of help."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

TYPE_CHECKING = False  # `typing` and `datetime` would cost a search more than this module
if TYPE_CHECKING:
    from datetime import datetime

JSON = "print JSON, one object a line"


def add_json(parser: ArgumentParser) -> None:
    """Let a command take `--json`."""
    parser.add_argument("--json", action="store_true", help=JSON)


def add_dry_run(parser: ArgumentParser, action: str = "") -> None:
    """Let a command, or an action of it, that can be undone take `--dry-run`."""
    help_ = _of(action, "say what would be done, and write nothing")
    parser.add_argument("--dry-run", action="store_true", help=help_)


def add_apply(parser: ArgumentParser, action: str = "") -> None:
    """Let a command, or an action of it, that takes out in bulk or cannot be undone act only with `--apply`."""
    help_ = _of(action, "do it; without, only say what would be done")
    parser.add_argument("--apply", action="store_true", help=help_)


def add_force(parser: ArgumentParser, action: str = "") -> None:
    """Let a command, or an action of it, take `--force`."""
    parser.add_argument("--force", action="store_true", help=_of(action, "go beyond the budget"))


NOW_HELP = "as if it were then, such as 2026-05-02"


def add_limit(parser: ArgumentParser, default: int, most: int | None = None) -> None:
    """Let a command take `-n`."""
    help_ = "at most N, 0 for all" + (f" of the best {most}" if most else "") + f" (default: {default})"
    parser.add_argument("-n", "--limit", type=whole_number, default=default, metavar="N", help=help_)


def add_now(parser: ArgumentParser) -> None:
    """Let a command take `--now`."""
    parser.add_argument("--now", type=_moment, metavar="TIME", help=NOW_HELP)


def add_verbose(parser: ArgumentParser) -> None:
    """Let a command take `-v`."""
    parser.add_argument("-v", "--verbose", action="store_true", help="every line of a long report")


def add_days(parser: ArgumentParser) -> None:
    """Let a command take the days that memories must be of, and the day that it is asked on."""
    parser.add_argument(
        "--since", metavar="DAY", help="only of this day or later, such as 2026-05-02, 'last month', 지난달"
    )
    parser.add_argument("--until", metavar="DAY", help="only of this day or earlier")
    parser.add_argument("--on", metavar="DAY", help="only of this day, week, month or year")
    parser.add_argument("--now", metavar="DAY", help=NOW_HELP)


def days_asked(arguments: Namespace) -> dict[str, str | None]:
    """What `add_days` let be asked, for a request."""
    return {name: getattr(arguments, name) for name in ("since", "until", "on", "now")}


def whole_number(text: str) -> int:
    """A number of things, for `type=`."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"must be a whole number, not {text!r}")
    return int(text)


def share(text: str) -> float:
    """A number from 0 to 1, for `type=`."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ArgumentTypeError(f"{text!r} is not between 0 and 1")
    return value


def _of(action: str, help_: str) -> str:
    """The help of an option that only one action of a command takes."""
    return f"{action}: {help_}" if action else help_


def _moment(text: str) -> datetime:
    from bankd.core.language.dates.spans import read_iso_moment

    moment = read_iso_moment(text)
    if moment is None:
        raise ArgumentTypeError(f"{text!r} is not a moment such as 2026-05-02T03:00")
    return moment

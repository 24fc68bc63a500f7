"""`bankctl brief`: what is worth saying unasked, in one of eighteen modes; what it said it does not repeat within a day."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json, add_now
from bankd.cli.printing import plain, say, say_json
from bankd.cli.workspace import locate_workspace
from bankd.errors import UsageError


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("mode", nargs="?", metavar="MODE", help="one of --list (default: orient)")
    parser.add_argument("subject", nargs="*", metavar="NAME", help="whom or what it is about, such as @Peter")
    parser.add_argument("--list", action="store_true", dest="lists", help="the modes, when each fires and its tokens")
    add_now(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Brief the user; nothing to say is no output."""
    if arguments.lists:
        return _print_modes(as_json=arguments.json)
    from bankd.agents.briefings import brief_reader
    from bankd.wiring.bank_reader import BankReader

    bank = BankReader(locate_workspace(arguments.workspace))
    mode, now = _checked(arguments.mode or "orient", arguments.subject), bank.now()
    if arguments.now:
        now = arguments.now.replace(tzinfo=arguments.now.tzinfo or now.tzinfo).astimezone(now.tzinfo)
    [briefing] = brief_reader([mode], bank, now, subjects=tuple(arguments.subject))
    if arguments.json:
        rows = [
            {"key": i.key, "date": str(i.day) if i.day else None, "text": i.text, "place": i.place}
            for i in briefing.items
        ]
        say_json({"mode": mode, "items": rows})
    elif briefing.items:
        say(plain(briefing.text.rstrip("\n")))
    return 0


def _checked(mode: str, subjects: list[str]) -> str:
    """The mode; UsageError when there is none of that name, or when it needs somebody or something to be about and has none."""
    from bankd.cli.parsing import suggest_word
    from bankd.core.briefing.modes import MODES

    if mode not in MODES:
        raise UsageError(f"no briefing {mode}", f"{suggest_word(mode, MODES)}bankctl brief --list names them")
    if mode in {"person", "meeting", "project"} and not subjects:
        raise UsageError(f"brief {mode}: about whom or what? For example: bankctl brief {mode} @Peter")
    return mode


def _print_modes(*, as_json: bool) -> int:
    from bankd.core.briefing.modes import MODES

    for name, mode in MODES.items():
        if as_json:
            say_json({"mode": name, "fires": mode.fires, "tokens": mode.tokens})
        else:
            say(f"{name:12} {mode.tokens:>4}  {mode.fires}")
    return 0

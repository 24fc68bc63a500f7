"""The table of commands, the options that several commands share, the parser, and the standard streams.

No command stands here. Every command imports this module, so it imports nothing slow.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, HelpFormatter, Namespace

from bankd.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime
    from typing import Any, NoReturn

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Everyday": {
        "search": ("cli.search", "find memories, in Korean and English"),
        "show": ("cli.show", "show a memory and its source, the fate of a log line, or a run"),
        "timeline": ("cli.search", "list memories and logs of some days, day by day"),
        "related": ("cli.search", "what is linked to, used with or similar to a memory, page or person"),
        "add": ("cli.write", "remember a line: append it to today's log"),
        "edit": ("cli.write", "open a memory, page or log line in your editor"),
        "review": ("cli.review", "decide on what waits for you, one by one or as a list"),
        "forget": ("cli.archive", "delete a memory for good; --everywhere: purge a text from all files"),
    },
    "Agents": {
        "connect": ("cli.agents", "give an agent this memory: Claude Code, Codex, OpenClaw, Hermes"),
        "disconnect": ("cli.agents", "undo connect"),
        "brief": ("cli.agents", "print a briefing: at a session's start, in the morning, before a meeting"),
        "mcp": ("cli.agents", "serve the bank to an agent, over standard input and output or HTTP"),
        "distil": ("cli.importing", "have prose of the logs read, by your language model or by rules"),
        "import": ("cli.importing", "import transcripts, chat exports and notes"),
    },
    "Bank": {
        "init": ("cli.write", "make a workspace from the template"),
        "adopt": ("cli.write", "make a workspace for an existing vault or an agent's logs"),
        "demo": ("cli.demo", "show everything on sample logs; leaves nothing behind"),
        "page": ("cli.page", "split, merge or move pages, and check their links; links follow"),
        "archive": ("cli.archive", "list, add, restore or collect archived memories, and what fades"),
        "feedback": ("cli.write", "say which memories were used, ignored, or how important one is"),
        "export": ("cli.copies", "write all memories as JSON or as one Markdown file"),
        "backup": ("cli.copies", "save all that cannot be made again in one file"),
        "restore": ("cli.copies", "unpack a backup into an empty folder"),
    },
    "Upkeep": {
        "status": ("cli.status", "show how bankd is doing and what needs you"),
        "doctor": ("cli.status", "look for trouble, with the fix for each; verify, clock, index"),
        "log": ("cli.show", "list the runs so far, and what each did"),
        "undo": ("cli.show", "undo a run"),
        "cycle": ("cli.run", "run a cycle now: micro or reflect"),
        "config": ("cli.status", "check, read or change settings; test where a line would go"),
        "service": ("cli.faces", "run bankd under systemd"),
    },
    "More": {
        "ui": ("cli.faces", "open the bank in your browser"),
        "banks": ("cli.faces", "list the banks that search --all asks"),
        "fleet": ("fleet.commands", "run thousands of banks on many machines, over PostgreSQL"),
        "completions": ("cli.faces", "print completion for bash, zsh or fish"),
    },
    "": {"hook": ("cli.hook", "answer the hooks of an agent's session; silent on errors")},
}
"""The commands by group: for each its module below `bankd` and its line of help. The last group is not listed."""
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}


def load_command(name: str) -> tuple[Callable[[ArgumentParser], None], Callable[[Namespace], int]]:
    """Import the module of a command; gives its `NAME_arguments(parser)` and `NAME_command(arguments) -> exit code`."""
    from importlib import import_module

    module = import_module(f"bankd.{COMMANDS[name][0]}")
    return getattr(module, f"{name}_arguments"), getattr(module, f"{name}_command")


def _moment(text: str) -> datetime:
    from bankd.words.days import read_iso_moment

    moment = read_iso_moment(text)
    if moment is None:
        raise ArgumentTypeError(f"{text!r} is not a moment such as 2026-05-02T03:00")
    return moment


NOW_HELP = "pretend that it is this time, such as 2026-05-02"
_SHARED: dict[str, dict[str, Any]] = {
    "--json": {"action": "store_true", "help": "print JSON, one object per line"},
    "--dry-run": {"action": "store_true", "help": "say what would be done, and write nothing"},
    "--apply": {"action": "store_true", "help": "do it; without this, only say what would be done"},
    "--force": {"action": "store_true", "help": "go beyond the budget"},
    "--now": {"type": _moment, "metavar": "TIME", "help": NOW_HELP},
    "--since": {"metavar": "DAY", "help": "this day or later: 2026-05-02, 'last month', 지난달"},
    "--until": {"metavar": "DAY", "help": "only this day or earlier"},
    "--on": {"metavar": "DAY", "help": "only this day, week, month or year"},
}


def add_options(parser: ArgumentParser, *names: str, **changes: object) -> None:
    """Let a command take shared options. A name such as `gc --force` is an option of the action `gc` only; help says so."""
    for name in names:
        action, _, flag = name.rpartition(" ")
        shared = _SHARED[flag] | changes
        parser.add_argument(flag, **shared | {"help": f"{action}: {shared['help']}" if action else shared["help"]})


def add_json(parser: ArgumentParser) -> None:
    """Let a command take `--json`."""
    add_options(parser, "--json")


def add_limit(parser: ArgumentParser, default: int, most: int | None = None) -> None:
    """Let a command take `-n`; `most` is the largest number allowed."""
    help_ = "at most N, 0 for all" + (f" of the best {most}" if most else "") + f" (default: {default})"
    parser.add_argument("-n", "--limit", type=whole_number, default=default, metavar="N", help=help_)


def add_days(parser: ArgumentParser) -> None:
    """Let a command take the days that memories must be of, and the day on which it is asked, all as typed."""
    add_options(parser, "--since", "--until", "--on")
    parser.add_argument("--now", metavar="DAY", help=NOW_HELP)


def days_asked(arguments: Namespace) -> dict[str, str | None]:
    """The days that `add_days` read, for a request."""
    return {name: getattr(arguments, name) for name in ("since", "until", "on", "now")}


def whole_number(text: str) -> int:
    """Read a number of things, for `type=`."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"must be a whole number, not {text!r}")
    return int(text)


def share(text: str) -> float:
    """Read a number from 0 to 1, for `type=`."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ArgumentTypeError(f"{text!r} is not between 0 and 1")
    return value


def bare_id(text: str) -> str:
    """Read the id of a memory, for `type=`; pages write it with `^`, which may be typed too."""
    return text.removeprefix("^")


class Parser(ArgumentParser):
    """A parser that raises UsageError and takes no abbreviated option: a new option could make one ambiguous."""

    def __init__(self, prog: str, description: str | None = None, **_: object) -> None:
        """Take the name of the command and its line of help."""
        super().__init__(prog, description=description, allow_abbrev=False, formatter_class=_formatter)

    def shorten_usage(self) -> None:
        """Show only the positional arguments in the usage line: the options are listed below it."""
        if self._subparsers is None:
            formatter = self._get_formatter()
            words = (formatter._format_args(one, str(one.metavar)) for one in self._get_positional_actions())
            self.usage = " ".join(["%(prog)s", *words, "[options]"])

    def format_help(self) -> str:
        """The help in the reader's language."""
        from bankd.cli.printing import localized

        self.description = localized(self.description or "")
        for group in (self._positionals, self._optionals):
            group.title = localized(group.title or "")
        for action in self._actions:
            action.help = localized(action.help) if action.help else action.help
        said = super().format_help()
        return said.replace("usage: ", "사용법: ", 1) if localized("options") != "options" else said

    def error(self, message: str) -> NoReturn:
        """Raise a UsageError that says what is wrong and what was probably meant."""
        meant = ""
        if found := re.search(r"unrecognized arguments: (?:.*? )??(?P<word>-\S+)", message):
            meant = suggest_word(found["word"].partition("=")[0], self._option_string_actions)
        elif found := re.search(r"invalid choice: '(?P<word>[^']*)' \(choose from (?P<choices>.*)\)", message):
            meant = suggest_word(found["word"], re.findall(r"[\w-]+", found["choices"]))
        raise UsageError(f"{self.prog.removeprefix('bankctl ')}: {message}", f"{meant}see: {self.prog} --help")


def suggest_word(word: str, known: Iterable[str]) -> str:
    """`did you mean …? ` with the known word most like this one; empty if none is similar."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), 1)
    return f"did you mean {near[0]}? " if near else ""


def _formatter(prog: str) -> HelpFormatter:
    """Help as wide as the terminal; argparse would import shutil to learn that, at every start."""
    try:
        columns = int(os.environ.get("COLUMNS", "")) or 80
    except ValueError:
        try:
            columns = os.get_terminal_size().columns
        except OSError:
            columns = 80
    return HelpFormatter(prog, width=columns - 2)


def take_streams() -> None:
    """Make the standard streams safe to use; restart in UTF-8 mode where the locale would misread file names."""
    for name, errors in (("stdin", "replace"), ("stdout", "backslashreplace"), ("stderr", "backslashreplace")):
        stream = getattr(sys, name)
        if stream is None:  # the caller closed it, so nobody reads it
            setattr(sys, name, open(os.devnull, "r+", encoding="utf-8"))  # noqa: SIM115, PTH123  lives as long as we do
        else:
            stream.reconfigure(errors=errors)
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode:
        # Output keeps the encoding of the terminal; file names and arguments are UTF-8 from here on.
        spoken = os.environ.get("PYTHONIOENCODING") or f"{sys.stdout.encoding}:backslashreplace"
        words = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
        in_utf8 = [word.encode("utf-8", "surrogateescape") for word in words]
        os.execve(sys.executable, in_utf8, {**os.environ, "PYTHONIOENCODING": spoken})  # noqa: S606  ourselves, no shell


def leave(code: int) -> NoReturn:
    """End the process once all is printed. Python's own shutdown takes a search a twelfth of its time, a long run more."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)

"""Options that several commands take: each has one name, one meaning and one line of help.

What was typed, read: a slip in it is answered with two lines, what is wrong and what was probably meant.

The standard streams of a process: those that the shell closed, and those of a locale that is not UTF-8.

The commands of `bankctl`: the module of each, and the line that `bankctl` prints for it.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, HelpFormatter, Namespace
from collections.abc import Iterable

from bankd.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import NoReturn

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
    from bankd.words.days import read_iso_moment

    moment = read_iso_moment(text)
    if moment is None:
        raise ArgumentTypeError(f"{text!r} is not a moment such as 2026-05-02T03:00")
    return moment


# Compiled when something was mistyped.
_UNKNOWN = r"unrecognized arguments: (?:.*? )??(?P<word>-\S+)"
_NO_CHOICE = r"invalid choice: '(?P<word>[^']*)' \(choose from (?P<choices>.*)\)"
_CHOICE = r"[\w-]+"


class Parser(ArgumentParser):
    """A parser whose errors are UsageErrors, and that takes no option by its beginning, so that new ones can come."""

    def __init__(self, prog: str, description: str | None = None, **_: object) -> None:
        """Take the name of the command and its line of help."""
        super().__init__(prog, description=description, allow_abbrev=False, formatter_class=_formatter)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and what was probably meant."""
        name = self.prog.removeprefix("bankctl ")
        raise UsageError(f"{name}: {message}", f"{self._meant(message)}{self.prog} --help tells more")

    def _meant(self, message: str) -> str:
        if found := re.search(_UNKNOWN, message):
            return suggest_word(found["word"].partition("=")[0], self._option_string_actions)
        if found := re.search(_NO_CHOICE, message):
            return suggest_word(found["word"], re.findall(_CHOICE, found["choices"]))
        return ""


def suggest_word(word: str, known: Iterable[str]) -> str:
    """The beginning of a sentence that names the known word that is most like this; nothing when none is."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), 1)
    return f"did you mean {near[0]}? " if near else ""


def _formatter(prog: str) -> HelpFormatter:
    return HelpFormatter(prog, width=_columns())


def _columns() -> int:
    """How wide help may be; argparse would import shutil to learn it, at every start."""
    try:
        return int(os.environ.get("COLUMNS", "")) - 2
    except ValueError:
        pass
    try:
        return os.get_terminal_size().columns - 2
    except OSError:
        return 78


def take_streams() -> None:
    """Make the streams safe to write to, and start again in UTF-8 where file names would be read as something else."""
    for name, errors in (("stdin", "replace"), ("stdout", "backslashreplace"), ("stderr", "backslashreplace")):
        stream = getattr(sys, name)
        if stream is None:  # closed by who called us: nobody listens
            setattr(sys, name, open(os.devnull, "r+", encoding="utf-8"))  # noqa: SIM115, PTH123  lives as long as we do
        else:
            stream.reconfigure(errors=errors)
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode:
        _start_again_in_utf8()


def write_json(value: object) -> None:
    """Print a value as JSON on one line, in escapes where the encoding of the terminal has no letters for it."""
    from bankd.pages.text import to_json

    line = to_json(value)
    try:
        line.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        import json

        line = json.dumps(json.loads(line))
    sys.stdout.write(line + "\n")


def leave(code: int) -> NoReturn:
    """End the process once all is printed; taking the interpreter apart costs a search a twelfth of its time, a long run more."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _start_again_in_utf8() -> None:
    """What is printed keeps the encoding of the terminal; names and words from the outside are UTF-8 from here on."""
    spoken = os.environ.get("PYTHONIOENCODING") or f"{sys.stdout.encoding}:backslashreplace"
    words = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    in_utf8 = [word.encode("utf-8", "surrogateescape") for word in words]
    os.execve(sys.executable, in_utf8, {**os.environ, "PYTHONIOENCODING": spoken})  # noqa: S606  ourselves, no shell


class Command:
    """A module with `NAME_arguments(parser)` and `NAME_command(arguments) -> exit code`.

    A plain class: `typing` and `dataclasses` cost a search more than all of its own work.
    """

    __slots__ = ("module", "summary")

    def __init__(self, module: str, summary: str) -> None:
        """Take the name of the module, below `bankd`, and the line that is printed for it."""
        self.module = module
        self.summary = summary

    def load(self, name: str) -> tuple[Callable[[ArgumentParser], None], Callable[[Namespace], int]]:
        """Import the module; give what adds the arguments of that command, and what runs it."""
        from importlib import import_module

        module = import_module(f"bankd.{self.module}")
        return getattr(module, f"{name}_arguments"), getattr(module, f"{name}_command")


COMMANDS = {
    "init": Command("cli.write", "make a workspace from the template"),
    "adopt": Command("cli.write", "make a workspace for a vault, or the logs of an agent, that are there already"),
    "demo": Command("cli.demo", "show the whole of it on sample logs, and leave nothing behind"),
    "add": Command("cli.write", "append a Retain line to today's log"),
    "import": Command("cli.importing", "take in what agents and chat services kept: transcripts, exports, notes"),
    "distil": Command("cli.importing", "have the language model that you named read the prose of the logs"),
    "propose": Command("cli.importing", "what asks to be remembered in prose, found by rules, for the inbox"),
    "search": Command("cli.search", "find memories, in Korean and English"),
    "related": Command("cli.search", "what belongs to a memory, a page or somebody: linked, used together, alike"),
    "ui": Command("cli.faces", "a page to look at, and to decide on, in the browser of this machine"),
    "banks": Command("cli.faces", "the banks that search --all asks"),
    "fleet": Command("fleet.commands", "thousands of banks on many machines, over PostgreSQL"),
    "timeline": Command("cli.search", "the memories of some days, day by day"),
    "cycle": Command("cli.run", "run a cycle now: micro or reflect"),
    "log": Command("cli.show", "the runs so far, and what each did"),
    "undo": Command("cli.show", "take a run back"),
    "forget": Command("cli.archive", "delete a memory, for good"),
    "purge": Command("cli.archive", "take a text out of everything that remembers it"),
    "verify": Command("cli.status", "check the promises of the bank from the outside"),
    "show": Command("cli.show", "a memory and its source, what became of a log line, or what a run changed"),
    "inbox": Command("cli.review", "the lines that no rule could place"),
    "route": Command("cli.status", "test where a text would go, and by which rule"),
    "duplicates": Command("cli.review", "lines that were blocked because they said nothing new, and how to let one in"),
    "consolidate": Command("cli.review", "merge near-copies in the bank, none of which loses a word"),
    "conflicts": Command("cli.review", "memories that say different values of the same thing"),
    "decay": Command("cli.review", "which opinions will have faded when"),
    "archive": Command("cli.archive", "what left the bank, what may, and the way back"),
    "feedback": Command("cli.write", "which memories were of use, and which were not"),
    "importance": Command("cli.write", "how important a memory is, 1 to 10"),
    "clock": Command("cli.status", "whether the clock is believed, and your word that it may be"),
    "split": Command("cli.page", "divide a page into parts, and let every link follow"),
    "merge": Command("cli.page", "put the parts of a page back into it"),
    "move": Command("cli.page", "give a page or folder another path, and let every link follow"),
    "links": Command("cli.page", "links that lead nowhere, and who links to a page"),
    "config": Command("cli.status", "check settings and rules"),
    "index": Command("cli.run", "how the search index stands, made anew, or checked"),
    "eval": Command("cli.eval", "judge search by a test set"),
    "status": Command("cli.status", "how bankd is doing, and what needs you"),
    "doctor": Command("cli.status", "look for trouble in the workspace and its surroundings, with the fix for each"),
    "connect": Command(
        "cli.agents", "give an agent the memory of this workspace: Claude Code, Codex, OpenClaw, Hermes"
    ),
    "disconnect": Command("cli.agents", "take that back"),
    "brief": Command(
        "cli.agents", "what is worth saying unasked: at a session's start, in the morning, before a meeting"
    ),
    "mcp": Command("cli.agents", "serve the bank to an agent, over standard input and output"),
    "hook": Command("cli.hook", "what the hooks of an agent's session call; says nothing when anything is wrong"),
    "service": Command("cli.faces", "run bankd under systemd"),
    "completions": Command("cli.faces", "completion for bash, zsh or fish"),
}

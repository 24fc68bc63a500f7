"""The commands and their arguments (`commands.tsv`), the parser, the standard streams, and how commands print.

No command stands here. Every command imports this module, so it imports nothing slow. Nothing that a memory holds can
move the cursor: all text from outside is printed through `styled` or `plain`.
"""

from __future__ import annotations

import io
import os
import re
import sys
import unicodedata
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, HelpFormatter, Namespace
from contextlib import contextmanager, suppress
from functools import lru_cache

from bankd.cli import locate_workspace
from bankd.errors import UsageError, UserError
from bankd.pages.text import make_visible, show_line, to_json
from bankd.translate import reads_korean
from bankd.translate import translate as _

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import Any, NoReturn, TextIO


def _read_table() -> tuple[dict[str, dict[str, tuple[str, str]]], dict[str, list[list[str]]]]:
    """The groups of commands, and the rows of the arguments of each; those of "" are shared."""
    groups: dict[str, dict[str, tuple[str, str]]] = {}
    rows: dict[str, list[list[str]]] = {"": []}
    group = name = ""
    with open(f"{os.path.dirname(__file__)}/commands.tsv", encoding="utf-8") as file:  # noqa: PTH120, PTH123 -- cheaper
        lines = file.read().splitlines()
    for line in lines:
        if line[:1] == "\t":
            rows[name].append(line[1:].split("\t"))
        elif line[:1] == "[":
            group = line[1:-1]
            groups[group] = {}
        elif line[:1] != "#":
            name, module, help_ = line.split("\t")
            rows[name] = []
            groups[group][name] = (module, help_)
    return groups, rows


GROUPS, _ROWS = _read_table()
"""By group, the module of each command, below `bankd`, and its line of help. The last group is not listed."""
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items() if " " not in name}


def make_parser(name: str) -> Parser:
    """The parser of a command, from its rows in the table; a name such as `fleet add` is an action of `fleet`."""
    parser = Parser(f"bankctl {name}", COMMANDS[name][1])
    parser.add_argument("--workspace", metavar="DIR", help="the workspace (default: $BANKD_WORKSPACE, or a parent)")
    _add_arguments(parser, _ROWS[name])
    if actions := [one for one in _ROWS if one.startswith(f"{name} ")]:
        inner = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
        for one in actions:
            about = next(group[one][1] for group in GROUPS.values() if one in group)
            _add_arguments(inner.add_parser(one.partition(" ")[2], help=about), _ROWS[one])
    return parser


def _add_arguments(parser: ArgumentParser, rows: Sequence[Sequence[str]]) -> None:
    shared = {row[0]: row for row in _ROWS[""]}
    has_group = any(row[1:] and row[1].startswith("alone") for row in rows)
    alone = parser.add_mutually_exclusive_group() if has_group else parser
    types = {
        "number": _up_to(999_999),
        "port": _up_to(65_535),
        "days": _up_to(36_500),
        "share": _up_to(1, "real"),
        "id": bare_id,
        "moment": _moment,
        "groups": _groups,
    }
    actions: dict[str, Any] = {"flag": "store_true", "append": "append", "on-off": BooleanOptionalAction}
    for names, *rest in rows:
        action, _space, flag = names.rpartition(" ")
        words, help_ = rest or shared[flag][1:]
        taken: dict[str, Any] = {"help": f"{action}: {help_}" if action else help_}
        for word in words.split(" "):
            key, _equals, value = word.partition("=")
            if key in actions:
                taken |= {"action": actions[key]} | ({"default": []} if key == "append" else {})
            elif value or key == "default":
                taken[key] = value
        if "type" in taken:
            taken["type"] = types[taken["type"]]
        if "choices" in taken:
            taken["choices"] = [taken.get("type", str)(one) for one in taken["choices"].split("|")]
        (alone if words.startswith("alone") else parser).add_argument(*flag.split(","), **taken)


def run_named(name: str, arguments: Namespace) -> int:
    """Import the module of a command, call its `NAME_command`, and print its answer; gives the exit code.

    A command that prints by itself gives the exit code.
    """
    from importlib import import_module

    run: Callable[[Namespace], Outcome | int] = getattr(import_module(f"bankd.{COMMANDS[name][0]}"), f"{name}_command")
    done = run(arguments)
    if isinstance(done, int):
        return done
    if done.listed is not None and not arguments.json:
        keep_numbers(locate_workspace(arguments.workspace), done.listed)
    return done.show(as_json=arguments.json)


def _numbers_file(root: Path | str) -> tuple[str, str]:
    """Where the numbers of the last list on this terminal are kept, and what its first line must be.

    A new terminal may get the name of an older one: the line tells when the first process of this one started. Without a
    terminal there is one file for all.
    """
    name, since = next((os.ttyname(stream) for stream in range(3) if os.isatty(stream)), ""), ""
    if name:
        since = str(os.getsid(0))
        with suppress(OSError):
            since += " " + read_input(f"/proc/{since}/stat").rpartition(")")[2].split()[19]
    return f"{root}/.bankd/printed{name.replace('/', '-')}", since


def keep_numbers(root: Path | str, keys: Iterable[str]) -> None:
    """Keep what the numbers of a list mean, for `bankctl edit 2`: the id or place of each entry, as printed."""
    name, since = _numbers_file(root)
    with suppress(OSError), open(name, "w", encoding="utf-8") as file:  # noqa: PTH123 -- cheaper
        file.writelines(f"{key}\n" for key in (since, *keys))


def named_hit(root: Path | str, what: str) -> str:
    """What a person typed for a memory; for a number the id, or place, of that entry of the last list on this terminal.

    UserError when the list has no such number. Longer numbers, such as a year, are a name or a piece of a run.
    """
    from bankd.app.runs import SHORTEST_PIECE

    if not what.isdecimal() or len(what) >= SHORTEST_PIECE:
        return what
    name, since = _numbers_file(root)
    keys = [since]
    with suppress(OSError):
        keys = read_input(name).split("\n")[:-1]
    most = len(keys) - 1 if keys[:1] == [since] else 0
    if not 0 < int(what) <= most:
        raise UserError(f"{what}: no such number in the last list ({most} in all); bankctl search makes a new one")
    return keys[int(what)]


def _moment(text: str) -> datetime:
    from bankd.words.days import read_iso_moment

    moment = read_iso_moment(text)
    if moment is None:
        raise ArgumentTypeError(f"{text!r} is not a moment such as 2026-05-02T03:00")
    return moment


def _groups(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _up_to(most: int, kind: str = "whole") -> Callable[[str], float]:
    """Read a number from 0 to this one, as settings are read, for `type=`."""

    def read(text: str) -> float:
        from bankd import settings

        try:
            number: float = getattr(settings, kind)(0, most)(text)
        except ValueError as problem:
            raise ArgumentTypeError(str(problem)) from None
        return number

    return read


def bare_id(text: str) -> str:
    """Read the id of a memory, for `type=`; pages write it with `^`, which may be typed too."""
    return text.removeprefix("^")


class Parser(ArgumentParser):
    """A parser that raises UsageError and takes no abbreviated option: a new option could make one ambiguous."""

    def __init__(self, prog: str, description: str | None = None, **_settings: object) -> None:
        """Take the name of the command and its line of help."""
        super().__init__(prog, description=description, allow_abbrev=False, formatter_class=_Formatter)

    def format_help(self) -> str:
        """The help in the reader's language; the usage names only the words that stand by place."""
        self.description = _(self.description or "")
        for group in (self._positionals, self._optionals):
            group.title = _(group.title or "")
        for action in self._actions:
            action.help = _(action.help) if action.help else action.help
            if isinstance(action.metavar, str):
                action.metavar = "|".join(map(_, action.metavar.split("|")))
        if self._subparsers is None:
            formatter = self._get_formatter()
            words = (formatter._format_args(one, str(one.metavar)) for one in self._get_positional_actions())
            self.usage = " ".join(["%(prog)s", *words, _("[options]")])
        said = super().format_help()
        if not reads_korean():
            return said
        lines = []  # argparse counts letters, but those of Hangul are two columns wide
        for line in said.replace("usage: ", "사용법: ", 1).split("\n"):
            found = re.match(r"(  \S.*?)(   +)(\S.*)", line)
            gap = len(found[1]) + len(found[2]) - columns_in(found[1]) if found else 0
            lines.append(f"{found[1]}{' ' * max(gap, 2)}{found[3]}" if found else line)
        return "\n".join(lines)

    def error(self, message: str) -> NoReturn:
        """Raise a UsageError that says what is wrong and what was probably meant."""
        meant = ""
        if found := re.search(r"unrecognized arguments: (?:.*? )??(?P<word>-\S+)", message):
            meant = suggest_word(found["word"].partition("=")[0], self._option_string_actions)
        elif found := re.search(r"invalid choice: '(?P<word>[^']*)' \(choose from (?P<choices>.*)\)", message):
            choices = re.findall(r"[\w-]+", found["choices"])
            meant = suggest_word(found["word"], choices)
            if found["word"].startswith("m-"):
                meant = f"what to do comes before the id: {', '.join(choices)}; "
        raise UsageError(f"{self.prog.removeprefix('bankctl ')}: {message}", f"{meant}see: {self.prog} --help")


def suggest_word(word: str, known: Iterable[str]) -> str:
    """`did you mean …? ` with the known word most like this one; empty if none is similar."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), 1)
    return f"did you mean {near[0]}? " if near else ""


class _Formatter(HelpFormatter):
    """Help as wide as the terminal; argparse would import shutil to learn that, at every start."""

    def __init__(self, prog: str) -> None:
        try:
            columns = os.get_terminal_size().columns or 80
        except OSError:
            columns = 80
        super().__init__(prog, width=columns - 2)

    def _split_lines(self, text: str, width: int) -> list[str]:
        if columns_in(text) == len(text):
            return super()._split_lines(text, width)
        lines = [""]
        for word in text.split():
            if lines[-1] and columns_in(f"{lines[-1]} {word}") > width:
                lines.append("")
            lines[-1] = f"{lines[-1]} {word}".lstrip()
        return lines


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


def read_input(file: str) -> str:
    """The text of a file that an option names; - is standard input."""
    if file == "-":
        return sys.stdin.read()
    with open(file, encoding="utf-8", errors="replace") as source:  # noqa: PTH123 -- cheaper
        return source.read()


_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_STYLE = re.compile(r"\x1b\[[\d;]*m")


def say(text: str = "") -> None:
    """Print lines that bankd wrote, in the reader's language, or made safe itself."""
    sys.stdout.write(text + "\n")


def say_json(value: object) -> None:
    """Print a value as JSON on one line; letters that the terminal's encoding does not have are escaped."""
    line = to_json(value)
    try:
        line.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        import json

        line = json.dumps(json.loads(line))
    sys.stdout.write(line + "\n")


class Outcome:
    """What a command found or did: a value for `--json`, lines for people, of which empty ones are left out, the exit code.

    Where the lines are a list, `listed` has the id or place of each entry: numbers name these from now on.
    """

    def __init__(self, whole: object, *lines: str, code: int = 0, listed: Sequence[str] | None = None) -> None:
        self._whole, self._lines, self._code, self.listed = whole, lines, code, listed

    def show(self, *, as_json: bool) -> int:
        """Print it; gives the exit code."""
        if as_json:
            say_json(self._whole)
        else:
            for line in filter(None, self._lines):
                say(line)
        return self._code


def has_colour(stream: TextIO) -> bool:
    """Whether to colour: `NO_COLOR` forbids, `FORCE_COLOR` asks, else only a terminal gets it."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


class _Held(io.StringIO):
    """What a command prints, until it is known how long it is; colours as on the terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@contextmanager
def paged() -> Iterator[None]:
    """Show what is printed inside through `$PAGER` (`less -FRX`) if it does not fit the terminal."""
    screen = sys.stdout
    if not (screen.isatty() and sys.stdin.isatty()) or os.environ.get("TERM") == "dumb":
        yield
        return
    held = sys.stdout = _Held()
    try:
        yield
    finally:
        sys.stdout = screen
        text = held.getvalue()
        columns, lines = os.get_terminal_size(screen.fileno())  # 0 and 0 where a terminal does not say
        taken = sum(1 + max(columns_in(line) - 1, 0) // (columns or 80) for line in _STYLE.sub("", text).split("\n"))
        if taken <= (lines or 24) or not _show_through_pager(text):
            screen.write(text)


def _show_through_pager(text: str) -> bool:
    import shlex
    import subprocess

    words = shlex.split(os.environ.get("PAGER", "less -FRX")) or ["cat"]
    try:
        # `less` shows Hangul as bytes where the locale is named but not installed, so it is told the encoding.
        speaking = {**os.environ, "LESSCHARSET": "utf-8"}
        subprocess.run(words, input=text.encode("utf-8", "replace"), env=speaking, check=False)  # noqa: S603 -- the user's own pager
    except OSError:
        return False
    return True


def styled(text: str, *styles: str) -> str:
    """A text made safe for one line of a terminal, styled where colour is wanted."""
    safe = show_line(text)
    if not safe or not styles or not has_colour(sys.stdout):
        return safe
    codes = ";".join(_STYLES[style] for style in styles)
    return f"\x1b[{codes}m{safe}\x1b[0m"


def plain(text: str) -> str:
    """A text made safe for a terminal, line breaks kept."""
    return make_visible(text)


def columns_in(text: str) -> int:
    """Columns that a text takes: a syllable of Hangul takes two."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


@lru_cache(maxsize=4_096)
def _columns_of(character: str) -> int:
    """Columns of one character: two where it is wide, none if it combines with the one before."""
    return 2 if unicodedata.east_asian_width(character) in "WF" else not unicodedata.combining(character)


def padded(text: str, columns: int) -> str:
    """A text filled up with spaces to a width in columns."""
    return text + " " * max(0, columns - columns_in(text))


def shortened(text: str, columns: int) -> str:
    """A text on one line, cut to a width in columns, with an ellipsis where something was cut."""
    text = " ".join(text.split())
    if columns_in(text) <= columns:
        return text
    left = columns - 1
    for at, character in enumerate(text):
        left -= _columns_of(character)
        if left < 0:
            return text[:at] + "…"
    return text


def show_progress(text: str) -> None:
    """Say on standard error where long work is, in the place of what was said last; nothing if that is no terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{shortened(show_line(text), 72)}")
        sys.stderr.flush()

"""The command line: arguments, printing, exit codes.

Only the module of the command is imported, and each imports inside `run` what is slow and what it alone needs: `bankctl
search` is called a hundred times a day.
"""

from __future__ import annotations

import os
import sys

from bankd.errors import BUG, BankError, InvariantError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NoReturn

_HELP = {"-h", "--help"}
_GENERAL = {*_HELP, "--version", "--workspace"}
_NO_ROOM = ("failed to map segment", "cannot allocate memory")


def main(argv: Sequence[str] | None = None) -> int:
    """Run `bankctl`; gives 0 fine, 1 nothing relevant, 2 usage, 3 the user must act, 70 a bug, 75 busy."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(arguments, is_process=argv is None)
    except (KeyboardInterrupt, Exception) as error:
        if _is_unheard(arguments):
            return _leave_unheard(is_process=argv is None)
        return 130 if isinstance(error, KeyboardInterrupt) else _explain(error)


def _is_unheard(arguments: list[str]) -> bool:
    """Whether a hook of an agent's session runs, wherever its options stand: some agents refuse a prompt for an error."""
    return "hook" in arguments[: _position_of_command(arguments) + 1] and not os.environ.get("BANKD_DEBUG")


def _leave_unheard(*, is_process: bool) -> int:
    if is_process:
        os._exit(0)  # an answer that could not be written would be tried again as the interpreter ends, and fail aloud
    return 0


def _explain(error: Exception) -> int:
    """Say what went wrong, and give its exit code."""
    match error:
        case BankError():
            return _explain_own(error)
        case BrokenPipeError():
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 141  # what a shell reports for a reader that went away, such as `| head`
        case OSError():
            return _explain_system(error)
        case MemoryError() | ImportError() if _is_for_want_of_memory(error):
            sys.stderr.write("bankctl: not enough memory; raise the limit (ulimit -v), or end other programs\n")
            return 3
    return _explain_bug(error)


def _is_for_want_of_memory(error: Exception) -> bool:
    """Whether there was no room for an object, or for a compiled module, which the loader says in words alone."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in _NO_ROOM)


def _explain_bug(error: Exception) -> int:
    from traceback import print_exception

    print_exception(error)
    sys.stderr.write("bankctl: this is a bug in bankd; please report the lines above\n")
    return BUG


def _run(arguments: list[str], *, is_process: bool) -> int:
    match arguments:  # as agents call it, at every prompt: a parser would cost it more than its own work
        case ["hook", event] | ["hook", event, "--workspace", _] if not event.startswith("-"):
            return _run_hook(event, *arguments[3:], is_process=is_process)
    from bankd.cli.base import COMMANDS, leave, take_streams

    if is_process:
        take_streams()
    _require_utf8(arguments)
    position = _position_of_command(arguments)
    name = arguments[position] if position < len(arguments) else None
    if is_process and not arguments:
        from bankd.cli.faces import open_finder

        if open_finder():
            return 0
    if name is None or name not in COMMANDS or _HELP.intersection(arguments[:position]):
        return _usage(name, arguments)
    from bankd.cli.base import Parser

    configure, run = COMMANDS[name].load(name)
    parser = Parser(f"bankctl {name}", COMMANDS[name].summary)
    parser.add_argument(
        "--workspace", metavar="DIR", help="the workspace (default: $BANKD_WORKSPACE, or the nearest parent)"
    )
    configure(parser)
    code: int = run(parser.parse_args(arguments[:position] + arguments[position + 1 :]))
    if is_process:
        leave(code)
    return code


def _run_hook(event: str, workspace: str | None = None, *, is_process: bool) -> int:
    from bankd.cli.hook import run_event

    code = run_event(event, workspace)
    if is_process:
        os._exit(code)  # what it says is flushed; taking the interpreter apart costs a tenth of its time
    return code


def _require_utf8(arguments: list[str]) -> None:
    """UsageError for a word that is not UTF-8; neither a memory nor a page can be named by one."""
    for word in arguments:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise UsageError(f"{word}: not UTF-8") from None


def _position_of_command(arguments: list[str]) -> int:
    """Where the command stands: the first word that is neither an option nor the folder of `--workspace`."""
    for position, word in enumerate(arguments):
        is_folder = position > 0 and arguments[position - 1] == "--workspace"
        if not word.startswith("-") and not is_folder:
            return position
    return len(arguments)


def _usage(name: str | None, arguments: list[str]) -> int:
    """What is printed for no command, or one that there is not."""
    from bankd import __version__
    from bankd.cli.base import COMMANDS

    if "--version" in arguments:
        sys.stdout.write(f"bankctl {__version__}\n")
        return 0
    if name is not None and name not in COMMANDS and not _HELP.intersection(arguments):
        _reject("command", name, COMMANDS, _command_for(name))
    unknown = [word for word in arguments if word.startswith("-") and word.partition("=")[0] not in _GENERAL]
    if name is None and unknown:
        _reject("option", unknown[0], _GENERAL)
    lines = ["usage: bankctl COMMAND [options]; bankctl COMMAND --help tells more", ""]
    lines += [f"  {command:12} {COMMANDS[command].summary}" for command in COMMANDS]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _command_for(word: str) -> str:
    """The first command whose line of help has that word, as `cycle` has reflect; empty where none has it."""
    from bankd.cli.base import COMMANDS

    told = (name for name, command in COMMANDS.items() if word in command.summary.replace(",", "").split())
    return next(told, "")


def _reject(what: str, word: str, known: Iterable[str], meant: str = "") -> NoReturn:
    from bankd.cli.base import suggest_word

    near = f"did you mean {meant}? " if meant else suggest_word(word, known)
    raise UsageError(f"unknown {what} {word}", f"{near}bankctl --help lists the commands")


def _explain_own(error: BankError) -> int:
    from bankd.pages.text import make_visible

    lines = str(error).split("\n")
    prefix = "bankctl: a bug: " if isinstance(error, InvariantError) else "bankctl: "
    sys.stderr.write("".join(f"{prefix}{make_visible(line)}\n" for line in lines))
    return error.exit_code


def _explain_system(error: OSError) -> int:
    from bankd.pages.text import make_visible

    where = f"{error.filename}: " if error.filename else ""
    sys.stderr.write(f"bankctl: {make_visible(where)}{error.strerror or error}\n")
    return 3

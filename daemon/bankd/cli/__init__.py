"""The command line: arguments, printing, exit codes. Only the module of the command at hand is imported.

Each command imports inside `run` what is slow and what it alone needs: `bankctl search` is called a hundred times a day.

    base      the commands and their arguments (commands.tsv), the parser, standard streams; the answer of a command,
              as JSON or for people; colour, width, safe text, pager, progress
    search    search, related, timeline; how answers of search look
    show      show, log, undo, cycle, demo; how the report of a run is printed
    bank      add, edit, feedback, forget, archive, page; init, adopt, export, backup, restore
    review    review
    status    status, doctor, config, service
    agents    connect, disconnect, brief, mcp, import, distil
    hook      hook: light, because agents call it at every prompt
    faces     ui, the finder, banks, completions

Here also is which workspace a command is about.
"""

from __future__ import annotations

import os
import sys

from bankd.errors import BUG, BankError, InvariantError, UsageError, UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from logging import LogRecord
    from pathlib import Path

    from bankd.app.workspace import Workspace

_HELP = {"-h", "--help"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run `bankctl`; gives 0 fine, 1 nothing relevant, 2 usage, 3 the user must act, 70 a bug, 75 busy."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        os.umask(0o077)  # other users may not read the files that bankd makes
    try:
        return _run(arguments, is_process=argv is None)
    except (KeyboardInterrupt, Exception) as error:
        if _is_silent(arguments):
            if argv is None:
                os._exit(0)  # at its end Python would try to write the failed answer again, and print an error
            return 0
        return 130 if isinstance(error, KeyboardInterrupt) else _explain(error)


def _is_silent(arguments: list[str]) -> bool:
    """Whether the command is `hook`, wherever its options stand: some agents refuse a prompt when a hook fails."""
    return "hook" in arguments[: position_of_command(arguments) + 1] and not os.environ.get("BANKD_DEBUG")


def _run(arguments: list[str], *, is_process: bool) -> int:
    match arguments:  # as agents call it, at every prompt: a parser would take longer than the hook itself
        case ["hook", event] | ["hook", event, "--workspace", _] if not event.startswith("-"):
            from bankd.cli.hook import run_event

            code = run_event(event, *arguments[3:])
            if is_process:
                os._exit(code)  # the answer is flushed; Python's own shutdown would take a tenth of the whole time
            return code
    from bankd.cli.base import COMMANDS, leave, make_parser, run_named, take_streams

    if is_process:
        take_streams()
    for word in arguments:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise UsageError(f"{word}: not UTF-8") from None
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    position = position_of_command(arguments)
    name = arguments[position] if position < len(arguments) else None
    if is_process and not arguments:
        from bankd.cli.faces import open_finder

        if open_finder():
            return 0
    if name is None or name not in COMMANDS or _HELP.intersection(arguments[:position]):
        return _usage(name, arguments)
    code = run_named(name, make_parser(name).parse_args(arguments[:position] + arguments[position + 1 :]))
    if is_process:
        leave(code)
    return code


def position_of_command(arguments: Sequence[str]) -> int:
    """Where the command stands: the first word that is neither an option nor the folder of `--workspace`."""
    for position, word in enumerate(arguments):
        is_folder = position > 0 and arguments[position - 1] == "--workspace"
        if not word.startswith("-") and not is_folder:
            return position
    return len(arguments)


def _usage(name: str | None, arguments: list[str]) -> int:
    """Print the version or the list of commands; UsageError for an unknown command or option."""
    from bankd import __version__
    from bankd.cli.base import COMMANDS, GROUPS, say, suggest_word

    if "--version" in arguments:
        sys.stdout.write(f"bankctl {__version__}\n")
        return 0
    if name is not None and name not in COMMANDS and not _HELP.intersection(arguments):
        meant = _command_for(name)
        near = f"did you mean {meant}? " if meant else suggest_word(name, COMMANDS)
        raise UsageError(f"unknown command {name}", f"{near}bankctl --help lists the commands")
    general = {*_HELP, "--version", "--workspace"}
    unknown = [word for word in arguments if word.startswith("-") and word.partition("=")[0] not in general]
    if name is None and unknown:
        near = suggest_word(unknown[0], general)
        raise UsageError(f"unknown option {unknown[0]}", f"{near}bankctl --help lists the commands")
    from bankd.translate import translate as _

    say(_("usage: bankctl COMMAND [options]; for one command: bankctl COMMAND --help"))
    for group, commands in GROUPS.items():
        if group:
            say(_(group))
            for command, (_module, summary) in commands.items():
                if " " not in command:
                    say(f"  {command:12} {_(summary)}")
    return 0


def _command_for(word: str) -> str:
    """The first command whose line of help has that word, as `cycle` has reflect; empty if none has it."""
    from bankd.cli.base import COMMANDS

    told = (name for name, (_, summary) in COMMANDS.items() if word in summary.replace(",", "").split())
    return next(told, "")


def _explain(error: Exception) -> int:
    """Print what went wrong to standard error; gives its exit code."""
    from bankd.pages.text import make_visible
    from bankd.translate import translate as _

    match error:
        case BankError():
            said, code = str(error), error.exit_code
            if isinstance(error, InvariantError):
                said = f"a bug: {said}"
        case BrokenPipeError():
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 141  # what a shell reports for a reader that went away, such as `| head`
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            said, code = f"{where}{error.strerror or error}", 3
        case MemoryError() | ImportError() if _is_out_of_memory(error):
            said, code = "not enough memory; raise the limit (ulimit -v), or end other programs", 3
        case _other:
            from traceback import print_exception

            print_exception(error)
            said, code = "this is a bug in bankd; please report the lines above", BUG
    sys.stderr.write("".join(f"bankctl: {make_visible(_(line))}\n" for line in said.split("\n")))
    return code


def _is_out_of_memory(error: Exception) -> bool:
    """Whether memory was short. The loader of compiled modules says so only in the words of an ImportError."""
    words = ("failed to map segment", "cannot allocate memory")
    return isinstance(error, MemoryError) or any(said in str(error) for said in words)


def open_named(arguments: Namespace, *, write: bool) -> AbstractContextManager[Workspace]:
    """Open the workspace that a command is about, at the time of its `--now`; BusyError when another process writes."""
    import logging

    from bankd.wiring.workspace import open_workspace

    if logging.lastResort:
        logging.lastResort.addFilter(_in_language)
    return open_workspace(find_workspace(arguments.workspace), getattr(arguments, "now", None), write=write)


def _in_language(record: LogRecord) -> bool:
    """Put a warning of a lower room into the reader's language."""
    from bankd.translate import translate

    record.msg, record.args = translate(record.getMessage()), ()
    return True


def find_workspace(given: str | None) -> Path:
    """`locate_workspace` as a path."""
    from pathlib import Path

    return Path(locate_workspace(given))


def locate_workspace(given: str | None) -> str:
    """The workspace by `--workspace`, `$BANKD_WORKSPACE`, or the nearest parent folder that has a `bankd.yaml`."""
    if named := given or os.environ.get("BANKD_WORKSPACE"):
        folder = os.path.expanduser(named)  # noqa: PTH111 -- pathlib takes longer than the work of a search
        if not is_workspace(folder):
            problem = "has no bankd.yaml" if os.path.isdir(folder) else "no such folder"  # noqa: PTH112 -- same
            raise UserError(f"{folder}: {problem}; make a workspace there with: bankctl init {folder}")
        folder = os.path.realpath(folder)
    else:
        here = folder = os.getcwd()  # noqa: PTH109 -- same
        while not is_workspace(folder):
            above = os.path.dirname(folder)  # noqa: PTH120 -- same
            if above == folder:
                raise UserError(f"no bankd.yaml here or above {here}; make a workspace with: bankctl init DIR")
            folder = above
    own = os.path.join(folder, ".bankd")  # noqa: PTH118 -- same
    if os.path.islink(own):  # noqa: PTH114 -- same; derived files would be written outside the workspace
        way = "move the linked folder here, or delete the link: all but undo can be rebuilt"
        raise UserError(f"{own}: is a link, and bankd follows no link out of a workspace; {way}")
    try:
        folder.encode()
    except UnicodeEncodeError:
        raise UserError(f"{folder}: its path is not UTF-8; rename the folder") from None
    return folder


def is_workspace(folder: str) -> bool:
    """Whether there is a workspace in a folder."""
    return os.path.isfile(os.path.join(folder, "bankd.yaml"))  # noqa: PTH113, PTH118 -- same

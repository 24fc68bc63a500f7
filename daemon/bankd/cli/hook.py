"""`bankctl hook`: what the hooks of an agent's session call. Nothing that goes wrong may be heard of in the session.

The process starts before every prompt, so its way to the daemon imports nothing of what most programs do: no `json`,
`re`, `signal` or `typing`, and not `site` either, as `app.agent_plans` has agents call it.
"""

from __future__ import annotations

import os
import sys

from bankd.cli.location import locate_workspace
from bankd.pages.bare_json import read_json, write_json
from bankd.wiring.served_hooks import ask_daemon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any


def hook_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("event", metavar="EVENT", help="SessionStart, UserPromptSubmit, PreCompact or SessionEnd")


_SECONDS = 2.0
"""So long may a bank that hangs, or that mends itself, hold a session up; some agents give their last hook less."""


def hook_command(arguments: Namespace) -> int:
    """Answer on standard output, in the form that the agent reads; `cli.main` leaves with 0 whatever is raised."""
    return run_event(arguments.event, arguments.workspace)


def run_event(event: str, workspace: str | None = None) -> int:
    """The same without a parser, which costs a hook more than its own work."""
    # `signal` makes enumerations of its names, which takes as long as asking the daemon.
    import _signal  # type: ignore[import-not-found]

    _signal.signal(_signal.SIGALRM, lambda *_: os._exit(0))
    _signal.setitimer(_signal.ITIMER_REAL, _SECONDS)
    try:
        return _answer(event, workspace)
    finally:
        _signal.setitimer(_signal.ITIMER_REAL, 0)


def _answer(event: str, workspace: str | None) -> int:
    said, root = read_json(sys.stdin.buffer.read()), locate_workspace(workspace)
    context = ask_daemon(root, event, said)
    if context is None:
        context = _read_bank(root, event, said)
    if context:
        answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}
        sys.stdout.write(write_json(answer) + "\n")
        sys.stdout.flush()
    return 0


def _read_bank(root: str, event: str, said: dict[str, Any]) -> str:
    import gc

    gc.disable()  # it ends before there is anything to collect
    _find_neighbours()
    from bankd.agents.hooks import answer_hook
    from bankd.wiring.reader import BankReader

    context = answer_hook(event, said, BankReader(root, is_alone=True))
    return context.encode("utf-8", "replace").decode()


def _find_neighbours() -> None:
    """Look for packages as Python usually does, where it was started without and they do not stand beside ours."""
    beside = os.path.normpath(f"{__file__}/../../../tantivy")
    if sys.flags.no_site and not os.path.isdir(beside):  # noqa: PTH112 -- pathlib costs a hook more than this module
        import site

        site.main()

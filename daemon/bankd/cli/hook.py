"""`bankctl hook`: what the hooks of an agent's session call. Nothing that goes wrong may be heard of in the session."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` would cost a hook more than this module
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("event", metavar="EVENT", help="SessionStart, UserPromptSubmit, PreCompact or SessionEnd")


_SECONDS = 2.0
"""So long may a bank that hangs, or that mends itself, hold a session up; some agents give their last hook less."""


def run(arguments: Namespace) -> int:
    """Answer on standard output, in the form that the agent reads; `cli.main` leaves with 0 whatever is raised."""
    return run_event(arguments.event, arguments.workspace)


def run_event(event: str, workspace: str | None = None) -> int:
    """The same without a parser, which costs a hook more than its own work."""
    import os
    import signal

    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        return _answer(event, workspace)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _answer(event: str, workspace: str | None) -> int:
    import json
    import sys

    from bankd.cli.streams import write_json
    from bankd.cli.workspace import locate_workspace
    from bankd.wiring.served_hooks import ask_daemon

    said, root = json.loads(sys.stdin.buffer.read()), locate_workspace(workspace)
    context = ask_daemon(root, event, said)
    if context is None:
        context = _read_bank(root, event, said)
    if context:
        write_json({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}})
        sys.stdout.flush()
    return 0


def _read_bank(root: str, event: str, said: dict[str, Any]) -> str:
    from bankd.agents.hooks import answer_hook
    from bankd.wiring.bank_reader import BankReader

    return answer_hook(event, said, BankReader(root))

"""`bankctl hook`: what the hooks of an agent's session call. Nothing that goes wrong may be heard of in the session."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("event", metavar="EVENT", help="SessionStart, UserPromptSubmit, PreCompact or SessionEnd")


_SECONDS = 2.0
"""So long may a bank that hangs, or that mends itself, hold a session up; some agents give their last hook less."""


def run(arguments: Namespace) -> int:
    """Answer on standard output, in the form that the agent reads; `cli.main` leaves with 0 whatever is raised."""
    import os
    import signal

    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        return _answer(arguments)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _answer(arguments: Namespace) -> int:
    import json
    import sys

    from bankd.agents.hooks import answer_hook
    from bankd.cli.streams import write_json
    from bankd.cli.workspace import locate_workspace
    from bankd.wiring.bank_reader import BankReader

    said = json.loads(sys.stdin.buffer.read())
    bank = BankReader(locate_workspace(arguments.workspace))
    if context := answer_hook(arguments.event, said, bank):
        write_json({"hookSpecificOutput": {"hookEventName": arguments.event, "additionalContext": context}})
        sys.stdout.flush()
    return 0

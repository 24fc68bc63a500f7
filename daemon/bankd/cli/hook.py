"""`bankctl hook`: what the hooks of an agent's session call. No error may show in the session.

It imports little, since it starts before every prompt. Asking the daemon needs neither `json`, `re`, `signal`, `typing`
nor `site`; `agents.connect` lets agents start it without `site`.
"""

from __future__ import annotations

import os
import sys

from bankd.cli import locate_workspace
from bankd.pages.bare_json import read_json, write_json
from bankd.wiring.asking import ask_hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

_SECONDS = 2.0
"""The longest that a hook may hold a session up, even when the bank hangs; some agents give their last hook less."""


def hook_command(arguments: Namespace) -> int:
    """Outcome the event; `cli.main` leaves with 0 whatever is raised."""
    return run_event(arguments.event, arguments.workspace)


def run_event(event: str, workspace: str | None = None) -> int:
    """Read the event's JSON from standard input and write the answer in the form that the agent reads."""
    # `signal` makes enumerations of its names, which takes as long as asking the daemon.
    import _signal  # type: ignore[import-not-found]

    _signal.signal(_signal.SIGALRM, lambda *_: os._exit(0))
    _signal.setitimer(_signal.ITIMER_REAL, _SECONDS)
    try:
        said, root = read_json(sys.stdin.buffer.read()), locate_workspace(workspace)
        if os.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk") or said.get("agent_id"):
            said["unattended"] = "yes"  # one-shot, of a program, or a subagent: it is never asked for notes
        if event == "Stop" and (said.get("stop_hook_active") or said.get("unattended")):
            return 0
        context = ask_hook(root, event, said)
        if context is None:
            import gc

            gc.disable()  # the process ends before there is anything to collect
            _find_packages()
            from bankd.agents.hooks import answer_hook
            from bankd.wiring.reader import BankReader

            context = answer_hook(event, said, BankReader(root, is_alone=True)).encode("utf-8", "replace").decode()
        if context:
            told: dict[str, object] = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}
            if event == "Stop":
                told = {"decision": "block", "reason": context}
            sys.stdout.write(write_json(told) + "\n")
            sys.stdout.flush()
    finally:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
    return 0


def _find_packages() -> None:
    """Load `site` where Python was started without it and the packages that we need do not stand beside ours."""
    beside = os.path.normpath(f"{__file__}/../../../tantivy")
    if sys.flags.no_site and not os.path.isdir(beside):  # noqa: PTH112 -- pathlib takes longer than this module
        import site

        site.main()

"""Calls a person by the command that the settings name: no shell, the message on its standard input, half a minute."""

from __future__ import annotations

import logging
import shlex
import subprocess

log = logging.getLogger(__name__)

TIMEOUT = 30


def call_person(command: str, message: str) -> bool:
    """Run the command; gives whether it worked. Without a command the journal alone has the message."""
    if not command.strip():
        return False
    try:
        done = subprocess.run(  # noqa: S603  the user's own command
            shlex.split(command), input=message + "\n", text=True, timeout=TIMEOUT, check=False, capture_output=True
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        log.error("alert command failed error=%s", error)  # noqa: TRY400  its traceback would tell nothing more
        return False
    if done.returncode:
        log.error("alert command failed exit=%d said=%s", done.returncode, done.stderr[:500])
    return done.returncode == 0

"""What the daemon says to people who do not look at it: an alert by a command of theirs, and metrics for their collector."""

from __future__ import annotations

import logging
import shlex
from pathlib import Path

from bankd.adapters.system.command import CommandStoppedError, run_command
from bankd.adapters.system.staged_file import replace_file

log = logging.getLogger(__name__)

TIMEOUT = 30
_LONGEST = 1 << 20
"""Bytes that an alert command may print; nobody reads them."""


def call_person(command: str, message: str) -> bool:
    """Run the command of the settings, without a shell and for half a minute at most, the message on its standard input.

    Gives whether it worked; without a command the journal alone has the message.
    """
    if not command.strip():
        return False
    try:
        ran = run_command(shlex.split(command), f"{message}\n".encode(), TIMEOUT, _LONGEST)
    except (OSError, ValueError, CommandStoppedError) as error:
        log.error("alert command failed error=%s", error)  # noqa: TRY400  its traceback would tell nothing more
        return False
    if ran.code:
        log.error("alert command failed exit=%d said=%s", ran.code, ran.said.decode(errors="replace")[:500])
    return ran.code == 0


def write_metrics(path: Path, text: str) -> None:
    """Replace the file that a node exporter's textfile collector reads; a disk that does not take it costs one reading."""
    try:
        replace_file(path, text, 0o644)
    except OSError as error:
        log.warning("metrics not written path=%s error=%s", path, error.strerror)

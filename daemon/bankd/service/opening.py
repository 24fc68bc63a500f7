"""Opening the workspace that is to be served, as soon as it can be."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from pathlib import Path

from bankd.app.engine import Engine
from bankd.config.workspace_config import SETTINGS
from bankd.errors import BankError, UserError
from bankd.wiring.serving import Signalling, Telling

log = logging.getLogger(__name__)

RETRY = 10.0
"""Seconds after which it is tried again, at most."""


def open_when_possible(
    workspace: Path,
    open_engine: Callable[[Path], Engine],
    telling: Telling,
    signals: Signalling,
    hopeless: tuple[type[BankError], ...],
) -> Engine | None:
    """Open the workspace, waiting for what time or a person mends, which is logged once; raises what is hopeless.

    None when a signal came first.
    """
    pause = min(RETRY, telling.watchdog.total_seconds() / 3) if telling.watchdog else RETRY
    said = ""
    while True:
        try:
            if not (workspace / SETTINGS).is_file():  # perhaps its disk is not mounted yet
                raise UserError(f"{workspace}: no workspace is there; make one with: bankctl init {workspace}")
            return open_engine(workspace)
        except hopeless:
            raise
        except BankError as error:
            if str(error) != said:
                log.error("waiting, tried again every %.1f s: %s", pause, error)  # noqa: TRY400
            said = str(error)
            telling.ready(f"waiting: {said}")
            telling.alive()
        if signals.wait(pause) - {signal.SIGHUP}:
            return None

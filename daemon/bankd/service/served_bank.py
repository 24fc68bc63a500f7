"""The bank as the daemon itself reads it for a hook: what another process asks over the socket is asked here directly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bankd.wiring.bank_reader import BankReader


class ServedBank(BankReader):
    """The workspace of the daemon."""

    def __init__(self, root: str, handle: Callable[[dict[str, Any]], Any]) -> None:
        """Take the workspace, and what answers requests."""
        super().__init__(root)
        self._handle = handle

    def ask_daemon(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """What the daemon answers; it waits for nobody, so `seconds` says nothing."""
        return dict(self._handle(request))

"""What is known of the clock, in `.bankd/clock.json`: the last reading that was believed, and whether the clock still is."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bankd.adapters.storage.disk import explain_failure
from bankd.adapters.storage.staging import Staging
from bankd.adapters.storage.tree import FileTree
from bankd.adapters.system.clock import read_clocks
from bankd.core.daemon.clock_trust import ClockLook, ClockTrust, accept_reading, judge_reading

PATH = ".bankd/clock.json"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_CAP = 4096


def look_at_clock() -> ClockLook:
    """What the clocks say now."""
    reading = read_clocks()
    boot = ""
    with suppress(OSError):
        boot = _BOOT_ID.read_text().strip()
    return ClockLook(reading.wall, reading.since_boot, boot)


class TrustedClock:
    """The clock as it is believed in one workspace."""

    def __init__(self, tree: FileTree, staging: Staging) -> None:
        self._tree, self._staging = tree, staging

    def judge(self, *, remember: bool = False) -> ClockTrust:
        """Look at the clock; what was found is remembered for the next look, or not. Raises StorageError."""
        trust = judge_reading(self._read(), look_at_clock())
        if remember:
            self._remember(trust)
        return trust

    def accept(self) -> ClockTrust:
        """Believe the clock from now on; raises StorageError."""
        trust = accept_reading(look_at_clock())
        self._remember(trust)
        return trust

    def _read(self) -> ClockTrust | None:
        """What was known at the last reading; None when there was none, or it cannot be read."""
        try:
            fields: dict[str, Any] = json.loads(self._tree.read_own(PATH, _CAP) or b"{}")
            wall = datetime.fromisoformat(fields["wall"])
            anchor = ClockLook(wall, float(fields["steady"]), str(fields["boot"]))
            off = fields.get("off_seconds")
            trust = ClockTrust(anchor, None if off is None else timedelta(seconds=float(off)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
            return None
        return trust if wall.tzinfo else None

    def _remember(self, trust: ClockTrust) -> None:
        off = None if trust.off is None else trust.off.total_seconds()
        anchor = trust.anchor
        fields = {"wall": anchor.wall.isoformat(), "steady": anchor.steady, "boot": anchor.boot, "off_seconds": off}
        try:
            self._staging.publish(PATH, json.dumps(fields).encode() + b"\n")
        except OSError as problem:
            raise explain_failure(problem, PATH) from problem

"""What is known of the clock, in `.bankd/clock.json`: the last look that was believed, and whether it is believed still."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bankd.adapters.storage.staging import Staging
from bankd.adapters.storage.tree import FileTree
from bankd.adapters.system.clock import read_clocks
from bankd.core.daemon.clock_trust import ClockLook, ClockTrust

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


def read_trust(tree: FileTree) -> ClockTrust | None:
    """What was known at the last look; None when there was none, or it cannot be read."""
    try:
        fields: dict[str, Any] = json.loads(tree.read_own(PATH, _CAP) or b"{}")
        wall = datetime.fromisoformat(fields["wall"])
        anchor = ClockLook(wall, float(fields["steady"]), str(fields["boot"]))
        off = fields.get("off_seconds")
        trust = ClockTrust(anchor, None if off is None else timedelta(seconds=float(off)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None
    return trust if wall.tzinfo else None


def write_trust(staging: Staging, trust: ClockTrust) -> None:
    """Remember what is known now."""
    off = None if trust.off is None else trust.off.total_seconds()
    anchor = trust.anchor
    fields = {"wall": anchor.wall.isoformat(), "steady": anchor.steady, "boot": anchor.boot, "off_seconds": off}
    staging.publish(PATH, json.dumps(fields).encode() + b"\n")

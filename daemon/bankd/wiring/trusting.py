"""Whether the clock of this computer is believed, and a person's word that it may be."""

from __future__ import annotations

from bankd.adapters.storage.disk import explain_failure
from bankd.adapters.storage.staging import Staging
from bankd.adapters.storage.tree import FileTree
from bankd.adapters.workspace.clock_trust import look_at_clock, read_trust, write_trust
from bankd.core.daemon.clock_trust import ClockTrust, accept_reading, judge_reading


def judge_clock(tree: FileTree, staging: Staging | None) -> ClockTrust:
    """Look at the clock; with a stage, what was found is remembered for the next look. Raises StorageError."""
    trust = judge_reading(read_trust(tree), look_at_clock())
    if staging is not None:
        _remember(staging, trust)
    return trust


def accept_clock(staging: Staging) -> ClockTrust:
    """Believe the clock from now on; raises StorageError."""
    trust = accept_reading(look_at_clock())
    _remember(staging, trust)
    return trust


def _remember(staging: Staging, trust: ClockTrust) -> None:
    try:
        write_trust(staging, trust)
    except OSError as problem:
        raise explain_failure(problem, ".bankd/clock.json") from problem

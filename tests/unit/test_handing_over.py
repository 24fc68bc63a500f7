"""The daemon is told that a hook left a transcript, and makes a run soon."""

from __future__ import annotations

from typing import Any, cast

from bankd.service.requests import Requests


class Jobs:
    """Counts what is asked of it."""

    def __init__(self) -> None:
        self.told = 0

    def log_changed(self) -> None:
        self.told += 1


def test_a_hand_over_is_a_reason_for_a_run() -> None:
    jobs, nobody = Jobs(), cast(Any, None)

    assert Requests(nobody, cast(Any, jobs), nobody, nobody).handle({"op": "handed over"}) == {}

    assert jobs.told == 1

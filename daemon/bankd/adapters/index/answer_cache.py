"""Answers given a moment ago, for the daemon: a repeated question over the same state of the index costs nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from datetime import datetime, timedelta
from typing import Any


class AnswerCache:
    """The last answers, by question, options and generation; an edit makes a new generation, hence a new answer."""

    def __init__(self, entries: int, minutes: int) -> None:
        """Keep so many answers, for so many minutes."""
        self._entries = entries
        self._life = timedelta(minutes=minutes)
        self._answers: OrderedDict[Hashable, tuple[datetime, dict[str, Any]]] = OrderedDict()

    def get(self, key: Hashable, now: datetime) -> dict[str, Any] | None:
        """The answer for this key, unless it is too old."""
        kept = self._answers.get(key)
        if kept is None or not timedelta() <= now - kept[0] <= self._life:
            return None
        self._answers.move_to_end(key)
        return kept[1]

    def put(self, key: Hashable, answer: dict[str, Any], now: datetime) -> None:
        """Keep an answer, at the cost of the one that was used longest ago."""
        self._answers[key] = (now, answer)
        self._answers.move_to_end(key)
        while len(self._answers) > self._entries:
            self._answers.popitem(last=False)

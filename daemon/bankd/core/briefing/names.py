"""The names of the modes, for who only lists them; `modes` says what each is."""

from __future__ import annotations

MODES = (
    "orient", "resume", "project", "person", "meeting", "morning", "day", "week", "since-last", "conflicts", "fading",
    "loops", "dates", "on-this-day", "forgotten", "decisions", "habits", "quiz",
)  # fmt: skip

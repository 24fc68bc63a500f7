"""How long a fading memory is announced: by itself, for a session that starts imports no more of its life than this."""

from __future__ import annotations

from datetime import timedelta

NOTICE = timedelta(days=7)
"""How long before it goes a fading memory is announced, and the least time that it stays after it was taken in: a year of
old opinions may have faded by the time that they are imported."""

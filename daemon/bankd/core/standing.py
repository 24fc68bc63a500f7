"""A memory as it stands in its page: its exact lines, and what is around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

MARKER = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
"""The marker of a list item, which is not part of what it says."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The exact lines of a memory, the page that holds them, and the id of the memory that stands before it there."""

    page: str
    text: str
    heading: tuple[str, ...] = ()
    after: str | None = None
    own: int = 1
    """How many of the lines are its own; the rest is nested in it."""

"""When a new line says what the bank already says.

Only what is equal in its normal form is blocked: nothing fuzzier, as long as no guard watches over numbers and negations.
"""

from __future__ import annotations

import hashlib

from bankd.core.markdown.memory import Memory, normalise_text

_LAST_STOPS = " .。!！~"


def text_key(memory: Memory) -> str:
    """A key that is equal for texts equal but for case, white space and final stops, said of the same entities."""
    text = normalise_text(memory.text).casefold().rstrip(_LAST_STOPS)
    parts = (memory.tag or "", *sorted(normalise_text(slug).casefold() for slug in memory.entities), text)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]

"""What `bank/_meta/` holds: pages that bankd keeps for itself, of which only the inbox holds memories."""

from __future__ import annotations

META = "_meta/"
INBOX = f"{META}inbox.md"


def is_own(page: str) -> bool:
    """Whether a page, relative to `bank/`, is one of bankd's own."""
    return page.casefold().startswith(META)

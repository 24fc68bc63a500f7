"""Which memories of what was lived have become worth knowing: those that were of use again and again.

A person is asked; nothing moves by itself.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from datetime import date, timedelta

from bankd.core.lifecycle.archive import Resident
from bankd.core.lifecycle.routing import Destination
from bankd.core.markdown.names import is_own
from bankd.core.use.policy import PROMOTED_AFTER, PROMOTED_USES

LIVED = ("experience/", "world/events.md", "world/events/")
"""Where memories of what happened stand, relative to the bank; a page that was split has its parts in a folder."""
KNOWN = "knowledge/learned.md"
"""Where lasting knowledge goes that no rule has another place for."""


def find_promotable(residents: Iterable[Resident], today: date, declined: Container[str]) -> list[Resident]:
    """What was lived, learned a week ago or earlier and used on three days, unless somebody declined; most used first."""
    offered = [one for one in residents if one.id not in declined and _is_promotable(one, today)]
    return sorted(offered, key=lambda one: (-len(set(one.signals.used)), one.page, one.id))


def _is_promotable(one: Resident, today: date) -> bool:
    if one.kept is None or one.superseded_by or not is_lived(one.page.removeprefix("bank/")):
        return False
    return one.kept <= today - timedelta(PROMOTED_AFTER) and len(set(one.signals.used)) >= PROMOTED_USES


def is_lived(page: str) -> bool:
    """Whether a page, relative to the bank, holds what happened."""
    return page.startswith(LIVED)


def lasting_place(claims: Sequence[Destination]) -> Destination:
    """Of the places that claim a memory, the first of lasting knowledge."""
    lasting = (place for place in claims if not (is_lived(place.page) or is_own(place.page)))
    return next(lasting, Destination(KNOWN, None, "lasting knowledge"))

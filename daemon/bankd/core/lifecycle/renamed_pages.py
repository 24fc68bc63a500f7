"""Where a page is that the user has renamed: known by its memories, so that rules and `@Slug` go on leading to it.

The links of a workspace would not tell: most pages have none into them, and what is kept of links can be lost.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from bankd.core.lifecycle.events import KEPT, Ledger
from bankd.core.lifecycle.routing import Destination
from bankd.core.markdown.names import BANK, is_own

_MOST = 0.5
"""More than this share of what was filed on a page stands where it is now."""


@dataclass(frozen=True)
class RenamedPages:
    """What the events say was filed on each page, and where it stands now."""

    ledger: Ledger
    pages_of: Callable[[Iterable[str]], Mapping[str, Sequence[str]]]
    """For each id that is held: the pages that hold it, from the workspace."""
    _found: dict[str, str] = field(default_factory=dict)

    def follow(self, destination: Destination) -> Destination:
        """The place of a memory whose page is not there, by that name: on the page that is it now, if any is."""
        page = self.name_now(destination.page)
        if page == destination.page:
            return destination
        return replace(destination, page=page, reason=f"{destination.reason}; {destination.page} is {page} now")

    def name_now(self, page: str) -> str:
        """The present name of a page that is not there any more; else its own name. Relative to `bank/`."""
        if page not in self._found:
            self._found[page] = self._recognise(page)
        return self._found[page]

    def _recognise(self, page: str) -> str:
        filed = self._filed.get(page, ())
        if is_own(page) or not filed:
            return page
        pages = Counter(held[0] for held in self.pages_of(filed).values() if held[0].startswith(BANK))
        here, count = next(iter(pages.most_common(1)), (BANK + page, 0))
        return here.removeprefix(BANK) if count > _MOST * len(filed) else page

    @cached_property
    def _filed(self) -> Mapping[str, Sequence[str]]:
        filed: defaultdict[str, list[str]] = defaultdict(list)
        for id_, event in self.ledger.consumed.items():
            if event["type"] == KEPT and id_ not in self.ledger.gone:
                filed[str(event.get("page"))].append(id_)
        return filed

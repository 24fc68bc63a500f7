"""How a command says, before it acts, which links will lead nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bankd.cli.printing import say, styled

if TYPE_CHECKING:
    from bankd.core.links.linking import Link


class Announcer:
    """Prints the links that will lead nowhere, with their places and what can be done; `rows` has them for JSON."""

    def __init__(self, advice: str, *, as_json: bool) -> None:
        """Say this of them, or with `as_json` nothing yet."""
        self._advice, self._as_json = advice, as_json
        self.rows: list[dict[str, object]] = []

    def __call__(self, dangling: Sequence[Link]) -> None:
        """Print them."""
        if dangling and not self._as_json:
            say(f"{styled(f'{len(dangling)} links will lead nowhere', 'red')}; {self._advice}")
        for link in dangling:
            line, target = link.reference.line + 1, link.reference.target
            self.rows.append({"page": link.source, "line": line, "target": target})
            if not self._as_json:
                say(f"  {styled(f'{link.source}:{line}', 'dim')}  {styled(target, 'bold')}")

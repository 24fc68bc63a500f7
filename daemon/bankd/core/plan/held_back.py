"""The lines of logs that were not taken in and that a person should look at, until they are edited or dismissed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bankd.core.lifecycle.events import SCREENED, Ledger
from bankd.core.lifecycle.retain import PROPOSED, REFUSED, LogPlace, LogReading
from bankd.core.markdown.memory import render_memory
from bankd.core.plan.decisions import Withheld
from bankd.core.secrets.screening import Finder, find_secrets, mask_secrets


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A line that is no memory: where it stands, what kind of trouble it is, its text without secrets, why, and its key."""

    place: LogPlace
    kind: str
    text: str
    reason: str
    key: str

    @property
    def is_offered(self) -> bool:
        """Whether the user can accept it as it is; otherwise the log has to be corrected."""
        return self.kind in {REFUSED, PROPOSED}


def screened_in(ledger: Ledger, withheld: Sequence[Withheld] = ()) -> dict[str, str]:
    """By the ids of the lines that look like credentials: like which; those of a run that is going on as well."""
    known = ((id_, fact) for id_, fact in ledger.consumed.items() if fact["type"] == SCREENED)
    return {id_: str(fact.get("looks_like", "")) for id_, fact in known} | {w.line.id: w.kind for w in withheld}


def held_back_in(
    reading: LogReading, ledger: Ledger, screened: Mapping[str, str], finders: Sequence[Finder] = ()
) -> tuple[HeldBack, ...]:
    """The lines of a log that wait for a person, in their order."""
    found = [*_bad(reading, finders), *_screened(reading, screened, finders)]
    return tuple(sorted((item for item in found if item.key not in ledger.dismissed), key=lambda item: item.place))


def _bad(reading: LogReading, finders: Sequence[Finder]) -> Iterator[HeldBack]:
    for bad in reading.bad:
        shown = bad.screened(finders)
        yield HeldBack(bad.place, bad.kind, shown.text, shown.reason, bad.key)


def _screened(reading: LogReading, screened: Mapping[str, str], finders: Sequence[Finder]) -> Iterator[HeldBack]:
    for line in (line for line in reading.lines if line.id in screened):
        text = render_memory(line.memory)
        secrets = find_secrets(text, finders)  # rules may have changed since: what is not found now is not shown
        reason = f"it looks like a credential ({screened[line.id]}); take it out of the log and change it"
        yield HeldBack(line.place, "screened", mask_secrets(text, secrets) if secrets else "", reason, line.id)

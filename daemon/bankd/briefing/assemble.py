"""Puts together the facts that briefings choose from, out of pages, events and logs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import starmap
from typing import TYPE_CHECKING

from bankd.briefing.facts import BriefFacts, Happened, KnownMemory, OpenLine
from bankd.memory.ledger import DUPLICATE, KEPT, SUPERSEDED, Event, Ledger, day_said, fold_events
from bankd.memory.route import RenamedPages
from bankd.memory.use import FADING_TAG, Fading, value_on
from bankd.pages.names import day_in
from bankd.words.days import read_iso_moment

if TYPE_CHECKING:
    from bankd.pages.page import Entry, Page
    from bankd.settings import DecayPolicy

_TOLD = frozenset({KEPT, DUPLICATE, SUPERSEDED})
"""What was taken out is not told: no page of the bank has its text."""
_OPEN_LINE = re.compile(r"[ \t]*[-*+][ \t]+(?P<text>\[[ xX]\].*|(?![WBOS][ \t]*[(:@]).*\bTODO\b.*)")


def assemble_facts(
    pages: Iterable[Page], events: Sequence[Event], logs: Mapping[str, str], today: date, decay: DecayPolicy
) -> BriefFacts:
    """Put the facts together. `logs` has the texts of recent logs by name."""
    ledger = fold_events(events)
    entries = [(page, entry) for page in pages for entry in page.entries if entry.memory.text.strip()]
    said = _said_days(ledger)
    pages_of = {entry.memory.id: (page.path,) for page, entry in entries if entry.memory.id}
    renamed = RenamedPages(ledger, lambda ids: {id_: pages_of[id_] for id_ in ids if id_ in pages_of})
    fading = Fading.of(decay, renamed.name_now)

    def known(page: Page, entry: Entry) -> KnownMemory:
        memory = entry.memory
        key = memory.id or f"{page.path}:{entry.line}"
        days = tuple(sorted(said.get(key, ())))
        learned = days[0] if days else (memory.confidence.day if memory.confidence else None)
        value = memory.confidence.hundredths if memory.confidence else None
        if memory.confidence and memory.tag == FADING_TAG:  # only opinions fade
            value = value_on(memory.confidence, today, fading, page.path, ledger.signals_of(key).used)
        return KnownMemory(
            key, page.path, entry.line, memory.text, memory.tag, value, memory.entities, entry.heading,
            memory.is_pinned, learned, days, tuple(sorted(of.get(key, ()))),
        )  # fmt: skip

    of = ledger.projects()
    happened = tuple(sorted(_happened(events), key=lambda one: (one.at, one.kind, one.key)))
    open_lines = (
        OpenLine(day, line["text"], f"memory/{name}:{number}")
        for name, text in logs.items()
        if (day := day_in(name))
        for number, said in enumerate(text.split("\n"), 1)
        if (line := _OPEN_LINE.fullmatch(said))
    )
    return BriefFacts(tuple(starmap(known, entries)), happened, ledger.successors(), tuple(open_lines))


def _said_days(ledger: Ledger) -> dict[str, list[date]]:
    """The days of the logs in which each memory was said, first or again, by memory."""
    days: dict[str, list[date]] = {}
    for id_, fact in ledger.consumed.items():
        if day := day_said(fact):
            days.setdefault(str(fact.get("of")) if fact["type"] == DUPLICATE else id_, []).append(day)
    return days


def _happened(events: Iterable[Event]) -> Iterator[Happened]:
    for one in {str(event["id"]): event for event in events}.values():
        at = read_iso_moment(str(one.get("at")))
        if one.get("type") in _TOLD and at and at.tzinfo:
            yield Happened(str(one["type"]), at, str(one.get("memory")), str(one.get("by") or one.get("of") or ""))

"""Search as you type, in three groups; and the memories of some days, as the bank stood on any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from bankd.core.agents.recalled import relation_of
from bankd.core.lifecycle.retain import LogPlace
from bankd.ui.asked import Address, Shown
from bankd.wiring.banks import OpenBank

GROUPS = ("bank", "logs", "archive")
_AT_MOST, _DAYS_AT_MOST = 20, 60

Hit = Mapping[str, Any]


def show_search(bank: OpenBank, asked: Address) -> Shown:
    """The best answers, explained; nothing is asked before something is typed."""
    answer = _answer(bank, asked) if asked.text("q") else None
    facts = {"answer": answer, "groups": _in_groups(answer["hits"] or answer["nearest"]) if answer else {}}
    return Shown("results.html" if asked.text("part") else "search.html", facts)


def _answer(bank: OpenBank, asked: Address) -> dict[str, Any]:
    request = {
        "query": asked.text("q"), "limit": _AT_MOST, "is_korean": asked.is_korean, "as_of": asked.text("as_of") or None,
        "everything": bool(asked.text("weak")),
    }  # fmt: skip
    return asked.ask_all(request) if asked.text("all") else bank.ask(request)


def _in_groups(hits: Sequence[Hit]) -> dict[str, list[dict[str, Any]]]:
    shown = [{**hit, "pieces": list(marked_pieces(hit)), "told": relation_of(hit)} for hit in hits]
    return {group: found for group in GROUPS if (found := [hit for hit in shown if hit["group"] == group])}


def marked_pieces(hit: Hit) -> Iterator[tuple[str, bool]]:
    """The text of a hit in pieces, each with whether the question has its words."""
    text, at = str(hit["text"]), 0
    for start, end in hit["marks"]:
        yield text[at:start], False
        yield text[start:end], True
        at = end
    yield text[at:], False


def show_timeline(bank: OpenBank, asked: Address) -> Shown:
    """The memories of some days, the newest first; with `as_of` as the bank stood then."""
    subject = asked.text("about")
    is_person = subject.startswith("@")
    request = {
        "timeline": True, "in": ["bank"], "limit": _DAYS_AT_MOST, "is_korean": asked.is_korean,
        "entities": [subject] if is_person else [], "nodes": [subject] if subject and not is_person else [],
        **{name: asked.text(name) or None for name in ("since", "until", "as_of")},
    }  # fmt: skip
    hits = bank.ask(request)["hits"]
    days = [(when, list(of_day)) for when, of_day in groupby(hits, key=lambda hit: hit["when"])]
    return Shown("timeline.html", {"days": days, "slider": _slider(bank, asked)})


def _slider(bank: OpenBank, asked: Address) -> dict[str, Any]:
    """The days between which the slider moves, from the first that a log is of to today."""
    with bank.look() as workspace:
        logs = workspace.files.survey("memory", workspace.now, 0, any_content=True).files
        today = workspace.now.date()
    days = [day for path in logs if (day := LogPlace(path.removeprefix("memory/"), 1).day(today)) < today]
    first = min(days, default=today)
    return {"first": first.isoformat(), "today": today.isoformat(), "as_of": asked.text("as_of") or today.isoformat()}

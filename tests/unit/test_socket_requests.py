"""A request of the socket is checked whole, and only then begun; and an answer says when the jobs stand still."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from bankd.errors import BusyError, UsageError
from bankd.health.health import LENT, QueueFacts
from bankd.service.requests import OPERATIONS, Requests, find_problems
from bankd.wiring.held import RunSummary
from tests.odd_values import with_one_odd

WELL: tuple[dict[str, Any], ...] = (
    {"op": "run", "kind": "micro", "force": True, "within": 1.5},
    {"op": "lend", "within": 0},
    {"op": "hook", "event": "SessionEnd", "said": {}},
    {"op": "tool", "name": "memory_search", "arguments": {}},
    {"op": "status"},
)
BAD: tuple[dict[str, Any], ...] = (
    {"op": "lend", "within": -1},
    {"op": "lend", "within": float("nan")},
    {"op": "lend", "within": True},
    {"op": "lend", "within": 601},
    {"op": "lend", "within": None},
    {"op": "run"},
    {"op": "run", "kind": "micro", "within": "soon"},
    {"op": "run", "kind": "micro", "force": "yes"},
    {"op": "run", "kind": ["micro"]},
    {"op": "hook", "event": "SessionEnd"},
    {"op": "tool", "name": "memory_note", "arguments": []},
    {"op": "dance"},
)


def answering(begun: list[str], queue: QueueFacts | None = None) -> Requests:
    """Requests to a daemon of which nothing is there but a note of what was begun."""

    def submit(what: str, _work: object) -> None:
        begun.append(what)

    def ask(name: str, **_: object) -> RunSummary:
        begun.append(name)
        return RunSummary("", {})

    timer, jobs = SimpleNamespace(submit=submit, queue=lambda: queue or QueueFacts()), SimpleNamespace(ask=ask)
    search = SimpleNamespace(answer=lambda *_: {"hits": [], "fresh": {"note": "", "pending": 0}})
    held = SimpleNamespace(search=search, now=lambda: None)
    return Requests(cast(Any, held), cast(Any, jobs), cast(Any, timer), cast(Any, SimpleNamespace(pending=0)))


@pytest.mark.parametrize("request_", BAD, ids=str)
def test_what_is_refused_was_not_begun(request_: dict[str, Any]) -> None:
    begun: list[str] = []
    with pytest.raises(UsageError):
        answering(begun).handle(request_)

    assert begun == []


def test_what_fits_is_begun() -> None:
    begun: list[str] = []
    answering(begun).handle(WELL[0])
    with pytest.raises(BusyError):
        answering(begun).handle(WELL[1])

    assert begun == ["micro", LENT]
    assert [problem for request_ in WELL for problem in find_problems(request_)] == []


def test_whatever_stands_in_a_field_is_named_or_fits() -> None:
    for request_ in WELL:
        for odd in with_one_odd(request_):
            if isinstance(odd, dict) and isinstance(odd.get("op"), str):  # the socket itself refuses the others
                named = find_problems(odd)
                assert all(any(name in problem for name in request_) or "no operation" in problem for problem in named)


def test_each_operation_that_is_known_is_answered() -> None:
    assert answering([])._operations.keys() == OPERATIONS.keys()


def test_a_search_says_that_the_jobs_stand_still() -> None:
    asked = {"op": "search", "query": "tea"}
    still = cast("dict[str, Any]", answering([], QueueFacts(LENT, 600, 2)).handle(asked))
    well = cast("dict[str, Any]", answering([]).handle(asked))

    assert still["fresh"]["note"].startswith("the queue of jobs stands still: ")
    assert still["fresh"]["pending"] == 0
    assert well["fresh"]["note"] == ""

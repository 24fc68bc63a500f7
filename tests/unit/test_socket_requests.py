"""A request of the socket is checked whole and only then begun; hooks go on where the daemon is older or gone."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bankd.app.init import make_workspace
from bankd.errors import BusyError, UsageError
from bankd.health.health import LENT, QueueFacts
from bankd.search.request import Answer, Freshness
from bankd.service.daemon import FIELDS, Requests, find_problems
from bankd.system.socket_client import socket_path
from bankd.wiring import asking
from bankd.wiring.asking import OF_A_SEARCH, Asked
from bankd.wiring.reader import BankReader
from bankd.workspace.waiting import take_transcripts
from tests.examples import examples, texts
from tests.odd_values import with_one_odd

WELL, BAD = ([json.loads(one) for one in texts("arguments", f"{how} requests")] for how in ("good", "bad"))


def answering(begun: list[str], queue: QueueFacts | None = None) -> Requests:
    """Requests to a daemon of which nothing is there but a note of what was begun."""

    def submit(what: str, _work: object) -> None:
        begun.append(what)

    def ask(name: str, **_: object) -> dict[str, Any]:
        begun.append(name)
        return {"line": "", "report": {}}

    timer, jobs = SimpleNamespace(submit=submit, queue=lambda: queue or QueueFacts()), SimpleNamespace(ask=ask)
    search = SimpleNamespace(answer=lambda *_: {"hits": [], "fresh": {"note": "", "pending": 0}})
    held = SimpleNamespace(root="", search=search, now=lambda: None)
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


def test_each_operation_with_fields_is_answered() -> None:
    assert answering([])._operations.keys() >= FIELDS.keys()


def test_a_search_says_that_the_jobs_stand_still() -> None:
    asked = {"op": "search", "query": "tea"}
    still = cast("dict[str, Any]", answering([], QueueFacts(LENT, 600, 2)).handle(asked))
    well = cast("dict[str, Any]", answering([]).handle(asked))

    assert still["fresh"]["note"].startswith("the queue of jobs stands still: ")
    assert still["fresh"]["pending"] == 0
    assert well["fresh"]["note"] == ""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_workspace(tmp_path / "ws")
    return tmp_path / "ws"


@pytest.fixture
def requests(root: Path) -> Requests:
    hit = {"id": "m-1", "path": "bank/a.md", "text": "The spare key is with Jiwoo.", "learned": None, "about": []}
    hit |= {"tag": "W", "group": "bank", "superseded_by": None, "changed": None, "line": 3, "heading": ["A"]}
    (root / "bank/a.md").write_text("# A\n\n- W: The spare key is with Jiwoo. ^m-1\n")
    search = SimpleNamespace(answer=lambda request, now, pending: {"hits": [hit], "ok": True})
    held = SimpleNamespace(root=root, search=search, now=lambda: None)
    service = SimpleNamespace(pending=0)
    jobs = SimpleNamespace(log_changed=lambda: None)
    timer = SimpleNamespace(queue=QueueFacts)
    return Requests(cast(Any, held), cast(Any, jobs), cast(Any, timer), cast(Any, service))


def test_the_daemon_recalls_for_a_prompt_each_memory_once_a_session(requests: Requests) -> None:
    asked = {"op": "hook", "event": "UserPromptSubmit", "said": {"prompt": "Who has the spare key?", "session_id": "s"}}
    first, second = (cast("dict[str, Any]", requests.handle(asked)) for _ in range(2))
    assert "spare key is with Jiwoo" in first["context"]
    assert second["context"] == ""


def test_the_daemon_keeps_what_is_handed_over(requests: Requests, root: Path) -> None:
    requests.handle({"op": "hook", "event": "SessionEnd", "said": {"transcript_path": "/t.jsonl"}})
    assert take_transcripts(str(root)) == ["/t.jsonl"]


def test_where_the_daemon_cannot_the_bank_itself_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asking.ask_hook(str(root), "SessionEnd", {}) is None
    monkeypatch.setattr(asking, "send_request", lambda *_: {"ok": False, "error": "no operation 'hook'"})
    assert asking.ask_hook(str(root), "SessionEnd", {}) is None
    told: list[dict[str, Any]] = []

    def send(_root: str, request: dict[str, Any], _seconds: float) -> dict[str, Any]:
        told.append(request)
        return {"ok": True, "context": ""}

    monkeypatch.setattr(asking, "send_request", send)
    assert asking.ask_hook(str(root), "UserPromptSubmit", {"prompt": "가" * 50_000, "model": {}}) == ""
    assert len(told[0]["said"]["prompt"]) == 8_000
    assert "model" not in told[0]["said"]


_OLD = {"ok": True, "query": "", "generation": 1, "fresh": {"note": ""}, "hits": [], "see_also": [], "left_off": 0}


@pytest.mark.parametrize(("module", "never"), examples("arguments", "imports"))
def test_who_asks_the_daemon_imports_next_to_nothing(module: str, never: str) -> None:
    code = f"import sys; sys.path[:0] = {sys.path!r}; import {module}; print(*set({never.split()}) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """A workspace whose daemon answers without what is nearest."""
    make_workspace(tmp_path / "ws")
    (tmp_path / "ws/bank/keys.md").write_text("# Keys\n\n- W: The spare key is with Jiwoo. ^m-1\n")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(socket_path(str(tmp_path / "ws")))
    listener.listen()
    Thread(target=_serve, args=(listener,), daemon=True).start()
    yield str(tmp_path / "ws")
    listener.close()


def _serve(listener: socket.socket) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, connection.makefile() as lines:
            for _ in lines:
                connection.sendall(json.dumps(_OLD).encode() + b"\n")


def test_the_fields_of_an_answer_are_known_to_the_client() -> None:
    assert tuple(Answer("", 0, Freshness(0, None, daemon=False), ()).as_json()) == OF_A_SEARCH


def test_the_index_answers_in_place_of_an_older_daemon(served: str) -> None:
    request = {"query": "who has the spare key"}
    reader = BankReader(served)
    with closing(Asked(served)) as asked, closing(Asked(served, stays=True)) as standing:
        answers = [asked.ask(request), reader.search(request), reader.recall(request), standing.ask(request)]

    assert [[hit["id"] for hit in answer["hits"]] for answer in answers] == [["m-1"]] * 4
    assert [answer["nearest"] for answer in answers] == [[]] * 4


def test_what_belongs_together_is_still_told_by_it(served: str) -> None:
    with closing(Asked(served)) as asked:
        assert asked.ask({"op": "related", "id": "m-1"})["generation"] == 1

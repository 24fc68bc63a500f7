"""The doors to language models and rerankers, before stand-in servers of each protocol that do all that servers do."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bankd.app.init import make_workspace
from bankd.night.asking import Prompt, Reply, Unanswered
from bankd.settings import DistilPolicy, RerankPolicy, SearchPolicy, Settings
from bankd.storage.events import ReplyLog
from bankd.storage.tree import FileTree
from bankd.system.clock import read_monotonic
from bankd.wiring.search import make_search
from bankd.workers.model_worker import ModelProcess
from bankd.workers.models import ModelDoor, most_taken
from bankd.workers.reranker import Reranker
from tests.http_stand_in import Answer, Asked, serve
from tests.model_servers import TOKENS, Choose, ModelServer, Script, serve_model

NOW = datetime(2026, 5, 2, 3, 0, tzinfo=UTC)
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
GOOD = Script('{"n": 1}')
LIMIT = 400


def prompt(text: str = "How many?") -> Prompt:
    return Prompt("test-1", "Count.", text, SCHEMA, LIMIT)


class InThisProcess:
    """Asks without a child, which takes two seconds to load a client."""

    def __init__(self, settings: DistilPolicy, _: object) -> None:
        self._process = ModelProcess(settings)

    def ask(self, request: dict[str, Any], *, seconds: float) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(json.dumps(self._process.answer(json.loads(json.dumps(request)))))
        return answer

    def close(self) -> None:
        """Nothing to let go of."""


class Doors:
    """Opens doors to one server and one workspace."""

    def __init__(self, root: Path, server: ModelServer, provider: str) -> None:
        self.root, self.waited = root, list[float]()
        url = server.url + ("/v1" if provider == "openai" else "")
        self.settings = DistilPolicy(provider=provider, model="x", url=url, key_variable="TEST_MODEL_KEY", seconds=60)

    def ask(self, prompts: Sequence[Prompt], now: datetime = NOW, **settings: object) -> list[Reply | Unanswered]:
        with closing(FileTree(self.root)) as tree:
            own = self.settings._replace(**settings)  # type: ignore[arg-type]
            parts = (own, ReplyLog(tree, "host"), now, read_monotonic, self.waited.append)
            door = ModelDoor(*parts, InThisProcess)
            with closing(door):
                return door.answer(prompts)

    def spent(self, now: datetime = NOW) -> int:
        with closing(FileTree(self.root)) as tree:
            return ReplyLog(tree, "another").spent(now.date())


Open = Callable[[Choose], tuple[Doors, ModelServer]]


@pytest.fixture(params=["openai", "anthropic"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def opened(tmp_path: Path, provider: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    monkeypatch.setenv("TEST_MODEL_KEY", "k-1")
    started = []

    @contextmanager
    def start(choose: Choose) -> Iterator[tuple[Doors, ModelServer]]:
        with serve_model(choose) as server:
            yield Doors(tmp_path, server, provider), server

    def open_(choose: Choose) -> tuple[Doors, ModelServer]:
        manager = start(choose)
        started.append(manager)
        return manager.__enter__()

    yield open_
    for manager in started:
        manager.__exit__(None, None, None)


def test_an_answer_is_kept_and_not_asked_for_again(opened: Open, provider: str) -> None:
    doors, server = opened(lambda *_: GOOD)

    first = doors.ask([prompt(), prompt("How many more?")])
    again = doors.ask([prompt("How many more?"), prompt()], NOW + timedelta(days=9))

    assert first == [Reply({"n": 1}, *TOKENS, is_kept=False)] * 2
    assert again == [Reply({"n": 1}, *TOKENS, is_kept=True)] * 2
    assert len(server.asked) == 2
    assert server.asked[0]["_key"] in {"Bearer k-1", "k-1"}
    assert "Count." in json.dumps(server.asked[0])
    assert "k-1" not in "".join(file.read_text() for file in doors.root.rglob("*.jsonl"))


@pytest.mark.parametrize("script", [GOOD, Script(does="hang")])
def test_a_child_process_asks_and_is_ended_where_it_hangs(tmp_path: Path, provider: str, script: Script) -> None:
    with serve_model(lambda *_: script) as server, closing(FileTree(tmp_path)) as tree:
        seconds = 2 if script.does == "hang" else 60  # on a busy machine a child that answers takes long to begin
        settings = Doors(tmp_path, server, provider).settings._replace(key_variable="", seconds=seconds)
        door = ModelDoor(settings, ReplyLog(tree, "host"), NOW, read_monotonic, lambda _: None)
        with closing(door):
            (answer,) = door.answer([prompt()])

    assert answer == (Reply({"n": 1}, *TOKENS, is_kept=False) if script is GOOD else Unanswered("no answer in time"))


FAILURES = {
    "busy": (Script(status=429, after="2"), "429", 3),
    "failing": (Script(status=500), "500", 3),
    "cut off": (Script('{"n": 1}', finish="length"), "cut off", 1),
    "no JSON": (Script("one, I think"), "no JSON", 2),
    "against the schema": (Script('{"n": "one"}'), "schema", 2),
    "refused": (Script("", finish="content_filter"), "refuses", 1),
    "silent": (Script(does="hang"), "in time", 1),
    "connection cut": (Script(does="cut"), "", 3),
    "no answer at all": (Script(does="garbage"), "", 3),
    "key refused": (Script(status=401), "401", 1),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_whatever_a_server_does_is_an_answer_that_says_so(opened: Open, failure: str) -> None:
    script, said, calls = FAILURES[failure]
    doors, server = opened(lambda n, _: script if n < calls else GOOD)

    (answer,) = doors.ask([prompt()], seconds=1 if script.does == "hang" else 60)
    assert isinstance(answer, Unanswered)
    assert said in answer.reason
    assert len(server.asked) == calls
    (later,) = doors.ask([prompt()])
    assert later == Reply({"n": 1}, *TOKENS, is_kept=False), "what failed is not kept"


def test_a_busy_server_is_waited_for_as_long_as_it_asks(opened: Open) -> None:
    doors, _ = opened(lambda n, _: GOOD if n else Script(status=429, after="7"))

    assert doors.ask([prompt()]) == [Reply({"n": 1}, *TOKENS, is_kept=False)]
    assert doors.waited == [7.0]


def test_a_server_that_asks_for_an_hour_is_left_for_another_night(opened: Open) -> None:
    doors, server = opened(lambda *_: Script(status=429, after="3600"))

    assert isinstance(doors.ask([prompt()])[0], Unanswered)
    assert (len(server.asked), doors.waited) == (1, [])


def test_an_answer_against_the_schema_is_repaired_once(opened: Open) -> None:
    doors, server = opened(lambda n, _: GOOD if n else Script('{"n": "one"}'))

    assert doors.ask([prompt()]) == [Reply({"n": 1}, *TOKENS, is_kept=False)]
    assert "not by the schema" in json.dumps(server.asked[1])


def test_no_day_takes_more_than_its_budget(opened: Open) -> None:
    doors, server = opened(lambda *_: GOOD)
    most, took = most_taken(prompt("0")), sum(TOKENS)
    budget = 3 * took + most
    prompts = [prompt(str(n)) for n in range(10)]

    answers = [*doors.ask(prompts[:5], tokens_a_day=budget), *doors.ask(prompts[5:], tokens_a_day=budget)]

    assert [isinstance(one, Reply) for one in answers] == [True] * 4 + [False] * 6
    assert doors.spent() == 4 * took <= budget
    assert len(server.asked) == 4
    assert "tokens of this day" in answers[-1].reason  # type: ignore[union-attr]
    tomorrow = doors.ask(prompts[4:], NOW + timedelta(days=1), tokens_a_day=budget)
    assert [isinstance(one, Reply) for one in tomorrow] == [True] * 4 + [False] * 2


def test_a_call_that_nobody_saw_the_end_of_took_what_it_might(opened: Open) -> None:
    doors, _ = opened(lambda *_: Script(does="hang"))

    doors.ask([prompt()], seconds=1)

    assert doors.spent() == most_taken(prompt())


def test_what_is_wrong_with_the_settings_stops_asking_but_nothing_else(opened: Open, provider: str) -> None:
    doors, server = opened(lambda *_: GOOD)

    answers = doors.ask([prompt("1"), prompt("2")], key_variable="NOBODY_SET_THIS")

    assert [isinstance(one, Unanswered) for one in answers] == [True, True]
    assert "NOBODY_SET_THIS" in answers[1].reason  # type: ignore[union-attr]
    assert (server.asked, doors.spent()) == ([], 0)


def test_a_server_that_knows_no_schemas_is_asked_for_json_and_then_for_text(tmp_path: Path) -> None:
    def choose(_: int, asked: dict[str, object]) -> Script:
        return Script(status=400) if "response_format" in asked else Script('```json\n{"n": 2}\n```')

    with serve_model(choose) as server:
        doors = Doors(tmp_path, server, "openai")
        answers = doors.ask([prompt("1"), prompt("2")], key_variable="")

    assert [one.value for one in answers] == [{"n": 2}] * 2  # type: ignore[union-attr]
    forms = [asked.get("response_format", {}).get("type") for asked in server.asked]
    assert forms == ["json_schema", "json_object", None, None]


def test_a_command_answers_too(tmp_path: Path) -> None:
    program = tmp_path / "answer.py"
    program.write_text('import json, sys\nprint(json.dumps({"n": len(json.load(sys.stdin)["messages"])}))\n')
    settings = DistilPolicy(provider="command", command=f"{sys.executable} {program}", seconds=60)
    bad = settings._replace(command=f"{sys.executable} -c 'raise SystemExit(3)'", retries=0)
    missing = settings._replace(command="/no/such/program")

    def ask(own: DistilPolicy) -> Reply | Unanswered:
        with closing(FileTree(tmp_path)) as tree:
            door = ModelDoor(own, ReplyLog(tree, "host"), NOW, read_monotonic, lambda _: None, InThisProcess)
            with closing(door):
                return door.answer([prompt()])[0]

    assert ask(settings) == Reply({"n": 1}, 0, 0, is_kept=False)
    assert "ended with 3" in ask(bad).reason  # type: ignore[union-attr]
    assert "/no/such/program" in ask(missing).reason  # type: ignore[union-attr]


DAY = datetime(2026, 5, 4, tzinfo=UTC)
WHOLE, HALF, WRONG = b"", b'{"results": [{"index": 0, "relevance_score": 1}]}', b"<html>"


class StandIn:
    """A server that puts short texts first."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Mapping[str, Any], str | None]] = []
        self.answers_with, self.status, self.url = WHOLE, 200, ""


@pytest.fixture
def server() -> Iterator[StandIn]:
    state = StandIn()

    def answer(request: Asked) -> Answer:
        body = json.loads(request.body)
        state.asked.append((request.path, body, request.headers["Authorization"]))
        texts, name = body.get("documents") or body["texts"], "relevance_score" if "documents" in body else "score"
        rows = [{"index": at, name: -len(text)} for at, text in enumerate(texts)][::-1]
        whole = json.dumps({"results": rows} if "documents" in body else rows).encode()
        return Answer(state.answers_with or whole, state.status)

    with serve(answer) as state.url:
        yield state


def test_both_protocols_are_spoken_and_the_key_is_sent(server: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RERANK_KEY", "secret")
    for path in ("/v1/rerank", "/rerank"):
        reranker = Reranker(server.url + path, "bge", "RERANK_KEY", 25, lambda: 0.0)
        assert reranker.scores("which?", ["long text", "short"]) == [-9.0, -5.0]
    (_, jina, key), (_, tei, _) = server.asked
    assert jina == {"query": "which?", "documents": ["long text", "short"], "model": "bge"}
    assert (tei, key) == ({"query": "which?", "texts": ["long text", "short"]}, "Bearer secret")


@pytest.mark.parametrize(("status", "body"), [(500, WHOLE), (200, WRONG), (200, HALF), (200, b"[1]"), (200, b"{}")])
def test_after_a_wrong_answer_it_is_left_alone_for_a_minute(server: StandIn, status: int, body: bytes) -> None:
    now = [0.0]
    reranker = Reranker(f"{server.url}/v1/rerank", "", "", 25, lambda: now[0])
    server.status, server.answers_with = status, body
    assert reranker.scores("which?", ["a", "b"]) is reranker.scores("which?", ["a", "b"]) is None
    assert (len(server.asked), len(reranker.take_problem()), reranker.take_problem()) == (1, 1, [])
    server.status, server.answers_with, now[0] = 200, WHOLE, 61.0
    assert reranker.scores("which?", ["a", "b"]) == [-1.0, -1.0]


def test_search_takes_its_order_and_without_it_keeps_its_own_and_says_so_once(tmp_path: Path, server: StandIn) -> None:
    root = tmp_path / "ws"
    make_workspace(root)
    (root / "bank" / "home.md").write_text("# Home\n\n- W: lamp lamp hall and cellar\n- W: a lamp\n- W: nothing else\n")

    def texts(url: str) -> tuple[list[str], str]:
        own = Settings(search=SearchPolicy("lexicon"), rerank=RerankPolicy(url, top=2))
        search = make_search(root, own)
        answers = [search.answer({"query": "lamp hall"}, DAY) for _ in range(2)]
        search.close()
        assert answers[0]["hits"] == answers[1]["hits"]
        assert not answers[1]["fresh"]["note"]
        return [hit["text"] for hit in answers[0]["hits"]], answers[0]["fresh"]["note"]

    assert texts("")[0][0] == "lamp lamp hall and cellar"
    assert texts(f"{server.url}/v1/rerank")[0][0] == "a lamp"
    alone, note = texts("http://127.0.0.1:9/v1/rerank")
    assert alone == texts("")[0]
    assert "reranker did not answer" in note

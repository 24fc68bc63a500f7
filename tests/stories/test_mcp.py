"""An agent that speaks MCP: what it finds and notes, and that nothing it does makes the server hang or lie."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bankd.agents.hooks import answer_hook
from bankd.agents.mcp import LONGEST, MODERN, FrameStream, McpServer
from bankd.agents.tools import BankMethods
from bankd.wiring.reader import BankReader
from tests.settings import change_setting
from tests.stories.conftest import Run, write_log

META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}


class Agent:
    """A client of a server in a thread of this process."""

    def __init__(self, methods: Any) -> None:
        source, out = os.pipe()
        heard, sink = os.pipe()
        self._out, self._heard = os.fdopen(out, "wb"), os.fdopen(heard, "rb")
        stream = FrameStream(os.fdopen(source, "rb"), os.fdopen(sink, "wb"))
        self._server = threading.Thread(target=self._serve, args=(stream, methods), daemon=True)
        self._server.start()

    def _serve(self, stream: FrameStream, methods: Any) -> None:
        McpServer(stream, methods).serve()
        stream._source.close()
        stream._sink.close()

    def send(self, frame: bytes) -> None:
        self._out.write(frame + b"\n")
        self._out.flush()

    def ask(self, method: str, params: dict[str, Any] | None = None, id_: object = 1) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}}).encode())

    def tell(self, method: str, **params: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def hear(self) -> dict[str, Any]:
        frame: dict[str, Any] = json.loads(self._heard.readline())
        return frame

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        self.ask("tools/call", {"name": tool, "arguments": arguments, "_meta": META})
        said: dict[str, Any] = self.hear()["result"]
        return said

    def leave(self) -> list[dict[str, Any]]:
        """End the stream; gives what was said until the server ended too."""
        self._out.close()
        with self._heard:
            left = [json.loads(line) for line in self._heard]
        self._server.join(30)
        assert not self._server.is_alive()
        return left


def id_of(line: str) -> str:
    """The id at the end of a line."""
    return line.rpartition(" · ")[2]


@pytest.fixture
def agent(root: Path, bankctl: Run) -> Iterator[Agent]:
    write_log(root, "2026-05-04.md", "S: 가치관: 정직을 최우선으로 한다.", "O(c=0.90) @Peter: Prefers concise replies.")
    assert bankctl("cycle", "micro", "--now", "2026-05-05T03:00").code == 0
    served = Agent(BankMethods(lambda: BankReader(str(root)), session="").by_name())
    yield served
    served.leave()


def test_an_agent_finds_a_memory_and_looks_closer(agent: Agent) -> None:
    [hit] = agent.call("memory_search", query="가치관이 뭐야?")["structuredContent"]["hits"]

    assert hit.startswith("가치관: 정직을 최우선으로 한다. · said 2026-05-04 · m-")
    known = agent.call("memory_get", what=id_of(hit))["structuredContent"]
    assert known["source"] == "memory/2026-05-04.md:4"
    assert "정직" in agent.call("memory_get", what="identity/values.md")["structuredContent"]["text"]


def test_what_a_result_says_stands_in_its_text_too(agent: Agent) -> None:
    result = agent.call("memory_search", query="가치관이 뭐야?")

    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


def test_where_nothing_is_relevant_an_agent_is_told_what_is_nearest_and_no_hook_is(
    agent: Agent, root: Path, bankctl: Run
) -> None:
    trees = "".join(f"- W: 사과나무 {number}번은 봄에 심었다\n" for number in range(200))
    (root / "bank/world/orchard.md").write_text(f"# 과수원\n\n{trees}", encoding="utf-8")
    query = "who bakes the concise walnut cake without eggs on Sundays with friends at the long table"

    told = agent.call("memory_search", query=query)["structuredContent"]
    sure = agent.call("memory_search", query="concise replies")["structuredContent"]

    assert "@Peter · Prefers concise replies. · said 2026-05-04 · m-" in told["nearest"][0]
    assert (told["hits"], told["nearest"]) == ([], [told["nearest"][0]])
    assert told["note"].endswith("may be about something else.")
    assert (bool(sure["hits"]), "nearest" in sure) == (True, False)
    reader = BankReader(str(root))
    assert reader.recall({"query": query, "margin": 1.25})["nearest"] == []
    assert answer_hook("UserPromptSubmit", {"prompt": query, "session_id": "s"}, reader) == ""


def test_a_note_is_written_once_however_often_it_is_sent(agent: Agent, root: Path, bankctl: Run) -> None:
    notes = [agent.call("memory_note", text="@Peter: Drinks tea.", tag="O", confidence=0.8) for _ in range(3)]

    said = [note["structuredContent"]["written"] for note in notes]
    place = notes[0]["structuredContent"]["place"]
    log = root / place.rpartition(":")[0]
    assert said == [True, False, False]
    assert log.read_text(encoding="utf-8").count("- O(c=0.80) @Peter: Drinks tea.\n") == 1
    assert bankctl("show", place).code == 0


def test_a_note_is_told_what_it_may_replace_and_sent_again_replaces_it(agent: Agent, root: Path, bankctl: Run) -> None:
    older = "W @relay: The relay listens on port 8080."
    agent.call("memory_note", text=older)
    assert bankctl("cycle", "micro", "--now", "2099-05-05T03:00").code == 0
    newer = "W @relay: The relay listens on port 9443 since the move."

    again = agent.call("memory_note", text="W @relay: the relay listens on port 8080")["structuredContent"]
    told = agent.call("memory_note", text=newer)["structuredContent"]
    old_id = id_of(told["may_replace"][0])
    unknown = agent.call("memory_note", text=newer, replaces="m-aaaaaaaaaaaa")
    amended = [agent.call("memory_note", text=newer, replaces=old_id)["structuredContent"] for _ in range(2)]

    assert again["known"] == told["may_replace"]
    assert told["may_replace"][0].startswith("@relay · The relay listens on port 8080. · said ")
    assert "no such memory" in unknown["structuredContent"]["error"]
    assert [one["written"] for one in amended] == [True, False]
    log = root / told["place"].rpartition(":")[0]
    assert log.read_text(encoding="utf-8").endswith(f"\n- {newer}\n  (replaces {old_id})\n")
    assert bankctl("cycle", "micro", "--now", "2099-05-06T03:00").code == 0
    hits = agent.call("memory_search", query="relay port 8080")["structuredContent"]["hits"]
    assert f"{newer.partition(': ')[2]} (until " in hits[0]
    assert "8080" in hits[0].partition("(until ")[2]
    assert not any(hit.endswith(old_id) for hit in hits), "only what holds now"


@pytest.mark.parametrize(("floors", "offered"), [(3.9, 0), (4.1, 1)])
def test_with_vectors_a_note_may_replace_what_stands_four_floors_above_strangers(
    agent: Agent, bankctl: Run, monkeypatch: pytest.MonkeyPatch, floors: float, offered: int
) -> None:
    agent.call("memory_note", text="W @relay: The relay listens on port 8080.")
    assert bankctl("cycle", "micro", "--now", "2099-05-05T03:00").code == 0
    by_words = BankReader.search

    def by_meaning(bank: BankReader, request: dict[str, Any]) -> dict[str, Any]:
        hits = by_words(bank, request)["hits"]
        return {"hits": [{**hit, "parts": {**hit["parts"], "meaning": 0.9, "floors": floors}} for hit in hits]}

    monkeypatch.setattr(BankReader, "search", by_meaning)
    told = agent.call("memory_note", text="W @relay: The relay listens on port 9443.")["structuredContent"]

    assert len(told.get("may_replace", ())) == offered


def test_the_questions_of_a_note_stay_in_the_log(agent: Agent, root: Path, bankctl: Run) -> None:
    place = agent.call("memory_note", text="DB는 PostgreSQL이다.", questions=["로컬 DB가 뭐야"])["structuredContent"][
        "place"
    ]
    assert bankctl("cycle", "micro", "--now", "2099-05-05T03:00").code == 0

    memory = bankctl("show", place, "--json").json["memory"]

    assert bankctl("show", memory, "--json").json["questions"] == ["로컬 DB가 뭐야"]
    assert "? 로컬 DB가 뭐야" in bankctl("show", memory).out
    assert not [page for page in (root / "bank").rglob("*.md") if "로컬 DB가 뭐야" in page.read_text(encoding="utf-8")]


def test_a_credential_and_an_empty_note_are_refused_in_words(agent: Agent, root: Path) -> None:
    secret, empty = (agent.call("memory_note", text=text) for text in ("the key is AKIAIOSFODNN7EXAMPLE", ""))

    assert secret["isError"]
    assert "credential" in secret["structuredContent"]["error"]
    assert empty["isError"]
    assert [log.name for log in (root / "memory").glob("*.md")] == ["2026-05-04.md"]


def test_half_a_character_of_a_model_that_was_cut_off_is_no_bug_and_loses_no_note(agent: Agent, root: Path) -> None:
    place = agent.call("memory_note", text="Tea is green \ud83d")["structuredContent"]["place"]

    assert "Tea is green \ufffd" in (root / place.partition(":")[0]).read_text(encoding="utf-8")
    assert agent.call("memory_get", what="\ud83d")["isError"]
    assert agent.call("memory_feedback", used=["\ud83d"])["isError"]


def test_only_people_delete_until_the_settings_say_otherwise(agent: Agent, root: Path) -> None:
    [hit] = agent.call("memory_search", query="concise replies")["structuredContent"]["hits"]
    agent.ask("tools/call", {"name": "memory_forget", "arguments": {"id": id_of(hit)}, "_meta": META})
    assert "no tool" in agent.hear()["error"]["message"]

    change_setting(root, "may_forget: false", "may_forget: true")

    assert agent.call("memory_forget", id=id_of(hit))["structuredContent"]["pages"] == ["bank/opinions/preferences.md"]
    assert agent.call("memory_search", query="concise replies")["structuredContent"]["hits"] == []


def test_an_agent_is_told_of_a_memory_that_it_left_the_bank(agent: Agent, bankctl: Run) -> None:
    [hit] = agent.call("memory_search", query="concise replies")["structuredContent"]["hits"]
    bankctl("archive", "put", id_of(hit))

    [hit] = agent.call("memory_search", query="concise replies")["structuredContent"]["hits"]
    assert "archived on" in hit


def test_an_agent_tells_what_was_of_use(agent: Agent) -> None:
    [hit] = agent.call("memory_search", query="concise replies")["structuredContent"]["hits"]

    said = agent.call("memory_feedback", used=[f"^{id_of(hit)}"])["structuredContent"]

    assert said == {"used": [id_of(hit)], "ignored": [], "unknown": []}
    assert "used 1 time" in " ".join(agent.call("memory_get", what=id_of(hit))["structuredContent"]["history"])
    assert agent.call("memory_feedback")["isError"]
    agent.call("memory_feedback", used=[id_of(hit)], importance=8)
    assert "importance 8 of 10" in str(agent.call("memory_get", what=id_of(hit))["structuredContent"])


def test_an_agent_judges_only_what_its_own_session_was_shown(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-04.md", "W @Peter: Lives in Busan.", "O(c=0.90) @Mina: Prefers tea.", "W @Joon: Sails.")
    assert bankctl("cycle", "micro", "--now", "2026-05-05T03:00").code == 0
    ids = {text: id_of(hit) for text in ("Busan", "tea", "Sails") for hit in BankMethods(
        lambda: BankReader(str(root))).by_name()["tools/call"]({"name": "memory_search", "arguments": {"query": text}}
    )["structuredContent"]["hits"] if text in hit}  # fmt: skip
    answer_hook("UserPromptSubmit", {"prompt": "does Mina prefer tea?", "session_id": "mine"}, BankReader(str(root)))
    answer_hook(
        "UserPromptSubmit", {"prompt": "what is it that Joon sails?", "session_id": "other"}, BankReader(str(root))
    )
    agent = Agent(BankMethods(lambda: BankReader(str(root)), session="mine").by_name())
    unnamed = Agent(BankMethods(lambda: BankReader(str(root)), session="").by_name())

    refused = agent.call("memory_feedback", used=[ids["tea"], ids["Busan"]], ignored=[ids["Sails"]])
    recalled = agent.call("memory_feedback", used=[ids["tea"]])["structuredContent"]
    agent.call("memory_search", query="Busan")
    found = agent.call("memory_feedback", used=[ids["Busan"]])["structuredContent"]

    said = refused["structuredContent"]["error"]
    assert said.startswith(f"{ids['Busan']}, {ids['Sails']}: this session was not shown it, so nothing was noted")
    assert (recalled["used"], found["used"]) == ([ids["tea"]], [ids["Busan"]])
    assert not unnamed.call("memory_feedback", ignored=[ids["Sails"]])["isError"], (
        "of an unknown session any recall counts"
    )
    assert (agent.leave(), unnamed.leave()) == ([], [])


def test_an_agent_is_told_what_belongs_to_a_memory_and_beside_an_answer(agent: Agent, root: Path) -> None:
    lines = (
        "# Tea\n",
        "- W: The kettle whistles. ^m-aaaaaaaaaaaa",
        "- W: Peter likes [[#^m-aaaaaaaaaaaa|it]]. ^m-bbbbbbbbbbbb\n",
    )
    (root / "bank/world/tea.md").write_text("\n".join(lines), "utf-8")

    told = agent.call("memory_search", query="kettle whistles")["structuredContent"]
    related = agent.call("memory_get", what="^m-aaaaaaaaaaaa", related=1)["structuredContent"]["related"]
    person = agent.call("memory_get", what="@Peter", related=2)["structuredContent"]["related"]

    assert [one.partition(" · ")[2] for one in told["see_also"]] == ["link (bank/world/tea.md:4) · m-bbbbbbbbbbbb"]
    assert related[0] == told["see_also"][0]
    assert any("concise" in one for one in person)
    nobody = agent.call("memory_get", what="@Nobody", related=1)
    assert (nobody["isError"], nobody["structuredContent"]["related"]) == (False, [])
    assert agent.call("memory_get", what="@Peter", related=3)["isError"]


def test_pages_are_resources_and_nothing_else_is(agent: Agent) -> None:
    agent.ask("resources/list", {"_meta": META})
    uris = [one["uri"] for one in agent.hear()["result"]["resources"]]
    assert "bank://identity/values.md" in uris

    agent.ask("resources/read", {"uri": "bank://identity/values.md", "_meta": META})
    assert "정직" in agent.hear()["result"]["contents"][0]["text"]
    for outside in ("bank://../bankd.yaml", "bank://../memory/2026-05-04.md", "file:///etc/passwd", "bank://none.md"):
        agent.ask("resources/read", {"uri": outside, "_meta": META})
        assert agent.hear()["error"]["code"] == -32602


def test_the_prompt_recall_puts_what_is_known_before_the_question_as_data(agent: Agent) -> None:
    agent.ask("prompts/get", {"name": "recall", "arguments": {"question": "가치관이 뭐야?"}, "_meta": META})

    text = agent.hear()["result"]["messages"][0]["content"]["text"]

    assert text.startswith("<bankd-memory>\n")
    assert "정직을 최우선으로 한다. · said 2026-05-04 · m-" in text
    assert text.endswith("\n가치관이 뭐야?")


def test_an_agent_is_briefed_as_often_as_it_asks(agent: Agent) -> None:
    first, again = (agent.call("memory_brief", mode="person", about=["@Peter"])["structuredContent"] for _ in range(2))
    agent.ask("prompts/get", {"name": "brief", "arguments": {"mode": "orient"}, "_meta": META})

    assert first == again
    assert "@Peter · Prefers concise replies. · said 2026-05-04 · m-" in first["items"][0]
    assert "정직" in agent.hear()["result"]["messages"][0]["content"]["text"]


def test_a_bank_that_is_not_there_is_said_by_each_call_and_may_come(tmp_path: Path, root: Path) -> None:
    place = [str(tmp_path / "none")]
    agent = Agent(BankMethods(lambda: BankReader(place[0])).by_name())
    agent.ask("tools/list", {"_meta": META})
    assert agent.hear()["result"]["tools"]
    assert agent.call("memory_search", query="tea")["isError"]

    place[0] = str(root)

    assert agent.call("memory_search", query="tea")["structuredContent"]["hits"] == []
    assert agent.leave() == []


def test_a_hundred_calls_in_flight_are_answered_each_by_its_id() -> None:
    agent = Agent({"echo": lambda params: {"said": params["n"]}})
    for n in range(100):
        agent.ask("echo", {"n": n, "_meta": META}, id_=f"call-{n}")

    answers = {frame["id"]: frame["result"]["said"] for frame in agent.leave()}

    assert answers == {f"call-{n}": n for n in range(100)}


def test_a_cancelled_call_is_never_answered_and_others_are() -> None:
    began, may_end, done = threading.Event(), threading.Event(), []

    def work(params: dict[str, Any]) -> dict[str, Any]:
        began.set()
        may_end.wait(30)
        done.append(params["n"])
        return {}

    agent = Agent({"work": work})
    for n in range(3):
        agent.ask("work", {"n": n, "_meta": META}, id_=n)
    assert began.wait(30)
    agent.tell("notifications/cancelled", requestId=0)
    agent.tell("notifications/cancelled", requestId=1)
    agent.tell("notifications/cancelled", requestId="never asked")
    agent.ask("ping", id_="read")
    assert agent.hear()["id"] == "read"  # so the cancellations were read before the first call ended
    may_end.set()

    assert [frame["id"] for frame in agent.leave()] == [2]
    assert done == [0, 2]


def test_nonsense_is_refused_and_the_next_call_answered() -> None:
    agent = Agent({"echo": lambda params: {}})
    for junk in (b"{", b"[]", b"\xff", b"null", b'"x"', b"", b"x" * (LONGEST + 10)):
        agent.send(junk)
    agent.ask("echo", {"_meta": META}, id_="after")

    frames = agent.leave()

    assert [frame["id"] for frame in frames] == [None] * 6 + ["after"]
    assert all("error" in frame for frame in frames[:-1])


def test_a_bug_fails_its_call_alone(capsys: pytest.CaptureFixture[str]) -> None:
    agent = Agent({"broken": lambda _: {}["missing"], "echo": lambda _: {}})
    agent.ask("broken", {"_meta": META}, id_=1)
    agent.ask("echo", {"_meta": META}, id_=2)

    first, second = agent.leave()

    assert first["error"]["code"] == -32603
    assert second["result"]["resultType"] == "complete"


def test_the_process_says_nothing_but_frames_and_ends_with_its_client(root: Path) -> None:
    handshake = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    search = {"name": "memory_search", "arguments": {"query": "tea"}}
    calls = [handshake, listing, {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": search}]
    program = [sys.executable, "-m", "bankd", "mcp", "--workspace", str(root)]

    ended = subprocess.run(
        program, check=False, input="\n".join(map(json.dumps, calls)).encode(), capture_output=True, timeout=60
    )

    frames = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0
    assert {frame["id"] for frame in frames} == {1, 2, 3}
    assert all("result" in frame for frame in frames)

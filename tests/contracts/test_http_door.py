"""The MCP server over HTTP, on real sockets: what a client with a token gets, and that attacks are refused and do nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from bankd.agents.mcp import MODERN
from bankd.agents.remote import MOST_BODY, MOST_HEAD
from bankd.cli import main
from tests.settings import change_setting, make_quick_workspace
from tests.stories.conftest import write_log

NOTED = "The hall key is at the gate."
JSON = {"Content-Type": "application/json"}
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}


class Answer(NamedTuple):
    status: int
    headers: Any
    body: Any


class Door:
    """A server in a process of its own, and one token of it."""

    def __init__(self, process: subprocess.Popen[str], url: str, token: str, root: Path, log: Path) -> None:
        self.process, self.token, self.root, self.log = process, token, root, log
        self.host = urlsplit(url).hostname or ""
        self.port, self.is_tls = urlsplit(url).port or 0, url.startswith("https:")

    def send(
        self,
        body: bytes,
        method: str = "POST",
        path: str = "/mcp",
        tls: ssl.SSLContext | None = None,
        **headers: str | None,
    ) -> Answer:
        """One request; a header that is None is left out."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        all_headers = {"Authorization": f"Bearer {self.token}", **JSON, **named}
        line = HTTPSConnection("127.0.0.1", self.port, timeout=60, context=tls) if tls else HTTPConnection(
            "127.0.0.1", self.port, timeout=60
        )  # fmt: skip
        try:
            line.putrequest(method, path, skip_host="Host" in named)
            for name, value in ({"Content-Length": str(len(body))} | all_headers).items():
                if value is not None:
                    line.putheader(name, value)
            line.endheaders(body)
            answer = line.getresponse()
            said = answer.read()
        finally:
            line.close()
        return Answer(answer.status, answer.headers, json.loads(said) if said else None)

    def ask(self, method: str, params: dict[str, Any] | None = None, **headers: Any) -> Answer:
        return self.send(frame(method, params), **headers)

    def call(self, tool: str, **arguments: Any) -> Any:
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert answer.status == 200, answer
        return answer.body["result"]["structuredContent"]

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)


def frame(method: str, params: dict[str, Any] | None = None, id_: object = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}}).encode()


NOTE = frame("tools/call", {"name": "memory_note", "arguments": {"text": NOTED}})


def make_bank(folder: Path) -> Path:
    make_quick_workspace(folder)
    write_log(folder, "2026-05-04.md", "O(c=0.90) @Peter: Prefers concise replies.")
    assert main(["cycle", "micro", "--now", "2026-05-05T03:00", "--workspace", str(folder)]) == 0
    (folder / "memory/2026-05-06.md").write_text("# day\n\nWe spoke of the walnut harvest at length.\n", "utf-8")
    (folder / "archive/old.md").write_text(
        "# Old\n\n- W: The walnut press stood in the barn. ^m-aaaaaaaaaaaa\n", "utf-8"
    )
    return folder


def token_of(root: Path, name: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["mcp", "token", "add", name, "--json", "--workspace", str(root)]) == 0
    return str(json.loads(capsys.readouterr().out)["token"])


@contextmanager
def serving(root: Path, token: str, *options: str, changes: str = "") -> Iterator[Door]:
    """Serve a bank; `changes` are statements that make limits smaller."""
    program = (
        f"from bankd.agents import remote; {changes or 'pass'}\nfrom bankd.cli import main\nraise SystemExit(main())"
    )
    words = [sys.executable, "-c", program, "mcp", "--http", "--port", "0", "--workspace", str(root), *options]
    log = root / "http.log"
    with log.open("w") as err:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=err, text=True)
    assert process.stdout
    try:
        first = process.stdout.readline()
        assert first, log.read_text("utf-8")
        yield Door(process, first.split()[0], token, root, log)
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bank(tmp_path_factory.mktemp("made") / "ws")


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "ws"))


@pytest.fixture
def door(root: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Door]:
    with serving(root, token_of(root, "laptop", capsys)) as served:
        yield served


def all_said(line: socket.socket) -> bytes:
    """All that is said until the other side ends."""
    with line.makefile("rb") as said:
        return said.read()


def is_noted(root: Path) -> bool:
    return any(NOTED in log.read_text("utf-8") for log in (root / "memory").rglob("*.md"))


def test_an_agent_elsewhere_searches_the_bank_and_notes_and_nothing_else(door: Door) -> None:
    begun = door.ask("initialize", {"protocolVersion": "2025-06-18"})
    tools = [tool["name"] for tool in door.ask("tools/list", MCP_Protocol_Version="2025-06-18").body["result"]["tools"]]
    found = door.call("memory_search", query="what does Peter prefer, concise replies?")
    unsaid = door.call("memory_search", query="walnut")

    assert begun.body["result"]["protocolVersion"] == "2025-06-18"
    assert begun.headers["Mcp-Session-Id"] is None
    assert tools == ["memory_search", "memory_get", "memory_note"]
    assert "Prefers concise replies." in found["hits"][0]
    assert unsaid["hits"] == []
    assert "Prefers" in door.call("memory_get", what="opinions/preferences.md")["text"]
    assert door.call("memory_get", what="@Peter", related=1)["related"] == []
    for what in ("memory/2026-05-06.md", "archive/old.md", "m-aaaaaaaaaaaa", "../bankd.yaml"):
        assert "walnut" not in json.dumps(door.call("memory_get", what=what)), what
    assert door.call("memory_note", text=NOTED)["written"]
    assert is_noted(door.root)
    for tool in ("memory_brief", "memory_feedback", "memory_forget"):
        refused = door.ask("tools/call", {"name": tool, "arguments": {"mode": "loops"}})
        assert "no tool" in refused.body["error"]["message"]
    asked = door.ask("prompts/get", {"name": "recall", "arguments": {"question": "walnut"}}).body
    assert not re.search("harvest|press", json.dumps(asked))
    assert "error" in door.ask("prompts/get", {"name": "brief", "arguments": {"mode": "loops"}}).body


def test_logs_archive_and_forget_are_each_given_by_a_setting(door: Door) -> None:
    def reached() -> tuple[bool, bool, bool]:
        names = [tool["name"] for tool in door.ask("tools/list").body["result"]["tools"]]
        logs = "text" in door.call("memory_get", what="memory/2026-05-06.md")
        assert ("memory_brief" in names) is logs
        archive = "text" in door.call("memory_get", what="archive/old.md")
        found = json.dumps(door.call("memory_search", query="walnut")["hits"])
        assert ("harvest" in found, "press" in found) == (logs, archive)
        return logs, archive, "memory_forget" in names

    assert reached() == (False, False, False)
    for given, now in (
        ("logs", (True, False, False)),
        ("archive", (False, True, False)),
        ("forget", (False, False, True)),
    ):
        change_setting(door.root, "over_http: []", f"over_http: [{given}]")
        assert reached() == now
        change_setting(door.root, f"over_http: [{given}]", "over_http: []")


def test_each_call_is_logged_by_who_made_it_without_what_was_said(door: Door) -> None:
    door.call("memory_search", query="concise replies")
    door.call("memory_note", text="")
    door.ask("tools/call", {"name": "rm -rf\nforged", "arguments": {}})
    door.send(NOTE, Authorization="Bearer wrong")

    said = door.log.read_text("utf-8")

    lines = [line.partition("call ")[2] for line in said.splitlines() if " call " in line]
    assert lines == [
        f"token=laptop what={what} bank={door.root} done={done}"
        for what, done in (("memory_search", "yes"), ("memory_note", "no"), ("unknown tool", "no"))
    ]
    assert f"refused status=401 from=127.0.0.1 bank={door.root}" in said
    assert not re.search("concise|Prefers|forged|wrong|bankd-", said)


ATTACKS: dict[str, tuple[int, dict[str, Any]]] = {
    "another host": (421, {"Host": "evil.example"}),
    "a host that only begins like ours": (421, {"Host": "127.0.0.1.evil.example:80"}),
    "a rebound name": (421, {"Host": "evil.example:7433", "Origin": "http://evil.example:7433"}),
    "no host": (421, {"Host": None}),
    "another origin": (403, {"Origin": "https://evil.example"}),
    "another port's page": (403, {"Origin": "http://127.0.0.1:1"}),
    "a sandboxed page": (403, {"Origin": "null"}),
    "no token": (401, {"Authorization": None}),
    "a wrong token": (401, {"Authorization": "Bearer bankd-wrong"}),
    "a token that is no text": (401, {"Authorization": "Bearer \xff"}),
    "another scheme": (401, {"Authorization": "Basic " + b64encode(b"a:b").decode()}),
    "another path": (404, {"path": "/"}),
    "a token in the address": (404, {"path": "/mcp?token=x"}),
    "a page with a stream": (405, {"method": "GET"}),
    "the end of a session": (405, {"method": "DELETE"}),
    "what a browser asks first": (405, {"method": "OPTIONS"}),
    "a session": (404, {"Mcp_Session_Id": "of somebody"}),
    "a form": (415, {"Content_Type": "text/plain"}),
    "no length": (411, {"Content_Length": None}),
    "pieces": (411, {"Content_Length": None, "Transfer_Encoding": "chunked"}),
    "pieces with a length": (411, {"Transfer_Encoding": "chunked"}),
    "a length that is none": (400, {"Content_Length": "-1"}),
    "a huge length": (413, {"Content_Length": "9" * 30}),
    "one byte too many": (413, {"Content_Length": str(MOST_BODY + 1)}),
    "a long header": (431, {"X": "x" * MOST_HEAD}),
    "many headers": (431, {f"X{n}": "x" for n in range(120)}),
    "an unknown revision": (400, {"MCP_Protocol_Version": "1999-01-01"}),
    "no session of the modern era": (400, {"MCP_Protocol_Version": MODERN}),
}


def test_what_attacks_is_refused_with_its_status_and_does_nothing(
    door: Door, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = token_of(
        Path(shutil.copytree(door.root, tmp_path / "other", ignore=shutil.ignore_patterns("tokens"))), "laptop", capsys
    )
    revoked = token_of(door.root, "phone", capsys)
    assert door.ask("ping", Authorization=f"bearer {revoked}").status == 200
    assert main(["mcp", "token", "revoke", "phone", "--workspace", str(door.root)]) == 0
    tokens = {
        f"a token {why}": (401, {"Authorization": f"Bearer {it}"})
        for why, it in (("of another bank", other), ("revoked", revoked))
    }

    seen = {name: (door.send(NOTE, **how).status, how) for name, (_, how) in (ATTACKS | tokens).items()}

    assert {name: status for name, (status, _) in seen.items()} == {
        n: status for n, (status, _) in (ATTACKS | tokens).items()
    }
    assert door.send(NOTE, Authorization=None).headers["WWW-Authenticate"] == 'Bearer realm="bankd"'
    assert door.send(b"", method="GET").headers["Allow"] == "POST"
    for file in (door.root / ".bankd/tokens").iterdir():
        file.chmod(0o640)
    assert door.ask("ping").status == 401, "others may write that file"
    assert not is_noted(door.root)
    assert not is_noted(tmp_path / "other")


NO_PLAIN_REQUESTS = [
    (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", b"400"),
    (b"POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
    (b"POST /mcp HTTP/2\r\nHost: localhost\r\n\r\n", b"400"),
    (b"\x16\x03\x01 a greeting of TLS\r\n\r\n", b"400"),
    (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + b"Authorization: Bearer TOKEN\r\n" * 2 + b"\r\n", b"400"),
    (b"POST /mcp HTTP/1.1\r\n\r\n", b"421"),
]
NO_FRAMES = [
    (b"{", 400, -32700),
    (b"[" + NOTE + b"]", 400, -32600),
    (frame("nope"), 200, -32601),
    (frame("tools/list", {"_meta": META}), 400, -32020),
]


def test_what_is_no_request_of_ours_is_refused(door: Door) -> None:
    for head, status in NO_PLAIN_REQUESTS:
        with door.connect() as line:
            line.sendall(head.replace(b"TOKEN", door.token.encode()))
            assert all_said(line).split()[1] == status, head
    for body, code, reason in NO_FRAMES:
        answer = door.send(body)
        assert (answer.status, answer.body["error"]["code"]) == (code, reason), body[:50]
    assert not is_noted(door.root)


def test_both_eras_are_spoken_and_what_asks_for_no_answer_gets_none(door: Door) -> None:
    text = "what does Péter prefer?"
    called = {"name": "memory_search", "arguments": {"query": text}, "_meta": META}
    headers = {"MCP_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": "memory_search"}
    encoded = headers | {"Mcp_Name": f"  =?base64?{b64encode(b'memory_search').decode()}?=  "}

    assert door.ask("tools/call", called, **headers).body["result"]["resultType"] == "complete"
    assert door.ask("tools/call", called, **encoded).status == 200
    assert door.ask("tools/call", called, **headers | {"Mcp_Name": "memory_note"}).body["error"]["code"] == -32020
    assert door.ask("nope", {"_meta": META}, **headers | {"Mcp_Method": "nope", "Mcp_Name": None}).status == 404
    told = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode()
    assert door.send(told)[::2] == (202, None)
    assert door.send(b'{"jsonrpc":"2.0","id":1,"result":{}}')[::2] == (202, None)


def test_a_slow_client_is_sent_away_and_many_of_them_hold_nobody_up_for_long(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    token = token_of(root, "laptop", capsys)
    head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n{'Content-Type: application/json'}\r\n"
    with serving(root, token, changes="remote.SECONDS = 1.0; remote.CONNECTIONS = 16") as door:
        for part in (b"P", head.encode(), f"{head}Content-Length: {len(NOTE)}\r\n\r\n".encode() + NOTE[:-1]):
            with door.connect() as line:
                line.sendall(part)
                assert all_said(line).split()[1] == b"408", part
        slow = [door.connect() for _ in range(48)]
        assert door.ask("ping").status == 200
        assert all_said(slow[-1]).split()[1] == b"408", "who says nothing"
        for line in slow:
            line.close()
        assert not is_noted(root)


def test_beyond_this_machine_there_is_tls_or_nothing(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*options: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(["mcp", *options, "--workspace", str(root)])
        return code, capsys.readouterr().err

    for listen in ("0.0.0.0", "192.0.2.1", "::"):
        assert said("--listen", listen) == (
            3,
            f"bankctl: {listen}: others on the network could read along; give a certificate: --cert FILE --key FILE\n",
        )
    assert said("--listen", "myhost")[0] == 3
    assert said("--http", "--cert", "x")[0] == 2
    assert "not a certificate" in said("--http", "--cert", "x", "--key", "y")[1]
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=memory.example", "-addext", "subjectAltName=DNS:memory.example,IP:127.0.0.1", "-out", cert, "-keyout", key],
        check=False, capture_output=True,
    )  # fmt: skip
    if made.returncode:
        pytest.skip("needs openssl to make a certificate")
    files = ("--cert", str(cert), "--key", str(key))
    assert "Give --host NAME" in said("--listen", "0.0.0.0", *files)[1]
    trusting = ssl.create_default_context(cafile=str(cert))

    token = token_of(root, "laptop", capsys)
    with serving(root, token, "--listen", "0.0.0.0", "--host", "Memory.example", *files) as door:
        assert (door.is_tls, door.host) == (True, "memory.example")
        asked = {"tls": trusting, "Host": f"memory.example:{door.port}"}
        assert door.send(frame("ping"), **asked).status == 200
        assert door.send(frame("ping"), tls=trusting).status == 421, "an address is no name that was given"
        with pytest.raises(OSError):  # noqa: PT011 -- refused before a word of HTTP
            HTTPSConnection("127.0.0.1", door.port, timeout=60).request("GET", "/")
        with door.connect() as line:
            line.sendall(b"POST /mcp HTTP/1.1\r\n\r\n")
            assert b"HTTP" not in all_said(line)
        assert door.send(frame("ping"), **asked).status == 200


def test_tokens_are_listed_without_what_they_are_and_the_server_ends_at_a_word(
    door: Door, capsys: pytest.CaptureFixture[str]
) -> None:
    def tokens(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(["mcp", "token", *words, "--workspace", str(door.root)])
        said = capsys.readouterr()
        return code, said.out + said.err

    [file] = (door.root / ".bankd/tokens").iterdir()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert door.token not in file.read_text("utf-8")
    assert tokens("list") == (0, "laptop\n")
    assert "has a token" in tokens("add", "laptop")[1]
    for name in ("../x", "", "a b", "x" * 41):
        assert tokens("add", name)[0] != 0
    assert tokens("revoke", "nobody")[0] == 3
    assert tokens("revoke", "../laptop")[0] == 3
    assert tokens("revoke")[0] == 2
    assert tokens("revoke", "laptop") == (0, "laptop is refused from now on\n")
    assert "bankctl mcp token add NAME" in tokens()[1]

    os.kill(door.process.pid, signal.SIGTERM)

    assert door.process.wait(30) == 0

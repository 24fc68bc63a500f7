"""An agent's server outlives daemons: each call is answered once, by whoever can."""

from __future__ import annotations

import json
import signal
import subprocess
from typing import Any

from tests.service.conftest import BIN

CALLS = 12


def test_calls_are_answered_each_once_while_the_daemon_dies_and_comes_back(manager: Any) -> None:
    manager.serve()
    assert manager.ask("run", kind="micro")["ok"]
    command = [BIN / "bankctl", "mcp", "--workspace", str(manager.workspace)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        shake = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
        send(server, shake)
        assert hear(server)["result"]["serverInfo"]["name"] == "bankd"

        send(server, *calls(0))
        heard = [hear(server)]
        manager.stop(signal.SIGKILL)
        send(server, *calls(CALLS))
        heard += [hear(server) for _ in range(2 * CALLS - 1)]
        manager.heard.clear()
        manager.serve()
        send(server, *calls(2 * CALLS))
        heard += [hear(server) for _ in range(CALLS)]
        assert server.stdin
        server.stdin.close()

        assert [frame["id"] for frame in heard] == list(range(3 * CALLS))
        assert all(frame["result"]["structuredContent"]["hits"][0].startswith("@Peter · Lives in") for frame in heard)
        assert server.stdout
        assert server.stdout.read() == b""
        assert server.wait(60) == 0


def calls(first: int) -> list[dict[str, Any]]:
    search = {"name": "memory_search", "arguments": {"query": "Where does Peter live, in Busan?"}}
    return [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": search}
        for number in range(first, first + CALLS)
    ]


def send(server: subprocess.Popen[bytes], *frames: dict[str, Any]) -> None:
    assert server.stdin
    server.stdin.write(b"".join(json.dumps(frame).encode() + b"\n" for frame in frames))
    server.stdin.flush()


def hear(server: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert server.stdout
    frame: dict[str, Any] = json.loads(server.stdout.readline())
    return frame


def test_what_agents_tell_can_be_told_over_the_socket_too(manager: Any) -> None:
    manager.serve()
    assert manager.ask("run", kind="micro")["ok"]
    [hit, *_] = manager.ask("search", query="Where does Peter live, in Busan?")["hits"]

    used = {"used": [hit["id"]], "importance": 7}
    told = manager.ask("tool", name="memory_feedback", arguments=used)["structuredContent"]
    shown = manager.ask("tool", name="memory_get", arguments={"what": hit["id"]})["structuredContent"]

    assert told["used"] == [hit["id"]]
    assert "importance 7 of 10" in str(shown)
    assert not manager.ask("tool", name=3)["ok"]
    assert "no tool 'nope'" in manager.ask("tool", name="nope")["error"]

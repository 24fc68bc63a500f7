"""The socket answers its own user, in time, whatever others try."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bankd.errors import BusyError, UserError
from bankd.search.request import read_request
from bankd.system import socket_client
from bankd.system.socket_client import NoDaemonError, send_request, socket_path
from bankd.system.socket_server import ClientTimeouts, SocketServer

SHORT = ClientTimeouts(read=0.3, total=1.0)


def handle(request: dict[str, Any]) -> dict[str, Any]:
    match request["op"]:
        case "echo":
            return {"text": request["text"]}
        case "read":
            return {"query": read_request(request, date(2026, 5, 4)).text}
        case "fail":
            raise UserError("bank/: not there")
        case _:
            raise RuntimeError("a bug")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / ".bankd").mkdir(mode=0o700)
    return tmp_path


@pytest.fixture
def server(workspace: Path) -> Iterator[SocketServer]:
    server = SocketServer(Path(socket_path(str(workspace))), handle, patience=SHORT)
    server.start()
    yield server
    server.stop()


def echo(server: SocketServer, text: str = "정직") -> str:
    return str(send_request(str(server.path.parent.parent), {"op": "echo", "text": text}, timeout=20)["text"])


def connect(path: str, timeout: float) -> socket.socket:
    """The client's connection as a file that a test can read line by line."""
    connection = socket.socket(fileno=socket_client.connect_socket(path, timeout).detach())
    connection.settimeout(timeout)
    return connection


def test_a_request_gets_its_answer(server: SocketServer) -> None:
    assert echo(server) == "정직"
    assert server.is_reachable()


def test_only_the_user_may_reach_it(server: SocketServer) -> None:
    assert stat.S_IMODE(server.path.stat().st_mode) == 0o600


def test_many_requests_pass_on_one_connection(server: SocketServer) -> None:
    with connect(str(server.path), 5) as client:
        client.sendall(b'{"op":"echo","text":1}\n{"op":"echo","text":2}\n')
        with client.makefile("rb") as answers:
            texts = [json.loads(answers.readline())["text"] for _ in range(2)]

    assert texts == [1, 2]


def test_errors_come_back_with_their_exit_code(server: SocketServer, caplog: pytest.LogCaptureFixture) -> None:
    workspace = str(server.path.parent.parent)

    assert send_request(workspace, {"op": "fail"}) == {"ok": False, "error": "bank/: not there", "exit": 3}
    assert send_request(workspace, {"op": "crash"})["exit"] == 70
    assert "a bug" in caplog.text
    assert send_request(workspace, {"no": "op"})["exit"] == 2


@pytest.mark.parametrize(
    "line",
    [b"nonsense\n", b"[]\n", b"\xff\xfe\n", b"[" * 60_000 + b"\n", b'{"op":1}\n', b'{"op":"e' + b"1" * 5000 + b"\n"],
)
def test_nonsense_is_refused_with_a_reason(server: SocketServer, line: bytes) -> None:
    with connect(str(server.path), 5) as client:
        client.sendall(line)
        with client.makefile("rb") as answers:
            answer = json.loads(answers.readline())

    assert answer["exit"] == 2
    assert echo(server) == "정직"


def push(server: SocketServer, data: bytes, limit: int, pause: float = 0.0) -> int:
    """How many bytes the server takes, up to a limit, before it puts a client out that only writes."""
    sent = 0
    with connect(str(server.path), 20) as client, contextlib.suppress(ConnectionError):
        while sent < limit:
            sent += client.send(data)
            threading.Event().wait(pause)
    return sent


def test_a_line_without_end_is_cut_off_early(server: SocketServer) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert push(server, b"x" * (1 << 20), 1 << 30) < 16 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 * 1024
    assert echo(server) == "정직"


def test_a_slow_writer_is_put_out(server: SocketServer) -> None:
    assert push(server, b" ", 1000, pause=0.05) < 1000


def test_a_client_that_never_reads_is_put_out(server: SocketServer) -> None:
    request = json.dumps({"op": "echo", "text": "x" * 60_000}).encode() + b"\n"

    assert push(server, request, 1 << 30) < 64 << 20
    assert echo(server) == "정직"


def test_silent_clients_in_all_places_only_delay_the_others(server: SocketServer) -> None:
    silent = [connect(str(server.path), 5) for _ in range(80)]
    try:
        assert echo(server) == "정직"
    finally:
        for client in silent:
            client.close()


def test_many_clients_at_once_are_all_served(server: SocketServer) -> None:
    texts: list[str] = []
    threads = [threading.Thread(target=lambda n=n: texts.append(echo(server, str(n)))) for n in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(texts, key=int) == [str(n) for n in range(100)]


def test_another_user_is_refused_even_where_the_mode_lets_him_in(server: SocketServer) -> None:
    setpriv = shutil.which("setpriv")
    if os.getuid() or setpriv is None:
        pytest.skip("needs root and setpriv to become another user")
    top = Path(os.environ.get("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir()))
    for folder in (server.path, *server.path.parents):
        if top in folder.parents and not stat.S_IMODE(folder.stat().st_mode) & 0o001:
            folder.chmod(0o777)
    code = (
        "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.settimeout(5)\ns.connect(sys.argv[1])\n"
        's.sendall(b\'{"op":"echo","text":"x"}\\n\')\nprint(s.recv(100))'
    )
    words = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-c", code, str(server.path)]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=30, cwd="/")

    assert "Permission" not in done.stderr
    assert "text" not in done.stdout
    assert server.refused == 1


def test_a_socket_left_behind_is_replaced(workspace: Path) -> None:
    path = Path(socket_path(str(workspace)))
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    server = SocketServer(path, handle, patience=SHORT)
    server.start()

    assert echo(server) == "정직"

    server.stop()
    assert not path.exists()


def test_a_living_server_is_left_alone(server: SocketServer) -> None:
    with pytest.raises(BusyError, match="another process answers"):
        SocketServer(server.path, handle, patience=SHORT).start()

    assert echo(server) == "정직"


def test_stopping_leaves_a_socket_that_is_not_ours(server: SocketServer) -> None:
    server.path.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(server.path))

        assert not server.is_reachable()

        server.stop()
        assert server.path.exists()


def test_a_folder_open_to_others_is_refused(workspace: Path) -> None:
    (workspace / ".bankd").chmod(0o777)
    with pytest.raises(UserError, match="chmod 700"):
        SocketServer(workspace / ".bankd/bankd.sock", handle).start()


def test_a_path_longer_than_a_socket_address_works(tmp_path: Path) -> None:
    workspace = tmp_path / ("가" * 60)
    workspace.mkdir()
    server = SocketServer(Path(socket_path(str(workspace))), handle, patience=SHORT)
    server.start()

    assert len(os.fsencode(server.path)) > 108
    assert echo(server) == "정직"
    assert server.is_reachable()

    server.stop()


def test_without_a_daemon_the_client_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoDaemonError):
        send_request(str(tmp_path), {"op": "ping"})


def test_a_daemon_that_does_not_answer_is_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    original = socket_client.connect_socket

    def noted(path: str, timeout: float) -> Any:
        asked.append(path)
        return original(path, timeout)

    monkeypatch.setattr(socket_client, "connect_socket", noted)
    (tmp_path / ".bankd").mkdir()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(socket_path(str(tmp_path)))
    listening.listen()
    for _ in range(3):
        with pytest.raises(NoDaemonError):
            send_request(str(tmp_path), {"op": "ping"}, 0.01)
    listening.close()

    assert len(asked) == 1


ODD = ("a", "", 1.5, True, 7, [], [1], ["a"], {}, {"a": 1}, -1, 10**400, "\ud800")


@pytest.mark.parametrize(
    "name", ["query", "limit", "tags", "nodes", "entities", "since", "until", "min_confidence", "everything"]
)
def test_a_field_of_another_type_is_named_and_no_bug(server: SocketServer, name: str) -> None:
    root = str(server.path.parent.parent)

    answers = [
        send_request(root, {"op": "read", "query": "words", name: odd}, timeout=20)
        for odd in ODD
        if (name, odd) != ("query", "")
    ]

    refused = [answer for answer in answers if not answer["ok"]]
    assert len(refused) >= len(ODD) // 2
    assert all(answer["exit"] == 2 and answer["error"].startswith(f"{name}: ") for answer in refused)
    assert send_request(root, {"op": "read", name: None, "query": "\udcff"}, timeout=20)["query"] in {"\ufffd", ""}


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", '[1, {"a": -1e999}]'])
def test_a_number_that_is_not_finite_is_refused_before_anybody_reads_it(server: SocketServer, number: str) -> None:
    with connect(str(server.path), 5) as client:
        client.sendall(f'{{"op":"echo","text":{number}}}\n'.encode())
        answer = json.loads(client.makefile("rb").readline())

    assert (answer["ok"], answer["exit"]) == (False, 2)
    assert "finite" in answer["error"]


@pytest.mark.parametrize(
    ("name", "odd"), [("margin", 0), ("margin", -1), ("margin", True), ("margin", 10**400), ("limit", -1), ("keep", 1)]
)
def test_a_value_that_says_nothing_is_refused(server: SocketServer, name: str, odd: object) -> None:
    answer = send_request(str(server.path.parent.parent), {"op": "read", name: odd}, timeout=20)

    assert (answer["exit"], answer["error"].startswith(f"{name}: ")) == (2, True)

"""A daemon that runs since before an upgrade: its answers lack what this version reads, so it is asked as if it were not there."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from bankd.app.init import make_workspace
from bankd.search.request import Answer, Freshness
from bankd.system.socket_client import socket_path
from bankd.wiring.asking import OF_A_SEARCH, Asked
from bankd.wiring.reader import BankReader

_OLD = {"ok": True, "query": "", "generation": 1, "fresh": {"note": ""}, "hits": [], "see_also": [], "left_off": 0}


@pytest.fixture
def root(tmp_path: Path) -> Iterator[str]:
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


def test_the_index_answers_in_place_of_an_older_daemon(root: str) -> None:
    request = {"query": "who has the spare key"}
    reader = BankReader(root)
    with closing(Asked(root)) as asked, closing(Asked(root, stays=True)) as standing:
        answers = [asked.ask(request), reader.search(request), reader.recall(request), standing.ask(request)]

    assert [[hit["id"] for hit in answer["hits"]] for answer in answers] == [["m-1"]] * 4
    assert [answer["nearest"] for answer in answers] == [[]] * 4


def test_what_belongs_together_is_still_told_by_it(root: str) -> None:
    with closing(Asked(root)) as asked:
        assert asked.ask({"op": "related", "id": "m-1"})["generation"] == 1

"""A reranker behind a stand-in server: its order is taken, either protocol is spoken, and search goes on without it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bankd.app.init import make_workspace
from bankd.search.request import SearchSettings
from bankd.wiring.search import make_search
from bankd.workers.reranker import Reranker

NOW = datetime(2026, 5, 4, tzinfo=UTC)
WHOLE, HALF, WRONG = b"", b'{"results": [{"index": 0, "relevance_score": 1}]}', b"<html>"


class StandIn:
    """A server that puts short texts first."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Mapping[str, Any], str | None]] = []
        self.answers_with, self.status, self.url = WHOLE, 200, ""


@pytest.fixture
def server() -> Iterator[StandIn]:
    state = StandIn()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append((self.path, body, self.headers["Authorization"]))
            texts, name = body.get("documents") or body["texts"], "relevance_score" if "documents" in body else "score"
            rows = [{"index": at, name: -len(text)} for at, text in enumerate(texts)][::-1]
            self.send_response(state.status)
            self.end_headers()
            self.wfile.write(
                state.answers_with or json.dumps({"results": rows} if "documents" in body else rows).encode()
            )

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    state.url = f"http://127.0.0.1:{http.server_port}"
    yield state
    http.shutdown()
    http.server_close()


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
        own = SearchSettings("UTC", "lexicon", 0.4, 0, 0.02, rerank=(url, "", "", 2) if url else ())
        search = make_search(root, own)
        answers = [search.answer({"query": "lamp hall"}, NOW) for _ in range(2)]
        search.close()
        assert answers[0]["hits"] == answers[1]["hits"]
        assert not answers[1]["fresh"]["note"]
        return [hit["text"] for hit in answers[0]["hits"]], answers[0]["fresh"]["note"]

    assert texts("")[0][0] == "lamp lamp hall and cellar"
    assert texts(f"{server.url}/v1/rerank")[0][0] == "a lamp"
    alone, note = texts("http://127.0.0.1:9/v1/rerank")
    assert alone == texts("")[0]
    assert "reranker did not answer" in note

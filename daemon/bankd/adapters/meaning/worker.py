"""The process that holds the model and the vectors: one JSON request a line, one answer a line, until its master goes.

    {"near": "question", "keys": [7, 9], "most": 25}  →  {"near": [[7, 0.83], …], "known": 812}
    {"embed": [[7, "text"], …]}                       →  {"known": 820, "refused": []}
    {"question": "question"}                          →  {"vector": [0.03, …]}
    {"pairs": [[7, 9], …]}                            →  {"cosines": [0.97, …]}, null where a vector is missing

What goes wrong is an answer too, `{"problem": "…"}`. The only modules that import numpy and the model are loaded here.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from bankd.adapters.system.child import serve_master
from bankd.core.ranking.search_settings import MeaningSettings

_SHORT, _HARMLESS = 100, "bankd"
"""Letters of a text that is too long for no model, and one that none has a reason to refuse."""
INSTALL = "sentence vectors are not installed; pip install 'bankd[meaning]'"


class MeaningProcess:
    """Answers requests; the model is loaded by the first."""

    def __init__(self, folder: Path, settings: MeaningSettings) -> None:
        """Take where the vectors are, and which model makes them."""
        from bankd.adapters.meaning.models import open_model  # noqa: PLC0415 -- may be missing, which is an answer
        from bankd.adapters.meaning.store import VectorStore  # noqa: PLC0415 -- same

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
        from bankd.adapters.meaning.models import RefusedTextsError  # noqa: PLC0415 -- see `__init__`

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


if __name__ == "__main__":
    main()

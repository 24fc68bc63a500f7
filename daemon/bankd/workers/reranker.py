"""A reranker: a model on a server that reads the question together with each text and says how well the text answers it.

    POST …/v1/rerank  {"model": …, "query": …, "documents": […]}  →  {"results": [{"index": 0, "relevance_score": 0.9}, …]}
    POST …/rerank     {"query": …, "texts": […]}                  →  [{"index": 0, "score": 0.9}, …]

Jina, llama.cpp and vLLM answer the first, TEI the second; either answer is read from either. A search waits a short time, and
keeps its own order without an answer. After a failure nobody is asked for a while, so that search stays fast.
"""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException
from math import isfinite
from typing import Any

_SECONDS = 2.0
"""A search waits no longer than this for each answer."""
_REST_SECONDS = 60.0
_LETTERS = 2_000
"""The most letters of a text that are sent."""


class Reranker:
    """The reranker that the settings name; safe to use from several threads."""

    def __init__(self, url: str, model: str, key_variable: str, top: int, clock: Callable[[], float]) -> None:
        """Take the URL, the model's name, the environment variable with its key, how many answers it reads, and a clock in seconds."""
        self.top = top
        self._url, self._model, self._key_variable, self._clock = url, model, key_variable, clock
        self._rests_until, self._problem = float("-inf"), ""

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
        """How well each text answers the question, on the scale of the model; None if it does not answer now."""
        if not texts or self._clock() < self._rests_until:
            return None
        try:
            return self._ask(question, [text[:_LETTERS] for text in texts])
        except (OSError, HTTPException, ValueError, LookupError, TypeError) as error:
            self._rests_until = self._clock() + _REST_SECONDS
            self._problem = f"the reranker did not answer, so the answers are in the order of search: {str(error) or type(error).__name__}"
            return None

    def take_problem(self) -> Sequence[str]:
        """The message about a failure, once for each failure; nothing if there is none."""
        problem, self._problem = self._problem, ""
        return [problem] if problem else []

    def _ask(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        is_tei = "/v1/" not in self._url
        body: dict[str, Any] = {"query": question, "texts" if is_tei else "documents": texts}
        if self._model and not is_tei:
            body["model"] = self._model
        said = post_json(self._url, body, self._key_variable, _SECONDS)
        rows = said if isinstance(said, list) else said["results"]
        found = {
            int(row["index"]): float(row["relevance_score" if "relevance_score" in row else "score"]) for row in rows
        }
        scores = [found[number] for number in range(len(texts))]
        if not all(map(isfinite, scores)):
            raise ValueError("a score is no number")
        return scores


def post_json(url: str, body: Mapping[str, Any], key_variable: str, seconds: float) -> Any:
    """Send JSON to a server, with the key of an environment variable if that is named, and give its answer; raises as urllib does."""
    headers = {"Content-Type": "application/json"}
    if key_variable:
        headers["Authorization"] = f"Bearer {os.environ.get(key_variable, '')}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 -- the settings allow http and https
    with urllib.request.urlopen(request, timeout=seconds) as answer:  # noqa: S310 -- same
        return json.load(answer)

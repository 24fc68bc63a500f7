"""Takes texts apart into morphemes: from the cache, by the Kiwi worker, else as whole words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from bankd.words.analysis import has_hangul
from bankd.words.statement import Morpheme, Wording, plain_wording
from bankd.workers.analyser import AnalysisCache

_UNDECODED = re.compile(r"[\ud800-\udfff]")
"""Bytes that were no UTF-8; the analyser takes none."""


class WordingWorker(Protocol):
    """A process that takes Korean apart."""

    def start(self) -> None:
        """Start it, without waiting until it is ready."""

    def take_apart(self, texts: Sequence[str]) -> list[list[object]] | None:
        """The morphemes of texts as pairs of form and tag; None when it cannot."""


class CachedWordings:
    """Takes texts apart; waits for the worker, since other texts are only compared by whole words."""

    def __init__(self, cache: AnalysisCache, worker: WordingWorker | None, version: Callable[[], str]) -> None:
        """Take the cache, the worker if there is one, and how to learn its version."""
        self._cache = cache
        self._worker = worker
        self._version = version

    def expect(self, texts: Iterable[str]) -> None:
        """Start the worker if it will be asked about one of these: it takes a second to load, and the caller goes on meanwhile."""
        korean = _korean_in(texts)
        if korean and self._worker is not None and len(self._known(korean)) < len(korean):
            self._worker.start()

    def take_apart(self, texts: Iterable[str]) -> dict[str, Wording]:
        """The wording of each text."""
        distinct = dict.fromkeys(texts)
        korean = _korean_in(distinct)
        apart = self._apart(korean) if korean and self._worker is not None else {}
        morphemes = {text: tuple(Morpheme(*pair) for pair in pairs) for text, pairs in apart.items()}  # type: ignore[misc]  # pairs of strings, by protocol
        return {text: Wording(text, morphemes[text]) if text in morphemes else plain_wording(text) for text in distinct}

    def _known(self, texts: Sequence[str]) -> dict[str, list[object]]:
        return self._cache.get_raw(filter(_is_plain, texts), self._kind)

    @property
    def _kind(self) -> str:
        return f"{self._version()}+apart"

    def _apart(self, texts: Sequence[str]) -> dict[str, list[object]]:
        found = self._known(texts)
        missing = [text for text in texts if text not in found]
        if not missing or self._worker is None:
            return found
        answer = self._worker.take_apart([unicodedata.normalize("NFC", text) for text in missing])
        if answer is None:
            return found
        fresh = dict(zip(missing, answer, strict=True))
        self._cache.put_raw({text: pairs for text, pairs in fresh.items() if _is_plain(text)}, self._kind)
        return found | fresh


def _korean_in(texts: Iterable[str]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if has_hangul(text) and not _UNDECODED.search(text)]


def _is_plain(text: str) -> bool:
    """Whether a text may be cached: the cache finds texts by a form in which 10² is 102."""
    return unicodedata.is_normalized("NFKC", text)

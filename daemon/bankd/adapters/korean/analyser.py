"""How texts are read: from the cache, by the Kiwi worker, and where neither has them, with the bank's own lexicon."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

from bankd.adapters.korean.analyses import Analysed, AnalysisCache, analysis_of, pack_analysis, readings_of_all
from bankd.core.language.analysis import Analysis, analyse_text, as_text, has_hangul
from bankd.core.language.lexicon import Lexicon, analyse_by_lexicon, read_run

if TYPE_CHECKING:
    from bankd.core.ranking.indexable import IndexAnalyses
    from bankd.ports.reading import Patience


class AnalysisWorker(Protocol):
    """A process that analyses Korean."""

    @property
    def is_warm(self) -> bool:
        """Whether it would answer at once."""

    def start(self) -> None:
        """Start it without waiting."""

    def analyse(self, texts: Sequence[str]) -> list[list[object]] | None:
        """Analyse texts; None when it cannot."""

    def end(self) -> None:
        """End it, if it was started."""


class Analyser:
    """Reads texts for the index, thoroughly, and queries, at once."""

    def __init__(self, cache: AnalysisCache, worker: AnalysisWorker | None, version: Callable[[], str]) -> None:
        """Take the cache, the worker if there is one, and how to learn its version."""
        self._cache = cache
        self._worker = worker
        self._version = version
        self._known_version: str | None = None
        self.patience: Patience = "if warm"

    @property
    def version(self) -> str:
        """The version of the morphological analyser; empty without one."""
        if self._known_version is None:
            self._known_version = self._version() if self._worker is not None else ""
        return self._known_version

    @property
    def is_warm(self) -> bool:
        """Whether texts would be analysed now, by a worker that is ready or may be waited for."""
        if self._worker is None or self.patience == "never":
            return False
        return self.patience == "wait" or self._worker.is_warm

    def analyse_for_index(self, texts: Collection[str], lexicon: Lexicon) -> IndexAnalyses:
        """Read texts for the index: thoroughly when possible at once, else provisionally."""
        korean = sorted(text for text in texts if has_hangul(text))
        found = self._cache.get(korean, self.version)
        missing = [text for text in korean if text not in found]
        found.update(self._ask_worker(missing))
        fresh = readings_of_all(found.values())
        analyses = {text: one.analysis for text, one in found.items()}
        provisional = frozenset(text for text in missing if text not in found)
        newest = cache(lambda run: read_run(run, fresh[run].split()) if run in fresh else lexicon(run))
        analyses.update((text, as_text(analyse_by_lexicon(text, newest))) for text in provisional)
        from bankd.core.ranking.indexable import IndexAnalyses  # noqa: PLC0415 -- a query has no time for reading pages

        analyses.update((text, as_text(analyse_text(text))) for text in texts if text not in analyses)
        return IndexAnalyses(analyses, fresh, provisional)

    def analyse_query(self, text: str, lexicon: Lexicon) -> Analysis:
        """Read a query without ever waiting: by a warm worker, else with the lexicon."""
        if not has_hangul(text):
            return analyse_text(text)
        if self._worker is not None and self._worker.is_warm:
            answer = self._worker.analyse([text])
            if answer:
                return analysis_of(text, answer[0])
        return analyse_by_lexicon(text, lexicon)

    def take_made_anew(self) -> list[str]:
        """What there is to say of damage to the cache, once."""
        return self._cache.take_made_anew()

    def close(self) -> None:
        """Let go of the cache, and end the worker."""
        self._cache.close()
        if self._worker is not None:
            self._worker.end()

    def _ask_worker(self, texts: Sequence[str]) -> dict[str, Analysed]:
        if not texts or self._worker is None or self.patience == "never":
            return {}
        if not self.is_warm:
            self._worker.start()  # so that it is warm when these are read again
            return {}
        answer = self._worker.analyse(texts)
        if answer is None:
            return {}
        found = {text: pack_analysis(text, one) for text, one in zip(texts, answer, strict=True)}
        self._cache.put(found, self.version)
        return found

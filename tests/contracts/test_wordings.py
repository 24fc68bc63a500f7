"""Taking texts apart: what is asked of the worker, what is cached, and what happens without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bankd.words.analysis import Analysis, AnalysisText, as_text
from bankd.words.statement import Morpheme, plain_wording
from bankd.workers.analyser import (
    Analysed,
    Analyser,
    AnalysisCache,
    KiwiWorker,
    analysis_of,
    kiwi_version,
    pack_analysis,
    packed,
    readings_of_all,
    unpack_analysis,
)


class CountingWorker:
    """A worker that takes every text for one noun and remembers what it was asked."""

    def __init__(self, *, dead: bool = False) -> None:
        self.asked: list[str] = []
        self.starts = 0
        self._dead = dead

    def start(self) -> None:
        self.starts += 1

    def take_apart(self, texts: Sequence[str]) -> list[list[object]] | None:
        self.asked += texts
        return None if self._dead else [[(text, "NNG")] for text in texts]


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[AnalysisCache]:
    cache = AnalysisCache(tmp_path)
    yield cache
    cache.close()


def wordings(cache: AnalysisCache, worker: CountingWorker, version: str = "1") -> Analyser:
    return Analyser(cache, worker, lambda: version)


def test_each_korean_text_is_asked_once_in_a_version(cache: AnalysisCache) -> None:
    worker = CountingWorker()
    wordings(cache, worker).take_apart(["가치관", "plain English", "가치관"])
    again = wordings(cache, worker).take_apart(["가치관"])
    wordings(cache, worker, version="2").take_apart(["가치관"])

    assert worker.asked == ["가치관", "가치관"]
    assert again["가치관"].morphemes == (Morpheme("가치관", "NNG"),)


def test_texts_that_the_cache_would_confuse_are_not_cached(cache: AnalysisCache) -> None:
    worker = CountingWorker()
    wordings(cache, worker).take_apart(["102명"])
    found = wordings(cache, worker).take_apart(["10²명"])

    assert found["10²명"].morphemes == (Morpheme("10²명", "NNG"),)


def test_the_worker_starts_for_korean_that_it_has_not_read(cache: AnalysisCache) -> None:
    worker = CountingWorker()
    known = wordings(cache, worker)
    known.take_apart(["가치관"])
    known.expect(["plain English", "가치관"])
    before = worker.starts
    known.expect(["가치관", "밥을 먹었다"])

    assert (before, worker.starts) == (0, 1)
    assert worker.asked == ["가치관"], "nothing is asked before it is needed"


@pytest.mark.parametrize("text", ["plain English", "가치관\udcff"])
def test_some_texts_never_reach_the_worker(cache: AnalysisCache, text: str) -> None:
    worker = CountingWorker()
    found = wordings(cache, worker).take_apart([text])

    assert found == {text: plain_wording(text)}
    assert worker.asked == []


def test_without_a_working_worker_hangul_words_stay_whole(cache: AnalysisCache) -> None:
    found = wordings(cache, CountingWorker(dead=True)).take_apart(["밥을 먹었다"])
    later = wordings(cache, CountingWorker()).take_apart(["밥을 먹었다"])

    assert found["밥을 먹었다"] == plain_wording("밥을 먹었다")
    assert later["밥을 먹었다"].morphemes == (Morpheme("밥을 먹었다", "NNG"),)


def test_the_real_worker_gives_forms_and_tags(cache: AnalysisCache) -> None:
    worker = KiwiWorker(lambda: 0.0)
    try:
        found = Analyser(cache, worker, kiwi_version).take_apart(["안 간다"])
    finally:
        worker.end()

    assert found["안 간다"].morphemes == (Morpheme("안", "MAG"), Morpheme("가", "VV"), Morpheme("ᆫ다", "EF"))


RAW: list[object] = [[["커피", "마시"], [], ["차"]], True, {"커피를": ["커피"], "안": [], "마셔": ["마시"]}]


def test_an_answer_of_the_worker_is_an_analysis_without_empty_sentences() -> None:
    found = analysis_of(RAW)

    assert found == Analysis((("커피", "마시"), ("차",)), denies=True)


def test_it_is_kept_as_text_with_its_readings() -> None:
    kept = pack_analysis(RAW)

    assert kept.analysis == AnalysisText("커피 마시\n차", denies=True)
    assert readings_of_all([kept]) == {"커피를": "커피", "안": "", "마셔": "마시"}


@pytest.mark.parametrize(
    "one",
    [
        pack_analysis(RAW),
        Analysed(as_text(Analysis((), denies=False)), "", ""),
        Analysed(AnalysisText("a b\nc", denies=False), "안", ""),
    ],
)
def test_what_is_put_in_comes_out(cache: AnalysisCache, one: Analysed) -> None:
    cache.put({"text": packed(one)}, "1")

    assert cache.get(["text", "other"], "1", unpack_analysis) == {"text": one}
    assert cache.get(["text"], "2", unpack_analysis) == {}


def test_of_two_readings_of_a_run_the_later_counts() -> None:
    first, later = (Analysed(AnalysisText("", denies=False), "가치관이", terms) for terms in ("가치관이", "가치관"))

    assert readings_of_all([first, later]) == {"가치관이": "가치관"}
    assert readings_of_all([]) == {}

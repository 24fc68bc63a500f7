"""Taking texts apart: what is asked of the worker, what is cached, and what happens without one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bankd.words.analysis import AnalysisText, lexicon_of
from bankd.words.statement import Morpheme, plain_wording
from bankd.workers.analyser import Analyser, Kind, KiwiWorker, kiwi_version

LEXICON = lexicon_of(lambda _: None, lambda _: False)


class CountingWorker:
    """A worker that takes every text for one noun and remembers what it was asked."""

    def __init__(self, *, dead: bool = False) -> None:
        self.asked: list[str] = []
        self._dead = dead

    def ask(self, kind: Kind, texts: Sequence[str]) -> list[Any] | None:
        self.asked += texts
        return None if self._dead else [[(text, "NNG")] for text in texts]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path


def wordings(cache: Path, worker: CountingWorker, version: str = "1") -> Analyser:
    return Analyser(cache, worker, lambda: version)


def test_each_korean_text_is_asked_once_in_a_version(cache: Path) -> None:
    worker = CountingWorker()
    wordings(cache, worker).take_apart(["가치관", "plain English", "가치관"])
    again = wordings(cache, worker).take_apart(["가치관"])
    wordings(cache, worker, version="2").take_apart(["가치관"])

    assert worker.asked == ["가치관", "가치관"]
    assert again["가치관"].morphemes == (Morpheme("가치관", "NNG"),)


def test_the_cache_confuses_no_two_texts(cache: Path) -> None:
    worker = CountingWorker()
    wordings(cache, worker).take_apart(["102명"])
    found = wordings(cache, worker).take_apart(["10²명"])

    assert found["10²명"].morphemes == (Morpheme("10²명", "NNG"),)


@pytest.mark.parametrize("text", ["plain English", "가치관\udcff"])
def test_some_texts_never_reach_the_worker(cache: Path, text: str) -> None:
    worker = CountingWorker()
    assert wordings(cache, worker).take_apart([text]) == {text: plain_wording(text)}
    assert worker.asked == []


def test_without_a_working_worker_hangul_words_stay_whole(cache: Path) -> None:
    found = wordings(cache, CountingWorker(dead=True)).take_apart(["밥을 먹었다"])
    later = wordings(cache, CountingWorker()).take_apart(["밥을 먹었다"])

    assert found["밥을 먹었다"] == plain_wording("밥을 먹었다")
    assert later["밥을 먹었다"].morphemes == (Morpheme("밥을 먹었다", "NNG"),)


def test_the_real_worker_gives_forms_and_tags(cache: Path) -> None:
    worker = KiwiWorker(lambda: 0.0)
    try:
        found = Analyser(cache, worker, kiwi_version).take_apart(["안 간다"])
    finally:
        worker.end()

    assert found["안 간다"].morphemes == (Morpheme("안", "MAG"), Morpheme("가", "VV"), Morpheme("ᆫ다", "EF"))


def test_an_analysis_for_the_index_is_kept_with_the_readings_of_its_words(cache: Path) -> None:
    worker = KiwiWorker(lambda: 0.0)
    text, later = "커피를 안 마셔. …\n차를 마셔", "커피를 마신다"
    try:
        first = Analyser(cache, worker, kiwi_version)
        first.may_wait = True
        said = first.analyse_for_index([text], LEXICON)
    finally:
        worker.end()
    again = Analyser(cache, worker, kiwi_version).analyse_for_index([text, later], LEXICON)

    assert said.of[text] == AnalysisText("커피 마시\n차 마시", denies=True)
    assert said.readings == {"커피를": "커피", "안": "", "마셔": "마시", "차를": "차"}
    assert (again.of[text], again.readings) == (said.of[text], said.readings)
    assert again.provisional == {later}
    assert again.of[later].sentences.startswith("커피"), "read by what the other text showed"

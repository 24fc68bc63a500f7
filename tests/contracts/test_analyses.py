"""The cache of analyses: what is put in comes out, and the readings of many texts become one lexicon."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bankd.words.analysis import Analysis, AnalysisText, as_text
from bankd.workers.analyser import Analysed, AnalysisCache, analysis_of, pack_analysis, readings_of_all

RAW: list[object] = [[["커피", "마시"], [], ["차"]], True, {"커피를": ["커피"], "안": [], "마셔": ["마시"]}]


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[AnalysisCache]:
    cache = AnalysisCache(tmp_path)
    yield cache
    cache.close()


def test_an_answer_of_the_worker_is_an_analysis_without_empty_sentences() -> None:
    found = analysis_of("커피를 안 마셔", RAW)

    assert found == Analysis((("커피", "마시"), ("차",)), denies=True)


def test_it_is_kept_as_text_with_its_readings() -> None:
    kept = pack_analysis("커피를 안 마셔", RAW)

    assert kept.analysis == AnalysisText("커피 마시\n차", denies=True)
    assert readings_of_all([kept]) == {"커피를": "커피", "안": "", "마셔": "마시"}


@pytest.mark.parametrize(
    "one",
    [
        pack_analysis("커피를 안 마셔", RAW),
        Analysed(as_text(Analysis((), denies=False)), "", ""),
        Analysed(AnalysisText("a b\nc", denies=False), "안", ""),
    ],
)
def test_what_is_put_in_comes_out(cache: AnalysisCache, one: Analysed) -> None:
    cache.put({"text": one}, "1")

    assert cache.get(["text", "other"], "1") == {"text": one}
    assert cache.get(["text"], "2") == {}


def test_of_two_readings_of_a_run_the_later_counts() -> None:
    first, later = (Analysed(AnalysisText("", denies=False), "가치관이", terms) for terms in ("가치관이", "가치관"))

    assert readings_of_all([first, later]) == {"가치관이": "가치관"}
    assert readings_of_all([]) == {}

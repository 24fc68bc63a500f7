"""The calibration of `dedup.threshold` put together: labelled pairs from disk, taken apart by Kiwi, measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bankd.adapters.korean.analyses import AnalysisCache
from bankd.adapters.korean.kiwi import KiwiWorker, kiwi_version
from bankd.adapters.korean.wordings import CachedWordings
from bankd.adapters.system.clock import read_monotonic
from bankd.adapters.workspace.pair_sets import read_rows
from bankd.core.dedup.calibration import (
    PLAIN_JUDGES,
    LabelledPair,
    Tally,
    choose_threshold,
    has_no_word_of_its_own,
    judge_at,
    read_pairs,
    tally,
    without_mistakes,
)
from bankd.core.language.reading import read_statement
from bankd.core.language.statement import Statement
from bankd.errors import UserError

CANDIDATES = range(50, 100, 5)


class SetResult(NamedTuple):
    """What was found on the reporting half of a set; `mistakes` are equal texts that the whole set calls different."""

    name: str
    ours: Tally
    reachable: Tally
    plain: dict[str, Tally]
    mistakes: int


class Calibration(NamedTuple):
    """The threshold that was chosen (None when none reaches the precision), the one that was used, and the results."""

    chosen: int | None
    used: float
    results: list[SetResult]


def calibrate(folders: Sequence[Path], threshold: float | None, cache: Path | None) -> Calibration:
    """Choose a threshold on one half of each set and measure it, or the given one, on the other."""
    labelled = {folder.name: read_pairs(read_rows(folder)) for folder in folders}
    empty = [str(folder) for folder in folders if not labelled[folder.name]]
    if empty:
        raise UserError(*(f"{folder}: no pairs in it" for folder in empty))
    sets = {name: without_mistakes(pairs) for name, pairs in labelled.items()}
    statements = _read({text for pairs in sets.values() for pair in pairs for text in (pair.old, pair.new)}, cache)
    chosen = choose_threshold(list(sets.values()), statements, CANDIDATES)
    used = threshold if threshold is not None else chosen if chosen is not None else CANDIDATES[-1]
    results = [
        _measure(name, pairs, statements, used, len(labelled[name]) - len(pairs)) for name, pairs in sets.items()
    ]
    return Calibration(chosen, used, results)


def _read(texts: set[str], cache: Path | None) -> dict[str, Statement]:
    with TemporaryDirectory() as folder:
        store = AnalysisCache(cache or Path(folder))
        worker = KiwiWorker(read_monotonic)
        try:
            wordings = CachedWordings(store, worker, kiwi_version).take_apart(sorted(texts))
        finally:
            worker.end()
            store.close()
    return {text: read_statement(wording) for text, wording in wordings.items()}


def _measure(
    name: str, pairs: Sequence[LabelledPair], statements: dict[str, Statement], threshold: float, mistakes: int
) -> SetResult:
    half = [pair for pair in pairs if not pair.is_for_choosing]
    plain = {judge: tally(half, statements, PLAIN_JUDGES[judge]) for judge in PLAIN_JUDGES}
    reachable = tally(half, statements, has_no_word_of_its_own)
    return SetResult(name, tally(half, statements, judge_at(threshold)), reachable, plain, mistakes)

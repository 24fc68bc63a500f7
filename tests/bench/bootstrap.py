"""How sure a difference between two rankings is."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random


def bootstrap_interval(differences: Sequence[float], seed: int = 1, rounds: int = 2_000) -> tuple[float, float]:
    """The 95 % interval of the mean of paired differences, by resampling queries."""
    random, count = Random(seed), len(differences)
    means = sorted(sum(random.choices(differences, k=count)) / count for _ in range(rounds))
    return means[int(rounds * 0.025)], means[int(rounds * 0.975)]

"""What a process that serves one bank after another gives back."""

from __future__ import annotations

from functools import lru_cache

from bankd.system.process import forget_kept


def test_large_caches_are_emptied_and_small_ones_stay() -> None:
    @lru_cache(maxsize=50_000)
    def large(number: int) -> int:
        return number

    @lru_cache(maxsize=64)
    def small(number: int) -> int:
        return number

    large(1)
    small(1)
    forget_kept()

    assert large.cache_info().currsize == 0
    assert small.cache_info().currsize == 1

"""Gives memory back to the system after work that needed much of it; glibc keeps it otherwise."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_ARENA_MAX = -8  # M_ARENA_MAX of mallopt(3)
_MANY_OBJECTS = 50_000


def keep_little() -> None:
    """Have all threads share two arenas: memory freed in one of many is seldom given back. Call it first of all."""
    with suppress(AttributeError):  # a C library without it
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 2)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """While much is made that stays: each collection looks at all of it, for nothing. A tenth of a rebuild went there."""
    before = gc.get_threshold()
    gc.set_threshold(_MANY_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def give_back() -> None:
    """Collect garbage and return what is free."""
    gc.collect()
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)

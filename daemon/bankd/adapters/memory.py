"""Gives memory back to the system after work that needed much of it; glibc keeps it otherwise."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

_ARENA_MAX = -8  # M_ARENA_MAX of mallopt(3)


def keep_little() -> None:
    """Have all threads share two arenas: memory freed in one of many is seldom given back. Call it first of all."""
    with suppress(AttributeError):  # a C library without it
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 2)


def give_back() -> None:
    """Collect garbage and return what is free."""
    gc.collect()
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)

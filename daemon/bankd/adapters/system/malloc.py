"""Gives memory back to the system after work that needed much of it; glibc keeps it otherwise."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import _lru_cache_wrapper

from bankd.errors import StorageError

_ARENA_MAX = -8  # M_ARENA_MAX of mallopt(3)
_MANY_OBJECTS = 5_000_000
"""Made since the last collection; of a run that takes in 20,000 lines hardly any are in cycles, so nothing else grows."""
_LARGE_CACHE = 10_000


def keep_little() -> None:
    """Have all threads share two arenas: memory freed in one of many is seldom given back. Call it first of all."""
    import ctypes  # noqa: PLC0415 -- a query has no time for it

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


def require_room(needed: int) -> None:
    """StorageError where a limit of the process (`ulimit -v`) leaves less memory: native code ends the process then."""
    import resource  # noqa: PLC0415 -- a query has no time for it

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    with open("/proc/self/statm", encoding="ascii") as sizes:  # noqa: PTH123 -- called at every change of the index
        taken = int(sizes.read().split()[0]) * resource.getpagesize()
    if limit - taken < needed:
        raise StorageError(
            f"the index needs {needed >> 20} MB of memory and has {(limit - taken) >> 20}; raise the limit (ulimit -v)"
        )


def forget_kept() -> None:
    """Empty the large caches of functions, which are for the lines of one run: one bank after another only fills them."""
    for one in gc.get_objects():
        if isinstance(one, _lru_cache_wrapper) and (one.cache_parameters()["maxsize"] or 0) >= _LARGE_CACHE:
            one.cache_clear()


def give_back() -> None:
    """Collect garbage and return what is free."""
    import ctypes  # noqa: PLC0415 -- a query has no time for it

    gc.collect()
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)

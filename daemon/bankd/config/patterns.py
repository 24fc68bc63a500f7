"""The patterns of rules and of secrets, compiled by RE2: it takes linear time whatever a pattern says."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache, lru_cache
from typing import Any

import re2

from bankd.pages.scanner import encode_text
from bankd.secrets.screening import Finder


@lru_cache(maxsize=8)
def find_together(patterns: tuple[str, ...]) -> Callable[[str], Collection[int]]:
    """Make a function that looks for all patterns in a text in one pass, and gives the indices of those found.

    The patterns are compiled when the function is first called, and kept: the banks of a fleet have the same ones.
    """

    @cache
    def compiled() -> Any:
        # RE2 does not say when the memory of a set is too small: 256 MiB are ample.
        found = re2.Set.SearchSet(_options(256 << 20))
        for pattern in patterns:
            found.Add(pattern)
        found.Compile()
        return found

    return lambda text: compiled().Match(encode_text(text)) or () if patterns else ()


def compile_pattern(pattern: str) -> Any:
    """Compile a pattern that ignores case; ValueError says what RE2 does not support."""
    if len(pattern) > 2000:
        raise ValueError("longer than 2000 characters; make several rules of it")
    try:
        return re2.compile(pattern, _options(8 << 20))
    except re2.error as error:
        reason = error.args[0]
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"{said} (the syntax is RE2: no look-around, no backreferences)") from error


def _options(memory: int) -> Any:
    """Options for at most this many bytes of memory."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = memory
    return options


def compile_finders(patterns: Sequence[str]) -> tuple[Finder, ...]:
    """Compile the secret patterns of a settings file, which were checked when it was read."""
    return tuple(_finder(compile_pattern(pattern)) for pattern in patterns)


def _finder(compiled: Any) -> Finder:
    return lambda text: [found.span() for found in compiled.finditer(text) if found.end() > found.start()]

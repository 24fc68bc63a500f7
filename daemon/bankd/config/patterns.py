"""Patterns of rules and of secrets: compiled by RE2, which takes linear time whatever they say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache, lru_cache
from typing import Any

import re2

from bankd.pages.scanner import encode_text
from bankd.secrets.screening import Finder

_MAX_PATTERN = 2000  # characters; longer ones are split into several rules
_MAX_MEMORY = 8 << 20  # bytes that RE2 may use for one pattern
_MEMORY_TOGETHER = 256 << 20  # bytes that it may use for all: of a set it would not say that they were too few


@lru_cache(maxsize=8)
def find_together(patterns: tuple[str, ...]) -> Callable[[str], Collection[int]]:
    """Look for all patterns at once, the places of which it gives: rule by rule, a line takes a hundred looks.

    They are compiled together when a text is first asked for, and kept: the banks of a fleet have the same ones.
    """

    @cache
    def compiled() -> Any:
        found = re2.Set.SearchSet(_options(_MEMORY_TOGETHER))
        for pattern in patterns:
            found.Add(pattern)
        found.Compile()
        return found

    return lambda text: compiled().Match(encode_text(text)) or () if patterns else ()


def compile_pattern(pattern: str) -> Any:
    """Compile a pattern, upper and lower case alike; ValueError says what RE2 does not support."""
    if len(pattern) > _MAX_PATTERN:
        raise ValueError(f"longer than {_MAX_PATTERN} characters; make several rules of it")
    try:
        return re2.compile(pattern, _options(_MAX_MEMORY))
    except re2.error as error:
        reason = error.args[0]
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"{said} (the syntax is RE2: no look-around, no backreferences)") from error


def _options(memory: int) -> Any:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = memory
    return options


def compile_finders(patterns: Sequence[str]) -> tuple[Finder, ...]:
    """Compile the secret patterns of a settings file, which were looked at when it was read."""
    return tuple(_finder(compile_pattern(pattern)) for pattern in patterns)


def _finder(compiled: Any) -> Finder:
    return lambda text: [found.span() for found in compiled.finditer(text) if found.end() > found.start()]

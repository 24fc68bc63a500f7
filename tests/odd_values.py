"""JSON of any shape, made from JSON of the right one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_ODD: tuple[Any, ...] = (None, True, -1, 1e300, "", "\ud83d", "9999-12-31T23:59:59Z", [], {}, [None], [[]], {"a": [1]})


def with_one_odd(value: Any) -> Iterator[Any]:
    """A JSON value with each part of it replaced in turn, by each odd value, or left out."""
    yield from _ODD
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        rest = (
            {k: v for k, v in value.items() if k != key} if isinstance(value, dict) else value[:key] + value[key + 1 :]
        )
        yield rest
        for odd in with_one_odd(value[key]):
            yield {**value, key: odd} if isinstance(value, dict) else [*value[:key], odd, *value[key + 1 :]]

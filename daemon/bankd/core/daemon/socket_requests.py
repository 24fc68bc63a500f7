"""What each operation of the daemon's socket takes: a request is checked whole before anything of it is begun.

A search and what is related are read by the readers that every caller of them shares, `bankctl` without a daemon too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

LONGEST_WAIT = 600.0
"""Seconds that a client may have something waited for."""


class Field(NamedTuple):
    """A field of a request: what it must be, whether a value is so, and whether it must be there."""

    must_be: str
    fits: Callable[[Any], bool]
    is_needed: bool = False


def _is_wait(value: Any) -> bool:
    return type(value) in {int, float} and 0 <= value <= LONGEST_WAIT


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


_WAIT = Field(f"0 to {LONGEST_WAIT:.0f} seconds", _is_wait)
OPERATIONS: Mapping[str, Mapping[str, Field]] = {
    "search": {},
    "related": {},
    "status": {},
    "metrics": {},
    "reload": {},
    "handed over": {},
    "run": {
        "kind": Field(
            "micro or reflect", lambda value: _is_text(value) and value in {"micro", "reflect"}, is_needed=True
        ),
        "force": Field("true or false", lambda value: isinstance(value, bool)),
        "within": _WAIT,
    },
    "lend": {"within": _WAIT},
    "hook": {
        "event": Field("a text", _is_text, is_needed=True),
        "said": Field("an object", _is_object, is_needed=True),
    },
    "tool": {"name": Field("a text", _is_text, is_needed=True), "arguments": Field("an object", _is_object)},
}


def find_problems(request: Mapping[str, Any]) -> list[str]:
    """What is wrong with a request, a sentence each; empty when its operation can begin. Other fields say nothing."""
    fields = OPERATIONS.get(request["op"])
    if fields is None:
        return [f"no operation {str(request['op'])[:40]!r}; there are {', '.join(sorted(OPERATIONS))}"]
    return [
        f'"{name}" must be {field.must_be}'
        for name, field in fields.items()
        if (not field.fits(request[name]) if name in request else field.is_needed)
    ]

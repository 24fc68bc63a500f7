"""Our part in the settings files of agents: put in, taken out again, everything else left as it is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

OPENING, CLOSING = "# >>> bankd >>>", "# <<< bankd <<<"


def add_block(text: str, block: str) -> str:
    """A text with our lines at its end, between marks; what stood between such marks is replaced."""
    rest = remove_block(text)
    glue = "" if not rest or rest.endswith("\n") else "\n"
    space = "\n" if rest else ""
    return f"{rest}{glue}{space}{OPENING}\n{block.strip()}\n{CLOSING}\n"


def remove_block(text: str) -> str:
    """A text without our lines and the empty line before them."""
    before, opening, rest = text.partition(OPENING)
    _, closing, after = rest.partition(CLOSING)
    if not opening or not closing:
        return text
    before = before.removesuffix("\n") if before.endswith("\n\n") else before
    return before + after.removeprefix("\n")


def add_to_json(text: str, ours: Mapping[str, Any]) -> str:
    """JSON with our keys in it, indented as it was; the same text when they are there. ValueError for what is no object."""
    held = _object_of(text)
    merged = _merged(held, ours)
    return text if merged == held and text.strip() else _written(merged, text)


def remove_from_json(text: str, ours: Mapping[str, Any]) -> str:
    """JSON without our keys, and without the objects that they leave empty."""
    held = _object_of(text)
    rest = _without(held, ours)
    return text if rest == held else _written(rest, text)


def _object_of(text: str) -> dict[str, Any]:
    held = json.loads(text) if text.strip() else {}
    if not isinstance(held, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 -- reported like JSON that cannot be read
    return held


def _merged(held: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(held)
    for key, value in ours.items():
        inner = merged.get(key)
        merged[key] = _merged(inner if isinstance(inner, dict) else {}, value) if isinstance(value, dict) else value
    return merged


def _without(held: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    rest: dict[str, Any] = {}
    for key, value in held.items():
        mine = ours.get(key)
        if key not in ours:
            rest[key] = value
        elif isinstance(mine, dict) and isinstance(value, dict) and (inner := _without(value, mine)):
            rest[key] = inner
    return rest


def _written(value: Mapping[str, Any], like: str) -> str:
    indent = next((len(line) - len(line.lstrip(" ")) for line in like.splitlines() if line.startswith(" ")), 2)
    end = "\n" if like.endswith("\n") or not like else ""
    return json.dumps(value, ensure_ascii=False, indent=indent) + end

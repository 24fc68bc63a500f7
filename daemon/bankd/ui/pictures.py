"""Where the pictures of the page have their points; `templates/_pictures.html` draws them as SVG. Also the icons.

Colours come from the style sheet, by class, so that they follow light and dark. Each picture has a label in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from bankd.words.tables import table_rows

ICONS: Mapping[str, str] = {row[0]: row[1] for row in table_rows("icons", "ui")}
"""The drawings of the page, each the inside of an SVG of 20 by 20."""
WIDE, TALL = (720, 420), (360, 560)
"""The size of the map of pages, and that for a phone."""
OLD_DAYS = (7, 30, 90, 365)
"""A page that was not saved for this many days has the next paler colour."""
_LABEL_ROOM = 60, 26
"""Smallest width and height of a rectangle of the map that has a label."""


class CurvePoint(NamedTuple):
    """A day, a value from 0 to 1, and what happened on that day (may be empty)."""

    day: date
    value: float
    what: str


class Leaf(NamedTuple):
    """A page of the bank: path, number of memories, days since it was saved."""

    path: str
    memories: int
    age: int


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float


def place_curves(strength: Sequence[CurvePoint], value: Sequence[CurvePoint], today: date) -> dict[str, Any]:
    """The strength of a memory and the confidence of an opinion over the days, as points of a picture; empty without any."""
    points = [*strength, *value]
    if not points:
        return {}
    first, last = min(point.day for point in points), max(today, *(point.day for point in points))
    days = max(1, (last - first).days)

    def place(point: CurvePoint) -> tuple[float, float]:
        return 34 + 596 * (point.day - first).days / days, 12 + 140 * (1 - point.value)

    lines = (" ".join("{:.1f},{:.1f}".format(*place(point)) for point in line) for line in (strength, value))
    return {
        "first": first,
        "last": last,
        "now": place(CurvePoint(today, 0, ""))[0],
        "spots": [(place(one), f"{one.day}: {one.what}, {one.value:.2f}") for one in strength if one.what],
        **dict(zip(("strength", "worth"), lines, strict=True)),
    }


def place_tiles(leaves: Sequence[Leaf], size: tuple[int, int]) -> Iterator[tuple[Leaf, Box, int, str]]:
    """The pages as rectangles of a map, each with its age and the label for which there is room."""
    for leaf, box in _divide(leaves, Box(0, 0, *size)):
        label = ""
        if box.width >= _LABEL_ROOM[0] and box.height >= _LABEL_ROOM[1]:
            room, name = int((box.width - 12) / 8), leaf.path.removeprefix("bank/").removesuffix(".md")
            label = name.rpartition("/")[2] if len(name) > room else name
            label = label if len(label) <= room else label[: room - 1] + "…"
        yield leaf, box, sum(leaf.age >= days for days in OLD_DAYS), label


def _divide(leaves: Sequence[Leaf], box: Box) -> Iterator[tuple[Leaf, Box]]:
    """Divide a rectangle among pages: cut the longer side so that both parts hold about as many memories."""
    if len(leaves) <= 1:
        yield from ((leaf, box) for leaf in leaves)
        return
    whole, at, sum_ = sum(leaf.memories for leaf in leaves), 0, 0
    while at < len(leaves) - 1 and (sum_ == 0 or sum_ + leaves[at].memories <= whole / 2):
        sum_ += leaves[at].memories
        at += 1
    if box.width >= box.height:
        cut = box.width * sum_ / whole
        halves = box._replace(width=cut), box._replace(x=box.x + cut, width=box.width - cut)
    else:
        cut = box.height * sum_ / whole
        halves = box._replace(height=cut), box._replace(y=box.y + cut, height=box.height - cut)
    yield from _divide(leaves[:at], halves[0])
    yield from _divide(leaves[at:], halves[1])


def place_around(related: Sequence[Mapping[str, Any]]) -> Iterator[tuple[float, float, Mapping[str, Any]]]:
    """What is one step away, in a circle: nearer things are closer to its centre."""
    for number, one in enumerate(related):
        angle = 2 * math.pi * number / len(related) - math.pi / 2
        far = 0.45 + 0.5 * (1 - min(1.0, max(0.0, one["score"])))
        yield 360 + math.cos(angle) * far * 320, 210 + math.sin(angle) * far * 190, one

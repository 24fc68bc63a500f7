"""The pictures of the page as SVG: curves, strips of runs, the map of the bank, what is related to a memory.

Colours come from the style sheet, by class, so that they follow light and dark. Each picture has a label in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup, escape

from bankd.translate import translate

ICONS: Mapping[str, str] = dict(
    row.split("\t") for row in Path(__file__).with_name("icons.tsv").read_text("utf-8").splitlines()
)
"""The drawings of the page, each the inside of an SVG of 20 by 20."""
_WIDTH, _HEIGHT = 640, 180
_TREE = 720, 420
_TALL = 360, 560
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


class NearNode(NamedTuple):
    """A thing one step away: its id or path, its text, the tie to it, and how near it is (0 to 1)."""

    id: str
    text: str
    tie: str
    score: float


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float


def _svg(
    size: tuple[float, float],
    label: str,
    parts: Iterator[Markup],
    cls: str = "fig",
    *,
    has_links: bool = False,
    is_stretched: bool = False,
) -> Markup:
    role = "group" if has_links else "img"
    head = Markup('<svg class="{}" viewBox="0 0 {} {}" role="{}" aria-label="{}"').format(cls, *size, role, label)
    head += Markup(' preserveAspectRatio="none">') if is_stretched else Markup(">")
    return head + Markup("").join(parts) + Markup("</svg>")


def draw_curve(strength: Sequence[CurvePoint], value: Sequence[CurvePoint], today: date, language: str) -> Markup:
    """Draw the strength of a memory and the confidence of an opinion over the days; empty without points."""
    points = [*strength, *value]
    if not points:
        return Markup("")
    first, last = min(point.day for point in points), max(today, *(point.day for point in points))
    days = max(1, (last - first).days)

    def place(point: CurvePoint) -> tuple[float, float]:
        return 34 + (_WIDTH - 44) * (point.day - first).days / days, 12 + (_HEIGHT - 40) * (1 - point.value)

    def parts() -> Iterator[Markup]:
        for share in (0, 0.5, 1):
            y = 12 + (_HEIGHT - 40) * (1 - share)
            yield Markup('<line class="axis" x1="34" x2="{}" y1="{}" y2="{}"/>').format(_WIDTH - 10, y, y)
            yield Markup('<text x="4" y="{}">{}</text>').format(y + 4, f"{share:.1f}")
        for x, anchor, day in ((34, "start", first), (_WIDTH - 10, "end", last)):
            yield Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(x, _HEIGHT - 8, anchor, day)
        now = place(CurvePoint(today, 0, ""))[0]
        yield Markup('<line class="today" x1="{0:.1f}" x2="{0:.1f}" y1="12" y2="{1}"/>').format(now, _HEIGHT - 28)
        for name, line in (("worth", value), ("strength", strength)):
            path = " ".join("{:.1f},{:.1f}".format(*place(point)) for point in line)
            yield Markup('<polyline class="{}" points="{}"/>').format(name, path)
        for point in strength:
            if point.what:
                title = f"{point.day}: {point.what}, {point.value:.2f}"
                spot = Markup('<circle class="spot" cx="{:.1f}" cy="{:.1f}" r="3.5"><title>{}</title></circle>')
                yield spot.format(*place(point), title)

    return _svg((_WIDTH, _HEIGHT), translate("Strength and confidence over the days", korean=language == "ko"), parts())


def draw_runs(days: Sequence[tuple[date, Sequence[Mapping[str, Any]]]], language: str) -> Markup:
    """Draw runs, one column a day: its height is the number of runs; red if one failed, hollow if none ran."""
    most = max((len(runs) for _, runs in days), default=1) or 1
    width = 640 / max(1, len(days))

    def parts() -> Iterator[Markup]:
        for number, (day, runs) in enumerate(days):
            bad = sum(run.get("status") in {"failed", "refused"} for run in runs)
            kind = "bad" if bad else "did" if any(run.get("status") == "changed" for run in runs) else "quiet"
            height = 8 + 52 * len(runs) / most if runs else 3
            place = Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2">')
            yield place.format(kind if runs else "none", number * width + 1, 64 - height, width - 2, height)
            title = f"{day}: {len(runs)}" + (f" ({bad} failed)" if bad else "")
            yield Markup("<title>{}</title></rect>").format(title)

    return _svg(
        (640, 66), translate("Runs of the last weeks, a column a day", korean=language == "ko"), parts(), "strip"
    )


def draw_ages(counts: Sequence[int], language: str) -> Markup:
    """Draw how many memories are of each age, fresh ones first, as one bar."""
    whole = sum(counts) or 1

    def parts() -> Iterator[Markup]:
        for age, count in enumerate(counts):
            x, width = 640 * sum(counts[:age]) / whole, 640 * count / whole - 1
            if count:
                yield Markup('<rect class="a{}" x="{:.1f}" width="{:.1f}" height="8"/>').format(age, x, max(width, 2))

    return _svg((640, 8), translate("Memories by age", korean=language == "ko"), parts(), is_stretched=True)


def draw_tree(leaves: Sequence[Leaf], bank: str, language: str, *, is_tall: bool = False) -> Markup:
    """Draw the pages as rectangles, wide or for a phone: the area is the number of memories; ink tells the age."""
    folder, size = quote(bank, safe=""), _TALL if is_tall else _TREE

    def parts() -> Iterator[Markup]:
        for leaf, box in divide(leaves, Box(0, 0, *size)):
            age, title = sum(leaf.age >= days for days in OLD_DAYS), f"{leaf.path}: {leaf.memories}, {leaf.age} d"
            yield Markup('<a href="/{}/page?path={}" aria-label="{}">').format(folder, quote(leaf.path), title)
            rect = Markup('<rect class="a{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>')
            yield rect.format(age, box.x + 1, box.y + 1, max(0.0, box.width - 2), max(0.0, box.height - 2))
            yield Markup("<title>{}</title>").format(title)
            if box.width >= _LABEL_ROOM[0] and box.height >= _LABEL_ROOM[1]:
                room, name = int((box.width - 12) / 8), leaf.path.removeprefix("bank/").removesuffix(".md")
                text = name.rpartition("/")[2] if len(name) > room else name
                text = text if len(text) <= room else text[: room - 1] + "…"
                spot = Markup('<text class="t z2 on{}" x="{:.1f}" y="{:.1f}">{}</text>')
                yield spot.format(age, box.x + 8, box.y + 20, text)
                if box.height > 2 * _LABEL_ROOM[1]:
                    yield Markup('<text class="m on{}" x="{:.1f}" y="{:.1f}">{}</text>').format(
                        age, box.x + 8, box.y + 38, leaf.memories
                    )
            yield Markup("</a>")

    label = translate("The pages of the bank by size and age", korean=language == "ko")
    return _svg(size, label, parts(), f"fig tree {'tall' if is_tall else 'wide'}", has_links=True)


def divide(leaves: Sequence[Leaf], box: Box) -> Iterator[tuple[Leaf, Box]]:
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
    yield from divide(leaves[:at], halves[0])
    yield from divide(leaves[at:], halves[1])


def draw_graph(center: str, around: Sequence[NearNode], bank: str, language: str) -> Markup:
    """Draw what is one step away: nearer things are closer to the centre. Numbers are those of the list beside it."""
    middle_x, middle_y, folder = _TREE[0] / 2, _TREE[1] / 2, quote(bank, safe="")

    def spot(number: int, score: float) -> tuple[float, float]:
        angle = 2 * math.pi * number / max(1, len(around)) - math.pi / 2
        far = 0.45 + 0.5 * (1 - min(1.0, max(0.0, score)))
        return middle_x + math.cos(angle) * far * 320, middle_y + math.sin(angle) * far * 190

    def parts() -> Iterator[Markup]:
        spots = [spot(number, one.score) for number, one in enumerate(around)]
        for x, y in spots:
            yield Markup('<line class="tie" x1="{}" y1="{}" x2="{:.1f}" y2="{:.1f}"/>').format(middle_x, middle_y, x, y)
        for number, (one, (x, y)) in enumerate(zip(around, spots, strict=True), 1):
            title = f"{one.tie}: {one.text[:160]}"
            yield Markup('<a href="/{}/map?around={}" aria-label="{}">').format(folder, quote(one.id), title)
            yield Markup('<title>{}</title><circle class="node" cx="{:.1f}" cy="{:.1f}" r="15"/>').format(title, x, y)
            yield Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text></a>').format(x, y + 5, number)
        last = Markup('<circle class="center" cx="{}" cy="{}" r="9"><title>{}</title></circle>')
        yield last.format(middle_x, middle_y, escape(center))

    label = translate("What is around it, the nearer the closer", korean=language == "ko")
    return _svg(_TREE, label, parts(), "fig graph", has_links=True)

"""Pictures that say more than words, as SVG made here: curves, strips of runs, the map of the bank, what is around a memory.

Colours are those of the style sheet, by class, so that they follow light and dark; every picture says in words what it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup, escape

from bankd.ui.words import translate

_WIDTH, _HEIGHT = 640, 180
_TREE = 720, 420
_OLD_DAYS = (7, 30, 90, 365)
"""Days from which on a page is drawn in the next older colour."""
_LABEL_ROOM = 60, 26
"""A rectangle of the map that is smaller has no label."""


class CurvePoint(NamedTuple):
    """A day, a value from 0 to 1, and what happened; empty for nothing."""

    day: date
    value: float
    what: str


class Leaf(NamedTuple):
    """A page of the bank: its path, how many memories it holds, and how many days ago it was saved."""

    path: str
    memories: int
    age: int


class NearNode(NamedTuple):
    """What is one step away: its id or path, its text, the tie, and how near it is, 0 to 1."""

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


def _svg(size: tuple[float, float], label: str, parts: Iterator[Markup], *, has_links: bool = False) -> Markup:
    role = "group" if has_links else "img"
    head = Markup('<svg viewBox="0 0 {} {}" role="{}" aria-label="{}">').format(*size, role, label)
    return head + Markup("").join(parts) + Markup("</svg>")


def draw_curve(strength: Sequence[CurvePoint], value: Sequence[CurvePoint], today: date, language: str) -> Markup:
    """How strong a memory was and what an opinion is worth over the days; empty where nothing is known of either."""
    points = [*strength, *value]
    if not points:
        return Markup("")
    first, last = min(point.day for point in points), max(today, *(point.day for point in points))
    days = max(1, (last - first).days)

    def place(point: CurvePoint) -> tuple[float, float]:
        return 34 + (_WIDTH - 44) * (point.day - first).days / days, 12 + (_HEIGHT - 40) * (1 - point.value)

    def parts() -> Iterator[Markup]:
        yield from _axes(first, last)
        now = place(CurvePoint(today, 0, ""))[0]
        yield Markup('<line class="now" x1="{0:.1f}" x2="{0:.1f}" y1="12" y2="{1}"/>').format(now, _HEIGHT - 28)
        for name, line in (("value", value), ("strength", strength)):
            path = " ".join("{:.1f},{:.1f}".format(*place(point)) for point in line)
            yield Markup('<polyline class="line {}" points="{}"/>').format(name, path)
        for point in strength:
            if point.what:
                title = f"{point.day}: {point.what}, {point.value:.2f}"
                spot = Markup('<circle class="spot" cx="{:.1f}" cy="{:.1f}" r="3.5"><title>{}</title></circle>')
                yield spot.format(*place(point), title)

    return _svg((_WIDTH, _HEIGHT), translate("Strength and confidence over the days", language), parts())


def _axes(first: date, last: date) -> Iterator[Markup]:
    for share in (0, 0.5, 1):
        y = 12 + (_HEIGHT - 40) * (1 - share)
        yield Markup('<line class="axis" x1="34" x2="{}" y1="{}" y2="{}"/>').format(_WIDTH - 10, y, y)
        yield Markup('<text x="4" y="{}">{}</text>').format(y + 4, f"{share:.1f}")
    for x, anchor, day in ((34, "start", first), (_WIDTH - 10, "end", last)):
        yield Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(x, _HEIGHT - 8, anchor, day)


def draw_runs(days: Sequence[tuple[date, Sequence[Mapping[str, Any]]]], language: str) -> Markup:
    """The runs of some weeks: a column a day, as high as there were runs, red where one went wrong, hollow where none ran."""
    most = max((len(runs) for _, runs in days), default=1) or 1
    width = 640 / max(1, len(days))

    def parts() -> Iterator[Markup]:
        for number, (day, runs) in enumerate(days):
            bad = sum(run.get("status") in {"failed", "refused"} for run in runs)
            kind = "failed" if bad else "changed" if any(run.get("status") == "changed" for run in runs) else "idle"
            height = 8 + 52 * len(runs) / most if runs else 3
            box = Markup(
                '<rect class="run {}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2"><title>{}</title></rect>'
            )
            title = f"{day}: {len(runs)}" + (f" ({bad} failed)" if bad else "")
            yield box.format(kind if runs else "none", number * width + 1, 64 - height, width - 2, height, title)

    return _svg((640, 66), translate("Runs of the last weeks, a column a day", language), parts())


def draw_tree(leaves: Sequence[Leaf], bank: str, language: str) -> Markup:
    """The pages of the bank as rectangles, as large as they hold memories, the paler the longer nobody saved them."""

    def parts() -> Iterator[Markup]:
        for leaf, box in divide(leaves, Box(0, 0, *_TREE)):
            yield _rectangle(leaf, box, bank)

    return _svg(_TREE, translate("The pages of the bank by size and age", language), parts(), has_links=True)


def _rectangle(leaf: Leaf, box: Box, bank: str) -> Markup:
    age = sum(leaf.age >= days for days in _OLD_DAYS)
    title = f"{leaf.path}: {leaf.memories}, {leaf.age} d"
    head = Markup('<a href="/{}/file?path={}" aria-label="{}">').format(quote(bank, safe=""), quote(leaf.path), title)
    rect = Markup('<rect class="page age-{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>')
    shape = rect.format(age, box.x + 1, box.y + 1, max(0.0, box.width - 2), max(0.0, box.height - 2))
    return head + shape + Markup("<title>{}</title>").format(title) + _label(leaf, box) + Markup("</a>")


def _label(leaf: Leaf, box: Box) -> Markup:
    if box.width < _LABEL_ROOM[0] or box.height < _LABEL_ROOM[1]:
        return Markup("")
    room = int((box.width - 10) / 8)
    name = leaf.path.removeprefix("bank/").removesuffix(".md")
    text = name if len(name) <= room else "…" + name[len(name) - room + 1 :]
    return Markup('<text x="{:.1f}" y="{:.1f}">{}</text>').format(box.x + 6, box.y + 18, text)


def divide(leaves: Sequence[Leaf], box: Box) -> Iterator[tuple[Leaf, Box]]:
    """Divide a rectangle among pages by their memories: halves of about the same sum, along the longer side."""
    if len(leaves) == 1:
        yield leaves[0], box
    if len(leaves) <= 1:
        return
    whole, at, sum_ = sum(leaf.memories for leaf in leaves), 0, 0
    while at < len(leaves) - 1 and (sum_ == 0 or sum_ + leaves[at].memories <= whole / 2):
        sum_ += leaves[at].memories
        at += 1
    share = sum_ / whole
    if box.width >= box.height:
        cut = box.width * share
        halves = box._replace(width=cut), box._replace(x=box.x + cut, width=box.width - cut)
    else:
        cut = box.height * share
        halves = box._replace(height=cut), box._replace(y=box.y + cut, height=box.height - cut)
    yield from divide(leaves[:at], halves[0])
    yield from divide(leaves[at:], halves[1])


def draw_graph(center: str, around: Sequence[NearNode], bank: str, language: str) -> Markup:
    """What is one step away from something, the nearer the closer, in the order of the list beside it."""
    middle_x, middle_y = _TREE[0] / 2, _TREE[1] / 2

    def parts() -> Iterator[Markup]:
        spots = [_spot(number, len(around), one.score) for number, one in enumerate(around)]
        for x, y in spots:
            yield Markup('<line class="tie" x1="{}" y1="{}" x2="{:.1f}" y2="{:.1f}"/>').format(middle_x, middle_y, x, y)
        for number, (one, (x, y)) in enumerate(zip(around, spots, strict=True), 1):
            title = f"{one.tie}: {one.text[:160]}"
            link = Markup('<a href="/{}/map?around={}" aria-label="{}">').format(
                quote(bank, safe=""), quote(one.id), title
            )
            node = Markup(
                '<circle class="node" cx="{0:.1f}" cy="{1:.1f}" r="15"/><text x="{0:.1f}" y="{2:.1f}" text-anchor="middle">{3}</text>'
            )
            yield link + Markup("<title>{}</title>").format(title) + node.format(x, y, y + 5, number) + Markup("</a>")
        yield Markup('<circle class="center" cx="{}" cy="{}" r="9"><title>{}</title></circle>').format(
            middle_x, middle_y, escape(center)
        )

    return _svg(_TREE, translate("What is around it, the nearer the closer", language), parts(), has_links=True)


def _spot(number: int, of: int, score: float) -> tuple[float, float]:
    angle, far = 2 * math.pi * number / max(1, of) - math.pi / 2, 0.45 + 0.5 * (1 - min(1.0, max(0.0, score)))
    return _TREE[0] / 2 + math.cos(angle) * far * 320, _TREE[1] / 2 + math.sin(angle) * far * 190

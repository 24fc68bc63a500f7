"""The data of a search: its settings, queries and answers; and queries as programs send them, as JSON objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any, NamedTuple

from bankd.errors import UsageError
from bankd.pages.text import readable_text
from bankd.words.analysis import has_hangul
from bankd.words.days import Span, label_of, on, read_days, read_iso_moment


class Filters(NamedTuple):
    """Conditions that answers must meet; empty ones let everything through."""

    tags: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    min_confidence: int | None = None
    """The least confidence, in hundredths, on the day of the query."""
    known_on: date | None = None
    """Only memories learned by this day, or without a day."""


GROUPS = {"bank": "bank", "logs": "memory", "archive": "archive"}
"""The groups of an answer in order, each with its folder in the workspace."""


class Query(NamedTuple):
    """A question, the number of answers, and their conditions; with `everything` also answers below the floor.

    `margin` is the factor on the floor, for answers that nobody asked for.

    `groups` are the groups to ask; if empty, the bank answers, and the others add what it does not say.
    """

    text: str
    limit: int = 10
    filters: Filters = Filters()
    everything: bool = False
    margin: float = 1.0
    today: date = date.min
    """The day on which it is asked."""
    groups: tuple[str, ...] = ()
    timeline: bool = False
    """Whether all memories of the days in the filters are wanted, in order of days: a timeline."""
    is_korean: bool | None = None
    """Whether the reader reads Korean; None if the language of the question decides."""
    by_page: bool = False
    """Whether pages are wanted instead of memories; then `limit` counts pages."""
    is_past: bool = False
    """Whether the bank of an earlier day is asked: what left it since was there, so the archive comes before the logs."""
    see_also: bool = True
    """Whether what belongs to an answer may stand beside it."""
    project: str = ""
    """The project in which the question is asked: memories of other projects are left out."""
    least: float = 1.0
    """The evidence that an answer beside the best one needs, in floors. Long passages of logs seldom have it."""
    is_limited: bool = False
    """Whether exactly `limit` answers are wanted, also those far below the best."""
    is_typing: bool = False
    """Whether the last word is still being typed and may become a longer one."""

    @property
    def reads_korean(self) -> bool:
        """Whether the reader reads Korean."""
        return has_hangul(self.text) if self.is_korean is None else self.is_korean


class FoundRow(NamedTuple):
    """A memory as the index keeps it for showing; `hundredths` is its confidence as written on `day`."""

    row: int
    path: str
    """The page below its folder; in a fleet with the name of its bank and a colon before it."""
    line: int
    id: str | None
    tag: str | None
    hundredths: int | None
    day: date | None
    entities: tuple[str, ...]
    heading: tuple[str, ...]
    text: str
    learned: date | None = None
    """The day of its log."""
    about: tuple[Span, ...] = ()
    """The days that it speaks of."""
    changed: date | None = None
    """When it was last confirmed or superseded."""
    is_text: bool = False
    """Whether it is a table row, code or a property, not a memory."""
    mentions: tuple[str, ...] = ()
    """What it links to and was made of, as `layouts.links` writes it."""


class Hit(NamedTuple):
    """A memory found: its place, its text, and the parts of its score."""

    path: str
    line: int
    heading: tuple[str, ...]
    id: str | None
    tag: str | None
    text: str
    score: float
    parts: dict[str, float]
    marks: tuple[tuple[int, int], ...] = ()
    """Spans of the text that hold words of the query."""
    superseded_by: str | None = None
    """The id of the memory that replaces it."""
    learned: date | None = None
    about: tuple[Span, ...] = ()
    changed: date | None = None
    group: str = "bank"
    became: str | None = None
    """For a log line or an archived memory: what became of it, in words."""
    supersedes: tuple[str, ...] = ()
    """The ids of the older memories that it replaces."""
    contradicts: tuple[str, ...] = ()
    """The ids of memories with another value for the same thing, when it is not known which is newer."""
    like_it: tuple[str, ...] = ()
    """The ids of near-copies that were found too and are folded into it."""
    row: int = 0
    """Its number in the index of its group."""
    mentions: tuple[str, ...] = ()
    """What it links to and was made of, as `layouts.links` writes it."""
    entities: tuple[str, ...] = ()
    """Whom or what it is about, by their slugs."""
    projects: tuple[str, ...] = ()
    """The folders of its projects; empty if it holds everywhere."""
    is_doubted: bool = False
    """Whether what replaces it waits in the review, so that it may be out of date."""
    is_close: bool = False
    """Whether another answer is close to it, so that the day on which it was said matters."""

    @property
    def days(self) -> Span | None:
        """Its days: those that it speaks of, else the one on which it was learned."""
        return self.about[0] if self.about else on(self.learned) if self.learned else None

    def as_json(self, today: date, *, is_korean: bool) -> dict[str, Any]:
        """The object that `--json` prints, with days seen from today, in Korean or English."""
        inner, folded = {"row", "mentions", "is_close"}, len(self.like_it)
        shown = {name: list(one) if isinstance(one, tuple) else one for name, one in self._asdict().items()}
        learned, changed = (day.isoformat() if day else None for day in (self.learned, self.changed))
        return {name: one for name, one in shown.items() if name not in inner} | {
            "score": round(self.score, 4),
            "parts": {name: round(part, 4) for name, part in self.parts.items()},
            "marks": [list(mark) for mark in self.marks],
            "when": label_of(self.days, today, is_korean=is_korean) if self.days else "",
            "about": [[first.isoformat(), last.isoformat()] for first, last in self.about],
            "learned": learned,
            "said": learned if self.is_close else None,
            "changed": changed,
            "folded": (f"비슷한 것 {folded}개 더" if is_korean else f"+{folded} like it") if folded else "",
        }


class Freshness(NamedTuple):
    """How current the index is: pages not read yet, when it last changed, and who keeps it up to date."""

    pending: int
    updated: str | None
    """ISO 8601, when the index last took in a change; None when it never did."""
    daemon: bool
    provisional: int = 0
    """Pages read with the lexicon only, which wait for the morphological analyser."""
    note: str = ""
    meaning: str = "off"
    """The state of search by meaning: off, on, how many memories have vectors, or why it was not used."""


class KeptAnswer(NamedTuple):
    """An answer that was given a short while ago: its day, and the ids of the memories, best first."""

    day: date
    memories: Sequence[str]


class Answer(NamedTuple):
    """The hits of a query over one state of the index, group by group, best first in each."""

    query: str
    generation: int
    fresh: Freshness
    hits: tuple[Hit, ...]
    today: date = date.min
    """The day on which it was given."""
    is_korean: bool = False
    see_also: tuple[dict[str, Any], ...] = ()
    """Memories related to the best hit of the bank that are not hits themselves, as `--json` prints them."""
    left_off: int = 0
    """How many more memories the asked days have."""
    nearest: tuple[Hit, ...] = ()
    """If there is no hit: the nearest memories and passages of logs, which may be about something else."""

    def as_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "query": self.query,
            "generation": self.generation,
            "fresh": self.fresh._asdict(),
            "hits": [hit.as_json(self.today, is_korean=self.is_korean) for hit in self.hits],
            "see_also": list(self.see_also),
            "left_off": self.left_off,
            "nearest": [hit.as_json(self.today, is_korean=self.is_korean) for hit in self.nearest],
        }


def read_request(request: Mapping[str, Any], today: date) -> Query:
    """Read a query and its options from JSON; `day` counts if it names none. UsageError names every option that cannot be read."""
    problems: list[str] = []
    given = _given(request, problems)
    tags, nodes, entities, groups = (_texts(request, name, problems) for name in ("tags", "nodes", "entities", "in"))
    problems += [f"in: {_shortly(group)} is not one of {', '.join(GROUPS)}" for group in groups if group not in GROUPS]
    moment = read_iso_moment(given.get("now", ""))
    if given.get("now") and moment is None:
        problems.append(f"now: {_shortly(given['now'])} is not a day such as 2026-05-02")
    today = moment.date() if moment else today
    since, until, on, as_of = (read_span(given, name, today, problems) for name in ("since", "until", "on", "as_of"))
    if on and (since or until):
        problems.append("on: stands alone, without since or until")
    if since and until and since.first > until.last:
        problems.append("since: is later than until; the earlier day comes first")
    first, last = on or since, on or until
    confidence = _number(request, "min_confidence", 0, 1, problems)
    margin = _number(request, "margin", 0.01, 100, problems)
    filters = Filters(
        tuple(tag.upper() for tag in tags),
        tuple(filter(None, (node.strip("/") for node in nodes))),
        tuple(entity.lstrip("@") for entity in entities),
        first.first if first else None,
        last.last if last else None,
        None if confidence is None else round(confidence * 100),
        as_of.last if as_of else moment and today,
    )
    asked, limit = readable_text(given.get("query", ""))[:4_000], given.get("limit")
    switches = {name: given.get(name, False) for name in ("everything", "timeline", "by_page", "is_typing")}
    if not (asked.strip() or switches["timeline"] or as_of or filters != Filters(known_on=filters.known_on)):
        problems.append("say what to search for")
    if problems:
        raise UsageError(*problems)
    return Query(
        asked,
        number_of_hits(limit),
        filters,
        margin=1.0 if margin is None else margin,
        today=today,
        groups=tuple(groups),
        is_past=as_of is not None,
        is_korean=given.get("is_korean"),
        see_also=given.get("see_also", True),
        project=given.get("project", ""),
        is_limited=(limit is not None and not given.get("trim")) or switches["by_page"] or switches["timeline"],
        **switches,
    )


def number_of_hits(limit: int | None) -> int:
    """How many answers are wanted: ten by default; 0 means as many as allowed."""
    wanted = 10 if limit is None else limit or _MOST
    return max(1, min(wanted, _MOST))


_MOST = 100
"""The most answers of one request."""
_NAMES: Mapping[type, str] = {str: "a text", int: "a whole number", bool: "true or false"}
_KINDS: Mapping[str, type] = {
    **dict.fromkeys(("query", "project", "now", "since", "until", "on", "as_of"), str), "limit": int,
    **dict.fromkeys(("everything", "keep", "timeline", "is_korean", "by_page", "is_typing", "trim", "see_also"), bool),
}  # fmt: skip
"""The fields that have one value; `keep` is read by the one who answers."""


def _given(request: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    """The fields that have one value, as far as they are there and of their kind."""
    there = {name: request[name] for name in _KINDS if request.get(name) is not None}
    wrong = [name for name, value in there.items() if type(value) is not _KINDS[name]]
    problems += [f"{name}: {_shortly(there.pop(name))} is not {_NAMES[_KINDS[name]]}" for name in wrong]
    if there.get("limit", 0) < 0:
        problems.append(f"limit: {_shortly(there['limit'])} is below 0, which is for all")
    return there


def _texts(request: Mapping[str, Any], name: str, problems: list[str]) -> list[str]:
    value = request.get(name) or []
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [readable_text(one) for one in value]
    problems.append(f"{name}: {_shortly(value)} is not a list of texts")
    return []


_UNDERSTOOD = "understood are such as 2026-05-02, 2026-05, 2026, yesterday, last week, 3 days ago, 어제, 지난주, 3일 전"


def read_span(given: Mapping[str, Any], name: str, today: date, problems: list[str]) -> Span | None:
    """The span of a day, month or year in figures or words; None if the field is missing."""
    value = given.get(name)
    span = read_days(readable_text(value), today) if value else None
    if value and not span:
        problems.append(f"{name}: {_shortly(value)} is not a day, or days\n{_UNDERSTOOD}")
    return span


def _number(request: Mapping[str, Any], name: str, least: float, most: float, problems: list[str]) -> float | None:
    """A number of this range; None if the field is missing."""
    value = request.get(name)
    if value is None:
        return None
    with suppress(ValueError):
        if least <= (number := float(str(value))) <= most:
            return number
    problems.append(f"{name}: {_shortly(value)} is not between {least} and {most}")
    return None


def _shortly(value: object) -> str:
    return readable_text(str(value))[:40]

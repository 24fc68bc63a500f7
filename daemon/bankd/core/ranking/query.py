"""What is asked, what is answered, and how a query is told from another."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from datetime import date
from typing import Any, NamedTuple


class Filters(NamedTuple):
    """What an answer must be; an empty one lets everything through."""

    tags: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    min_confidence: int | None = None
    """Hundredths, as the confidence is on the day of the query."""


class Query(NamedTuple):
    """A question, how many answers it wants, and what they must be; `everything` asks for those below the floor too.

    Of an answer that nobody asked for, `margin` says how many times the floor it must reach.
    """

    text: str
    limit: int = 10
    filters: Filters = Filters()
    everything: bool = False
    margin: float = 1.0


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

    def as_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
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
        }


class Freshness(NamedTuple):
    """How far the index can be trusted: pages it has not read yet, when it last changed, and who keeps it."""

    pending: int
    updated: str | None
    """ISO 8601, when the index last took in a change; None when it never did."""
    daemon: bool
    provisional: int = 0
    """Pages read with the lexicon only, which wait for the morphological analyser."""
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """The object under `fresh` in an answer."""
        return {
            "pending": self.pending,
            "updated": self.updated,
            "daemon": self.daemon,
            "provisional": self.provisional,
            "note": self.note,
        }


class Answer(NamedTuple):
    """The hits of a query, best first, over one state of the index."""

    query: str
    generation: int
    fresh: Freshness
    hits: tuple[Hit, ...]

    def as_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "query": self.query,
            "generation": self.generation,
            "fresh": self.fresh.as_json(),
            "hits": [hit.as_json() for hit in self.hits],
        }

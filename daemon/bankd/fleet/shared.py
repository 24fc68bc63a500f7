"""Several banks of a fleet as one index, over the tables of the database, so that the ranking of a bank's search works.

Three parts: the postings (which memories have a term, and BM25 over them), the index, and the sentence vectors. A number
of a memory or page is that of the bank's own index with the bank's number before it; a path has the name of its bank
before a colon.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from bankd.errors import UserError
from bankd.fleet.registry import FleetDatabase
from bankd.fleet.writer import KINDS
from bankd.index.rows import candidate_of, found_row_of
from bankd.index.terms import asked_terms
from bankd.search.find import KnownRelations, StoredPair, StoredRelations
from bankd.search.request import Filters, FoundRow
from bankd.search.score import Candidate, Corpus, Usage, Vocabulary, idf
from bankd.words.days import Span
from bankd.workers.vector_store import usual_cosines
from bankd.workers.vectors import SentenceVectors

if TYPE_CHECKING:
    from bankd.fleet.opensearch import OpenSearchPostings


_SHIFT = 32
_ROW, _PAGE = (f"(bank::bigint << {_SHIFT}) + {column}" for column in ("row", "page"))
"""The number of a memory, or of a page, among those of all banks."""
_SCORED = f"{_ROW}, {_PAGE}, place, sentences, heading_terms, entities, denies, asked"
_SHOWN = (
    f"{_ROW}, (SELECT path FROM shared_pages WHERE (bank, page) = (shared_memories.bank, shared_memories.page)), "  # noqa: S608
    "line, id, tag, hundredths, day, entities, heading, text, learned, about, changed, is_text, mentions"
)
_FIND = """
WITH asked AS (SELECT * FROM unnest(%s::smallint[], %s::text[], %s::float8[], %s::float8[]) AS asked (kind, term, idf, mean))
SELECT {number} FROM (
    SELECT bank, row, sum(idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))) AS score
    FROM shared_postings JOIN asked USING (kind, term), unnest(rows, counts, lengths) AS posting (row, times, length)
    WHERE {scope} GROUP BY bank, row
) AS scored """
"""BM25 with k1 = 1.2 and b = 0.75, as tantivy has it."""


class AskedTerm(NamedTuple):
    """A term to look for: its kind, its weight (BM25's idf), and the mean number of terms of that kind in a memory."""

    kind: int
    term: str
    weight: float
    mean: float


class BankScope(NamedTuple):
    """Which banks a query is about, as a condition with one value. All readable banks need no list, which would cost planning."""

    condition: str
    value: object


ScopedPostings: TypeAlias = "PostgresPostings | OpenSearchPostings"
"""The postings of some banks."""


class PostgresPostings:
    """The postings in the tables of the database, read within a snapshot."""

    def __init__(self, database: FleetDatabase, scope: BankScope) -> None:
        """Take the database and the banks."""
        self._database = database
        self._scope, self._banks = scope

    def frequencies(self, terms: Sequence[str]) -> Iterable[tuple[str, int, int]]:
        """For each of these terms: term, kind, number of memories that have it."""
        query = (
            f"SELECT term, kind, sum(many) FROM shared_postings WHERE term = ANY(%s) AND {self._scope} "  # noqa: S608
            "GROUP BY term, kind"
        )
        return ((term, kind, int(many)) for term, kind, many in self._database.rows(query, list(terms), self._banks))

    def beginning(self, letters: str) -> Sequence[str]:
        """The terms that begin with these letters, common ones first."""
        query = (
            f"SELECT term FROM shared_postings WHERE kind = 0 AND term >= %s AND term < %s AND {self._scope} "  # noqa: S608
            "GROUP BY term ORDER BY sum(many) DESC, term"
        )
        return [term for (term,) in self._database.rows(query, letters, letters + "\U0010ffff", self._banks)]

    def best(self, asked: Sequence[AskedTerm], filters: Filters, limit: int) -> Sequence[int]:
        """The numbers of the memories that match best by BM25 and pass the filters, best first."""
        columns = [list(column) for column in zip(*asked, strict=True)]
        where, values = conditions_of(filters)
        only = f"JOIN shared_memories USING (bank, row) WHERE {where}" if where else ""
        find = _FIND.format(number=_ROW, scope=self._scope)
        query = f"{find} {only} ORDER BY score DESC, bank, row LIMIT %s"
        return [number for (number,) in self._database.rows(query, *columns, self._banks, *values, limit)]


_OF_DAYS = "(EXISTS (SELECT FROM unnest(days) AS day WHERE day BETWEEN %s AND %s) OR learned BETWEEN %s AND %s)"
"""A condition on days: a memory belongs to the days that its text names, and to the day of its log."""


def _days_between(first: date, last: date) -> list[Any]:
    return [first.toordinal(), last.toordinal(), first.isoformat(), last.isoformat()]


def conditions_of(filters: Filters) -> tuple[str, list[Any]]:
    """The filters as SQL over `shared_memories`, with its values."""
    parts: list[tuple[str, list[Any]]] = []
    if filters.tags:
        parts.append(("tag = ANY(%s)", [list(filters.tags)]))
    if filters.nodes:
        parts.append(("nodes && %s", [list(filters.nodes)]))
    if filters.entities:
        parts.append(("names && %s", [[entity.casefold() for entity in filters.entities]]))
    if filters.since or filters.until:
        parts.append((_OF_DAYS, _days_between(filters.since or date.min, filters.until or date.max)))
    if filters.known_on:
        parts.append(("(learned IS NULL OR learned <= %s)", [filters.known_on.isoformat()]))
    return " AND ".join(part for part, _ in parts), [value for _, values in parts for value in values]


_ANY = Filters()


def _with_numbers(table: str, column: str) -> str:
    """A table joined with asked numbers, for `_columns_of`; more conditions may follow."""
    return (
        f"{table} JOIN unnest(%s::integer[], %s::bigint[]) AS asked (bank, {column}) USING (bank, {column}) WHERE true"
    )


def _columns_of(numbers: Iterable[int]) -> tuple[list[int], ...]:
    """Numbers of memories or pages as two columns: banks, and numbers within the bank."""
    pairs = [divmod(number, 1 << _SHIFT) for number in numbers]
    return [bank for bank, _ in pairs], [one for _, one in pairs]


class SharedIndex:
    """One state of some banks, as an `IndexView`; asked within one transaction."""

    generation = 0

    def __init__(
        self,
        database: FleetDatabase,
        names: Collection[str],
        postings_of: Callable[[Sequence[int], BankScope], ScopedPostings],
    ) -> None:
        """Take the database, the names of the banks to ask (none: all readable ones), and what gives their postings.

        UserError for a bank that is not there or may not be read.
        """
        self.rows = self.terms = self  # both are tables of one database
        self._database = database
        query = "SELECT bank, name, updated, memories, words, lengths, meaning, vectors FROM shared_banks"
        found = database.rows(f"{query} WHERE name = ANY(%s)", list(names)) if names else database.rows(query)
        if missing := set(names) - {row[1] for row in found}:
            said = "the shared search has no such bank, or you may not read it"
            raise UserError(*(f"{name}: {said}" for name in sorted(missing)))
        self.numbers = banks = [row[0] for row in found]
        scope = BankScope("bank > %s", 0)
        if names:
            scope = BankScope("bank = %s", banks[0]) if len(banks) == 1 else BankScope("bank = ANY(%s)", banks)
        self._scope, self._banks = scope
        self._postings = postings_of(banks, scope)
        self._names = {row[0]: row[1] for row in found}
        self.updated: str | None = min((row[2] for row in found), default=None)
        memories, words = (sum(row[at] for row in found) for at in (3, 4))
        count = memories or 1
        self.corpus = Corpus(memories, words / count)
        self._means = [max(sum(row[5][kind] for row in found) / count, 1e-9) for kind in range(len(KINDS))]
        self._models, self._vectors = {row[6] for row in found}, sum(row[7] for row in found)
        self._frequencies: dict[str, dict[str, int]] = {}
        self._readings: dict[str, Sequence[str] | None] = {}

    def expect(self, runs: Collection[str], terms: Collection[str]) -> None:
        """Read at once how runs were analysed and how frequent terms are; else each would be a query of its own."""
        self._learn_readings([run for run in runs if run not in self._readings])
        read = (term for run in runs for term in self._readings[run] or ())
        self._learn_frequencies([term for term in {*terms, *read} if term not in self._frequencies])

    def _learn_readings(self, runs: Sequence[str]) -> None:
        """If banks read a run in different ways, the first bank counts."""
        query = f"SELECT run, terms FROM shared_readings WHERE run = ANY(%s) AND {self._scope} ORDER BY bank DESC"  # noqa: S608
        self._readings |= dict.fromkeys(runs)
        if runs:
            self._readings |= {run: terms.split() for run, terms in self._database.rows(query, runs, self._banks)}

    def _learn_frequencies(self, terms: Sequence[str]) -> None:
        self._frequencies |= {term: {} for term in terms}
        for term, kind, many in self._postings.frequencies(terms) if terms else ():
            self._frequencies[term][KINDS[kind]] = many

    def frequency(self, kind: str, term: str) -> int:
        """How many memories have a term."""
        if term not in self._frequencies:
            self._learn_frequencies([term])
        return self._frequencies[term].get(kind, 0)

    def terms_with(self, beginning: str) -> Sequence[str]:
        """The terms that begin with these letters, common ones first."""
        return self._postings.beginning(beginning)

    def reading(self, run: str) -> Sequence[str] | None:
        """How a run of Hangul was read in the first bank that has it."""
        if run not in self._readings:
            self._learn_readings([run])
        return self._readings[run]

    def find(self, terms: Mapping[str, float], filters: Filters, limit: int) -> list[int]:
        """The numbers of the memories that match best by BM25 over all kinds of terms, best first."""
        asked = self._asked(terms)
        return list(self._postings.best(asked, filters, limit)) if asked else []

    def _asked(self, terms: Mapping[str, float]) -> list[AskedTerm]:
        """The terms to look for, of each kind, each with what it weighs."""
        self.expect((), [*terms])
        return [
            AskedTerm(
                KINDS.index(at), term, idf(self.corpus.memories, self.frequency(at, term)), self._means[KINDS.index(at)]
            )
            for at, found in asked_terms(self.frequency, terms).items()
            for term in found
        ]

    def find_within(self, window: Span | None, filters: Filters, limit: int) -> list[int]:
        """The numbers of the memories of some days (None: all days), newest first."""
        where, values = conditions_of(filters)
        parts = [self._scope, *([where] if where else [])]
        if window:
            parts.append(_OF_DAYS)
            values += _days_between(*window)
        query = f"SELECT {_ROW} FROM shared_memories WHERE {' AND '.join(parts)} ORDER BY learned DESC NULLS LAST, bank, row LIMIT %s"  # noqa: S608
        return [number for (number,) in self._database.rows(query, self._banks, *values, limit)]

    def learned(self, ids: Sequence[str]) -> Mapping[str, date]:
        """The days on which these memories were learned."""
        query = f"SELECT id, learned FROM shared_memories WHERE {self._scope} AND id = ANY(%s) AND learned IS NOT NULL"  # noqa: S608
        return {id_: date.fromisoformat(day) for id_, day in self._database.rows(query, self._banks, list(ids))}

    def candidates(self, numbers: Sequence[int]) -> Sequence[Candidate]:
        """What scoring needs of these memories."""
        return [candidate_of(row) for row in self._of("shared_memories", "row", _SCORED, numbers)]

    def shown(self, numbers: Sequence[int]) -> Sequence[FoundRow]:
        """What is shown of these memories."""
        rows = map(found_row_of, self._of("shared_memories", "row", _SHOWN, numbers))
        return [row._replace(path=f"{self._names[row.row >> _SHIFT]}:{row.path}") for row in rows]

    def _of(
        self, table: str, column: str, fields: str, numbers: Iterable[int], filters: Filters = _ANY
    ) -> Sequence[Any]:
        """The rows of a table with these numbers, in the banks that are asked."""
        where, values = conditions_of(filters)
        query = (
            f"SELECT {fields} FROM {_with_numbers(table, column)} AND {self._scope}{f' AND {where}' if where else ''}"  # noqa: S608
        )
        return self._database.rows(query, *_columns_of(numbers), self._banks, *values)

    def usage_of(self, ids: Sequence[str]) -> Mapping[str, Usage]:
        """Empty: only its own bank knows how a memory was used."""
        return {}

    def vocabularies(self, pages: Iterable[int]) -> Mapping[int, Vocabulary]:
        """The terms of pages."""
        found = self._of("shared_pages", "page", f"{_PAGE}, terms", pages)
        return {page: array("I", bytes(terms)) for page, terms in found}

    @property
    def model(self) -> str:
        """The settings of the model of all these banks' vectors, as JSON; empty if they differ."""
        return next(iter(self._models)) if len(self._models) == 1 else ""

    def count_vectors(self, identity: str) -> int:
        """How many memories have a vector of this model."""
        return self._vectors if identity and identity == self.model else 0

    def vector_keys(self, numbers: Sequence[int]) -> Mapping[int, Sequence[int]]:
        """Of these memories, the ones with a vector. The key of a vector is the number of its memory."""
        return {number: (number,) for (number,) in self._of("shared_vectors", "row", _ROW, numbers)}

    def rows_with_vectors(self, keys: Sequence[int], filters: Filters) -> Mapping[int, Sequence[int]]:
        """Of these memories, the ones that pass the filters."""
        return {number: (number,) for (number,) in self._of("shared_memories", "row", _ROW, keys, filters)}

    @property
    def relations(self) -> KnownRelations:
        """The relations between memories that the nights of these banks found."""
        return _SharedRelations(self._database, self._scope, self._banks)


class _SharedRelations(KnownRelations):
    def __init__(self, database: FleetDatabase, scope: str, banks: object) -> None:
        self._database, self._scope, self._banks = database, scope, banks

    def of(self, ids: Collection[str]) -> StoredRelations:
        query = (
            f"SELECT kind, one, other, is_dated FROM shared_relations WHERE {self._scope} "  # noqa: S608
            "AND (one = ANY(%s) OR (kind <> 'key' AND other = ANY(%s)))"
        )
        found = self._database.rows(query, self._banks, list(ids), list(ids))
        superseded = {one: other for kind, one, other, _ in found if kind == "superseded"}
        keys = {one: other for kind, one, other, _ in found if kind == "key"}
        alike = (row for row in found if row[0] not in {"superseded", "key"})
        pairs = [StoredPair(one, other, kind, is_dated) for kind, one, other, is_dated in alike]
        return StoredRelations(superseded, pairs, keys)


_ALL = 20_000
"""Up to this many vectors (some 15 MB) all are compared; beyond that only those of memories found by words."""


class SharedVectors:
    """The vectors of some banks by one model, as `Vectors`. A key is the number of a memory.

    They are compared here, where the question is asked: the database has no operator for it.
    """

    def __init__(
        self, database: FleetDatabase, banks: Sequence[int], count: int, door: SentenceVectors, model: str
    ) -> None:
        """Take the banks, their number of vectors, what makes the vector of a question, and the model's settings as JSON."""
        self._database, self._banks, self._count = database, list(banks), count
        self._door, self.identity = door, model

    @property
    def problem(self) -> str:
        """Why the last question has no vector; empty if it has one."""
        return self._door.problem

    def near(self, text: str, keys: Sequence[int], most: int) -> Mapping[int, tuple[float, float]] | None:
        """Cosines to a question, by key, of the nearest memories and of those with `keys`, each with the one that strangers would have.

        None if the question has no vector now.
        """
        asked = self._door.question_vectors(text)
        if asked is None:
            return None
        question, *strangers = np.asarray(asked, np.float32)
        table, columns = "shared_vectors WHERE true", tuple[list[int], ...]()
        if self._count > _ALL:
            table, columns = _with_numbers("shared_vectors", "row"), _columns_of(keys)
        query = f"SELECT {_ROW}, vector FROM {table} AND bank = ANY(%s)"  # noqa: S608
        found = self._database.rows(query, *columns, self._banks)
        if not found:
            return {}
        vectors = np.frombuffer(b"".join(bytes(vector) for _, vector in found), np.float16).reshape(len(found), -1)
        vectors = vectors.astype(np.float32)
        usual = usual_cosines(question, np.asarray(strangers), vectors).tolist()
        near = zip(np.nan_to_num(vectors @ question).tolist(), usual, strict=True)
        every = {number: one for (number, _), one in zip(found, near, strict=True)}
        best = sorted(every, key=lambda number: (every[number][1] - every[number][0], number))[:most]
        return {number: every[number] for number in {*best, *keys} if number in every}

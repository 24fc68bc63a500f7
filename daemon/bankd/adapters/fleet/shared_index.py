"""Several banks as one index, in the tables of the fleet: asked as a bank's own is, so that the same code ranks.

Numbers of rows and pages are those of the bank's own index with its number before them. A path has the name of its bank
before a colon.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from math import log
from typing import Any

from bankd.adapters.fleet.database import FleetDatabase
from bankd.adapters.fleet.exported_index import KINDS
from bankd.adapters.fleet.shared_postings import AskedTerm, BankScope, ScopedPostings, conditions_of, scope_of
from bankd.adapters.index.rows import candidate_of, found_row_of
from bankd.adapters.index.terms import telling_terms
from bankd.core.language.dates.spans import Span
from bankd.core.ranking.priors import Usage
from bankd.core.ranking.query import Filters, FoundRow
from bankd.core.ranking.relations import StoredPair, StoredRelations
from bankd.core.ranking.scoring import Candidate, Corpus, Vocabulary
from bankd.errors import UserError
from bankd.search.ranking_options import KnownRelations

_SHIFT = 32
_ROW, _PAGE = (f"(bank::bigint << {_SHIFT}) + {column}" for column in ("row", "page"))
_SCORED = f"{_ROW}, {_PAGE}, place, sentences, bigrams, heading_terms, entities, denies, asked, asked_bigrams"
_SHOWN = f"{_ROW}, {_PAGE}, line, id, tag, hundredths, day, entities, heading, text, learned, about, changed, is_text, mentions"


class SharedIndex:
    """One state of some banks, as `ports.searching.IndexView` has it; to be asked within one transaction."""

    generation = 0

    def __init__(
        self,
        database: FleetDatabase,
        names: Collection[str],
        postings_of: Callable[[Sequence[int], BankScope], ScopedPostings],
    ) -> None:
        """Take the database, the banks to ask by name (none: all that one may read), and what knows their postings.

        UserError names a bank that is not there, or may not be read.
        """
        self._database = database
        query = "SELECT bank, name, updated, memories, words, sentences, heading_words, lengths, meaning, vectors FROM shared_banks"
        found = database.rows(f"{query} WHERE name = ANY(%s)", list(names)) if names else database.rows(query)
        if missing := set(names) - {row[1] for row in found}:
            raise UserError(
                *(f"{name}: the shared search has no such bank, or you may not read it" for name in sorted(missing))
            )
        self.numbers = banks = [row[0] for row in found]
        scope = scope_of(banks, is_all=not names)
        self._scope, self._banks = scope
        self._postings = postings_of(banks, scope)
        self._names = {row[0]: row[1] for row in found}
        self.updated: str | None = min((row[2] for row in found), default=None)
        memories, words, sentences, heading = (sum(row[at] for row in found) for at in range(3, 7))
        count = memories or 1
        self._corpus = Corpus(memories, words / count, words / (sentences or 1), heading / count)
        self._means = [max(sum(row[7][kind] for row in found) / count, 1e-9) for kind in range(len(KINDS))]
        self._models, self._vectors = {row[8] for row in found}, sum(row[9] for row in found)
        self._frequencies: dict[str, dict[str, int]] = {}
        self._readings: dict[str, Sequence[str] | None] = {}

    @property
    def corpus(self) -> Corpus:
        """What scoring has to know of the whole."""
        return self._corpus

    def expect(self, runs: Collection[str], terms: Collection[str]) -> None:
        """Learn at once how runs were read, and in how many memories terms occur: each would be asked for by itself."""
        self._learn_readings([run for run in runs if run not in self._readings])
        read = (term for run in runs for term in self._readings[run] or ())
        self._learn_frequencies([term for term in {*terms, *read} if term not in self._frequencies])

    def _learn_readings(self, runs: Sequence[str]) -> None:
        """Of several banks that read a run in different ways, the first counts."""
        query = f"SELECT run, terms FROM shared_readings WHERE run = ANY(%s) AND {self._scope} ORDER BY bank DESC"  # noqa: S608
        self._readings |= dict.fromkeys(runs)
        if runs:
            self._readings |= {run: terms.split() for run, terms in self._database.rows(query, runs, self._banks)}

    def _learn_frequencies(self, terms: Sequence[str]) -> None:
        self._frequencies |= {term: {} for term in terms}
        for term, kind, many in self._postings.frequencies(terms) if terms else ():
            self._frequencies[term][KINDS[kind]] = many

    def frequency(self, kind: str, term: str) -> int:
        """In how many memories a term occurs."""
        if term not in self._frequencies:
            self._learn_frequencies([term])
        return self._frequencies[term].get(kind, 0)

    def terms_with(self, beginning: str) -> Sequence[str]:
        """The terms that begin so, common ones first."""
        return self._postings.beginning(beginning)

    def reading(self, run: str) -> Sequence[str] | None:
        """How a run of Hangul was read; in the first of the banks that has it."""
        if run not in self._readings:
            self._learn_readings([run])
        return self._readings[run]

    def find(self, terms: Mapping[str, float], bigrams: Mapping[str, float], filters: Filters, limit: int) -> list[int]:
        """The numbers of the memories that match best by BM25 over all kinds of terms, best first."""
        asked = self._asked(terms, bigrams)
        return list(self._postings.best(asked, filters, limit)) if asked else []

    def _asked(self, terms: Mapping[str, float], bigrams: Mapping[str, float]) -> list[AskedTerm]:
        """Of the terms that tell memories apart: kind, term, weight and the mean length of that kind, as `Terms.find` has them."""
        self.expect((), [*terms, *bigrams])
        known = {at: self._known(at, terms) for at in ("terms", "heading")}
        telling = dict.fromkeys(term for found in known.values() for term in telling_terms(found, terms))
        asked = {at: [term for term in telling if term in found] for at, found in known.items()}
        for at, weights in {"asked": terms, "bigrams": bigrams, "asked_bigrams": bigrams}.items():
            asked[at] = telling_terms(self._known(at, weights), weights)
        return [
            AskedTerm(KINDS.index(at), term, self._idf(at, term), self._means[KINDS.index(at)])
            for at, found in asked.items()
            for term in found
        ]

    def _known(self, kind: str, terms: Iterable[str]) -> dict[str, int]:
        return {term: many for term in terms if (many := self.frequency(kind, term))}

    def _idf(self, kind: str, term: str) -> float:
        many = self.frequency(kind, term)
        return log(1 + (self._corpus.memories - many + 0.5) / (many + 0.5))

    def find_within(self, window: Span | None, filters: Filters, limit: int) -> list[int]:
        """The numbers of the memories of some days, or of all, newest first."""
        where, values = conditions_of(filters)
        parts = [self._scope, *([where] if where else [])]
        if window:
            first, last = (day.toordinal() for day in window)
            parts.append(
                "(EXISTS (SELECT FROM unnest(days) AS day WHERE day BETWEEN %s AND %s) OR learned BETWEEN %s AND %s)"
            )
            values += [first, last, window[0].isoformat(), window[1].isoformat()]
        query = f"SELECT {_ROW} FROM shared_memories WHERE {' AND '.join(parts)} ORDER BY learned DESC NULLS LAST, bank, row LIMIT %s"  # noqa: S608
        return [number for (number,) in self._database.rows(query, self._banks, *values, limit)]

    def learned(self, ids: Sequence[str]) -> Mapping[str, date]:
        """The days on which these memories were learned."""
        query = f"SELECT id, learned FROM shared_memories WHERE {self._scope} AND id = ANY(%s) AND learned IS NOT NULL"  # noqa: S608
        return {id_: date.fromisoformat(day) for id_, day in self._database.rows(query, self._banks, list(ids))}

    def candidates(self, numbers: Sequence[int]) -> Sequence[Candidate]:
        """What scoring looks at of these memories."""
        return [candidate_of(row) for row in self._select(_SCORED, numbers)]

    def rows(self, numbers: Sequence[int]) -> Sequence[FoundRow]:
        """What is shown of these memories."""
        return [found_row_of(row) for row in self._select(_SHOWN, numbers)]

    def _select(self, fields: str, numbers: Sequence[int]) -> Sequence[Any]:
        return self._of("shared_memories", "row", fields, numbers)

    def _of(self, table: str, column: str, fields: str, numbers: Iterable[int]) -> Sequence[Any]:
        """What a table has of these numbers, of the banks that are asked."""
        pairs = [divmod(number, 1 << _SHIFT) for number in numbers]
        query = (
            f"SELECT {fields} FROM {table} JOIN unnest(%s::integer[], %s::bigint[]) AS asked (bank, {column}) "  # noqa: S608
            f"USING (bank, {column}) WHERE {self._scope}"
        )
        return self._database.rows(query, [bank for bank, _ in pairs], [one for _, one in pairs], self._banks)

    def usage_of(self, ids: Sequence[str]) -> Mapping[str, Usage]:
        """Nothing: how a memory was used stays with its bank."""
        return {}

    def vocabularies(self, pages: Iterable[int]) -> Mapping[int, Vocabulary]:
        """The terms of pages."""
        return {
            page: array("I", bytes(terms)) for page, terms in self._of("shared_pages", "page", f"{_PAGE}, terms", pages)
        }

    def paths(self, pages: Iterable[int]) -> Mapping[int, str]:
        """The paths of pages, each after the name of its bank and a colon."""
        found = self._of("shared_pages", "page", f"{_PAGE}, bank, path", pages)
        return {page: f"{self._names[bank]}:{path}" for page, bank, path in found}

    @property
    def model(self) -> str:
        """The settings of the model that all of these banks have vectors of, as JSON; empty where they differ."""
        return next(iter(self._models)) if len(self._models) == 1 else ""

    def count_vectors(self, identity: str) -> int:
        """How many memories have a vector of this model."""
        return self._vectors if identity and identity == self.model else 0

    def vector_keys(self, numbers: Sequence[int]) -> Mapping[int, int]:
        """Those of these memories that have a vector; its key is their number."""
        return {number: number for (number,) in self._of("shared_vectors", "row", _ROW, numbers)}

    def rows_with_vectors(self, keys: Sequence[int], filters: Filters) -> Mapping[int, int]:
        """Those of these memories that are what was asked for."""
        where, values = conditions_of(filters)
        pairs = [divmod(number, 1 << _SHIFT) for number in keys]
        query = (
            f"SELECT {_ROW} FROM shared_memories JOIN unnest(%s::integer[], %s::bigint[]) AS asked (bank, row) "  # noqa: S608
            f"USING (bank, row) WHERE {self._scope}{f' AND {where}' if where else ''}"
        )
        columns = [bank for bank, _ in pairs], [row for _, row in pairs]
        return {number: number for (number,) in self._database.rows(query, *columns, self._banks, *values)}

    @property
    def relations(self) -> KnownRelations:
        """What the nights of these banks found of their memories."""
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
        pairs = [
            StoredPair(one, other, kind, is_dated)
            for kind, one, other, is_dated in found
            if kind not in {"superseded", "key"}
        ]
        return StoredRelations(superseded, pairs, keys)

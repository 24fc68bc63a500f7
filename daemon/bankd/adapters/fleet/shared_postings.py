"""Which memories of a fleet's banks have a term: in tables of the database, an array of memories a bank and term."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple, Protocol, TypeAlias

from bankd.adapters.fleet.database import FleetConnection, FleetDatabase
from bankd.adapters.fleet.exported_index import FOUND_BY, ExportedMemory, terms_of_kind
from bankd.core.ranking.query import Filters

Term: TypeAlias = tuple[int, str]
"""A kind, as its place in `KINDS`, and a term of it."""

_TERMS = ", ".join(FOUND_BY)
_MOST = 32_767
"""What a small integer holds: nothing is said so often."""
_AT_ONCE = 2_000
_EXACT = 24
NUMBER = "(bank::bigint << 32) + row"
"""The number of a memory among those of all banks."""
_K, _B = 1.2, 0.75
"""Of BM25, as tantivy has them."""
_FIND = """
WITH asked AS (SELECT * FROM unnest(%s::smallint[], %s::text[], %s::float8[], %s::float8[]) AS asked (kind, term, idf, mean))
SELECT {number} FROM (
    SELECT bank, row, sum(idf * times * {k1} / (times + {k} * ({rest} + {b} * length / mean))) AS score
    FROM shared_postings JOIN asked USING (kind, term), unnest(rows, counts, lengths) AS posting (row, times, length)
    WHERE {scope} GROUP BY bank, row
) AS scored """


class AskedTerm(NamedTuple):
    """A term to look for: its kind, what it weighs (BM25's idf), and how many terms of that kind a memory has on average."""

    kind: int
    term: str
    weight: float
    mean: float


class BankScope(NamedTuple):
    """Which banks a query is about: a condition with one value. All that one may read need no list, which takes planning."""

    condition: str
    value: object


def scope_of(banks: Sequence[int], *, is_all: bool) -> BankScope:
    """What asks these banks."""
    if is_all:
        return BankScope("bank > %s", 0)
    return BankScope("bank = %s", banks[0]) if len(banks) == 1 else BankScope("bank = ANY(%s)", list(banks))


WritePostings: TypeAlias = "Callable[[int, Sequence[int], Mapping[int, ExportedMemory]], int]"
"""Takes memories of a bank out, by their rows, and puts others in; gives how many terms or memories that touches."""


class ScopedPostings(Protocol):
    """The postings of some banks."""

    def frequencies(self, terms: Sequence[str]) -> Iterable[tuple[str, int, int]]:
        """In how many memories each of these terms occurs: term, kind, how many."""

    def beginning(self, letters: str) -> Sequence[str]:
        """The terms of memories that begin so, common ones first."""

    def best(self, asked: Sequence[AskedTerm], filters: Filters, limit: int) -> Sequence[int]:
        """The numbers of the memories that match best by BM25, and pass, best first."""


class PostgresPostings:
    """Those of the banks that are asked, a part of a snapshot of the database."""

    def __init__(self, database: FleetDatabase, scope: BankScope) -> None:
        """Take the database and the banks."""
        self._database = database
        self._scope, self._banks = scope

    def frequencies(self, terms: Sequence[str]) -> Iterable[tuple[str, int, int]]:
        query = (
            f"SELECT term, kind, sum(many) FROM shared_postings WHERE term = ANY(%s) AND {self._scope} "  # noqa: S608
            "GROUP BY term, kind"
        )
        return ((term, kind, int(many)) for term, kind, many in self._database.rows(query, list(terms), self._banks))

    def beginning(self, letters: str) -> Sequence[str]:
        query = (
            f"SELECT term FROM shared_postings WHERE kind = 0 AND term >= %s AND term < %s AND {self._scope} "  # noqa: S608
            "GROUP BY term ORDER BY sum(many) DESC, term"
        )
        return [term for (term,) in self._database.rows(query, letters, letters + "\U0010ffff", self._banks)]

    def best(self, asked: Sequence[AskedTerm], filters: Filters, limit: int) -> Sequence[int]:
        columns = [list(column) for column in zip(*asked, strict=True)]
        where, values = conditions_of(filters)
        only = f"JOIN shared_memories USING (bank, row) WHERE {where}" if where else ""
        find = _FIND.format(number=NUMBER, k1=_K + 1, k=_K, b=_B, rest=1 - _B, scope=self._scope)
        query = f"{find} {only} ORDER BY score DESC, bank, row LIMIT %s"
        return [number for (number,) in self._database.rows(query, *columns, self._banks, *values, limit)]


def conditions_of(filters: Filters) -> tuple[str, list[Any]]:
    """What memories must be, as SQL over `shared_memories`, with its values."""
    parts: list[tuple[str, list[Any]]] = []
    if filters.tags:
        parts.append(("tag = ANY(%s)", [list(filters.tags)]))
    if filters.nodes:
        parts.append(("nodes && %s", [list(filters.nodes)]))
    if filters.entities:
        parts.append(("names && %s", [[entity.casefold() for entity in filters.entities]]))
    if filters.since or filters.until:
        days = [(filters.since or date.min).toordinal(), (filters.until or date.max).toordinal()]
        parts.append(("EXISTS (SELECT FROM unnest(days) AS day WHERE day BETWEEN %s AND %s)", days))
    if filters.known_on:
        parts.append(("(learned IS NULL OR learned <= %s)", [filters.known_on.isoformat()]))
    return " AND ".join(part for part, _ in parts), [value for _, values in parts for value in values]


class Posting(NamedTuple):
    """A memory that has a term: how often, and how many terms of that kind it has."""

    row: int
    times: int
    length: int


def write_postings(
    connection: FleetConnection, bank: int, gone: Sequence[int], added: Mapping[int, ExportedMemory]
) -> int:
    """Take rows out of the postings of the terms that they had, and put others in; gives how many terms that touches."""
    said = connection.execute(
        f"SELECT row, {_TERMS} FROM shared_memories WHERE bank = %s AND row = ANY(%s)",  # noqa: S608
        (bank, gone),
    ).fetchall()
    there = connection.execute("SELECT 1 FROM shared_memories WHERE bank = %s LIMIT 1", (bank,)).fetchone()
    new = defaultdict[Term, list[Posting]](list)
    for row, memory in added.items():
        for term, posting in _postings(row, memory.found_by):
            new[term].append(posting)
    touched = sorted({term for row, *texts in said for term, _ in _postings(row, texts)} | new.keys())
    dropped = set(gone)
    for at in range(0, len(touched), _AT_ONCE):
        some = touched[at : at + _AT_ONCE]
        kept = _read_postings(connection, bank, some) if there else {}
        _drop_terms(connection, bank, kept)
        merged = ((term, [one for one in kept.get(term, ()) if one.row not in dropped] + new[term]) for term in some)
        rows = (
            (bank, *term, len(postings), *map(list, zip(*sorted(postings), strict=True)))
            for term, postings in merged
            if postings
        )
        copy_rows(connection, "shared_postings", ("bank", "kind", "term", "many", "rows", "counts", "lengths"), rows)
    return len(touched)


def _postings(row: int, texts: Sequence[str]) -> Iterator[tuple[Term, Posting]]:
    for kind, text in enumerate(texts):
        words = terms_of_kind(kind, text)
        for word, count in Counter(words).items():
            yield (kind, word), Posting(row, min(count, _MOST), rounded_length(len(words)))


def rounded_length(length: int) -> int:
    """A length as tantivy keeps it, in a byte: exact to 40, then with three bits after the first (Lucene's SmallFloat)."""
    if length < _EXACT:
        return length
    shift = max((length - _EXACT).bit_length() - 4, 0)
    return _EXACT + ((length - _EXACT) >> shift << shift)


def _read_postings(connection: FleetConnection, bank: int, terms: Sequence[Term]) -> dict[Term, list[Posting]]:
    kinds, words = [kind for kind, _ in terms], [word for _, word in terms]
    found = connection.execute(
        "SELECT kind, term, rows, counts, lengths FROM shared_postings JOIN unnest(%s::smallint[], %s::text[]) AS asked (kind, term) "
        "USING (kind, term) WHERE bank = %s",
        (kinds, words, bank),
    )
    return {(kind, term): list(map(Posting, *columns)) for kind, term, *columns in found}


def _drop_terms(connection: FleetConnection, bank: int, terms: Collection[Term]) -> None:
    if terms:
        connection.execute(
            "DELETE FROM shared_postings USING unnest(%s::smallint[], %s::text[]) AS asked (kind, term) "
            "WHERE bank = %s AND shared_postings.kind = asked.kind AND shared_postings.term = asked.term",
            ([kind for kind, _ in terms], [term for _, term in terms], bank),
        )


def copy_rows(connection: FleetConnection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Put rows into a table, as PostgreSQL takes them fastest."""
    with connection.cursor().copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)

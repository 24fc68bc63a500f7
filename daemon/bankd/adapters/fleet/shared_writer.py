"""Brings what the shared search knows of a bank up to date with the bank's own index: only what changed is written."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from bankd.adapters.fleet.database import FleetConnection, FleetDatabase
from bankd.adapters.fleet.exported_index import (
    FIELDS,
    FOUND_BY,
    KINDS,
    ExportedIndex,
    ExportedMemory,
    build_of,
    export_index,
    terms_of_kind,
)
from bankd.core.daemon.nights import FleetBank

Term: TypeAlias = tuple[int, str]
"""A kind, as its place in `KINDS`, and a term of it."""

_TERMS = ", ".join(FOUND_BY)
_COLUMNS = ("bank", "row", "digest", *FIELDS, "nodes", "names", "days")
_MOST = 32_767
"""What a small integer holds: nothing is said so often."""
_AT_ONCE = 2_000
_EXACT = 24


class Posting(NamedTuple):
    """A memory that has a term: how often, and how many terms of that kind it has."""

    row: int
    times: int
    length: int


class WrittenShare(NamedTuple):
    """What was written: memories and terms that changed."""

    memories: int = 0
    terms: int = 0


class SharedWriter:
    """Writes the rows of one bank at a time, each in one transaction."""

    def __init__(self, database: FleetDatabase) -> None:
        """Take the database."""
        self._database = database

    def write(self, bank: FleetBank) -> WrittenShare:
        """Bring a bank up to date; UserError where it has no index of its own yet."""
        root = Path(bank.root)
        known = self._database.rows("SELECT build FROM shared_banks WHERE bank = %s", bank.number)
        if known and known[0][0] == build_of(root):
            return WrittenShare()
        index = export_index(root)
        with self._database.transaction() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(1650552420, %s)", (bank.number,))
            return write_export(connection, bank, index)


def write_export(connection: FleetConnection, bank: FleetBank, index: ExportedIndex) -> WrittenShare:
    """Write what of an index is not there as it is, as part of a transaction."""
    digests = {row: memory.digest for row, memory in index.memories.items()}
    query = "SELECT row, digest FROM shared_memories WHERE bank = %s"
    before: dict[int, bytes] = dict(connection.execute(query, (bank.number,)).fetchall())
    changed = [row for row, digest in digests.items() if before.get(row) != digest]
    reworded = [row for row in changed if before.get(row, b"")[:8] != digests[row][:8]]
    gone = [row for row in before if row not in digests]
    terms = _write_postings(connection, bank.number, [*gone, *reworded], {row: index.memories[row] for row in reworded})
    _drop(connection, "shared_memories", "row", bank.number, [*gone, *changed])
    rows = ((bank.number, row, digests[row], *_flat(index.memories[row])) for row in changed)
    _copy(connection, "shared_memories", _COLUMNS, rows)
    _write_pages(connection, bank.number, index.pages)
    _write_readings(connection, bank.number, index.readings)
    _write_relations(connection, bank.number, index)
    _write_sums(connection, bank, index)
    return WrittenShare(len(changed) + len(gone), terms)


def _flat(memory: ExportedMemory) -> Sequence[Any]:
    return (*memory.values, list(memory.nodes), list(memory.names), list(memory.days))


def _write_postings(
    connection: FleetConnection, bank: int, gone: Sequence[int], added: Mapping[int, ExportedMemory]
) -> int:
    """Take rows out of the postings of the terms that they had, and put others in; gives how many terms that touches."""
    said = connection.execute(
        f"SELECT row, {_TERMS} FROM shared_memories WHERE bank = %s AND row = ANY(%s)",  # noqa: S608
        (bank, gone),
    ).fetchall()
    new = defaultdict[Term, list[Posting]](list)
    for row, memory in added.items():
        for term, posting in _postings(row, memory.found_by):
            new[term].append(posting)
    touched = sorted({term for row, *texts in said for term, _ in _postings(row, texts)} | new.keys())
    dropped = set(gone)
    for at in range(0, len(touched), _AT_ONCE):
        some = touched[at : at + _AT_ONCE]
        kept = _read_postings(connection, bank, some) if said else {}
        _drop_terms(connection, bank, kept)
        merged = ((term, [one for one in kept.get(term, ()) if one.row not in dropped] + new[term]) for term in some)
        rows = (
            (bank, *term, len(postings), *map(list, zip(*sorted(postings), strict=True)))
            for term, postings in merged
            if postings
        )
        _copy(connection, "shared_postings", ("bank", "kind", "term", "many", "rows", "counts", "lengths"), rows)
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


def _drop(connection: FleetConnection, table: str, column: str, bank: int, keys: Sequence[object]) -> None:
    if keys:
        connection.execute(f"DELETE FROM {table} WHERE bank = %s AND {column} = ANY(%s)", (bank, keys))  # noqa: S608


def _copy(connection: FleetConnection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with connection.cursor().copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _write_pages(connection: FleetConnection, bank: int, pages: Mapping[int, tuple[str, bytes]]) -> None:
    found = connection.execute("SELECT page, path, terms FROM shared_pages WHERE bank = %s", (bank,)).fetchall()
    before = {page: (path, bytes(terms)) for page, path, terms in found}
    _drop(connection, "shared_pages", "page", bank, [page for page in before if pages.get(page) != before[page]])
    new = ((bank, page, *said) for page, said in pages.items() if before.get(page) != said)
    _copy(connection, "shared_pages", ("bank", "page", "path", "terms"), new)


def _write_readings(connection: FleetConnection, bank: int, readings: Mapping[str, str]) -> None:
    found = connection.execute("SELECT run, terms FROM shared_readings WHERE bank = %s", (bank,)).fetchall()
    before: dict[str, str] = dict(found)
    _drop(connection, "shared_readings", "run", bank, [run for run in before if readings.get(run) != before[run]])
    new = ((bank, run, terms) for run, terms in readings.items() if before.get(run) != terms)
    _copy(connection, "shared_readings", ("bank", "run", "terms"), new)


def _write_relations(connection: FleetConnection, bank: int, index: ExportedIndex) -> None:
    query = "SELECT kind, one, other, is_dated FROM shared_relations WHERE bank = %s"
    before = frozenset(connection.execute(query, (bank,)).fetchall())
    if before != index.relations:
        connection.execute("DELETE FROM shared_relations WHERE bank = %s", (bank,))
        rows = ((bank, *relation) for relation in sorted(index.relations))
        _copy(connection, "shared_relations", ("bank", "kind", "one", "other", "is_dated"), rows)


def _write_sums(connection: FleetConnection, bank: FleetBank, index: ExportedIndex) -> None:
    of_each = (
        [len(terms_of_kind(kind, text)) for kind, text in enumerate(one.found_by)] for one in index.memories.values()
    )
    lengths = [sum(counts) for counts in zip(*of_each, strict=True)]
    connection.execute(
        "INSERT INTO shared_banks (bank, name, build, updated, memories, words, sentences, heading_words, lengths) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (bank) DO UPDATE SET (build, updated, memories, words, sentences, "
        "heading_words, lengths) = (excluded.build, excluded.updated, excluded.memories, excluded.words, excluded.sentences, "
        "excluded.heading_words, excluded.lengths)",
        (bank.number, bank.name, index.build, index.updated, *index.sums, lengths or [0] * len(KINDS)),
    )

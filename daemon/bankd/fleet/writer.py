"""Brings what the shared search knows of a bank up to date with the bank's own index: only what changed is written."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bankd.fleet.database import FleetConnection, FleetDatabase
from bankd.fleet.export import FIELDS, KINDS, ExportedIndex, ExportedMemory, build_of, export_index, terms_of_kind
from bankd.fleet.registry import FleetBank
from bankd.fleet.shared import WritePostings, copy_rows, write_postings
from bankd.search.request import MeaningSettings

_COLUMNS = ("bank", "row", "digest", *FIELDS, "nodes", "names", "days")


class WrittenShare(NamedTuple):
    """What was written: memories and terms that changed."""

    memories: int = 0
    terms: int = 0


class SharedWriter:
    """Writes the rows of one bank at a time, each in one transaction."""

    def __init__(self, database: FleetDatabase, write_elsewhere: WritePostings | None = None) -> None:
        """Take the database, and what keeps the postings where that does not."""
        self._database, self._write_elsewhere = database, write_elsewhere

    def write(self, bank: FleetBank, meaning: MeaningSettings) -> WrittenShare:
        """Bring a bank up to date, its vectors by these settings too; UserError where it has no index of its own yet."""
        root = Path(bank.root)
        known = self._database.rows("SELECT build, meaning FROM shared_banks WHERE bank = %s", bank.number)
        if known == [(build_of(root), json.dumps(meaning) if meaning.is_on else "")]:
            return WrittenShare()
        index = export_index(root, meaning)
        with self._database.transaction() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(1650552420, %s)", (bank.number,))
            return write_export(connection, bank, index, self._write_elsewhere)


def write_export(
    connection: FleetConnection, bank: FleetBank, index: ExportedIndex, write_elsewhere: WritePostings | None = None
) -> WrittenShare:
    """Write what of an index is not there as it is, as part of a transaction."""
    digests = {row: memory.digest for row, memory in index.memories.items()}
    query = "SELECT row, digest FROM shared_memories WHERE bank = %s"
    before: dict[int, bytes] = dict(connection.execute(query, (bank.number,)).fetchall())
    changed = [row for row, digest in digests.items() if before.get(row) != digest]
    reworded = [row for row in changed if before.get(row, b"")[:8] != digests[row][:8]]
    gone = [row for row in before if row not in digests]
    write = write_elsewhere or partial(write_postings, connection)
    terms = write(bank.number, [*gone, *reworded], {row: index.memories[row] for row in reworded})
    _drop(connection, "shared_memories", "row", bank.number, [*gone, *changed])
    rows = ((bank.number, row, digests[row], *_flat(index.memories[row])) for row in changed)
    copy_rows(connection, "shared_memories", _COLUMNS, rows)
    _write_pages(connection, bank.number, index.pages)
    _write_readings(connection, bank.number, index.readings)
    _write_vectors(connection, bank.number, index, {*gone, *changed})
    _write_relations(connection, bank.number, index)
    _write_sums(connection, bank, index)
    return WrittenShare(len(changed) + len(gone), terms)


def _flat(memory: ExportedMemory) -> Sequence[Any]:
    return (*memory.values, list(memory.nodes), list(memory.names), list(memory.days))


def _drop(connection: FleetConnection, table: str, column: str, bank: int, keys: Sequence[object]) -> None:
    if keys:
        connection.execute(f"DELETE FROM {table} WHERE bank = %s AND {column} = ANY(%s)", (bank, keys))  # noqa: S608


def _write_pages(connection: FleetConnection, bank: int, pages: Mapping[int, tuple[str, bytes]]) -> None:
    found = connection.execute("SELECT page, path, terms FROM shared_pages WHERE bank = %s", (bank,)).fetchall()
    before = {page: (path, bytes(terms)) for page, path, terms in found}
    _drop(connection, "shared_pages", "page", bank, [page for page in before if pages.get(page) != before[page]])
    new = ((bank, page, *said) for page, said in pages.items() if before.get(page) != said)
    copy_rows(connection, "shared_pages", ("bank", "page", "path", "terms"), new)


def _write_readings(connection: FleetConnection, bank: int, readings: Mapping[str, str]) -> None:
    found = connection.execute("SELECT run, terms FROM shared_readings WHERE bank = %s", (bank,)).fetchall()
    before: dict[str, str] = dict(found)
    _drop(connection, "shared_readings", "run", bank, [run for run in before if readings.get(run) != before[run]])
    new = ((bank, run, terms) for run, terms in readings.items() if before.get(run) != terms)
    copy_rows(connection, "shared_readings", ("bank", "run", "terms"), new)


def _write_vectors(connection: FleetConnection, bank: int, index: ExportedIndex, changed: Collection[int]) -> None:
    """A row that is the same has the same vector, unless the model is another."""
    known = connection.execute("SELECT meaning FROM shared_banks WHERE bank = %s", (bank,)).fetchone()
    is_same = known == (index.meaning,)
    found = connection.execute("SELECT row FROM shared_vectors WHERE bank = %s", (bank,)).fetchall()
    kept = {row for (row,) in found if is_same and row in index.vectors and row not in changed}
    _drop(connection, "shared_vectors", "row", bank, [row for (row,) in found if row not in kept])
    new = ((bank, row, vector) for row, vector in index.vectors.items() if row not in kept)
    copy_rows(connection, "shared_vectors", ("bank", "row", "vector"), new)


def _write_relations(connection: FleetConnection, bank: int, index: ExportedIndex) -> None:
    query = "SELECT kind, one, other, is_dated FROM shared_relations WHERE bank = %s"
    before = frozenset(connection.execute(query, (bank,)).fetchall())
    if before != index.relations:
        connection.execute("DELETE FROM shared_relations WHERE bank = %s", (bank,))
        rows = ((bank, *relation) for relation in sorted(index.relations))
        copy_rows(connection, "shared_relations", ("bank", "kind", "one", "other", "is_dated"), rows)


def _write_sums(connection: FleetConnection, bank: FleetBank, index: ExportedIndex) -> None:
    of_each = (
        [len(terms_of_kind(kind, text)) for kind, text in enumerate(one.found_by)] for one in index.memories.values()
    )
    lengths = [sum(counts) for counts in zip(*of_each, strict=True)]
    connection.execute(
        "INSERT INTO shared_banks (bank, name, build, updated, memories, words, sentences, heading_words, lengths, meaning, vectors) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (bank) DO UPDATE SET (build, updated, memories, words, sentences, "
        "heading_words, lengths, meaning, vectors) = (excluded.build, excluded.updated, excluded.memories, excluded.words, excluded.sentences, "
        "excluded.heading_words, excluded.lengths, excluded.meaning, excluded.vectors)",
        (
            bank.number,
            bank.name,
            index.build,
            index.updated,
            *index.sums,
            lengths or [0] * len(KINDS),
            index.meaning,
            len(index.vectors),
        ),
    )

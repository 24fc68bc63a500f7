"""Brings the tables of the shared search up to date with the index of a bank. Only what changed is written."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bankd.fleet.database import FleetConnection, FleetDatabase
from bankd.fleet.export import FIELDS, KINDS, ExportedIndex, build_of, export_index
from bankd.fleet.registry import FleetBank
from bankd.fleet.shared import WritePostings, copy_rows, write_postings
from bankd.search.request import MeaningSettings

_COLUMNS = ("bank", "row", "digest", *FIELDS, "nodes", "names", "days")


class WrittenShare(NamedTuple):
    """How many memories and terms changed."""

    memories: int = 0
    terms: int = 0


class SharedWriter:
    """Writes the rows of one bank at a time, in one transaction."""

    def __init__(self, database: FleetDatabase, write_elsewhere: WritePostings | None = None) -> None:
        """Take the database, and what writes the postings if another store has them."""
        self._database, self._write_elsewhere = database, write_elsewhere

    def write(self, bank: FleetBank, meaning: MeaningSettings) -> WrittenShare:
        """Bring a bank up to date, with its vectors by these settings. UserError if the bank has no index yet."""
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
    """Write what differs between an index and the tables, as part of a transaction."""
    digests = {row: memory.digest for row, memory in index.memories.items()}
    query = "SELECT row, digest FROM shared_memories WHERE bank = %s"
    before: dict[int, bytes] = dict(connection.execute(query, (bank.number,)).fetchall())
    changed = [row for row, digest in digests.items() if before.get(row) != digest]
    reworded = [row for row in changed if before.get(row, b"")[:8] != digests[row][:8]]
    gone = [row for row in before if row not in digests]
    write = write_elsewhere or partial(write_postings, connection)
    terms = write(bank.number, [*gone, *reworded], {row: index.memories[row] for row in reworded})
    _drop(connection, "shared_memories", "row", bank.number, [*gone, *changed])
    copy_rows(connection, "shared_memories", _COLUMNS, (
        (bank.number, row, digests[row], *one.values, list(one.nodes), list(one.names), list(one.days))
        for row, one in ((row, index.memories[row]) for row in changed)
    ))  # fmt: skip
    _write_table(connection, "shared_pages", ("page", "path", "terms"), bank.number, index.pages)
    readings = {run: (terms,) for run, terms in index.readings.items()}
    _write_table(connection, "shared_readings", ("run", "terms"), bank.number, readings)
    _write_vectors(connection, bank.number, index, {*gone, *changed})
    _write_relations(connection, bank.number, index)
    _write_sums(connection, bank, index)
    return WrittenShare(len(changed) + len(gone), terms)


def _drop(connection: FleetConnection, table: str, column: str, bank: int, keys: Sequence[object]) -> None:
    if keys:
        connection.execute(f"DELETE FROM {table} WHERE bank = %s AND {column} = ANY(%s)", (bank, keys))  # noqa: S608


def _write_table(
    connection: FleetConnection, table: str, columns: Sequence[str], bank: int, rows: Mapping[Any, tuple[Any, ...]]
) -> None:
    """Make the rows of a bank in a table equal to `rows`: by the first of the columns, the values of the others."""
    found = connection.execute(f"SELECT {', '.join(columns)} FROM {table} WHERE bank = %s", (bank,)).fetchall()  # noqa: S608
    before = {key: tuple(values) for key, *values in found}
    _drop(connection, table, columns[0], bank, [key for key in before if rows.get(key) != before[key]])
    new = ((bank, key, *values) for key, values in rows.items() if before.get(key) != values)
    copy_rows(connection, table, ("bank", *columns), new)


def _write_vectors(connection: FleetConnection, bank: int, index: ExportedIndex, changed: Collection[int]) -> None:
    """A row that did not change has the same vector, unless the model changed."""
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
    counts = ([len(one.split()) for one in memory.found_by] for memory in index.memories.values())
    lengths = [sum(column) for column in zip(*counts, strict=True)] or [0] * len(KINDS)
    row = {
        "bank": bank.number, "name": bank.name, "build": index.build, "updated": index.updated,
        **dict(zip(("memories", "words"), index.sums, strict=True)),
        "lengths": lengths, "meaning": index.meaning, "vectors": len(index.vectors),
    }  # fmt: skip
    connection.execute("DELETE FROM shared_banks WHERE bank = %s", (bank.number,))
    copy_rows(connection, "shared_banks", [*row], [[*row.values()]])

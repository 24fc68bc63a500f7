"""Brings the tables of the shared search up to date with the index of a bank, which it reads. Only what changed is written."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, suppress
from datetime import date
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from bankd.errors import UserError
from bankd.fleet.registry import FleetBank, FleetConnection, FleetDatabase
from bankd.index.rows import SEPARATOR
from bankd.index.writer import days_found_by
from bankd.pages.names import whom_page_is_about
from bankd.search.indexable import nodes_of
from bankd.settings import MeaningPolicy
from bankd.system.clock import read_monotonic
from bankd.words.days import Span
from bankd.workers.vectors import SentenceVectors

FIELDS: Sequence[str] = (
    "page", "place", "line", "id", "tag", "hundredths", "day", "learned", "entities", "heading", "text", "is_text",
    "sentences", "heading_terms", "denies", "about", "mentions", "asked", "changed",
)  # fmt: skip
FOUND_BY = ("sentences", "heading_terms", "asked")
"""The fields that terms come from, in the order of `KINDS`."""
KINDS = ("terms", "heading", "asked")
"""The kinds of postings, as `IndexView.frequency` names them. A kind is stored as its index in this list."""

_QUERY = f"SELECT row, {', '.join(FIELDS[:-1])}, (SELECT changed FROM dates WHERE dates.id = memories.id) FROM memories"  # noqa: S608
_SUMS = "SELECT coalesce(sum(memories + texts), 0), coalesce(sum(words), 0) FROM pages"
_RELATIONS = """
SELECT 'superseded', old, new, 0 FROM superseded UNION SELECT relation, older, newer, is_dated FROM alike
WHERE relation <> 'different' UNION SELECT 'key', id, key, 0 FROM looked_at WHERE id IN (SELECT older FROM alike UNION SELECT newer FROM alike)
"""
_OFF = MeaningPolicy("off")
Relation: TypeAlias = tuple[str, str, str, bool]


class ExportedMemory(NamedTuple):
    """A memory of an index: the values of `FIELDS`, and what filters look at."""

    values: Sequence[Any]
    nodes: Sequence[str]
    names: Sequence[str]
    days: Sequence[int]

    @property
    def found_by(self) -> Sequence[str]:
        """The texts whose terms find the memory: one for each kind in `KINDS`."""
        return [self.values[FIELDS.index(name)] for name in FOUND_BY]

    @property
    def digest(self) -> bytes:
        """Eight bytes of a hash of its terms, and eight of everything."""
        return b"".join(blake2b(repr(one).encode(), digest_size=8).digest() for one in (self.found_by, self))


class ExportedIndex(NamedTuple):
    """One state of an index, named by `build`. The sums are those of a `Corpus`: memories and words."""

    build: str
    updated: str
    sums: tuple[int, int]
    memories: Mapping[int, ExportedMemory]
    pages: Mapping[int, tuple[str, bytes]]
    readings: Mapping[str, str]
    relations: Set[Relation]
    meaning: str = ""
    """The settings of the model of its sentence vectors, as JSON; empty without vectors."""
    vectors: Mapping[int, bytes] = {}
    """By row, as half floats."""


def build_of(root: Path) -> str:
    """The state of a workspace's index. UserError if it has none."""
    with closing(_open(_rows_of(root))) as rows:
        return _build(root, rows)


def export_index(root: Path, meaning: MeaningPolicy = _OFF) -> ExportedIndex:
    """All that a workspace's index holds, with its vectors by these settings. UserError if it has none."""
    with closing(_open(_rows_of(root))) as rows:
        rows.execute("BEGIN")
        paths: dict[int, str] = dict(rows.execute("SELECT page, path FROM pages"))
        return ExportedIndex(
            _build(root, rows),
            _state(rows, "updated"),
            rows.execute(_SUMS).fetchone(),
            {row: _memory(values, paths) for row, *values in rows.execute(_QUERY)},
            {page: (path, terms) for page, path, terms in rows.execute("SELECT page, path, terms FROM pages")},
            dict(rows.execute("SELECT run, terms FROM readings")),
            frozenset(_relations(root / ".bankd/catalogue.sqlite3")),
            json.dumps(meaning) if meaning.model != "off" else "",
            _vectors(root, rows, meaning) if meaning.model != "off" else {},
        )


def _rows_of(root: Path) -> Path:
    folder = root / ".bankd/index"
    try:
        return folder / (folder / "current").read_text("utf-8").strip() / "rows.sqlite3"
    except OSError:
        raise UserError(f"{root}: has no search index yet; make it with: bankctl doctor index rebuild") from None


def _open(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=5)


def _build(root: Path, rows: sqlite3.Connection) -> str:
    """A text that changes when the index or the relations between memories change.

    Relations stand in the catalog, which may change alone: its time of change is part of the text.
    """
    catalog = root / ".bankd/catalogue.sqlite3"
    return f"{_rows_of(root).parent.name}:{_state(rows, 'generation')}:{catalog.stat().st_mtime_ns if catalog.exists() else 0}"


def _state(rows: sqlite3.Connection, key: str) -> str:
    found = rows.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
    return str(found[0]) if found else ""


def _memory(values: Sequence[Any], paths: Mapping[int, str]) -> ExportedMemory:
    said = dict(zip(FIELDS, values, strict=True))
    heading = tuple(said["heading"].split(SEPARATOR)) if said["heading"] else ()
    spans = [Span(*map(date.fromisoformat, span.split("/"))) for span in said["about"].split()]
    learned = date.fromisoformat(said["learned"]) if said["learned"] else None
    path = paths.get(said["page"], "")
    names = tuple(sorted({slug.casefold() for slug in (*said["entities"].split(), *whom_page_is_about(path))}))
    return ExportedMemory(tuple(values), tuple(nodes_of(path, heading)), names, tuple(days_found_by(spans, learned)))


def _vectors(root: Path, rows: sqlite3.Connection, meaning: MeaningPolicy) -> Mapping[int, bytes]:
    from bankd.workers.vector_store import VectorStore  # noqa: PLC0415 -- most banks have none, and no numpy

    model = SentenceVectors(root / ".bankd", meaning, read_monotonic).model
    if not _state(rows, "vectors").startswith(model):
        return {}
    # of a long memory the first passage, which is the last of these
    keys: dict[int, int] = dict(rows.execute("SELECT row, key FROM meanings WHERE key IS NOT NULL ORDER BY rowid DESC"))
    store = VectorStore(root / ".bankd/meaning" / model)
    store.refresh()
    found = store.vectors_of([*keys.values()])
    return {row: found[key] for row, key in keys.items() if key in found}


def _relations(catalog: Path) -> Iterator[Relation]:
    """The relations that runs found; none without a catalog."""
    with suppress(sqlite3.Error), closing(_open(catalog)) as found:
        for kind, one, other, is_dated in found.execute(_RELATIONS):
            yield kind, one, other, bool(is_dated)


_COLUMNS = ("bank", "row", "digest", *FIELDS, "nodes", "names", "days")


class WrittenShare(NamedTuple):
    """How many memories and terms changed."""

    memories: int = 0
    terms: int = 0


def share_index(
    database: FleetDatabase, bank: FleetBank, meaning: MeaningPolicy, write_elsewhere: WritePostings | None = None
) -> WrittenShare:
    """Bring a bank up to date in one transaction, with its vectors by these settings. UserError if it has no index yet.

    `write_elsewhere` writes the postings if another store has them.
    """
    root = Path(bank.root)
    known = database.rows("SELECT build, meaning FROM shared_banks WHERE bank = %s", bank.number)
    if known == [(build_of(root), json.dumps(meaning) if meaning.model != "off" else "")]:
        return WrittenShare()
    index = export_index(root, meaning)
    with database.transaction() as connection:
        connection.execute("SELECT pg_advisory_xact_lock(1650552420, %s)", (bank.number,))
        return write_export(connection, bank, index, write_elsewhere)


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
    if frozenset(connection.execute(query, (bank,)).fetchall()) != index.relations:
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


Term: TypeAlias = tuple[int, str]
"""A kind (its place in `KINDS`) and a term of that kind."""


WritePostings: TypeAlias = "Callable[[int, Sequence[int], Mapping[int, ExportedMemory]], int]"
"""Removes memories of a bank by their rows, and adds others. Gives how many terms or memories it changed."""


class Posting(NamedTuple):
    """A memory that has a term: how often (at most what a smallint holds), and its number of terms of that kind."""

    row: int
    times: int
    length: int


def write_postings(
    connection: FleetConnection, bank: int, gone: Sequence[int], added: Mapping[int, ExportedMemory]
) -> int:
    """Remove rows from the postings of the terms that they had, and add others. Gives how many terms changed."""
    said = connection.execute(
        f"SELECT row, {', '.join(FOUND_BY)} FROM shared_memories WHERE bank = %s AND row = ANY(%s)",  # noqa: S608
        (bank, gone),
    ).fetchall()
    there = connection.execute("SELECT 1 FROM shared_memories WHERE bank = %s LIMIT 1", (bank,)).fetchone()
    new = defaultdict[Term, list[Posting]](list)
    for row, memory in added.items():
        for term, posting in _postings(row, memory.found_by):
            new[term].append(posting)
    touched = sorted({term for row, *texts in said for term, _ in _postings(row, texts)} | new.keys())
    dropped = set(gone)
    for some in (touched[at : at + 2_000] for at in range(0, len(touched), 2_000)):
        kept = _take_postings(connection, bank, some) if there else {}
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
        words = text.split()
        for word, count in Counter(words).items():
            yield (kind, word), Posting(row, min(count, 32_767), rounded_length(len(words)))


def rounded_length(length: int) -> int:
    """A length as tantivy keeps it in a byte: exact to 40, then with three bits after the first (Lucene's SmallFloat)."""
    if length < 24:
        return length
    shift = max((length - 24).bit_length() - 4, 0)
    return 24 + ((length - 24) >> shift << shift)


def _take_postings(connection: FleetConnection, bank: int, terms: Sequence[Term]) -> dict[Term, list[Posting]]:
    """Delete the postings of these terms of a bank, and give them."""
    found = connection.execute(
        "DELETE FROM shared_postings old USING unnest(%s::smallint[], %s::text[]) AS asked (kind, term) "
        "WHERE old.bank = %s AND old.kind = asked.kind AND old.term = asked.term "
        "RETURNING old.kind, old.term, old.rows, old.counts, old.lengths",
        ([kind for kind, _ in terms], [word for _, word in terms], bank),
    )
    return {(kind, term): list(map(Posting, *columns)) for kind, term, *columns in found}


def copy_rows(connection: FleetConnection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Add rows to a table by COPY, the fastest way."""
    with connection.cursor().copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)

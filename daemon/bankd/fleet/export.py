"""Reads the index of a bank for the shared search: memories with their terms, pages, readings, relations, vectors."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import closing, suppress
from datetime import date
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from bankd.errors import UserError
from bankd.index.rows import SEPARATOR
from bankd.index.writer import days_found_by
from bankd.search.indexable import nodes_of
from bankd.search.request import MeaningSettings
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
_OFF = MeaningSettings()
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


def export_index(root: Path, meaning: MeaningSettings = _OFF) -> ExportedIndex:
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
            json.dumps(meaning) if meaning.is_on else "",
            _vectors(root, rows, meaning) if meaning.is_on else {},
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
    """Runs may find relations without a change of the index, so the catalog's time is part of the state."""
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
    names = tuple(sorted(set(said["entities"].casefold().split())))
    nodes = tuple(nodes_of(paths.get(said["page"], ""), heading))
    return ExportedMemory(tuple(values), nodes, names, tuple(days_found_by(spans, learned)))


def _vectors(root: Path, rows: sqlite3.Connection, meaning: MeaningSettings) -> Mapping[int, bytes]:
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

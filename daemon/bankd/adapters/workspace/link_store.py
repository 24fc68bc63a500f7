"""Who refers to what: the references of the bank and of other folders, in `.bankd/links.sqlite3`.

Derived and incremental: a file is read when it has changed, and anything wrong with the database makes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from bankd.adapters.storage.derived import DerivedDatabase
from bankd.core.daemon.settle import FileFingerprint
from bankd.core.links.linking import Link, link_key
from bankd.core.links.points import Reach
from bankd.core.links.references import Reference
from bankd.core.links.relink import Source
from bankd.core.markdown.anchors import Outline, Spot
from bankd.core.markdown.inline import LinkKind
from bankd.core.markdown.scanner import decode_text, encode_text

_FORMAT = 5
_BATCH = 500
_LINK = "source, kind, line, first, last, target, angled"
_SCHEMA = """
CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, inode INTEGER, digest TEXT) WITHOUT ROWID;
CREATE TABLE links (source TEXT, key BLOB, kind TEXT, line INTEGER, first INTEGER, last INTEGER, target BLOB,
                    angled INTEGER, reach INTEGER, led TEXT, is_lost INTEGER);
CREATE INDEX links_source ON links (source, target);
CREATE INDEX links_key ON links (key);
CREATE INDEX links_lost ON links (is_lost) WHERE is_lost;
CREATE TABLE ids (path TEXT, id TEXT);
CREATE INDEX ids_path ON ids (path);
CREATE INDEX ids_id ON ids (id);
CREATE TABLE outlines (path TEXT PRIMARY KEY, outline TEXT) WITHOUT ROWID;
CREATE TABLE moved (old TEXT PRIMARY KEY, new TEXT) WITHOUT ROWID;
"""


class LinkTable(DerivedDatabase):
    """The references of a workspace by the file they stand in and by the word that their target ends with."""

    def __init__(self, path: Path, *, may_stay_in_memory: bool = False) -> None:
        """Open the table."""
        super().__init__(path, _SCHEMA, _FORMAT, may_stay_in_memory=may_stay_in_memory)

    def files(self) -> dict[str, FileFingerprint]:
        """Every file that was seen, with how it looked then."""
        return dict(self.read("SELECT path, size, mtime_ns, inode FROM files", (), _seen))

    def record(
        self, path: str, seen: FileFingerprint, data: bytes | None, source: Source | None, ids: Iterable[str]
    ) -> None:
        """Remember a file; one without `data` only as something that a link may lead to."""
        known = self.execute("SELECT target, MAX(reach), led FROM links WHERE source = ? GROUP BY target", (path,))
        reached = {target: (reach, led) for target, reach, led in known}
        self.forget(path)
        digest = "" if data is None else sha256(data).hexdigest()[:32]
        values = (path, seen.size, seen.mtime_ns, seen.inode, digest)
        self.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", values)
        self.execute_many("INSERT INTO ids VALUES (?, ?)", [(path, id_) for id_ in ids])
        rows = [
            (
                path,
                encode_text(link_key(path, r)),
                r.kind,
                r.line,
                r.start,
                r.end,
                target,
                r.is_angled,
                reach,
                led,
                False,
            )
            for r in (source.references if source else ())
            for target in [encode_text(r.target)]
            for reach, led in [reached.get(target, (0, None))]
        ]
        self.execute_many("INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def forget(self, path: str) -> None:
        """Forget a file that is gone."""
        for table, column in (("files", "path"), ("links", "source"), ("ids", "path"), ("outlines", "path")):
            self.execute(f"DELETE FROM {table} WHERE {column} = ?", (path,))  # noqa: S608  # our own names

    def links(self, keys: Collection[str]) -> Iterator[Link]:
        """The references whose target ends with one of these words."""
        wanted = sorted(map(encode_text, keys))
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            yield from self._links(f"key IN ({','.join('?' * len(batch))})", batch)

    def links_of(self, source: str) -> list[Link]:
        """The references of a file."""
        return list(self._links("source = ?", [source]))

    def every_link(self) -> Iterator[tuple[Link, Reach]]:
        """All references, with how far they have led at any time that we know of."""
        query = f"SELECT {_LINK}, reach FROM links ORDER BY source, line, first"  # noqa: S608  # our own words
        yield from self.read(query, (), lambda *row: (_link(*row[:-1]), Reach(row[-1])))

    def _links(self, condition: str, values: Sequence[str | bytes]) -> Iterator[Link]:
        query = f"SELECT {_LINK} FROM links WHERE {condition} ORDER BY source, line, first"  # noqa: S608  # our own words
        yield from self.read(query, tuple(values), _link)

    def mark_reached(self, links: Iterable[tuple[Link, Reach, str | None]]) -> None:
        """Remember how far these references lead and to which file: if they stop doing so, that is news."""
        rows = [(reach, led, link.source, encode_text(link.reference.target)) for link, reach, led in links]
        changes = "is_lost = reach > ?1, led = CASE WHEN ?1 = 2 THEN ?2 ELSE led END, reach = MAX(reach, ?1)"
        self.execute_many(f"UPDATE links SET {changes} WHERE source = ?3 AND target = ?4", rows)  # noqa: S608  # our own words

    def lost_links(self) -> Iterator[tuple[Link, str | None]]:
        """The references that led further when they were last followed, and the file in which they led to a place."""
        columns = "source, kind, line, first, last, target, angled, led"
        rows = self.execute(f"SELECT {columns} FROM links WHERE is_lost ORDER BY source, line, first")  # noqa: S608  # our own words
        for *fields, led in rows:
            yield _link(*fields), led

    def outline(self, path: str) -> Outline | None:
        """The places of a file, if they were looked for since it changed."""
        rows = self.read("SELECT outline FROM outlines WHERE path = ?", (path,), _outline)
        return rows[0] if rows else None

    def keep_outline(self, path: str, outline: Outline) -> None:
        """Remember the places of a file until it changes."""
        self.execute("INSERT OR REPLACE INTO outlines VALUES (?, ?)", (path, json.dumps(asdict(outline))))

    def pages_with(self, id_: str) -> list[str]:
        """The files that hold a block of this id."""
        return [path for (path,) in self.execute("SELECT path FROM ids WHERE id = ? ORDER BY path", (id_,))]

    def prints(self, paths: Collection[str]) -> Mapping[str, tuple[str, frozenset[str]]]:
        """The digest and the memory ids of files."""
        found = {}
        for path in paths:
            row = next(iter(self.execute("SELECT digest FROM files WHERE path = ?", (path,))), None)
            ids = self.execute("SELECT id FROM ids WHERE path = ?", (path,))
            found[path] = (row[0] if row else "", frozenset(id_ for (id_,) in ids))
        return found

    def note_moved(self, moves: Mapping[str, str]) -> None:
        """Remember moves that the user made, until links have followed them."""
        for old, new in moves.items():
            self.execute("UPDATE moved SET new = ? WHERE new = ?", (new, old))
            self.execute("INSERT OR REPLACE INTO moved VALUES (?, ?)", (old, new))

    def moved(self) -> dict[str, str]:
        """The moves that the user made and that links have not followed."""
        return dict(self.execute("SELECT old, new FROM moved ORDER BY old"))

    def settle_moved(self, old: Iterable[str]) -> None:
        """Links have followed these moves, or need not."""
        self.execute_many("DELETE FROM moved WHERE old = ?", [(path,) for path in old])


def _seen(path: str, size: int, mtime_ns: int, inode: int) -> tuple[str, FileFingerprint]:
    return path, FileFingerprint(size, mtime_ns, inode)


def _link(source: str, kind: str, *place: Any) -> Link:
    line, first, last, target, angled = place
    return Link(source, Reference(LinkKind(kind), line, first, last, decode_text(target), bool(angled)))


def _outline(text: str) -> Outline:
    fields = json.loads(text)
    return Outline(tuple(Spot(**spot) for spot in fields["spots"]), fields["ids"], fields["blocks"])

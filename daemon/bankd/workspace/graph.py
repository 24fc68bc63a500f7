"""The references between files, in `.bankd/links.sqlite3`, and the graph that is asked before anything is moved.

The database is derived: a file is read when it has changed, and a damaged database is made anew. The files are those
of the workspace and of the other folders in the settings.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from bankd.edits.settle import FileFingerprint, why_ignored
from bankd.errors import ConflictError
from bankd.layouts.links import (
    Link,
    LinkScene,
    Reach,
    Source,
    Stray,
    block_named,
    files_touched,
    keys_to,
    keys_touched,
    link_key,
    wanted_reach,
)
from bankd.layouts.merge import Layout, PageIdentity, moved_by_hand, root_of_move
from bankd.layouts.rearrange import REFERRING, read_source
from bankd.memory.route import PagePart, read_part
from bankd.pages.memory import split_id
from bankd.pages.names import ARCHIVE, BANK, INBOX, Names, is_outside, is_own, path_key
from bankd.pages.page import parts_folder, read_page
from bankd.pages.references import LinkKind, Reference
from bankd.pages.resolve import WIKI_KINDS, Outline, outline_of, resolve_reference
from bankd.pages.scanner import Document, decode_text, encode_text, scan_text
from bankd.pages.text import only_utf8
from bankd.storage.disk import DerivedDatabase
from bankd.storage.tree import FILE_CAP, FileTree, fingerprint_of, walk_folders
from bankd.workspace.catalog import seen_file, seen_row

_FORMAT = 6
_LINK = "source, kind, line, first, last, target, angled"


def _link(source: str, kind: str, *place: Any) -> Link:
    line, first, last, target, angled = place
    return Link(source, Reference(LinkKind(kind), line, first, last, decode_text(target), bool(angled)))


_FOLDERS = ("bank", "memory", "archive")
_SKIPPED = frozenset({"node_modules", "__pycache__"})
_OWN = frozenset({"events", "recall"})
"""Folders of the workspace, and only there: a page of the bank about events has its parts in `events/`."""


def _referring_files(home: str, roots: Iterable[str]) -> Iterator[tuple[str, FileFingerprint]]:
    """The files that something may refer to, of the bank, the logs, the archive, `roots` and the top folder; none is opened.

    `home` is the resolved folder of the workspace. A file larger than what is read is left out.
    """
    prefix = str(Path(home, "x"))[:-1]
    for root in ("", *_FOLDERS, *(root for root in roots if root.partition("/")[0] not in _FOLDERS)):
        folders = walk_folders(
            lambda folder: os.open(folder, os.O_RDONLY | os.O_DIRECTORY), str(Path(home, root)), {}, _SKIPPED
        )
        for folder, files in folders if root else islice(folders, 1):  # of the top folder itself only the files
            within = f"{folder}/".removeprefix(prefix)
            for name in sorted(files) if within.partition("/")[0] not in _OWN else ():
                is_passed_over = name.startswith(".") or (name.endswith(".md") and why_ignored(name))
                if not is_passed_over and stat.S_ISREG(files[name].st_mode) and files[name].st_size <= FILE_CAP:
                    yield f"{within}{name}", fingerprint_of(files[name])


class LinkGraph:
    """The files, names and references of one workspace; `opened` counts the files that were read.

    References are found by the file that they stand in, and by the word that their target ends with.
    """

    def __init__(
        self, tree: FileTree, roots: Collection[str], routing: str, *, may_stay_in_memory: bool = False
    ) -> None:
        """`roots` are other folders of the settings; `routing` is the path of the routing rules in the workspace."""
        self._tree, self.routing, self._home = tree, routing, tree.root.resolve().as_posix()
        resolved = (Path(self._home, root).resolve() for root in roots)
        inside = (path.relative_to(self._home) if path.is_relative_to(self._home) else path for path in resolved)
        self._roots = tuple(path.as_posix() for path in inside)
        file = tree.root / ".bankd/links.sqlite3"
        tables = Path(__file__).with_name("graph.sql").read_text("utf-8")
        self.database = DerivedDatabase(file, tables, _FORMAT, may_stay_in_memory=may_stay_in_memory)
        self.database.refill = self.refresh
        self.names = Names((), self._home)
        self.opened = 0
        self._views: dict[str, PagePart] = {}
        self._outlines: dict[str, Outline] = {}

    def refresh(self) -> None:
        """Read the files that changed, forget those that are gone, and notice the moves that the user made."""
        self._views, self._outlines = {}, {}
        there = dict(_referring_files(self._home, self._roots))
        self.names = Names(there, self._home)
        seen = {path: there[path] for path in only_utf8(there)}  # a link may lead to the others too
        self.database.change(lambda: self._take_in(seen))

    def _take_in(self, seen: Mapping[str, FileFingerprint]) -> None:
        known = self._files()
        gone, changed = known.keys() - seen.keys(), {path for path in seen if known.get(path) != seen[path]}
        new = changed - known.keys()
        before = self._identities(gone) if new else {}
        for path in sorted(changed):
            self._record(path, seen[path])
        for old, path in moved_by_hand(before, self._identities(new) if gone else {}).items():
            self.database.execute("UPDATE moved SET new = ? WHERE new = ?", (path, old))
            self.database.execute("INSERT OR REPLACE INTO moved VALUES (?, ?)", (old, path))
        for path in gone:
            self._forget(path)
        self.settle(old for old in self._moves() if old in seen)
        # How far references lead that changed, and those to a place in a file that changed or is gone.
        links = [link for path in changed for link in self.links_of(path)]
        if known:
            pointed = (link for link in self.links_named([*changed, *gone]) if "#" in link.reference.target)
            links += [link for link in pointed if link.source not in changed]
        scene, furthest = self.scene, dict[tuple[str, bytes], tuple[Reach, str | None]]()
        before_these = self.names.changed(new, gone) if gone else self.names
        for link in links:
            reach, target = scene.reach(link), scene.target(link)
            if target is None and gone:  # it may have been written before its page went
                led = resolve_reference(link.reference, link.source, before_these)
                reach = Reach.FILE if led and led.path in gone else reach
            furthest[link.source, encode_text(link.reference.target)] = reach, target.path if target else None
        changes = "is_lost = reach > ?1, led = CASE WHEN ?1 = 2 THEN ?2 ELSE led END, reach = MAX(reach, ?1)"
        rows = [(*how, *where) for where, how in furthest.items()]
        self.database.execute_many(f"UPDATE links SET {changes} WHERE source = ?3 AND target = ?4", rows)  # noqa: S608  # our own words

    def _record(self, path: str, seen: FileFingerprint) -> None:
        """Remember a file; one in which no references are followed only as something that a link may lead to."""
        is_archived = path.startswith(ARCHIVE) and path.endswith(".md")
        is_read = is_archived or (path.endswith(REFERRING) and self._may_refer(path))
        data = self._bytes(path) if is_read else None
        text = decode_text(data or b"")
        known = "SELECT target, MAX(reach), led FROM links WHERE source = ? GROUP BY target"
        reached = {target: (reach, led) for target, reach, led in self.database.execute(known, (path,))}
        self._forget(path)
        digest = "" if data is None else sha256(data).hexdigest()[:32]
        self.database.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", (path, *seen_row(seen), digest))
        lines = text.split("\n") if path.endswith(".md") else ()
        ids = {id_ for line in lines if (id_ := split_id(line.rstrip())[1])}
        self.database.execute_many("INSERT INTO ids VALUES (?, ?)", [(path, id_) for id_ in ids])
        rows = []
        for r in read_source(path, text, self.routing).references if is_read and not is_archived else ():
            target = encode_text(r.target)
            place = (encode_text(link_key(path, r)), r.kind, r.line, r.start, r.end, target, r.is_angled)
            rows.append((path, *place, *reached.get(target, (0, None)), False))
        self.database.execute_many("INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _forget(self, path: str) -> None:
        for table, column in (("files", "path"), ("links", "source"), ("ids", "path")):
            self.database.execute(f"DELETE FROM {table} WHERE {column} = ?", (path,))  # noqa: S608  # our own names

    def _files(self) -> dict[str, FileFingerprint]:
        """Every file that was seen, with its fingerprint."""
        return dict(self.database.read("SELECT path, size, mtime_ns, inode FROM files", (), seen_file))

    def _identities(self, paths: Iterable[str]) -> dict[str, PageIdentity]:
        """The digest and the memory ids of the pages of the bank among these files."""
        found = {}
        for path in sorted(path for path in paths if path.startswith(BANK) and path.endswith(".md")):
            rows = self.database.execute("SELECT digest FROM files WHERE path = ?", (path,))
            ids = self.database.execute("SELECT id FROM ids WHERE path = ?", (path,))
            found[path] = PageIdentity(rows[0][0] if rows else "", frozenset(id_ for (id_,) in ids))
        return found

    def _may_refer(self, path: str) -> bool:
        """Whether people write the references of a file. Not so bankd's own pages: their names are examples, or made anew."""
        if path.startswith(BANK):
            return path == BANK + INBOX or not is_own(path.removeprefix(BANK))
        return path == self.routing or any(path.startswith(root + "/") for root in self._roots)

    def sources_for(self, layout: Layout, names: Names) -> dict[str, Source]:
        """The pages of a layout and the files that it touches, read; `names` are the names before it."""
        there = {path for path in layout.sources if path in self.names}
        wanted = there | files_touched(layout, self._links(keys_touched(layout)), names)
        return {path: self.read(path) for path in sorted(wanted)}

    def read(self, path: str) -> Source:
        """A file with its references, as it is now."""
        return read_source(path, decode_text(self._bytes(path) or b""), self.routing)

    def document(self, path: str) -> Document:
        """A page as it is now."""
        return scan_text(decode_text(self._bytes(path) or b""))

    def _bytes(self, path: str) -> bytes | None:
        """The bytes of a file in the workspace or outside; None when it cannot be read or must be left alone."""
        self.opened += 1
        with suppress(ConflictError, OSError):
            return Path(path).read_bytes() if is_outside(path) else self._tree.read(path)
        return None

    def view(self, path: str) -> PagePart | None:
        """The parts of a page that decide whether a memory fits it; None when there is no such page."""
        if path not in self.names:
            return None
        if path not in self._views:
            self._views[path] = read_part(read_page(path, self._bytes(path) or b""))
        return self._views[path]

    def is_hub(self, path: str) -> bool:
        """Whether a page has a folder of parts."""
        return self.names.has_folder(parts_folder(path))

    @property
    def scene(self) -> LinkScene:
        """The files as they are, to find out how far references lead."""
        return LinkScene(self.names, self._outline)

    def _outline(self, path: str) -> Outline | None:
        """The places in a file."""
        if not path.endswith(".md"):
            return None
        if path not in self._outlines:
            self._outlines[path] = outline_of(self.document(path))
        return self._outlines[path]

    def links_into(self, pages: Collection[str]) -> list[Link]:
        """The references to a place inside one of these pages, from the pages themselves too."""
        pointed = (link for link in self.links_named(pages) if "#" in link.reference.target)
        return [link for link in pointed if (target := self.scene.target(link)) and target.path in pages]

    def links_named(self, pages: Collection[str]) -> list[Link]:
        """The references that may mean these pages, by the last word of their targets."""
        return self._links({key for path in pages for key in keys_to(path)})

    def _links(self, keys: Collection[str]) -> list[Link]:
        """The references whose target ends with one of these words."""
        query = f"SELECT {_LINK} FROM links WHERE key IN ({{}}) ORDER BY source, line, first"  # noqa: S608  # our own words
        return list(self.database.read_among(query, sorted(map(encode_text, keys)), _link))

    def links_of(self, page: str) -> list[Link]:
        """The references that stand in a page."""
        query = f"SELECT {_LINK} FROM links WHERE source = ? ORDER BY line, first"  # noqa: S608  # our own words
        return self.database.read(query, (page,), _link)

    def is_name_taken(self, path: str) -> bool:
        """Whether a new page may not have this name: a page has it, or a broken link waits for it."""
        name = path.rpartition("/")[2]
        if self.names.named(name):
            return True
        return any(link.reference.kind in WIKI_KINDS for link in self._links({path_key(name.removesuffix(".md"))}))

    def broken(self) -> Iterator[tuple[Link, bool]]:
        """The broken references, each with whether it once worked; addresses outside are left out."""
        scene = self.scene
        for link, reach in self._links_with("reach"):
            now, once = scene.reach(link), Reach(reach)
            if _is_ours(link, once) and now < max(once, wanted_reach(link.reference)):
                yield link, now < once

    def _links_with(self, column: str, where: str = "TRUE") -> list[tuple[Link, Any]]:
        """All references, or some, each with the value of a column.

        `reach` is the furthest that a reference has ever led, `led` the file in which it led to a place.
        """
        query = f"SELECT {_LINK}, {column} FROM links WHERE {where} ORDER BY source, line, first"  # noqa: S608  # our own words
        return self.database.read(query, (), lambda *row: (_link(*row[:-1]), row[-1]))

    def _moves(self) -> dict[str, str]:
        """The moves by the user that links have not followed yet, old path to new."""
        return dict(self.database.execute("SELECT old, new FROM moved ORDER BY old"))

    def moved(self) -> dict[str, str]:
        """The moves by the user, old path to new, for which a link waits, and everything that moved with them.

        A move of long ago that no link waits for is left out: links written since then may use the new path.
        """
        moves = self._moves()
        before = self.names.changed(moves.values(), moves)
        waiting = {old for old, new in moves.items() if self._waits(old, new, before)}
        astray = (link for link, once in self.broken() if once and self.scene.target(link) is None) if moves else ()
        for target in filter(None, (resolve_reference(link.reference, link.source, before) for link in astray)):
            meant = {old for old in moves if old == target.path or old.startswith(f"{target.path.rstrip('/')}/")}
            waiting |= meant or moves.keys()
        roots = {root_of_move(old, moves[old]) for old in waiting}
        return {old: new for old, new in moves.items() if root_of_move(old, new) in roots}

    def pages_with(self, block: str) -> list[str]:
        """The files in which a block of this id stands."""
        return [path for (path,) in self.database.execute("SELECT path FROM ids WHERE id = ? ORDER BY path", (block,))]

    def strays(self) -> list[Stray]:
        """The references to a block that is no longer there."""
        lost = ((link, led, block_named(link.reference)) for link, led in self._links_with("led", "is_lost"))
        return [
            Stray(link, led, block, tuple(self.pages_with(block)))
            for link, led, block in lost
            if led and block and self.scene.reach(link) is not Reach.POINT
        ]

    def settle(self, moved: Iterable[str]) -> None:
        """Forget these moves: links have followed them, or need not."""
        self.database.execute_many("DELETE FROM moved WHERE old = ?", [(path,) for path in moved])

    def _waits(self, old: str, new: str, before: Names) -> bool:
        """Whether a moved page has a link that is broken now and worked from its old place."""
        links = [link.reference for link in self.links_of(new)]
        return any(
            not resolve_reference(item, new, self.names) and resolve_reference(item, old, before) for item in links
        )

    def sizes(self) -> dict[str, int]:
        """The bytes of every page of the bank."""
        return {path: seen.size for path, seen in self._files().items() if path.startswith(BANK)}


def _is_ours(link: Link, once: Reach) -> bool:
    """Whether a reference is meant to lead to a file; a bare path only when it led to a place in one."""
    target = link.reference.target
    is_address = ":" in target.partition("#")[0] or target.startswith("//")
    if link.reference.kind in {LinkKind.BARE, LinkKind.ROUTE}:
        return once is Reach.POINT
    return bool(target.strip("#")) and not is_address

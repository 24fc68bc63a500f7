"""The graph of references of one workspace: kept up to date with its files, asked before anything is moved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from bankd.adapters.storage.tree import FileTree
from bankd.adapters.workspace.link_store import LinkTable
from bankd.adapters.workspace.referring_files import ReferringFiles
from bankd.core.daemon.settle import FileFingerprint
from bankd.core.edits.layout import Layout
from bankd.core.lifecycle.follow import PagePart, read_part
from bankd.core.links.linking import Link, Stray, files_touched, keys_to, keys_touched, links_to
from bankd.core.links.points import LinkScene, Reach, block_named, wanted_reach
from bankd.core.links.relink import Source
from bankd.core.links.resolve import WIKI_KINDS, resolve_reference
from bankd.core.markdown.anchors import Outline, outline_of
from bankd.core.markdown.hubs import parts_folder
from bankd.core.markdown.inline import LinkKind
from bankd.core.markdown.memory import split_id
from bankd.core.markdown.names import ARCHIVE, BANK, INBOX, Names, is_outside, is_own, path_key
from bankd.core.markdown.pages import read_page
from bankd.core.markdown.scanner import Document, decode_text, scan_text
from bankd.core.markdown.utf8 import only_utf8
from bankd.core.pages.moves import PageIdentity, moved_by_hand
from bankd.core.pages.rearrange import REFERRING, read_source
from bankd.errors import ConflictError


class LinkGraph:
    """Files, names and references; `opened` counts the files that were read since it was made."""

    def __init__(self, tree: FileTree, table: LinkTable, roots: Collection[str], routing: str) -> None:
        """`roots` are other folders, and `routing` is the file of rules, from the workspace."""
        self._tree, self.routing = tree, routing
        self._files = ReferringFiles(tree.root.resolve().as_posix(), roots)
        self.table = table
        table.refill = self.refresh
        self.names = Names((), self._files.home)
        self.opened = 0
        self._views: dict[str, PagePart] = {}

    def close(self) -> None:
        """Close the database."""
        self.table.close()

    def refresh(self) -> None:
        """Read the files that changed, forget those that are gone, and notice moves that the user has made."""
        self._views = {}
        there = dict(self._files.walk())
        self.names = Names(there, self._files.home)
        seen = {path: there[path] for path in only_utf8(there)}  # a link may lead to the others too
        self.table.change(lambda: self._take_in(seen))

    def _take_in(self, seen: Mapping[str, FileFingerprint]) -> None:
        known = self.table.files()
        gone, changed = known.keys() - seen.keys(), {path for path in seen if known.get(path) != seen[path]}
        new = changed - known.keys()
        prints = {
            path: PageIdentity(*value) for path, value in self.table.prints(sorted(_pages(gone) if new else [])).items()
        }
        for path in sorted(changed):
            self._record(path, seen[path])
        found = {
            path: PageIdentity(*value) for path, value in self.table.prints(sorted(_pages(new) if gone else [])).items()
        }
        moves = moved_by_hand(prints, found)
        self.table.note_moved(moves)
        for path in gone:
            self.table.forget(path)
        self.table.settle_moved(old for old in self.table.moved() if old in seen)
        self._mark_reached(changed, gone, is_first=not known)

    def _record(self, path: str, seen: FileFingerprint) -> None:
        is_archived = path.startswith(ARCHIVE) and path.endswith(".md")
        if not is_archived and not (path.endswith(REFERRING) and self._may_refer(path)):
            self.table.record(path, seen, None, None, ())
            return
        data = self._bytes(path)
        text = decode_text(data or b"")
        ids = (
            {id_ for line in text.split("\n") if (id_ := split_id(line.rstrip())[1])} if path.endswith(".md") else set()
        )
        source = None if is_archived else read_source(path, text, self.routing)
        self.table.record(path, seen, data, source, ids)

    def _mark_reached(self, changed: Collection[str], gone: Collection[str], *, is_first: bool) -> None:
        """Remember how far references lead that changed, and those to a place in files that did or are gone."""
        links = [link for path in changed for link in self.table.links_of(path)]
        if not is_first:
            pointed = (link for link in self.links_named([*changed, *gone]) if "#" in link.reference.target)
            links += [link for link in pointed if link.source not in changed]
        self.table.mark_reached((link, self.scene.reach(link), self._page_of(link)) for link in links)

    def _page_of(self, link: Link) -> str | None:
        return target.path if (target := self.scene.target(link)) else None

    def _may_refer(self, path: str) -> bool:
        """Whether a file's references are people's; what bankd keeps for itself names pages as examples, or is made anew."""
        if path.startswith(BANK) and is_own(path.removeprefix(BANK)) and path != BANK + INBOX:
            return False
        return (
            path.startswith(BANK)
            or path == self.routing
            or any(path.startswith(root + "/") for root in self._files.roots)
        )

    def sources_for(self, layout: Layout, names: Names) -> dict[str, Source]:
        """The pages of a layout and the files that it touches, read; `names` are those from before it."""
        there = {path for path in layout.sources if path in self.names}
        wanted = there | files_touched(layout, self.table.links(keys_touched(layout)), names)
        return {path: self.read(path) for path in sorted(wanted)}

    def read(self, path: str) -> Source:
        """A file with its references, as it is now."""
        return read_source(path, decode_text(self._bytes(path) or b""), self.routing)

    def document(self, path: str) -> Document:
        """A page as it is now."""
        return scan_text(decode_text(self._bytes(path) or b""))

    def _bytes(self, path: str) -> bytes | None:
        """A file, in the workspace or outside; None for one that cannot be read or must be left alone."""
        self.opened += 1
        with suppress(ConflictError, OSError):
            return Path(path).read_bytes() if is_outside(path) else self._tree.read(path)
        return None

    def view(self, path: str) -> PagePart | None:
        """What decides whether a memory fits a page; None when there is no such page."""
        if path not in self.names:
            return None
        if path not in self._views:
            self._views[path] = read_part(read_page(path, self._bytes(path) or b""))
        return self._views[path]

    def is_hub(self, path: str) -> bool:
        """Whether a page may have parts, by the folder that they would be in."""
        return self.names.has_folder(parts_folder(path))

    def links_to(self, path: str) -> list[Link]:
        """The references that lead to a file or folder, in the order of their places."""
        return list(links_to(path, self.table.links(keys_to(path)), self.names))

    @property
    def scene(self) -> LinkScene:
        """The files as they are, for asking how far references lead."""
        return LinkScene(self.names, self._outline)

    def _outline(self, path: str) -> Outline | None:
        """The places of a file, looked for once as long as it stays the same."""
        if not path.endswith(".md"):
            return None
        outline = self.table.outline(path)
        if outline is None:
            outline = outline_of(self.document(path))
            self.table.keep_outline(path, outline)
        return outline

    def links_into(self, pages: Collection[str]) -> list[Link]:
        """The references to a place inside one of these pages, from the pages themselves too."""
        pointed = (link for link in self.links_named(pages) if "#" in link.reference.target)
        return [link for link in pointed if (target := self.scene.target(link)) and target.path in pages]

    def links_named(self, pages: Collection[str]) -> list[Link]:
        """The references that may mean these pages, as far as their last word tells."""
        return list(self.table.links({key for path in pages for key in keys_to(path)}))

    def links_of(self, page: str) -> list[Link]:
        """The references that stand in a page."""
        return self.table.links_of(page)

    def is_name_taken(self, path: str) -> bool:
        """Whether a new page may not have this name: a page has it, or a link that leads nowhere waits for it."""
        name = path.rpartition("/")[2]
        if self.names.named(name):
            return True
        waiting = self.table.links({path_key(name.removesuffix(".md"))})
        return any(link.reference.kind in WIKI_KINDS for link in waiting)

    def broken(self) -> Iterator[tuple[Link, bool]]:
        """The references that do not lead where they say, and whether they once did; addresses outside are none of ours."""
        scene = self.scene
        for link, once in self.table.every_link():
            now = scene.reach(link)
            if _is_ours(link, once) and now < max(once, wanted_reach(link.reference)):
                yield link, now < once

    def moved(self) -> dict[str, str]:
        """The pages that the user has moved, old path to new, for which a link waits, and what moved along with them.

        Of a move of long ago that no link waits for nothing is undone in thought: links were written since then, to
        the new path, that led elsewhere before.
        """
        moves = self.table.moved()
        before = self.names.changed(moves.values(), moves)
        waiting = {old for old, new in moves.items() if self._waits(old, new, before)}
        found = (resolve_reference(link.reference, link.source, before) for link in self._astray()) if moves else ()
        for target in filter(None, found):
            meant = {old for old in moves if old == target.path or old.startswith(f"{target.path.rstrip('/')}/")}
            waiting |= meant or moves.keys()
        roots = {_root_of(old, moves[old]) for old in waiting}
        return {old: new for old, new in moves.items() if _root_of(old, new) in roots}

    def _astray(self) -> Iterator[Link]:
        """The references that led to a file and lead to none now."""
        return (link for link, once in self.broken() if once and self.scene.target(link) is None)

    def pages_with(self, block: str) -> list[str]:
        """The files in which a block of this id stands."""
        return self.table.pages_with(block)

    def strays(self) -> list[Stray]:
        """The references that led to a block which is not there any more."""
        lost = ((link, led, block_named(link.reference)) for link, led in self.table.lost_links())
        return [
            Stray(link, led, block, tuple(self.table.pages_with(block)))
            for link, led, block in lost
            if led and block and self.scene.reach(link) is not Reach.POINT
        ]

    def settle(self, moved: Iterable[str]) -> None:
        """Links have followed these pages, or need not."""
        listed = list(moved)
        self.table.change(lambda: self.table.settle_moved(listed))

    def _waits(self, old: str, new: str, before: Names) -> bool:
        """Whether a link of a moved page leads nowhere that led somewhere from its old place."""
        links = [link.reference for link in self.table.links_of(new)]
        return any(
            not resolve_reference(item, new, self.names) and resolve_reference(item, old, before) for item in links
        )

    def sizes(self) -> dict[str, int]:
        """The bytes of every page of the bank."""
        return {path: seen.size for path, seen in self.table.files().items() if path.startswith(BANK)}


def _root_of(old: str, new: str) -> tuple[str, str]:
    """What was moved, with all below it: the folders, or the page, by which two paths differ."""
    was, now = old.split("/"), new.split("/")
    while was and now and was[-1] == now[-1]:
        was.pop()
        now.pop()
    return "/".join(was), "/".join(now)


def _is_ours(link: Link, once: Reach) -> bool:
    """Whether a reference is meant to lead to a file; a bare path is when it led to a place in one."""
    target = link.reference.target
    is_address = ":" in target.partition("#")[0] or target.startswith("//")
    if link.reference.kind in {LinkKind.BARE, LinkKind.ROUTE}:
        return once is Reach.POINT
    return bool(target.strip("#")) and not is_address


def _pages(paths: Collection[str]) -> list[str]:
    return [path for path in paths if path.startswith(BANK) and path.endswith(".md")]

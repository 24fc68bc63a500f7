"""The reverse of a run: byte for byte where all is as the run left it, else memory by memory; and how a text is purged.

A run that moved lines between pages is taken back whole or not at all: half of it would leave parts without a hub, and
memories that are there twice. Of any other run each memory goes from where it is now, or comes back to where it was. What
people or later runs changed since stays, and is named.

A purge replaces the text in records, but not in the fields that bankd itself needs: the day of a run, an id, the path of a
page. Nobody said those, and a record without them cannot be read.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import chain
from typing import Any

from bankd.edits import operations as ops
from bankd.edits.inserting import ids_in, unix_text
from bankd.edits.transaction import Event, Look, Transaction, removals_of
from bankd.layouts.links import Link, block_named
from bankd.memory import ledger as kinds
from bankd.memory.archive import Archived, put_back, restore_place
from bankd.memory.ledger import Ledger, make_event
from bankd.memory.use import IMPORTANCE, TAKEN_BACK
from bankd.pages.memory import parse_memory, split_id, text_key
from bankd.pages.names import BANK, Names, path_key
from bankd.pages.page import MARKER, MemoryLines, PageLines, read_page
from bankd.pages.references import without_targets
from bankd.pages.scanner import decode_text, split_lines
from bankd.pages.text import MARK
from bankd.words.analysis import has_hangul
from bankd.words.tables import split_words

Files = Mapping[str, bytes | None]

REOPENS = {
    kinds.APART: kinds.REOPENED,
    kinds.DISMISSED: kinds.REOPENED,
    kinds.SUPERSEDED: kinds.APART,
    IMPORTANCE: IMPORTANCE,
}
"""The answers that an undo takes back, each with the event that does it."""
_OF_EVENTS = frozenset({"id", "type", "at", "run", "told"})
_KEPT_FACTS = ("page", "heading", "after", "before", "is_apart", "reason")


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run to take back: its transaction, and its files before it and as it left them."""

    transaction: Transaction
    before: Files
    after: Files


@dataclass(frozen=True, slots=True)
class Present:
    """The workspace as it is now: its pages, their bytes, and which memories were forgotten.

    `dead_links` gives the links that would break by some operations. `was_forgotten` tells it of a memory by its id and the
    key of its text. `learned_since` has the memories that were learned after the run to take back.
    """

    names: Names
    look: Look
    dead_links: Callable[[Sequence[ops.Operation]], Iterable[Link]]
    was_forgotten: Callable[[str, str], bool]
    learned_since: Collection[str] = ()

    def pages_of(self, page: str) -> list[str]:
        """A page and its parts by their present names; the case of letters does not matter."""
        key = path_key(page)
        below = key.removesuffix(".md") + "/"
        return [path for path in self.pages() if path_key(path) == key or path_key(path).startswith(below)]

    def is_forgotten(self, id_: str, was: MemoryLines) -> bool:
        """Whether a memory was forgotten, or another with its text that was learned again since."""
        first, *rest = _own(was)
        lines = [MARKER.sub("", first), *rest]
        return self.was_forgotten(id_, text_key(parse_memory("\n".join(map(str.strip, lines)))))

    def said_since(self) -> list[tuple[str, MemoryLines]]:
        """The memories that were learned after the run, with their lines at every place."""
        return [(id_, lines) for id_, places in self.stand(self.learned_since).items() for lines in places]

    def pages(self) -> list[str]:
        """All pages, in the order of their paths."""
        return sorted(self.names.paths())

    def stand(self, ids: Collection[str]) -> dict[str, list[MemoryLines]]:
        """Every place at which each of these memories is."""
        found: dict[str, list[MemoryLines]] = {id_: [] for id_ in ids}
        for path in self.pages() if ids else ():
            data = self.look(path) or b""
            if not ids_in(data).isdisjoint(ids):
                for id_, lines in _memories_of({path: data}, with_id=True):
                    found.get(id_, []).append(lines)
        return found


@dataclass(slots=True)
class Undoing:
    """How a run is taken back: the operations, and what stays as people have it now.

    `turned` has the memories that come or go: where each is and where it will be, None for nowhere. With `obstacles`
    nothing can be taken back.
    """

    operations: list[ops.Operation] = field(default_factory=list)
    turned: dict[str, tuple[MemoryLines | None, MemoryLines | None]] = field(default_factory=dict)
    stays: list[str] = field(default_factory=list)
    obstacles: tuple[str, ...] = ()


def plan_undo(past: PastRun, now: Present) -> Undoing:
    """Plan how to undo a run."""
    if all(ops.digest_of(now.look(path)) == ops.digest_of(data) for path, data in past.before.items()):
        return Undoing()
    exact = _undo_exactly(past)
    obstacles = tuple(_find_obstacles(past, now)) or tuple(_references(past, now, exact))
    if not obstacles:
        return exact
    return Undoing(obstacles=obstacles) if moves_lines(past.transaction) else _Reverser(past, now).reverse()


def moves_lines(transaction: Transaction) -> bool:
    """Whether a run changed the layout of pages, or links because of that: a split, merge, move, heal, or its undo.

    Links that followed a memory to another page do not count: they go back with it.
    """
    carried = {removal.elsewhere for removal in _removals(transaction)}
    return any(
        (isinstance(op, ops.Write) and op.is_layout)
        or (isinstance(op, ops.Relink) and not all(move.target in carried for move in op.moves))
        for op in transaction.operations
    )


def _removals(transaction: Transaction) -> list[ops.Remove]:
    """What a run took out of each page, with the lines as they were there."""
    return [removal for operation in transaction.operations for removal in removals_of(operation)]


def stand_of(files: Files) -> dict[str, MemoryLines]:
    """The memories in some files, in their order; one that is there twice with its first place."""
    found: dict[str, MemoryLines] = {}
    for id_, lines in _memories_of(files, with_id=True):
        found.setdefault(id_, lines)
    return found


def lines_left(files: Files, wanted: Set[str]) -> dict[str, MemoryLines]:
    """The lines of these memories in the bank, from the files as a run left or found them."""
    here = {path: data for path, data in files.items() if not ids_in(data or b"").isdisjoint(wanted)}
    stood = stand_of({path: data for path, data in here.items() if path.startswith(BANK)})
    return {id_: lines for id_, lines in stood.items() if id_ in wanted}


def _memories_of(files: Files, *, with_id: bool = False) -> Iterator[tuple[str, MemoryLines]]:
    """The memories in some files by id, and unless `with_id` is set also those without an id, by their place."""
    for path, data in sorted(files.items()):
        if data is not None and path.endswith(".md"):
            page = read_page(path, data.removeprefix(MARK.encode()))
            lines = PageLines(page)
            for entry in page.entries:
                if entry.memory.id or not with_id:
                    yield entry.memory.id or f"{path}:{entry.line}", lines.of(entry)


# to the byte


def _find_obstacles(past: PastRun, now: Present) -> Iterator[str]:
    """Why a run cannot be taken back byte for byte."""
    for path, data in past.before.items():
        left, here = past.after[path], now.look(path)
        if ops.digest_of(here) != ops.digest_of(left):
            made = "was made" if left is None else "changed"
            yield f"{path}: is not there any more" if here is None else f"{path}: {made} since"
        elif (other := now.names.file(path) or path) != path:
            yield f"{path}: {other} was made since"
        elif PURGED in decode_text(data or b""):
            yield f"{path}: a text was purged from its stored copy"
    yield from _copied(past, now)


def _references(past: PastRun, now: Present, exact: Undoing) -> Iterator[str]:
    """The references outside the run to what would go; links to a memory follow it, or are named elsewhere.

    A page that routing.yaml names does not count: it is made again when a line needs it.
    """
    is_layout = moves_lines(past.transaction)
    for link in now.dead_links(exact.operations):
        counts = is_layout or (link.source.endswith(".md") and not block_named(link.reference))
        if counts and link.source not in past.before:
            yield f"{link.source}:{link.reference.line + 1} refers to {link.reference.target}, which would go"


def _copied(past: PastRun, now: Present) -> Iterator[str]:
    """Memories that would exist twice or not at all after the undo, and memories that were forgotten since."""
    was, left = stand_of(past.before), stand_of(past.after)
    for id_, places in now.stand(sorted(left.keys() - was.keys())).items():
        if len(places) > 1:  # the undo would take only the copy that it knows
            yield f"{id_}: stands on {' and '.join(lines.page for lines in places)}"
    back = sorted(was.keys() - left.keys())
    said = {"\n".join(_words(lines)): id_ for id_, lines in now.said_since() if id_ not in was} if back else {}
    for id_, places in now.stand(back).items():
        if places or now.is_forgotten(id_, was[id_]):
            yield f"{id_}: " + (f"stands on {places[0].page} by now" if places else "forgotten since")
        elif other := said.get("\n".join(_words(was[id_]))):
            yield f"{id_}: {other} says the same by now"


def _undo_exactly(past: PastRun) -> Undoing:
    """Give every file back its bytes from before."""
    undoing = Undoing()
    homes: dict[str, set[str]] = {}
    for removal in _removals(past.transaction):
        homes.setdefault(removal.elsewhere, set()).add(removal.path)
    is_layout = moves_lines(past.transaction)
    for path, data in past.before.items():
        left, was = (None if one is None else decode_text(one) for one in (past.after[path], data))
        if was is not None:
            undoing.operations.append(ops.Write(path, left, was, phase=0, is_layout=is_layout))
        elif left is not None:
            end, back = len(split_lines(left)), sorted(homes.get(path, ()))
            moved = tuple(ops.Moved(home, 0, end, (ops.digest_of(past.before[home]),)) for home in back)
            undoing.operations.append(ops.Write(path, left, None, moved))
    stood, stand = stand_of(past.before), stand_of(past.after)
    undoing.turned = {id_: (stand.get(id_), stood.get(id_)) for id_ in sorted(stood.keys() | stand.keys())}
    return undoing


# memory by memory


class _Reverser:
    """Takes back one run as far as possible, memory by memory."""

    def __init__(self, past: PastRun, now: Present) -> None:
        self._past, self._now = past, now
        before = dict(past.before)
        for op in past.transaction.operations:  # the ids and days that the run gave to lines that had none stay
            if isinstance(op, ops.Replace) and op.key.startswith("sha:") and op.path in before:
                before[op.path] = op.apply(before[op.path])
        self._was, self._left = stand_of(before), stand_of(past.after)
        self._places: dict[str, str] = {}
        self.undoing = Undoing()

    def reverse(self) -> Undoing:
        """Take back what is as the run left it; a memory nested in another goes where that one goes."""
        was, left, undoing = self._was, self._left, self.undoing

        def as_put(lines: MemoryLines | None) -> tuple[str, list[str]] | None:
            return (lines.page, _own(lines)) if lines else None

        changed = [id_ for id_ in {**was, **left} if as_put(was.get(id_)) != as_put(left.get(id_))]
        for id_, here in self._now.stand(changed).items():
            if id_ not in undoing.turned:
                self._reverse(id_, was.get(id_), left.get(id_), here)
        for path, data in self._past.before.items():
            if data is None and self._now.look(path) not in {None, self._past.after[path]}:
                undoing.stays.append(f"{path}: changed since the run made it; it stays")
        for op in self._past.transaction.operations:
            if isinstance(op, ops.Carry):
                undoing.stays.append(f"{op.path}: what an editor wrote late stays")
            elif isinstance(op, ops.Relink):  # links that followed a memory follow it back
                named = ((move, move.was or move.key) for move in op.moves)
                moves = tuple(ops.Move(m.new, m.old, self._places[key], key) for m, key in named if key in self._places)
                undoing.operations += [ops.Relink(op.path, moves)] if moves else []
        return undoing

    def _reverse(
        self, id_: str, was: MemoryLines | None, left: MemoryLines | None, here: Sequence[MemoryLines]
    ) -> None:
        if len(here) > 1:
            self._keep(f"{id_} stands on {' and '.join(lines.page for lines in here)}; it stays")
        elif left is None:
            self._bring_again(id_, self._was[id_], here)
        elif not here:
            self._keep(f"{left.page}: {id_} is not there any more")
        elif was is not None and was.page == left.page:
            self._put_in_old_words(id_, was, left, here[0])
        else:
            self._take_out(id_, was, left, here[0])

    def _keep(self, words: str) -> None:
        self.undoing.stays.append(words)

    def _bring_again(self, id_: str, was: MemoryLines, here: Sequence[MemoryLines]) -> None:
        if here:
            self._keep(f"{here[0].page}: {id_} stands there by now")
        elif PURGED in was.text or any(self._now.is_forgotten(one, self._was[one]) for one in (id_, *was.inside)):
            self._keep(f"{was.page}: {id_} was forgotten since; it stays away")
        elif other := self._said_by(was):
            self._keep(f"{was.page}: {id_} stays away, for {other} says the same there by now")
        elif inside := [inner for inner, places in self._now.stand(was.inside).items() if places]:
            self._keep(f"{was.page}: {id_} stays away, for {', '.join(inside)} of it stands elsewhere by now")
        else:
            self._append(id_, was, was.text, None)

    def _said_by(self, was: MemoryLines) -> str | None:
        """A memory with the same text that came to the page after the run, perhaps without its id, which the user removed.

        All pages are searched when the page is not found, because it may have another name, and for what was learned
        since.
        """
        pages = self._now.pages_of(self._page_for(was)) or self._now.pages()
        there = _memories_of({path: self._now.look(path) for path in pages})
        others = ((id_, lines) for id_, lines in chain(there, self._since) if id_ not in self._was)
        return next((id_ for id_, lines in others if _words(lines) == _words(was)), None)

    @cached_property
    def _since(self) -> list[tuple[str, MemoryLines]]:
        return self._now.said_since()

    def _put_in_old_words(self, id_: str, was: MemoryLines, left: MemoryLines, here: MemoryLines) -> None:
        if _own(here) != _own(left):
            self._keep(f"{here.page}: {id_} was reworded since; it stays as it is now")
            return
        old = unix_text(here.text)
        rest = old.split("\n")[here.own :]
        self.undoing.operations.append(ops.Replace(here.page, id_, old, "\n".join([*_own(was), *rest])))

    def _take_out(self, id_: str, was: MemoryLines | None, left: MemoryLines, here: MemoryLines) -> None:
        """Take a memory from the page where the run put it, and back to its old page, if it had one."""
        if (here.page != left.page) if was else (_top(here) != _top(left)):
            self._keep(f"{here.page}: {id_} went there since; it stays there")
        elif _said(here.text) != _said(left.text):
            self._keep(f"{here.page}: {id_} was reworded since; it stays as it is now")
        else:
            page = ""
            if was is None:
                self.undoing.turned |= dict.fromkeys((id_, *here.inside), (here, None))
            else:
                is_whole = here.text == left.text and set(here.inside) == set(was.inside)
                page = self._append(id_, was, was.text if is_whole else here.text, here)
            self.undoing.operations.append(ops.Remove(here.page, (ops.Piece(id_, unix_text(here.text)),), page))

    def _append(self, id_: str, was: MemoryLines, text: str, here: MemoryLines | None) -> str:
        """Put a memory back on its page, or the part or page that holds its old neighbours; gives the page."""
        page = self._page_for(was)
        pages = {path: read_page(path, self._now.look(path) or b"") for path in self._now.pages_of(page)}
        place, heading = restore_place(replace(was, page=page), pages)
        self.undoing.operations.append(put_back(id_, replace(was, page=place, text=text), heading))
        self.undoing.turned |= dict.fromkeys((id_, *was.inside), (here, was))
        self._places |= dict.fromkeys((id_, *was.inside), place)
        return place

    def _page_for(self, was: MemoryLines) -> str:
        """The present name of its page; where that is gone, the page that has its nearest old neighbour."""
        if self._now.pages_of(was.page):
            return self._now.names.file(was.page) or was.page
        beside = self._now.stand([*was.after, *was.before])
        near = (lines for id_ in (*was.after, *was.before) for lines in beside[id_])
        return next((lines.page for lines in near if _top(lines) == _top(was)), was.page)


def _own(lines: MemoryLines) -> list[str]:
    return unix_text(lines.text).split("\n")[: lines.own]


def _said(text: str) -> list[str]:
    """The text of lines without indent and without link targets."""
    return [without_targets(line.strip()) for line in unix_text(text).split("\n")]


def _words(lines: MemoryLines) -> list[str]:
    """The text of a memory without id, day and confidence, so that one that was said again is the same."""
    first, *rest = _said(lines.text)
    return [text_key(parse_memory(MARKER.sub("", first))), *(split_id(line)[0] for line in rest)]


def _top(lines: MemoryLines | None) -> str:
    return lines.page.partition("/")[0] if lines else ""


# what the event log says of it


def events_of(undoing: Undoing, past: Transaction, run: str, at: datetime, ledger: Ledger) -> tuple[Event, ...]:
    """The events of an undo: for each memory that leaves or enters bank or archive, and for each answer that is taken back."""
    found: list[Event] = []
    for id_, (here, there) in sorted(undoing.turned.items()):
        if _top(here) != _top(there):
            kind = {"": kinds.UNDONE, "bank": kinds.RESTORED, "archive": kinds.ARCHIVED}[_top(there)]
            facts = _tombstone(id_, here, past.run, ledger) if kind == kinds.ARCHIVED else {"memory": id_}
            found.append(make_event(kind, f"{id_}@{run}", at, **facts, run=run, undoes=past.run))
    for said in past.events:
        if again := REOPENS.get(str(said["type"])):
            facts = {name: value for name, value in said.items() if name not in _OF_EVENTS}
            if said["type"] == kinds.SUPERSEDED:
                facts = {"memory": said["memory"], "other": said["by"]}
            if said["type"] == IMPORTANCE:  # it becomes what it was before that event
                facts |= {"value": facts.get("before", TAKEN_BACK), "before": facts.get("value", TAKEN_BACK)}
            found.append(make_event(again, f"{said['id']}@{run}", at, **facts, run=run))
    return tuple(found)


def _tombstone(id_: str, here: MemoryLines | None, undoes: str, ledger: Ledger) -> Event:
    """The facts of a memory that goes to the archive again: as they were when it went there first."""
    stone = ledger.tombstones.get(id_)
    if stone is None and here is not None:
        return Archived(id_, here, f"{undoes} was taken back").tombstone
    return {"memory": id_, **{name: stone[name] for name in _KEPT_FACTS if stone and name in stone}}


# purging

PURGED = "[purged]"


def lines_deleted(gone: Event) -> str:
    """The lines of a memory that a person deleted, from the event that says so; empty where none are kept, or were purged."""
    text = str(gone.get("text") or "") if gone.get("type") == kinds.DELETED else ""
    return "" if PURGED in text else text


_SHORTEST, _SHORTEST_HANGUL = 4, 3  # characters: a shorter line would be found in half of all texts
_CONFIDENCE = r"\([ \t]*c[ \t]*=[ \t]*\d(?:\.\d+)?(?:@\d{4}-\d\d-\d\d)?[ \t]*\)"
_MARKS = re.compile(rf"(\^?\bm-[a-z2-7]{{12}}\b|{_CONFIDENCE}|\bsha:[0-9a-f]{{24}}\b)")
"""The marks of bankd in a text: an id, a confidence with its day, and the name of a block without an id. Other digests are
not marks: many credentials look like digests."""
_OWN_FIELDS = split_words(
    "at by call cycle day due elsewhere id job key kind log memory of op other outcome page path planned_at reply run slot",
    "to type undoes was",
)
_OWN_LISTS = split_words("digests needs")
"""The fields of events, journals, replies and the ledger of runs that bankd needs: strings, and lists."""


def text_forms(text: str) -> tuple[str, ...]:
    """The lines of a text in both Unicode forms that a disk may hold, the longest first; too short ones are left out."""
    lines = {unicodedata.normalize("NFC", line.strip()) for line in text.split("\n")}
    long = [line for line in lines if len(line) >= (_SHORTEST_HANGUL if has_hangul(line) else _SHORTEST)]
    forms = {unicodedata.normalize(form, line) for line in long for form in ("NFC", "NFD")}
    return tuple(sorted(forms, key=lambda line: (-len(line), line)))


def encoded_forms(words: Iterable[str]) -> tuple[bytes, ...]:
    """The words as bytes: in UTF-8, and with the escapes of JSON."""
    found = {word.encode("utf-8", "surrogateescape") for word in words}
    found |= {json.dumps(word)[1:-1].encode() for word in words}
    return tuple(sorted(found, key=len, reverse=True))


def holds_form(data: bytes, wanted: Iterable[bytes]) -> bool:
    """Whether these bytes contain the text in any of its encoded forms (see `encoded_forms`)."""
    return any(form in data for form in wanted)


_SPACED = r"[^\W가-힣ᄀ-ᇿ぀-ヿ一-鿿]"  # a letter or digit of a script that puts spaces between its words
# The last letter of an escape, of JSON in a string, belongs to no word.
_EDGE = rf"(?:(?<!{_SPACED})|(?!{_SPACED})|(?<=\\[bfnrt])|(?<=\\u[\da-fA-F]{{4}}))"


def scrub_text(text: str, words: Iterable[str]) -> str:
    """Replace the words everywhere in a text, but not in the marks of bankd, nor as a part of longer words.

    Hangul may go on, as with a particle.
    """
    parts = _MARKS.split(text)  # every second piece is a mark
    for word in words:
        said = re.compile(rf"{_EDGE}(?:(?<![가-힣ᄀ-ᇿ])|(?![가-힣ᄀ-ᇿ])){re.escape(word)}{_EDGE}")
        parts[::2] = [said.sub(PURGED, part) for part in parts[::2]]
    return "".join(parts)


def scrub_bytes(data: bytes, forms: Iterable[bytes]) -> bytes:
    """Replace the forms everywhere in bytes whose format is not known."""
    for form in forms:
        data = data.replace(form, PURGED.encode())
    return data


def scrub_record(value: Any, words: tuple[str, ...]) -> Any:
    """Replace the words in every string of a record, but not in the fields that bankd needs."""
    if isinstance(value, str):
        return scrub_text(value, words)
    if isinstance(value, dict):
        return {key: item if _is_own(key, item) else scrub_record(item, words) for key, item in value.items()}
    return type(value)(scrub_record(item, words) for item in value) if isinstance(value, list | tuple) else value


def _is_own(field: str, value: object) -> bool:
    return field in (_OWN_FIELDS if isinstance(value, str) else _OWN_LISTS)

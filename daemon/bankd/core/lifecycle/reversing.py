"""Takes a run back memory by memory: each goes from where it stands now, or comes back to where it stood.

What people or later runs changed since stays as it is, and is named.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from bankd.core.dedup.exact_match import text_key
from bankd.core.edits.operations import Append, Carry, Move, Piece, Relink, Remove, Replace
from bankd.core.edits.spans import unix_text
from bankd.core.lifecycle.archive import Tombstone, restore_place
from bankd.core.lifecycle.purge import PURGED
from bankd.core.lifecycle.restoring import read_contents
from bankd.core.lifecycle.undo import (
    Files,
    PastRun,
    PresentState,
    Undoing,
    find_obstacles,
    is_taken_back,
    memories_of,
    moves_lines,
    stand_of,
    undo_exactly,
)
from bankd.core.markdown.inline import without_targets
from bankd.core.markdown.memory import parse_memory, split_id
from bankd.core.markdown.page_lines import MARKER, MemoryLines
from bankd.core.markdown.pages import read_page


def plan_undo(past: PastRun, now: PresentState) -> Undoing:
    """Work out how to take a run back."""
    if is_taken_back(past, now):
        return Undoing()
    obstacles = tuple(find_obstacles(past, now))
    if not obstacles:
        return undo_exactly(past)
    return Undoing(obstacles=obstacles) if moves_lines(past.transaction) else _Reverser(past, now).reverse()


class _Reverser:
    """One run, as far as it can be taken back."""

    def __init__(self, past: PastRun, now: PresentState) -> None:
        self._past, self._now = past, now
        self._was, self._left = stand_of(_with_what_was_given(past)), stand_of(past.after)
        ids = self._was.keys() | self._left.keys()
        changed = [id_ for id_ in ids if not _is_same(self._was.get(id_), self._left.get(id_))]
        self._here = now.stand(changed)
        self._places: dict[str, str] = {}
        self.undoing = Undoing()

    def reverse(self) -> Undoing:
        """Take back what is as the run left it; a memory nested in another goes where that one goes."""
        for id_ in (id_ for id_ in {**self._was, **self._left} if id_ in self._here):
            if id_ not in self.undoing.turned:
                self._reverse(id_, self._was.get(id_), self._left.get(id_))
        for operation in self._past.transaction.operations:
            if isinstance(operation, Relink):
                self._turn_links(operation)
        self._name_what_is_no_memory()
        return self.undoing

    def _turn_links(self, operation: Relink) -> None:
        """Links that followed a memory lead to where it is back."""
        named = ((move, move.was or move.key) for move in operation.moves)
        moves = tuple(Move(m.new, m.old, self._places[key], key) for m, key in named if key in self._places)
        if moves:
            self.undoing.operations.append(Relink(operation.path, moves))

    def _name_what_is_no_memory(self) -> None:
        for path, data in self._past.before.items():
            if data is None and self._now.look(path) not in {None, self._past.after[path]}:
                self._keep(f"{path}: changed since the run made it; it stays")
        for operation in self._past.transaction.operations:
            if isinstance(operation, Carry):
                self._keep(f"{operation.path}: what an editor wrote late is his; it stays")

    def _reverse(self, id_: str, was: MemoryLines | None, left: MemoryLines | None) -> None:
        here = self._here[id_]
        if len(here) > 1:
            self._keep(f"{id_} stands on {' and '.join(lines.page for lines in here)}; it stays")
        elif left is None and was is not None:
            self._bring_again(id_, was, here)
        elif not here:
            self._keep(f"{left.page if left else ''}: {id_} is not there any more")
        elif left is not None and was is None:
            self._take_out(id_, left, here[0])
        elif left is not None and was is not None:
            self._turn(id_, was, left, here[0])

    def _bring_again(self, id_: str, was: MemoryLines, here: list[MemoryLines]) -> None:
        if here:
            self._keep(f"{here[0].page}: {id_} stands there by now")
        elif id_ in self._now.forgotten or PURGED in was.text:
            self._keep(f"{was.page}: {id_} was forgotten since; it stays away")
        elif other := self._said_by(was):
            self._keep(f"{was.page}: {id_} stays away, for {other} says the same there by now")
        elif inside := [inner for inner, places in self._now.stand(was.inside).items() if places]:
            self._keep(f"{was.page}: {id_} stays away, for {', '.join(inside)} of it stands elsewhere by now")
        else:
            self._append(id_, was, was.text, None)

    def _said_by(self, was: MemoryLines) -> str | None:
        """A memory that has come to the page since and says the same; the user may have taken its id off.

        Where the page is not to be found, it may stand on any: the page may have another name. What was learned since
        may stand on any page too.
        """
        pages = self._now.pages_of(self._page_for(was)) or self._now.pages()
        there = memories_of({path: self._now.look(path) for path in pages})
        return self._repeated_in(there, was) or self._repeated_in(self._since, was)

    def _repeated_in(self, memories: Iterable[tuple[str, MemoryLines]], was: MemoryLines) -> str | None:
        saying = (name for name, lines in memories if name not in self._was and _words(lines) == _words(was))
        return next(saying, None)

    @cached_property
    def _since(self) -> list[tuple[str, MemoryLines]]:
        places = self._now.stand(self._now.learned_since)
        return [(id_, lines) for id_, where in places.items() for lines in where]

    def _take_out(self, id_: str, left: MemoryLines, here: MemoryLines) -> None:
        if _top(here.page) != _top(left.page):
            self._keep(f"{here.page}: {id_} went there since; it stays there")
        elif _said(here.text) != _said(left.text):
            self._keep(f"{here.page}: {id_} was reworded since; it stays as it is now")
        else:
            self.undoing.operations.append(Remove(here.page, (Piece(id_, unix_text(here.text)),)))
            self.undoing.turned |= dict.fromkeys((id_, *here.inside), (here, None))

    def _turn(self, id_: str, was: MemoryLines, left: MemoryLines, here: MemoryLines) -> None:
        """To its old words, or back to its old page."""
        if was.page == left.page:
            self._put_in_old_words(id_, was, left, here)
        elif here.page != left.page:
            self._keep(f"{here.page}: {id_} went there since; it stays there")
        elif _said(here.text) != _said(left.text):
            self._keep(f"{here.page}: {id_} was reworded since; it stays as it is now")
        else:
            is_whole = here.text == left.text and set(here.inside) == set(was.inside)
            page = self._append(id_, was, was.text if is_whole else here.text, here)
            self.undoing.operations.append(Remove(here.page, (Piece(id_, unix_text(here.text)),), page))

    def _put_in_old_words(self, id_: str, was: MemoryLines, left: MemoryLines, here: MemoryLines) -> None:
        if _own(here) != _own(left):
            self._keep(f"{here.page}: {id_} was reworded since; it stays as it is now")
            return
        old = unix_text(here.text)
        rest = old.split("\n")[here.own :]
        self.undoing.operations.append(Replace(here.page, id_, old, "\n".join([*_own(was), *rest])))

    def _append(self, id_: str, was: MemoryLines, text: str, here: MemoryLines | None) -> str:
        """Put a memory back where it stood: its page, else the part or page that holds what stood beside it."""
        page = self._page_for(was)
        contents = {
            path: read_contents(read_page(path, self._now.look(path) or b"")) for path in self._now.pages_of(page)
        }
        place, heading = restore_place(Tombstone(page, was.heading, was.after, was.before), contents)
        title, last = (was.heading[0] if was.heading else ""), (heading[-1] if len(heading) > 1 else "")
        piece = Piece(id_, unix_text(text))
        self.undoing.operations.append(Append(place, last, (piece,), title, was.after, was.before, was.is_apart))
        self.undoing.turned |= dict.fromkeys((id_, *was.inside), (here, was))
        self._places |= dict.fromkeys((id_, *was.inside), place)
        return place

    def _page_for(self, was: MemoryLines) -> str:
        """Its page by its name now; where that is gone, the one that has the nearest of what stood beside it."""
        if self._now.pages_of(was.page):
            return self._now.names.file(was.page) or was.page
        beside = self._now.stand([*was.after, *was.before])
        near = (lines.page for id_ in (*was.after, *was.before) for lines in beside[id_])
        return next((page for page in near if _top(page) == _top(was.page)), was.page)

    def _keep(self, words: str) -> None:
        self.undoing.stays.append(words)


def _with_what_was_given(past: PastRun) -> Files:
    """The files from before with the ids and days that the run gave to lines that had none: those stay."""
    files: dict[str, bytes | None] = dict(past.before)
    for operation in past.transaction.operations:
        if isinstance(operation, Replace) and operation.key.startswith("sha:") and operation.path in files:
            files[operation.path] = operation.apply(files[operation.path])
    return files


def _is_same(was: MemoryLines | None, left: MemoryLines | None) -> bool:
    return was is not None and left is not None and (was.page, _own(was)) == (left.page, _own(left))


def _own(lines: MemoryLines) -> list[str]:
    return unix_text(lines.text).split("\n")[: lines.own]


def _said(text: str) -> list[str]:
    """What lines say, however deep they stand and wherever their links lead."""
    return [without_targets(line.strip()) for line in unix_text(text).split("\n")]


def _words(lines: MemoryLines) -> list[str]:
    """What the lines of a memory say, whatever its id, its day and how sure it is: it may have been said again."""
    first, *rest = _said(lines.text)
    return [text_key(parse_memory(MARKER.sub("", first))), *(split_id(line)[0] for line in rest)]


def _top(page: str) -> str:
    return page.partition("/")[0]

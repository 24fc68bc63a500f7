"""After a transaction: a second look at its pages, what people changed there, and pages that another program changes back.

`second_look` repairs a page that an editor saved from a buffer older than the run: it adds pieces that are now nowhere,
and removes pieces that are back and also elsewhere. Decisions of later transactions stay. `Settling` finds what people
changed or took out on purpose: where part of what a run wrote is left, whoever saved the page had read it, and did not
want the rest. Where all of it is gone, it was an old buffer. `find_rests` finds pages that something changes back again
and again; only repeated writes count, so new memories may go to one page all day long.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple, TypeAlias, TypeVar

from bankd.edits import inserting
from bankd.edits import operations as ops
from bankd.edits.transaction import HEALING, UNDO, Journal, Look, Transaction, keys_of, pieces_of_page, removals_of
from bankd.pages.memory import split_id
from bankd.pages.references import without_targets
from bankd.pages.scanner import decode_text, encode_text

UNREAD = timedelta(seconds=5)
"""A person needs at least this long to read a page and delete a line."""
Locate: TypeAlias = Callable[[Collection[str]], Mapping[str, Collection[str]]]
"""Keys -> for each, the files of bank/ and archive/ that hold its piece now."""


def second_look(
    transaction: Transaction,
    look: Look,
    locate: Locate,
    paths: Collection[str],
    later: Sequence[Transaction],
    hurried: Collection[str] = (),
) -> tuple[ops.Operation, ...]:
    """The operations of a transaction that are to be done again on these paths, after the transactions `later`.

    `hurried` are pages saved so soon after an earlier second look that nobody can have read its result.
    """
    looker = _Looker(look, locate, later, hurried)
    undone = (other for other in later if other.kind == UNDO)
    taken_back = {op.path for other in undone for op in other.operations if isinstance(op, ops.Write)}
    wanted = [op for op in transaction.operations if op.path in paths and op.path not in taken_back]
    return tuple(again for op in wanted for again in looker.once_more(_without_turned_back(op, later)))


def _without_turned_back(operation: ops.Operation, later: Sequence[Transaction]) -> ops.Operation:
    """An operation without the links that a later transaction changed back."""
    if not isinstance(operation, ops.Relink):
        return operation
    links = (op for transaction in later for op in transaction.operations if isinstance(op, ops.Relink))
    back = {move.new for op in links if op.path == operation.path for move in op.moves}
    return replace(operation, moves=tuple(m for m in operation.moves if m.old.partition(" ")[2] not in back))


def describe_changes(operations: Iterable[ops.Operation], changed: Collection[str], run: str) -> list[str]:
    """What a second look changed, in words, memory by memory."""

    def words(piece: ops.Piece) -> str:
        return piece.text.strip().partition("\n")[0]

    found = []
    for operation in (operation for operation in operations if operation.path in changed):
        match operation:
            case ops.Append(path, pieces=pieces):
                why = f"all that {run} wrote there was gone; delete it again to be rid of it"
                found += [f"{path}: put back, for {why}: {words(piece)}" for piece in pieces]
            case ops.Remove(path, pieces, elsewhere):
                where = f"it stands in {elsewhere} now" if elsewhere else f"{run} had taken it out"
                found += [f"{path}: taken out again, for {where}: {words(piece)}" for piece in pieces]
            case _:
                found.append(f"{operation.path}: an older copy of it was saved; it is again as {run} left it")
    return found


@dataclass(frozen=True, slots=True)
class _Looker:
    look: Look
    locate: Locate
    later: Sequence[Transaction]
    hurried: Collection[str]

    def once_more(self, operation: ops.Operation) -> Iterable[ops.Operation]:
        match operation:
            case ops.Append(path, pieces=pieces):
                # An old buffer that was saved is there: a page that is gone was deleted or renamed by somebody who knew it.
                nowhere = self._nowhere(path, pieces) if self.look(path) is not None else ()
                return [replace(operation, pieces=nowhere)] if nowhere else []
            case ops.Remove(path, pieces, elsewhere):
                copies = self._taken_on(operation) if elsewhere else ()
                return [*self._removals(path, self._back(operation, pieces), elsewhere), *copies]
            case ops.Write():
                return self._written_again(operation)
            case ops.Replace(key=key):
                return [] if key in self._decided() else [operation]
            case ops.Carry(path):  # not to a page that is gone, or whose lines were moved by a split or merge since
                return [operation] if self.look(path) is not None and not self._is_planned_anew(path) else []
            case ops.Relink():
                return [operation]

    def _decided(self, *, but_healing: bool = False) -> set[str]:
        """The pieces that a later transaction names: they are left to that one."""
        later = (other for other in self.later if not (but_healing and other.kind in HEALING))
        return {key for transaction in later for key in keys_of(transaction)}

    def _nowhere(self, path: str, pieces: tuple[ops.Piece, ...]) -> tuple[ops.Piece, ...]:
        decided = self._decided(but_healing=path in self.hurried)
        settled = inserting.keys_in(self.look(path), _keys(pieces)) | decided
        lacking = [piece for piece in pieces if piece.key not in settled]
        held = self.locate(_keys(lacking)) if lacking else {}
        return tuple(piece for piece in lacking if not held.get(piece.key))

    def _back(self, own: ops.Operation, pieces: tuple[ops.Piece, ...]) -> tuple[ops.Piece, ...]:
        """The removed pieces that are here again, except those that a later transaction put here (not by this same operation)."""
        back = inserting.keys_in(self.look(own.path), _keys(pieces))
        later = (op for transaction in self.later for op in transaction.operations)
        if any(isinstance(op, ops.Write) for op in later if op.path == own.path and op != own):
            return ()
        back -= self._brought(own)
        return tuple(piece for piece in pieces if piece.key in back)

    def _brought(self, own: ops.Operation) -> set[str]:
        """The pieces that later transactions added here (not by this same operation), with the title and heading for them."""
        later = (op for transaction in self.later for op in transaction.operations if op.path == own.path and op != own)
        added = [op for op in later if isinstance(op, ops.Append)]
        made = (pieces_of_page(decode_text(op.apply(None) or b"")) for op in added)
        return _keys(piece for pieces in (*made, *(op.pieces for op in added)) for piece in pieces)

    def _taken_on(self, own: ops.Remove) -> Iterator[ops.Remove]:
        """Removals of copies that an old buffer brought back here, and that a later run moved elsewhere before this look.

        Pieces that any other transaction names are left out: that one may have put them here, or decides where they belong.
        """
        plans = [other for other in self.later if other.kind not in HEALING]
        for number, plan in enumerate(plans):
            for removal in (one for op in plan.operations if op.path == own.path for one in removals_of(op)):
                if removal.elsewhere:
                    named = (keys_of(other) for other in (*plans[:number], *plans[number + 1 :]))
                    copied = _keys(own.pieces).difference(*named) & _keys(removal.pieces)
                    here = inserting.keys_in(
                        self.look(removal.elsewhere), {key for key in copied if not key.startswith("sha:")}
                    )
                    pieces = tuple(piece for piece in removal.pieces if piece.key in here)
                    yield from self._removals(removal.elsewhere, pieces, own.elsewhere, own.path)

    def _written_again(self, operation: ops.Write) -> list[ops.Operation]:
        """The page written again when the old one is back; after a merge, also where an old page has lost the merged memories."""
        if operation.phase == 0 or operation.before is None or self._is_planned_anew(operation.path):
            return []
        data, moved = self.look(operation.path), removals_of(operation)
        is_own = inserting.keys_in(data, self._brought(operation))  # lines that went and came may leave the same bytes
        is_back = data == encode_text(operation.before) and not is_own and bool(moved or operation.after)
        if is_back or self._back(operation, tuple(piece for removal in moved for piece in removal.pieces)):
            return [operation]
        if operation.after is None or moved or data is None:
            return []
        text = decode_text(data)
        after = _as_written_in(text, operation.after)
        pieces = tuple(piece for piece in pieces_of_page(after) if not piece.key.startswith("sha:"))
        brought = _keys(pieces) - inserting.keys_in(encode_text(operation.before), _keys(pieces))
        nowhere = self._nowhere(operation.path, pieces)
        if inserting.keys_in(data, brought) or not nowhere:
            return []  # whoever left some of the merged memories had read the page after the merge
        if _keys(pieces) - inserting.keys_in(data, _keys(pieces)) - _keys(nowhere):
            return [
                ops.Append(operation.path, "", nowhere)
            ]  # the others stand elsewhere, or a later run decided on them
        return [replace(operation, before=text, after=ops.carry_lines(after, operation.before, text))]

    def _is_planned_anew(self, path: str) -> bool:
        """Whether a later transaction wrote the page as a whole; then its text is not an older version that came back."""
        plans = (other for other in self.later if other.kind not in HEALING)
        return any(op.path == path and isinstance(op, ops.Write) for other in plans for op in other.operations)

    def _removals(self, path: str, pieces: tuple[ops.Piece, ...], elsewhere: str, source: str = "") -> list[ops.Remove]:
        """Removals of the pieces that also stand in a third place, neither here nor in `source`, which may lose them too."""
        if not elsewhere:
            return [ops.Remove(path, pieces)] if pieces else []
        by_place: dict[str, list[ops.Piece]] = {}
        places = self.locate(_keys(pieces)) if pieces else {}
        for piece in pieces:
            if others := set(places.get(piece.key, ())) - {path, source}:
                best = min(others, key=lambda place: (place != elsewhere, place))
                by_place.setdefault(best, []).append(piece)
        return [ops.Remove(path, tuple(held), place) for place, held in by_place.items()]


def _as_written_in(text: str, page: str) -> str:
    """A page whose lines are taken as they are in the text: without ids that the user removed, with rewritten links."""
    there, planned = ({line.rstrip("\r") for line in one.split("\n")} for one in (text, page))
    turned = {without_targets(line): line for line in there - planned}

    def as_there(line: str) -> str:
        said, end = line.rstrip("\r"), line[len(line.rstrip("\r")) :]
        if said in there:
            return line
        bare = split_id(said)[0]
        return (bare if bare in there else turned.pop(without_targets(said), said)) + end

    return "\n".join(map(as_there, page.split("\n")))


def _keys(pieces: Iterable[ops.Piece]) -> set[str]:
    return {piece.key for piece in pieces}


@dataclass(frozen=True, slots=True)
class Settling:
    """Finds what people changed, from the files as they are now; pieces that a `later` transaction named are left out.

    `changed_at` gives the time at which a file was last changed.
    """

    look: Look
    locate: Locate
    later: Sequence[Journal]
    changed_at: Callable[[str], datetime]

    def find(
        self, transaction: Transaction, before: Mapping[str, str | None], known: Set[str], paths: Set[str]
    ) -> frozenset[str]:
        """The pieces on these paths that people have changed or taken out, without those already `known`.

        `before` has the texts of the files before the transaction; None for a file that did not exist.
        """
        plans = (other.transaction for other in self.later)
        decided = {key for other in plans if other.kind not in HEALING for key in keys_of(other)}
        settled = _changed_again(transaction, self.look, paths) - decided
        for path in sorted(paths & before.keys()):
            operations = [op for op in transaction.operations if op.path == path and op.phase == ops.Append.phase]
            pieces = {piece.key: piece for op in operations if isinstance(op, ops.Append) for piece in op.pieces}
            open_ = {key: piece for key, piece in pieces.items() if key not in decided}
            settled |= self._on_page(_Written(operations, before[path], open_), known, path) if open_ else set()
        return frozenset(settled - known)

    def _on_page(self, written: _Written, known: Set[str], path: str) -> set[str]:
        data = self.look(path)
        texts = _texts(data or b"", written.pieces)
        changed = {key for key in texts if not written.reads(key, texts)}
        gone = written.pieces.keys() - texts.keys() - known
        lines = {key: inserting.line_key(written.pieces[key].text) for key in gone}
        places = self.locate({*gone, *lines.values()}) if gone else {}
        moved = {key for key in gone if places.get(key)}

        def stands(key: str, place: str) -> bool:
            return written.reads(key, _texts(self.look(place) or b"", [key]))

        changed |= {key for key in moved if not any(stands(key, place) for place in places[key])}
        if data is None or written.is_wiped(data, texts.keys()):
            # the page may have been renamed and its line may stand there without its id: then a person owns it now
            is_owned = {key for key in gone - moved if places.get(lines[key])}
            return changed | is_owned | (self._were_read(path, written.before, gone) - moved)
        return changed | (gone - moved)

    def _were_read(self, path: str, first: str | None, gone: Set[str]) -> set[str]:
        """The pieces that stood on this page when a later run added what stands there still: who saved it saw both.

        What the page had at `first` shows nothing. Nor does a change within seconds of that run: it may be an old buffer
        that was saved while the run wrote.
        """
        seen, data = set[str](), self.look(path)
        for other in self.later:
            own = (op for op in other.transaction.operations if op.path == path and isinstance(op, ops.Append))
            added = {piece.key for op in own for piece in op.pieces}
            added -= inserting.keys_in(encode_text(first or ""), added)
            at = datetime.fromisoformat(other.transaction.planned_at)
            if inserting.keys_in(data, added) and self.changed_at(path) - at >= UNREAD:
                seen |= inserting.keys_in(encode_text(other.before.get(path) or ""), gone)
        return seen


def without_settled(transaction: Transaction, settled: Set[str]) -> Transaction:
    """A transaction without the pieces that people have settled."""
    rest: list[ops.Operation] = []
    for operation in transaction.operations:
        if isinstance(operation, ops.Append):
            if pieces := tuple(piece for piece in operation.pieces if piece.key not in settled):
                rest.append(replace(operation, pieces=pieces))
        elif not (isinstance(operation, ops.Replace) and operation.key in settled):
            rest.append(operation)
    return replace(transaction, operations=tuple(rest))


@dataclass(frozen=True, slots=True)
class _Written:
    """What a transaction added to a page at one moment."""

    operations: Sequence[ops.Operation]
    before: str | None
    pieces: Mapping[str, ops.Piece]

    def reads(self, key: str, texts: Mapping[str, Collection[str]]) -> bool:
        """Whether a piece reads as it was written, apart from link targets, indent and lines added below it."""
        wanted = _said(self.pieces[key].text)
        return any(_said(text)[: len(wanted)] == wanted for text in texts.get(key, ()))

    def is_wiped(self, data: bytes, standing: Collection[str]) -> bool:
        """Whether nothing of it is left, not even a line without its id or the blank lines around the pieces."""
        had = _texts(encode_text(self.before or ""), self.pieces).keys()
        lines, old = _bare_lines(decode_text(data)), _bare_lines(self.before or "")
        words = {inserting.bare_line(piece.text) for piece in self.pieces.values()} - old
        return set(standing) <= had and not words & lines and not self._is_cut_out(data)

    def _is_cut_out(self, data: bytes) -> bool:
        """Whether exactly these lines are missing: a buffer from before the run would lack their blank lines too."""
        left = None if self.before is None else encode_text(self.before)
        for operation in self.operations:
            left = operation.apply(left)
        page = inserting.page_of(inserting.split_bom(left or b"")[1])
        spans = [span for found in inserting.find_all(page, self.pieces).values() for span in found]
        cut = {n for span in spans for n in range(span.start, span.end)}
        rest = "".join(line for n, line in enumerate(page.document.lines) if n not in cut)
        return rest == inserting.split_bom(data)[1] and decode_text(data) != self.before


def _changed_again(transaction: Transaction, look: Look, paths: Set[str]) -> set[str]:
    """The pieces that the transaction reworded and that were reworded again."""
    changed = set()
    for op in transaction.operations:
        if isinstance(op, ops.Replace) and op.path in paths:
            texts = _texts(look(op.path) or b"", [op.key]).get(op.key)
            if texts and not {inserting.unix_text(op.old), inserting.unix_text(op.new)} & set(texts):
                changed.add(op.key)
    return changed


def _texts(data: bytes, keys: Iterable[str]) -> dict[str, list[str]]:
    """The texts of these pieces in a page, for those that are there."""
    wanted = inserting.keys_that_may_stand(data, keys)
    if not wanted:
        return {}
    page = inserting.page_of(inserting.split_bom(data)[1])
    return {
        key: [inserting.text_of(page.document, s) for s in spans]
        for key, spans in inserting.find_all(page, wanted).items()
        if spans
    }


def _said(text: str) -> list[str]:
    return [line.strip() for line in without_targets(inserting.unix_text(text)).split("\n")]


def _bare_lines(text: str) -> set[str]:
    return {inserting.bare_line(line) for line in text.split("\n")}


_Thing = TypeVar("_Thing")


class Matches(NamedTuple):
    """For each thing, the number of the equal one from before (None: new); and the numbers of those that are gone."""

    before: list[int | None]
    gone: list[int]


def match_equal(now: Iterable[_Thing], before: Iterable[_Thing]) -> Matches:
    """Match things with equal things from before, the first with the first; nothing is matched twice."""
    now, before = list(now), list(before)
    same = next((at for at, (one, other) in enumerate(zip(now, before, strict=False)) if one != other), None)
    begin = min(len(now), len(before)) if same is None else same  # most lists change little, and near the end
    left: dict[_Thing, list[int]] = defaultdict(list)
    for number in range(len(before) - 1, begin - 1, -1):
        left[before[number]].append(number)
    found = [equal.pop() if (equal := left.get(thing)) else None for thing in now[begin:]]
    return Matches([*range(begin), *found], sorted(number for rest in left.values() for number in rest))


MOST_AGAIN = 3
REST = timedelta(minutes=10)
"""A page that is written again this often within this time is left alone for as long."""

_BY_ITSELF = HEALING | {"run"}  # not what a person asked for, and not late lines of an editor


def find_rests(written: Iterable[tuple[Transaction, Collection[str]]]) -> dict[str, datetime]:
    """Page -> until when it is left alone; `written` has the transactions, oldest first, with the files they changed."""
    asked: dict[str, set[Hashable]] = {}
    again: dict[str, set[datetime]] = {}
    for transaction, changed in written:
        for path in changed:
            wanted = {part for operation in transaction.operations for part in _parts(operation, path)}
            known = asked.setdefault(path, set())
            if transaction.kind in _BY_ITSELF and wanted & known:
                again.setdefault(path, set()).add(datetime.fromisoformat(transaction.planned_at))
            known |= wanted
    return {path: until for path, times in again.items() if (until := _rests_until(sorted(times)))}


def _parts(operation: ops.Operation, path: str) -> set[Hashable]:
    """What an operation asks of a page, in parts that can be compared with those of another operation."""
    if operation.path != path or isinstance(operation, ops.Carry):
        return set()
    return {(type(operation), piece) for piece in ops.pieces_of(operation)} or {operation}


def _rests_until(times: Sequence[datetime]) -> datetime | None:
    bursts = [last for first, last in zip(times, times[MOST_AGAIN - 1 :], strict=False) if last - first <= REST]
    return bursts[-1] + REST if bursts else None


def why_resting(until: datetime) -> str:
    """Why a page is left alone, in words."""
    return f"changed back each time it was written; left alone until {until:%H:%M}"


ADVICE = "find the program that changes it back: a sync tool, a formatter, an editor with an old copy; then bankd continues by itself"

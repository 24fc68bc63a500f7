"""What people have made of what a run wrote, as far as it can be seen: they changed it, or took it out.

An editor that saves a page from a buffer older than the run takes away all that the run wrote there at once. Where some
of it is left, whoever saved the page had read it, and what is missing he did not want.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from bankd.core.edits.operations import Append, Operation, Piece, Replace
from bankd.core.edits.second_look import Locate
from bankd.core.edits.spans import (
    LineSpan,
    bare_line,
    find_all,
    keys_that_may_stand,
    line_key,
    page_of,
    split_bom,
    text_of,
    unix_text,
)
from bankd.core.edits.transaction import HEALING, Look, Transaction, keys_of
from bankd.core.markdown.inline import without_targets
from bankd.core.markdown.scanner import decode_text, encode_text


@dataclass(frozen=True, slots=True)
class Settling:
    """Judges by the files as they are now; what transactions `later` than this one decided is left to them."""

    look: Look
    locate: Locate
    later: Sequence[Transaction]

    def find(
        self, transaction: Transaction, before: Mapping[str, str | None], known: Set[str], paths: Set[str]
    ) -> frozenset[str]:
        """The pieces on these paths that people have changed or taken out, but for those that are known to be so.

        `before` has the texts of the transaction's files before it; None for a file that was not there.
        """
        decided = {key for other in self.later if other.kind not in HEALING for key in keys_of(other)}
        settled = _changed_again(transaction, self.look, paths) - decided
        for path in sorted(paths & before.keys()):
            operations = [op for op in transaction.operations if op.path == path and op.phase == Append.phase]
            pieces = {piece.key: piece for op in operations if isinstance(op, Append) for piece in op.pieces}
            open_ = {key: piece for key, piece in pieces.items() if key not in decided}
            settled |= self._on_page(_Written(operations, before[path], open_), known, path) if open_ else set()
        return frozenset(settled - known)

    def _on_page(self, written: _Written, known: Set[str], path: str) -> set[str]:
        data = self.look(path)
        texts = _texts(data or b"", written.pieces)
        changed = {key for key in texts if not written.reads(key, texts)}
        gone = written.pieces.keys() - texts.keys() - known
        lines = {key: line_key(written.pieces[key].text) for key in gone}
        places = self.locate({*gone, *lines.values()}) if gone else {}
        moved = {key for key in gone if places.get(key)}
        changed |= {key for key in moved if not any(self._stands(written, key, place) for place in places[key])}
        if data is None or written.is_wiped(data, texts.keys()):
            # the page may have another name now, and there the line another owner: without its id it is a person's
            return changed | {key for key in gone - moved if places.get(lines[key])}
        return changed | (gone - moved)

    def _stands(self, written: _Written, key: str, place: str) -> bool:
        return written.reads(key, _texts(self.look(place) or b"", [key]))


def without_settled(transaction: Transaction, settled: Set[str]) -> Transaction:
    """A transaction as far as it is still to be looked at."""
    rest = (_without_settled(operation, settled) for operation in transaction.operations)
    return replace(transaction, operations=tuple(operation for operation in rest if operation is not None))


def _without_settled(operation: Operation, settled: Set[str]) -> Operation | None:
    if isinstance(operation, Append):
        pieces = tuple(piece for piece in operation.pieces if piece.key not in settled)
        return replace(operation, pieces=pieces) if pieces else None
    return None if isinstance(operation, Replace) and operation.key in settled else operation


@dataclass(frozen=True, slots=True)
class _Written:
    """What a transaction added to a page in one go: all of it was there at one moment, whatever became of it."""

    operations: Sequence[Operation]
    before: str | None
    pieces: Mapping[str, Piece]

    def reads(self, key: str, texts: Mapping[str, Collection[str]]) -> bool:
        """Whether a piece reads as it was written: mended links, another indent and lines below do not count."""
        wanted = _said(self.pieces[key].text)
        return any(_said(text)[: len(wanted)] == wanted for text in texts.get(key, ()))

    def is_wiped(self, data: bytes, standing: Collection[str]) -> bool:
        """Whether nothing of it is left, not even a line without its id, or the blank lines around the pieces."""
        had = _texts(encode_text(self.before or ""), self.pieces).keys()
        lines, old = _bare_lines(decode_text(data)), _bare_lines(self.before or "")
        words = {bare_line(piece.text) for piece in self.pieces.values()} - old
        return set(standing) <= had and not words & lines and not self._is_cut_out(data)

    def _is_cut_out(self, data: bytes) -> bool:
        """Whether the page is as it was left but for these very lines: a buffer from before has not its blank lines."""
        left = None if self.before is None else encode_text(self.before)
        for operation in self.operations:
            left = operation.apply(left)
        page = page_of(split_bom(left or b"")[1])
        spans = [span for found in find_all(page, self.pieces).values() for span in found]
        return _without(page.document.lines, spans) == split_bom(data)[1] and decode_text(data) != self.before


def _changed_again(transaction: Transaction, look: Look, paths: Set[str]) -> set[str]:
    """The pieces that the transaction gave other words and that have others again."""
    changed = set()
    for op in transaction.operations:
        if isinstance(op, Replace) and op.path in paths:
            texts = _texts(look(op.path) or b"", [op.key]).get(op.key)
            if texts and not {unix_text(op.old), unix_text(op.new)} & set(texts):
                changed.add(op.key)
    return changed


def _texts(data: bytes, keys: Iterable[str]) -> dict[str, list[str]]:
    """How each of these pieces reads in a page, for those that are there."""
    wanted = keys_that_may_stand(data, keys)
    if not wanted:
        return {}
    page = page_of(split_bom(data)[1])
    return {key: [text_of(page.document, s) for s in spans] for key, spans in find_all(page, wanted).items() if spans}


def _said(text: str) -> list[str]:
    return [line.strip() for line in without_targets(unix_text(text)).split("\n")]


def _bare_lines(text: str) -> set[str]:
    return {bare_line(line) for line in text.split("\n")}


def _without(lines: Sequence[str], spans: Sequence[LineSpan]) -> str:
    out = {n for span in spans for n in range(span.start, span.end)}
    return "".join(line for n, line in enumerate(lines) if n not in out)

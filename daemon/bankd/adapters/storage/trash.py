"""Displaced files, kept for a while: an editor that still had one open may have written to it.

Their names are those of the staged file and the modification time at which it was displaced.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from bankd.adapters.storage.staging import EDIT, PRISTINE, TRASH, StagedName, Staging
from bankd.adapters.storage.tree import FileTree
from bankd.core.edits.journal import Journal
from bankd.core.edits.merge3 import is_carried
from bankd.core.edits.operations import Append, Carry, Operation, Piece, Replace, digest_of
from bankd.core.edits.second_look import Locate
from bankd.core.edits.spans import LineSpan, block_key, text_of
from bankd.core.edits.transaction import Look, take_step
from bankd.core.markdown.memory import split_id
from bankd.core.markdown.pages import read_page
from bankd.core.markdown.policy import KeepPolicy
from bankd.core.markdown.scanner import decode_text, encode_text
from bankd.core.markdown.utf8 import lines_not_utf8

_ASIDE = "no-text"
"""The ending of what is looked at no more."""
_KEEP_EDITS = timedelta(minutes=10)
_CAP = 200 * 1024 * 1024  # bytes; what an editor may make of a displaced file before we stop reading it


@dataclass(frozen=True, slots=True)
class LateWrite:
    """A displaced file that is not what it was: what an editor made of it, when, and of what."""

    name: str
    modified: int
    staged: StagedName
    path: str
    pristine: bytes
    data: bytes

    @property
    def is_text(self) -> bool:
        """Whether an editor may have written it: no zeros or broken letters, which come of a disk that lost its power."""
        return b"\0" not in self.data and (not lines_not_utf8(self.data) or bool(lines_not_utf8(self.pristine)))

    def is_long_at_rest(self, now: datetime) -> bool:
        """Whether nobody has written to it for as long as an edit is looked after; until then it may be half written."""
        return abs(now.timestamp() - self.modified / 1e9) > _KEEP_EDITS.total_seconds() and not self.is_edit

    @property
    def is_edit(self) -> bool:
        """Whether it is a copy of an edit that was put back at once, kept in case an editor overwrites it unseen."""
        return self.name.endswith(EDIT)


class Trash:
    """The trash of one workspace."""

    def __init__(self, tree: FileTree, staging: Staging) -> None:
        self._tree = tree
        self._staging = staging

    def late_writes(self, journals: Mapping[int, Journal], now: datetime, settle: float) -> Iterator[LateWrite]:
        """The displaced files that were written to since, and are at rest now."""
        for name, state in self._items():
            staged = StagedName.parse(name)
            written = name.rsplit(".", 1)[-1] not in {PRISTINE, _ASIDE, str(state.st_mtime_ns)}
            at_rest = abs(now.timestamp() - state.st_mtime) >= settle
            is_file = stat.S_ISREG(state.st_mode)
            if staged is not None and _is_of(staged, journals) and written and at_rest and is_file:
                late = self._late(name, staged, journals[staged.seq])
                if late.data != late.pristine:
                    yield late

    def _late(self, name: str, staged: StagedName, journal: Journal) -> LateWrite:
        modified = 0 if name.endswith(EDIT) else self._staging.mark_displaced(TRASH, name)
        data = self._tree.read(f"{TRASH}/{name}", _CAP) or b""
        pristine = self._tree.read(f"{TRASH}/{staged}.{PRISTINE}")
        if pristine is None:
            pristine = _replayed(journal, staged.before)
        return LateWrite(name, modified, staged, journal.paths()[staged.step], pristine, data)

    def carried(self, late: LateWrite) -> None:
        """Remember how far a late write has been carried over; edits that were put back are looked at until they expire."""
        if late.is_edit:
            return
        self._staging.publish(f"{TRASH}/{late.staged}.{PRISTINE}", late.data)
        name = f"{late.staged}.{late.modified}"  # as it was before we read it: it may have been written to since
        with self._tree.folder(TRASH) as folder:
            if name != late.name:
                self._tree.calls.rename(late.name, folder, name, folder)

    def set_aside(self, late: LateWrite) -> str:
        """Look at a file no more, and say where it is kept; it expires as the others do."""
        aside = f"{late.name}.{_ASIDE}"
        with self._tree.folder(TRASH) as folder:
            self._tree.calls.rename(late.name, folder, aside, folder)
        return f"{TRASH}/{aside}"

    def expire(self, now: datetime, keep: KeepPolicy) -> None:
        """Let go of what is too old, and of the oldest while all of it is too much."""
        items = sorted(self._items(), key=lambda item: item[1].st_ctime_ns)
        size = sum(state.st_size for _, state in items)
        for name, state in items:
            keep_for = _KEEP_EDITS if name.endswith(EDIT) else timedelta(days=keep.trash_days)
            if now.timestamp() - state.st_ctime > keep_for.total_seconds() or size > keep.trash_mib << 20:
                self._tree.remove(f"{TRASH}/{name}")
                size -= state.st_size

    def _items(self) -> list[tuple[str, os.stat_result]]:
        names = self._tree.names(TRASH)
        if not names:
            return []
        with self._tree.folder(TRASH) as folder:
            return [(name, os.stat(name, dir_fd=folder, follow_symlinks=False)) for name in names]


def _replayed(journal: Journal, wanted: str) -> bytes:
    """The bytes of this digest among those that a transaction meets and makes; what was there before if none is."""
    state = {path: None if text is None else encode_text(text) for path, text in journal.before.items()}
    first = dict(state)
    for step in journal.transaction.steps():
        data = state.get(step.path)
        if digest_of(data) == wanted and data is not None:
            return data
        state[step.path] = take_step(step, data, state.get).data
    return next((data for data in first.values() if data is not None and digest_of(data) == wanted), b"")


def carry_operations(late: LateWrite, locate: Locate, look: Look) -> tuple[Operation, ...]:
    """What brings a late write into the bank: lines to their page, reworded memories to where they live now."""
    texts = (decode_text(look(late.path) or b""), decode_text(late.pristine), decode_text(late.data))
    if is_carried(*texts):
        return ()
    pristine, written = _entries(late.pristine), _entries(late.data)
    away = set(written) - set(_entries(look(late.path) or b""))
    moved = {key: sorted(held)[0] for key, held in locate(away).items() if held} if away else {}
    operations: list[Operation] = [
        Carry(late.path, decode_text(late.pristine), decode_text(late.data), tuple(sorted(moved)))
    ]
    for key, place in sorted(moved.items()):
        if key in pristine and pristine[key] != written[key]:
            operations.append(_reword(late.path, place, key, (pristine[key], written[key]), look))
    return tuple(operations)


def _reword(path: str, place: str, key: str, texts: tuple[str, str], look: Look) -> Operation:
    """Reword a memory where it is now; if it says something else again by then, keep both wordings."""
    pristine, written = texts
    if _entries(look(place) or b"").get(key) in {pristine, written}:
        return Replace(place, key, pristine, written)
    first, _, rest = written.partition("\n")
    nameless = "\n".join([split_id(first)[0], rest]) if rest else split_id(first)[0]
    return Append(path, "", (Piece(block_key(nameless), nameless),))


def _entries(data: bytes) -> dict[str, str]:
    page = read_page("", data)
    spans = {entry.memory.id: LineSpan(entry.start, entry.whole_end) for entry in page.entries if entry.memory.id}
    return {key: text_of(page.document, span) for key, span in spans.items()}


def _is_of(staged: StagedName, journals: Mapping[int, Journal]) -> bool:
    """Whether a file was displaced by a journal we have, and not by one of its number that a power cut took."""
    return staged.seq in journals and staged.step < len(journals[staged.seq].paths())

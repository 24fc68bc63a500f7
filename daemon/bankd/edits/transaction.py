"""A transaction: operations on files and the events that tell of them, in an order that never loses a piece.

First files are made and pieces added, then pieces are replaced, removed and relinked, and events come last: at every
moment each piece is in at least one visible file. This module decides what each step does to the bytes that it meets;
storage carries it out. A page that is to be written anew but was changed meanwhile goes piece by piece: what the user
changed stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from bankd.edits import operations as ops
from bankd.edits.inserting import block_key, ids_in, keys_in, page_of, split_bom, unix_text
from bankd.pages.page import part_of_line, parts_folder
from bankd.pages.references import may_name, without_targets
from bankd.pages.resolve import outline_of
from bankd.pages.scanner import BlockKind, decode_text, encode_text, split_lines
from bankd.pages.text import MARK

Event: TypeAlias = Mapping[str, Any]
Look: TypeAlias = Callable[[str], bytes | None]
"""Workspace-relative path -> its bytes at this moment, None when there is no such file."""


HEALING = frozenset({"second look"})
UNDO = "undo"
"""Kinds of transactions."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is done to one file in one go."""

    path: str
    operations: tuple[ops.Operation, ...]

    @property
    def phase(self) -> int:
        """Its place in the order: 0 add, 1 replace, 2 remove, 3 relink."""
        return self.operations[0].phase


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step made of the bytes that it met.

    `withdrawals` take back copies whose original the user has changed; `stayed` are the keys of pieces that stayed.
    """

    data: bytes | None
    withdrawals: tuple[ops.Remove, ...] = ()
    stayed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Transaction:
    """All that one run does to bank/, archive/ and events/; `planned_at` is the run's `now` in ISO form."""

    run: str
    planned_at: str
    operations: tuple[ops.Operation, ...] = ()
    events: tuple[Event, ...] = ()
    kind: str = "run"

    def steps(self) -> tuple[Step, ...]:
        """The operations by phase, those of one phase on one file together."""
        grouped: dict[tuple[int, str], list[ops.Operation]] = {}
        for operation in self.operations:
            grouped.setdefault((operation.phase, operation.path), []).append(operation)
        in_phase = sorted(grouped.items(), key=lambda item: item[0][0])  # stable: the plan's order within a phase
        return tuple(Step(path, tuple(operations)) for (_, path), operations in in_phase)

    def to_json(self) -> dict[str, Any]:
        """As it stands in a journal."""
        return {
            "run": self.run,
            "kind": self.kind,
            "planned_at": self.planned_at,
            "ops": [ops.operation_json(operation) for operation in self.operations],
            "events": [dict(event) for event in self.events],
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Transaction:
        """Read what `to_json` gave."""
        operations = tuple(ops.from_json(operation) for operation in fields["ops"])
        return cls(fields["run"], fields["planned_at"], operations, tuple(fields["events"]), fields["kind"])


def keep_versions(transaction: Transaction, look: Look) -> tuple[Transaction, dict[str, str]]:
    """Take out of a transaction each move of a memory to a page that already has its id with other words.

    The other version is a user's reworded copy. Gives the rest of the transaction, and for each such id the page with the
    other version. A second look is not changed: it knows what it removes.
    """
    if transaction.kind in HEALING:
        return transaction, {}
    removals = [op for op in transaction.operations if isinstance(op, ops.Remove) and op.elsewhere]
    versions = {key: op.elsewhere for op in removals for key in _other_versions(op, look(op.elsewhere))}
    if not versions:
        return transaction, {}
    operations = [
        replace(op, pieces=tuple(piece for piece in op.pieces if piece.key not in versions)) if op in removals else op
        for op in transaction.operations
    ]
    events = tuple(said for said in transaction.events if said.get("memory") not in versions)
    return replace(transaction, operations=tuple(operations), events=events), versions


def _other_versions(removal: ops.Remove, there: bytes | None) -> set[str]:
    """The keys of the pieces that the page with the copies has with other words."""
    held = keys_in(there, {piece.key for piece in removal.pieces})
    pieces = (piece for piece in removal.pieces if piece.key in held)
    return {piece.key for piece in pieces if ops.Remove(removal.elsewhere, (piece,)).apply(there) == there}


def take_step(step: Step, data: bytes | None, look: Look, rewrite: ops.Rewrite | None = None) -> StepResult:
    """Run the operations of a step on the bytes that its file has now; `look` shows the other files."""
    met = data
    withdrawals: list[ops.Remove] = []
    stayed: list[str] = []
    appends = [operation for operation in step.operations if isinstance(operation, ops.Append)]
    if len(appends) == len(step.operations):
        return StepResult(ops.append_all(appends, data))
    for operation in step.operations:
        match operation:
            case ops.Remove():
                safe = _with_copy(operation, look)
                data = safe.apply(data)
                held = keys_in(data, (piece.key for piece in safe.pieces))
                stayed += sorted(held)
                if operation.elsewhere and held:
                    copies = tuple(piece for piece in safe.pieces if piece.key in held)
                    withdrawals.append(ops.Remove(operation.elsewhere, copies, step.path))
            case ops.Write():
                written = _write(operation, data, look)
                data = written.data
                withdrawals += written.withdrawals
                stayed += written.stayed
            case ops.Relink():
                data = _where_found(operation, look).apply(data, rewrite)
            case _:
                data = operation.apply(data)
    return StepResult(_titled(step.path, data, met), tuple(withdrawals), tuple(stayed))


def _titled(path: str, data: bytes | None, met: bytes | None) -> bytes | None:
    """A page that was emptied gets a title: an empty file would look like an unfinished save."""
    is_emptied = data is not None and not data.strip() and bool(met and met.strip())
    return encode_text(f"# {path.rpartition('/')[2].removesuffix('.md')}\n") if is_emptied else data


def refused_step(step: Step, data: bytes | None) -> StepResult:
    """The result for a file that could not be written: the copies of what it still holds are withdrawn."""
    withdrawals = []
    for removal in (removal for operation in step.operations for removal in removals_of(operation)):
        held = keys_in(data, (piece.key for piece in removal.pieces)) if removal.elsewhere else ()
        if copies := tuple(piece for piece in removal.pieces if piece.key in held):
            withdrawals.append(ops.Remove(removal.elsewhere, copies, step.path))
    return StepResult(data, tuple(withdrawals))


def _write(operation: ops.Write, data: bytes | None, look: Look) -> StepResult:
    """Write a file as a whole; piece by piece when it is neither as planned nor written already."""
    if can_write(operation, data, look):
        return StepResult(operation.apply(data))
    before, done = ops.file_bytes(operation.before), ops.file_bytes(operation.after)
    if data is None or data == done or not operation.moved:
        return StepResult(data, (), () if data in {None, done, before} else (operation.path,))
    outcome = take_step(Step(operation.path, removals_of(operation)), data, look)
    if outcome.data != data and outcome.data is not None:
        for addition in _hub_lines(operation, look):
            outcome = replace(outcome, data=addition.apply(outcome.data))
    return outcome


def _with_copy(removal: ops.Remove, look: Look) -> ops.Remove:
    """A removal of only the pieces whose copy exists by now, if with other link targets."""
    if not removal.elsewhere:
        return removal
    if removal.elsewhere == removal.path:  # a memory is no copy of itself
        return replace(removal, pieces=())
    data = look(removal.elsewhere)
    there = keys_in(data, {piece.key for piece in removal.pieces})
    if data is not None and any(may_name(piece.text) for piece in removal.pieces if piece.key not in there):
        written = {without_targets(piece.text) for piece in pieces_of_page(decode_text(data))}
        there |= {piece.key for piece in removal.pieces if without_targets(piece.text) in written}
    return replace(removal, pieces=tuple(piece for piece in removal.pieces if piece.key in there))


def _where_found(operation: ops.Relink, look: Look) -> ops.Relink:
    """Keep only the moves whose target holds the piece: it may have stayed where the user changed it.

    A block id at the end of any line counts, as it does for links.
    """
    wanted: dict[str, set[str]] = {}
    for move in operation.moves:
        wanted.setdefault(move.target, set()).add(move.key)
    there: dict[str, set[str]] = {}
    for target, keys in wanted.items():
        data = look(target)
        there[target] = set() if data is None else {"", *keys_in(data, keys - {""}), *_blocks_in(data, keys)}
    return replace(operation, moves=tuple(move for move in operation.moves if move.key in there[move.target]))


def _blocks_in(data: bytes, keys: set[str]) -> set[str]:
    """The keys that are ids of blocks of this page, as links name them."""
    if ids_in(data).isdisjoint(keys):
        return set()
    return keys & outline_of(page_of(split_bom(data)[1]).document).blocks.keys()


def can_write(operation: ops.Write, data: bytes | None, look: Look) -> bool:
    """Whether the file reads as planned, every other file has its lines, and all files that it needs exist."""
    if data != ops.file_bytes(operation.before) or any(look(path) is None for path in operation.needs):
        return False
    return all(ops.digest_of(look(moved.to)) in moved.digests for moved in operation.moved)


def removals_of(operation: ops.Operation) -> tuple[ops.Remove, ...]:
    """What an operation takes out of its file: each piece goes only while it reads as planned and its copy is there."""
    if isinstance(operation, ops.Remove):
        return (operation,)
    if not isinstance(operation, ops.Write) or operation.before is None:
        return ()
    before = operation.before
    return tuple(ops.Remove(operation.path, _pieces(before, m.start, m.end), m.to) for m in operation.moved)


def _hub_lines(operation: ops.Write, look: Look) -> tuple[ops.Append, ...]:
    """The new lines of a page that becomes a hub: those for its parts, as far as the parts exist."""
    if operation.after is None or operation.before is None:
        return ()
    old = set(split_lines(operation.before))
    new = [line.rstrip("\r\n") for line in split_lines(operation.after) if line not in old and line.strip()]
    parts = {line: part for line in new if (part := part_of_line(line, operation.path))}
    pieces = tuple(ops.Piece(block_key(line), line) for line, part in parts.items() if look(part) is not None)
    return (ops.Append(operation.path, "", pieces),) if pieces else ()


def find_half_divided(
    operations: Sequence[ops.Operation], look: Look
) -> Iterator[tuple[str, str, tuple[ops.Write, ...]]]:
    """The pages that should have been split, but of which a part could not be made.

    Gives the page, the part that could not be made, and the parts that were made.
    A page that the user has changed meanwhile is not one of them: it goes piece by piece, to the parts that exist.
    """
    writes = [op for op in operations if isinstance(op, ops.Write)]
    divided = (op for op in writes if op.after is not None and op.moved)
    for page in (op for op in divided if look(op.path) == ops.file_bytes(op.before)):
        parts = [op for op in writes if op.before is None and op.path.startswith(parts_folder(page.path) + "/")]
        lacking = [part for part in parts if look(part.path) is None]
        if lacking:
            yield page.path, lacking[0].path, tuple(part for part in parts if part not in lacking)


def pieces_of_page(text: str) -> tuple[ops.Piece, ...]:
    """All outermost blocks of a text."""
    return _pieces(text, 0, len(split_lines(text)))


def _pieces(text: str, start: int, end: int) -> tuple[ops.Piece, ...]:
    """The outermost blocks that begin in some lines; the key of a memory is its id."""
    page = page_of(text.removeprefix(MARK))
    ids = {entry.start: entry.memory.id for entry in page.entries if entry.memory.id}
    found = []
    for block in page.document.blocks:
        if block.depth == 0 and block.kind is not BlockKind.BLANK and start <= block.start < end:
            lines = unix_text("".join(page.document.lines[block.start : max(block.end, block.whole_end)]))
            found.append(ops.Piece(ids.get(block.start) or block_key(lines), lines))
    return tuple(found)


def keys_of(transaction: Transaction) -> set[str]:
    """The pieces that a transaction names."""
    operations = transaction.operations
    named = (*operations, *(removal for operation in operations for removal in removals_of(operation)))
    pieces = {piece.key for operation in named for piece in ops.pieces_of(operation)}
    return pieces | {operation.key for operation in operations if isinstance(operation, ops.Replace)}


def replay_transaction(
    transaction: Transaction, before: Mapping[str, bytes | None], look: Look, rewrite: ops.Rewrite | None = None
) -> dict[str, bytes | None]:
    """The files `before` a transaction and all that it touches, as it leaves them when nothing else changes them.

    `look` shows all other files.
    """
    state = dict(before)
    see = state_of(state, look)
    for step in transaction.steps():
        state[step.path] = take_step(step, see(step.path), see, rewrite).data
    return state


def state_of(state: Mapping[str, bytes | None], look: Look) -> Look:
    """A look that finds the texts of `state`; a path that is not in it is looked up by `look`."""
    return lambda path: state[path] if path in state else look(path)


@dataclass(frozen=True, slots=True)
class Journal:
    """A committed transaction and, for each of its files, the text from before (None: it did not exist).

    `settled` are the pieces that people have changed or taken out since, as far as seen.
    """

    seq: int
    transaction: Transaction
    before: Mapping[str, str | None]
    settled: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Its file name."""
        return f"{self.seq:06}.json"

    def paths(self) -> list[str]:
        """The files of the steps, then the files with copies that may have to be taken out again."""
        steps = [step.path for step in self.transaction.steps()]
        copies = {getattr(operation, "elsewhere", "") for operation in self.transaction.operations}
        for operation in self.transaction.operations:
            copies |= {moved.to for moved in getattr(operation, "moved", ())}
        return steps + sorted(copies - {""})


@dataclass(slots=True)
class Applied:
    """What became of a transaction; `conflicts` says in words what was left as the user made it."""

    seq: int
    changed: dict[str, None] = field(default_factory=dict)
    """The files that changed, in the order of the changes."""
    conflicts: list[str] = field(default_factory=list)
    postponed: list[str] = field(default_factory=list)
    run: str = ""
    """The run that it was; empty if it was recorded by its caller."""

"""Runs, hands and undos in any order: no id stands twice, no half of anything is left, and nothing of a hand is lost."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from bankd.edits.operations import Append, Operation, Piece
from bankd.edits.transaction import Transaction, replay_transaction
from bankd.layouts.merge import Layout, plan_merge, plan_move
from bankd.layouts.rearrange import plan_layout, read_source, reference_rewriter
from bankd.layouts.split import Limits, plan_split
from bankd.memory.archive import Archived
from bankd.memory.undo import PastRun, Present, Undoing, moves_lines, plan_undo, stand_of
from bankd.pages.names import Names
from bankd.pages.scanner import encode_text, scan_text

LIMITS = Limits(warn=200, split=300)
ID = re.compile(r"\^(m-[0-9]+)$", re.MULTILINE)
REWRITE = reference_rewriter("")


@dataclass
class Bank:
    """A bank in memory, with the past of its runs."""

    chance: random.Random
    files: dict[str, bytes] = field(default_factory=dict)
    past: list[PastRun] = field(default_factory=list)
    count: int = 0

    def new_piece(self) -> Piece:
        self.count += 1
        return Piece(f"m-{self.count}", f"- W: memory number {self.count} {'x' * 40} ^m-{self.count}")

    def pages(self) -> list[str]:
        return sorted(path for path in self.files if path.startswith("bank/"))

    def ids(self) -> Counter[str]:
        return Counter(id_ for data in self.files.values() for id_ in ID.findall(data.decode()))

    def commit(self, operations: tuple[Operation, ...]) -> None:
        if not operations:
            return
        transaction = Transaction(f"run{len(self.past)}", "2026-06-10", operations)
        touched = {step.path for step in transaction.steps()}
        before = {path: self.files.get(path) for path in sorted(touched)}
        after = replay_transaction(transaction, before, self.files.get, REWRITE)
        changed = {path: data for path, data in before.items() if data != after[path]}
        for path in changed:
            self._write(path, after[path])
        self.past.append(PastRun(transaction, changed, {path: after[path] for path in changed}))

    def _write(self, path: str, data: bytes | None) -> None:
        if data is None:
            self.files.pop(path, None)
        else:
            self.files[path] = data

    # what runs do

    def learn(self) -> None:
        pages = [*self.pages(), f"bank/new{self.count}.md"]
        pieces = tuple(self.new_piece() for _ in range(self.chance.randint(1, 6)))
        heading = self.chance.choice(["", "One", "Two", "Three"])
        self.commit((Append(self.chance.choice(pages), heading, pieces, "Page"),))

    def archive(self) -> None:
        stand = stand_of({path: self.files[path] for path in self.pages()})
        chosen = self.chance.sample(sorted(stand), min(2, len(stand)))
        gone = (Archived(id_, stand[id_], "faded").within(Names(self.files)) for id_ in chosen)
        self.commit(tuple(op for one in gone for op in one.operations))

    def split(self) -> None:
        path = max(self.pages(), key=lambda path: len(self.files[path]), default=None)
        layout = path and plan_split(
            path, scan_text(self.files[path].decode()), LIMITS, lambda taken: taken in self.files
        )
        self._arrange(layout or None)

    def merge(self) -> None:
        hubs = [path for path in self.pages() if any(p.startswith(path[:-3] + "/") for p in self.pages())]
        if hubs:
            documents = {path: scan_text(data.decode()) for path, data in self.files.items()}
            layout = plan_merge(self.chance.choice(hubs), documents)
            self._arrange(layout if isinstance(layout, Layout) and layout.gone else None)

    def move(self) -> None:
        if pages := self.pages():
            old = self.chance.choice(pages)
            new = self.chance.choice(
                [f"bank/moved{self.count}.md", old[:-3].swapcase().replace("BANK", "bank") + ".md"]
            )
            if new not in self.files:
                self._arrange(plan_move({old: new}, {old: len(scan_text(self.files[old].decode()).lines)}, None))

    def _arrange(self, layout: Layout | None) -> None:
        if layout:
            sources = {path: read_source(path, data.decode()) for path, data in self.files.items()}
            self.commit(plan_layout(layout, Names(self.files), lambda *_: sources).operations)

    # what hands do

    def reword(self) -> None:
        self._edit(lambda text: re.sub(r"memory number", "my number", text, count=1))

    def note(self) -> None:
        self.count += 1
        self._edit(lambda text: f"{text}\nA note {self.count} of mine.\n")

    def _edit(self, change: Callable[[str], str]) -> None:
        if self.files:
            path = self.chance.choice(sorted(self.files))
            self.files[path] = encode_text(change(self.files[path].decode()))

    def carry_line(self) -> None:
        """A memory to another page."""
        lines = [
            (path, line) for path in self.pages() for line in self.files[path].decode().split("\n") if ID.search(line)
        ]
        if lines:
            path, line = self.chance.choice(lines)
            if not self.files[path].replace(line.encode(), b"").strip():
                return  # what a hand leaves empty is not ours
            self.files[path] = self.files[path].replace(f"{line}\n".encode(), b"", 1)
            target = self.chance.choice(self.pages())
            self.files[target] += f"\n{line}\n".encode()

    def rename(self) -> None:
        if pages := self.pages():
            self.count += 1
            self.files[f"bank/by-hand{len(self.past)}-{self.count}.md"] = self.files.pop(self.chance.choice(pages))

    # and back

    def work_out(self, past: PastRun) -> Undoing:
        return plan_undo(past, Present(Names(self.files), self.files.get, lambda _: (), lambda *_: False))

    def undo(self) -> None:
        if not self.past:
            return
        past = self.chance.choice(self.past[-4:] if self.chance.random() < 0.7 else self.past)
        before, ids = dict(self.files), self.ids()
        undoing = self.work_out(past)
        if undoing.obstacles:
            assert moves_lines(past.transaction)
            assert not undoing.operations
            return
        self.commit(tuple(undoing.operations))
        gone = {id_ for id_, (_, there) in undoing.turned.items() if there is None}
        assert ids.keys() - self.ids().keys() <= gone
        if undoing.operations and not undoing.stays:
            self._check_undo_of(self.past[-1], before)

    def _check_undo_of(self, past: PastRun, before: dict[str, bytes]) -> None:
        """The undo of an undo brings every byte again."""
        after = dict(self.files)
        again = self.work_out(past)
        for operation in again.operations:
            self._write(operation.path, operation.apply(self.files.get(operation.path)))
        assert (again.obstacles, again.stays, self.files) == ((), [], before)
        self.files = after


RUNS = ["learn", "learn", "archive", "split", "merge", "move"]
HANDS = ["reword", "note", "carry_line", "rename"]


@pytest.mark.parametrize("seed", [*range(25), *(pytest.param(n, marks=pytest.mark.full) for n in range(25, 400))])
def test_whatever_is_undone_whenever_no_id_stands_twice_and_no_page_is_left_empty(seed: int) -> None:
    bank = Bank(random.Random(seed))
    notes: set[bytes] = set()
    for _ in range(40):
        getattr(bank, bank.chance.choice([*RUNS, *HANDS, "undo", "undo", "undo", "undo"]))()
        notes |= {note for data in bank.files.values() for note in re.findall(rb"A note \d+ of mine\.", data)}

        assert [id_ for id_, n in bank.ids().items() if n > 1] == []
        assert [path for path, data in bank.files.items() if not data.strip()] == []
        assert [note for note in notes if not any(note in data for data in bank.files.values())] == []

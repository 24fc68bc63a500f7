"""What the transaction layer costs: a reflect run as it is, without syncing, and with plain writing, as ratios."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from bankd.edits.transaction import Applied, Transaction, replay_transaction
from bankd.storage import tree
from bankd.storage.transactions import TransactionWriter
from bankd.storage.tree import Syscalls
from tests.crash import outside, world

pytestmark = pytest.mark.full
Patch = pytest.MonkeyPatch
ROUNDS = 15


class Unsynced(Syscalls):
    """The real calls, but nothing is made durable."""

    def sync(self, fd: int) -> None:
        pass


class Counting(Syscalls):
    """The real calls, counted."""

    syncs = 0

    def sync(self, fd: int) -> None:
        Counting.syncs += 1
        super().sync(fd)


def as_it_is(_: Patch) -> None:
    pass


def without_syncing(patch: Patch) -> None:
    patch.setattr(tree, "Syscalls", Unsynced)


def plain_writing(patch: Patch) -> None:
    """No journal, no stage, no look: work out what every file becomes, and write it over what is there."""

    def commit(self: TransactionWriter, transaction: Transaction) -> Applied:
        before = {operation.path: self.look(operation.path) for operation in transaction.operations}
        for path, data in replay_transaction(transaction, before, self.look, self.rewrite).items():
            target = self._tree.root / path
            if data is None:
                target.unlink(missing_ok=True)
            elif data != before[path]:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        self.events.append(transaction.events)
        return Applied(1)

    without_syncing(patch)
    patch.setattr(TransactionWriter, "commit", commit)


WAYS = {"as it is": as_it_is, "without syncing": without_syncing, "plain writing": plain_writing}


def seconds(template: Path, folder: Path, change: Callable[[Patch], None], run: Callable[[Path], object]) -> float:
    root = shutil.copytree(template, folder / "w")
    with Patch.context() as patch:
        change(patch)
        started = time.perf_counter()
        run(root)
        taken = time.perf_counter() - started
    shutil.rmtree(root)
    return taken


def compare(template: Path, folder: Path, run: Callable[[Path], object], rounds: int) -> dict[str, float]:
    """The median time of each way; in turn, so that other work on the machine meets all of them alike."""
    taken: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(rounds):
        for name, change in WAYS.items():
            taken[name].append(seconds(template, folder, change, run))
    typical = {name: median(times) for name, times in taken.items()}
    for name, value in typical.items():
        print(f"{name:16} {value * 1000:6.0f} ms   `as it is` takes {typical['as it is'] / value:.2f} times that")
    return typical


def test_safety_costs_little_beside_a_whole_reflect_run(tmp_path: Path) -> None:
    outside.setup(tmp_path / "template")
    typical = compare(tmp_path / "template", tmp_path, outside.run, ROUNDS)
    with Patch.context() as patch:
        patch.setattr(tree, "Syscalls", Counting)
        outside.run(shutil.copytree(tmp_path / "template", tmp_path / "counted"))
    print(f"{Counting.syncs} syncs in a run of 50 new memories, a split in eight and ten archived opinions")

    assert typical["as it is"] < 2 * typical["plain writing"]


def test_what_a_transaction_costs_by_itself(tmp_path: Path) -> None:
    typical = compare(world.build(tmp_path / "template"), tmp_path, world.run, 4 * ROUNDS)

    assert typical["as it is"] < 10 * typical["plain writing"]

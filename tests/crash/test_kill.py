"""Killed at every change of the disk, in the middle of every write, and again while recovering."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.crash.faults import Fault, FaultyCalls, Killed
from tests.crash.world import ORIGINAL, bank_of, build, faults, fresh, lost, run


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("bank") / "w")


@pytest.fixture(scope="module")
def clean(template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], list[str]]:
    """The bank after a run that nobody disturbed, and the changes that it made."""
    root = fresh(template, tmp_path_factory.mktemp("clean") / "w")
    calls = FaultyCalls()
    run(root, calls)
    return bank_of(root), calls.log


def broken(template: Path, root: Path, fault: Fault) -> FaultyCalls:
    fresh(template, root)
    calls = FaultyCalls(fault)
    with pytest.raises(Killed):
        run(root, calls)
    return calls


def points(log: list[str], step: int, actions: tuple[str, ...] = ("kill", "torn")) -> Iterator[tuple[str, int]]:
    for action in actions:
        for n in range(1, len(log) + 1, step):
            if action == "kill" or log[n - 1].startswith("write"):
                yield action, n


def judge(root: Path, clean_bank: dict[str, bytes]) -> list[str]:
    """What is wrong before and after the next run; the one after that must have nothing to do."""
    before = lost(root, ORIGINAL)
    run(root)
    wrong = [f"before recovery: {text}" for text in before] + faults(root)
    if bank_of(root) != clean_bank:
        wrong.append("the bank is not that of an undisturbed run")
    recovery, applied = run(root)
    if applied.seq or recovery.changed:
        wrong.append("the second run found something to do")
    return wrong


def test_an_undisturbed_run_leaves_nothing_wrong_and_nothing_to_do(template: Path, tmp_path: Path) -> None:
    root = fresh(template, tmp_path / "w")
    run(root)
    after = bank_of(root)
    recovery, applied = run(root)

    assert faults(root) == []
    assert (applied.seq, recovery.changed, bank_of(root)) == (0, [], after)


def test_a_kill_at_any_change_loses_and_doubles_nothing(
    template: Path, clean: tuple[dict[str, bytes], list[str]], tmp_path: Path
) -> None:
    every_kill(template, clean, tmp_path, step=9)


@pytest.mark.full
def test_a_kill_at_every_change_loses_and_doubles_nothing(
    template: Path, clean: tuple[dict[str, bytes], list[str]], tmp_path: Path
) -> None:
    every_kill(template, clean, tmp_path, step=1)


def every_kill(template: Path, clean: tuple[dict[str, bytes], list[str]], tmp_path: Path, step: int) -> None:
    bank, log = clean
    bad = {}
    for action, n in points(log, step):
        root = tmp_path / f"{action}{n}"
        broken(template, root, Fault(n, action))
        if wrong := judge(root, bank):
            bad[f"{action} at {n}: {log[n - 1]}"] = wrong
        shutil.rmtree(root)

    assert bad == {}


def test_a_kill_in_the_recovery_from_a_kill_is_a_kill_like_any_other(
    template: Path, clean: tuple[dict[str, bytes], list[str]], tmp_path: Path
) -> None:
    every_double_kill(template, clean, tmp_path, firsts=3, step=17)


@pytest.mark.full
def test_a_kill_at_every_change_of_many_recoveries_is_a_kill_like_any_other(
    template: Path, clean: tuple[dict[str, bytes], list[str]], tmp_path: Path
) -> None:
    every_double_kill(template, clean, tmp_path, firsts=12, step=2)


def every_double_kill(
    template: Path, clean: tuple[dict[str, bytes], list[str]], tmp_path: Path, firsts: int, step: int
) -> None:
    bank, log = clean
    bad = {}
    chosen = random.Random(7).sample(range(1, len(log) + 1), firsts)
    for first in sorted(chosen):
        once = tmp_path / f"once{first}"
        broken(template, once, Fault(first, "kill"))
        counting = FaultyCalls()
        run(fresh(once, tmp_path / "count"), counting)
        shutil.rmtree(tmp_path / "count")
        for second in range(1, counting.count + 1, step):
            root = tmp_path / f"twice{first}-{second}"
            broken(once, root, Fault(second, "kill"))
            if wrong := judge(root, bank):
                bad[f"kill at {first} ({log[first - 1]}), then at {second} ({counting.log[second - 1]})"] = wrong
            shutil.rmtree(root)
        shutil.rmtree(once)

    assert bad == {}

"""Killed at every change of the disk, in the middle of every write, and again while recovering."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.faults import Fault, FaultyCalls, Killed
from tests.crash.passing import states_passed
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
    assert (applied.seq, recovery.changed, bank_of(root)) == (0, {}, after)


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
    once, twice = every_double_kill(template, clean[0], tmp_path, firsts=67, step=13)

    assert once
    assert twice


@pytest.mark.full
def test_a_kill_anywhere_in_the_recovery_from_a_kill_anywhere_is_a_kill_like_any_other(
    template: Path, clean: tuple[dict[str, bytes], list[str]], tmp_path: Path
) -> None:
    once, twice = every_double_kill(template, clean[0], tmp_path, firsts=1, step=1)
    print(once, "states after one kill,", twice, "more after a second one")


def every_double_kill(
    template: Path, clean_bank: dict[str, bytes], tmp_path: Path, firsts: int, step: int
) -> tuple[int, int]:
    """Recover from every different state that a kill can leave, and from every one that a kill in that recovery can."""
    seen: set[str] = set()
    bad = {}
    once = states_passed(fresh(template, tmp_path / "w"), seen, tmp_path)[::firsts]
    twice = 0
    for first in once:
        shutil.rmtree(tmp_path / "w")
        for number, second in enumerate(states_passed(fresh(first, tmp_path / "w"), seen, tmp_path)):
            if number % step == 0:
                twice += 1
                if wrong := judge(second, clean_bank):
                    bad[f"{first.name}, then {second.name}"] = wrong
            shutil.rmtree(second)

    assert bad == {}
    return len(once), twice

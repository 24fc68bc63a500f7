"""Killed, or cut off from power, at every change of the disk, in the middle of every write, and again while recovering."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.crash.faults import FaultyCalls, Killed, each, kills
from tests.crash.passing import states_passed
from tests.crash.power import Recorder, materialise, states
from tests.crash.world import ORIGINAL, bank_of, faults, fresh, lost, run


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


@each(9)
def test_a_kill_at_any_change_loses_and_doubles_nothing(
    template: Path, clean: tuple[dict[str, bytes], list[str]], tmp_path: Path, step: int
) -> None:
    bank, log = clean
    bad = {}
    for fault in kills(log, range(1, len(log) + 1, step)):
        root = fresh(template, tmp_path / "w")
        with pytest.raises(Killed):
            run(root, FaultyCalls(fault))
        if wrong := judge(root, bank):
            bad[f"{fault.action} at {fault.at}: {log[fault.at - 1]}"] = wrong
        shutil.rmtree(root)

    assert bad == {}


@pytest.mark.parametrize(("firsts", "step"), [(67, 13), pytest.param(1, 1, marks=pytest.mark.full)])
def test_a_kill_in_the_recovery_from_a_kill_is_a_kill_like_any_other(
    template: Path, clean: tuple[dict[str, bytes], list[str]], tmp_path: Path, firsts: int, step: int
) -> None:
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
                if wrong := judge(second, clean[0]):
                    bad[f"{first.name}, then {second.name}"] = wrong
            shutil.rmtree(second)

    print(len(once), "states after one kill,", twice, "more after a second one")
    assert bad == {}
    assert twice >= len(once) > 0


@pytest.fixture(scope="module")
def recorded(template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Recorder, dict[str, bytes]]:
    root = fresh(template, tmp_path_factory.mktemp("clean") / "w")
    recorder = Recorder(root)
    run(root, recorder.calls())
    return recorder, bank_of(root)


def test_the_recorder_sees_the_tree_that_the_run_left(recorded: tuple[Recorder, dict[str, bytes]]) -> None:
    *_, (_, last) = states(recorded[0], "ordered", step=len(recorded[0].changes))

    assert {p: d for p, d in last.items() if d is not None and p.startswith(("bank/", "archive/"))} == recorded[1]


@pytest.mark.parametrize("model", ["ordered", "strict"])
@each(61)
def test_a_power_cut_after_some_changes_loses_nothing(
    recorded: tuple[Recorder, dict[str, bytes]], tmp_path: Path, model: str, step: int
) -> None:
    recorder, clean_bank = recorded
    bad = {}
    cases = 0
    for label, tree in states(recorder, model, step):
        cases += 1
        root = materialise(tree, tmp_path / "w")
        before = lost(root, ORIGINAL)
        run(root)
        wrong = [*before, *faults(root)]
        if bank_of(root) != clean_bank:
            wrong.append("the bank is not that of an undisturbed run")
        if wrong:
            bad[label] = wrong
        shutil.rmtree(root)

    print(model, cases, "states")
    assert bad == {}
    assert cases > 5

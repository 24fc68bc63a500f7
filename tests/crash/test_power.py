"""Power cuts, simulated at every change of the disk in two models; real ones where root and loop devices allow."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.crash.faults import each
from tests.crash.power import Recorder, materialise, states
from tests.crash.world import ORIGINAL, bank_of, faults, fresh, lost, run


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

"""A real reflect run: it takes in, archives, splits and relinks, and is killed, refused and raced at every change."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from bankd.storage import tree
from bankd.storage.tree import Syscalls
from tests.crash import outside
from tests.crash.faults import ACTIONS, FULL, KINDS, WRITING, Fault, FaultyCalls, Killed, kills
from tests.crash.world import bank_of

Patch = pytest.MonkeyPatch
TREE = "bank/_meta/tree-index.json"
"""Its keywords are chosen when a page changes: by what the bank held when that was."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("outside") / "w"
    outside.setup(root)
    # The rules that decide here, without the hundred others, which take longer to read than the run to be broken.
    (root / "routing.yaml").write_text("entities: true\ndefaults: {O: opinions/beliefs.md}\n", encoding="utf-8")
    (root / "bankd.yaml").write_text("search: {analyser: lexicon}\n", encoding="utf-8")
    for page in root.glob("*.yaml"):
        os.utime(page, (1, 1))
    return root


@pytest.fixture(scope="module")
def clean_run(template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], dict[str, bytes]]:
    root = shutil.copytree(template, tmp_path_factory.mktemp("clean") / "w")
    calls = FaultyCalls()
    with Patch.context() as patch:
        assert reflect(patch, root, calls) == 0
        again(patch, root)
    return calls.log, bank_of(root)


def reflect(patch: Patch, root: Path, calls: FaultyCalls) -> int:
    """One run whose changes of the disk all go through these calls."""
    patch.setattr(tree, "Syscalls", lambda: calls)
    return outside.run(root)


def again(patch: Patch, root: Path) -> int:
    """The next nights, without faults."""
    patch.setattr(tree, "Syscalls", Syscalls)
    return outside.recover(root)


def wrong_after(patch: Patch, template: Path, root: Path, fault: Fault) -> list[str]:
    """Break one run, look, run again, look again."""
    shutil.copytree(template, root)
    code = 0
    with suppress(Killed):
        code = reflect(patch, root, FaultyCalls(fault))
    wrong = [f"exit code {code}"] if code not in {0, 3, 75} else []
    wrong += [f"before recovery: {words}" for words in outside.weak(root)]
    if again(patch, root):
        wrong.append("the next run failed")
    return wrong + outside.check(root)


BreakAt = Callable[..., None]


@pytest.fixture
def log(clean_run: tuple[list[str], dict[str, bytes]]) -> list[str]:
    """The changes of the disk in a run that nobody disturbs."""
    return clean_run[0]


@pytest.fixture
def break_at(template: Path, clean_run: tuple[list[str], dict[str, bytes]], tmp_path: Path) -> BreakAt:
    """Break a run at each of these faults; the bank is then that of an undisturbed run, but for one page."""
    log, undisturbed = clean_run

    def break_at(faults: list[Fault], *, same: bool = True, but: str = "") -> None:
        bad, root = {}, tmp_path / "w"
        with Patch.context() as patch:
            for fault in faults:
                if fault.hook is not None:
                    fault.hook = lambda: outside.hook(root) and None
                wrong = wrong_after(patch, template, root, fault)
                if same and bank_of(root) | {but: b""} != undisturbed | {but: b""}:
                    wrong.append("the bank is not that of an undisturbed run")
                if wrong:
                    at = log[fault.at - 1] if fault.kinds == KINDS else fault.kinds
                    bad[f"{fault.action} at {fault.at} ({at}), killed at {fault.kill_at}"] = wrong
                shutil.rmtree(root)
        assert bad == {}

    return break_at


def races(log: list[str], step: int, kill: int) -> list[Fault]:
    return [Fault(n, "hook", hook=lambda: None, kill_at=n + kill if kill else 0) for n in range(1, len(log) + 1, step)]


@pytest.mark.parametrize("most", [2, pytest.param(1 << 30, marks=pytest.mark.full)])
def test_a_reflect_run_may_be_killed(break_at: BreakAt, log: list[str], most: int) -> None:
    break_at(kills(log, range(1, len(log) + 1, max(1, len(log) // most))))


def test_a_reflect_run_may_be_raced_by_a_hand(break_at: BreakAt, log: list[str]) -> None:
    faults = races(log, len(log) // 2, 0) + races(log, len(log), 2)
    break_at(faults, same=False)


def test_a_reflect_run_may_meet_a_full_disk(break_at: BreakAt, log: list[str]) -> None:
    writes = sum(change.startswith(WRITING) for change in log)
    faults = [replace(ACTIONS[FULL], at=n) for n in range(1, writes, writes // 2)]
    break_at(faults)


def test_where_the_divided_page_is_refused_its_parts_go_again(break_at: BreakAt, log: list[str]) -> None:
    swaps = [n for n, change in enumerate(log, 1) if change.endswith("<-> full.md")]

    assert swaps
    break_at([Fault(n, "EROFS") for n in swaps], but=TREE)


@pytest.mark.full
@pytest.mark.parametrize("kill", [0, 1, 2, 3])
def test_a_reflect_run_may_be_raced_anywhere(break_at: BreakAt, log: list[str], kill: int) -> None:
    break_at(races(log, 1, kill), same=False)


@pytest.mark.full
@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "EMFILE", "EROFS"])
def test_a_reflect_run_may_be_refused_anything(break_at: BreakAt, log: list[str], error: str) -> None:
    but = TREE if error == "EROFS" else ""  # of one page only: the rest is written, and the page in the next run
    break_at([Fault(n, error) for n in range(1, len(log) + 1)], but=but)

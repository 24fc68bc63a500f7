"""Each rule of the transaction layer switched off in turn: this suite must notice every one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest

from bankd.errors import BankError
from tests.crash.faults import Fault, FaultyCalls, Killed
from tests.crash.hands import PAGES, Hand
from tests.crash.mutants import MUTANTS
from tests.crash.power import Recorder, materialise, states
from tests.crash.world import EXPECTED, ORIGINAL, bank_of, build, faults, fresh, lost, run

Cases = Iterator[bool]
QUICK = {
    "no file sync": "power ordered",
    "no folder sync": "power strict",
    "journal deleted first": "kill",
    "no compare": "race",
    "check, then replace": "race",
    "remove before create": "kill",
    "events first": "kill",
    "remove without guard": "race",
    "staged under the final name": "race and kill",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("bank") / "w")


def is_bad(root: Path, expected: set[str] = EXPECTED, words: set[str] = frozenset()) -> bool:  # type: ignore[assignment]
    """Whether anything is wrong after one or two more runs, a crash of the program included."""
    try:
        before = lost(root, ORIGINAL & expected)
        run(root)
        run(root)
        texts = [data.decode("utf-8", "surrogateescape") for data in bank_of(root).values()]
        missing = [word for word in words if not any(word in text for text in texts)]
        return bool(before or missing or faults(root, expected))
    except (BankError, OSError, ValueError, KeyError):
        return True


def changes(template: Path, tmp_path: Path) -> list[str]:
    calls = FaultyCalls()
    run(fresh(template, tmp_path / "count"), calls)
    shutil.rmtree(tmp_path / "count")
    return calls.log


def kill(template: Path, tmp_path: Path) -> Cases:
    log = changes(template, tmp_path)
    points = sorted(range(1, len(log) + 1), key=lambda n: ".md" not in log[n - 1])  # swaps first: they go wrong most
    for at in points:
        for action in ("kill", "torn") if log[at - 1].startswith("write") else ("kill",):
            root = fresh(template, tmp_path / "w")
            try:
                run(root, FaultyCalls(Fault(at, action)))
            except Killed:
                yield is_bad(root)
            shutil.rmtree(root)


def race(template: Path, tmp_path: Path, kills: tuple[int, ...] = (0,)) -> Cases:
    log = changes(template, tmp_path)
    swaps = [n for n, change in enumerate(log, 1) if ".md" in change]
    for at in swaps:
        for style in ("in place", "rename", "append"):
            for path in PAGES:
                for kill in kills:
                    root = fresh(template, tmp_path / "w")
                    hand = Hand(root, path, style)
                    with suppress(Killed):
                        run(root, FaultyCalls(Fault(at, "hook", hook=hand, kill_at=at + kill if kill else 0)))
                    yield is_bad(root, EXPECTED - hand.deleted, set(hand.words))
                    shutil.rmtree(root)


def race_and_kill(template: Path, tmp_path: Path) -> Cases:
    """An edit right before a swap makes us stage again: the kill falls into that."""
    return race(template, tmp_path, kills=(5, 11, 13))


def power(model: str, step: int = 1) -> Callable[[Path, Path], Cases]:
    """Power cuts in a model; a mutant need not meet every state of the strict one to be noticed."""

    def cases(template: Path, tmp_path: Path) -> Cases:
        root = fresh(template, tmp_path / "r")
        recorder = Recorder(root)
        run(root, recorder.calls())
        shutil.rmtree(root)
        for _, tree in islice(states(recorder, model, backwards=True), 0, None, step):
            root = materialise(tree, tmp_path / "w")
            yield is_bad(root)
            shutil.rmtree(root)

    return cases


MODES: dict[str, Callable[[Path, Path], Cases]] = {
    "kill": kill,
    "race": race,
    "race and kill": race_and_kill,
    "power ordered": power("ordered"),
    "power strict": power("strict", step=3),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_suite_notices_when_a_rule_is_off(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mutant: str
) -> None:
    MUTANTS[mutant](monkeypatch)

    assert any(MODES[QUICK[mutant]](template, tmp_path))


@pytest.mark.full
@pytest.mark.parametrize("mutant", ["none", *MUTANTS])
def test_how_many_cases_of_each_mode_notice(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mutant: str
) -> None:
    if mutant != "none":
        MUTANTS[mutant](monkeypatch)
    counted = {}
    for mode, cases in MODES.items():
        seen = judged(cases, template, tmp_path / mode.replace(" ", "-"))
        counted[mode] = (sum(seen), len(seen))
    if mutant == "none":
        print(row("rule off", *counted), row("---", *("---" for _ in counted)), sep="")
    print(row(mutant, *(f"{bad} of {total}" for bad, total in counted.values())), end="")

    assert (sum(bad for bad, _ in counted.values()) > 0) == (mutant != "none")


def judged(cases: Callable[[Path, Path], Cases], template: Path, folder: Path) -> list[bool]:
    folder.mkdir()
    return list(cases(template, folder))


def row(*cells: str) -> str:
    """A row of the table of what notices what: cases that went wrong of those that were tried."""
    return f"\n| {' | '.join(cells)} |"

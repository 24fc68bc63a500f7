"""A hand's edit right before every change of the disk, and then a kill within the next three."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from tests.crash.faults import Fault, FaultyCalls, Killed
from tests.crash.hands import PAGES, STYLES, Hand
from tests.crash.world import EXPECTED, bank_of, build, faults, fresh, run

from bankd.errors import ConflictError


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("bank") / "w")


@pytest.fixture(scope="module")
def changes(template: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    calls = FaultyCalls()
    run(fresh(template, tmp_path_factory.mktemp("clean") / "w"), calls)
    return calls.count


def race(template: Path, root: Path, style: str, path: str, at: int, kill: int = 0) -> list[str]:
    """Edit before change `at`, die `kill` changes later, run twice more; give what is wrong."""
    fresh(template, root)
    hand = Hand(root, path, style)
    with suppress(Killed, ConflictError):
        run(root, FaultyCalls(Fault(at, "hook", hook=hand, kill_at=at + kill if kill else 0)))
    hand.after()
    run(root)
    run(root)
    wrong = wrong_after(root, hand)
    recovery, applied = run(root)
    return [*wrong, "still something to do in the third run"] if applied.changed or recovery.changed else wrong


def wrong_after(root: Path, hand: Hand) -> list[str]:
    """What is wrong with the bank and with the words that a person wrote."""
    wrong = faults(root, EXPECTED - hand.deleted)
    texts = [data.decode("utf-8", "surrogateescape") for data in bank_of(root).values()]
    for word in sorted(set(hand.words)):
        if (times := sum(text.count(word) for text in texts)) != 1:
            wrong.append(f"{word!r} is there {times} times")
    return wrong


def race_everywhere(template: Path, tmp_path: Path, points: range, kills: tuple[int, ...]) -> None:
    bad = {}
    case = 0
    for at in points:
        for style in STYLES:
            for kill in kills:
                case += 1
                path = PAGES[case % len(PAGES)]
                root = tmp_path / f"c{case}"
                if wrong := race(template, root, style, path, at, kill):
                    bad[f"{style} edit of {path} before {at}, killed {kill} later"] = wrong
                shutil.rmtree(root)

    assert bad == {}


def test_an_edit_before_any_change_is_kept(template: Path, changes: int, tmp_path: Path) -> None:
    race_everywhere(template, tmp_path, range(1, changes + 1, 37), kills=(0,))


def test_an_edit_and_then_a_kill_is_kept(template: Path, changes: int, tmp_path: Path) -> None:
    race_everywhere(template, tmp_path, range(5, changes + 1, 83), kills=(1, 3))


@pytest.mark.full
@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("style", STYLES)
def test_an_edit_before_every_change_is_kept(
    template: Path, changes: int, tmp_path: Path, style: str, path: str
) -> None:
    bad = {}
    for at in range(1, changes + 1):
        for kill in (0, 1 + at % 3):
            root = tmp_path / "w"
            if wrong := race(template, root, style, path, at, kill):
                bad[f"before {at}, killed {kill} later"] = wrong
            shutil.rmtree(root)

    assert bad == {}

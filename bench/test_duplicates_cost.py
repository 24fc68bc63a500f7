"""What it costs to judge 1,000 new lines against a small bank and against one a hundred times as large.

`pytest -m full -s bench/test_duplicates_cost.py` prints the times; they are not asserted, the work is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time
from timeit import default_timer

import pytest

from bankd.app.index import RunIndex
from bankd.app.init import make_workspace
from bankd.cli import main

pytestmark = pytest.mark.full

NEW = 1_000
_PARTS = (
    "Peter Paul Maria Caroline Melanie John James Tim Nate Joanna Gina Harry Emma Olivia Noah Liam Mina Jisoo Hana",
    "uses avoids bought sold moved reviewed cancelled planned shipped merged reverted tested documented measured",
    "concise green weekly offline legacy encrypted shared quiet modern hybrid portable nightly staging primary",
    "keyboard server report editor backup meeting dashboard notebook pipeline camera bicycle garden recipe invoice",
    "Seoul Busan home office train library studio harbour market museum",
)


def statements(count: int, seed: int) -> list[str]:
    """So many different statements about a few people and things."""
    chance = Random(seed)
    parts = [part.split() for part in _PARTS]
    found: set[str] = set()
    while len(found) < count:
        who, does, how, what, where = (chance.choice(part) for part in parts)
        found.add(f"{who} {does} the {how} {what} near the {where}, ticket {chance.randrange(10**6)}")
    return sorted(found)


def fill(root: Path, memories: list[str]) -> None:
    for at in range(0, len(memories), 50):
        page = root / f"bank/knowledge/c{at // 5000:03d}/p{at // 50:05d}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("# Page\n\n" + "".join(f"- W: {text}\n" for text in memories[at : at + 50]), encoding="utf-8")


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many neighbours each new line was compared with."""
    counts: list[int] = []
    ask = RunIndex.neighbours_of

    def count(self: RunIndex, memories: object) -> object:
        found = ask(self, memories)  # type: ignore[arg-type]
        counts.extend(len(neighbours) for neighbours in found.values())
        return found

    monkeypatch.setattr(RunIndex, "neighbours_of", count)
    return counts


@pytest.mark.parametrize("size", [1_000, 100_000])
def test_a_new_line_is_compared_with_a_handful(
    tmp_path: Path, looked_at: list[int], size: int, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "ws"
    make_workspace(root)
    settings = root / "bankd.yaml"
    text = settings.read_text(encoding="utf-8").replace("settle_seconds: 5", "settle_seconds: 0")
    settings.write_text(text.replace("analyser: kiwi", "analyser: lexicon"), encoding="utf-8")
    bank = statements(size, seed=1)
    fill(root, bank)
    run = cycle(root)
    run("--force")
    repeated = [f"{statement}." for statement in Random(2).sample(bank, NEW // 2)]
    lines = "".join(f"- W: {statement}\n" for statement in [*repeated, *statements(NEW // 2, seed=3)])
    (root / "memory/2026-05-01.md").write_text(f"## Retain\n{lines}", encoding="utf-8")

    seconds = min(run("--dry-run") for _ in range(3))
    with capsys.disabled():
        print(f"\n{NEW} new lines against {size} memories: {seconds:.2f} s, {max(looked_at)} compared at most")

    assert looked_at
    assert max(looked_at) <= 20


def test_conflicts_and_near_copies_are_looked_for_where_something_changed(
    tmp_path: Path, looked_at: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "ws"
    make_workspace(root)
    settings = root / "bankd.yaml"
    settings.write_text(settings.read_text(encoding="utf-8").replace("analyser: kiwi", "analyser: lexicon"))
    said = statements(10_000, seed=1)
    fill(root, [f"{text} ^m-{at:012d}" for at, text in enumerate(said)])
    main(["index", "--workspace", str(root)])
    taken = []
    for command in ("conflicts", "conflicts", "consolidate"):
        start = process_time()
        main([command, "--json", "--workspace", str(root)])
        taken.append(process_time() - start)
    capsys.readouterr()
    with capsys.disabled():
        print("\n10,000 memories: conflicts {:.1f} s of CPU, again {:.1f}, consolidate {:.1f}".format(*taken))

    assert len(looked_at) == len(said)


def cycle(root: Path) -> Callable[..., float]:
    """Run a micro cycle in a workspace; gives the seconds that it took."""

    def run(*options: str) -> float:
        start = default_timer()
        code = main(["cycle", "micro", "--json", "--workspace", str(root), *options])
        assert code == 0
        return default_timer() - start

    return run

"""What a search costs as a whole process, against `python -c pass`: with a daemon, and without one at 10,000 memories.

python -m bench.start
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from bankd.wiring.search import make_search
from bench.banks import make_bank
from bench.processes import BIN, COMPILED, daemon_of, processor
from bench.trial import NOW

MEMORIES = 10_000
ROUNDS = 25


class Cost(NamedTuple):
    """The smallest wall and processor time of a command, in milliseconds: what else the computer does only adds."""

    wall: float
    processor: float


def costs_of(*commands: list[str]) -> list[Cost]:
    """What each command costs; they run in turn, so that all see the same computer."""
    taken = [[run(command) for command in commands] for _ in range(ROUNDS + 1)][1:]
    return [Cost(*(1000 * min(one) for one in zip(*of_one, strict=True))) for of_one in zip(*taken, strict=True)]


def run(command: list[str], *, must_find: bool = True) -> tuple[float, float]:
    """Seconds of wall and of processor that a command takes."""
    before, started = processor(), perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=must_find, env=COMPILED)
    return perf_counter() - started, processor() - before


def main() -> int:
    random = Random(3)
    with TemporaryDirectory(prefix="bankd-start-") as name:
        root = Path(name) / "ws"
        texts = make_bank(root, MEMORIES, random)
        searching = make_search(root)
        searching.refresh(NOW, None)
        searching.close()
        query = " ".join(texts[500].split()[:4])
        search = [str(BIN / "bankctl"), "search", "--workspace", str(root), "--json", query]
        empty = [sys.executable, "-c", "pass"]
        alone = costs_of(empty, search)
        with daemon_of(root):
            served = costs_of(empty, search)
    for what, (base, cost), allowed in (("without a daemon", alone, 6), ("with a daemon", served, 3)):
        print(f"python -c pass   {base.wall:6.1f} ms, {base.processor:6.1f} ms of processor")
        ratios = f"{cost.wall / base.wall:.1f} times, {cost.processor / base.processor:.1f} times the processor"
        print(f"{what:<16} {cost.wall:6.1f} ms, {cost.processor:6.1f} ms of processor: {ratios} (at most {allowed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

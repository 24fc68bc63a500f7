"""What a search costs as a whole process, against `python -c pass`: with a daemon, and without one at 10,000 memories.

python -m bench.start
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory
from threading import Event
from time import perf_counter
from typing import NamedTuple

from bankd.app.evaluate import NOW
from bankd.wiring.search import open_search
from bench.banks import make_bank

MEMORIES = 10_000
ROUNDS = 25
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""As an installed package runs: from compiled files."""

BIN = Path(sys.executable).parent


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
    before, started = getrusage(RUSAGE_CHILDREN), perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=must_find, env=COMPILED)
    wall, after = perf_counter() - started, getrusage(RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start_daemon(root: Path) -> subprocess.Popen[bytes]:
    """A daemon of the workspace that answers."""
    daemon = subprocess.Popen([BIN / "bankd", "--workspace", str(root)], stderr=subprocess.DEVNULL)
    for _ in range(600):
        if (root / ".bankd" / "bankd.sock").exists():
            return daemon
        Event().wait(0.1)
    daemon.terminate()
    raise SystemExit("the daemon did not start within a minute")


def main() -> int:
    random = Random(3)
    with TemporaryDirectory(prefix="bankd-start-") as name:
        root = Path(name) / "ws"
        texts = make_bank(root, MEMORIES, random)
        searching = open_search(root)
        searching.refresh(NOW, None)
        searching.close()
        query = " ".join(texts[500].split()[:4])
        search = [str(BIN / "bankctl"), "search", "--workspace", str(root), "--json", query]
        empty = [sys.executable, "-c", "pass"]
        alone = costs_of(empty, search)
        daemon = start_daemon(root)
        served = costs_of(empty, search)
        daemon.terminate()
        daemon.wait()
    for what, (base, cost), allowed in (("without a daemon", alone, 6), ("with a daemon", served, 3)):
        print(f"python -c pass   {base.wall:6.1f} ms, {base.processor:6.1f} ms of processor")
        ratios = f"{cost.wall / base.wall:.1f} times, {cost.processor / base.processor:.1f} times the processor"
        print(f"{what:<16} {cost.wall:6.1f} ms, {cost.processor:6.1f} ms of processor: {ratios} (at most {allowed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

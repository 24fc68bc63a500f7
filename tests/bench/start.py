"""What a search costs as a whole process, against `python -c pass`: with a daemon, and without one at 10,000 memories.

python -m tests.bench.start
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

from bankd.wiring.evaluating import NOW
from bankd.wiring.searching import open_search
from tests.bench.banks import make_bank

MEMORIES = 10_000
ROUNDS = 25
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""As an installed package runs: from compiled files."""

BIN = Path(sys.executable).parent


def cost_of(command: list[str]) -> tuple[float, float]:
    """The smallest wall and processor time of a command, in milliseconds: what else the computer does only adds."""
    walls, processors = [], []
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=COMPILED)
    for _ in range(ROUNDS):
        before, started = getrusage(RUSAGE_CHILDREN), perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=COMPILED)
        walls.append(perf_counter() - started)
        after = getrusage(RUSAGE_CHILDREN)
        processors.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(walls) * 1000, min(processors) * 1000


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
        base = cost_of([sys.executable, "-c", "pass"])
        alone = cost_of(search)
        daemon = start_daemon(root)
        served = cost_of(search)
        daemon.terminate()
        daemon.wait()
    print(f"python -c pass   {base[0]:6.1f} ms, {base[1]:6.1f} ms of processor")
    for what, cost, allowed in (("without a daemon", alone, 6), ("with a daemon", served, 3)):
        ratios = f"{cost[0] / base[0]:.1f} times, {cost[1] / base[1]:.1f} times the processor"
        print(f"{what:<16} {cost[0]:6.1f} ms, {cost[1]:6.1f} ms of processor: {ratios} (at most {allowed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

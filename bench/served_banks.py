"""What a further bank costs a daemon of all banks: resident memory and threads, beside a daemon of one.

    python -m bench.served_banks [--banks 11] [--memories 1000]

Each bank is indexed, settled, and searched ten times. What runs need is another process's, which all banks share.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bankd.system.clock import read_monotonic
from bankd.system.files import write_banks
from bankd.system.socket_client import NoDaemonError, send_request
from bench.banks import Words, make_bank
from bench.processes import BIN, bankctl

SEED, PAGE, QUESTIONS, PATIENCE = 7, 10, 10, 120.0


class Cost(NamedTuple):
    """MB of resident memory, MB that is this process's alone, threads."""

    resident: float
    own: float
    threads: int


def cost_of(process: int) -> Cost:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
    sizes = {name: int(rest.split()[0]) / 1000 for name, _, rest in (line.partition(":") for line in lines)}
    return Cost(
        sizes["Rss"], sizes["Private_Dirty"] + sizes["Private_Clean"], len([*Path(f"/proc/{process}/task").iterdir()])
    )


def serve(roots: Sequence[Path], config: Path) -> Cost:
    """Serve these banks, ask each of them, and look what that took."""
    environment = {**os.environ, "XDG_CONFIG_HOME": str(config)}
    os.environ["XDG_CONFIG_HOME"] = str(config)
    write_banks({root.name: str(root) for root in roots})
    daemon = subprocess.Popen([BIN / "bankd", "--all"], env=environment, stderr=subprocess.DEVNULL)
    try:
        for root in roots:
            ask_when_served(root)
        return cost_of(daemon.pid)
    finally:
        daemon.terminate()
        daemon.wait(PATIENCE)


def ask_when_served(root: Path) -> None:
    words, until = Words(Random(SEED)), read_monotonic() + PATIENCE
    while read_monotonic() < until:
        try:
            for _ in range(QUESTIONS):
                query = " ".join(words.draw(Random(SEED), 3))
                send_request(str(root), {"op": "search", "query": query, "keep": False}, PATIENCE)
        except NoDaemonError:
            threading.Event().wait(0.1)
        else:
            return
    raise TimeoutError(root)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What a further bank costs a daemon of all banks.")
    parser.add_argument("--banks", type=int, default=11)
    parser.add_argument("--memories", type=int, default=1000)
    options = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="bankd-served-") as name:
        roots = [Path(name) / f"bank{number:02}" for number in range(options.banks)]
        for number, root in enumerate(roots):
            make_bank(root, options.memories, Random(number), PAGE)
            bankctl(root, "cycle", "reflect")
        one, all_of_them = serve(roots[:1], Path(name) / "one"), serve(roots, Path(name) / "all")
    further = options.banks - 1
    for title, cost in (("one bank", one), (f"{options.banks} banks", all_of_them)):
        print(f"{title:<10} {cost.resident:6.1f} MB resident, {cost.own:6.1f} MB its own, {cost.threads:4} threads")
    own = (all_of_them.own - one.own) / further
    print(f"a further bank of {options.memories} memories: {own:.2f} MB (at most 3), ", end="")
    print(f"{(all_of_them.threads - one.threads) / further:.0f} threads")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

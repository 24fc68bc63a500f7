"""The programs as they are installed, and what processes cost."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from threading import Event
from time import perf_counter

BIN = Path(sys.executable).parent
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of an installed package, which runs from compiled files."""
LONG_AGO = 1_767_225_600
"""Seconds since 1970: 2026-01-01. A run leaves files that were written just now for the next run."""


HERE = Path(__file__).parents[1]
"""This checkout."""


def run_by(tree: Path) -> dict[str, str]:
    """The environment in which `bankctl` and `bankd` are those of a checkout of this project."""
    return {**COMPILED, "PYTHONPATH": str(tree / "daemon")}


def bankctl(root: Path, *words: str | Path, tree: Path = HERE) -> None:
    """Run a command in a workspace; what it prints is thrown away."""
    command = [BIN / "bankctl", "--workspace", root, *words]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=run_by(tree))


@contextmanager
def daemon_of(root: Path, tree: Path = HERE) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon of the workspace that answers."""
    daemon = subprocess.Popen([BIN / "bankd", "--workspace", root], stderr=subprocess.DEVNULL, env=run_by(tree))
    try:
        for _ in range(600):
            if (root / ".bankd" / "bankd.sock").exists():
                break
            Event().wait(0.1)
        else:
            raise SystemExit("the daemon did not start within a minute")
        yield daemon
    finally:
        daemon.terminate()
        daemon.wait()


def children(pid: int) -> list[int]:
    """The processes that a process started."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # a thread may end meanwhile
            found += [int(child) for child in path.read_text().split()]
    return found


def cpu_of(pid: int) -> float:
    """Processor seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Memory of a process in MB."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def processor() -> float:
    """Processor seconds so far of this process and of its children that have ended."""
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def time_each(ask: Callable[[str], object], queries: Sequence[str]) -> list[float]:
    """Milliseconds of each query, sorted, after some that warm up."""
    for query in queries[:5]:
        ask(query)
    times = []
    for query in queries:
        started = perf_counter()
        ask(query)
        times.append((perf_counter() - started) * 1000)
    return sorted(times)


def percentiles(times: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile of sorted times."""
    return times[len(times) // 2], times[int(len(times) * 0.95)]

"""What the nights of a fleet cost beside the same nights one after another by `bankctl cycle reflect`.

    python -m bench.fleet_nights [--banks 200] [--sample 20] [--workers 2]

Each bank has a hundred memories, and three new lines each night; its first night, which indexes it, is not measured. CPU
is that of the workers, of all that they start, and of PostgreSQL; `cycle` is measured on a sample of the same banks.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bankd.app.init import make_workspace
from bankd.fleet.actions import make_fleet, open_fleet
from bankd.fleet.registry import Fleet, FleetBank
from bankd.system.clock import read_monotonic, utc_now
from bench.banks import Words, make_pages
from bench.processes import BIN, LONG_AGO, bankctl, children, cpu_of, resident
from tests.fleet.postgres import Postgres
from tests.settings import change_setting

MEMORIES, NEW, SEED = 100, 3, 11
DUE = datetime(2026, 5, 2, tzinfo=UTC)


class Cost(NamedTuple):
    """Seconds by the clock and of CPU, and the resident memory of a worker in MB, early and at the end."""

    wall: float
    cpu: float
    early: float = 0.0
    late: float = 0.0


def make_small_bank(root: Path, words: Words, random: Random) -> None:
    make_workspace(root)
    change_setting(root, "analyser: kiwi", "analyser: lexicon")
    make_pages(root / "bank/knowledge", MEMORIES, words, random)


def write_lines(root: Path, day: str, words: Words, random: Random) -> None:
    """A day's log, and everything long at rest."""
    lines = "".join(f"- W: {' '.join(words.draw(random, 12))}\n" for _ in range(NEW))
    (root / "memory" / f"{day}.md").write_text(f"## Retain\n{lines}", "utf-8")
    for path in (*root.glob("memory/*"), *root.glob("bank/**/*.md")):
        os.utime(path, (LONG_AGO, LONG_AGO))


def cpu_of_server(server: Postgres) -> float:
    """The same of PostgreSQL and of what it runs now."""
    first = int((server.folder / "data/postmaster.pid").read_text().split("\n")[0])
    return cpu_of(first) + sum(cpu_of(child) for child in children(first) if Path(f"/proc/{child}").exists())


@contextmanager
def measuring(server: Postgres) -> Iterator[list[float]]:
    """Wall and CPU seconds of what runs inside."""
    found: list[float] = []
    began, cpu = read_monotonic(), sum(os.times()[2:4]) + cpu_of_server(server)
    yield found
    found += [read_monotonic() - began, sum(os.times()[2:4]) + cpu_of_server(server) - cpu]


def run_workers(server: Postgres, fleet: Fleet, workers: int, banks: int) -> Cost:
    """Let workers do the nights that are due."""
    with fleet.database.transaction() as connection:
        connection.execute("DELETE FROM nights")
        connection.execute("UPDATE banks SET due = %s", (DUE,))
    early = 0.0
    with measuring(server) as found:
        command = [str(BIN / "bankctl"), "fleet", "worker", "--until-idle"]
        running = [subprocess.Popen(command, env={**os.environ, "BANKD_FLEET": server.dsn}) for _ in range(workers)]
        late = 0.0
        while running[0].poll() is None:
            done = fleet.facts(utc_now()).done
            late = resident(running[0].pid)
            early = early or (late if done >= banks // 10 else 0.0)
            with suppress(subprocess.TimeoutExpired):
                running[0].wait(1)
        for worker in running:
            worker.wait()
    assert fleet.facts(utc_now()).done == banks, fleet.unfinished()[:3]
    return Cost(found[0], found[1], early, late)


def run_cycles(server: Postgres, roots: Sequence[Path]) -> Cost:
    with measuring(server) as found:
        for root in roots:
            bankctl(root, "cycle", "reflect")
    return Cost(*found)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What the nights of a fleet cost.")
    parser.add_argument("--banks", type=int, default=200)
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    random = Random(SEED)
    words = Words(random)
    with TemporaryDirectory(prefix="bankd-fleet-") as name, closing(Postgres()) as server:
        make_fleet(server.dsn)
        roots = [Path(name) / f"bank{number:05}" for number in range(options.banks)]
        with open_fleet(server.dsn) as fleet:
            for root in roots:
                make_small_bank(root, words, random)
                write_lines(root, "2026-05-01", words, random)
                fleet.add(FleetBank(0, root.name, str(root), "default", "UTC", time(3), DUE))
            first = run_workers(server, fleet, options.workers, options.banks)
            for root in roots:
                write_lines(root, "2026-05-02", words, random)
            cycles = run_cycles(server, roots[: options.sample])
            for root in roots:
                write_lines(root, "2026-05-03", words, random)
            night = run_workers(server, fleet, options.workers, options.banks)
    show(options.banks, options.workers, first, night, cycles, options.sample)
    return 0


def show(banks: int, workers: int, first: Cost, night: Cost, cycles: Cost, sample: int) -> None:
    each = Cost(cycles.wall / sample, cycles.cpu / sample)
    print(f"{banks} banks of {MEMORIES} memories, {NEW} new lines each, {workers} workers; cycle measured on {sample}")
    print(f"first nights, which index: {first.wall:.1f} s, {first.cpu / banks * 1000:.0f} ms of CPU a bank")
    print(
        f"a night: {night.wall:.1f} s, {night.cpu / banks * 1000:.0f} ms of CPU a bank; cycle {each.wall * 1000:.0f} ms, {each.cpu * 1000:.0f} ms of CPU"
    )
    print(
        f"CPU {night.cpu / banks / each.cpu:.2f} times that of cycles (at most 1.2), wall {night.wall / banks / each.wall:.2f} times (at most .6)"
    )
    print(f"resident memory of a worker: {night.early:.1f} MB after a tenth, {night.late:.1f} MB at the end")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

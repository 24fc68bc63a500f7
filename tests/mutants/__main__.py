"""Switch the rules of the table off, one by one, and see that the tests that the table names notice.

    python -m tests.mutants [--sample N] [--jobs N] [WORD...]

Only these tests count: another one that fails may do so for another reason. Everything happens in copies of the checkout.
A sample is drawn by the commit: the same for the same commit, another for the next.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.switching import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]
PYTEST = (sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--ignore=tests/mutants")
"""Without the tests of the table: what is switched off no longer stands as the table says, so that they notice anything."""
MOST_SECONDS = 1200
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::[^\s\[]+)", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: the test that noticed, if one did, and the seconds until then."""

    mutant: Mutant
    caught_by: str | None
    seconds: float


_READ = {".ci", ".claude-plugin", ".github", ".gitignore"}
"""What is hidden and belongs to the project."""


def _not_read(folder: str, names: Sequence[str]) -> set[str]:
    """What of the checkout no test reads: environments, caches, packages; hidden folders further down are integrations."""
    if Path(folder) != ROOT:
        return set()
    return {name for name in names if name in {"dist", "build"} or (name[0] == "." and name not in _READ)}


class Checkout:
    """A copy of the checkout in which one rule at a time is switched off."""

    def __init__(self, folder: Path) -> None:
        """Copy everything that a test reads; modification times come along, so that compiled modules stay valid."""
        self._root = Path(shutil.copytree(ROOT, folder, ignore=_not_read))

    def try_out(self, mutant: Mutant) -> Outcome:
        """Switch the rule off, test, and switch it on again; a test that fails with the rule on too has noticed nothing."""
        path, started = mutant.path_in(self._root / "daemon"), time.perf_counter()
        original, dates = path.read_text(encoding="utf-8"), path.stat()
        path.write_text(mutant.switched(original), encoding="utf-8")
        try:
            caught_by = self.failure(mutant.tests)
        finally:
            path.write_text(original, encoding="utf-8")
            os.utime(path, ns=(dates.st_atime_ns, dates.st_mtime_ns))
        if caught_by and self.failure([caught_by]):
            caught_by = None
        return Outcome(mutant, caught_by, time.perf_counter() - started)

    def failure(self, tests: Sequence[str]) -> str | None:
        """The first of these tests that fails; None when all pass."""
        found = {"PYTHONPATH": str(self._root / "daemon"), "PYTHONDONTWRITEBYTECODE": "1"}
        ended = subprocess.run(
            [*PYTEST, *tests], cwd=self._root, env={**os.environ, **found}, capture_output=True, text=True,
            timeout=MOST_SECONDS, check=False,
        )  # fmt: skip
        failed = _FAILED.search(ended.stdout)
        if ended.returncode != (1 if failed else 0):  # it neither passed nor failed: some test could not be loaded
            raise RuntimeError(ended.stdout + ended.stderr)
        return failed[1] if failed else None


def try_all(mutants: Sequence[Mutant], jobs: int) -> Iterator[Outcome]:
    """Try each mutant, some at a time."""
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(jobs) as pool:
        idle: SimpleQueue[Checkout] = SimpleQueue()
        for number in range(jobs):
            idle.put(Checkout(Path(scratch) / str(number)))

        def attempt(mutant: Mutant) -> Outcome:
            checkout = idle.get()
            try:
                return checkout.try_out(mutant)
            finally:
                idle.put(checkout)

        yield from pool.map(attempt, mutants)


def sample_of(mutants: Iterable[Mutant], count: int, seed: str) -> list[Mutant]:
    """So many mutants, drawn by a seed."""
    return sorted(mutants, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.rule}".encode()).digest())[:count]


def commit() -> str:
    """The commit that is checked out; empty outside a repository."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def main() -> int:
    """Print a row a mutant as it ends; 1 when one was not noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("words", nargs="*", help="only rules with one of these words")
    parser.add_argument("--sample", type=int, metavar="N", help="only N rules, drawn by the commit")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    asked = parser.parse_args()
    chosen = [m for m in MUTANTS if not asked.words or any(word in m.rule for word in asked.words)]
    chosen = sample_of(chosen, asked.sample, commit()) if asked.sample else chosen
    print("| rule switched off | noticed by | s |\n|---|---|---|")
    caught = 0
    for outcome in try_all(chosen, asked.jobs):
        caught += outcome.caught_by is not None
        print(f"| {outcome.mutant.rule} | {outcome.caught_by or 'NOTHING'} | {outcome.seconds:.0f} |", flush=True)
    print(f"{caught} of {len(chosen)} noticed")
    return caught < len(chosen)


if __name__ == "__main__":
    sys.exit(main())

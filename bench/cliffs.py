"""What a run costs beside, or because of, something large or deeply nested, as ratios to an idle run over 100 pages.

python -m bench.cliffs [--reflect 200000]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bench.banks import Words, make_bank
from bench.processes import BIN, LONG_AGO, processor

PAGES, A_PAGE = 100, 10
DEEP = 1_000
LARGE = 1_900_000
"""Bytes of the large pages; with lines of a hundred bytes these are 19,000 memories."""
LOG, BIG = "memory/2026-01-01.md", "bank/knowledge/big.md"


class Bank:
    """A workspace, and the processor seconds of the commands that are run in it, those of their children included."""

    def __init__(self, root: Path) -> None:
        self.root = root
        compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(root.parent / "compiled")}
        self._environment = {**os.environ, **compiled}  # as it is installed, whatever this process is told

    def put(self, path: str, text: str) -> None:
        """Write a file that settled long ago."""
        target = self.root / path
        target.write_text(text, encoding="utf-8")
        os.utime(target, (LONG_AGO, LONG_AGO + len(text) % 10_000))

    def run(self, kind: str, *options: str) -> float:
        """Run a cycle in a process of its own."""
        before = processor()
        command: list[str | Path] = [BIN / "bankctl", "cycle", kind, "--workspace", self.root, *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=self._environment)
        return processor() - before

    def idle(self) -> float:
        """The dearer of a micro and a reflect run with nothing to do, each the cheapest of three."""
        for kind in ("micro", "reflect"):  # take in what is there
            self.run(kind)
        return max(min(self.run(kind) for _ in range(3)) for kind in ("micro", "reflect"))


class Cliff(NamedTuple):
    """A case: what it is called, how its cost is measured, and what it may cost: times an idle run, or seconds."""

    name: str
    measure: Callable[[Bank], float]
    times: float | None = None
    seconds: float | None = None


def beside(path: str, text: str) -> Callable[[Bank], float]:
    """An idle run beside a page."""

    def measure(bank: Bank) -> float:
        bank.put(path, text)
        return bank.idle()

    return measure


def taking_in(path: str, text: str) -> Callable[[Bank], float]:
    """The run that takes a file in, whatever the budget says."""

    def measure(bank: Bank) -> float:
        bank.put(path, text)
        return bank.run("micro", "--force")

    return measure


def adding_to(path: str, text: str) -> Callable[[Bank], float]:
    """The run after a line was added to a page by hand."""

    def measure(bank: Bank) -> float:
        bank.put(path, text)
        bank.run("micro")
        bank.put(path, text + "- W: One line more, about zebras.\n")
        return bank.run("micro")

    return measure


def cliffs() -> Sequence[Cliff]:
    """All cases on a bank of 100 pages."""
    random = Random(5)
    words = Words(random)
    items = [f"- W: {' '.join(words.draw(random, 12))}.\n" for _ in range(20_000)]
    page = "# Big\n\n" + "".join(items[:19_000])
    prose = "# Big\n\n" + "".join(item.removeprefix("- W: ") for item in items)[:LARGE]
    form = "".join(
        f"- W: Host {n % 31} has note {n} about invoice {n % 97} of {words.all[n % 10]}.\n" for n in range(20_000)
    )
    nested = "# Deep\n\n" + "".join(f"{'  ' * n}- level {n}\n" for n in range(DEEP))
    quote = "# Deep\n\n" + "> " * DEEP + "q\n"
    return (
        Cliff("idle beside a page of 1.9 MB that has no seam", beside(BIG, prose), times=3),
        Cliff("idle beside a list nested 1,000 deep", beside(BIG, nested), times=10),
        Cliff("idle beside 1,000 quotes in each other", beside(BIG, quote), times=10),
        Cliff("taking in a list nested 1,000 deep", taking_in(BIG, nested), times=10),
        Cliff("taking in a log of 20,000 lines", taking_in(LOG, "".join(items)), seconds=30),
        Cliff("taking in 20,000 lines of one form", taking_in(LOG, form), seconds=30),
        Cliff("taking in 50,000 identical lines", taking_in(LOG, "- W: The same line again.\n" * 50_000), seconds=20),
        Cliff("one line added to a page of 19,000", adding_to(BIG, page), seconds=2),
    )


def show(cliff: Cliff, cost: float, idle: float) -> None:
    allowed = f"{cliff.times:g} times" if cliff.times else f"{cliff.seconds:g} s"
    print(f"{cliff.name:<46} {cost:7.2f} s {cost / idle:7.1f} times an idle run (at most {allowed})", flush=True)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What a run costs at a cliff, as ratios to an idle run.")
    parser.add_argument("--reflect", type=int, default=200_000, help="memories of the large bank; 0 leaves it out")
    memories = parser.parse_args(arguments).reflect
    with TemporaryDirectory(prefix="bankd-cliffs-") as name:
        base = Bank(Path(name) / "base")
        make_bank(base.root, PAGES * A_PAGE, Random(1), A_PAGE)
        idle = base.idle()
        print(f"{'an idle run over 100 pages':<46} {idle:7.2f} s")
        for cliff in cliffs():
            bank = Bank(Path(name) / "one")
            shutil.copytree(base.root, bank.root)
            bank.run("micro")  # a copy has other inodes
            show(cliff, cliff.measure(bank), idle)
            shutil.rmtree(bank.root)
        if memories:
            large = Bank(Path(name) / "large")
            make_bank(large.root, memories, Random(11))
            large.run("reflect", "--force")
            show(Cliff(f"the second reflect over {memories:,}", Bank.idle, seconds=3), large.run("reflect"), idle)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

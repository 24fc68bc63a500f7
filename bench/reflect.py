"""What a reflect with 50 new memories over a bank of 1,000 takes here and in another checkout, in turn.

    python -m bench.reflect OTHER [--rounds 7]

OTHER is a checkout of this project, as `git worktree add` makes it. Each round copies the banks, writes the same lines,
and runs both trees one after the other; the medians and their ratio are printed, for the wall and for the processor.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from bankd.system.clock import read_monotonic
from bench.banks import Words, make_pages
from bench.processes import BIN, HERE, LONG_AGO, processor, run_by

MEMORIES, LINES, WORDS = 1_000, 50, 12


def run(tree: Path, *words: str | Path) -> tuple[float, float]:
    """Run `bankctl` of a tree; seconds of the wall, and of the processor with its children."""
    before, begun = processor(), read_monotonic()
    subprocess.run([BIN / "bankctl", *words], check=True, stdout=subprocess.DEVNULL, env=run_by(tree))
    return read_monotonic() - begun, processor() - before


def make_settled(tree: Path, root: Path) -> None:
    """A bank that a tree made and has nothing to do in."""
    run(tree, "init", root)
    make_pages(root / "bank/knowledge", MEMORIES, Words(Random(3)), Random(3))
    for kind in ("reflect", "reflect", "micro"):
        run(tree, "cycle", kind, "--workspace", root)


def reflect_with_new(tree: Path, settled: Path, copy: Path) -> tuple[float, float]:
    """What it takes in a copy of a bank that has new lines."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(settled, copy)
    run(tree, "cycle", "micro", "--workspace", copy)  # the copies are other files
    chance = Random(9)
    words = Words(chance)
    said = [" ".join(words.draw(chance, WORDS)) for _ in range(LINES)]
    log = copy / "memory/2026-01-01.md"
    log.write_text("# d\n\n## Retain\n" + "".join(f"- W: {one}.\n" for one in said), encoding="utf-8")
    os.utime(log, (LONG_AGO, LONG_AGO))
    return run(tree, "cycle", "reflect", "--workspace", copy)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    trees = {"other": arguments.other.resolve(), "here": HERE}
    with TemporaryDirectory(prefix="bankd-reflect-") as name:
        for which, tree in trees.items():
            make_settled(tree, Path(name, which))
        took: dict[str, list[tuple[float, float]]] = {which: [] for which in trees}
        for _ in range(arguments.rounds):
            for which, tree in trees.items():
                took[which].append(reflect_with_new(tree, Path(name, which), Path(name, "copy")))
    for at, what in enumerate(("wall", "processor")):
        other, here = (median(one[at] for one in took[which]) for which in ("other", "here"))
        print(f"{what}: other {other:.2f} s, here {here:.2f} s, {here / other:.2f} times")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What a cold search over ten banks costs beside one over one of them, by turns in the same run.

python -m tests.bench.all_banks [--banks 10]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from tests.bench.banks import Words, make_bank, make_queries

BIN, MEMORIES, TURNS, SEED = Path(sys.executable).parent, 300, 21, 13


def seconds(*words: str) -> float:
    """Wall seconds of a search in a new process."""
    began = perf_counter()
    subprocess.run([BIN / "bankctl", *words], stdout=subprocess.DEVNULL, check=False)
    return perf_counter() - began


def make_known(root: Path, seed: int) -> Sequence[str]:
    """A bank that is indexed and on the list; the texts of its memories."""
    texts = make_bank(root, MEMORIES, Random(seed))
    for command in (["--workspace", str(root), "index", "rebuild"], ["banks", "add", str(root)]):
        subprocess.run([BIN / "bankctl", *command], stdout=subprocess.DEVNULL, check=True)
    return texts


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What a cold search over many banks costs.")
    parser.add_argument("--banks", type=int, default=10)
    count = parser.parse_args(arguments).banks
    with TemporaryDirectory(prefix="bankd-all-") as name:
        os.environ["XDG_CONFIG_HOME"] = name
        words = Words(Random(SEED))
        roots = [Path(name) / f"bank{number}" for number in range(count)]
        root, texts = [(root, make_known(root, SEED + number)) for number, root in enumerate(roots)][-1]
        queries = make_queries(texts, words, Random(SEED), TURNS)
        ratios = [
            seconds("search", "--all", query) / seconds("--workspace", str(root), "search", query) for query in queries
        ]
    print(
        f"{count} banks of {MEMORIES} memories, cold: {median(ratios):.2f} times one (at most 1.5); quartiles {sorted(ratios)[TURNS // 4]:.2f} to {sorted(ratios)[3 * TURNS // 4]:.2f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What a cold search over ten banks costs beside one over one of them, by turns in the same run, as installed: compiled.

python -m bench.all_banks [--banks 10]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory

from bench.banks import Words, make_bank, make_queries
from bench.processes import BIN, COMPILED, bankctl
from bench.start import run

MEMORIES, TURNS, SEED = 300, 21, 13


def make_known(root: Path, seed: int) -> Sequence[str]:
    """A bank that is indexed and on the list; the texts of its memories."""
    texts = make_bank(root, MEMORIES, Random(seed))
    bankctl(root, "doctor", "index", "rebuild")
    bankctl(root, "banks", "add", root)
    return texts


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What a cold search over many banks costs.")
    parser.add_argument("--banks", type=int, default=10)
    count = parser.parse_args(arguments).banks
    with TemporaryDirectory(prefix="bankd-all-") as name:
        os.environ["XDG_CONFIG_HOME"] = COMPILED["XDG_CONFIG_HOME"] = name
        words = Words(Random(SEED))
        roots = [Path(name) / f"bank{number}" for number in range(count)]
        root, texts = [(root, make_known(root, SEED + number)) for number, root in enumerate(roots)][-1]
        queries = make_queries(texts, words, Random(SEED), TURNS)
        every, one = (
            [str(BIN / "bankctl"), "search", "--all"],
            [str(BIN / "bankctl"), "--workspace", str(root), "search"],
        )
        run([*every, queries[0]], must_find=False)  # it is compiled then
        taken = [(run([*every, query], must_find=False), run([*one, query], must_find=False)) for query in queries]
    for kind, which in (("wall time", 0), ("processor time", 1)):
        low, middle, high = quantiles([of_all[which] / of_one[which] for of_all, of_one in taken], n=4)
        print(
            f"{count} banks of {MEMORIES} memories, cold: {middle:.2f} times the {kind} of one (quartiles {low:.2f} to {high:.2f}; asked: 1.5)"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

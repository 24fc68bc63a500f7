"""What making tree-index.json costs within a reflect run over a large bank with a few new lines.

python -m bench.tree [--memories 200000]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from unittest.mock import patch

from bankd.index import tree_file
from bankd.index.search_index import SearchIndex
from bankd.index.tree_file import TREE_FILE, Write
from bankd.wiring.workspace import open_workspace
from bench.banks import make_bank
from bench.processes import LONG_AGO

NEW_LINES = 5
ALLOWED = 0.1


def reflect(root: Path) -> tuple[float, float]:
    """Seconds of a reflect run, and of them those that the tree file took."""
    write, taken = tree_file.write_tree, []

    def timed(where: Path, index: SearchIndex, publish: Write) -> None:
        started = perf_counter()
        write(where, index, publish)
        taken.append(perf_counter() - started)

    with patch.object(tree_file, "write_tree", timed):
        started = perf_counter()
        with open_workspace(root) as workspace:
            report = workspace.run_cycle("reflect", force=True)
        whole = perf_counter() - started
    if not report.is_applied:
        raise SystemExit("the run was not applied")
    return whole, sum(taken)


def add_lines(root: Path, texts: Sequence[str], number: int, random: Random) -> None:
    """A log that settled long ago, with a few lines made of the bank's own words, about somebody, so that they have a page."""
    words = " ".join(random.sample(texts, 50)).split()
    lines = [f"- W @person{number}: {' '.join(random.sample(words, 12))}." for _ in range(NEW_LINES)]
    log = root / "memory" / f"2026-01-{number:02d}.md"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.utime(log, (LONG_AGO, LONG_AGO))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What making tree-index.json costs within a reflect run.")
    parser.add_argument("--memories", type=int, default=200_000)
    memories = parser.parse_args(arguments).memories
    random = Random(11)
    with TemporaryDirectory(prefix="bankd-tree-") as name:
        root = Path(name) / "ws"
        texts = make_bank(root, memories, random)
        add_lines(root, texts, 1, random)
        first, tree = reflect(root)
        print(f"first run, which makes everything   {first:8.2f} s, of it tree-index.json {tree:6.2f} s")
        for number in range(2, 5):
            add_lines(root, texts, number, random)
            before = (root / TREE_FILE).read_bytes().splitlines()
            whole, tree = reflect(root)
            changed = set((root / TREE_FILE).read_bytes().splitlines()) - set(before)
            print(
                f"{NEW_LINES} new lines                         {whole:8.2f} s, of it tree-index.json {tree:6.2f} s:",
                end=" ",
            )
            print(f"{tree / whole:.3f} (at most {ALLOWED}); {len(changed)} of {len(before)} lines changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

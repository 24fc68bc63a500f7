"""What years of logs cost: processor seconds of the one command that takes them all in, and its memory.

python -m bench.history [--logs 1100] [--lines 8] [--analyser kiwi]

1,100 logs with 8,800 lines are to take 60 s at most.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

from bankd.app.init import make_workspace
from bench.banks import Words
from bench.cliffs import Bank

FIRST = date(2022, 1, 1)


def write_logs(bank: Bank, logs: int, lines: int) -> None:
    """A log a day, of so many lines of a dozen words."""
    random = Random(5)
    words = Words(random)
    for number in range(logs):
        text = "".join(f"- W: {' '.join(words.draw(random, 12))}.\n" for _ in range(lines))
        bank.put(f"memory/{FIRST + timedelta(days=number)}.md", f"## Retain\n{text}")


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description="What years of logs cost.")
    parser.add_argument("--logs", type=int, default=1_100)
    parser.add_argument("--lines", type=int, default=8, help="of each log")
    parser.add_argument("--analyser", choices=["lexicon", "kiwi"], default="lexicon")
    asked = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="bankd-history-") as name:
        bank = Bank(Path(name) / "notes")
        make_workspace(bank.root)
        settings = bank.root / "bankd.yaml"
        settings.write_text(settings.read_text().replace("analyser: kiwi", f"analyser: {asked.analyser}"))
        write_logs(bank, asked.logs, asked.lines)
        seconds = bank.run("micro")
        most = getrusage(RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{asked.logs:,} logs with {asked.logs * asked.lines:,} lines: {seconds:.1f} s, {most:.0f} MB at most")


if __name__ == "__main__":
    main(sys.argv[1:])

"""What logs and archive beside the bank cost: processor time of a query, disk, and of a line that is appended to a log.

python -m bench.logs_cost [--memories 200000] [--passages 1000000]

What the logs cost a question to the bank alone is measured beside a copy of the workspace without logs, question by
question in turn: one after the other, the load of the computer in between makes a tenth or two of difference.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bankd.search.bank_search import BankSearch
from bankd.wiring.search import make_search
from bench.banks import WORDS_A_MEMORY, Words, make_bank, make_queries
from bench.processes import BIN, percentiles, processor

NOW = datetime(2026, 6, 20, tzinfo=UTC)
A_LOG = 100
"""Lines."""
QUERIES = 200
COLD = 15


def make_logs(folder: Path, passages: int, words: Words, random: Random) -> None:
    """Write logs of so many lines, ten under a heading."""
    for number in range(passages // A_LOG):
        log = folder / f"agent-{number // 1000:03d}" / f"{number:06d}.md"
        log.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"- {' '.join(words.draw(random, WORDS_A_MEMORY))}" for _ in range(A_LOG)]
        heads = range(0, A_LOG, 10)
        log.write_text(
            "\n".join(f"## {words.draw(random, 1)[0]}\n" + "\n".join(lines[at : at + 10]) for at in heads) + "\n"
        )


def ask_all(searching: BankSearch, queries: Sequence[str], options: Mapping[str, Any]) -> list[float]:
    def ask(text: str) -> object:
        return searching.answer({"query": text, "keep": False, **options}, NOW, pending=0)

    for text in queries[:5]:  # warms what the first question of a kind loads
        ask(text)
    return sorted(timed(partial(ask, text)) for text in queries)


def ask_in_turn(one: BankSearch, other: BankSearch, queries: Sequence[str]) -> tuple[list[float], list[float]]:
    """What each of two costs, every question put to both."""
    only = {"in": ["bank"]}
    pairs = [(ask_all(one, [text], only)[0], ask_all(other, [text], only)[0]) for text in queries]
    return sorted(first for first, _ in pairs), sorted(second for _, second in pairs)


def ask_cold(root: Path, query: str, *options: str) -> float:
    """Milliseconds of a search without a daemon."""
    command = [str(BIN / "bankctl"), "search", "--workspace", str(root), *options, query]
    return timed(partial(subprocess.run, command, stdout=subprocess.DEVNULL, check=False))


def compare(plain: Path, root: Path, searching: BankSearch, queries: Sequence[str]) -> None:
    """What a question to the bank alone costs without logs, and with them."""
    beside = make_search(plain)
    warm = ask_in_turn(beside, searching, queries)
    beside.close()
    places = [[ask_cold(place, query, "--in", "bank") for place in (plain, root)] for query in queries[:COLD]]
    for how, (without, with_logs) in (("warm", warm), ("cold", tuple(zip(*places, strict=True)))):
        tell(f"only the bank asked, no logs there: {how}", median(without))
        tell(f"only the bank asked, logs there: {how}", median(with_logs))
        tell("times as much", median(with_logs) / median(without), "")


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of processor that something takes, of this process and of those that it starts."""
    before = processor()
    work()
    return (processor() - before) * 1000


def size_of(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


def tell(what: str, value: float, unit: str = "ms") -> None:
    print(f"{what:<46} {value:10.2f} {unit}", flush=True)


def measure(root: Path, memories: int, passages: int) -> None:
    random = Random(5)
    words = Words(random)
    texts = make_bank(root, memories, random)
    queries = make_queries(texts, words, random, QUERIES)
    searching = make_search(root)
    tell("the bank made", timed(lambda: searching.refresh(NOW, None)) / 1000, "s")
    tell("bank alone: disk", size_of(root / ".bankd" / "index"), "MiB")
    plain = root.with_name("plain")
    shutil.copytree(root, plain)
    make_logs(root / "memory", passages, words, random)
    tell("the logs indexed", timed(lambda: searching.refresh(NOW, None)) / 1000, "s")
    tell("logs: disk", size_of(root / ".bankd" / "index" / "logs"), "MiB")
    tell("logs: files themselves", size_of(root / "memory"), "MiB")
    tell("logs: rows", searching.indexes.sizes()["logs"], "")
    compare(plain, root, searching, queries)
    for what, options in (
        ("all asked", {}),
        ("only logs asked", {"in": ["logs"]}),
    ):
        for name, value in zip(("p50", "p95"), percentiles(ask_all(searching, queries, options)), strict=True):
            tell(f"{what}: warm, {name}", value)
    tell("all asked: cold", median(ask_cold(root, query) for query in queries[:COLD]))
    log = next((root / "memory").rglob("*.md"))
    log.write_text(log.read_text() + "- one more line with the word quokkabird\n")
    tell("a line appended: taken in", timed(lambda: searching.take_in([log.relative_to(root).as_posix()], NOW)))
    (hit,) = searching.answer({"query": "quokkabird", "in": ["logs"]}, NOW, pending=0)["hits"]
    tell("and found on line", hit["line"], "")
    searching.close()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What logs beside the bank cost.")
    parser.add_argument("--memories", type=int, default=200_000)
    parser.add_argument("--passages", type=int, default=1_000_000)
    options = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="bankd-logs-cost-") as name:
        measure(Path(name) / "ws", options.memories, options.passages)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

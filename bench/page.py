"""How fast the page answers as one types over a large bank, with a daemon and without, beside `bankctl search`.

python -m bench.page [--memories 200000]

A keystroke asks for what stands there by then; each is asked once. Also how soon the first page is there, and how much
memory the page's process takes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from urllib.parse import quote, urlsplit

from bench.banks import Words, make_bank, make_queries
from bench.processes import BIN, daemon_of, percentiles, resident, time_each
from bench.served import SEED, wait_until_idle

QUESTIONS, KEYS, CLI = 60, 5, 20


class Window:
    """A browser's connection to the page, let in by its link."""

    def __init__(self, link: str) -> None:
        parts = urlsplit(link)
        self._connection = HTTPConnection(parts.netloc, timeout=120)
        answer = self.get(f"/?{parts.query}")
        self._cookie = answer.partition(";")[0]

    def get(self, address: str) -> str:
        """Ask for an address; gives the cookie that comes with the answer."""
        cookie = getattr(self, "_cookie", "")
        self._connection.request("GET", address, headers={"Cookie": cookie} if cookie else {})
        answer = self._connection.getresponse()
        body = answer.read()
        if answer.status not in {200, 303}:
            raise SystemExit(f"{address}: {answer.status} {body[:200]!r}")
        return answer.headers.get("Set-Cookie", "")


@contextmanager
def page_over(root: Path) -> Iterator[tuple[Window, float, int]]:
    """The page, the seconds until its first view was there, and its process."""
    began = perf_counter()
    process = subprocess.Popen(
        [BIN / "bankctl", "--workspace", root, "ui", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    window = Window(process.stdout.readline().strip())
    window.get("/ws/search")
    try:
        yield window, perf_counter() - began, process.pid
    finally:
        process.terminate()
        process.communicate()


def keystrokes(questions: Sequence[str]) -> list[str]:
    """What stands in the field at each of the last keys of a question."""
    return [question[: len(question) - left] for question in questions for left in reversed(range(KEYS))]


def report(state: str, root: Path, questions: Sequence[str]) -> None:
    """Print what one way of answering costs."""
    with page_over(root) as (window, first, pid):
        window.get(f"/ws/search?part=1&q={quote(questions[0])}")
        times = time_each(lambda text: window.get(f"/ws/search?part=1&q={quote(text)}"), keystrokes(questions[1:]))
        p50, p95 = percentiles(times)
        print(
            f"{state}: from key to answer p50 {p50:.1f} ms, p95 {p95:.1f} ms (at most 80); first page {first:.2f} s (at most 1); {resident(pid):.0f} MB"
        )
    command = [str(BIN / "bankctl"), "--workspace", str(root), "search"]
    cli = time_each(
        lambda text: subprocess.run([*command, text], stdout=subprocess.DEVNULL, check=False), questions[:CLI]
    )
    p50, p95 = percentiles(cli)
    print(f"{state}: bankctl search p50 {p50:.0f} ms, p95 {p95:.0f} ms")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="How fast the page answers as one types.")
    parser.add_argument("--memories", type=int, default=200_000)
    memories = parser.parse_args(arguments).memories
    random, words = Random(SEED), Words(Random(SEED))
    with TemporaryDirectory(prefix="bankd-page-") as name:
        os.environ["XDG_CONFIG_HOME"] = name
        root = Path(name) / "ws"
        texts = make_bank(root, memories, random)
        with daemon_of(root) as daemon:
            wait_until_idle(daemon.pid, root, memories)
            questions = make_queries(texts, words, random, 2 * QUESTIONS)
            report(f"{memories} memories, with a daemon", root, questions[:QUESTIONS])
        report(f"{memories} memories, without one", root, questions[QUESTIONS:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

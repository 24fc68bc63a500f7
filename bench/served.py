"""How fast the daemon answers through its socket over a large bank, no question asked twice.

python -m bench.served [--memories 200000]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Event

from bankd.system.socket_client import send_request
from bench.banks import Words, make_bank, make_queries
from bench.processes import children, daemon_of, percentiles, time_each
from tests.conversation import Conversation

QUERIES = 200
SEED = 13


def wait_until_idle(daemon: int, root: Path, memories: int) -> None:
    """Return when the daemon has read the bank, has run once, and the process that did it is gone."""
    while send_request(str(root), {"op": "status"}, 60)["index"]["memories"] < memories or children(daemon):
        Event().wait(1)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="How fast the daemon answers through its socket.")
    parser.add_argument("--memories", type=int, default=200_000)
    memories = parser.parse_args(arguments).memories
    random, words = Random(SEED), Words(Random(SEED))  # the words of the bank, which is made with the same seed
    with TemporaryDirectory(prefix="bankd-served-") as name:
        root = Path(name) / "ws"
        texts = make_bank(root, memories, random)
        with daemon_of(root) as daemon:
            wait_until_idle(daemon.pid, root, memories)
            client = Conversation(str(root), 60)
            queries = make_queries(texts, words, random, 3 * QUERIES)
            search = lambda query: client.ask({"op": "search", "query": query})  # noqa: E731
            cold, _, times = (time_each(search, queries[at::3]) for at in range(3))
    for state, own in (("just after it was idle", cold), ("warm", times)):
        p50, p95 = percentiles(own)
        print(f"{memories} memories, {state}: p50 {p50:.1f} ms, p95 {p95:.1f} ms (at most 10 when warm)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

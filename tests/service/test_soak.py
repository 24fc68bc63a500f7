"""Ten minutes of everything at once: no line is lost or doubled, nothing sticks, nothing grows."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bankd.system.clock import read_monotonic
from bankd.system.socket_client import NoDaemonError, send_request

SECONDS = float(os.environ.get("BANKD_SOAK_SECONDS", "600"))
CLIENTS = 8


class Life:
    """People, agents and clients around one workspace; all that they wrote is remembered."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.over = threading.Event()
        self.logged: list[str] = []
        self.typed: list[str] = []
        self.answers = 0
        self.troubles: list[str] = []
        self._threads: list[threading.Thread] = []

    def begin(self) -> None:
        for work in (self._log, self._type, *[self._search] * CLIENTS):
            thread = threading.Thread(target=self._guard, args=(work,))
            thread.start()
            self._threads.append(thread)

    def end(self) -> None:
        self.over.set()
        for thread in self._threads:
            thread.join()

    def _guard(self, work: Callable[[random.Random], None]) -> None:
        try:
            work(random.Random(work.__name__))
        except Exception as error:
            self.troubles.append(repr(error))

    def _log(self, random_: random.Random) -> None:
        number = 0
        while not self.over.wait(random_.uniform(0.05, 0.6)):
            number += 1
            word = f"logged{number}zq"
            with (self.workspace / f"memory/2026-11-{random_.randint(1, 20):02}.md").open("a") as log:
                log.write(f"- W: The {word} happened near the harbour.\n")
            self.logged.append(word)

    def _type(self, random_: random.Random) -> None:
        number = 0
        while not self.over.wait(random_.uniform(0.05, 0.6)):
            number += 1
            word = f"typed{number}zq"
            page = self.workspace / "bank/world" / f"hand-{random_.randint(1, 9)}.md"
            line = f"- Something {word} written by hand.\n"
            if random_.random() < 0.5 or not page.exists():
                with page.open("a") as file:
                    file.write(line)
            else:
                backup = page.with_name(page.name + "~")
                text = page.read_text()
                page.rename(backup)
                page.write_text(text + line)
                backup.unlink()
            self.typed.append(word)

    def _search(self, random_: random.Random) -> None:
        while not self.over.wait(random_.uniform(0.01, 0.1)):
            words = random_.choice([self.logged, self.typed]) or ["harbour"]
            try:
                answer = send_request(str(self.workspace), {"op": "search", "query": random_.choice(words)}, 30)
            except NoDaemonError:
                continue
            self.answers += "hits" in answer


def open_files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def size_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def words_in(text: str, kind: str) -> Counter[str]:
    return Counter(word.strip(".") for word in text.split() if word.startswith(kind) and word.strip(".").endswith("zq"))


def live_through(manager: Any, life: Life) -> int:
    """Let life go on for its time, with the daemon killed and started again and again; gives how often."""
    random_, until, kills = random.Random(5), read_monotonic() + SECONDS, 0
    manager.serve()
    life.begin()
    while read_monotonic() < until and manager.process.poll() is None:
        life.over.wait(min(random_.uniform(5, 40), max(0.0, until - read_monotonic())))
        manager.stop(signal.SIGKILL)
        kills += 1
        manager.start()
        manager.wait_until(lambda: manager.ask("ping")["ok"])
    life.end()
    return kills


def come_to_rest(manager: Any) -> None:
    """Run until there is nothing new."""
    for claim in (
        lambda: manager.ask("run", kind="micro")["ok"],
        lambda: manager.ask("run", kind="micro")["report"]["counts"].get("learned", 0) == 0,
        lambda: manager.ask("status")["index"]["pending"] == 0,
    ):
        manager.age()
        manager.wait_until(claim, within=180)


@pytest.mark.full
def test_nothing_is_lost_sticks_or_grows(manager: Any) -> None:
    (manager.workspace / "bankd.yaml").write_text(
        "settle_seconds: 1\nsearch: {analyser: lexicon}\nbudget: {max_added_lines: 100000}\n"
    )
    life = Life(manager.workspace)
    kills = live_through(manager, life)
    assert manager.process.poll() is None, manager.said()[-3000:]
    come_to_rest(manager)
    bank = manager.bank()
    logged, typed = words_in(bank, "logged"), words_in(bank, "typed")

    assert life.troubles == []
    assert set(life.logged) - set(logged) == set()
    assert {word: count for word, count in logged.items() if count > 1} == {}
    assert set(life.typed) - set(typed) == set()
    assert life.answers > SECONDS
    assert kills >= SECONDS // 40
    assert size_mb(manager.workspace / ".bankd") < 200
    assert manager.bankctl("doctor", "verify").returncode == 0
    assert_no_growth(manager, life)


def assert_no_growth(manager: Any, life: Life) -> None:
    pid = manager.process.pid

    def go_on(times: int) -> None:
        for word in (life.logged * times)[:times]:
            manager.ask("run", kind="micro")
            manager.ask("search", query=word)

    go_on(150)  # what the first searches open stays open, and what they read is kept
    files, resident = open_files(pid), resident_mb(pid)
    go_on(60)

    assert open_files(pid) <= files + 2
    assert resident_mb(pid) < resident + 8

"""How soon the daemon finds an edit among many pages, and what it costs when nothing happens; prints a table.

python tests/bench/service.py [PAGES] [IDLE_SECONDS]
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bankd.adapters.clock import read_monotonic
from bankd.adapters.socket_client import Conversation, NoDaemonError, ask
from bankd.adapters.watcher import Pace

BIN = Path(sys.executable).parent
SYLLABLES = [chr(0xAC00 + 588 * n + 28 * m) for n in range(19) for m in range(0, 21, 2)]


def make_bank(folder: Path, pages: int) -> None:
    """A workspace with so many pages of ten memories each, half of them Korean."""
    subprocess.run([BIN / "bankctl", "init", folder], check=True, capture_output=True)
    (folder / "bankd.yaml").write_text("search: {analyser: lexicon}\n")
    random_ = random.Random(1)
    words = [f"word{n}" for n in range(3000)] + ["".join(random_.choices(SYLLABLES, k=2)) for _ in range(3000)]
    for number in range(pages):
        page = folder / "bank/knowledge" / f"{number % 100:02}" / f"page-{number}.md"
        page.parent.mkdir(exist_ok=True)
        lines = [f"- W: {' '.join(random_.choices(words, k=8))}." for _ in range(10)]
        page.write_text(f"# Page {number}\n\n" + "\n".join(lines) + "\n")


@contextmanager
def running(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The daemon, until its index is whole."""
    daemon = subprocess.Popen([BIN / "bankd", "--workspace", folder], stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: ask(str(folder), {"op": "status"}, 60)["index"]["memories"] > 0, 600)
        yield daemon
    finally:
        daemon.terminate()
        daemon.wait(30)


def wait_for(claim: Callable[[], bool], within: float) -> float:
    """Seconds until a claim is true."""
    began, pause = read_monotonic(), threading.Event()
    while read_monotonic() - began < within:
        try:
            if claim():
                return read_monotonic() - began
        except (NoDaemonError, KeyError):
            pass
        pause.wait(0.02)
    raise TimeoutError


def is_found(client: Conversation, word: str, count: int = 1) -> bool:
    """Whether a word that no other page has is found on so many pages."""
    answer = client.ask({"op": "search", "query": word, "limit": 100})
    return len({hit["path"] for hit in answer.get("hits", []) if word in hit["text"]}) >= count


def latencies(folder: Path, client: Conversation, times: int) -> dict[str, list[float]]:
    """Seconds from an edit to the answer that has it, by kind of edit."""
    pages = sorted((folder / "bank/knowledge").rglob("page-*.md"))
    found: dict[str, list[float]] = {}
    for number in range(times):
        for kind, edit in EDITS.items():
            word = f"zq{kind.replace(' ', '')}{number}x"
            page = pages[(number * 37 + len(kind)) % len(pages)]
            edit(folder, page, f"- W: {word} was here.\n")
            found.setdefault(kind, []).append(wait_for(lambda word=word: is_found(client, word), 30))
    return found


def _append(_folder: Path, page: Path, line: str) -> None:
    with page.open("a") as file:
        file.write(line)


def _in_place(_folder: Path, page: Path, line: str) -> None:
    text = page.read_text()
    page.write_text(text + line)


def _like_vim(_folder: Path, page: Path, line: str) -> None:
    text = page.read_text()
    backup = page.with_name(page.name + "~")
    page.rename(backup)
    page.write_text(text + line)
    backup.unlink()


def _folder_in(folder: Path, _page: Path, line: str) -> None:
    outside = folder / "outside"
    outside.mkdir()
    (outside / "moved.md").write_text(f"# Moved\n\n{line}")
    outside.rename(folder / "bank" / f"moved-{abs(hash(line))}")


EDITS = {"append": _append, "in place": _in_place, "vim rename": _like_vim, "folder moved in": _folder_in}


def checkout(folder: Path, client: Conversation) -> float:
    """Seconds from the end of a checkout of 500 changed pages until all are found."""
    git = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t"]

    def run(*words: str) -> None:
        subprocess.run([*git, *words], check=True, capture_output=True)

    pages = sorted((folder / "bank/knowledge").rglob("page-*.md"))[:500]
    run("init", "-q")
    run("add", "bank/knowledge")
    run("commit", "-qm", "one")
    for page in pages:
        page.write_text(page.read_text() + "- W: zqcheckout was here.\n")
    run("commit", "-qam", "two")
    run("checkout", "-q", "HEAD~")
    wait_for(lambda: not is_found(client, "zqcheckout"), 60)
    run("checkout", "-q", "-")
    run("checkout", "-q", "master")
    return wait_for(lambda: is_found(client, "zqcheckout", 100) and pending(folder) == 0, 60)


def pending(folder: Path) -> int:
    """How many changed files the daemon knows of and has not read."""
    return int(ask(str(folder), {"op": "status"})["index"]["pending"])


def use(daemon: subprocess.Popen[bytes]) -> tuple[float, float]:
    """CPU seconds so far, and resident memory in MB, of the daemon with its children."""
    ticks, resident = 0, 0
    for pid in [daemon.pid, *children(daemon.pid)]:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
        resident += int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    return ticks / os.sysconf("SC_CLK_TCK"), resident / 1e6


def children(pid: int) -> list[int]:
    """The processes that a process started."""
    return [int(child) for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()]


def main(pages: int, idle: float) -> None:
    """Measure and print."""
    folder = Path(tempfile.mkdtemp(prefix="bankd-bench-")) / "w"
    try:
        make_bank(folder, pages)
        with running(folder) as daemon:
            client = Conversation(str(folder), 60)
            wait_for(lambda: pending(folder) == 0, 60)
            threading.Event().wait(10)
            for kind, seconds in latencies(folder, client, 8).items():
                beyond = [1000 * (one - Pace().quiet) for one in seconds]
                print(
                    f"{kind:16} beyond the debounce: median {statistics.median(beyond):4.0f} ms, worst {max(beyond):4.0f} ms"
                )
            print(f"{'500 checked out':16} all found {checkout(folder, client):.2f} s after git ended")
            threading.Event().wait(15)
            before, _ = use(daemon)
            threading.Event().wait(idle)
            after, resident = use(daemon)
            print(
                f"{'idle':16} {100 * (after - before) / idle:.3f} % CPU over {idle:.0f} s, {resident:.0f} MB resident"
            )
    finally:
        shutil.rmtree(folder.parent)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, float(sys.argv[2]) if len(sys.argv) > 2 else 120)

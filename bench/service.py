"""What the daemon costs when nothing happens, how soon it finds an edit, and how fast it answers; prints a table.

python -m bench.service [PAGES] [IDLE_SECONDS]
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
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from bankd.system.clock import read_monotonic
from bankd.system.socket_client import NoDaemonError, send_request
from bankd.workspace.watcher import WatchIntervals
from bench.processes import BIN, children, daemon_of
from tests.conversation import Conversation

SYLLABLES = [chr(0xAC00 + 588 * n + 28 * m) for n in range(19) for m in range(0, 21, 2)]
WORDS = [f"word{n}" for n in range(3000)] + ["".join(random.Random(n).choices(SYLLABLES, k=2)) for n in range(3000)]
CHECKED_OUT = 500
SEARCHES = 800
STOP_WITHIN = 5.0


def make_bank(folder: Path, pages: int) -> None:
    """A workspace with so many pages of ten memories each, half of them Korean."""
    subprocess.run([BIN / "bankctl", "init", folder], check=True, capture_output=True)
    (folder / "bankd.yaml").write_text("search: {analyser: lexicon}\n")
    random_ = random.Random(1)
    for number in range(pages):
        page = folder / "bank/knowledge" / f"{number % 100:02}" / f"page-{number}.md"
        page.parent.mkdir(exist_ok=True)
        lines = [f"- W: {' '.join(random_.choices(WORDS, k=8))}." for _ in range(10)]
        page.write_text(f"# Page {number}\n\n" + "\n".join(lines) + "\n")


def wait_for(claim: Callable[[], bool], within: float) -> float:
    """Seconds until a claim is true."""
    began, pause = read_monotonic(), threading.Event()
    while read_monotonic() - began < within:
        try:
            if claim():
                return read_monotonic() - began
        except (NoDaemonError, KeyError):
            pass
        pause.wait(0.01)
    raise TimeoutError


def is_found(client: Conversation, word: str, *, is_there: bool = True) -> bool:
    """Whether a word that no other page has is found, or is not."""
    return any(word in hit["text"] for hit in client.ask({"op": "search", "query": word}).get("hits", [])) == is_there


def show_latencies(folder: Path, client: Conversation, times: int) -> None:
    """Milliseconds from an edit to the answer that has it, beyond the debounce, by kind of edit."""
    pages = sorted((folder / "bank/knowledge").rglob("page-*.md"))
    found: dict[str, list[float]] = {}
    for number in range(times):
        for kind, edit in EDITS.items():
            word = f"zq{kind.replace(' ', '')}{number}x"
            page = pages[(number * 37 + len(kind)) % len(pages)]
            edit(folder, page, f"- W: {word} was here.\n")
            found.setdefault(kind, []).append(wait_for(partial(is_found, client, word), 30))
        moved = next((folder / "bank").glob("moved-*"))
        word = (moved / "moved.md").read_text().split()[4]
        moved.rename(folder / f"away-{number}")
        found.setdefault("folder moved out", []).append(wait_for(partial(is_found, client, word, is_there=False), 30))
    for kind, seconds in found.items():
        beyond = [1000 * (one - WatchIntervals().quiet) for one in seconds]
        print(f"{kind:18} median {statistics.median(beyond):4.0f} ms, worst {max(beyond):4.0f} ms beyond the debounce")


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


def show_checkout(folder: Path, client: Conversation) -> None:
    """Seconds from the end of a checkout of 500 changed pages until each is found by a word of its own."""
    git = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t", "-c", "gc.auto=0"]

    def run(*words: str) -> None:
        subprocess.run([*git, *words], check=True, capture_output=True)

    pages = sorted((folder / "bank/knowledge").rglob("page-*.md"))[:CHECKED_OUT]
    words = [f"zqcheckout{number}x" for number in range(len(pages))]
    run("init", "-q", "-b", "main")
    run("add", "bank/knowledge")
    run("commit", "-qm", "one")
    run("checkout", "-q", "-b", "other")
    for page, word in zip(pages, words, strict=True):
        page.write_text(page.read_text() + f"- W: {word} was here.\n")
    run("commit", "-qam", "two")
    run("checkout", "-q", "main")
    wait_for(lambda: not any(is_found(client, word) for word in (words[0], words[-1])), 60)
    wait_for(lambda: pending(folder) == 0, 60)
    run("checkout", "-q", "other")
    seconds = wait_for(lambda: is_found(client, words[0]) and is_found(client, words[-1]), 60)
    # Looking for all takes a while; so all must be found in the state of the index that was seen at that moment.
    generation = client.ask({"op": "search", "query": words[-1]})["generation"]
    answers = [client.ask({"op": "search", "query": word}) for word in words]
    found = sum(any(word in hit["text"] for hit in answer["hits"]) for word, answer in zip(words, answers, strict=True))
    same = {answer["generation"] for answer in answers} == {generation}
    print(f"{'checkout':18} {found} of {len(pages)} pages found {seconds:.2f} s after git ended (one state: {same})")


def pending(folder: Path) -> int:
    """How many changed files the daemon knows of and has not read."""
    return int(send_request(str(folder), {"op": "status"})["index"]["pending"])


def show_searches(folder: Path, clients: int) -> None:
    """Milliseconds a search takes through the socket, no question asked twice."""
    took: list[list[float]] = [[] for _ in range(clients)]

    def search(number: int) -> None:
        client, random_ = Conversation(str(folder), 60), random.Random(100 * clients + number)
        for _ in range(SEARCHES // clients):
            query, began = " ".join(random_.choices(WORDS, k=4)), read_monotonic()
            client.ask({"op": "search", "query": query})
            took[number].append(1000 * (read_monotonic() - began))

    began = read_monotonic()
    threads = [threading.Thread(target=search, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    a_second = SEARCHES / (read_monotonic() - began)
    every = sorted(one for mine in took for one in mine)
    text = f"p50 {every[len(every) // 2]:.1f} ms, p95 {every[len(every) * 95 // 100]:.1f} ms, {a_second:.0f} a second"
    print(f"{'warm search':18} {text} with {clients} client{'s' if clients > 1 else ''}")


def use(daemon: subprocess.Popen[bytes]) -> tuple[float, float]:
    """CPU seconds so far, and resident memory in MB, of the daemon with its children."""
    ticks, resident = 0, 0
    for pid in [daemon.pid, *children(daemon.pid)]:
        with suppress(OSError):  # a child may end meanwhile
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
            resident += int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    return ticks / os.sysconf("SC_CLK_TCK"), resident / 1e6


def show_memory(daemon: subprocess.Popen[bytes], folder: Path, when: str) -> None:
    """Resident memory once nothing is done any more: the worker is gone and has been for a beat."""
    working = use(daemon)[1]
    wait_for(lambda: pending(folder) == 0 and not children(daemon.pid), 200)
    threading.Event().wait(2)
    print(f"{when:18} {use(daemon)[1]:.0f} MB resident when idle ({working:.0f} MB before)", flush=True)


def show_idle(daemon: subprocess.Popen[bytes], idle: float) -> None:
    """Processor time and memory while nothing happens."""
    before, _ = use(daemon)
    threading.Event().wait(idle)
    after, resident = use(daemon)
    print(f"{'idle':18} {100 * (after - before) / idle:.3f} % CPU over {idle:.0f} s, {resident:.0f} MB resident")


def show_stop(folder: Path, *, is_asked: bool) -> None:
    """Seconds that a stop takes while the whole bank is read, by itself or in a run that was asked for."""
    shutil.rmtree(folder / ".bankd" / "index")
    daemon = subprocess.Popen([BIN / "bankd", "--workspace", folder], stderr=subprocess.DEVNULL)
    if is_asked:
        wait_for(lambda: bool(send_request(str(folder), {"op": "ping"})["ok"]), 60)
        with suppress(NoDaemonError):
            send_request(str(folder), {"op": "run", "kind": "reflect", "within": 1.0}, 1.5)
    wait_for(lambda: any((folder / ".bankd" / "index").glob("[0-9]*/terms/*")), 60)
    began = read_monotonic()
    daemon.terminate()
    code = daemon.wait(60)
    what = "stop in a run" if is_asked else "stop in a reindex"
    print(f"{what:18} {read_monotonic() - began:.2f} s (at most {STOP_WITHIN:.0f}), exit code {code}")


def measure(folder: Path, idle: float) -> None:
    """Everything that is measured of one daemon."""
    show_disk(folder)
    with daemon_of(folder) as daemon:
        wait_for(lambda: send_request(str(folder), {"op": "status"}, 60)["index"]["memories"] > 0, 600)
        client = Conversation(str(folder), 60)
        show_memory(daemon, folder, "after the start")
        show_latencies(folder, client, 5)
        show_checkout(folder, client)
        show_memory(daemon, folder, "after edits")
        send_request(str(folder), {"op": "run", "kind": "reflect"}, 300)
        show_memory(daemon, folder, "after a reflect")
        show_searches(folder, 1)
        show_searches(folder, 8)
        show_memory(daemon, folder, "after searches")
        show_idle(daemon, idle)
    show_stop(folder, is_asked=False)
    show_stop(folder, is_asked=True)


def show_disk(folder: Path) -> None:
    """Milliseconds that the disk takes to make a small file durable: a commit of the index waits for about ten."""
    took = []
    for number in range(40):
        with (folder / f"sync-{number}").open("wb") as file:
            file.write(bytes(4096))
            file.flush()
            began = read_monotonic()
            os.fsync(file.fileno())
        took.append(1000 * (read_monotonic() - began))
        (folder / f"sync-{number}").unlink()
    print(f"{'fsync':18} median {statistics.median(took):.1f} ms, worst {max(took):.0f} ms on this disk now")


def main(pages: int, idle: float) -> None:
    """Measure and print."""
    folder = Path(tempfile.mkdtemp(prefix="bankd-bench-")) / "w"
    try:
        make_bank(folder, pages)
        print(f"{pages} pages", flush=True)
        measure(folder, idle)
    finally:
        shutil.rmtree(folder.parent)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, float(sys.argv[2]) if len(sys.argv) > 2 else 60)

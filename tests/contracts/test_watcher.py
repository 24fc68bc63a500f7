"""Whatever is done to the files, and whatever happens to the kernel's hints, the watcher ends up knowing it."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bankd.system.files import Mount
from bankd.workspace import watcher as watcher_module
from bankd.workspace import watcher as watching
from bankd.workspace.watcher import Changes, InotifyObserver, Watcher, WatchIntervals, is_watched

FAST = WatchIntervals(quiet=0.05, longest=0.3, look_at_all=600, poll=0.1, after_loss=0.05)
LONG_ENOUGH = 20.0


class Mirror:
    """What a reader of the reports believes the workspace holds."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.reported = threading.Condition()
        self.reports: list[Changes] = []
        self.believed = self.truth()

    def truth(self) -> dict[str, bytes]:
        found = {}
        for folder, names, files in os.walk(self.workspace):
            names[:] = [name for name in names if not name.startswith(".")]
            for name in files:
                path = Path(folder, name)
                relative = path.relative_to(self.workspace).as_posix()
                if (
                    relative.split("/")[0] in {"memory", "bank"}
                    and is_watched(relative)
                    and path.is_file()
                    and not path.is_symlink()
                ):
                    found[relative] = path.read_bytes()
        return found

    def take(self, changes: Changes) -> None:
        with self.reported:
            for path in changes.changed:
                try:
                    self.believed[path] = (self.workspace / path).read_bytes()
                except OSError:  # gone again already; a later report must say so
                    self.believed[path] = b"?"
            for path in changes.deleted:
                self.believed.pop(path, None)
            self.reports.append(changes)
            self.reported.notify_all()

    def catches_up(self) -> bool:
        with self.reported:
            return self.reported.wait_for(lambda: self.believed == self.truth(), LONG_ENOUGH)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for name in ("memory/2026-11-20.md", "bank/a.md", "bank/knowledge/tools.md", "bank/knowledge/deep/er/x.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n")
    (tmp_path / ".bankd").mkdir()
    return tmp_path


@pytest.fixture
def start(workspace: Path) -> Iterator[Callable[..., tuple[Watcher, Mirror]]]:
    started: list[Watcher] = []

    def begin(**options: object) -> tuple[Watcher, Mirror]:
        mirror = Mirror(workspace)
        watcher = Watcher(workspace, mirror.take, **{"pace": FAST} | options)
        watcher.start()
        started.append(watcher)
        return watcher, mirror

    yield begin
    for watcher in started:
        watcher.stop()


def save_like_vim(path: Path, text: str) -> None:
    swap = path.with_name(f".{path.name}.swp")
    swap.write_text("swap")
    path.with_name("4913").touch()
    path.with_name("4913").unlink()
    path.rename(path.with_name(path.name + "~"))
    path.write_text(text)
    path.with_name(path.name + "~").unlink()
    swap.unlink()


def replace(path: Path, text: str) -> None:
    path.with_name("x.tmp").write_text(text)
    path.with_name("x.tmp").replace(path)


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


EDITS: dict[str, Callable[[Path], object]] = {
    "in place": lambda root: (root / "bank/a.md").write_text("new"),
    "append": lambda root: append(root / "memory/2026-11-20.md", "- W: one more\n"),
    "vim": lambda root: save_like_vim(root / "bank/a.md", "by vim"),
    "replace": lambda root: replace(root / "bank/a.md", "by rename"),
    "same size and time": lambda root: rewrite_quietly(root / "bank/a.md"),
    "delete": lambda root: (root / "bank/a.md").unlink(),
    "rename": lambda root: (root / "bank/a.md").rename(root / "bank/b.md"),
    "new folders": lambda root: [
        (root / "bank/p/q/r").mkdir(parents=True),
        (root / "bank/p/q/r/n.md").write_text("deep"),
    ],
    "folder renamed": lambda root: (root / "bank/knowledge").rename(root / "bank/wissen"),
    "folder out": lambda root: (root / "bank/knowledge").rename(root / "elsewhere"),
    "folder in": lambda root: [
        shutil.copytree(root / "bank/knowledge", root / "elsewhere"),
        (root / "elsewhere").rename(root / "bank/in"),
    ],
    "folder removed": lambda root: shutil.rmtree(root / "bank/knowledge"),
    "bank replaced": lambda root: [
        (root / "bank").rename(root / "old"),
        (root / "bank/new").mkdir(parents=True),
        (root / "bank/new/z.md").write_text("z"),
    ],
    "memory gone and back": lambda root: [
        shutil.rmtree(root / "memory"),
        (root / "memory").mkdir(),
        (root / "memory/2026-11-21.md").write_text("- W: back\n"),
    ],
    "decomposed Hangul": lambda root: (root / "bank/각.md").write_text("NFD"),
}


def rewrite_quietly(path: Path) -> None:
    was = path.stat()
    path.write_bytes(path.read_bytes().swapcase())
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))


@pytest.mark.parametrize("polling", [False, True], ids=["inotify", "polling"])
@pytest.mark.parametrize("edit", EDITS)
def test_each_kind_of_edit_is_reported(
    start: Callable[..., tuple[Watcher, Mirror]], workspace: Path, edit: str, polling: bool
) -> None:
    watcher, mirror = start(polling=polling)
    assert watcher.state.mode == ("polling" if polling else "inotify")

    EDITS[edit](workspace)
    watcher.check_watches()

    assert mirror.catches_up()
    assert mirror.reports


def test_an_edit_after_the_bank_was_replaced_is_reported(
    start: Callable[..., tuple[Watcher, Mirror]], workspace: Path
) -> None:
    watcher, mirror = start()
    EDITS["bank replaced"](workspace)
    watcher.check_watches()
    assert mirror.catches_up()

    (workspace / "bank/new/z.md").write_text("again")

    assert mirror.catches_up()


def test_what_only_looks_new_is_not_reported(start: Callable[..., tuple[Watcher, Mirror]], workspace: Path) -> None:
    _, mirror = start()
    (workspace / "bank/a.md").write_text("one")
    assert mirror.catches_up()
    count = len(mirror.reports)

    (workspace / "bank/a.md").touch()
    replace(workspace / "bank/a.md", "one")
    (workspace / "bank/.hidden.md").write_text("x")
    (workspace / "bank/a.md~").write_text("x")
    (workspace / "bank/a.sync-conflict-20261121-1.md").write_text("x")
    (workspace / "bank/last.md").write_text("x")

    assert mirror.catches_up()
    assert [path for changes in mirror.reports[count:] for path in changes.paths] == ["bank/last.md"]


def test_a_checkout_of_five_hundred_pages_is_reported(
    start: Callable[..., tuple[Watcher, Mirror]], workspace: Path
) -> None:
    def run(*words: str) -> None:
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@t"]
        subprocess.run([*git, *words], cwd=workspace, check=True, capture_output=True)

    for number in range(500):
        (workspace / f"bank/p{number}.md").write_text(f"page {number}")
    run("init", "-q")
    run("add", "bank")
    run("commit", "-qm", "one")
    for number in range(500):
        (workspace / f"bank/p{number}.md").write_text(f"page {number} again")
    run("commit", "-qam", "two")
    _, mirror = start()

    run("checkout", "-q", "HEAD~")

    assert mirror.catches_up()
    assert len(mirror.believed) == 504


def test_lost_watches_are_found_and_set_again(start: Callable[..., tuple[Watcher, Mirror]], workspace: Path) -> None:
    watcher, mirror = start()
    observer = watcher._hints._observer
    for emitter in observer.emitters:
        emitter.stop()
    (workspace / "bank/a.md").write_text("unseen")

    watcher.check_watches()

    assert mirror.catches_up()
    assert watcher.state.rebuilt == 1

    (workspace / "bank/a.md").write_text("seen")

    assert mirror.catches_up()


def test_without_inotify_it_polls(
    start: Callable[..., tuple[Watcher, Mirror]], workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise OSError(24, "inotify instance limit reached")

    monkeypatch.setattr(InotifyObserver, "__init__", refuse)
    watcher, mirror = start()
    (workspace / "bank/a.md").write_text("seen all the same")

    assert mirror.catches_up()
    assert (watcher.state.mode, watcher.state.reason) == (
        "polling",
        "inotify does not work here: inotify instance limit reached",
    )


def test_on_a_network_file_system_it_polls(
    start: Callable[..., tuple[Watcher, Mirror]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher_module, "find_mount", lambda _path: Mount("nfs4"))
    watcher, _ = start()

    assert watcher.state.mode == "polling"


def test_a_small_kernel_queue_loses_events_but_no_change(
    start: Callable[..., tuple[Watcher, Mirror]], workspace: Path
) -> None:
    limit = Path("/proc/sys/fs/inotify/max_queued_events")
    if not os.access(limit, os.W_OK):
        pytest.skip("needs the right to lower fs.inotify.max_queued_events")
    before = limit.read_text()
    try:
        limit.write_text("4")
        watcher, mirror = start()
    finally:
        limit.write_text(before)
    for number in range(3000):
        (workspace / f"bank/knowledge/n{number % 300}.md").write_text(str(number))

    assert mirror.catches_up()
    assert watcher.state.losses > 0


def do_something(random_: random.Random, root: Path) -> None:
    """One file operation such as people, editors and sync tools do."""
    folders = [path for path in (root / "bank").rglob("*") if path.is_dir()] + [root / "bank", root / "memory"]
    files = [path for path in root.rglob("*.md") if path.is_file()]
    folder, name = random_.choice(folders), f"{random_.randrange(30)}.md"
    text = str(random_.random())
    file = random_.choice(files) if files else folder / name
    match random_.randrange(12):
        case 0 | 1 | 2:
            (folder / name).write_text(text)
        case 3 | 4 if file.exists():
            append(file, text)
        case 5 if file.exists():
            save_like_vim(file, text)
        case 6 if file.exists():
            replace(file, text)
        case 7 if file.exists():
            file.unlink()
        case 8 if file.exists():
            file.rename(folder / name)
        case 9:
            (folder / f"d{random_.randrange(6)}" / f"e{random_.randrange(3)}").mkdir(parents=True, exist_ok=True)
        case 10 if folder.name[0] in "de" and folder.exists():
            shutil.rmtree(folder)
        case 11 if folder.name[0] in "de":
            target = random_.choice(folders) / f"d{random_.randrange(6)}"
            if not target.exists() and folder not in (target, *target.parents):
                folder.rename(target)


MANY = [pytest.param(2_000, seed, marks=pytest.mark.full) for seed in range(100, 105)]


@pytest.mark.parametrize(("operations", "seed"), [(1_000, 1), *MANY])
def test_random_operations_are_all_noticed(
    start: Callable[..., tuple[Watcher, Mirror]], workspace: Path, operations: int, seed: int
) -> None:
    random_ = random.Random(seed)
    watcher, mirror = start()
    for number in range(operations):
        do_something(random_, workspace)
        if number % 500 == 499:
            assert mirror.catches_up(), (seed, number)
    assert mirror.catches_up()
    assert watcher.state.mode == "inotify"


def test_an_observer_that_does_not_end_holds_up_nobody(
    start: Callable[..., tuple[Watcher, Mirror]], monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher, _ = start()
    ended: list[bool] = []
    let_go, stop = threading.Event(), InotifyObserver.stop

    def stop_late(observer: InotifyObserver) -> None:
        ended.append(let_go.wait(30))
        stop(observer)

    monkeypatch.setattr(watching, "_STOP_SECONDS", 0.05)
    monkeypatch.setattr(InotifyObserver, "stop", stop_late)

    watcher.stop()

    assert not ended
    let_go.set()


def test_an_observer_that_lost_count_of_a_folder_ends(
    start: Callable[..., tuple[Watcher, Mirror]], monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher, _ = start()
    stop, failures = InotifyObserver.stop, list[object]()

    def stop_and_fail(observer: InotifyObserver) -> None:
        stop(observer)
        raise KeyError(b"bank/renamed")

    monkeypatch.setattr(InotifyObserver, "stop", stop_and_fail)
    monkeypatch.setattr(threading, "excepthook", failures.append)

    watcher.stop()

    assert not failures

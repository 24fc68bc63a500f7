"""Fixtures that every suite may use."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from bankd.system.child import ChildProcess
from bankd.system.clock import read_monotonic
from bankd.wiring import probing, search
from bankd.words.statement import Morpheme, Wording
from bankd.workers.analyser import KiwiWorker
from tests.year import make_year

# No deadline: how long an example takes is the machine's affair. On a submission the same examples every time: what a
# search finds new is for whoever runs the suite to look at.
settings.register_profile("any", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable" if os.environ.get("CI") else "any")

ROOT = Path(__file__).resolve().parent.parent
MEMORY, ROOM = Path("/dev/shm"), 4 << 30  # bytes that must be free there


def pytest_configure(config: pytest.Config) -> None:
    """Let the quick suite write to memory, for most of its time went into syncing; the full suite writes to the disk."""
    # `meaning.model: auto` is words here: the model takes seconds to load.
    search.is_installed = probing.is_installed = lambda _: False
    if config.option.markexpr == "not full" and MEMORY.is_dir() and is_roomy(MEMORY):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def is_roomy(folder: Path) -> bool:
    """Whether all that tests write, programs among it, may stand there."""
    may_run = not os.statvfs(folder).f_flag & os.ST_NOEXEC
    return may_run and os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= ROOM


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("BANKD_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"needs the real data in {folder}")
    return folder


@pytest.fixture(scope="session")
def made_year(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bank with a year behind it, made once; who writes to it takes a copy."""
    root = tmp_path_factory.mktemp("banks") / "year"
    make_year(root)
    return root


@pytest.fixture(autouse=True, scope="session")
def one_kiwi() -> Iterator[None]:
    """Load Kiwi once for all tests of a process, instead of once for each workspace: it takes seconds.

    A process that a test forks makes its own, for two cannot speak over one connection.
    """
    shared, owner, made = KiwiWorker(read_monotonic)._made(), os.getpid(), KiwiWorker._made

    def made_once(worker: KiwiWorker) -> ChildProcess:
        if os.getpid() != owner:
            return made(worker)
        worker._child = shared
        return shared

    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(KiwiWorker, "_made", made_once)
        patching.setattr(KiwiWorker, "end", lambda worker: setattr(worker, "_child", None))
        yield
    shared.close()


@pytest.fixture(scope="session")
def analyse() -> Callable[[str], Wording]:
    """Kiwi itself, without the worker around it: for rules that are only as good as real analyses."""
    from kiwipiepy import Kiwi

    kiwi = Kiwi(num_workers=1)

    @cache
    def analyse(text: str) -> Wording:
        return Wording(text, tuple(Morpheme(token.form, token.tag) for token in kiwi.tokenize(text)))

    return analyse

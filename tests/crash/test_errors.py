"""The disk refuses: full, failing, forbidden, out of descriptors. A clear message, nothing lost, and the next run completes."""

from __future__ import annotations

import os
import resource
import shutil
from pathlib import Path

import pytest

from bankd.errors import BankError, StorageError
from bankd.storage import disk
from tests.crash.faults import KINDS, WRITING, Fault, FaultyCalls
from tests.crash.world import ORIGINAL, Session, bank_of, faults, fresh, lost, run


def count(template: Path, root: Path, kinds: tuple[str, ...]) -> int:
    calls = FaultyCalls(Fault(kinds=kinds))
    run(fresh(template, root), calls)
    shutil.rmtree(root)
    return calls.count


def break_and_judge(template: Path, root: Path, fault: Fault, clean_bank: dict[str, bytes]) -> list[str]:
    """Run into the fault, look, run again without it, look again.

    A fault of a single page costs what was meant for that page, if the run names it; any other costs nothing in the end.
    """
    fresh(template, root)
    wrong, named = [], list[str]()
    try:
        named = run(root, FaultyCalls(fault))[1].conflicts
    except StorageError as error:
        if error.exit_code != 3 or not str(error).strip():
            wrong.append(f"unclear: {error!r}")
    except BankError as error:
        wrong.append(f"the wrong kind of error: {error!r}")
    wrong += [f"before the next run: {text}" for text in lost(root, ORIGINAL)]
    run(root)
    run(root)
    wrong += faults(root)
    if bank_of(root) != clean_bank and not any("cannot be written" in text for text in named):
        wrong.append("the bank is not that of an undisturbed run")
    shutil.rmtree(root)
    return wrong


FULL = pytest.mark.full
ANY = ("ENOSPC", "EIO", "EDQUOT", "EROFS", "EACCES", "EMFILE")


@pytest.mark.parametrize(
    ("error", "kinds", "forever", "step"),
    [
        ("ENOSPC", KINDS, False, 11),
        ("EIO", KINDS, False, 11),
        ("ENOSPC", WRITING, True, 4),
        ("short", ("write",), False, 3),
        *(pytest.param(error, KINDS, False, 1, marks=FULL) for error in ANY),
        *(pytest.param(error, WRITING, True, 1, marks=FULL) for error in ANY if error != "EIO"),
        pytest.param("short", ("write",), False, 1, marks=FULL),
        pytest.param("EIO", ("sync",), False, 1, marks=FULL),
    ],
)
def test_an_error_at_some_changes_or_from_some_on_is_survived(
    template: Path,
    clean: tuple[dict[str, bytes], list[str]],
    tmp_path: Path,
    error: str,
    kinds: tuple[str, ...],
    step: int,
    *,
    forever: bool,
) -> None:
    bad = {}
    for at in range(1, count(template, tmp_path / "count", kinds) + 1, step):
        fault = Fault(at, error, forever=forever, kinds=kinds)
        if wrong := break_and_judge(template, tmp_path / "w", fault, clean[0]):
            bad[at] = wrong

    assert bad == {}


def test_a_failed_sync_is_not_tried_again_and_a_second_one_in_a_row_makes_the_workspace_read_only(
    template: Path, tmp_path: Path
) -> None:
    root = fresh(template, tmp_path / "w")
    run(root)
    (root / "bank/identity/values.md").write_text("# Values\n\n- W: fact number 2 ^m-0002\n")
    messages = []
    for _ in range(3):
        calls = FaultyCalls(Fault(1, "EIO", forever=True, kinds=("sync",)))
        with pytest.raises(StorageError) as caught:
            run(root, calls)
        messages.append(str(caught.value))

    assert calls.count == 0
    assert "read-only" in messages[2]
    (root / ".bankd/read-only").unlink()
    run(root)
    assert not (root / ".bankd/sync-failed").exists()


def test_a_disk_that_is_nearly_full_is_noticed_before_anything_is_written(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = fresh(template, tmp_path / "w")
    before = bank_of(root)
    monkeypatch.setattr(disk, "RESERVE", 1 << 60)
    with pytest.raises(StorageError, match="needed"):
        run(root)

    assert bank_of(root) == before
    assert not list((root / ".bankd/txn").glob("*"))


def test_running_out_of_descriptors_is_said_and_loses_nothing(template: Path, tmp_path: Path) -> None:
    root = fresh(template, tmp_path / "w")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Session(root) as session:
        next_free = os.open("/dev/null", os.O_RDONLY)
        os.close(next_free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (next_free + 1, hard))
        try:
            with pytest.raises(StorageError, match="open files"):
                session.run()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    run(root)

    assert faults(root) == []

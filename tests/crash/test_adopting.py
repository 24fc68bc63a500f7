"""`bankctl adopt` broken at any change of the disk: the same command completes it, and overwrites nothing.

What must hold is counted from the folder that is adopted, never from what the command says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from bankd.cli import main
from tests.crash.faults import ACTIONS, FULL, Fault, FaultyOs, Killed, each

FILES = {
    "memory/2026-05-04.md": "- W: The deploy runs on Tuesdays.\n",
    "memory/2026/2026-05-05.md": "- W: The shed has a green door.\n",
    "MEMORY.md": "# Memory\n\n- The gate code is kept by the neighbour.\n",
    "Garden/Roses.md": "# Roses\n\nPruned in March.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "agent"
    for name, text in FILES.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    (made / "MEMORY.md").chmod(0o440)
    return made


def adopt(folder: Path, root: Path, *words: str) -> int:
    return main(["adopt", str(folder), str(root), *words])


def tree(root: Path) -> dict[str, bytes | str]:
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*")}
    return {
        name: str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else b"/"
        for name, path in found.items()
    }


def broken(folder: Path, tmp_path: Path, words: tuple[str, ...], fault: Fault, step: int) -> Iterator[Path]:
    """The workspace as each fault leaves it."""
    for at in count(1, step):
        root = tmp_path / f"ws{at}"
        calls = FaultyOs(replace(fault, at=at))
        with calls:
            try:
                code = adopt(folder, root, *words)
            except Killed:
                code = -9
        if not calls.fired:
            assert at > 2 * step
            return
        assert code in {0, 3, -9}, calls.log[-1]
        if code:
            yield root


@pytest.mark.parametrize("words", [(), ("--copy",)], ids=["in place", "a copy"])
@pytest.mark.parametrize("action", ACTIONS)
@each(7)
def test_the_same_command_completes_what_broke(
    folder: Path, tmp_path: Path, words: tuple[str, ...], action: str, step: int
) -> None:
    before, whole = tree(folder), tmp_path / "whole"
    assert adopt(folder, whole, *words) == 0
    for root in broken(folder, tmp_path, words, ACTIONS[action], step):
        assert adopt(folder, root, *words) == 0
        assert tree(root) == tree(whole)
        assert tree(folder) == before
    if words:
        taken = {name if name.startswith("memory/") else f"bank/{name}": text for name, text in FILES.items()}
        assert {name: tree(whole)[name] for name in taken} == {name: text.encode() for name, text in taken.items()}
        assert (whole / "bank/MEMORY.md").stat().st_mode & 0o777 == 0o440


def kill_before(what: str, folder: Path, root: Path, *words: str) -> None:
    """Adopt, and die before the first call with this in it."""
    with FaultyOs() as calls:
        adopt(folder, root.with_name("counted"), *words)
    at = next(number for number, call in enumerate(calls.log, 1) if what in call)
    with FaultyOs(Fault(at)), pytest.raises(Killed):
        adopt(folder, root, *words)


@pytest.fixture
def half_made(folder: Path, tmp_path: Path) -> Path:
    """A copy that was killed after its pages: the settings are not there yet."""
    root = tmp_path / "half"
    kill_before("routing.yaml", folder, root, "--copy")
    assert (root / "bank/MEMORY.md").exists()
    return root


def test_what_a_person_wrote_meanwhile_stays_and_is_named(
    folder: Path, half_made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (half_made / "bank/MEMORY.md").unlink()
    (half_made / "bank/MEMORY.md").write_text("mine\n")

    assert adopt(folder, half_made, "--copy") == 0

    assert (half_made / "bank/MEMORY.md").read_text() == "mine\n"
    assert "1 existing copy that differs from its source: bank/MEMORY.md" in capsys.readouterr().out


def test_what_is_half_made_of_another_folder_is_refused(
    folder: Path, half_made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/Note.md").write_text("a note\n")
    before = tree(half_made)

    assert adopt(tmp_path / "other", half_made, "--copy") == 3
    assert f"finish that with: bankctl adopt {folder} {half_made} --copy" in capsys.readouterr().err
    assert adopt(folder, half_made) == 3

    assert tree(half_made) == before


def test_what_the_disk_refuses_is_said_with_what_to_do(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FaultyOs(replace(ACTIONS[FULL], at=20)):
        assert adopt(folder, tmp_path / "ws", "--copy") == 3

    said = capsys.readouterr().err
    assert "No space left on device" in said
    assert "type the same command again" in said


def test_a_link_to_another_place_is_not_taken_for_ours(folder: Path, tmp_path: Path) -> None:
    root = tmp_path / "ws"
    kill_before("symlink", folder, root)
    assert (root / ".bankd/adopting.json").exists()
    (root / "memory").symlink_to(tmp_path)

    assert adopt(folder, root) == 3
    assert (root / "memory").resolve() == tmp_path

"""A vault becomes the bank of a workspace where it is, or as a copy, and stays as its owner wrote it."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from tests.stories.conftest import Run

NOW = ("--now", "2026-06-10T03:00")
PAGE = "---\ntitle: Café\n---\n# Café\r\n\r\n| drink | price |\r\n|---|---|\r\n| latte | 4.50 |\r\n\r\nSee [[notes]] and [n](notes.md#b).\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / ".obsidian").mkdir(parents=True)
    (folder / ".obsidian/app.json").write_text("{}")
    (folder / "cafe.md").write_bytes(PAGE.encode())
    (folder / "notes.md").write_text(
        "# Notes\n" + "".join(f"\n## {p}\n\n{p} said {'a long thing ' * 700}\n" for p in "abc")
    )
    return folder


def digests(folder: Path) -> dict[str, str]:
    files = (file for file in folder.rglob("*") if file.is_file() and "_meta" not in file.parts)
    return {file.relative_to(folder).as_posix(): sha256(file.read_bytes()).hexdigest() for file in files}


def test_a_vault_is_adopted_in_place_and_nothing_of_it_is_rewritten(vault: Path, tmp_path: Path, bankctl: Run) -> None:
    before, workspace = digests(vault), tmp_path / "new"

    said = bankctl("adopt", str(vault), str(workspace)).out
    assert "2 Markdown files" in said
    assert "1 large pages stay whole" in said
    (workspace / "memory/2026-05-04.md").write_text("- S: 가치관: 정직을 최우선으로 한다.\n")
    done = bankctl("cycle", "reflect", "--workspace", str(workspace), *NOW)

    assert done.code == 0
    assert "1 learned" in done.out
    assert "split" not in done.out
    after = digests(vault)
    assert {path: after[path] for path in before} == before
    assert "정직" in (vault / "identity/values.md").read_text()
    assert bankctl("links", "check", "--workspace", str(workspace)).out.startswith("0 links lead nowhere")
    assert bankctl("search", "정직", "--workspace", str(workspace)).code == 0
    assert bankctl("split", "bank/notes.md", "--workspace", str(workspace)).code == 0
    assert (vault / "notes").is_dir()


def test_a_copy_leaves_the_vault_alone(vault: Path, tmp_path: Path, bankctl: Run) -> None:
    before = digests(vault)

    bankctl("adopt", str(vault), str(tmp_path / "new"), "--copy")

    assert not (tmp_path / "new/bank").is_symlink()
    assert (tmp_path / "new/bank/cafe.md").read_bytes() == PAGE.encode()
    assert not (tmp_path / "new/bank/.obsidian").exists()
    assert digests(vault) == before


def test_the_logs_of_an_agent_are_adopted_as_logs(tmp_path: Path, bankctl: Run) -> None:
    log = tmp_path / "agent/memory/2026-05-04.md"
    log.parent.mkdir(parents=True)
    log.write_text("- W: The deploy runs at 10:00 on Tuesdays.\n")

    bankctl("adopt", str(tmp_path / "agent"), str(tmp_path / "new"))
    done = bankctl("cycle", "micro", "--workspace", str(tmp_path / "new"), *NOW)

    assert "1 learned" in done.out
    assert log.read_text() == "- W: The deploy runs at 10:00 on Tuesdays.\n"


def test_a_dry_run_and_what_cannot_be_adopted_change_nothing(
    vault: Path, tmp_path: Path, bankctl: Run, root: Path
) -> None:
    before = digests(tmp_path)

    assert "Nothing was written" in bankctl("adopt", str(vault), str(tmp_path / "new"), "--dry-run").out
    assert "lies inside" in bankctl("adopt", str(vault), str(vault / "new")).err
    assert "is a workspace already" in bankctl("adopt", str(root), str(tmp_path / "new")).err
    assert "no such folder" in bankctl("adopt", str(tmp_path / "gone"), str(tmp_path / "new")).err
    assert digests(tmp_path) == before

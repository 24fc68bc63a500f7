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
    assert ("1 large page stays whole" in said, "bankctl search WORDS" in said) == (True, True)
    (workspace / "memory/2026-05-04.md").write_text("- S: 가치관: 정직을 최우선으로 한다.\n")
    done = bankctl("cycle", "reflect", "--workspace", str(workspace), *NOW)

    assert done.code == 0
    assert "1 learned" in done.out
    assert "split" not in done.out
    after = digests(vault)
    assert {path: after[path] for path in before} == before
    assert "정직" in (vault / "identity/values.md").read_text()
    assert bankctl("page", "links", "--workspace", str(workspace)).out.startswith(
        "0 links lead nowhere that led somewhere"
    )
    assert bankctl("search", "정직", "--workspace", str(workspace)).code == 0
    assert bankctl("page", "split", "bank/notes.md", "--workspace", str(workspace)).code == 0
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
    assert "1 learned" in bankctl("cycle", "micro", "--workspace", str(tmp_path / "new"), *NOW).out
    assert log.read_text() == "- W: The deploy runs at 10:00 on Tuesdays.\n"


def test_a_dry_run_and_what_cannot_be_adopted_change_nothing(
    vault: Path, tmp_path: Path, bankctl: Run, root: Path
) -> None:
    before = digests(tmp_path)

    said = bankctl("adopt", str(vault), str(tmp_path / "new"), "--dry-run").out
    assert "Nothing was written" in said
    assert "_meta/tree-index.json, and _meta/inbox.md for memories that fit no page" in said
    assert "lies inside" in bankctl("adopt", str(vault), str(vault / "new")).err
    assert "is a workspace already" in bankctl("adopt", str(root), str(tmp_path / "new")).err
    assert "no such folder" in bankctl("adopt", str(tmp_path / "gone"), str(tmp_path / "new")).err
    assert digests(tmp_path) == before


def note(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


LOG = "- W: The deploy runs at 10:00 on Tuesdays.\n"
NOTE = "# Roses\n\nThe white rose was pruned in March.\n"


def test_notes_beside_the_logs_become_pages(tmp_path: Path, bankctl: Run) -> None:
    agent, new = tmp_path / "agent", str(tmp_path / "new")
    note(agent, "memory/2026-05-04.md", LOG)
    note(agent, "MEMORY.md", "# Memory\n\n- The gate code is kept by the neighbour.\n")
    note(agent, "Garden/Roses.md", NOTE)

    said = bankctl("adopt", str(agent), new, "--copy").out
    assert f"1 Markdown file in the folder {agent}/memory, copied to {new}/memory: logs" in said
    assert f"2 Markdown files in the folder {agent}, copied to {new}/bank: pages" in said

    assert "Garden/Roses.md" in bankctl("search", "when was the white rose pruned", "--workspace", new).out
    assert "neighbour" in bankctl("search", "who keeps the gate code", "--workspace", new).out
    assert "1 learned" in bankctl("cycle", "micro", "--workspace", new, *NOW).out
    assert not (tmp_path / "new/bank/memory").exists()


def test_what_cannot_be_used_in_place_is_named_with_how_to_have_it(tmp_path: Path, bankctl: Run) -> None:
    agent, new = tmp_path / "agent", str(tmp_path / "new")
    note(agent, "memory/2026-05-04.md", LOG)
    note(agent, "MEMORY.md", NOTE)
    note(agent, "Garden/Roses.md", NOTE)

    planned = bankctl("adopt", str(agent), new, "--dry-run").out
    said = bankctl("adopt", str(agent), new).out

    for text in (planned, said):
        assert "2 Markdown files beside memory/" in text
        assert "Garden/Roses.md, MEMORY.md" in text
        assert f"bankctl adopt {agent} {new} --copy" in text
    assert (tmp_path / "new/memory").resolve() == agent / "memory"


def test_daily_notes_and_a_folder_memory_further_down_are_pages_with_the_rest(tmp_path: Path, bankctl: Run) -> None:
    vault, new = tmp_path / "vault", str(tmp_path / "new")
    note(vault, "Notes/memory/working.md", "# Working memory\n\nSeven items fit into working memory.\n")
    note(vault, "Daily/2026-05-04.md", "# Monday\n\nThe boiler was repaired by Peter.\n")
    note(vault, "Garden/Roses.md", NOTE)

    for words in ((), ("--copy",)):
        root = f"{new}{len(words)}"
        said = bankctl("adopt", str(vault), root, *words).out
        assert "3 Markdown files" in said
        assert "leaves" not in said
        for asked in ("who repaired the boiler", "when was the white rose pruned"):
            assert bankctl("search", asked, "--workspace", root).code == 0
        assert "memory/working.md" in bankctl("search", "how many items fit", "--workspace", root).out


def test_all_that_is_left_out_is_counted_and_named(vault: Path, tmp_path: Path, bankctl: Run) -> None:
    for number in range(25):
        note(vault, f"img/{number:02}.png", "x")
    (vault / "linked.md").symlink_to(vault / "notes.md")
    (vault / "outside").symlink_to(tmp_path)
    note(vault, ".windsurf/rules/pnpm.md", "- Use pnpm, never npm.\n")

    said = bankctl("adopt", str(vault), str(tmp_path / "new"), "--copy", "--dry-run").out
    found = bankctl("adopt", str(vault), str(tmp_path / "new"), "--copy", "--json").json

    assert "25 files that are not Markdown: img/00.png, " in said
    assert ", and 5 more (--json names them)" in said
    assert "2 links, which are not followed: linked.md, outside" in said
    assert [len(kind["files"]) for kind in found["left_out"]] == [25, 1, 2]
    assert (found["pages"], found["logs"]) == (2, 0)

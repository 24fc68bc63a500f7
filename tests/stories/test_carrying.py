"""A bank is carried away as one file and comes back; a line is edited where it stands; trouble without a decision is mended."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tarfile
from pathlib import Path

import pytest

from tests.stories.conftest import Run, tree_state, write_log

NOW = ("--now", "2026-05-02T20:00")


@pytest.fixture
def bank(root: Path, bankctl: Run) -> Path:
    write_log(root, "2026-05-01.md", "W: The gate key hangs in the hall.", "O(c=0.90) @Peter: Prefers concise replies.")
    bankctl("cycle", "micro", *NOW)
    return root


def test_a_backup_comes_back_whole_into_an_empty_folder_only(bank: Path, bankctl: Run, tmp_path: Path) -> None:
    file, new = tmp_path / "saved.tar.gz", tmp_path / "again"
    made = bankctl("backup", str(file), "--json")
    assert (made.code, made.json["unread"]) == (0, [])
    assert bankctl("backup", str(file)).code == 3, "a backup is never overwritten"
    assert file.stat().st_mode & 0o077 == 0

    assert bankctl("restore", str(file), str(bank)).code == 3
    said = bankctl("restore", str(file), str(new))

    assert "2 memories: all promises hold" in said.out
    assert "the history of runs is not in a backup" in said.out
    assert {name: data for name, (data, _) in tree_state(new).items()} == {
        name: data for name, (data, _) in tree_state(bank).items()
    }
    assert bankctl("search", "gate key", "--workspace", str(new)).code == 0


def test_what_is_newer_is_told_by_every_door_at_once_after_a_restore_and_without_the_derived_folder(
    bank: Path, bankctl: Run, tmp_path: Path
) -> None:
    log = bank / "memory/2026-05-02.md"
    for time in ("16:30", "17:15"):
        with log.open("a", encoding="utf-8") as lines:
            lines.write(f"- W: Piano teacher comes on Thursdays at {time}.\n")
        bankctl("cycle", "micro", "--now", "2026-05-03T20:00")
    new = tmp_path / "new"
    bankctl("backup", str(tmp_path / "saved.tar.gz"))
    bankctl("restore", str(tmp_path / "saved.tar.gz"), str(new))

    def found() -> list[tuple[str, bool]]:
        hits = bankctl("search", "piano teacher", "--json", "--workspace", str(new)).json["hits"]
        return [(hit["text"][-6:-1], bool(hit["superseded_by"])) for hit in hits]

    assert found() == [("17:15", False), ("16:30", True)]
    said = bankctl("timeline", "--since", "2026-05-01", "--now", "2026-05-03", "--workspace", str(new)).out
    told = [line.split("  ")[-1].split(" is ")[0] for line in said.splitlines() if "Piano" in line]
    assert told == ["older; newer", "newer; older"]
    said = bankctl("export", "--markdown", "--workspace", str(new)).out
    assert "- ~~W: Piano teacher comes on Thursdays at 16:30.~~\n" in said
    assert "- W: Piano teacher comes on Thursdays at 17:15.\n" in said
    shutil.rmtree(new / ".bankd")
    bankctl("export", "--workspace", str(new))  # it makes a catalogue, and tells it nothing of what is newer
    assert found() == [("17:15", False), ("16:30", True)]


@pytest.mark.parametrize(("command", "words"), [("export", "one memory a line"), ("connect", "--help names all")])
def test_help_says_what_is_written_and_where_all_agents_are_named(
    bankctl: Run, capsys: pytest.CaptureFixture[str], command: str, words: str
) -> None:
    with pytest.raises(SystemExit):
        bankctl(command, "--help")

    assert words in " ".join(capsys.readouterr().out.split())


def test_a_backup_of_folders_elsewhere_holds_their_files(bank: Path, bankctl: Run, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (bank / "bank").rename(vault)
    bankctl("config", "set", "folders.bank", str(vault))
    bankctl("cycle", "micro", "--now", "2026-05-03T20:00")
    bankctl("backup", str(tmp_path / "saved.tar.gz"))
    said = bankctl("restore", str(tmp_path / "saved.tar.gz"), str(tmp_path / "again"))

    assert "bank was outside the workspace" in said.out
    assert not (tmp_path / "again/bank").is_symlink()
    assert "2 memories: all promises hold" in said.out


@pytest.mark.parametrize("content", [b"", b"no tar", None])
def test_what_is_no_backup_makes_nothing(bank: Path, bankctl: Run, tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "odd.tar"
    if content is None:
        with tarfile.open(file, "w") as tar:
            tar.add(bank / "bank", "bank")
    else:
        file.write_bytes(content)
    before = sorted(tmp_path.iterdir())

    said = bankctl("restore", str(file), str(tmp_path / "new"))
    assert (said.code, said.err.count("\n")) == (3, 1)
    assert sorted(tmp_path.iterdir()) == before


def test_a_backup_stands_beside_the_workspace_and_never_in_it(
    bank: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bank)
    made = bankctl("backup", "--json").json

    assert Path(made["path"]).parent == bank.parent
    assert bankctl("backup", "bank/inside.tar.gz").code == 3
    again = bank.parent / "again"
    bankctl("restore", made["path"], str(again))
    assert (again / ".bankd/.gitignore").read_text() == "*\n"


def test_all_memories_are_exported_as_json_and_as_one_markdown_text(bank: Path, bankctl: Run) -> None:
    (bank / "bank/pets.md").write_text("# Pets\n\n- W: The cat is called Miso.\n", encoding="utf-8")
    rows = [json.loads(line) for line in bankctl("export").out.splitlines()]
    opinion = next(row for row in rows if row["kind"] == "O")
    text = bankctl("export", "--markdown").out

    assert len(rows) == 3
    assert [row["text"] for row in rows if row["id"] is None] == ["The cat is called Miso."]
    assert (opinion["about"], opinion["confidence"], opinion["source"]) == (["Peter"], 0.9, "memory/2026-05-01.md:5")
    assert "# opinions/preferences\n" in text
    assert "- O(c=0.90@2026-05-01) @Peter: Prefers concise replies." in text
    assert "^m-" not in text


def test_an_editor_opens_the_line_of_a_memory_of_a_log_and_of_a_page(
    bank: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    editor = tmp_path / "vim"
    editor.write_text(f'#!{sys.executable}\nimport sys\nopen({str(seen)!r}, "w").write(" ".join(sys.argv[1:]))\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    opinion = next(json.loads(line) for line in bankctl("export").out.splitlines() if '"O"' in line)

    for what, place in (
        (f"^{opinion['id']}", f"{opinion['page']}:{opinion['line']}"),
        ("memory/2026-05-01.md:5", "memory/2026-05-01.md:5"),
        ("opinions/preferences", "bank/opinions/preferences.md:1"),
    ):
        assert bankctl("edit", what).code == 0
        path, _, line = place.rpartition(":")
        assert seen.read_text() == f"+{line} {bank / path}"
        assert bankctl("edit", what, "--print").out == f"{place}\n"
    assert bankctl("edit", "memory/2026-05-01.md:5").out == "memory/2026-05-01.md:5: nothing is saved in it yet\n"
    nowhere = bankctl("edit", "memory/2026-05-01.md:999")
    assert (nowhere.code, "memory/2026-05-01.md:999: no such line; the last is " in nowhere.err) == (3, True)
    editor.write_text(f"#!{sys.executable}\nimport sys\nopen(sys.argv[2], 'a').write('- more\\n')\n")
    assert "the next run reads what was saved" in bankctl("edit", "memory/2026-05-01.md:5").out
    editor.write_text(f"#!{sys.executable}\nexit(4)\n")
    failed = bankctl("edit", "memory/2026-05-01.md:5")
    assert (failed.code, failed.out, "vim: ended with 4; " in failed.err) == (3, "", True)
    assert bankctl("edit", "m-nothing").code == 3
    monkeypatch.setenv("EDITOR", os.fspath(tmp_path / "gone"))
    assert "$EDITOR names the editor" in bankctl("edit", "opinions/preferences").err


def test_the_doctor_mends_what_needs_no_decision(bank: Path, bankctl: Run) -> None:
    (bank / "bank/daily/plan.md").write_text("See [[values]].\n", "utf-8")
    bankctl("page", "links")
    for path in (bank / ".bankd/index").rglob("current"):
        path.write_text("nonsense", "utf-8")

    done = bankctl("doctor", "--fix", "--json").json

    assert any("made anew" in one for one in done["mended"])
    assert done["index"] == []
    assert bankctl("doctor", "index", "accept").code == 2

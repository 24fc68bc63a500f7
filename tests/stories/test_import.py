"""What agents kept becomes logs: once, whatever is read again, and nothing of it is learned by accident."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bankd.app import imports as import_sources
from bankd.briefing.recalled import wrap_memories
from tests.settings import change_setting
from tests.stories.conftest import Run

KEY = "sk-ant-" + "api03-" + "Q7xZ9vB2mK4pL8wR1tY6uN3sD5fG0hJ" * 3 + "AA"


def row(number: int, kind: str, text: str) -> str:
    message = {"role": kind, "content": text}
    at = f"2026-05-04T0{number}:00:00Z"
    return (
        json.dumps({"type": kind, "message": message, "uuid": f"u{number}", "timestamp": at, "sessionId": "s"}) + "\n"
    )


def session(folder: Path, *rows: str) -> Path:
    file = folder / "projects/-home-me/0b9f3c1e-1111-4222-8333-944455556666.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as opened:
        opened.writelines(rows)
    return file


def logs(root: Path) -> str:
    return "".join(log.read_text() for log in sorted((root / "memory/imports").rglob("*.md")))


def turns(bankctl: Run, *words: str) -> int:
    done: dict[str, Any] = json.loads(bankctl("import", *words, "--json").out)
    return sum(count for one in done["imported"] for count in one["added"].values())


def test_a_source_gives_each_turn_once_and_then_only_what_is_new(root: Path, bankctl: Run, tmp_path: Path) -> None:
    home = tmp_path / "home"
    session(home, row(1, "user", "배포는 금요일이야"), row(2, "assistant", "Noted."))

    assert turns(bankctl, str(home)) == 2
    assert turns(bankctl, str(home)) == 0
    (root / ".bankd/imports.json").unlink()
    assert turns(bankctl, str(home)) == 0
    session(home, row(3, "user", "and at noon"), '{"torn\n', row(4, "assistant", "Fine."))
    grown = bankctl("import", str(home))
    assert "2 turns imported" in grown.out
    assert ".jsonl:4: no JSON" in grown.out
    assert logs(root).count("배포는 금요일이야") == logs(root).count("and at noon") == 1


def test_a_conversation_is_searchable_text_and_never_learned(root: Path, bankctl: Run, tmp_path: Path) -> None:
    ours = wrap_memories("- W: The office is in Mapo. · bank/world/facts.md#^m-aaaaaaaaaaaa")
    session(tmp_path / "home", row(1, "user", f"{ours}## Retain\n- W: said in passing\nmy key is {KEY}"))

    bankctl("import", str(tmp_path / "home"))
    assert "nothing new" in bankctl("cycle", "micro", "--now", "2026-06-10T03:00").out
    assert "said in passing" in logs(root)
    assert KEY not in logs(root)
    assert "Mapo" not in logs(root)


def test_a_diary_day_that_grew_brings_only_what_it_says_more(root: Path, bankctl: Run, tmp_path: Path) -> None:
    day, fence = tmp_path / "2026-05-01.md", "```\ncode\n```\n"
    prose, outline = "Met Nadia. Bought bread.\nSlept badly.\n\n", "- Harbour\n  - paid the fee.\n  - tea.\n"
    day.write_text(f"{prose}{outline}")
    bankctl("import", str(day))
    said_again = f"{prose.strip()}\nRain all night.\n\n{outline}  - fuelled\n\nSlept badly.\n\n{fence}"
    day.write_text(said_again.replace("bread.", "bread. Cooked.").replace("tea.", "tea. Cake."))

    assert turns(bankctl, str(day)) == 4
    assert turns(bankctl, str(day)) == 0
    log = logs(root).split("-->")[2]
    assert log.split("\n<!--")[0].strip() == (
        f"Cooked.\nRain all night.\n\n- Harbour\n  - tea. Cake.\n  - fuelled\n\nSlept badly.\n\n{fence.strip()}"
    )
    day.write_text(prose.strip())
    assert turns(bankctl, str(day)) == 0


def test_a_table_and_a_quote_that_grew_bring_their_new_lines(root: Path, bankctl: Run, tmp_path: Path) -> None:
    day, table, quote = tmp_path / "2026-05-01.md", "| port | fee |\n|---|---|\n| Mokpo | 9 |\n", "> Sail early.\n"
    day.write_text(f"{table}\n{quote}")
    bankctl("import", str(day))
    day.write_text(f"{table}| Jeju | 7 |\n\n{quote}> Reef late.\n")

    assert turns(bankctl, str(day)) == 2
    log = logs(root).split("-->")[2]
    assert log.split("\n<!--")[0].strip() == "| port | fee |\n|---|---|\n| Jeju | 7 |\n\n> Reef late."


def test_notes_are_logs_whose_retain_lines_were_meant_to_be(root: Path, bankctl: Run, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n- O(c=0.9) @Peter: Prefers concise replies.\n")

    bankctl("import", str(tmp_path / "MEMORY.md"))
    assert "1 learned" in bankctl("cycle", "micro", "--now", "2026-06-10T03:00").out


def test_an_export_is_read_from_its_archive_and_what_nobody_knows_is_named(
    root: Path, bankctl: Run, tmp_path: Path
) -> None:
    message = {"uuid": "m", "sender": "human", "created_at": "2026-05-04T09:00:00Z", "text": "hello there"}
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("data/conversations.json", json.dumps([{"uuid": "a", "chat_messages": [message]}]))
    (tmp_path / "other.json").write_text("{}")

    assert turns(bankctl, str(tmp_path / "export.zip")) == 1
    other = bankctl("import", str(tmp_path / "other.json"))
    assert other.code == 3
    assert "other.json: no transcript" in other.out
    assert bankctl("import", str(tmp_path / "other.json")).out == other.out, "it is not taken for read"
    gone = bankctl("import", str(tmp_path / "gone"))
    assert gone.code == 3
    assert "no such file" in gone.err
    assert "hello there" in logs(root)


def test_a_source_that_nobody_foresaw_is_named_and_stops_no_other(
    root: Path, bankctl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(stem: str, text: str) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(import_sources, "read_export", fail)
    (tmp_path / "home/odd").mkdir(parents=True)
    (tmp_path / "home/odd/conversations.json").write_text("[]")
    session(tmp_path / "home", row(1, "user", "hello there"))

    done = bankctl("import", str(tmp_path / "home"))

    assert done.code == 3
    assert "conversations.json: it cannot be read: this is a bug in bankd (ZeroDivisionError())" in done.out
    assert "from 1 source; 1 not read" in done.out
    assert "hello there" in logs(root)


@pytest.fixture
def watched(root: Path, tmp_path: Path) -> Path:
    """A transcript of one turn that the settings watch."""
    change_setting(root, "watch: []", f"watch: [{tmp_path / 'home'}]")
    return session(tmp_path / "home", row(1, "user", "the first turn"))


def test_a_dry_run_writes_nothing_and_the_settings_name_what_is_watched(
    root: Path, bankctl: Run, watched: Path, tmp_path: Path
) -> None:
    assert "1 turn would be imported" in bankctl("import", "--dry-run").out
    assert not (root / "memory/imports").exists()
    assert turns(bankctl) == 1
    session(tmp_path / "home", row(2, "assistant", "Noted."))
    assert turns(bankctl) == 1, "it grew"


def imports(bankctl: Run) -> list[str]:
    """The runs that imported, the newest first."""
    return [row["run"] for row in bankctl("log", "--json").json["runs"] if row["cycle"] == "import"]


def test_an_import_is_recorded_and_cannot_be_undone(root: Path, bankctl: Run, watched: Path) -> None:
    bankctl("import")
    once = logs(root)

    refused = bankctl("undo", imports(bankctl)[0])
    assert (refused.code, "delete that log if you do not want it" in refused.err) == (3, True)
    assert "memory/imports/claude-code/" in bankctl("show", imports(bankctl)[0]).out
    assert logs(root) == once
    next((root / "memory/imports/claude-code").iterdir()).unlink()
    assert turns(bankctl) == 0, "what watches a folder does not bring back what a person deleted"
    assert turns(bankctl, str(watched)) == 1, "who names it wants it again"


def test_a_resumed_session_brings_only_what_is_new(root: Path, bankctl: Run, tmp_path: Path) -> None:
    first, second = row(1, "user", "The host is heron."), row(2, "assistant", "Noted.")
    (tmp_path / "a").mkdir()
    (tmp_path / "a/1111aaaa.jsonl").write_text(first + second)
    (tmp_path / "a/0000bbbb.jsonl").write_text(first + first + second + second + row(3, "user", "Now it is egret."))
    for file in (tmp_path / "a").iterdir():
        os.utime(file, (1_000_000_000, 1_000_000_000))

    assert turns(bankctl, str(tmp_path / "a")) == 3
    assert logs(root).count("heron") == 1
    assert "heron" in (root / "memory/imports/claude-code/2026-05-04-1111aaaa.md").read_text()
    (tmp_path / "a/backup.jsonl").write_text(first + second)
    assert turns(bankctl, str(tmp_path / "a")) == 0


def test_a_rollout_of_codex_that_goes_on_from_another_brings_only_what_is_new(
    root: Path, bankctl: Run, tmp_path: Path
) -> None:
    def said(hour: int, role: str, text: str) -> dict[str, Any]:
        message = {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}
        return {"timestamp": f"2026-05-04T0{hour}:00:00Z", "type": "response_item", "payload": message}

    before = [said(1, "user", "The host is heron."), said(2, "assistant", "Noted.")]
    for name, rows in (("aaaa", before), ("bbbb", [*before, said(3, "user", "Now it is egret.")])):
        head = {"timestamp": "2026-05-04T01:00:00Z", "type": "session_meta", "payload": {"id": name}}
        (tmp_path / f"rollout-2026-05-04T01-00-00-{name}.jsonl").write_text(
            "".join(f"{json.dumps(r)}\n" for r in (head, *rows))
        )

    assert turns(bankctl, str(tmp_path)) == 3
    assert logs(root).count("heron") == 1


def test_two_files_of_one_name_are_two_logs_and_one_that_moved_stays_one(
    root: Path, bankctl: Run, tmp_path: Path
) -> None:
    for project, text in (("one", "Tests run with make."), ("two", "Tests run with tox.")):
        (tmp_path / project).mkdir()
        (tmp_path / project / "notes.md").write_text(f"- W: {text}\n- W: Kim reviews.\n- W: It is {project}.\n")
        said = bankctl("import", str(tmp_path / project)).out
        assert "1 file without a day in name or front matter, dated by time stamp" in said
    assert len(list((root / "memory/imports/markdown").iterdir())) == 2

    (tmp_path / "two").rename(tmp_path / "moved")
    assert turns(bankctl, str(tmp_path / "moved")) == 0
    with (tmp_path / "moved/notes.md").open("a") as opened:
        opened.write("- W: It was moved.\n")
    (tmp_path / "moved/notes (Kim's conflicted copy 2026-05-04).md").write_text("- W: Tests run with nose.\n")
    assert "conflict copy" in bankctl("import", str(tmp_path / "moved"), "--dry-run").out
    assert turns(bankctl, str(tmp_path / "moved")) == 1
    assert logs(root).count("tox") == 1


def test_an_archive_of_many_notes_is_opened_once(
    root: Path, bankctl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "vault.zip", "w") as archive:
        for number in range(40):
            archive.writestr(f"notes/{number}.md", f"The shelf {number} is full.\n")
    opened = list[object]()
    original = zipfile.ZipFile.__init__

    def counted(self: Any, *arguments: Any, **options: Any) -> None:
        opened.append(self)
        original(self, *arguments, **options)

    monkeypatch.setattr(zipfile.ZipFile, "__init__", counted)
    assert turns(bankctl, str(tmp_path / "vault.zip")) == 40
    assert len(opened) == 1


def test_what_an_import_does_not_read_of_a_folder_or_archive_is_counted_and_named(
    root: Path, bankctl: Run, tmp_path: Path
) -> None:
    home = tmp_path / "Notes"
    home.mkdir()
    (home / "Home 1f0a3c2b9d8e4f71.md").write_text("# Home\n\n- The key hangs behind the boiler.\n", encoding="utf-8")
    (home / "Reading.csv").write_text("Name,Author\nDeep Work,Newport\n", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "notes.zip", "w") as archive:
        for file in home.iterdir():
            archive.write(file, file.name)

    for place, left in ((home, home / "Reading.csv"), (tmp_path / "notes.zip", tmp_path / "notes.zip:Reading.csv")):
        assert f"1 file left out, no transcript, export or Markdown: {left}\n" in bankctl("import", str(place)).out

"""A workspace whose folders the settings put elsewhere, or on a file system that cannot exchange two files."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from bankd.config.workspace import load_settings
from bankd.errors import UserError
from bankd.wiring.probing import find_installation
from tests.settings import change_setting
from tests.stories.conftest import Run, last_run, learn, write_log

NOW, NEXT = "2026-05-05T03:00", "2026-05-06T03:00"


def put(root: Path, memory: str = "memory", bank: str = "bank") -> None:
    settings = root / "bankd.yaml"
    text = settings.read_text("utf-8")
    for name, default, value in (("memory", "memory", memory), ("bank", "bank", bank)):
        text = text.replace(f"\n  {name}: {default}\n", f"\n  {name}: {value}\n")
    settings.write_text(text, "utf-8")
    assert load_settings(settings).folders.bank == bank


@pytest.fixture
def vault(root: Path, tmp_path: Path) -> Path:
    """A vault with daily notes, and with the pages that were in the workspace."""
    folder = tmp_path / "나의 vault"
    (folder / "daily").mkdir(parents=True)
    (root / "bank").rename(folder / "pages")
    return folder


@pytest.mark.parametrize("written", ["absolute", "relative", "home"])
def test_all_of_a_life_goes_on_in_folders_elsewhere(
    root: Path, vault: Path, bankctl: Run, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(vault.parent))
    base = {"absolute": str(vault), "relative": f"../{vault.name}", "home": f"~/{vault.name}"}[written]
    put(root, f"{base}/daily", f"{base}/pages")
    (vault / "daily/2026-05-04.md").write_text("## Retain\n- S: 가치관: 정직을 최우선으로 한다.\n- W: zxcv qwer\n")

    ran = bankctl("cycle", "micro", "--now", NOW)
    page = vault / "pages/identity/values.md"
    assert ran.code == 0, ran.err
    assert page.read_text("utf-8").count("^m-") == 1

    (waiting,) = bankctl("review", "list", "--json").json["unfiled"]
    assert bankctl("review", "place", waiting["id"], "world/things.md").code == 0
    assert bankctl("page", "move", "world/things.md", "world/more.md").code == 0
    assert (vault / "pages/world/more.md").is_file()
    assert "identity/values.md" in bankctl("search", "가치관이 뭐야?").out
    assert "2026-05-04.md" in bankctl("search", "--in", "logs", "정직").out
    assert bankctl("page", "links").code == bankctl("doctor", "verify").code == bankctl("status").code == 0
    assert bankctl("show", "memory/2026-05-04.md:2").out.startswith("memory/2026-05-04.md:2  kept")
    assert bankctl("add", "W: one more thing").code == 0
    assert len(list((vault / "daily").glob("*.md"))) == 2

    assert bankctl("undo", bankctl("log", "--json").json["runs"][-1]["run"]).code == 0
    assert "^m-" not in page.read_text("utf-8")
    assert not list(vault.rglob(".*"))


def test_a_search_finds_what_is_there_before_any_run(root: Path, vault: Path, bankctl: Run) -> None:
    (vault / "pages/world/facts.md").write_text("# Facts\n\n- W: The zebra crossing is closed.\n")
    put(root, bank=str(vault / "pages"))

    assert "world/facts.md" in bankctl("search", "zebra crossing").out


TROUBLES = {
    "not there": ("{v}/none", "{v}/pages", "no such folder"),
    "one inside the other": ("{v}/pages/daily", "{v}/pages", "inside each other"),
    "the same": ("{v}/pages", "{v}/pages", "inside each other"),
    "the workspace": (".", "{v}/pages", "is the workspace itself"),
    "an own folder": ("archive", "{v}/pages", "one of bankd's own folders"),
    "around the workspace": ("..", "{v}/pages", "is the workspace itself"),
    "files in the way": ("{v}/daily", "{v}/pages", "has files of its own; move them to"),
    "another disk": ("/proc", "{v}/pages", "is on another disk"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_folder_that_cannot_be_is_named_and_nothing_is_done(
    root: Path, vault: Path, bankctl: Run, trouble: str
) -> None:
    memory, bank, said = TROUBLES[trouble]
    (vault / "pages/daily").mkdir(exist_ok=True)
    (root / "bank").symlink_to(vault / "pages")
    write_log(root, "2026-05-04.md", "W: a line that is in the way")
    put(root, memory.format(v=vault), bank.format(v=vault))

    ran, checked, status = bankctl("cycle", "micro", "--now", NOW), bankctl("config", "check"), bankctl("status")
    searched, logged = bankctl("search", "zzz"), bankctl("log")

    assert (ran.code, checked.code, status.code, searched.code, logged.code) == (3, 3, 3, 1, 0)
    for text in (ran.err, checked.out, status.out, searched.err):
        assert said in text
        assert "bankd.yaml: folders.memory: " in text
    assert (root / "memory/2026-05-04.md").is_file()


def test_a_folder_of_links_that_is_set_anew_leads_there(root: Path, vault: Path, bankctl: Run) -> None:
    for name in ("one", "two"):
        (vault / name).mkdir()
        put(root, bank=str(vault / name)) if name == "one" else change_setting(root, "/one\n", "/two\n")
        learn(root, bankctl, "2026-05-04.md", f"S: 가치관: 정직 {name}", now=NOW)

    assert (root / "bank").resolve() == (vault / "two").resolve()


def test_the_unit_may_write_where_the_folders_are(root: Path, vault: Path) -> None:
    put(root, bank=str(vault / "pages"))
    (root / "bank").symlink_to(vault / "pages")

    assert find_installation(root).written_folder() == str(root.parent)
    (root / "memory").rmdir()
    (root / "memory").symlink_to("/etc")
    with pytest.raises(UserError, match="move them closer"):
        find_installation(root).written_folder()


def test_agents_read_and_note_there(root: Path, vault: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    put(root, str(vault / "daily"), str(vault / "pages"))
    (vault / "daily/2026-05-04.md").write_text("## Retain\n- S: 가치관: 정직을 최우선으로 한다.\n")
    bankctl("cycle", "micro", "--now", NOW)

    briefed = bankctl("brief", "morning", "--now", NEXT, "--json")

    assert [item["text"] for item in json.loads(briefed.out)["items"]]


@pytest.fixture
def as_on_nfs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse what renameat2 is asked beyond a rename: NFS has no flag of it."""

    def refuse(*_: Any) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr("bankd.storage.tree._renameat2", refuse)


@pytest.mark.usefixtures("as_on_nfs")
def test_nothing_is_written_there_unless_the_settings_permit_it(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "W: The heron nests by the second weir.")
    refused = bankctl("cycle", "reflect")

    assert refused.code == 3
    assert "unsafe_filesystem: true" in refused.err


@pytest.mark.usefixtures("as_on_nfs")
def test_permitted_a_bank_is_kept_there_as_anywhere(root: Path, bankctl: Run) -> None:
    change_setting(root, "unsafe_filesystem: false", "unsafe_filesystem: true")
    write_log(root, "2026-05-01.md", "W: The heron nests by the second weir.")
    first = bankctl("cycle", "reflect")
    write_log(root, "2026-05-02.md", "W: The otter sleeps under the mill.")
    bankctl("cycle", "reflect")
    found = bankctl("search", "otter mill")
    undone = bankctl("undo", last_run(bankctl))

    assert first.code == undone.code == 0, (first, undone)
    assert "1 inbox" in first.out
    assert "The otter sleeps under the mill." in found.out
    assert bankctl("search", "heron weir").code == 0
    assert bankctl("doctor", "verify").code == 0
    assert list((root / ".bankd/stage").iterdir()) == []

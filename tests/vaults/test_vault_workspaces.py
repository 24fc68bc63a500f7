"""Real trees as banks of real workspaces: adopted as they are, split by one run, and merged to the byte."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bankd.app.rearrange import Rearranger
from bankd.cli import main
from bankd.pages.page import part_lines
from bankd.pages.scanner import decode_text, scan_text
from bankd.wiring.workspace import open_workspace
from tests.settings import change_setting, make_quick_workspace, search_by_words

NOW = "2027-01-10T03:00"
SIZES = {"shdkej-wiki": 15, "vue-docs-ko": 10, "ms-engineering-playbook": 5}  # KiB at which a third of the pages split


def files_of(root: Path) -> dict[str, bytes]:
    bank = root / "bank"
    found = (path for path in sorted(bank.rglob("*.md")) if "_meta" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


@pytest.mark.full
@pytest.mark.parametrize("name", SIZES)
def test_a_vault_is_split_in_one_run_and_merged_to_the_byte_but_for_spellings_of_links(
    name: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "ws"
    make_quick_workspace(root)
    shutil.rmtree(root / "bank")
    shutil.copytree(shared / "vaults" / name, root / "bank")
    change_setting(root, "pages: own", "pages: all")
    change_setting(root, "split_kib: 15", f"split_kib: {SIZES[name]}")
    change_setting(root, "warn_kib: 8", f"warn_kib: {SIZES[name] / 2}")
    monkeypatch.setenv("BANKD_WORKSPACE", str(root))
    main(["page", "links"])
    before = files_of(root)

    assert main(["cycle", "reflect", "--now", NOW]) == 0
    after = files_of(root)
    hubs = [
        path for path in before if after[path] != before[path] and part_lines(scan_text(decode_text(after[path])), path)
    ]
    assert len(hubs) * 3 >= len(before)
    assert main(["page", "links"]) == 0
    assert "0 links lead nowhere that led somewhere" in capsys.readouterr().out
    assert main(["cycle", "reflect", "--now", "2027-01-10T04:00"]) == 0
    assert files_of(root) == after

    with open_workspace(root) as workspace:
        rearranger = Rearranger(workspace)
        for hub in hubs:
            rearranger.merge(hub)
    merged = {path: data.splitlines() for path, data in files_of(root).items()}
    lines = [pair for path, data in before.items() for pair in zip(data.splitlines(), merged.pop(path), strict=True)]
    changed = [line for old, line in lines if line != old]  # a page may link to itself in another spelling now
    assert not merged
    assert len(changed) <= 2
    assert all(b"](" in line or b"[[" in line for line in changed)


def bytes_below(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.full
@pytest.mark.parametrize("name", SIZES)
def test_a_vault_adopted_in_place_stays_as_it_was(
    name: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    vault, root = tmp_path / "vault", tmp_path / "ws"
    shutil.copytree(shared / "vaults" / name, vault)
    before = bytes_below(vault)
    assert main(["adopt", str(vault), str(root)]) == 0
    monkeypatch.setenv("BANKD_WORKSPACE", str(root))
    search_by_words(root)

    def broken() -> list[object]:
        capsys.readouterr()
        assert main(["page", "links", "--all", "--json"]) == 0  # 3 when a link broke
        return [json.loads(capsys.readouterr().out)["broken"]]

    as_found = broken()
    for day in ("2027-01-10", "2027-01-11"):
        assert main(["cycle", "reflect", "--now", f"{day}T03:00"]) == 0

    assert {path: data for path, data in bytes_below(vault).items() if path in before} == before
    assert set(bytes_below(vault)) - set(before) == {"_meta/tree-index.json"}
    assert broken() == as_found
    assert main(["doctor", "verify"]) == 0

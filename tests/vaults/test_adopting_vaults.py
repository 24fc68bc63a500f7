"""Real trees adopted where they are: a night changes no byte of them, splits nothing unasked, and breaks no link."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bankd.cli import main
from tests.settings import search_by_words

VAULTS = ("shdkej-wiki", "vue-docs-ko", "ms-engineering-playbook")


def bytes_below(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.full
@pytest.mark.parametrize("name", VAULTS)
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

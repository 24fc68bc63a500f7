"""The site's pages: those from the code say all of it, and the map for language models names each."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from bankd.cli.base import COMMANDS
from bankd.settings import Settings
from tests.docs.pages import ROOT, names_in, write_pages


def test_the_site_has_every_command_setting_and_page(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    write_pages(folder)
    pages = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*") if path.is_file()}
    named = names_in(yaml.safe_load((ROOT / ".ci/mkdocs.yml").read_text(encoding="utf-8"))["nav"])

    assert set(re.findall(r"^### bankctl (.+)$", pages["cli.md"], re.MULTILINE)) == set(COMMANDS)
    assert set(re.findall(r"^## (\w+)$", pages["settings.md"], re.MULTILINE)) == set(Settings._fields)
    assert "k3fba2xqb7te" in pages["format.md"]
    assert sorted(named) == sorted(name for name in pages if name.endswith(".md"))
    assert len(re.findall(r"^- \[.+\]\(https://.+\).+$", pages["llms.txt"], re.MULTILINE)) == len(named)


def test_links_between_pages_and_from_the_readmes_lead_somewhere(tmp_path: Path) -> None:
    made = write_pages(tmp_path / "docs") or {path.name for path in (tmp_path / "docs").iterdir()}
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists() or (page.parent.name == "docs" and target in made), (
                f"{page.name}: {target}"
            )

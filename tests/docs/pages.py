"""The site's Markdown: the pages of docs/, and those that are made from the code, so that they cannot be out of date.

Usage: python -m tests.docs.pages FOLDER. It writes docs/ there with cli.md, settings.md, format.md and llms.txt.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import yaml

from bankd.cli.base import GROUPS, make_parser
from bankd.config import shipped_folder

ROOT = Path(__file__).resolve().parents[2]
_COMMANDS = """# Commands

Made from the program itself: `bankctl --help` lists the commands, `bankctl COMMAND --help` prints what stands here, and
`bankd COMMAND` does the same.

Commands leave with 0 when all is fine, 1 when a search finds nothing relevant, 2 for a slip in what was typed, 3 when you must
act, 70 for a bug, 75 when the workspace is busy.
"""
_NOT_PROSE = re.compile(r"<!--.*?-->\n|^```.*?^```\n|^#.*$", re.MULTILINE | re.DOTALL)
_MARGIN = re.compile(r"^# ?", re.MULTILINE)


def commands_page() -> str:
    """Every command with its help, in the groups and the order of `bankctl --help`."""
    parts = [_COMMANDS]
    for group, commands in GROUPS.items():
        parts.append(f"\n## {group or 'For other programs'}\n")
        parts += [f"\n### bankctl {name}\n\n```text\n{help_of(name)}```\n" for name in commands if " " not in name]
    return "".join(parts)


def help_of(name: str) -> str:
    """What `bankctl NAME --help` prints."""
    return make_parser(name).format_help()


def settings_page() -> str:
    """`bankd.yaml` as it comes: its comments say what each setting does."""
    text = (shipped_folder("config") / "bankd.yaml").read_text(encoding="utf-8")
    top, _, rest = text.partition("\n\n")
    parts = [
        "# Settings\n\n",
        _MARGIN.sub("", top),
        "\n\n`bankctl config get NAME` prints one, and `bankctl config set NAME TEXT` changes it; comments stay.\n",
    ]
    for block in re.split(r"\n\n(?=#)", rest.strip()):
        name = re.search(r"^(\w+):", block, re.MULTILINE)
        said = re.match(r"(?:#.*\n)+", block)
        assert name is not None, block
        about = _MARGIN.sub("", said[0]).strip() if said else ""
        parts.append(f"\n## {name[1]}\n\n{about}\n\n```yaml\n{block[said.end() if said else 0 :].strip()}\n```\n")
    return "".join(parts)


def format_page() -> str:
    """The format of a bank's files, as every workspace has it in `bank/_meta/schema.md`."""
    text = (shipped_folder("bank_template") / "_meta/schema.md").read_text(encoding="utf-8")
    note = "\nEvery workspace has this page in `bank/_meta/schema.md`.\n"
    return re.sub(r"^# Format\n\n(?:> .*\n)+", lambda _: f"# File format\n{note}", text)


def llms_text(folder: Path) -> str:
    """The map of the site for a language model: each page with its first sentence."""
    config = yaml.safe_load((ROOT / ".ci/mkdocs.yml").read_text(encoding="utf-8"))
    lines = [f"# {config['site_name']}\n", f"> {config['site_description']}\n", "## Pages\n"]
    for name in names_in(config["nav"]):
        title, _, body = (folder / name).read_text(encoding="utf-8").partition("\n")
        prose = _NOT_PROSE.sub("", body).strip().partition("\n")[0]
        first = re.match(r".*?[.](?=\s|$)", prose) or re.match(".*", prose)
        assert first is not None
        address = config["site_url"] + ("" if name == "index.md" else f"{name.removesuffix('.md')}/")
        lines.append(f"- [{title.removeprefix('# ')}]({address}): {first[0]}")
    return "\n".join(lines) + "\n"


def names_in(nav: object) -> list[str]:
    """The files that a navigation names, in its order."""
    if isinstance(nav, str):
        return [nav]
    items = nav.values() if isinstance(nav, dict) else nav
    assert isinstance(items, Iterable)
    return [name for item in items for name in names_in(item)]


def write_pages(folder: Path) -> None:
    """Write the whole site's Markdown into a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for name, text in {"cli.md": commands_page(), "settings.md": settings_page(), "format.md": format_page()}.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "llms.txt").write_text(llms_text(folder), encoding="utf-8")


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))

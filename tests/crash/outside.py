"""The commands that drive a real `bankctl cycle reflect` for fault tools outside the process.

    python -m tests.crash.outside setup|run|recover|weak|check|hook DIR

What must hold is counted from the texts that `setup` put in, never from the books of the program.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from bankd.cli import main
from tests.settings import make_quick_workspace

NOW, LATER = "2026-06-10T03:00", "2026-06-10T03:05"
PEOPLE = ("Minji", "Peter", "Jun")
TOPICS = ("garden", "kitchen", "office", "bicycle")
_LINK = re.compile(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)")
_ID = re.compile(r"\^(m-[a-z0-9]{12})\s*$", re.MULTILINE)
HAND = "A line noted by hand in the middle of a run."


def facts() -> list[str]:
    """The statements of the logs, all different."""
    texts = [f"W @{PEOPLE[n % 3]}: fact {n:03} about the {TOPICS[n % 4]} shed" for n in range(40)]
    return texts + [f"O(c=0.9): opinion {n:03} on the matter of paint" for n in range(10)]


def old_facts() -> list[str]:
    """The statements that the bank has already."""
    return [f"m-old{n:09}" for n in range(90)]


def setup(root: Path) -> None:
    """A workspace with logs to take in, a page that is too long, links into it, and opinions that have faded."""
    make_quick_workspace(root)
    for day in range(5):
        lines = "".join(f"- {text}\n" for text in facts()[day * 10 : day * 10 + 10])
        (root / f"memory/2026-06-0{day + 1}.md").write_text(f"# Day\n\n## Retain\n{lines}", encoding="utf-8")
    ids = old_facts()
    sections = "".join(
        f"## Part {n}\n\n"
        + "".join(f"- W: {'a long old fact ' * 14}{k} ^{k}\n" for k in ids[n * 10 : n * 10 + 10])
        + "\n"
        for n in range(8)
    )
    (root / "bank/knowledge/full.md").write_text(f"# Full\n\nAll of it.\n\n{sections}", encoding="utf-8")
    links = "".join(
        f"- W: see [{k}](../knowledge/full.md#^{k}) and more ^m-lnk{n:09}\n" for n, k in enumerate(ids[:80:9])
    )
    (root / "bank/entities/Links.md").write_text(f"# Links\n\n{links}", encoding="utf-8")
    faded = "".join(f"- O(c=0.40@2026-01-01): an old opinion {k} ^{k}\n" for k in ids[80:])
    (root / "bank/opinions/old.md").write_text(f"# Old\n\n{faded}", encoding="utf-8")
    for page in root.rglob("*.md"):
        os.utime(page, (1, 1))


def run(root: Path, now: str = NOW) -> int:
    """One reflect run."""
    return main(["cycle", "reflect", "--now", now, "--force", "--workspace", str(root)])


def recover(root: Path) -> int:
    """What the next night does, and the one after."""
    return run(root, LATER) or run(root, LATER)


def hook(root: Path) -> int:
    """A hand's line in the page that is being split, saved by rename."""
    page = root / "bank/knowledge/full.md"
    temporary = page.with_name(".full.md.swx")
    temporary.write_bytes(page.read_bytes() + f"\n{HAND}\n".encode())
    temporary.replace(page)
    (root / "hand").touch()
    return 0


def texts_of(root: Path) -> dict[Path, str]:
    pages = [
        p for folder in ("bank", "archive") for p in sorted((root / folder).rglob("*.md")) if "_meta" not in p.parts
    ]
    return {page: page.read_text(encoding="utf-8", errors="replace") for page in [*pages, root / "bank/_meta/inbox.md"]}


def weak(root: Path) -> list[str]:
    """What must hold before any recovery: nothing that was visible is gone."""
    text = "\n".join(texts_of(root).values())
    return [f"{key} is lost" for key in old_facts() if f"^{key}" not in text]


def check(root: Path) -> list[str]:
    """What must hold after it."""
    pages = texts_of(root)
    text = "\n".join(pages.values())
    wrong = weak(root)
    for fact in facts():
        statement = fact.partition(": ")[2]
        if (times := text.count(statement)) != 1:
            wrong.append(f"{statement!r} is there {times} times")
    found = _ID.findall(text)
    wrong += [f"{key} is there twice" for key in sorted({k for k in found if found.count(k) > 1})]
    for page, content in pages.items():
        for target in _LINK.findall(content):
            if not (page.parent / target).resolve().exists():
                wrong.append(f"{page.name}: the link to {target} is broken")
    if (root / "hand").exists() and text.count(HAND) != 1:
        wrong.append(f"the line noted by hand is there {text.count(HAND)} times")
    wrong += [f"left over: {p.name}" for f in ("txn", "stage") for p in (root / ".bankd" / f).glob("*")]
    if main(["doctor", "verify", "--workspace", str(root)]):
        wrong.append("bankctl doctor verify is not content")
    return wrong


def command(name: str, root: Path) -> int:
    """Run one of the commands."""
    if name in {"weak", "check"}:
        wrong = weak(root) if name == "weak" else check(root)
        print("\n".join(wrong))
        return int(bool(wrong))
    if name == "setup":
        setup(root)
        return 0
    return {"run": run, "recover": recover, "hook": hook}[name](root)


if __name__ == "__main__":
    sys.exit(command(sys.argv[1], Path(sys.argv[2])))

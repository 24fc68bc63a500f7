"""Where everyday lines go that no rule was written for: acceptable page, inbox, or wrong, in each half of the set.

    python -m tests.bench.routing

By the rules alone, by likeness alone (no rules, no defaults), and by both, each on an empty bank and on one that holds the
other half; and what likeness says of the lines that no rule claims, which are few: that alone it adds. The shipped rules
and the bounds of `core.lifecycle.similar` were chosen on the lines of even number, and are reported on the odd ones; so
were the rules for the lines beside this file, which are of the kind that agents' logs have.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bankd.app.init import make_workspace
from bankd.core.lifecycle.routing import route_memory
from bankd.core.markdown.memory import Memory, render_memory
from bankd.core.markdown.names import INBOX
from bankd.wiring.workspace import open_workspace
from tests.bench.quality import data_folder

Line = Mapping[str, Any]


def lines_of(folder: Path) -> tuple[Sequence[Line], Sequence[Line]]:
    """The lines for choosing, and those for reporting."""
    lines = [json.loads(line) for line in (folder / "lines.jsonl").read_text(encoding="utf-8").splitlines()]
    even = [line for line in lines if int(line["id"][-3:]) % 2 == 0]
    return even, [line for line in lines if line not in even]


def memory_of(line: Line) -> Memory:
    """A line as it is routed."""
    return Memory(line["text"], line["tag"], None, tuple(line["entities"]))


def fill_bank(root: Path, lines: Iterable[Line]) -> None:
    """Put lines on their best pages, as a user would have done."""
    pages: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        pages[line["pages"][0]].append(f"- {render_memory(memory_of(line))}\n")
    for page, items in pages.items():
        file = root / "bank" / page
        before = file.read_text(encoding="utf-8") if file.exists() else f"# {file.stem}\n"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(before + "\n" + "".join(items), encoding="utf-8")


def judge_pages(lines: Sequence[Line], pages: Iterable[str]) -> str:
    """The shares of lines on an acceptable page, in the inbox, and elsewhere."""
    kinds = Counter(
        "acceptable" if page in line["pages"] else "inbox" if page == INBOX else "wrong"
        for line, page in zip(lines, pages, strict=True)
    )
    return "  ".join(f"{kind} {kinds[kind] / len(lines):.2f}" for kind in ("acceptable", "inbox", "wrong"))


def judge_bank(lines: Sequence[Line], held: Sequence[Line]) -> dict[str, str]:
    """By rules, likeness and both, in a fresh workspace that holds these other lines."""
    with TemporaryDirectory(prefix="bankd-routing-") as name:
        root = Path(name)
        make_workspace(root)
        fill_bank(root, held)
        with open_workspace(root, write=True) as workspace:
            workspace.refresh()
            rules, like = workspace.policy().rules, workspace.index.similar_to
            ways = {
                "rules alone": replace(rules, similar=False),
                "likeness alone": replace(rules, rules=(), defaults={}, matching=lambda _: ()),
                "both": rules,
            }
            pages = {way: [route_memory(memory_of(line), by, like).page for line in lines] for way, by in ways.items()}
            left = [at for at, page in enumerate(pages["rules alone"]) if page == INBOX]
            judged = {way: judge_pages(lines, found) for way, found in pages.items()}
            if left:
                rest = judge_pages([lines[at] for at in left], [pages["both"][at] for at in left])
                judged[f"the {len(left)} left"] = rest
            return judged


def main() -> None:
    for folder in (data_folder() / "routing", Path(__file__).parent / "everyday"):
        choosing, reporting = lines_of(folder)
        for half, lines, others in (("choosing", choosing, reporting), ("reporting", reporting, choosing)):
            for bank, held in (("empty bank", ()), ("other half held", others)):
                for way, figures in judge_bank(lines, held).items():
                    print(f"{folder.name:<10} {half:<10} {bank:<16} {way:<14} {figures}")


if __name__ == "__main__":
    main()

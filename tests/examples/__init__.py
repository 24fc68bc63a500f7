"""Examples of words and what must be read from them, as tables `tests/examples/NAME.tsv`: a row an example, tabs between cells.

A table has sections, each below a line `[section]`. ⏎ stands for a line break.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


def examples(table: str, section: str) -> list[tuple[str, ...]]:
    """The rows of a section."""
    return _sections(table)[section]


def texts(table: str, section: str) -> list[str]:
    """The rows of a section of one column."""
    return [text for (text,) in examples(table, section)]


@cache
def _sections(table: str) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    rows: list[tuple[str, ...]] = []
    for line in (Path(__file__).parent / f"{table}.tsv").read_text(encoding="utf-8").split("\n"):
        if line.startswith("[") and line.endswith("]") and "\t" not in line:
            rows = found.setdefault(line[1:-1], [])
        elif line:
            rows.append(tuple(cell.replace("⏎", "\n") for cell in line.split("\t")))
    return found

"""What the rules of `bankctl propose` find of what asks to be remembered, and how much of what they find does.

    python -m tests.bench.proposing [--wrong]

`sentences.jsonl` has sentences as they stand in the logs of five agents, written and labelled for this by hand. One
half was for choosing the rules; the other is reported, with Wilson's 95 % interval.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bankd.core.distil.proposing import propose_lines
from bankd.core.distil.sections import ProseSection
from tests.bench.intervals import wilson


def main() -> int:
    """Print precision and recall."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="what was judged wrongly of the half for choosing")
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in _file().read_text(encoding="utf-8").splitlines()]
    for half in ("choosing", "reporting"):
        tell(half, [row for row in rows if row["half"] == half])
    for row in rows if arguments.wrong else ():
        if row["half"] == "choosing" and (tag_of(row["text"]) is None) != (row["remember"] is None):
            print(f"  {row['remember']} {tag_of(row['text'])} {row['text']}")
    return 0


def _file() -> Path:
    return Path(__file__).with_name("sentences.jsonl")


def tag_of(text: str) -> str | None:
    """The tag of what the rules propose of a sentence; None where that is nothing."""
    found = propose_lines(ProseSection("2026-05-02.md", "", ((1, text),)))
    return next((one.line.tag for one in found), None)


def tell(half: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Precision, recall, and how often the tag is the right one too."""
    found = [row for row in rows if tag_of(row["text"]) is not None]
    wanted = [row for row in rows if row["remember"] is not None]
    right = [row for row in found if row["remember"] is not None]
    for what, of in (("precision", found), ("recall", wanted)):
        low, high = wilson(len(right), len(of))
        print(f"{half}: {what} {len(right)} of {len(of)} = {len(right) / max(len(of), 1):.2f} [{low:.2f}, {high:.2f}]")
    tagged = sum(tag_of(row["text"]) == row["remember"] for row in right)
    print(f"{half}: tag right in {tagged} of {len(right)}")


if __name__ == "__main__":
    sys.exit(main())

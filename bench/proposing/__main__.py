"""What the rules of `bankctl distil --rules` find of what asks to be remembered, and how much of what they find does.

    python -m bench.proposing [--wrong]

`sentences.jsonl` has sentences as they stand in the logs of five agents, written and labelled by who wrote the rules:
one half was for choosing. `turns.txt` has turns with five agents by somebody else, who had not seen the rules; what asks
to be remembered stands between « and ». That is the figure to believe. Intervals are Wilson's, of 95 %.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bankd.night.propose import propose_lines
from bankd.night.sections import ProseSection
from bench.intervals import wilson

_TURN = re.compile(r"(?P<agent>[\w-]+) (?P<speaker>user|assistant): (?P<text>.+)")
_MARKED = re.compile("«(.+?)»")


def main() -> int:
    """Print precision and recall."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="what was judged wrongly of the half for choosing")
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in _file("sentences.jsonl").read_text(encoding="utf-8").splitlines()]
    for half in ("choosing", "reporting"):
        tell(half, [row for row in rows if row["half"] == half])
    for row in rows if arguments.wrong else ():
        if row["half"] == "choosing" and (tag_of(row["text"]) is None) != (row["remember"] is None):
            print(f"  {row['remember']} {tag_of(row['text'])} {row['text']}")
    tell_turns()
    return 0


def tell_turns() -> None:
    """Precision and recall on the turns of somebody else."""
    right = found = wanted = 0
    for row in filter(None, map(_TURN.fullmatch, _file("turns.txt").read_text(encoding="utf-8").splitlines())):
        marked = [text.strip(" .!").casefold() for text in _MARKED.findall(row["text"])]
        line = (1, re.sub("[«»]", "", row["text"]))
        told = [
            one.text.casefold() for one, _ in propose_lines(ProseSection("x.md", f"09:00 {row['speaker']}", (line,)))
        ]
        right += sum(any(text in one or one in text for text in marked) for one in told)
        found, wanted = found + len(told), wanted + len(marked)
    for what, of in (("precision", found), ("recall", wanted)):
        low, high = wilson(right, of)
        print(f"turns of another hand: {what} {right} of {of} = {right / of:.2f} [{low:.2f}, {high:.2f}]")


def _file(name: str) -> Path:
    return Path(__file__).with_name(name)


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

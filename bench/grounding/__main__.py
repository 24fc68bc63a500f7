"""How much of what a model invents the grounding check refuses, and how much of what is true.

    python -m bench.grounding [--all] [--missed]

Every set beside this file has passages of logs as people and agents write them, each with some lines that are true, as a
model would put them, and some that say one thing more or otherwise. `five_kinds.jsonl`, `everyday.jsonl`, `prose.jsonl`,
`notebooks.jsonl`, `day_books.jsonl`, `careful.jsonl` and `terse.jsonl` were written by people who did not know the rules,
of the five kinds that the check promises (number, name, date, negation, version). The lines of the last two keep to the words
of the log as a summary does, and the logs of `terse.jsonl` are notes as people really write them, cut short. The half of a
passage goes by the last bit of the SHA-256 of its first line, but that all of `prose.jsonl` and `careful.jsonl` was chosen
on in the end, and the last 140 passages of `terse.jsonl`, by two more writers, were read by nobody. `genres.jsonl` is of all kinds of logs
(Markdown of agents, prose, chats, minutes, notes), each kind by another writer; its last 130 passages were read by nobody. `lines.jsonl` was written beside the rules and has more kinds; its half goes by
turns, of later passages by such a bit, and the last 26 were all chosen on, as all of `chosen_on.jsonl` and of
`reworded.jsonl`, whose lines are as far from the words of the log as their writers could put them. Reported is the half
that nothing was chosen on, with Wilson's 95 % interval.
"""

from __future__ import annotations

import argparse
import sys
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from bench.grounding.judging import Judged, judge_rows
from bench.intervals import wilson


def main() -> int:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="the passages for choosing too")
    parser.add_argument("--missed", action="store_true", help="what was judged wrongly of those for choosing")
    arguments = parser.parse_args()
    for file in sorted(Path(__file__).parent.glob("*.jsonl")):
        _tell_file(file, with_choosing=arguments.all, with_missed=arguments.missed)
    return 0


def _tell_file(file: Path, *, with_choosing: bool, with_missed: bool) -> None:
    judged = [one for row in judge_rows(file) for one in row.lines]
    for half, is_reported in [("choosing", False)] * with_choosing + [("reporting", True)]:
        of_half = [one for one in judged if one.is_reported == is_reported]
        if of_half:
            _tell(f"{file.name} {half}", of_half)
    for one in judged if with_missed else ():
        if not one.is_reported and one.is_invented == (one.reason is None):
            print(f"  {one.kind}: {one.text}: {one.reason}")


def _tell(name: str, judged: list[Judged]) -> None:
    for what, wanted in (("invented", True), ("true", False)):
        of = [one for one in judged if one.is_invented is wanted]
        refused = sum(one.reason is not None for one in of)
        low, high = wilson(refused, len(of))
        print(f"{name}: {what} refused {refused} of {len(of)} = {refused / len(of):.3f} [{low:.3f}, {high:.3f}]")
    kinds = groupby(sorted((one for one in judged if one.is_invented), key=attrgetter("kind")), attrgetter("kind"))
    shares = ((kind, [one.reason is not None for one in of_kind]) for kind, of_kind in kinds)
    print("  refused by kind:", ", ".join(f"{kind} {sum(refused)} of {len(refused)}" for kind, refused in shares))


if __name__ == "__main__":
    sys.exit(main())

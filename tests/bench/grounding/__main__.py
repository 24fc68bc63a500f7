"""How much of what a model invents the grounding check refuses, and how much of what is true.

    python -m tests.bench.grounding [--all] [--missed]

`lines.jsonl` has passages of logs as people and agents write them, each with some lines that are true, as a model would
put them, and some that say one thing more or otherwise; all of them written for this. Each row names its half: by turns,
of later passages by a bit of the digest of their first line, and the last 26 were all chosen on. Reported is the half that nothing was chosen on, with
Wilson's 95 % interval.
"""

from __future__ import annotations

import argparse
import sys

from tests.bench.grounding.judging import Judged, judge_lines
from tests.bench.intervals import wilson


def main() -> int:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="the passages for choosing too")
    parser.add_argument("--missed", action="store_true", help="what was judged wrongly of those for choosing")
    arguments = parser.parse_args()
    judged = judge_lines()
    for name, is_reported in [("choosing", False)] * arguments.all + [("reporting", True)]:
        _tell(name, [one for one in judged if one.is_reported == is_reported])
    for one in judged if arguments.missed else ():
        if not one.is_reported and one.is_invented == (one.reason is None):
            print(f"  {one.kind}: {one.text}: {one.reason}")
    return 0


def _tell(name: str, judged: list[Judged]) -> None:
    for what, wanted in (("invented", True), ("true", False)):
        of = [one for one in judged if one.is_invented is wanted]
        refused = sum(one.reason is not None for one in of)
        low, high = wilson(refused, len(of))
        print(f"{name}: {what} refused {refused} of {len(of)} = {refused / len(of):.3f} [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    sys.exit(main())

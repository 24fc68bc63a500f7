"""How much of what asks to be remembered `bankctl propose` finds, and how much of what it proposes does ask.

    python -m tests.bench.proposing [--all] [--missed]

`turns.txt` has turns with five agents, written for this; what asks to be remembered in them stands between « and ». They
are put into the format of each agent, read as `bankctl import` does, and become logs. Every other turn was for choosing;
the rest is reported, with Wilson's 95 % interval. All were written by one who knew what the rules are for: logs of others
have more that no rule sees.
"""

from __future__ import annotations

import argparse
import sys

from tests.bench.intervals import wilson
from tests.bench.proposing.samples import Judged, judge_turns


def main() -> int:
    """Print precision and recall."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="the turns for choosing too")
    parser.add_argument("--missed", action="store_true", help="what was judged wrongly of those for choosing")
    arguments = parser.parse_args()
    judged = judge_turns()
    for name, is_reported in [("choosing", False)] * arguments.all + [("reporting", True)]:
        of = [one for one in judged if one.is_reported == is_reported]
        _tell(name, of)
        for agent in sorted({one.agent for one in of}):
            _tell(f"  {agent}", [one for one in of if one.agent == agent])
    for one in judged if arguments.missed else ():
        if not one.is_reported and (one.wanted or one.proposed) and not one.is_right:
            print(f"  wanted {sorted(one.wanted)}\n    proposed {sorted(one.proposed)}")
    return 0


def _tell(name: str, judged: list[Judged]) -> None:
    right = sum(one.right for one in judged)
    for what, of in (
        ("precision", sum(len(one.proposed) for one in judged)),
        ("recall", sum(len(one.wanted) for one in judged)),
    ):
        low, high = wilson(right, of)
        print(f"{name}: {what} {right} of {of} = {right / (of or 1):.3f} [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    sys.exit(main())

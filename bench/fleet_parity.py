"""How often the shared search of a fleet gives the same ten answers as a bank's own, over sets of questions.

python -m bench.fleet_parity [--queries 500] [SET …]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

from bankd.fleet.actions import answer_from_fleet, make_fleet, open_fleet, share_bank
from bankd.fleet.registry import Fleet, FleetBank
from bench.quality import data_folder
from bench.trial import NOW, bootstrap_interval, open_trial, read_set
from tests.fleet.postgres import Postgres

SETS = ("korquad1-a", "locomo-turns-1-5", "locomo-facts-1-5")


def put_in(fleet: Fleet, root: Path, name: str) -> None:
    """A workspace as a bank of the fleet, with its index in the shared search."""
    fleet.add(FleetBank(0, name, str(root), "default", "UTC", time(3), datetime(2027, 1, 1, tzinfo=UTC)))
    share_bank(fleet, fleet.find([name])[0])


def ten_of(answer: dict[str, Any]) -> list[tuple[str, int]]:
    return [(hit["path"], hit["line"]) for hit in answer["hits"] if hit["group"] == "bank"][:10]


def show_set(fleet: Fleet, name: str, most: int) -> None:
    """Print the share of questions with the same ten, and what the others have in common."""
    trial = read_set(data_folder() / name, most)
    with open_trial(trial) as own:
        put_in(fleet, own.root, name)
        pairs = []
        for query in trial.queries:
            request = {"query": query["text"], "limit": 10, "see_also": False, "in": ["bank"], "keep": False}
            request |= {**own.inside(query), **({"now": query["now"]} if query.get("now") else {})}
            shared = answer_from_fleet(fleet, {**request, "banks": [name]}, NOW)
            pairs.append((ten_of(own.search.answer(request, NOW, pending=0)), ten_of(shared)))
    same = [float(one == other) for one, other in pairs]
    in_common = [
        len({*one} & {*other}) / max(len({*one} | {*other}), 1) if one or other else 1.0 for one, other in pairs
    ]
    low, high = bootstrap_interval(same)
    first = sum(one[:1] == other[:1] for one, other in pairs) / len(pairs)
    print(
        f"{name}: {len(pairs)} questions, same ten in the same order {sum(same) / len(same):.3f} [{low:.3f}, {high:.3f}] (at least .98); "
        f"same first {first:.3f}; in common {sum(in_common) / len(in_common):.4f}; differing {sum(not one for one in same)}"
    )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="How often the shared search answers as a bank's own.")
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--queries", type=int, default=500)
    options = parser.parse_args(arguments)
    with closing(Postgres()) as server:
        make_fleet(server.dsn)
        with open_fleet(server.dsn) as fleet:
            for name in options.sets:
                show_set(fleet, name, options.queries)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

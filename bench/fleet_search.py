"""The shared search of a fleet: what a question costs in one bank and in all, how large it is, and what a night changes.

    python -m bench.fleet_search [--banks 1000] [--memories 1000] [--different 50] [--queries 200]

Banks are `different` ones, each put in several times under other numbers; at a tenth of the banks everything is measured
too, for the slopes.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, time
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from bankd.fleet.actions import answer_from_fleet, make_fleet, open_fleet
from bankd.fleet.registry import Fleet, FleetBank, FleetDatabase
from bankd.fleet.writer import ExportedIndex, export_index, write_export
from bankd.settings import MeaningPolicy, SearchPolicy, Settings
from bankd.system.clock import read_monotonic
from bankd.wiring.search import make_search
from bench.banks import Words, make_bank, make_queries
from bench.processes import percentiles
from bench.trial import NOW
from tests.fleet.postgres import Postgres

SEED, CHANGED, ON_PAPER = 17, 100, 100_000_000
DUE = datetime(2030, 1, 1, tzinfo=UTC)
SETTINGS = Settings(timezone="UTC", search=SearchPolicy("lexicon", recall_minutes=0), meaning=MeaningPolicy("off"))


def index_bank(root: Path) -> ExportedIndex:
    with closing(make_search(root, SETTINGS)) as own:
        own.refresh(NOW, None)
    return export_index(root)


def changed(root: Path, random: Random, words: Words) -> ExportedIndex:
    """The same bank when one memory in a hundred says something else."""
    pages = sorted((root / "bank/knowledge").rglob("*.md"))
    lines = [
        (page, number)
        for page in pages
        for number, line in enumerate(page.read_text().split("\n"))
        if line.startswith("- ")
    ]
    for page, number in random.sample(lines, max(1, len(lines) // CHANGED)):
        text = page.read_text().split("\n")
        text[number] = f"- W: {' '.join(words.draw(random, 35))}"
        page.write_text("\n".join(text))
        os.utime(page, (random.randint(1, 10**9), 1))
    return index_bank(root)


def milliseconds(work: Callable[[], object]) -> float:
    began = read_monotonic()
    work()
    return (read_monotonic() - began) * 1000


def show(what: str, times: Sequence[float]) -> None:
    p50, p95 = percentiles(sorted(times))
    print(f"  {what}: p50 {p50:.1f}, p95 {p95:.1f} ms")


def put_in(fleet: Fleet, number: int, index: ExportedIndex) -> float:
    name = f"bank{number:06}"
    fleet.add(FleetBank(0, name, f"/{name}", "default", "UTC", time(3), DUE))
    bank = fleet.find([name])[0]
    return milliseconds(lambda: write(fleet.database, bank, index))


def write(database: FleetDatabase, bank: FleetBank, index: ExportedIndex) -> None:
    with database.transaction() as connection:
        write_export(connection, bank, index)


def measure(fleet: Fleet, banks: int, memories: int, queries: Sequence[str], random: Random) -> None:
    fleet.database.rows("SELECT 1")
    with fleet.database.transaction() as connection:
        connection.execute("ANALYZE")
    found = fleet.database.rows(
        "SELECT sum(pg_total_relation_size(c.oid)), sum(pg_indexes_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace "
        "WHERE nspname = 'bankd' AND relkind = 'r' AND relname LIKE 'shared%%'"
    )[0]
    size, total = [float(one) for one in found], banks * memories
    print(
        f"{banks} banks of {memories} memories, {total:,} in all: {size[0] / 1e9:.2f} GB, of it indexes {size[1] / 1e9:.2f}; {size[0] / total / 1000:.2f} KB a memory, {ON_PAPER:,} on paper {size[0] / total * ON_PAPER / 1e12:.2f} TB"
    )
    one = [f"bank{random.randrange(banks):06}" for _ in queries]
    show(
        "a question in one bank",
        [
            milliseconds(partial(answer_from_fleet, fleet, {"query": q, "banks": [n]}, NOW))
            for q, n in zip(queries, one, strict=True)
        ],
    )
    show(
        "a question in all",
        [milliseconds(partial(answer_from_fleet, fleet, {"query": q}, NOW)) for q in queries[:40]],
    )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="The shared search of a fleet.")
    parser.add_argument("--banks", type=int, default=1_000)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--different", type=int, default=50)
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args(arguments)
    random = Random(SEED)
    words = Words(random)
    with TemporaryDirectory(prefix="bankd-fleet-") as name, closing(Postgres()) as server:
        make_fleet(server.dsn)
        roots = [Path(name) / str(number) for number in range(min(options.different, options.banks))]
        texts = [
            text
            for number, root in enumerate(roots)
            for text in make_bank(root, options.memories, Random(SEED + number))
        ]
        indexes = [index_bank(root) for root in roots]
        queries = make_queries(texts, words, random, options.queries)
        with open_fleet(server.dsn) as fleet:
            puts: list[float] = []
            for banks in (options.banks // 10, options.banks):
                puts += [put_in(fleet, number, indexes[number % len(indexes)]) for number in range(len(puts), banks)]
                measure(fleet, banks, options.memories, queries, random)
            show("a bank put in", puts)
            later = [changed(root, random, words) for root in roots]
            known = fleet.find([f"bank{number:06}" for number in range(len(roots))])
            nights = [
                milliseconds(partial(write, fleet.database, bank, index))
                for bank, index in zip(known, later, strict=True)
            ]
            show("a bank of which one memory in a hundred changed", nights)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""How fast a warm query is at 10,000 and 200,000 memories, beside SQLite FTS5 on the same tokens.

python -m bench.speed [--memories 200000] [--json]
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from bankd.search.answer import Answering
from bankd.search.bank_search import BankSearch
from bankd.search.find import RankingOptions
from bankd.search.request import Freshness, Query
from bankd.wiring.search import make_search
from bankd.words.analysis import analyse_query, lexicon_of
from bench.banks import Words, make_pages, make_queries
from bench.processes import percentiles, time_each
from bench.trial import NOW, SETTINGS

SMALL = 10_000
QUERIES = 200
FTS5_QUERIES = 30
"""FTS5 takes a fifth of a second each; its median is steady with so few."""


def measure(memories: int, *, with_fts5: bool) -> dict[str, float]:
    """Medians and 95th percentiles in milliseconds, over a bank of so many memories."""
    random = Random(7)
    words = Words(random)
    with TemporaryDirectory(prefix="bankd-speed-") as name:
        root = Path(name)
        (root / ".bankd").mkdir()
        texts = make_pages(root / "bank", memories, words, random)
        searching = make_search(root, SETTINGS)
        searching.refresh(NOW, None)
        queries = make_queries(texts, words, random, QUERIES)
        fresh = Freshness(0, None, daemon=False)

        def ask(text: str) -> object:
            query = Query(text, today=NOW.date())
            return Answering(query, RankingOptions()).answer(searching.index, (), fresh)

        figures = dict(zip(("bankd_p50", "bankd_p95"), percentiles(time_each(ask, queries)), strict=True))
        if with_fts5:
            times = time_each(*fts5_over(searching, texts, queries[:FTS5_QUERIES]))
            figures |= zip(("fts5_p50", "fts5_p95"), percentiles(times), strict=True)
        searching.close()
    return figures


def fts5_over(
    searching: BankSearch, texts: Sequence[str], queries: Sequence[str]
) -> tuple[Callable[[str], object], list[str]]:
    """The same memories and queries, as the same tokens, for SQLite FTS5 with its own BM25."""
    index = searching.index
    lexicon = lexicon_of(index.rows.reading, lambda term: index.terms.frequency("terms", term) > 0)

    def tokens(text: str) -> list[str]:
        return analyse_query(text, lexicon).terms

    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE memories USING fts5(tokens, content='', tokenize='unicode61')")
    database.executemany("INSERT INTO memories (tokens) VALUES (?)", ((" ".join(tokens(text)),) for text in texts))
    database.execute("INSERT INTO memories (memories) VALUES ('optimize')")
    asked = [" OR ".join(f'"{token}"' for token in dict.fromkeys(tokens(query))) for query in queries]
    select = "SELECT rowid FROM memories WHERE memories MATCH ? ORDER BY rank LIMIT 10"
    return (lambda query: database.execute(select, (query,)).fetchall()), asked


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="How fast a warm query is, beside SQLite FTS5.")
    parser.add_argument("--memories", type=int, default=200_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    small = measure(SMALL, with_fts5=False)
    large = measure(options.memories, with_fts5=True)
    figures = {
        **{f"large_{name}": value for name, value in large.items()},
        **{f"small_{name}": value for name, value in small.items()},
        "times_faster_than_fts5": large["fts5_p50"] / large["bankd_p50"],
        "times_slower_than_small": large["bankd_p50"] / small["bankd_p50"],
    }
    if options.json:
        print(json.dumps(figures))
        return 0
    for name, value in figures.items():
        print(f"{name:<26} {value:8.2f}")
    print("promised: 50 times faster than FTS5 or more, p95 under 10 ms, at most 4 times slower than small")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

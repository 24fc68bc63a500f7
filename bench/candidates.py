"""How far down the look-alikes of a new line its twin stands: what the guard would call the same, or an update of it.

    python -m bench.candidates [--most 60]

One bank holds an old line of every pair at hand and, as noise, all facts of the search sets. The guard sees only what is
found by words, so the share found among the first N is the most that it can do; `bankd.look_alikes` says what N is.
"""

from __future__ import annotations

import argparse
import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bankd import look_alikes
from bankd.app.evaluate import NOW, SETTINGS
from bankd.core.dedup.duplicates import Relation, compare_statements
from bankd.look_alikes import LookAlikes
from bankd.wiring.search import make_search
from bench.calibrate import read_statements
from bench.calibration import read_pairs
from bench.quality import data_folder

LABELLED = ("klue-sts-a", "korsts-dev", "parakqc-a", "kor-question-pair-a")
NOISE = ("locomo-facts-1-5", "naia-contract-ko")
DEPTHS = (1, 3, 5, 8, 10, 15, 20, 40)
A_PAGE = 200


def rows_of(file: Path) -> list[Mapping[str, object]]:
    """The rows of a file of a set."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def pairs_of(data: Path) -> Iterator[tuple[str, str, str]]:
    """The set, the old and the new line of every pair."""
    for row in rows_of(data / "pairs" / "pairs.jsonl"):
        yield "pairs", str(row["old"]), str(row["new"])
    for name in LABELLED:
        file = next((data / name).glob("*.jsonl"))
        for pair in read_pairs(rows_of(file)):
            yield name, pair.old, pair.new


def fill(root: Path, texts: Sequence[str]) -> None:
    """A bank of these memories."""
    for number in range(0, len(texts), A_PAGE):
        page = root / "bank" / "world" / f"page-{number // A_PAGE}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("".join(f"- W: {text}\n" for text in texts[number : number + A_PAGE]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=60)
    look_alikes._LOOK_ALIKES = parser.parse_args().most
    data = data_folder()
    pairs = [(name, " ".join(old.split()), " ".join(new.split())) for name, old, new in pairs_of(data)]
    statements = read_statements({text for _, *both in pairs for text in both}, None)
    noise = [" ".join(str(row["text"]).split()) for name in NOISE for row in rows_of(data / name / "docs.jsonl")]
    with TemporaryDirectory(prefix="bankd-candidates-") as place:
        root = Path(place)
        fill(root, [*dict.fromkeys([*(old for _, old, _ in pairs), *noise])])
        search = make_search(root, SETTINGS)
        search.refresh(NOW, None)
        alike = LookAlikes(search.index)
        ranks: dict[tuple[str, str], list[int]] = {}
        for name, old, new in pairs:
            verdict = compare_statements(statements[old], statements[new])
            if verdict.outcome is Relation.DIFFERENT:
                continue
            found = [one.row.text for one in alike.near(new)]
            ranks.setdefault((name, str(verdict.outcome)), []).append(found.index(old) + 1 if old in found else 10_000)
        search.close()
    print(f"{'set':<22} {'verdict':<8} {'pairs':>6}  found among the first " + " ".join(f"{one:>5}" for one in DEPTHS))
    for (name, outcome), places in sorted(ranks.items()):
        places.sort()
        shares = " ".join(f"{bisect_right(places, depth) / len(places):5.3f}" for depth in DEPTHS)
        print(f"{name:<22} {outcome:<8} {len(places):>6}  {'':<21} {shares}")


if __name__ == "__main__":
    main()

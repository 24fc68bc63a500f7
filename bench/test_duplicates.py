"""How well repeated lines are told from look-alikes, on real pairs and on real memories reworded and changed by rule.

The figures asserted here are the promises; `pytest -m full -s bench/test_duplicates.py` prints the ones reached.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from kiwipiepy import Kiwi

from bankd.core.dedup.duplicates import THRESHOLD, Relation, compare_statements
from bankd.core.language.reading import read_statement
from bankd.core.language.statement import Statement
from bankd.core.language.wording import Wording
from bankd.core.lifecycle.consolidate import THRESHOLD as CLUSTERED_FROM
from bankd.core.lifecycle.consolidate import Member, affinity_of
from bankd.core.markdown.memory import Memory
from bench import changes, rewordings
from bench.calibration import PRECISION, judge_at, read_pairs, tally, without_mistakes

pytestmark = pytest.mark.full

PAIR_SETS = ["klue-sts-a", "korsts-dev", "klue-nli-a", "parakqc-a", "kor-question-pair-a", "naia-contract-ko"]
SEED = 20261121
VALUES = {"number", "date", "unit", "name"}


@pytest.fixture(scope="module")
def read(analyse: Callable[[str], Wording]) -> Callable[[str], Statement]:
    return lambda text: read_statement(analyse(text))


@pytest.fixture(scope="module")
def kiwi() -> Kiwi:
    return Kiwi(num_workers=1)


def rows(folder: Path) -> list[dict[str, object]]:
    file = folder / "pairs.jsonl"
    source = file if file.is_file() else folder / "docs.jsonl"
    return [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]


def test_clusters_gather_what_is_the_same_and_not_whole_pages(shared: Path, read: Callable[[str], Statement]) -> None:
    def near(one: str, other: str, *pages: str) -> float:
        members = (
            Member(text, Memory(text, "W"), read(text), (page,)) for text, page in zip((one, other), pages, strict=True)
        )
        return affinity_of(*members)

    pairs = [pair for name in PAIR_SETS for pair in read_pairs(rows(shared / "data" / name)) if pair.old != pair.new]
    same = [pair for pair in pairs if compare_statements(read(pair.old), read(pair.new)).outcome is Relation.SAME]
    texts = korean_memories(shared, Random(SEED))[:190]
    chance = [(one, other) for at, one in enumerate(texts) for other in texts[at + 1 :: 7]]
    missed = [pair for pair in same if near(pair.old, pair.new, "one", "two") < CLUSTERED_FROM]
    gathered = [texts for texts in chance if near(*texts, "one", "one") >= CLUSTERED_FROM]
    print(f"clusters: {len(missed)} of {len(same)} missed, {len(gathered)} of {len(chance)} gathered by chance")

    assert len(missed) <= 0.01 * len(same)
    assert len(gathered) <= 0.05 * len(chance)


def korean_memories(shared: Path, chance: Random) -> list[str]:
    short = [str(row["text"]) for row in rows(shared / "data/naia-contract-ko") if "distractor_of" not in row]
    paragraphs = [str(row["text"]) for row in rows(shared / "data/korquad1-a")]
    sentences = [part.strip() for text in paragraphs for part in re.split(r"(?<=다\.)\s+", text)]
    long = [text for text in sentences if 20 < len(text) < 110 and text.endswith("다.")]
    return short + chance.sample(long, 400)


def english_memories(shared: Path, chance: Random) -> list[str]:
    return chance.sample([str(row["text"]) for row in rows(shared / "data/locomo-facts-1-5")], 400)


@pytest.mark.parametrize("name", PAIR_SETS)
def test_same_is_precise_on_the_half_that_nothing_was_chosen_on(
    shared: Path, read: Callable[[str], Statement], name: str
) -> None:
    pairs = without_mistakes(read_pairs(rows(shared / "data" / name)))
    half = [pair for pair in pairs if not pair.is_for_choosing]
    found = tally(half, {text: read(text) for pair in half for text in (pair.old, pair.new)}, judge_at(THRESHOLD))
    print(f"{name}: precision {found.precision:.3f} recall {found.recall:.3f} wrong {found.wrong} of {found.pairs}")

    assert found.precision >= PRECISION
    assert found.contradictions <= 0.01 * sum(pair.is_contradiction for pair in half)


def test_no_look_alike_of_a_memory_is_called_the_same(shared: Path, read: Callable[[str], Statement]) -> None:
    pairs = without_mistakes(read_pairs(rows(shared / "data/naia-contract-ko")))
    called = [pair for pair in pairs if compare_statements(read(pair.old), read(pair.new)).outcome is Relation.SAME]

    assert len(pairs) == 105  # of 110; the other five are letter for letter the memory that they should differ from
    assert called == []


def test_rewordings_are_the_same(shared: Path, read: Callable[[str], Statement], kiwi: Kiwi) -> None:
    chance = Random(SEED)
    ways = {False: rewordings.english(), True: rewordings.korean(kiwi)}
    texts = [(text, True) for text in korean_memories(shared, chance)]
    texts += [(text, False) for text in english_memories(shared, chance)]
    made, same = Counter[str](), Counter[str]()
    for text, is_korean in texts:
        for way, reword in ways[is_korean].items():
            other = reword(text, chance)
            if other is not None and other != text:
                name = f"{'Korean' if is_korean else 'English'} {way}"
                made[name] += 1
                same[name] += compare_statements(read(text), read(other)).outcome is Relation.SAME
    for name, count in made.items():
        print(f"{name}: {same[name]} of {count} = {same[name] / count:.3f}")

    assert same.total() / made.total() >= 0.95


def changed(shared: Path, kiwi: Kiwi, seed: int) -> Iterator[tuple[str, str, str]]:
    """(kind of change, memory, memory changed) for 1,000 memories."""
    chance = Random(seed)
    ways = {False: changes.english(), True: changes.korean(kiwi)}
    texts = [(text, True) for text in korean_memories(shared, chance)]
    texts += [(text, False) for text in english_memories(shared, chance)]
    for text, is_korean in texts:
        for kind, change in ways[is_korean].items():
            other = change(text, chance)
            if other is not None and other != text:
                yield kind, text, other


@pytest.mark.parametrize("seed", [SEED, SEED + 1])
def test_one_changed_value_is_never_the_same(
    shared: Path, read: Callable[[str], Statement], kiwi: Kiwi, seed: int
) -> None:
    counts = Counter[tuple[str, Relation]]()
    mistaken = []
    for kind, old, new in changed(shared, kiwi, seed):
        outcome = compare_statements(read(old), read(new)).outcome
        counts[kind, outcome] += 1
        mistaken += [(kind, old, new)] if outcome is Relation.SAME else []
    for kind in sorted({kind for kind, _ in counts}):
        print(kind, {outcome.value: counts[kind, outcome] for outcome in Relation})
    values = sum(count for (kind, _), count in counts.items() if kind in VALUES)
    updates = sum(count for (kind, outcome), count in counts.items() if kind in VALUES and outcome is Relation.UPDATE)
    print(f"value changes called update: {updates} of {values} = {updates / values:.3f}")

    assert mistaken == []
    assert updates / values >= 0.90

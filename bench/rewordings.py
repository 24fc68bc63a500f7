"""Rewordings that change no meaning, made by rule from real memories: spacing, punctuation, particles, honorific, ending.

Korean is taken apart and joined again by Kiwi, which conjugates; every choice comes from the seeded `Random` given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random

from kiwipiepy import Kiwi

Reword = Callable[[str, Random], str | None]
"""A text and chance -> the text reworded; None when it offers no place for it."""

_PLAIN_ENDINGS = frozenset(
    ["다", "ᆫ다", "는다", "습니다", "ᆸ니다", "어", "어요", "야", "지", "네", "네요", "음", "ᆷ", "아", "에요", "예요", "죠"]
)
_WITH = {"와", "과", "랑", "이랑", "하고"}
_HONOURABLE = frozenset({"VV", "VA", "XSV", "XSA", "VX"})


def english() -> Mapping[str, Reword]:
    """The ways of rewording English."""
    return {
        "spacing": lambda text, chance: re.sub(" ", "  ", text, count=chance.randint(1, 3)),
        "punctuation": _punctuate,
        "case": lambda text, chance: chance.choice([text.lower(), text.upper(), text[0].lower() + text[1:]]),
        "contraction": _contract,
    }


def korean(kiwi: Kiwi) -> Mapping[str, Reword]:
    """The ways of rewording Korean."""
    return {
        "spacing": _space,
        "punctuation": _punctuate,
        "particle": lambda text, chance: _exchange_particle(kiwi, text, chance),
        "ending": lambda text, chance: _end_otherwise(kiwi, text, chance),
        "honorific": lambda text, chance: _honour(kiwi, text, chance),
    }


def _punctuate(text: str, chance: Random) -> str:
    bare = text.rstrip(".!~ ")
    return chance.choice([bare, f"{bare}.", f"{bare}!", f"{bare} .", f'"{bare}"', f"{bare}…", bare.replace(", ", " ")])


def _space(text: str, chance: Random) -> str | None:
    gaps = [found.start() for found in re.finditer(" ", text)]
    if not gaps:
        return None
    at = chance.choice(gaps)
    return text[:at] + ("  " if chance.random() < 0.3 else "") + text[at + 1 :]


def _contract(text: str, _: Random) -> str | None:
    for full, short in ((" is not", " isn't"), (" does not", " doesn't"), (" did not", " didn't"), ("n't", " not")):
        if full in text:
            return text.replace(full, short)
    found = re.search(r"\b(\w+) is\b", text)
    return text.replace(found[0], f"{found[1]}'s", 1) if found else None


def morphemes_of(kiwi: Kiwi, text: str) -> list[tuple[str, str]]:
    """The forms and tags of a text."""
    return [(token.form, str(token.tag)) for token in kiwi.tokenize(text)]


def last_ending(morphemes: list[tuple[str, str]]) -> int | None:
    """Where the last final ending stands."""
    return max((at for at, (_, tag) in enumerate(morphemes) if tag == "EF"), default=None)


def _exchange_particle(kiwi: Kiwi, text: str, chance: Random) -> str | None:
    morphemes = morphemes_of(kiwi, text)
    exchanges = {at: options for at, pair in enumerate(morphemes) if (options := _other_particles(*pair))}
    if not exchanges:
        return None
    at = chance.choice(list(exchanges))
    particle = chance.choice(exchanges[at])
    return str(kiwi.join(morphemes[:at] + ([particle] if particle else []) + morphemes[at + 1 :]))


def _other_particles(form: str, tag: str) -> list[tuple[str, str] | None]:
    """What a particle may be exchanged for, None for nothing at all."""
    if form in _WITH and tag in ("JC", "JKB"):
        return [("와", "JC"), ("랑", "JC"), ("하고", "JC")]
    if (form, tag) in {("에게", "JKB"), ("한테", "JKB")}:
        return [("한테" if form == "에게" else "에게", "JKB")]
    topic = tag == "JX" and form in {"은", "는"}
    if topic or tag in ("JKS", "JKO"):
        return [("이", "JKS") if topic else ("는", "JX"), None]
    return [None] if tag == "JKG" else []


def _end_otherwise(kiwi: Kiwi, text: str, chance: Random) -> str | None:
    morphemes = morphemes_of(kiwi, text)
    at = last_ending(morphemes)
    if at is None or morphemes[at][0] not in _PLAIN_ENDINGS:
        return None
    morphemes[at] = (chance.choice(["습니다", "어요", "어", "네요", "다", "지", "음"]), "EF")
    return str(kiwi.join(morphemes))


def _honour(kiwi: Kiwi, text: str, chance: Random) -> str | None:
    morphemes = morphemes_of(kiwi, text)
    at = last_ending(morphemes)
    if at is None or morphemes[at][0] not in _PLAIN_ENDINGS:
        return None
    morphemes[at] = (chance.choice(["습니다", "어요"]), "EF")
    while at and morphemes[at - 1][1] == "EP":
        at -= 1
    if not at or morphemes[at - 1][1].split("-")[0] not in _HONOURABLE:
        return None
    return str(kiwi.join([*morphemes[:at], ("시", "EP"), *morphemes[at:]]))

"""Ways to say the same thing that take several words: to forbid, to ask, to request; each written as the plainest one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from bankd.core.language.statement import Token
from bankd.core.language.word_lists import split_words

_FORBIDDEN = split_words("금지 금물")
_ASKING = split_words("알리 궁금")
_WILLING = split_words("ᆯ래 ᆯ래요 을래 을래요 ᆯ까 ᆯ까요")


def plain_statement(
    phrases: list[list[Token]], mood: str, endings: Sequence[tuple[str, str]]
) -> tuple[list[list[Token]], str]:
    """Write a statement in its plainest form; `endings` are its last morphemes, which tell a request from a question."""
    _forbid(phrases)
    last = phrases[-1][-1] if phrases else None
    if mood == "?" and is_request(endings):
        mood = "!"
    if last and last.negation == "stop" and mood != "?":
        mood = ""
    if last and last.base in _ASKING and len(phrases) > 1 and not last.negation and not set(last.marks) - {"will"}:
        phrases[-1].pop()
        mood = "?"
    return [phrase for phrase in phrases if phrase], mood


def is_request(endings: Iterable[tuple[str, str]]) -> bool:
    """Say whether a statement ends in -주다 with an ending that asks for willingness: 켜 줄래? asks for nothing but that."""
    kept = [(form, tag) for form, tag in endings if tag not in ("SF", "EP", "SP")]
    return kept[-2:-1] == [("주", "VX")] and kept[-1][0] in _WILLING


def _forbid(phrases: list[list[Token]]) -> None:
    """하면 안 된다, 하지 않도록 한다 and 하기 금지 are 하지 마라."""
    for one, other in pairwise(list(phrases)):
        if "if" in one[-1].marks and other[-1].base == "되" and other[-1].negation == "not" and len(other) == 1:
            one[-1].marks.remove("if")
            one[-1].negation = "stop"
            phrases.remove(other)
    if not phrases:
        return
    tokens = [token for phrase in phrases for token in phrase]
    last = tokens[-1]
    if last.negation == "not" and "so" in last.marks:
        last.negation = "stop"
    if last.base in _FORBIDDEN and not last.negation and len(tokens) > 1 and not last.marks:
        tokens[-2].negation, tokens[-2].case = "stop", ""
        phrases[-1].pop()
        if not phrases[-1]:
            phrases.pop()

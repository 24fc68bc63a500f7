"""How much of a model's context a text takes: a bound from above that needs no tokenizer."""

from __future__ import annotations

from math import ceil

_ASCII_TOKENS, _OTHER_TOKENS = 0.34, 1.0
"""Tokens a character: English has some four characters a token, ids and paths three; Hangul at most a token a syllable."""


def count_tokens(text: str) -> int:
    """Not more than this many tokens, in the tokenizers in use."""
    ascii_ = sum(character.isascii() for character in text)
    return ceil(ascii_ * _ASCII_TOKENS + (len(text) - ascii_) * _OTHER_TOKENS)


def cut_to_tokens(text: str, most: int) -> str:
    """As much of a text as fits, with an ellipsis where something was cut."""
    if count_tokens(text) <= most:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_tokens(text[:middle] + "…") <= most else (low, middle - 1)
    return text[:low].rstrip() + "…"


def lines_within(lines: list[str], most: int) -> list[str]:
    """The first lines that fit together."""
    kept: list[str] = []
    for line in lines:
        most -= count_tokens(line + "\n")
        if most < 0:
            break
        kept.append(line)
    return kept

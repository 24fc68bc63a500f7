"""A question without the spaces that its writer put inside words: `세 종대왕의` is read as the one word that the bank has.

The other way, words written together, needs no rule here: morphemes and bigrams find them.
"""

# No postponed annotations here: what a query imports is compiled once, and this module has few.
import re
from collections.abc import Callable

_HANGUL = re.compile(r"[가-힣]+(?: [가-힣]+)+")

Seen = Callable[[str], bool]
"""Whether a run of Hangul occurs in the bank as it stands, between spaces or other scripts."""


def rejoin(text: str, seen: Seen) -> str:
    """A text in NFKC in which two runs are one where the bank has both as one and does not have one of them."""
    return _HANGUL.sub(lambda found: " ".join(_joined(found[0].split(" "), seen)), text)


def _joined(runs: list[str], seen: Seen) -> list[str]:
    result: list[str] = []
    for run in runs:
        if result and seen(result[-1] + run) and not (seen(result[-1]) and seen(run)):
            result[-1] += run
        else:
            result.append(run)
    return result

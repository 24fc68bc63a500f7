"""Names in a question that the bank does not know."""

from __future__ import annotations

import pytest

from bankd.core.analysis import analyse
from bankd.core.strangers import strangers_in

KNOWN = frozenset(("peter", "like", "slack", "trip"))


def strangers(text: str) -> set[str]:
    return set(strangers_in(text, analyse(text).terms, KNOWN.__contains__))


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("What does Peter like?", set()),
        ("What does Caroline like?", {"carolin"}),
        ("what does caroline like?", set()),  # nothing shows that it is a name
        ("What is Caroline's trip to (Yosemite)?", {"carolin", "yosemit"}),
        ("Caroline likes it", set()),  # every sentence begins with a capital
        ("He left. Where is it? Did Peter?", set()),
        ("WHAT DOES CAROLINE LIKE", set()),
        ("Do I like what I'm doing, and I've done?", set()),
        ("커피를 Caroline은 마셔?", set()),  # no term of its own script ends where Hangul begins
        ("does É, ... - 'Bob' count", {"bob"}),
        ("", set()),
        ("   ", set()),
    ],
)
def test_a_word_with_a_capital_inside_a_sentence_is_a_name(question: str, unknown: set[str]) -> None:
    assert strangers(question) == unknown


def test_a_name_that_was_mended_is_no_stranger() -> None:
    assert strangers_in("What does Peterr like?", ["peter", "like"], KNOWN.__contains__) == frozenset()

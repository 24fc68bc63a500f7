"""What likeness hides, on statements made by hand: who does what to whom, and what a shorter wording may leave out."""

from __future__ import annotations

import pytest

from bankd.core.dedup.duplicates import Relation, Verdict, compare_statements
from bankd.core.language.korean.synonyms import TURNING_WORDS
from bankd.core.language.statement import Statement, Token, TokenKind, make_statement

CASES = {"은": "topic", "이": "subject", "을": "object", "에게": "receiver"}


def adverb(base: str, *marks: str, negation: str = "") -> Token:
    return Token(base, TokenKind.ADVERB, negation, list(marks))


def say(*words: str | Token) -> Statement:
    """A Korean statement: `name+이` is a name with its particle, a word without one stands for itself; a phrase each."""
    phrases = [[word if isinstance(word, Token) else _token(word)] for word in words]
    return make_statement(repr(phrases), phrases, ".", ())


def _token(word: str) -> Token:
    base, _, particle = word.partition("+")
    return Token(base, TokenKind.NAME if particle else TokenKind.WORD, case=CASES.get(particle, ""))


def verdict(old: Statement, new: Statement) -> Verdict:
    return compare_statements(old, new)


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        (("철수+이", "영희+을", "좋아하"), ("영희+을", "철수+이", "좋아하"), True),
        (("철수+이", "영희+을", "좋아하"), ("철수+을", "영희+이", "좋아하"), False),
        (("철수+이", "영희+에게", "전화하"), ("철수+에게", "영희+이", "전화하"), False),
        (("철수+은", "영희+에게", "전화하"), ("철수+에게", "영희+은", "전화하"), False),
    ],
)
def test_who_does_it_to_whom_must_agree(old: tuple[str, ...], new: tuple[str, ...], is_same: bool) -> None:
    assert (verdict(say(*old), say(*new)).outcome is Relation.SAME) is is_same


SAID = ("민지+은", "아침", "부엌", "창가", "커피+을", "천천히", "마시")
"""A statement so long that leaving out a few words keeps it alike."""


def leaving_out(*words: Token) -> Verdict:
    """The verdict on a wording that lacks these words of an older one."""
    return verdict(say(*SAID[:-1], *words, SAID[-1]), say(*SAID))


@pytest.mark.parametrize(("count", "is_same"), [(2, True), (3, False)])
def test_a_shorter_wording_may_leave_out_two_words_and_no_more(count: int, is_same: bool) -> None:
    assert (leaving_out(*(adverb(f"정말{n}") for n in range(count))).outcome is Relation.SAME) is is_same


@pytest.mark.parametrize(
    "word",
    [
        adverb("자주", "only"),
        adverb("자주", negation="not"),
        adverb(min(TURNING_WORDS)),
        Token("3번", TokenKind.VALUE),
        Token("수지", TokenKind.NAME),
    ],
    ids=["a limit", "a negation", "a turn", "a value", "a name"],
)
def test_a_word_that_limits_turns_counts_or_names_may_not_be_left_out(word: Token) -> None:
    assert leaving_out(word).outcome is not Relation.SAME
    assert leaving_out(adverb("자주")).outcome is Relation.SAME


def test_the_word_that_a_statement_ends_in_may_not_be_left_out() -> None:
    assert verdict(say(*SAID, adverb("자주")), say(*SAID)).outcome is Relation.DIFFERENT


def test_a_subject_or_object_may_not_be_left_out() -> None:
    for n in (0, 4):
        assert verdict(say(*SAID), say(*SAID[:n], *SAID[n + 1 :])).outcome is not Relation.SAME


def test_a_longer_wording_says_more() -> None:
    assert verdict(say(*SAID), say(*SAID[:-1], adverb("자주"), SAID[-1])).outcome is not Relation.SAME

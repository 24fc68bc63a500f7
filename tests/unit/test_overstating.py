"""A line whose every word its sources have, and which says more than they do, is not believed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from bankd.core.grounding.passages import Passage, clauses_of
from bankd.core.grounding.rewriting import as_read
from bankd.core.grounding.ungrounded import find_ungrounded
from bankd.core.language.reading import read_statement
from bankd.core.language.wording import Wording

Analyse = Callable[[str], Wording]


def why_not(line: str, source: str, analyse: Analyse) -> str | None:
    texts = [line, *clauses_of(source)]
    ours, *theirs = [Passage(text, read_statement(analyse(as_read(text)))) for text in texts]
    return find_ungrounded(ours, theirs, date(2026, 5, 3))


@pytest.mark.parametrize(
    ("line", "source", "reason"),
    [
        ("We replaced the disk.", "We must replace the disk in June.", "replac is told as done"),
        ("The fan is loud.", "Maybe the fan is loud.", "sure of what its lines say with 'maybe'"),
        ("Mina buys the tent.", "If it rains, Mina buys the tent.", "its lines say it where rains"),
        ("Nora called Piet.", "Piet called Nora.", "in another order"),
        ("Glue is slower than paint.", "Paint is slower than glue.", "compares the other way round"),
        ("우산을 샀다.", "내일 우산을 사야 한다.", "told as done"),
        ("비밀번호를 바꾼다.", "비가 오면 비밀번호를 바꾼다.", "its lines say"),
        ("준호가 서연에게 책을 주었다.", "서연이 준호에게 책을 주었다.", "who does it and to whom"),
    ],
)
def test_what_a_line_makes_more_of_than_its_lines_do(line: str, source: str, reason: str, analyse: Analyse) -> None:
    assert reason in (why_not(line, source, analyse) or "")


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("The disk is to be replaced in June.", "We replace the disk in June."),
        ("The fan may be loud.", "I think the fan is loud."),
        ("Mina buys the tent if it rains.", "If it rains, Mina buys the tent."),
        ("Piet called Nora in the evening.", "In the evening Piet called Nora."),
        ("Glue is faster than paint.", "Paint is slower than glue."),
        ("우산을 살 예정이다.", "내일 우산을 사야 한다."),
        ("준호에게 서연이 책을 주었다.", "서연이 준호에게 책을 주었다."),
        ("The fan rattled twice.", "The fan rattles twice"),
    ],
)
def test_the_same_in_other_words_is_believed(line: str, source: str, analyse: Analyse) -> None:
    assert why_not(line, source, analyse) is None

"""A line is attested when each day, number, time, code and name of it stands in the sentences that it rests on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from bankd.night.attest import Passage, find_unattested, sentences_of
from bankd.same.reading import read_statement
from bankd.words.statement import TokenKind, Wording
from tests.examples import examples

Analyse = Callable[[str], Wording]


def why_not(line: str, source: str, analyse: Analyse) -> str | None:
    """What `find_unattested` says of a line and a source, the lines of which have bars between them."""
    texts = [line, *(sentence for one in source.split(" / ") for sentence in sentences_of(one))]
    ours, *theirs = [Passage(text, read_statement(analyse(text))) for text in texts]
    return find_unattested(ours, theirs, date(2026, 5, 4))


@pytest.mark.parametrize(("line", "source", "reason"), examples("grounding", "lacking"))
def test_what_its_lines_do_not_have_is_named(line: str, source: str, reason: str, analyse: Analyse) -> None:
    assert why_not(line, source, analyse) == f"{reason} is not in its source lines"


@pytest.mark.parametrize(("line", "source"), examples("grounding", "attested"))
def test_the_same_written_in_another_way_is_attested(line: str, source: str, analyse: Analyse) -> None:
    assert why_not(line, source, analyse) is None


def test_a_line_that_names_no_line_is_not_attested(analyse: Analyse) -> None:
    line = "everything is permitted"
    assert (
        find_unattested(Passage(line, read_statement(analyse(line))), [], None) == "it names no source line in the log"
    )


def test_a_name_may_stand_beside_the_lines_in_the_other_script(analyse: Analyse) -> None:
    line, source = (Passage(text, read_statement(analyse(text))) for text in ("안드로이드는 24다", "최소는 24"))
    assert find_unattested(line, [source], None) == "the name 안드로이드 is not in its source lines"
    assert find_unattested(line, [source], None, "| | android | ios |") is None


@pytest.mark.parametrize("item", ["- 37 pumps.", "* [x] 37 pumps", "2. 37 pumps"])
def test_the_mark_of_a_list_is_no_sign_of_a_number(item: str) -> None:
    assert sentences_of(item) == ["37 pumps"]


def test_a_verb_that_cannot_be_done_is_denied_itself(analyse: Analyse) -> None:
    tokens = read_statement(analyse("밧줄은 내일 쓰지 못해 우물은 닫는다.")).tokens
    assert [token.base for token in tokens if token.negation] == ["쓰"]


def test_a_clock_has_no_unit(analyse: Analyse) -> None:
    tokens = read_statement(analyse("Nora runs 9:40/mi")).tokens
    assert [token.base for token in tokens if token.kind is TokenKind.VALUE] == ["9:40"]

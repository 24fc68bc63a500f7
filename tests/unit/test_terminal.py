"""Nothing that is printed may move the cursor, fill the clipboard, or reorder what a person reads."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankd.cli import printing
from bankd.cli.printing import shortened, styled
from bankd.pages.text import make_visible, show_line


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07"),
        ("safe\rEVIL", "safe\\x0dEVIL"),
        ("\x9b31m", "\\x9b31m"),
        ("user\u202egnp.exe", "user<U+202E>gnp.exe"),
        ("a\u200bb\ufeff", "a<U+200B>b<U+FEFF>"),
        ("가\u115f나", "가<U+115F>나"),
        (b"caf\xe9".decode(errors="surrogateescape"), "caf\\xe9"),
        ("정직\t을\n", "정직\t을\n"),
        ("👩‍💻", "👩‍💻"),
    ],
)
def test_what_would_act_is_shown_as_text(given: str, shown: str) -> None:
    assert make_visible(given) == shown


def test_a_newline_in_a_name_cannot_forge_a_line() -> None:
    assert show_line("a.md\n<3>all is well\u2028") == "a.md\\n<3>all is well<U+2028>"


def test_where_nothing_is_shown_nothing_is_styled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "has_colour", lambda _: True)

    assert styled("", "bold") == ""
    assert styled("x", "bold") == "\x1b[1mx\x1b[0m"


@given(st.text(st.characters(codec=None)))
def test_shown_text_holds_no_character_that_acts(text: str) -> None:
    shown = show_line(text)

    assert not [char for char in shown if unicodedata.category(char) in {"Cc", "Cs"}]
    assert not [
        char
        for char in shown
        if unicodedata.bidirectional(char) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    ]
    assert make_visible(shown) == shown


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("가나다", 6, "가나다"),
        ("가나다라", 6, "가나…"),
        ("가나다라", 7, "가나다…"),
        ("two\n  lines", 9, "two lines"),
        ("plain words", 8, "plain w…"),
        ("", 3, ""),
        ("나" * 1_000_000, 5, "나나…"),
    ],
)
def test_a_text_is_cut_to_the_columns_that_it_may_take(text: str, columns: int, shown: str) -> None:
    assert shortened(text, columns) == shown

"""Nothing that is printed may move the cursor or reorder what a person reads; JSON is said and read as its package does."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import termios
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankd.cli import base
from bankd.cli.base import shortened, styled
from bankd.pages import bare_json
from bankd.pages.bare_json import read_json, write_json, write_letters
from bankd.pages.scanner import decode_text
from bankd.pages.text import (
    decode_wide,
    is_utf8,
    lines_not_utf8,
    make_visible,
    other_part,
    readable_bytes,
    readable_text,
    show_line,
    shown_path,
    to_json,
)
from tests.examples import examples


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
    monkeypatch.setattr(base, "has_colour", lambda _: True)

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
    ("text", "columns", "shown"), [*examples("spacing", "columns"), ("나" * 1_000_000, 5, "나나…")]
)
def test_a_text_is_cut_to_the_columns_that_it_may_take(text: str, columns: str | int, shown: str) -> None:
    assert shortened(text, int(columns)) == shown


def test_undecodable_bytes_become_replacement_characters_on_their_lines() -> None:
    data = b"# a\n- bad \xff\xfe byte\n- \xea\xb0\x80 fine\n"

    assert readable_text(decode_text(data)) == "# a\n- bad \ufffd\ufffd byte\n- 가 fine\n"
    assert lines_not_utf8(data) == [2]
    assert readable_bytes(data).decode() == "# a\n- bad \ufffd\ufffd byte\n- 가 fine\n"


@pytest.mark.parametrize("text", ["plain", "가치관", "😀", "\ufffd"])
def test_text_that_was_utf8_stays_as_it_was(text: str) -> None:
    assert is_utf8(text)
    assert readable_text(text) == text
    assert readable_bytes(text.encode()) == text.encode()
    assert shown_path(text) == text


def test_a_path_that_is_not_utf8_is_shown_escaped() -> None:
    assert shown_path("bank/pic\udcff.png") == r"bank/pic\xff.png"


def test_json_for_others_has_no_half_characters() -> None:
    half = "\udcff"
    written = to_json({"text": f"{half} 😀 가", half: [1.5, None]})

    assert json.loads(written) == {"text": "\ufffd 😀 가", "\ufffd": [1.5, None]}
    assert "😀 가" in written


def test_json_escapes_what_would_act_on_a_terminal_and_nothing_else() -> None:
    acting = "user\u202egnp.exe \x9b31m \u2028 \U000e0041"

    written = to_json(f"정직 é {acting}")

    assert written == '"정직 é user\\u202egnp.exe \\u009b31m \\u2028 \\udb40\\udc41"'
    assert json.loads(written) == f"정직 é {acting}"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_wide_text_is_read_only_as_a_whole(encoding: str) -> None:
    text = "\ufeff- W: 가치관 😀\r\n"
    data = text.encode(encoding)

    assert decode_wide(data) == text[1:]
    assert decode_wide(data[:-1]) is None
    assert decode_wide(data + "- W: 덧붙인 줄\n".encode() + b"\n" * 3) is None


@pytest.mark.parametrize(
    ("size", "text", "is_paged"),
    [
        ((0, 0), "one line\n", False),
        ((24, 80), "\x1b[1m정직\x1b[0m\n" * 23, False),
        ((24, 80), "정직\n" * 24, True),
        ((24, 80), "정직" * 20 + "\n" + "정직" * 500 + "\n", True),
    ],
)
def test_only_what_does_not_fit_the_screen_goes_to_a_pager_and_that_reads_utf_8(
    size: tuple[int, int], text: str, is_paged: bool, tmp_path: Path
) -> None:
    pager = tmp_path / "pager"
    pager.write_text('#!/bin/sh\necho "$LESSCHARSET" > "$0.ran"\n')
    pager.chmod(0o700)
    shown = f"from bankd.cli.base import paged\nwith paged(): print({text!r}, end='')"
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(ours, size)
    env = {"PATH": os.environ["PATH"], "LANG": "ko_KR.UTF-8", "TERM": "xterm", "PAGER": str(pager)}
    done = subprocess.Popen([sys.executable, "-X", "utf8", "-c", shown], stdin=theirs, stdout=theirs, env=env)

    assert done.wait(60) == 0
    assert bool(select.select([ours], [], [], 0)[0]) is not is_paged
    ran = tmp_path / "pager.ran"
    assert (ran.read_text() if ran.exists() else "") == ("utf-8\n" if is_paged else "")
    os.close(ours)
    os.close(theirs)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_it_is_the_same_json(value: Any) -> None:
    assert write_json(value) == json.dumps(value)
    assert write_letters(value) == json.dumps(value, ensure_ascii=False)
    assert read_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize("data", [b"", b" ", b"{", b"[1,]", b"1 2", b"{} x", b"\xff", b'"\x01"', b"nul"])
def test_what_is_no_json_is_an_error_of_its_value(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 -- the package says it in other words
        read_json(data)


def test_a_python_without_that_code_uses_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_json", None)

    read, write, write_as_is = bare_json._make()

    assert read(write({"a": ["한", 1.5, None]})) == {"a": ["한", 1.5, None]}
    assert write_as_is("한") == '"한"'


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("Hana's birthday is on 14 March.", "Hana's birthday is on 15 March.", "14 March"),
        ("하나의 생일은 3월 14일이다.", "하나의 생일은 3월 15일이다.", "3월 14일이다"),
        ("The choir meets at 19:00 on Tuesday.", "The choir meets at 19:30 on Tuesday.", "19:00"),
        ("All is new.", "Nothing was there before", "All is new"),
    ],
)
def test_of_two_texts_the_part_that_differs_is_a_whole_day(old: str, new: str, part: str) -> None:
    assert other_part(old, new) == part

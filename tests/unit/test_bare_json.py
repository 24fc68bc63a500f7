"""JSON without the package of that name says and reads what the package does."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankd.pages import bare_json
from bankd.pages.bare_json import read_json, write_json, write_letters

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

"""JSON without the package `json`: that imports regular expressions, half the time of a hook that asks the daemon.

The same C code does the work. Where this Python has it in another form, the package is used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class _Reading:
    """The settings that the scanner reads when it is made: plain values, strictly."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def _make() -> tuple[Callable[[str], Any], Callable[[object], str], Callable[[object], str]]:
    try:
        from _json import encode_basestring, encode_basestring_ascii, make_encoder, make_scanner  # noqa: PLC0415 -- may not be there

        scan = make_scanner(_Reading)  # type: ignore[arg-type]
        ascii_ = make_encoder(None, _refuse, encode_basestring_ascii, None, ": ", ", ", False, False, True)
        letters = make_encoder(None, _refuse, encode_basestring, None, ": ", ", ", False, False, True)
        return (
            lambda text: _scan_whole(scan, text),
            lambda value: "".join(ascii_(value, 0)),
            lambda value: "".join(letters(value, 0)),
        )
    except (ImportError, AttributeError, TypeError):
        import json  # noqa: PLC0415 -- slow

        return json.loads, json.dumps, lambda value: json.dumps(value, ensure_ascii=False)


def _scan_whole(scan: Callable[[str, int], tuple[Any, int]], text: str) -> Any:
    text = text.strip(" \t\n\r")
    try:
        value, end = scan(text, 0)
    except StopIteration:
        raise ValueError("no JSON") from None
    if end != len(text):
        raise ValueError("more than one value")
    return value


def _refuse(value: object) -> None:
    raise TypeError(f"{type(value).__name__} is no JSON")


_read, write_json, write_letters = _make()
"""`write_json` writes a value as JSON in ASCII, `write_letters` with letters as they are."""


def read_json(data: bytes) -> Any:
    """The value that some JSON in UTF-8 holds; raises ValueError."""
    return _read(data.decode())

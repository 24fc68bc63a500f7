"""What a view is asked, and what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from bankd.errors import UsageError


class Shown(NamedTuple):
    """A template and what it needs."""

    template: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a request: bank, view, what of it, the query; the language of the reader; and all banks to be asked."""

    bank: str
    view: str
    what: str
    query: Mapping[str, str]
    language: str
    ask_all: Callable[[dict[str, Any]], dict[str, Any]]

    @property
    def is_korean(self) -> bool:
        """Whether the reader has chosen Korean."""
        return self.language == "ko"

    def text(self, name: str) -> str:
        """A word of the query; empty where it is not there."""
        return self.query.get(name, "").strip()

    def number(self, name: str, default: int, most: int) -> int:
        """A number of the query, `default` where it is missing; UsageError where it is not a number."""
        word = self.text(name) or str(default)
        if not (word.isascii() and word.isdecimal()):
            raise UsageError(f"{name}: {word[:40]} is not a whole number")
        return min(int(word[:9]), most)

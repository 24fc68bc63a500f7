"""What ARCHITECTURE.md names is there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import bankd

PAGE = Path(__file__).parents[2] / "ARCHITECTURE.md"
TOPS = (
    "adapters",
    "app",
    "cli",
    "config",
    "core",
    "cycle",
    "ports",
    "relinking",
    "retention",
    "search",
    "service",
    "wiring",
)
NAMES = sorted(set(re.findall(rf"\b(?:{'|'.join(TOPS)})(?:\.\w+)+", PAGE.read_text(encoding="utf-8"))))


def found(name: str) -> object:
    """What a dotted name below bankd leads to: a module as far as there is one, then attributes."""
    here: object = bankd
    path = "bankd"
    for part in name.split("."):
        path = f"{path}.{part}"
        try:
            here = importlib.import_module(path)
        except ModuleNotFoundError:
            here = getattr(here, part)
    return here


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_walks_is_there(name: str) -> None:
    assert found(name)


def test_the_page_is_short_and_walks_four_ways() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert text.count("\n") <= 80
    assert len(re.findall(r"^## ", text, re.MULTILINE)) == 4
    assert len(NAMES) > 30

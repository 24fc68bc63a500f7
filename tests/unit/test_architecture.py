"""What ARCHITECTURE.md names is there, and what is named is one thing."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from tests.bench.house import homonyms, owners_of_names

import bankd

PAGE = Path(__file__).parents[2] / "ARCHITECTURE.md"
TOPS = (
    "adapters",
    "agents",
    "answering",
    "app",
    "cli",
    "config",
    "core",
    "cycle",
    "look_alikes",
    "ports",
    "rearranging",
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


def test_no_public_name_means_two_things() -> None:
    assert homonyms(owners_of_names()) == {}
    assert homonyms({"key_of": ["turns", "vectors"], "main": ["one", "other"]}) == {"key_of": ["turns", "vectors"]}

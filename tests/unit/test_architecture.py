"""What ARCHITECTURE.md names is there, what is named is one thing, and what the mutants switch off is in the code."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

import bankd
from bench.house import SOURCE, homonyms, owners_of_names
from tests.mutants.switching import MUTANTS

PAGE = Path(__file__).parents[2] / "ARCHITECTURE.md"
TOPS = sorted(path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists())
NAMES = sorted(set(re.findall(rf"(?<![\w/])(?:{'|'.join(TOPS)})(?:\.\w+)+", PAGE.read_text(encoding="utf-8"))))


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


def test_the_page_is_short_and_walks_five_ways() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert text.count("\n") <= 100
    assert len(re.findall(r"^## ", text, re.MULTILINE)) == 5
    assert len(NAMES) > 50


def test_no_public_name_means_two_things() -> None:
    assert homonyms(owners_of_names()) == {}
    assert homonyms({"key_of": ["turns", "vectors"], "main": ["one", "other"]}) == {"key_of": ["turns", "vectors"]}


ROOMS = {
    ".".join(path.parent.relative_to(SOURCE).parts): path
    for path in SOURCE.rglob("__init__.py")
    if path.parent != SOURCE
}


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_the_map_of_a_room_names_its_modules(room: str) -> None:
    said = ast.get_docstring(ast.parse(ROOMS[room].read_text(encoding="utf-8"))) or ""
    modules = {path.stem for path in ROOMS[room].parent.glob("*.py")} - {"__init__"}

    assert sorted(modules - set(re.findall(r"\w+", said))) == []


def test_every_rule_of_the_mutants_is_in_the_code() -> None:
    for mutant in MUTANTS:
        assert mutant.switched(mutant.path_in(SOURCE.parent).read_text(encoding="utf-8")), mutant.rule

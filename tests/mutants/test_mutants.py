"""The table of rules that are switched off keeps up with the code."""

from __future__ import annotations

from pathlib import Path

import pytest

import bankd
from tests.mutants.__main__ import Checkout
from tests.mutants.switching import MUTANTS, Mutant, StaleMutantError

ROOT = Path(__file__).resolve().parents[2]


def one(text: str, place: str = "Shop.price", instead: str = "0") -> Mutant:
    return Mutant("a rule", "shop", place, text, instead, ())


SHOP = "LIMIT = 1\n\nclass Shop:\n    def price(self):\n        return 1 if LIMIT else 1\n\n    def other(self):\n        return 2\n"


def test_each_rule_is_where_the_table_says() -> None:
    package = Path(bankd.__file__).parents[1]  # the checkout, or where a wheel was installed
    sources = {path: path.read_text(encoding="utf-8") for path in {m.path_in(package) for m in MUTANTS}}
    for mutant in MUTANTS:
        source = sources[mutant.path_in(package)]

        assert mutant.switched(source) != source, mutant.rule
        assert all((ROOT / test).is_file() for test in mutant.tests), mutant.rule


def test_no_two_rules_have_one_name() -> None:
    assert len({mutant.rule for mutant in MUTANTS}) == len(MUTANTS) >= 40


def test_only_the_named_place_is_changed() -> None:
    assert one("return 2", "Shop.other", "return 3").switched(SHOP) == SHOP.replace("return 2", "return 3")
    assert one("LIMIT = 1", "", "LIMIT = 0").switched(SHOP).startswith("LIMIT = 0\n")


@pytest.mark.parametrize(
    ("text", "place"), [("return 2", "Shop.price"), ("1", "Shop.price"), ("1", "Shop.gone"), ("1", "gone")]
)
def test_a_rule_that_is_gone_or_ambiguous_is_an_error(text: str, place: str) -> None:
    with pytest.raises(StaleMutantError):
        one(text, place).switched(SHOP)


def test_a_rule_whose_change_is_no_python_is_an_error() -> None:
    with pytest.raises(SyntaxError):
        one("return 2", "Shop.other", "return (").switched(SHOP)


def test_a_copy_has_the_hidden_folders_of_integrations_and_no_environment(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    Checkout(copy)

    assert {path.relative_to(ROOT) for path in (ROOT / "integrations").rglob("*")} == {
        path.relative_to(copy) for path in (copy / "integrations").rglob("*")
    }
    assert not (copy / ".venv").exists()

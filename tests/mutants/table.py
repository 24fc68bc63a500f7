"""The rules that are switched off one by one, read from `rules.tsv`: a row a rule, whose head says what its cells are."""

from __future__ import annotations

from pathlib import Path

from tests.mutants.switching import Mutant


def _mutant_of(row: str) -> Mutant:
    rule, module, place, text, instead, tests = (cell.replace("⏎", "\n") for cell in row.split("\t"))
    return Mutant(rule, module, place, text, instead, tuple(tests.split()))


_ROWS = (Path(__file__).parent / "rules.tsv").read_text(encoding="utf-8").splitlines()
MUTANTS = tuple(_mutant_of(row) for row in _ROWS if not row.startswith("#"))

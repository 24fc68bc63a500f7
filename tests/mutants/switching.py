"""The rules of `rules.tsv`, a row a rule, each switched off: where it stands and what stands there instead.

A rule is found by module, qualified name and its own text, never by line, so code may move around it; one whose text is
gone, or is there twice, is an error and not a mutant that nobody catches.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path


class StaleMutantError(Exception):
    """The code has changed: the text of a rule is not where the table says."""


@dataclass(frozen=True)
class Mutant:
    """A rule in words; where it stands, `""` for the top of a module; its text and the text that switches it off.

    `tests` are the files that must notice.
    """

    rule: str
    module: str
    place: str
    text: str
    instead: str
    tests: tuple[str, ...]

    def path_in(self, package: Path) -> Path:
        """The file of the module, given the folder that the package lies in."""
        path = package.joinpath(*self.module.split("."))
        return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

    def switched(self, source: str) -> str:
        """The source of the module with the rule switched off."""
        here = lines_of(source, self.place)
        if here is None:
            raise StaleMutantError(f"{self.rule}: there is no {self.place} in {self.module}")
        lines = source.splitlines(keepends=True)
        text = "".join(lines[here])
        if text.count(self.text) != 1:
            times = text.count(self.text)
            raise StaleMutantError(f"{self.rule}: {self.text!r} stands {times} times in {self.module} {self.place}")
        changed = text.replace(self.text, self.instead)
        ast.parse(f"if True:\n{changed}" if changed[:1] == " " else changed)  # a method alone is enough to see a slip
        return "".join((*lines[: here.start], changed, *lines[here.stop :]))


def lines_of(source: str, place: str) -> slice | None:
    """The lines of a class, function or method by its qualified name; all lines without a name."""
    if not place:
        return slice(0, len(source.splitlines()))
    scope: ast.AST | None = _tree_of(source)
    for name in place.split("."):
        scope = scope and next(
            (node for node in ast.iter_child_nodes(scope) if getattr(node, "name", "") == name), None
        )
    if not isinstance(scope, ast.ClassDef | ast.FunctionDef):
        return None
    return slice(scope.lineno - 1, scope.end_lineno)


@cache
def _tree_of(source: str) -> ast.Module:
    """A module read once for all its rules."""
    return ast.parse(source)


def _mutant_of(row: str) -> Mutant:
    rule, module, place, text, instead, tests = (cell.replace("⏎", "\n") for cell in row.split("\t"))
    return Mutant(rule, module, place, text, instead, tuple(tests.split()))


_ROWS = (Path(__file__).parent / "rules.tsv").read_text(encoding="utf-8").splitlines()
MUTANTS = tuple(_mutant_of(row) for row in _ROWS if not row.startswith("#"))

"""Every text with which bankd speaks to people, found by walking its code; `{}` stands for what changes in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import bankd

ROOT = Path(bankd.__file__).parent
_SILENT = {
    "agents", "briefing", "fleet/opensearch.py", "fleet/writer.py", "index", "night", "same", "secrets",
    "transcripts", "translate.py", "ui", "words", "workers/analyser.py", "workers/vector_worker.py", "cli/hook.py", "fleet/registry.py", "fleet/shared.py",
    "pages/page.py", "ports.py", "search/score.py", "workspace/graph.py", "workspace/catalog.py", "system/files.py",
    "wiring/briefings.py",
}  # fmt: skip
"""Rooms and modules whose texts no person reads: prompts, texts for agents, words, SQL. Their errors are read all the same."""
_SPOKEN = {"agents/connect.py", "briefing/choose.py", "same.py", "index/told.py"}
_READ_BY_PROGRAMS = {
    *["ProtocolError", "TypeError", "KeyError", "RuntimeError", "OSError", "FileExistsError", "DatabaseError"]
}
_SENTENCE = re.compile(r"(?:[A-Za-z]{2,}|\{\})[,:;]? \(?[a-z]{2,}|^[a-z]{3,} \{\}|^\{\} [a-z]{3,}")
_NO_PROSE = re.compile(
    r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WHERE)\b|\\b|\(\?|%[sd]|\$\w*word|COMP_|complete -|compdef|_bankctl|local -a|commands=\(|# bankctl, for|import sys;|^from bankd[.]"
)
_NO_MESSAGE = re.compile(
    r"[#>] .*|<!--.*|[#\w]+ \{ \w+: .*|bold underline|- \{target.*|Callback with id|.*\bJSON object by.*|That cannot be used.*"
    r"|[a-z_ ]*_[a-z_ ]*|at by call .*|digests needs|to type undoes .*|\{\} --workspace .*"
    r"|(?:Pages|Clients|Memories|How long|When a job|Failed runs|Times|Findings|Changed files|Requests|Lines|Planned runs) .*\."
)
"""Comments in files, styles, prompts, names of fields, metrics."""
_COMMAND = re.compile(
    r"(?!.*\b(?:shows|lists|prints|finds|uses|may|does|takes)\b)(?:bankctl|bankd|systemctl|loginctl|sysctl|cd|openclaw|chmod|ssh|git) [^,;()]*|\{\}\W*|[\W\d]*"
)
"""A command to type, or only values: the same in every language."""


def templates(node: ast.expr) -> Iterator[str]:
    """The texts that an expression may have."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in values)
        case ast.IfExp(body=body, orelse=orelse):
            yield from templates(body)
            yield from templates(orelse)
        case ast.BoolOp(values=values):
            for one in values:
                yield from templates(one)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            pairs = product([*templates(left)] or ["{}"], [*templates(right)] or ["{}"])
            yield from ("".join(pair) for pair in pairs)


def _is_silent(name: str) -> bool:
    return name not in _SPOKEN and bool({name, name.partition("/")[0]} & _SILENT)


def _called(node: ast.AST) -> str:
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
    return ""


class _Walk(ast.NodeVisitor):
    """Collects the texts of one module."""

    def __init__(self, name: str) -> None:
        self.found: set[str] = set()
        self._name, self._is_silent = name, _is_silent(name)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = _called(node)
        if name in {"_", "translate"}:
            self.found.update(text for one in node.args[:1] for text in templates(one))
        elif name == "counted" and any(isinstance(one, ast.Constant) for one in node.args[1:]):
            words = [one.value for one in node.args[1:] if isinstance(one, ast.Constant)]
            self.found.add(f"{{}} {words[1] if len(words) > 1 and words[1] else f'{words[0]}s'}")
        elif (
            name.endswith("Error") and name not in _READ_BY_PROGRAMS and not (name == "ValueError" and self._is_silent)
        ):
            for one in node.args:
                self.found.update(templates(one))
        elif name in {"debug", "info", "warning", "error", "critical", "compile", "execute"} and isinstance(
            node.func, ast.Attribute
        ):
            return
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._take(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self._take(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        self._take(node)

    def _take(self, node: ast.expr) -> None:
        for text in () if self._is_silent else templates(node):
            if _SENTENCE.search(text) and not _NO_PROSE.search(text):
                self.found.add(text)
        if not isinstance(node, ast.Constant):
            for inner in ast.iter_child_nodes(node):
                if isinstance(inner, ast.FormattedValue | ast.BinOp | ast.IfExp | ast.Call):
                    self.visit(inner)


def messages() -> dict[str, str]:
    """Each text, with the module that says it."""
    said: dict[str, str] = {}
    for file in sorted(ROOT.rglob("*.py")):
        if "_shipped" in file.parts:  # in a wheel: what agents load, which is not translated
            continue
        name = file.relative_to(ROOT).as_posix()
        walk = _Walk(name)
        walk.visit(ast.parse(file.read_text("utf-8")))
        for text in walk.found:
            for line in re.sub(r"\{\w*\}", "{}", text).split("\n"):
                if (
                    re.search(r"[a-z]{2,}", line)
                    and not _COMMAND.fullmatch(line.strip())
                    and not _NO_PROSE.search(line)
                    and not _NO_MESSAGE.fullmatch(line.strip())
                    and not _NO_MESSAGE.fullmatch(line.strip())
                ):
                    said.setdefault(line.strip(), name)
    return said

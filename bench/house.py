"""The house in numbers: how large its rooms and modules are, how its names read, how often one line crosses a wall.

    python -m bench.house

A name is of one word when it has no underscore, no second capital and no digit; a homonym is a public name that two or
more modules define. A crossing is a call from a function of one layer to a function of another; properties, which the
interpreter calls too, count.
"""

from __future__ import annotations

import ast
import io
import statistics
import sys
import tempfile
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from types import FrameType
from typing import TypeAlias

import bankd
from bankd.cli import main

SOURCE = Path(bankd.__file__).parent
SMALL = 60
"""Lines below which a module with one caller could stand in that one (issue 15)."""


def modules() -> Iterator[tuple[str, Path, ast.Module]]:
    """Each module of the package: its dotted name below bankd, its file, its tree."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        yield name, path, ast.parse(path.read_text(encoding="utf-8"))


def code_lines(path: Path, tree: ast.Module) -> int:
    """Lines with code on them: without docstrings, comments and blanks."""
    docs: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docs.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    with path.open("rb") as file:
        tokens = [token for token in tokenize.tokenize(file.readline) if token.type not in skipped]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    return len(lines - docs - {0})


def public_names(tree: ast.Module) -> list[str]:
    """The functions and classes of a module that others may use."""
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    ]


def is_one_word(name: str) -> bool:
    """Whether a name is a single word."""
    return "_" not in name.strip("_") and not any(c.isupper() or c.isdigit() for c in name[1:])


def room_of(name: str) -> str:
    """The package that a module lies in."""
    return name.rpartition(".")[0] or "bankd"


def print_rooms() -> None:
    """Print modules and lines a room, names and homonyms, and the whole."""
    rooms: dict[str, list[int]] = defaultdict(list)
    code, names, owners = 0, Counter[bool](), owners_of_names()
    for name, path, tree in modules():
        rooms[room_of(name)].append(path.read_text(encoding="utf-8").count("\n"))
        code += code_lines(path, tree)
        for public in public_names(tree):
            names[is_one_word(public)] += 1
    print(f"{'room':24} modules  median  90 %  lines")
    for room, sizes in sorted(rooms.items()):
        high = sorted(sizes)[int(len(sizes) * 0.9) if len(sizes) > 1 else 0]
        print(f"{room:24} {len(sizes):7} {statistics.median(sizes):7.0f} {high:5} {sum(sizes):6}")
    print(f"\n{code} lines of code in {sum(map(len, rooms.values()))} modules")
    print(f"{names[True] / names.total():.0%} of {names.total()} public names are one word")
    shared = homonyms(owners)
    print(f"{len(shared)} homonyms: " + ", ".join(f"{name} ({len(where)})" for name, where in shared.items()))
    small = small_modules()
    print(f"{len(small)} modules under {SMALL} lines with one caller:")
    for name, (lines, caller) in small.items():
        print(f"  {name:42} {lines:3}  {caller}")


def small_modules() -> dict[str, tuple[int, str]]:
    """Modules under 60 lines, that one other imports, with their lines and this one."""
    parts = {name: (path, tree) for name, path, tree in modules()}
    callers: dict[str, set[str]] = defaultdict(set)
    for name, (_, tree) in parts.items():
        for imported in _imports(tree):
            callers[imported].add(name)
    sizes = {name: path.read_text(encoding="utf-8").count("\n") for name, (path, _) in parts.items()}
    return {
        name: (size, next(iter(callers[name])))
        for name, size in sizes.items()
        if size < SMALL and len(callers[name]) == 1 and not name.endswith("__init__")
    }


def _imports(tree: ast.Module) -> Iterator[str]:
    """The modules that one imports, at its top or in a function: each name below bankd that it may mean."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("bankd"):
            module = node.module.removeprefix("bankd").removeprefix(".")
            yield module
            yield from (f"{module}.{one.name}".removeprefix(".") for one in node.names)


def owners_of_names() -> dict[str, list[str]]:
    """The modules that define each public name."""
    owners: dict[str, list[str]] = defaultdict(list)
    for name, _, tree in modules():
        for public in public_names(tree):
            owners[public].append(name)
    return owners


def homonyms(owners: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Public names that several modules define, with these."""
    return {name: where for name, where in sorted(owners.items()) if len(where) > 1 and name not in _CONTRACTS}


_CONTRACTS = frozenset({"configure", "run", "main"})  # what every command of the command line has, by contract


Place: TypeAlias = tuple[str, str]
"""A module and a function in it."""


def print_walks() -> None:
    """Print what the walks of ARCHITECTURE.md pass, and how many calls from one layer into another a line makes."""
    walks = dict(_walk())
    print("\nwalk              modules  functions    calls")
    for name, calls in walks.items():
        passed = {callee for _, callee in calls if not callee[1].endswith(">")}  # with a name of its own
        print(f"{name:17} {len({module for module, _ in passed}):7} {len(passed):10} {calls.total():8}")
    layers = Counter[Place]()
    for (caller, callee), count in walks["a line of a log"].items():
        layers[_layer(caller), _layer(callee)] += count
    crossing = {pair: count for pair, count in layers.items() if pair[0] != pair[1]}
    print(f"\none line: {layers.total()} calls, {sum(crossing.values())} from one layer to another")
    for (from_, to), count in sorted(crossing.items(), key=lambda item: -item[1])[:12]:
        print(f"  {from_:10} -> {to:10} {count}")


def _walk() -> Iterator[tuple[str, Counter[tuple[Place, Place]]]]:
    """Take the walks in a small workspace, without a daemon and with what is imported already: from call to call."""
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        workspace, log = ["--workspace", folder], Path(folder, "memory", "2026-05-04.md")
        main(["init", folder])
        log.write_text("- W: The production deploy runs at 10:00 on Tuesdays.\n", encoding="utf-8")
        main(["cycle", "micro", *workspace, "--now", "2026-05-05T03:00"])
        log.write_text(log.read_text(encoding="utf-8") + "- W: Coffee beans come from Jeju.\n", encoding="utf-8")
        yield "a line of a log", _profiled(["cycle", "micro", *workspace, "--now", "2026-05-05T04:00"])
        main(["search", "deploy", *workspace])
        yield "a query", _profiled(["search", "coffee beans", *workspace])
        page = next(path for path in Path(folder, "bank").rglob("*.md") if "deploy" in path.read_text(encoding="utf-8"))
        page.write_text(page.read_text(encoding="utf-8").replace("10:00", "11:00"), encoding="utf-8")
        yield "an outside edit", _profiled(["cycle", "micro", *workspace, "--now", "2026-05-06T04:00"])
        sections = (f"\n## Part {part}\n\n" + "- A line of some length that says nothing.\n" * 40 for part in range(4))
        page.write_text(page.read_text(encoding="utf-8") + "".join(sections), encoding="utf-8")
        split = ["page", "split", page.relative_to(Path(folder, "bank")).as_posix(), *workspace]
        yield "a split", _profiled(split)


def _profiled(arguments: list[str]) -> Counter[tuple[Place, Place]]:
    calls: Counter[tuple[Place, Place]] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (callee := _place(frame)) and frame.f_back and (caller := _place(frame.f_back)):
            calls[caller, callee] += 1

    sys.setprofile(count)
    try:
        main(arguments)
    finally:
        sys.setprofile(None)
    return calls


def _place(frame: FrameType) -> Place | None:
    name = str(frame.f_globals.get("__name__", ""))
    is_ours = name.startswith("bankd.") and frame.f_code.co_name != "<module>"
    return (name, frame.f_code.co_qualname) if is_ours else None


def _layer(place: Place) -> str:
    return place[0].split(".")[1]


if __name__ == "__main__":
    print_rooms()
    print_walks()

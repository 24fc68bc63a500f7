"""What a row and the preview show, and how an editor opens a line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from textual.content import Content

from bankd.core.agents.recalled import relation_of
from bankd.core.markdown.display import show_line

Hit: TypeAlias = Mapping[str, Any]
Styled: TypeAlias = tuple[str, str]

_AT_PLACE = {"code", "codium", "code-insiders", "cursor", "windsurf", "zed", "subl", "hx", "helix"}
"""Editors that take `file:line`; the first ones after `-g`."""
_AFTER_GOTO = {"code", "codium", "code-insiders", "cursor", "windsurf"}
_AT_LINE = {"vi", "vim", "nvim", "gvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "pico", "view"}
"""Editors that take `+line file`."""
_AROUND = 8
"""Lines of the page that the preview shows before and after."""


def editor_command(editor: str, path: str, line: int) -> list[str]:
    """The words that open a file at a line in an editor as `$EDITOR` names it, with what else stands there."""
    words = shlex.split(editor) or ["vi"]
    name = words[0].rpartition("/")[2]
    if name in _AT_PLACE:
        return [*words, *(["-g"] if name in _AFTER_GOTO else []), f"{path}:{line}"]
    return [*words, f"+{line}", path] if name in _AT_LINE else [*words, path]


def row_of(hit: Hit) -> Content:
    """A hit on one line: its text with the words of the question marked, and where it stands."""
    return Content.assemble(*_row(hit))


def _row(hit: Hit) -> Iterator[Styled]:
    if relation := relation_of(hit):
        yield f"[{show_line(relation)}] ", "yellow"
    text, at = str(hit["text"]).replace("\n", " "), 0
    for start, end in hit["marks"]:
        yield show_line(text[at:start]), ""
        yield show_line(text[start:end]), "bold underline"
        at = end
    yield show_line(text[at:]), ""
    yield f"  {standing_place(hit)}", "dim"


def standing_place(hit: Hit) -> str:
    """Where a hit stands, with its bank where several were asked."""
    bank = f"{hit['bank']}: " if hit.get("bank") else ""
    return show_line(f"{bank}{hit['path']}:{hit['line']}")


def preview_of(hit: Hit, page: Sequence[str]) -> Content:
    """A hit with its days, what became of it, and the lines of its page around it."""
    facts = [
        standing_place(hit),
        hit["when"],
        f"^{hit['id']}" if hit["id"] else "",
        hit["became"] or relation_of(hit) or "",
    ]
    head = "  ".join(show_line(fact) for fact in facts if fact)
    return Content.assemble((f"{head}\n\n", "dim"), *_lines_around(int(hit["line"]), page))


def _lines_around(line: int, page: Sequence[str]) -> Iterator[Styled]:
    first = max(1, line - _AROUND)
    for number, text in enumerate(page[first - 1 : line + _AROUND], first):
        yield f"{show_line(text)}\n", "bold" if number == line else "dim"


def summary_of(answer: Mapping[str, Any], asked: str, banks: int) -> str:
    """What is said below the answers: how many, of how many banks, and what is wrong with any."""
    hits, problems = answer["hits"], answer.get("problems", {})
    nothing = "nothing relevant; nearest, maybe about something else" if answer["nearest"] else "nothing relevant"
    said = f"{len(hits)} answers" if hits else nothing if asked else "type a question"
    wrong = "; ".join(f"{bank}: {why}" for bank, why in problems.items())
    notes = [said, "all banks" if banks > 1 else "", answer["fresh"]["note"], wrong]
    return show_line("  ·  ".join(note for note in notes if note))

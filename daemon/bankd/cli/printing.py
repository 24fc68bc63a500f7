"""How commands print: colour on a terminal only, nothing that a memory holds can move the cursor.

How answers of search look on paper and on a terminal.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, TextIO

from bankd.briefing.recalled import relation_of
from bankd.cli.base import write_json
from bankd.pages.text import make_visible, show_line

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


def has_colour(stream: TextIO) -> bool:
    """Whether to colour: `NO_COLOR` forbids, `FORCE_COLOR` asks, else only a terminal gets it."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def say(text: str = "") -> None:
    """Print lines that bankd wrote or styled itself."""
    sys.stdout.write(text + "\n")


def say_json(value: object) -> None:
    """Print one JSON object on one line; Hangul stays Hangul, and nothing in it can move the cursor."""
    write_json(value)


def say_answer(whole: object, *lines: str, as_json: bool) -> int:
    """Print one JSON object, or for people those of these lines that say something; gives exit code 0."""
    if as_json:
        say_json(whole)
    else:
        for line in filter(None, lines):
            say(line)
    return 0


def styled(text: str, *styles: str) -> str:
    """A text made safe for one line of a terminal, styled where colour is wanted."""
    safe = show_line(text)
    if not safe or not styles or not has_colour(sys.stdout):
        return safe
    codes = ";".join(_STYLES[style] for style in styles)
    return f"\x1b[{codes}m{safe}\x1b[0m"


def plain(text: str) -> str:
    """A text made safe for a terminal, line breaks kept."""
    return make_visible(text)


def width(text: str) -> int:
    """Columns that a text takes: Hangul takes two a syllable."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


@lru_cache(maxsize=4_096)
def _columns_of(character: str) -> int:
    """Columns of one character: two where it is wide, none where it stands on the one before."""
    return 2 if unicodedata.east_asian_width(character) in "WF" else not unicodedata.combining(character)


def padded(text: str, columns: int) -> str:
    """A text filled up with spaces to a width in columns."""
    return text + " " * max(0, columns - width(text))


def shortened(text: str, columns: int) -> str:
    """A text cut to a width in columns, with an ellipsis where something was cut."""
    text = " ".join(text.split())
    return text if width(text) <= columns else _beginning(text, columns - 1) + "…"


def _beginning(text: str, columns: int) -> str:
    """As much of a text as fits into a width in columns."""
    for at, character in enumerate(text):
        columns -= _columns_of(character)
        if columns < 0:
            return text[:at]
    return text


class Progress:
    """A bar on standard error while long work goes on; nothing where that is no terminal."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, max(total, 1), 0
        self._shown = sys.stderr.isatty() and not os.environ.get("NO_PROGRESS")

    def step(self, note: str = "", by: int = 1) -> None:
        """Show that more of `total` is done."""
        self._done += by
        if self._shown:
            filled = 24 * self._done // self._total
            bar = "#" * filled + "-" * (24 - filled)
            sys.stderr.write(f"\r\x1b[K{self._what} [{bar}] {shortened(show_line(note), 40)}")
            sys.stderr.flush()

    def close(self) -> None:
        """Take the bar away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def reads_korean() -> bool:
    """Whether the reader has chosen Korean."""
    return next(filter(None, map(os.environ.get, ("LC_ALL", "LC_TIME", "LANG"))), "").startswith("ko")


Hit = Mapping[str, Any]
NEAREST = "nearest, maybe about something else"


def print_answer(answer: Mapping[str, Any], roots: Mapping[str, str], *, by_page: bool, explain: bool) -> None:
    """Print the hits of an answer; each begins with `page:line`, which editors and terminals open.

    `roots` is what stands before the paths of each bank by its name, that of an answer of one bank by "".
    """
    if not answer["hits"]:
        say(f"nothing relevant; {NEAREST}:" if answer["nearest"] else "nothing relevant")
    hits = [_located(hit, roots) for hit in answer["hits"] or answer["nearest"]]
    if by_page:
        _print_by_page(hits)
    else:
        for hit in hits:
            _print_hit(hit)
            if explain:
                say("    " + styled("  ".join(f"{name} {part:.3f}" for name, part in hit["parts"].items()), "dim"))
    say_left_off(answer)
    for one in answer["see_also"]:
        _print_beside(_located(one, roots))
    for line in (*_remarks(answer["fresh"]), *(f"{bank}: {why}" for bank, why in answer.get("problems", {}).items())):
        say(styled(line, "yellow"))


def say_left_off(answer: Mapping[str, Any]) -> None:
    """Say how much more there is of the days that were asked about."""
    if more := answer["left_off"]:
        say(styled(f"{more} more of these days; -n 0 shows up to a hundred", "dim"))


def _located(hit: Hit, roots: Mapping[str, str]) -> Hit:
    """A hit with its path as an editor started here opens it."""
    return {**hit, "path": f"{roots[hit.get('bank', '')]}{hit['path']}"}


def _print_hit(hit: Hit) -> None:
    heading = " > ".join(hit["heading"])
    place, score = f"{hit['path']}:{hit['line']}", f"{hit['score']:.2f}"
    parts = [
        styled(place, "cyan"),
        styled(hit.get("bank", ""), "bold"),
        styled(score, "dim"),
        styled(heading),
        styled(hit["when"], "dim"),
        _id_of(hit),
    ]
    said = f"said {hit['said']}" if hit["said"] else ""
    parts += [styled(said, "dim"), styled(hit["folded"], "dim")]
    say("  ".join(part for part in parts if part))
    say(f"    {marked_text(hit)}")
    if hit["became"]:
        say(f"    {styled(hit['became'], 'dim')}")


def _print_by_page(hits: Sequence[Hit]) -> None:
    order = {path: place for place, path in reversed(list(enumerate(hit["path"] for hit in hits)))}
    for path, group in groupby(sorted(hits, key=lambda hit: order[hit["path"]]), key=lambda hit: str(hit["path"])):
        say(styled(path, "cyan", "bold"))
        for hit in group:
            became = f"({hit['became']})" if hit["became"] else ""
            after = [styled(hit["when"], "dim"), _id_of(hit), styled(became, "dim")]
            say("  ".join(["", styled(str(hit["line"]), "dim"), marked_text(hit), *after]).rstrip())


def _print_beside(one: Hit) -> None:
    """What belongs to the answer, on one line, with the tie."""
    place = one["path"] if one["line"] is None else f"{one['path']}:{one['line']}"
    step = one["steps"][-1]
    told = styled(f"({step['tie']}, {step['source']})", "dim")
    text = styled(str(one["text"]).replace("\n", " "))
    say("  ".join(part for part in (styled("see also", "dim"), styled(place, "cyan"), text, _id_of(one), told) if part))


def _id_of(hit: Hit) -> str:
    """What `bankctl show` and Obsidian know the memory by; nothing for a line that has no id yet."""
    return styled(f"^{hit['id']}", "dim") if hit["id"] else ""


def marked_text(hit: Hit) -> str:
    """The text on one line, made safe, with the words of the query in bold on a terminal."""
    text, pieces, at = str(hit["text"]), [], 0
    for start, end in hit["marks"]:
        pieces += [styled(text[at:start].replace("\n", " ")), styled(text[start:end], "bold")]
        at = end
    tag = f"{hit['tag']}: " if hit.get("tag") else ""
    if told := relation_of(hit):
        tag = styled(f"[{told}] ", "yellow") + tag
    return tag + "".join(pieces) + styled(text[at:].replace("\n", " "))


def _remarks(fresh: Mapping[str, Any]) -> list[str]:
    remarks = [str(fresh["note"])] if fresh["note"] else []
    if fresh["meaning"] not in {"off", "on"}:
        remarks.append(f"by words; meaning: {fresh['meaning']}")
    if fresh["pending"]:
        remarks.append(f"{fresh['pending']} changed pages are not in the index yet (it is of {fresh['updated']})")
    return remarks

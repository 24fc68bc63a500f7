"""How commands print: styles on a terminal only, text made safe, JSON, progress, and the answers of search.

Nothing that a memory holds can move the cursor: all text from outside goes through `styled` or `plain`.
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
from bankd.pages.text import make_visible, show_line, to_json

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


def say(text: str = "") -> None:
    """Print lines that bankd wrote or made safe itself."""
    sys.stdout.write(text + "\n")


def say_json(value: object) -> None:
    """Print a value as JSON on one line; letters that the terminal's encoding does not have are escaped."""
    line = to_json(value)
    try:
        line.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        import json

        line = json.dumps(json.loads(line))
    say(line)


def say_answer(whole: object, *lines: str, as_json: bool) -> int:
    """Print `whole` as JSON, or for people the lines that are not empty; gives exit code 0."""
    if as_json:
        say_json(whole)
    else:
        for line in filter(None, lines):
            say(line)
    return 0


def has_colour(stream: TextIO) -> bool:
    """Whether to colour: `NO_COLOR` forbids, `FORCE_COLOR` asks, else only a terminal gets it."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


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


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 memory`, `3 memories`. `many` is the plural where it is not `one` with an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def width(text: str) -> int:
    """Columns that a text takes: a syllable of Hangul takes two."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


@lru_cache(maxsize=4_096)
def _columns_of(character: str) -> int:
    """Columns of one character: two where it is wide, none where it combines with the one before."""
    return 2 if unicodedata.east_asian_width(character) in "WF" else not unicodedata.combining(character)


def padded(text: str, columns: int) -> str:
    """A text filled up with spaces to a width in columns."""
    return text + " " * max(0, columns - width(text))


def shortened(text: str, columns: int) -> str:
    """A text on one line, cut to a width in columns, with an ellipsis where something was cut."""
    text = " ".join(text.split())
    if width(text) <= columns:
        return text
    left = columns - 1
    for at, character in enumerate(text):
        left -= _columns_of(character)
        if left < 0:
            return text[:at] + "…"
    return text


class Progress:
    """A bar on standard error while long work goes on; nothing where that is no terminal."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, max(total, 1), 0
        self._shown = sys.stderr.isatty() and not os.environ.get("NO_PROGRESS")

    def step(self, note: str = "", by: int = 1) -> None:
        """Show that more of `total` is done."""
        self._done += by
        filled = 24 * self._done // self._total
        bar = "#" * filled + "-" * (24 - filled)
        self._write(f"{self._what} [{bar}] {shortened(show_line(note), 40)}")

    def close(self) -> None:
        """Remove the bar."""
        self._write("")

    def _write(self, line: str) -> None:
        if self._shown:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()


def reads_korean() -> bool:
    """Whether the reader has chosen Korean."""
    return next(filter(None, map(os.environ.get, ("LC_ALL", "LC_TIME", "LANG"))), "").startswith("ko")


Hit = Mapping[str, Any]
NEAREST = "nearest, maybe about something else"


def print_answer(answer: Mapping[str, Any], roots: Mapping[str, str], *, by_page: bool, explain: bool) -> None:
    """Print the hits of an answer; each begins with `page:line`, which editors and terminals open.

    `roots` has for each bank, by its name, what to write before its paths; an answer of one bank has the name "".
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
        beside, tie = _located(one, roots), one["steps"][-1]
        text, why = styled(str(one["text"]).replace("\n", " ")), styled(f"({tie['tie']}, {tie['source']})", "dim")
        _say_row(styled("see also", "dim"), styled(printed_place(beside), "cyan"), text, _id_of(one), why)
    fresh = answer["fresh"]
    remarks = [str(fresh["note"])] if fresh["note"] else []
    if fresh["meaning"] not in {"off", "on"}:
        remarks.append(f"found by words only; meaning: {fresh['meaning']}")
    if pending := fresh["pending"]:
        pages = counted(pending, "changed page is", "changed pages are")
        remarks.append(f"{pages} not in the index yet (last updated {fresh['updated']})")
    for line in (*remarks, *(f"{bank}: {why}" for bank, why in answer.get("problems", {}).items())):
        say(styled(line, "yellow"))


def say_left_off(answer: Mapping[str, Any]) -> None:
    """Say how many more memories there are of the days that were asked about."""
    if more := answer["left_off"]:
        say(styled(f"{more} more of these days; -n 0 shows up to a hundred", "dim"))


def printed_place(hit: Hit) -> str:
    """Where it stands: `path:line`, or the path alone."""
    return str(hit["path"]) if hit["line"] is None else f"{hit['path']}:{hit['line']}"


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


def _located(hit: Hit, roots: Mapping[str, str]) -> Hit:
    """A hit with its path as an editor that is started here opens it."""
    return {**hit, "path": f"{roots[hit.get('bank', '')]}{hit['path']}"}


def _print_hit(hit: Hit) -> None:
    said = f"said {hit['said']}" if hit["said"] else ""
    bank, score, heading = hit.get("bank", ""), f"{hit['score']:.2f}", " > ".join(hit["heading"])
    head = styled(printed_place(hit), "cyan"), styled(bank, "bold"), styled(score, "dim"), styled(heading)
    _say_row(*head, styled(hit["when"], "dim"), _id_of(hit), styled(said, "dim"), styled(hit["folded"], "dim"))
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


def _say_row(*parts: str) -> None:
    say("  ".join(filter(None, parts)))


def _id_of(hit: Hit) -> str:
    """The id by which `bankctl show` and Obsidian know the memory; empty for a line that has none yet."""
    return styled(f"^{hit['id']}", "dim") if hit["id"] else ""

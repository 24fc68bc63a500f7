"""A Retain line from what a person typed: with its tag, on one line, and one that the next run will understand."""

from __future__ import annotations

from collections.abc import Iterable

from bankd.core.lifecycle.retain import PROFILES, clean_text, read_log
from bankd.core.markdown.memory import parse_head
from bankd.errors import UsageError


def retain_line(text: str, tag: str | None, confidence: float | None = None, questions: Iterable[str] = ()) -> str:
    """Make the list item for a log, the questions that it answers below it; UsageError when it would be a bad line there."""
    said = _one_line(text).removeprefix("- ")
    head = parse_head(said)
    tagged = head is not None and (head.tag in PROFILES["default"] or len(head.tag) == 1)
    if head and tagged and tag not in {None, head.tag}:
        raise UsageError(f"the text has the tag {head.tag} and --tag says {tag}; leave out one of them")
    line = f"- {said}" if tagged else f"- {_head_for(said, tag or 'W', confidence)}{said}"
    reading = read_log("", f"## Retain\n{line}\n", anywhere=True)
    if reading.bad or not reading.lines:
        reason = reading.bad[0].reason if reading.bad else "it has no text"
        raise UsageError(f"cannot be remembered: {reason}")
    return line + "".join(f"\n  ? {asked}" for asked in filter(None, map(_question, questions)))


def _question(text: str) -> str:
    return _one_line(text).removeprefix("? ").strip()


def _one_line(text: str) -> str:
    return " ".join(clean_text(text).split())


def _head_for(said: str, tag: str, confidence: float | None) -> str:
    """What must stand before a text without a tag; `@Peter: …` has its colon already."""
    sure = "" if confidence is None else f"(c={confidence:.2f})"
    named = f"{tag}{sure} "
    return named if said.startswith("@") and parse_head(named + said) else f"{tag}{sure}: "

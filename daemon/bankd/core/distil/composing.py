"""What a model said of a section as the text of a log: lines that are believed, and lines that a person should look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple

from bankd.core.distil.observing import DistilledLine
from bankd.core.distil.sections import DISTILLED, FOLDER, ProseSection, distilled_mark, opening_of
from bankd.core.grounding.attesting import find_unattested
from bankd.core.grounding.passages import Passage, is_named, sentences_of
from bankd.core.lifecycle.retain import LogPlace
from bankd.errors import bug_in

ReadPassage = Callable[[str], Passage]
"""Takes a sentence apart."""


class JudgedLine(NamedTuple):
    """A line of a model, and why it is not believed; None where it is."""

    line: DistilledLine
    reason: str | None


def log_of(section: ProseSection, today: date) -> str:
    """The name below `memory/` of the log that gets the lines of a section: that of its day."""
    return f"{FOLDER}/{LogPlace(section.log, 1).day(today).isoformat()}.md"


def texts_in(section: ProseSection, lines: Sequence[DistilledLine]) -> set[str]:
    """All that has to be taken apart to judge these lines."""
    sources = {number for line in lines for number in line.sources}
    return {*(line.text for line in lines), *_sentences(section, sources)}


def _sentences(section: ProseSection, numbers: set[int]) -> list[str]:
    return [sentence for text in section.texts_of(numbers) for sentence in sentences_of(text)]


def judge_line(line: DistilledLine, section: ProseSection, today: date, read: ReadPassage) -> JudgedLine:
    """A line without the entities that its sources do not name, and whether they say what it says."""
    sentences = _sentences(section, set(line.sources))
    said = " ".join(sentences).casefold()
    entities = tuple(name for name in line.entities if is_named(name.casefold(), said))
    day = LogPlace(section.log, 1).day(today)
    try:
        reason = find_unattested(read(line.text), [read(sentence) for sentence in sentences], day)
    except Exception as error:  # what cannot be checked is not believed; all other lines are
        reason = bug_in("it could not be checked", error)
    return JudgedLine(line._replace(entities=entities), reason)


def compose(section: ProseSection, judged: Sequence[JudgedLine], log: str, *, is_new: bool, by: str = DISTILLED) -> str:
    """The text that is put at the end of a distilled log; the lines in it name the lines that they rest on.

    Those with a reason wait for a person: `by` a model as not believed, by the rules as proposed.
    """
    opening = opening_of(log) if is_new else ""
    lines = [_as_line(one, section, "refused" if by == DISTILLED else by) for one in judged]
    return "\n".join([opening, *lines, "", distilled_mark(section.key, by), ""])


def _as_line(judged: JudgedLine, section: ProseSection, doubt: str) -> str:
    line, reason = judged
    about = "".join(f" @{name}" for name in line.entities)
    place = f"memory/{section.log}:{','.join(map(str, line.sources)) or '?'}"
    note = f" <!-- {doubt}: {reason.replace('--', '-')} -->" if reason else ""
    return f"- {line.tag}{about}: {line.text} <!-- source: {place.replace('--', '- -')} -->{note}"

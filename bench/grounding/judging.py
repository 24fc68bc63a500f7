"""The lines of the samples, judged with the real analyser, and what a model said of them when it was asked again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bankd.night.asking import DistilledLine, JudgedLine, Prompt, verified_in, verifying_prompt
from bankd.night.attest import Passage, find_unattested, sentences_of
from bankd.night.sections import ProseSection
from bankd.same.reading import read_statement
from bankd.system.clock import read_monotonic
from bankd.workers.analyser import Analyser, AnalysisCache
from bankd.workers.kiwi import KiwiWorker, kiwi_version
from bench.asking import digest, kept_replies

REPLIES = Path(__file__).parents[1] / "replies" / "grounding.jsonl"
_CALLS = 2
"""The lines of a passage are asked about in two calls, so that fewer of them tell of each other."""


class Judged(NamedTuple):
    """A line of the samples: why the rules refuse it, why it is refused at last, and whether it is taken in, as it is or mended."""

    kind: str
    text: str
    is_invented: bool
    is_reported: bool
    reason: str | None = None
    verified: str | None = None
    is_in: bool = True


class Row(NamedTuple):
    """A passage of the samples."""

    day: date
    source: tuple[str, ...]
    lines: tuple[Judged, ...]

    @property
    def section(self) -> ProseSection:
        """The passage as a model is shown it."""
        return ProseSection(f"{self.day}.md", "", tuple(enumerate(self.source, start=3)))

    def calls(self) -> list[list[Judged]]:
        """Its lines as they are asked about, in an order that tells nothing."""
        mixed = sorted(self.lines, key=lambda one: digest(self.source[0] + one.text))
        return [mixed[call::_CALLS] for call in range(_CALLS)]


def judge_rows(file: Path) -> list[Row]:
    """The passages of a file, each line judged by the rules."""
    rows = [_row(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
    read = _read(text for row in rows for text in (*_sentences(row), *(one.text for one in row.lines)))
    return [
        row._replace(lines=tuple(one._replace(reason=_why(one.text, row, read)) for one in row.lines)) for row in rows
    ]


def _row(row: Mapping[str, Any]) -> Row:
    is_reported = row["half"] == "reporting"
    true = [Judged("true", text, False, is_reported) for text in row["true"]]
    invented = [Judged(one["kind"], one["text"], True, is_reported) for one in row["invented"]]
    return Row(date.fromisoformat(row["day"]), tuple(row["source"]), (*true, *invented))


def _read(texts: Iterable[str]) -> Mapping[str, Passage]:
    wanted = set(texts)
    with TemporaryDirectory() as folder:
        worker = KiwiWorker(read_monotonic)
        wordings = Analyser(AnalysisCache(Path(folder)), worker, kiwi_version).take_apart(wanted)
        worker.end()
    return {text: Passage(text, read_statement(wordings[text])) for text in wanted}


def _why(text: str, row: Row, read: Mapping[str, Passage]) -> str | None:
    return find_unattested(read[text], [read[sentence] for sentence in _sentences(row)], row.day)


def _sentences(row: Row) -> Iterator[str]:
    return (sentence for line in row.source for sentence in sentences_of(line))


def prompt_of(row: Row, lines: list[Judged]) -> Prompt:
    """What a model is asked about lines of a passage, all of which rest on all of it."""
    prompt = verifying_prompt(row.section, _as_judged(row, lines))
    assert prompt is not None
    return prompt


def _as_judged(row: Row, lines: list[Judged]) -> list[JudgedLine]:
    sources = tuple(number for number, _ in row.section.lines)
    return [JudgedLine(DistilledLine("W", (), one.text, sources, 5), one.reason) for one in lines]


def verify_rows(rows: list[Row]) -> list[Judged]:
    """The lines about which a kept reply says something, judged by it after the rules, and those mended by the rules again."""
    replies = kept_replies(REPLIES)
    asked = [(row, lines, key_of(row, lines)) for row in rows for lines in row.calls()]
    found = [(row, lines, replies[key]) for row, lines, key in asked if key in replies]
    verified = [(row, lines, verified_in(reply, _as_judged(row, lines))) for row, lines, reply in found]
    again = [one.again.text for _, _, said in verified for one in said if one.again]
    read = _read([*again, *(text for row, _, _ in verified for text in _sentences(row))])
    return [
        line._replace(
            verified=one.judged.reason,
            is_in=one.judged.reason is None or (one.again is not None and _why(one.again.text, row, read) is None),
        )
        for row, lines, said in verified
        for line, one in zip(lines, said, strict=True)
    ]


def key_of(row: Row, lines: list[Judged]) -> str:
    """By what a reply is found: the passage and the lines, whatever the rules say of them today."""
    return digest("\n".join([*row.source, *(one.text for one in lines)]))


def prompts_of(rows: list[Row]) -> dict[str, Prompt]:
    """What a model is asked about the lines that are reported, by the key of its reply."""
    calls = [(row, lines) for row in rows for lines in row.calls() if lines and lines[0].is_reported]
    return {key_of(row, lines): prompt_of(row, lines) for row, lines in calls}

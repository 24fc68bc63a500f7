"""The lines of the samples, judged with the real analyser."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bankd.night.believe import Passage, find_unattested, sentences_of
from bankd.same import read_statement
from bankd.system.clock import read_monotonic
from bankd.workers.analyser import Analyser, KiwiWorker, kiwi_version


class Judged(NamedTuple):
    """A line of the samples, and why the rules refuse it; None where they do not."""

    kind: str
    text: str
    is_invented: bool
    is_reported: bool
    reason: str | None = None


class Row(NamedTuple):
    """A passage of the samples."""

    day: date
    source: tuple[str, ...]
    lines: tuple[Judged, ...]


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
        wordings = Analyser(Path(folder), worker, kiwi_version).take_apart(wanted)
        worker.end()
    return {text: Passage(text, read_statement(wordings[text])) for text in wanted}


def _why(text: str, row: Row, read: Mapping[str, Passage]) -> str | None:
    return find_unattested(read[text], [read[sentence] for sentence in _sentences(row)], row.day)


def _sentences(row: Row) -> Iterator[str]:
    return (sentence for line in row.source for sentence in sentences_of(line))

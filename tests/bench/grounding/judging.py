"""The lines of the samples, judged with the real analyser."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bankd.adapters.korean.analyses import AnalysisCache
from bankd.adapters.korean.kiwi import KiwiWorker, kiwi_version
from bankd.adapters.korean.wordings import CachedWordings
from bankd.adapters.system.clock import read_monotonic
from bankd.core.grounding.passages import Passage, clauses_of
from bankd.core.grounding.rewriting import as_read
from bankd.core.grounding.ungrounded import find_ungrounded
from bankd.core.language.reading import read_statement


class Judged(NamedTuple):
    """A line of the samples, and why it was refused."""

    kind: str
    text: str
    is_invented: bool
    is_reported: bool
    reason: str | None


def judge_lines(file: Path) -> list[Judged]:
    """Judge those of a file."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    texts = {text for row in rows for text in (*_sentences(row), *(one.text for one in _lines_of(row, False)))}
    with TemporaryDirectory() as folder:
        worker = KiwiWorker(read_monotonic)
        wordings = CachedWordings(AnalysisCache(Path(folder)), worker, kiwi_version).take_apart(map(as_read, texts))
        worker.end()
    passages = {text: Passage(text, read_statement(wordings[as_read(text)])) for text in texts}
    return [one for row in rows for one in _judge(row, passages, is_reported=row["half"] == "reporting")]


def _judge(row: Mapping[str, Any], passages: Mapping[str, Passage], *, is_reported: bool) -> Iterator[Judged]:
    sources, day = [passages[text] for text in _sentences(row)], date.fromisoformat(row["day"])
    for one in _lines_of(row, is_reported):
        yield one._replace(reason=find_ungrounded(passages[one.text], sources, day))


def _sentences(row: Mapping[str, Any]) -> Iterator[str]:
    return (sentence for line in row["source"] for sentence in clauses_of(line))


def _lines_of(row: Mapping[str, Any], is_reported: bool) -> Iterator[Judged]:
    yield from (Judged("true", text, False, is_reported, None) for text in row["true"])
    yield from (Judged(one["kind"], one["text"], True, is_reported, None) for one in row["invented"])

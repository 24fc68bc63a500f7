"""How good a ranking is: reciprocal rank, recall and discounted gain.

How sure a difference between two rankings of the same queries is.

A bank made of a test set, to judge search by: documents as memories on pages, as a bank would hold them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from bankd.memory.ledger import KEPT, make_event
from bankd.pages.memory import memory_id
from bankd.words.analysis import split_sentences


class Quality(NamedTuple):
    """The figures of one query, or their means."""

    mrr_10: float
    recall_1: float
    recall_5: float
    recall_10: float
    ndcg_10: float


def quality_of(ranking: Sequence[str], relevant: Mapping[str, int]) -> Quality:
    """Judge one ranking of documents against grades; a document that comes twice counts once."""
    ranks = {document: rank for rank, document in reversed(list(enumerate(ranking, start=1)))}
    wanted = {document: grade for document, grade in relevant.items() if grade > 0}
    places = sorted(ranks[document] for document in wanted if document in ranks)
    gain = sum(
        wanted[document] / math.log2(rank + 1) for document, rank in ranks.items() if document in wanted and rank <= 10
    )
    ideal = sum(
        grade / math.log2(rank + 1) for rank, grade in enumerate(sorted(wanted.values(), reverse=True)[:10], start=1)
    )
    at_1, at_5, at_10 = (sum(1 for place in places if place <= depth) / len(wanted) for depth in (1, 5, 10))
    first = 1 / places[0] if places and places[0] <= 10 else 0.0
    return Quality(first, at_1, at_5, at_10, gain / ideal if ideal else 0.0)


def mean_of(figures: Sequence[Quality]) -> Quality:
    """The means over queries."""
    return Quality(*(sum(column) / len(figures) for column in zip(*figures, strict=True)))


class Comparison(NamedTuple):
    """One figure now and before: the mean difference, its 95 % interval, and the chance of it if nothing had changed."""

    difference: float
    low: float
    high: float
    p: float
    better: int
    worse: int


def compare_figures(now: Mapping[str, Quality], before: Mapping[str, Quality]) -> Mapping[str, Comparison]:
    """Compare each figure over the queries that both have; there must be one."""
    both = sorted(now.keys() & before.keys())
    return {
        figure: _compare([getattr(now[query], figure) - getattr(before[query], figure) for query in both])
        for figure in Quality._fields
    }


def _compare(differences: Sequence[float]) -> Comparison:
    better, worse = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
    mean = sum(differences) / len(differences)
    return Comparison(mean, *bootstrap_interval(differences), permutation_p(differences), better, worse)


def bootstrap_interval(differences: Sequence[float], seed: int = 1, rounds: int = 2_000) -> tuple[float, float]:
    """The 95 % interval of the mean of paired differences, by resampling queries."""
    random, count = Random(seed), len(differences)  # noqa: S311 -- statistics, no secrets
    means = sorted(sum(random.choices(differences, k=count)) / count for _ in range(rounds))
    return means[int(rounds * 0.025)], means[int(rounds * 0.975)]


def permutation_p(differences: Sequence[float], seed: int = 1, rounds: int = 2_000) -> float:
    """The share of random exchanges of the two sides that differ at least as much as found; two-sided, never 0."""
    changed = [one for one in differences if one]
    random, found = Random(seed), abs(sum(changed)) - 1e-12  # noqa: S311
    signs = (random.getrandbits(len(changed) or 1) for _ in range(rounds))
    as_far = sum(abs(sum(-one if bits >> n & 1 else one for n, one in enumerate(changed))) >= found for bits in signs)
    return (as_far + 1) / (rounds + 1)


_PARAGRAPH = 200
"""Characters from which on the next sentence is a paragraph of its own."""
_NO_SLUG = re.compile(r"[^\w-]+")


class TrialBank(NamedTuple):
    """Pages by path, and for each memory, by path and 1-based line, the document it is."""

    pages: Mapping[str, str]
    documents: Mapping[tuple[str, int], str]
    events: Sequence[Mapping[str, object]] = ()
    """What tells the days of documents that have one."""
    by_page: bool = False
    """Whether each document is a page of paragraphs, and pages are asked for."""


def bank_of(documents: Iterable[Mapping[str, Any]], group: str | None) -> TrialBank:
    """Put documents on pages: one page a session of a group, else a title, each document an item under its title.

    `group`, if any, names the field whose value becomes a folder, so that a query can be kept inside it.
    """
    pages: dict[str, list[str]] = {}
    names: dict[tuple[str, str], str] = {}
    titles: dict[str, str] = {}
    places: dict[tuple[str, int], str] = {}
    events: list[Mapping[str, object]] = []
    for document in documents:
        folder = group_folder(document.get(group) if group else None)
        key = (folder, str(document.get("session") or document.get("title") or ""))
        path = names.setdefault(key, f"{folder}/{len(names):05d}.md")
        lines = pages.setdefault(path, [])
        title = _one_line(document.get("title")).replace("_", " ")
        if title and titles.get(path) != title:
            lines += [f"# {title}", ""]
            titles[path] = title
        lines.append(f"- {_head(document)}{_one_line(document['text'])} ^{id_of(document)}")
        places[path, len(lines)] = str(document["id"])
        events += [_kept(document)] if document.get("day") else []
    return TrialBank({path: "\n".join(lines) + "\n" for path, lines in pages.items()}, places, events)


def pages_of(documents: Iterable[Mapping[str, Any]], group: str | None) -> TrialBank:
    """Make a page of each document, with a paragraph for each of its lines, or each few sentences of a long one."""
    pages: dict[str, str] = {}
    places: dict[tuple[str, int], str] = {}
    for number, document in enumerate(documents):
        path = f"{group_folder(document.get(group) if group else None)}/{number:05d}.md"
        title = _one_line(document.get("title")).replace("_", " ")
        lines = [f"# {title}", ""] if title else []
        for paragraph in _paragraphs(str(document["text"])):
            lines += [paragraph, ""]
        pages[path] = "\n".join(lines)
        places |= {(path, line): str(document["id"]) for line in range(1, len(lines) + 1)}
    return TrialBank(pages, places, by_page=True)


def _paragraphs(text: str) -> Iterator[str]:
    held = ""
    for line in filter(None, map(_one_line, text.splitlines())):
        for sentence in split_sentences(line):
            held = f"{held} {sentence}".strip()
            if len(held) >= _PARAGRAPH:
                yield held
                held = ""
        if held:
            yield held
        held = ""


def group_folder(value: object) -> str:
    """The folder of a group."""
    return _NO_SLUG.sub("-", str(value)) if value else "all"


def _head(document: Mapping[str, Any]) -> str:
    about = f" @{_NO_SLUG.sub('-', str(document['speaker']))}" if document.get("speaker") else ""
    return f"{document.get('tag') or 'W'}{about}: " if about or document.get("tag") else ""


def id_of(document: Mapping[str, Any]) -> str:
    """The id of the memory that a document becomes."""
    return memory_id(f"{document.get('day', 'undated')}.md", str(document["id"]), 1)


def _kept(document: Mapping[str, Any]) -> Mapping[str, object]:
    """The event of a line of the log of that day; it was taken in the day after."""
    at = datetime.fromisoformat(str(document["day"])).replace(tzinfo=UTC) + timedelta(days=1)
    return make_event(KEPT, id_of(document), at, memory=id_of(document), log=f"{document['day']}.md", line=1)


def _one_line(value: object) -> str:
    return " ".join(str(value or "").split())

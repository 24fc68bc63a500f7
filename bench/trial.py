"""Search judged by a test set: its documents become a bank, and its queries are asked with the real search.

A set is a folder with `docs.jsonl`, `queries.jsonl` and `qrels.tsv` (or `gold` in each query).
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bankd.errors import UserError
from bankd.memory.ledger import KEPT, make_event
from bankd.pages.memory import memory_id
from bankd.search.bank_search import BankSearch
from bankd.search.meaning import passages_of, vector_key
from bankd.settings import MeaningPolicy, SearchPolicy, Settings
from bankd.system.clock import read_monotonic
from bankd.wiring.search import make_search
from bankd.words.analysis import split_sentences

Query = Mapping[str, Any]
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = Settings(timezone="UTC", search=SearchPolicy(recall_minutes=0), meaning=MeaningPolicy("off"))
GROUP = "conv"
"""The field of LoCoMo that names the conversation; its queries are asked inside their own."""
SEED = 4
_DEPTH = 10


class TrialSet(NamedTuple):
    """Documents, queries, and which documents answer which query, by grade."""

    documents: Sequence[Mapping[str, Any]]
    queries: Sequence[Query]
    relevant: Mapping[str, Mapping[str, int]]


def read_set(folder: Path, most: int = 0, now: str | None = None) -> TrialSet:
    """Read a set. UserError names the files that are missing, or the line that cannot be read.

    `most`, when not 0, draws that many queries at random, always the same. Queries without a day are asked on `now`.
    """
    missing = [name for name in ("docs.jsonl", "queries.jsonl") if not (folder / name).is_file()]
    if missing:
        raise UserError(*(f"{folder / name}: no such file" for name in missing))
    queries = [{"now": now, **query} for query in read_objects(folder / "queries.jsonl")]
    relevant: dict[str, dict[str, int]] = defaultdict(dict)
    grades = folder / "qrels.tsv"
    if grades.is_file():
        for line in grades.read_text(encoding="utf-8", errors="replace").splitlines():
            query, document, grade = line.split("\t")
            relevant[query][document] = int(grade)
    else:
        relevant |= {str(query["id"]): dict.fromkeys(query["gold"], 1) for query in queries if query.get("gold")}
        if not relevant:
            raise UserError(f"{grades}: no such file, and no query names its gold")
    queries = [query for query in queries if str(query["id"]) in relevant]
    if 0 < most < len(queries):
        queries = Random(SEED).sample(queries, most)
    return TrialSet(list(read_objects(folder / "docs.jsonl")), queries, relevant)


def read_objects(file: Path) -> Iterator[dict[str, Any]]:
    """The JSON objects of a file, one a line; UserError names a line that is none."""
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").split("\n"), start=1):
        if line.strip():
            try:
                found = json.loads(line)
            except ValueError as error:
                raise UserError(f"{file}:{number}: not a JSON object ({error})") from error
            yield found


class TrialBank(NamedTuple):
    """Pages by path, and for each memory, by path and 1-based line, the document it is.

    `events` tell the days of documents that have one. `by_page`: each document is a page, and pages are asked for.
    """

    pages: Mapping[str, str]
    documents: Mapping[tuple[str, int], str]
    events: Sequence[Mapping[str, object]] = ()
    by_page: bool = False

    def document_of(self, hit: Mapping[str, Any]) -> str:
        """The document of a hit of an answer."""
        return self.documents[hit["path"].removeprefix("bank/"), hit["line"]]


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
        lines, title = pages.setdefault(path, []), _title_of(document)
        if title and titles.get(path) != title:
            lines += [f"# {title}", ""]
            titles[path] = title
        about = f" @{_slug(document['speaker'])}" if document.get("speaker") else ""
        head = f"{document.get('tag') or 'W'}{about}: " if about or document.get("tag") else ""
        lines.append(f"- {head}{_one_line(document['text'])} ^{id_of(document)}")
        places[path, len(lines)] = str(document["id"])
        if document.get("day"):  # a line of the log of that day, which was taken in the day after
            at, log = datetime.fromisoformat(str(document["day"])).replace(tzinfo=UTC), f"{document['day']}.md"
            id_ = id_of(document)
            events.append(make_event(KEPT, id_, at + timedelta(days=1), memory=id_, log=log, line=1))
    return TrialBank({path: "\n".join(lines) + "\n" for path, lines in pages.items()}, places, events)


def pages_of(documents: Iterable[Mapping[str, Any]], group: str | None) -> TrialBank:
    """Make a page of each document, with a paragraph for each of its lines, or each few sentences of a long one."""
    pages: dict[str, str] = {}
    places: dict[tuple[str, int], str] = {}
    for number, document in enumerate(documents):
        path = f"{group_folder(document.get(group) if group else None)}/{number:05d}.md"
        title = _title_of(document)
        lines = [f"# {title}", ""] if title else []
        for line in filter(None, map(_one_line, str(document["text"]).splitlines())):
            held = ""
            for sentence in split_sentences(line):
                held = f"{held} {sentence}".strip()
                if len(held) >= 200:  # characters from which on the next sentence is a paragraph of its own
                    lines += [held, ""]
                    held = ""
            lines += [held, ""] if held else []
        pages[path] = "\n".join(lines)
        places |= {(path, line): str(document["id"]) for line in range(1, len(lines) + 1)}
    return TrialBank(pages, places, by_page=True)


def group_folder(value: object) -> str:
    """The folder of a group."""
    return _slug(value) if value else "all"


def id_of(document: Mapping[str, Any]) -> str:
    """The id of the memory that a document becomes."""
    return memory_id(f"{document.get('day', 'undated')}.md", str(document["id"]), 1)


def _slug(value: object) -> str:
    return re.sub(r"[^\w-]+", "-", str(value))


def _title_of(document: Mapping[str, Any]) -> str:
    return _one_line(document.get("title")).replace("_", " ")


def _one_line(value: object) -> str:
    return " ".join(str(value or "").split())


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
    gain = sum(grade / math.log2(ranks[one] + 1) for one, grade in wanted.items() if ranks.get(one, 11) <= 10)
    best = sorted(wanted.values(), reverse=True)[:10]
    ideal = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(best, start=1))
    at_1, at_5, at_10 = (sum(place <= depth for place in places) / len(wanted) for depth in (1, 5, 10))
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
    both, found = sorted(now.keys() & before.keys()), {}
    for figure in Quality._fields:
        gains = [getattr(now[query], figure) - getattr(before[query], figure) for query in both]
        better, worse = sum(one > 0 for one in gains), sum(one < 0 for one in gains)
        mean = sum(gains) / len(gains)
        found[figure] = Comparison(mean, *bootstrap_interval(gains), permutation_p(gains), better, worse)
    return found


def bootstrap_interval(differences: Sequence[float], seed: int = 1, rounds: int = 2_000) -> tuple[float, float]:
    """The 95 % interval of the mean of paired differences, by resampling queries."""
    random, count = Random(seed), len(differences)
    means = sorted(sum(random.choices(differences, k=count)) / count for _ in range(rounds))
    return means[int(rounds * 0.025)], means[int(rounds * 0.975)]


def permutation_p(differences: Sequence[float], seed: int = 1, rounds: int = 2_000) -> float:
    """The share of random exchanges of the two sides that differ at least as much as found; two-sided, never 0."""
    changed = [one for one in differences if one]
    random, found = Random(seed), abs(sum(changed)) - 1e-12
    signs = (random.getrandbits(len(changed) or 1) for _ in range(rounds))
    as_far = sum(abs(sum(-one if bits >> n & 1 else one for n, one in enumerate(changed))) >= found for bits in signs)
    return (as_far + 1) / (rounds + 1)


class JudgedQuery(NamedTuple):
    """One query as it was answered: documents best first, scores, milliseconds, and its figures.

    `meaning` is as in `Freshness.meaning`. Where it was not `answered`, the ranking is what was shown as nearest.
    """

    query: str
    ranking: tuple[str, ...]
    scores: tuple[float, ...]
    milliseconds: float
    quality: Quality
    forbidden_above: bool
    meaning: str = "off"
    answered: bool = True


class Evaluation(NamedTuple):
    """All queries judged, their means, and the median of their times."""

    judged: Sequence[JudgedQuery]

    @property
    def quality(self) -> Quality:
        return mean_of([one.quality for one in self.judged])

    @property
    def qualities(self) -> Mapping[str, Quality]:
        """The figures of each query."""
        return {one.query: one.quality for one in self.judged}

    @property
    def milliseconds(self) -> float:
        return sorted(one.milliseconds for one in self.judged)[len(self.judged) // 2]

    @property
    def mrr_10_of_answers(self) -> float:
        """MRR@10 where what is only shown as nearest counts as nothing."""
        return sum(one.quality.mrr_10 for one in self.judged if one.answered) / len(self.judged)

    @property
    def unanswered(self) -> int:
        return sum(not one.answered for one in self.judged)


class OpenTrial(NamedTuple):
    """A test set whose bank is indexed, ready to be asked."""

    trial: TrialSet
    search: BankSearch
    bank: TrialBank
    group: str | None = GROUP
    root: Path = Path()

    def judge(self, queries: Sequence[Query] | None = None) -> Evaluation:
        """Ask all queries, or these, each on its own day if it has one."""
        return Evaluation([self._judge(query) for query in (self.trial.queries if queries is None else queries)])

    def _judge(self, query: Query) -> JudgedQuery:
        request = {"query": query["text"], "see_also": False, "limit": _DEPTH, "now": query.get("now")}
        request |= {"by_page": self.bank.by_page, **self.inside(query)}
        started = read_monotonic()
        answer = self.search.answer(request, NOW, pending=0)
        milliseconds = (read_monotonic() - started) * 1000
        found: dict[str, float] = {}
        for hit in answer["hits"] or answer["nearest"]:
            found.setdefault(self.bank.document_of(hit), hit["score"])
        ranking, relevant = tuple(found), self.trial.relevant[str(query["id"])]
        above = ranking[: min((ranking.index(one) for one in relevant if one in ranking), default=_DEPTH)]
        return JudgedQuery(
            str(query["id"]), ranking, tuple(found.values()), milliseconds, quality_of(ranking, relevant),
            any(document in above for document in query.get("forbidden", ())), answer["fresh"]["meaning"],
            bool(answer["hits"]),
        )  # fmt: skip

    def inside(self, query: Query) -> Mapping[str, Any]:
        """What a request says to keep a query inside its own group."""
        return {"nodes": [group_folder(query[self.group])]} if self.group and query.get(self.group) else {}


@contextmanager
def open_trial(
    trial: TrialSet,
    group: str | None = GROUP,
    *,
    meaning: str = "off",
    by_page: bool = False,
    vectors: Path | None = None,
) -> Iterator[OpenTrial]:
    """Make a bank of a test set, indexed with Kiwi.

    `meaning` names the model of sentence vectors; `vectors` is a folder that keeps them for the next time.
    """
    with trial_workspace(trial.documents, group, by_page=by_page) as (root, bank):
        kept = vectors if meaning != "off" else None
        if kept:
            copy_vectors(kept, root / ".bankd" / "meaning", trial.documents)
        search = search_of(root, meaning)
        search.refresh(NOW, None)
        search.fill_vectors(NOW)
        if kept:
            copy_vectors(root / ".bankd" / "meaning", kept, trial.documents)
        try:
            yield OpenTrial(trial, search, bank, group, root)
        finally:
            search.close()


def copy_vectors(folder: Path, to: Path, documents: Sequence[Mapping[str, Any]]) -> None:
    """Add to one folder the vectors that another has of these documents, and no others: what is near depends on all that are there."""
    import numpy as np

    from bankd.workers.vector_store import VectorStore

    keys = [vector_key(passage) for one in documents for passage in passages_of(_one_line(one["text"]))]
    for model in folder.iterdir() if folder.is_dir() else ():
        source, target = VectorStore(model), VectorStore(to / model.name)
        source.refresh()
        target.refresh()
        there = source.vectors_of(target.missing(keys))
        if there:
            target.append([*there], [np.frombuffer(vector, np.float16) for vector in there.values()])


def search_of(root: Path, meaning: str = "off") -> BankSearch:
    """Search over a workspace with Kiwi."""
    settings = SETTINGS._replace(meaning=MeaningPolicy(meaning))
    return make_search(root, settings)


@contextmanager
def trial_workspace(
    documents: Sequence[Mapping[str, Any]], group: str | None = GROUP, *, by_page: bool = False
) -> Iterator[tuple[Path, TrialBank]]:
    """A workspace for a while whose bank is these documents: memories of it, or pages."""
    with TemporaryDirectory(prefix="bankd-eval-") as name:
        root = Path(name)
        bank = pages_of(documents, group) if by_page else bank_of(documents, group)
        for path, text in bank.pages.items():
            (root / "bank" / path).parent.mkdir(parents=True, exist_ok=True)
            (root / "bank" / path).write_text(text, encoding="utf-8")
        for folder in ("events", ".bankd"):
            (root / folder).mkdir()
        lines = "".join(json.dumps(event) + "\n" for event in bank.events)
        (root / "events" / "trial-0001.jsonl").write_text(lines, encoding="utf-8")
        yield root, bank

"""Search judged by a test set: a real bank is made of its documents, indexed and searched with the real code."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bankd.app.bank_search import BankSearch
from bankd.core.ranking.comparing import Comparison, compare_figures
from bankd.core.ranking.eval_bank import TrialBank, bank_of, group_folder, pages_of
from bankd.core.ranking.evaluation import Quality, mean_of, quality_of
from bankd.core.ranking.search_settings import SearchSettings
from bankd.errors import UserError

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = SearchSettings("UTC", "kiwi", 0.4, 0, 0.02)
_DEPTH = 10
_SEED = 4


class TrialSet(NamedTuple):
    """Documents, queries, and which documents answer which query."""

    documents: Sequence[Mapping[str, Any]]
    queries: Sequence[Mapping[str, Any]]
    relevant: Mapping[str, Mapping[str, int]]


class TrialTools(NamedTuple):
    """What opens search over a workspace, with a Kiwi worker or without, and what times it."""

    make_search: Callable[[Path, bool], BankSearch]
    read_monotonic: Callable[[], float]


class JudgedQuery(NamedTuple):
    """One query as it was answered: documents best first, scores, milliseconds, and its figures."""

    query: str
    ranking: tuple[str, ...]
    scores: tuple[float, ...]
    milliseconds: float
    quality: Quality
    forbidden_above: bool
    meaning: str = "off"
    """Whether sentence vectors took part, as `Freshness.meaning`."""
    answered: bool = True
    """Whether it was called an answer; else the ranking is what was shown as nearest."""


class Evaluation(NamedTuple):
    """All queries judged, and their means."""

    judged: Sequence[JudgedQuery]
    quality: Quality
    milliseconds: float

    @property
    def mrr_10_of_answers(self) -> float:
        """What answers alone give, where what is shown as nearest counts as nothing."""
        return sum(one.quality.mrr_10 for one in self.judged if one.answered) / len(self.judged)


def read_set(folder: Path, most: int = 0, now: str | None = None) -> TrialSet:
    """Read `docs.jsonl`, `queries.jsonl` and `qrels.tsv`, or `gold` of each query; UserError names what is missing or cannot be read.

    At most `most` queries when that is not 0, drawn at random but always the same. Those without a day are asked on `now`.
    """
    missing = [name for name in ("docs.jsonl", "queries.jsonl") if not (folder / name).is_file()]
    if missing:
        raise UserError(*(f"{folder / name}: no such file" for name in missing))
    queries = [{"now": now, **query} for query in _objects(folder / "queries.jsonl")]
    relevant = _read_relevant(folder / "qrels.tsv", queries)
    queries = [query for query in queries if str(query["id"]) in relevant]
    if 0 < most < len(queries):
        queries = Random(_SEED).sample(queries, most)  # noqa: S311 -- a sample, not a secret
    return TrialSet(list(_objects(folder / "docs.jsonl")), queries, relevant)


def _read_relevant(file: Path, queries: Sequence[Mapping[str, Any]]) -> Mapping[str, Mapping[str, int]]:
    """Which documents answer which query, by grade; where there is no such file, those that a query names `gold`."""
    if not file.is_file():
        found = {str(query["id"]): dict.fromkeys(query["gold"], 1) for query in queries if query.get("gold")}
        if not found:
            raise UserError(f"{file}: no such file, and no query names its gold")
        return found
    relevant: dict[str, dict[str, int]] = defaultdict(dict)
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        query, document, grade = line.split("\t")
        relevant[query][document] = int(grade)
    return relevant


def save_queries(file: Path, evaluation: Evaluation) -> None:
    """Write one JSON object a query: its ranking, scores and figures."""
    rows = ({**one._asdict(), "quality": one.quality._asdict()} for one in evaluation.judged)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def read_saved(file: Path, trial: TrialSet) -> Mapping[str, Quality]:
    """Read what `save_queries` wrote, as far as this set asks it too; UserError when it is another file or set."""
    if not file.is_file():
        raise UserError(f"{file}: no such file; bankctl eval --save writes one")
    asked = {str(query["id"]) for query in trial.queries}
    try:
        found = {row["query"]: Quality(**row["quality"]) for row in _objects(file) if row["query"] in asked}
    except (KeyError, TypeError) as error:
        raise UserError(f"{file}: not what bankctl eval --save writes ({error!r})") from error
    if not found:
        raise UserError(f"{file}: none of its queries is in this set")
    return found


def compare_with(before: Mapping[str, Quality], evaluation: Evaluation) -> Mapping[str, Comparison]:
    """Each figure now beside what was saved."""
    return compare_figures({one.query: one.quality for one in evaluation.judged}, before)


def _objects(file: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").split("\n"), start=1):
        if line.strip():
            try:
                found = json.loads(line)
            except ValueError as error:
                raise UserError(f"{file}:{number}: not a JSON object ({error})") from error
            yield found


@contextmanager
def trial_workspace(
    documents: Sequence[Mapping[str, Any]], group: str | None, *, by_page: bool = False
) -> Iterator[tuple[Path, TrialBank]]:
    """A workspace for a while whose bank is these documents: memories of it, or pages."""
    with TemporaryDirectory(prefix="bankd-eval-") as name:
        root = Path(name)
        bank = pages_of(documents, group) if by_page else bank_of(documents, group)
        for path, text in bank.pages.items():
            (root / "bank" / path).parent.mkdir(parents=True, exist_ok=True)
            (root / "bank" / path).write_text(text, encoding="utf-8")
        (root / "events").mkdir()
        lines = (json.dumps(event) + "\n" for event in bank.events)
        (root / "events" / "trial-0001.jsonl").write_text("".join(lines), encoding="utf-8")
        (root / ".bankd").mkdir()
        yield root, bank


class OpenTrial(NamedTuple):
    """A test set whose bank is indexed, ready to be asked."""

    trial: TrialSet
    search: BankSearch
    bank: TrialBank
    group: str | None
    read_monotonic: Callable[[], float]
    root: Path = Path()

    def judge(self, queries: Sequence[Mapping[str, Any]] | None = None) -> Evaluation:
        """Ask all queries, or these, each on its own day if it has one."""
        return evaluation_of([self._judge(query) for query in (self.trial.queries if queries is None else queries)])

    def _judge(self, query: Mapping[str, Any]) -> JudgedQuery:
        relevant, fields = (
            self.trial.relevant[str(query["id"])],
            {"now": query.get("now"), "by_page": self.bank.by_page},
        )
        request: dict[str, Any] = {"query": query["text"], "see_also": False, "limit": _DEPTH, **fields}
        if self.group and query.get(self.group):
            request["nodes"] = [group_folder(query[self.group])]
        started = self.read_monotonic()
        answer = self.search.answer(request, NOW, pending=0)
        milliseconds = (self.read_monotonic() - started) * 1000
        found: dict[str, float] = {}
        for hit in answer["hits"] or answer["nearest"]:
            found.setdefault(self.bank.documents[hit["path"].removeprefix("bank/"), hit["line"]], hit["score"])
        ranking = tuple(found)
        places = (ranking.index(document) for document in relevant if document in ranking)
        above = ranking[: min(places, default=_DEPTH)]
        return JudgedQuery(
            str(query["id"]), ranking, tuple(found.values()), milliseconds, quality_of(ranking, relevant),
            any(document in above for document in query.get("forbidden", ())), answer["fresh"]["meaning"],
            bool(answer["hits"]),
        )  # fmt: skip


def evaluation_of(judged: Sequence[JudgedQuery]) -> Evaluation:
    """These queries with their means, and the median of their times."""
    times = sorted(one.milliseconds for one in judged)
    return Evaluation(judged, mean_of([one.quality for one in judged]), times[len(times) // 2])


@contextmanager
def open_trial(
    trial: TrialSet, tools: TrialTools, *, group: str | None, with_worker: bool, by_page: bool = False
) -> Iterator[OpenTrial]:
    """Make a bank of a test set, indexed with Kiwi; queries are read with it too, or with the lexicon only."""
    with trial_workspace(trial.documents, group, by_page=by_page) as (root, bank):
        search = tools.make_search(root, True)
        search.refresh(NOW, None)
        search.fill_vectors()
        if not with_worker:
            search.close()
            search = tools.make_search(root, False)
        try:
            yield OpenTrial(trial, search, bank, group, tools.read_monotonic, root)
        finally:
            search.close()

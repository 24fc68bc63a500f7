"""Search judged by a test set: a real bank is made of its documents, indexed and searched with the real code.

Search judged once more with memories in use, and what it loses or gains by that against the same questions cold.

Three ways: by question, its own answers used before it is asked and nothing else (what use brings at best); all at
once, the answers to all questions used before any is asked (where they get in each other's way); and after a history
of other questions, of which all that was shown counts as recalled, right or wrong, as in life.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bankd.errors import UserError
from bankd.search.bank_search import BankSearch
from bankd.search.evaluation import (
    Comparison,
    Quality,
    TrialBank,
    bank_of,
    compare_figures,
    group_folder,
    id_of,
    mean_of,
    pages_of,
    quality_of,
)
from bankd.search.request import SearchSettings
from bankd.search.score import NOT_USED, Usage

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


USES = (5, 20)
"""Days of use before a question is asked, as the protocol has it from which this is taken."""
SHOWN = 5
"""How many answers a search shows, and so recalls, by default."""


def judge_warm(opened: OpenTrial) -> dict[str, Evaluation]:
    """The figures with answers in use: by question, each with its number of days of use, and all at once."""
    named = {str(document["id"]): id_of(document) for document in opened.trial.documents}
    answers = {query: [named[one] for one in found if one in named] for query, found in opened.trial.relevant.items()}
    found = {f"{uses} uses of its own answers": _by_question(opened, answers, uses) for uses in USES}
    asked = Counter(id_ for query in opened.trial.queries for id_ in answers[str(query["id"])])
    suppose(opened, {id_: _used(USES[0] * times) for id_, times in asked.items()})
    return found | {f"{USES[0]} uses of all answers at once": opened.judge()}


def _by_question(opened: OpenTrial, answers: Mapping[str, list[str]], uses: int) -> Evaluation:
    judged: list[JudgedQuery] = []
    for query in opened.trial.queries:
        suppose(opened, dict.fromkeys(answers[str(query["id"])], _used(uses)))
        judged += opened.judge([query]).judged
    return evaluation_of(judged)


def judge_after_history(opened: OpenTrial) -> dict[str, Evaluation]:
    """The figures of half of the questions, drawn at random but always the same, after the other half was asked."""
    queries = list(opened.trial.queries)
    Random(_SEED).shuffle(queries)  # noqa: S311 -- a sample, not a secret
    half = len(queries) // 2
    if not half:
        raise UserError("a history needs two questions")
    recalled = recall_by(opened, queries[:half])
    suppose(opened, recalled)
    return {f"a history of {half} other questions": opened.judge(queries[half:])}


def recall_by(opened: OpenTrial, queries: list[Mapping[str, object]]) -> Mapping[str, Usage]:
    """Ask these, each on another day; what is recalled bears on the next question already. What was shown how often."""
    named = {str(document["id"]): id_of(document) for document in opened.trial.documents}
    recalled: dict[str, Usage] = {}
    suppose(opened, recalled)
    for query in queries:
        (judged,) = opened.judge([query]).judged
        for id_ in (named[document] for document in judged.ranking[:SHOWN] if judged.answered):
            recalled[id_] = Usage(shown=recalled.get(id_, NOT_USED).shown + 1)
    return recalled


def _used(days: int) -> Usage:
    return Usage(days, NOW.date())


def suppose(opened: OpenTrial, usage: Mapping[str, Usage]) -> None:
    """Rank as if memories had been used so."""
    opened.search.suppose(
        lambda options: options._replace(usage_of=lambda ids: {id_: usage[id_] for id_ in ids if id_ in usage})
    )


def against_cold(cold: Evaluation, warm: Mapping[str, Evaluation]) -> dict[str, Mapping[str, Comparison]]:
    """Each figure beside the same questions cold."""
    before = {one.query: one.quality for one in cold.judged}
    return {
        name: compare_figures({one.query: one.quality for one in found.judged}, before) for name, found in warm.items()
    }

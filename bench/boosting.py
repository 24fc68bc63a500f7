"""Whether hits that belong to the best ones should be raised: chosen on one half of locomo-facts-1-5, reported on the other.

    python -m bench.boosting >> bench/choices.md

A hit is raised by a share of the best score times the weight of its tie to one of the first three. English is read the
same with Kiwi and without, so none is started.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bankd.app.evaluate import NOW, SETTINGS, read_set, trial_workspace
from bankd.search.evaluation import TrialBank, bootstrap_interval, group_folder, quality_of
from bankd.search.related import Associations, Node, Tie
from bankd.wiring.search import make_search
from bench.halves import halves_of
from bench.quality import GROUP, data_folder

SECTION = """
## Hits that belong to the best ones

A hit is raised by a share of the best score times the weight of its tie (same person, rare words) to one of the first three."""
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4)
FIRST, LOOKED_AT = 3, 25


class Found(NamedTuple):
    """A hit: its document, its score, and the weight of its strongest tie to one of the first."""

    document: str
    score: float
    tie: float


def find(query: Mapping[str, Any], searching: Any, bank: TrialBank) -> list[Found]:
    request = {"query": query["text"], "limit": LOOKED_AT, "everything": True, "keep": False, "in": ["bank"]}
    hits = searching.answer({**request, "nodes": [group_folder(query[GROUP])]}, NOW, pending=0)["hits"]
    rows = rows_at(searching, hits)
    associations = Associations(searching.index, lambda _: (), 100)
    ties: dict[int, float] = {}
    for row in rows[:FIRST]:
        for step in associations.edges_of(Node(row)):
            if step.tie is not Tie.CONTAINED and step.to.row != row:
                ties[step.to.row] = max(ties.get(step.to.row, 0.0), step.weight)
    documents = [bank.documents[hit["path"].removeprefix("bank/"), hit["line"]] for hit in hits]
    return [Found(name, hit["score"], ties.get(row, 0.0)) for name, hit, row in zip(documents, hits, rows, strict=True)]


def rows_at(searching: Any, hits: Sequence[Mapping[str, Any]]) -> list[int]:
    rows = searching.index._opened.rows
    places: dict[tuple[str, int], int] = {}
    for path in {hit["path"].removeprefix("bank/") for hit in hits}:
        places |= {(f"bank/{path}", row.line): row.row for row in rows.rows(rows.rows_of(path))}
    return [places[hit["path"], hit["line"]] for hit in hits]


def rank(found: Sequence[Found], share: float) -> list[str]:
    most = max((one.score for one in found), default=0.0)
    order = sorted(range(len(found)), key=lambda n: (-(found[n].score + share * most * found[n].tie), n))
    return list(dict.fromkeys(found[n].document for n in order))[:10]


def main() -> int:
    trial = read_set(data_folder() / "locomo-facts-1-5")
    choosing, reporting = halves_of(trial)
    with trial_workspace(trial.documents, GROUP) as (root, bank):
        searching = make_search(root, SETTINGS._replace(analyser="lexicon"))
        searching.refresh(NOW, None)
        found = {str(query["id"]): find(query, searching, bank) for query in trial.queries}
        searching.close()

    def figures(queries: Sequence[Mapping[str, Any]], share: float) -> list[float]:
        ids = [str(query["id"]) for query in queries]
        return [quality_of(rank(found[id_], share), trial.relevant[id_]).mrr_10 for id_ in ids]

    means = {share: sum(figures(choosing, share)) / len(choosing) for share in (0.0, *SHARES)}
    share = max(SHARES, key=means.__getitem__)
    before, after = figures(reporting, 0.0), figures(reporting, share)
    differences = [now - then for now, then in zip(after, before, strict=True)]
    low, high = bootstrap_interval(differences)
    mean = sum(differences) / len(differences)
    print(SECTION)
    shares = ", ".join(f"{mean:.3f} {f'with {share}' if share else 'without'}" for share, mean in means.items())
    print(f"On the {len(choosing)} questions for choosing of locomo-facts-1-5 MRR@10 is {shares}.")
    print(
        f"On the {len(reporting)} for reporting {share} brings {mean:+.3f} [{low:+.3f}, {high:+.3f}] to {sum(before) / len(before):.3f}."
    )
    print("No hit is raised while the interval has 0 in it: what belongs to an answer stands beside it.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

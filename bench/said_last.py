"""Whether answers are as good when those close to each other stand in the order in which they were said, on data/time.

    python -m bench.said_last

The memories of a year come as logs, a run a day, and each question is asked on its day, so that only what was known then is
there, compared as runs compare it. Each answer is judged twice: as it is, and without that order.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from bankd.app.init import make_workspace
from bankd.search import find as finding
from bankd.search import find as relations
from bankd.wiring.search import make_search
from bankd.wiring.workspace import open_workspace
from bench.quality import data_folder

_TOP = 10


def main() -> None:
    folder = data_folder() / "time"
    documents, questions = (
        [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]
        for name in ("docs.jsonl", "queries.jsonl")
    )
    texts = {str(one["text"]): str(one["id"]) for one in documents}
    ranks: dict[str, list[float]] = defaultdict(list)
    with TemporaryDirectory(prefix="bankd-time-") as place:
        root = Path(place) / "notes"
        make_workspace(root)
        by_day: dict[str, list[str]] = defaultdict(list)
        for one in documents:
            tag = f"{one['tag']}(c=0.70)" if one["tag"] == "O" else one["tag"]
            by_day[one["day"]].append(f"- {tag}: {one['text']}\n")
        written: set[str] = set()
        with open_workspace(root) as workspace:
            for now, asked in groupby(
                sorted(questions, key=lambda one: str(one["now"])), key=lambda one: str(one["now"])
            ):
                new = {day for day in by_day if day <= now} - written
                for day in new:
                    (root / "memory" / f"{day}.md").write_text("## Retain\n" + "".join(by_day[day]), encoding="utf-8")
                workspace.now = datetime.fromisoformat(f"{now}T12:00:00").replace(tzinfo=workspace.now.tzinfo)
                if new:
                    workspace.run_cycle("micro", force=True)
                written |= new
                _judge(root, workspace.now, list(asked), texts, ranks)
    for way, found in ranks.items():
        print(f"{way:<28} MRR@{_TOP} {sum(found) / len(found):.4f} of {len(found)} questions")


def _judge(
    root: Path, now: datetime, questions: Sequence[dict[str, Any]], texts: dict[str, str], ranks: dict[str, list[float]]
) -> None:
    for way, order in (("said last first", relations.last_said_first), ("as ranked", lambda found, _: (found, set()))):
        search = make_search(root)
        with patch.object(finding, "last_said_first", order):
            for asked in questions:
                hits = search.answer({"query": asked["text"], "limit": _TOP, "in": ["bank"]}, now)["hits"]
                found = [texts.get(str(hit["text"]), "") for hit in hits]
                places = [place for place, id_ in enumerate(found, 1) if id_ in asked["gold"]]
                ranks[way].append(1 / places[0] if places else 0.0)
        search.close()


if __name__ == "__main__":
    main()

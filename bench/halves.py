"""Which questions search was chosen on, and which it is reported on: no page or conversation is in both.

KorQuAD is cut by a checksum of the page's title, LoCoMo by conversation; naia is too small to be cut and only reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from bankd.app.evaluate import TrialSet

_CHOOSING_CONVERSATIONS = frozenset(("conv-26", "conv-30", "conv-41"))

Query = Mapping[str, Any]


def halves_of(trial: TrialSet) -> tuple[Sequence[Query], Sequence[Query]]:
    """The queries of a set for choosing, and those for reporting."""
    titles = {str(document["id"]): str(document.get("title")) for document in trial.documents}
    choosing = [query for query in trial.queries if _is_for_choosing(query, trial, titles)]
    chosen = {str(query["id"]) for query in choosing}
    return choosing, [query for query in trial.queries if str(query["id"]) not in chosen]


def _is_for_choosing(query: Query, trial: TrialSet, titles: Mapping[str, str]) -> bool:
    if query.get("conv"):
        return query["conv"] in _CHOOSING_CONVERSATIONS
    answer = next(iter(trial.relevant[str(query["id"])]))
    return len(trial.queries) > _SMALL and crc32(titles[answer].encode()) % 2 == 0


_SMALL = 100

"""The answers of several banks as one: what each says of the bank, the best first, then what is beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from bankd.core.ranking.answers import NEAREST_SHOWN
from bankd.core.ranking.beside import MOST_BESIDE
from bankd.core.ranking.search_request import number_of_hits

Json: TypeAlias = dict[str, Any]


def merge_answers(answers: Mapping[str, Json], request: Mapping[str, Any]) -> Json:
    """Merge answers to a request by the names of their banks; every hit says of which bank it is.

    A score is a sum of parts between fixed bounds, so that those of two banks can be compared. As in the answer of one
    bank, what logs and archives say follows, a few lines of it where the banks have answered.
    """
    limit = number_of_hits(request.get("limit"))
    left_off = sum(int(answer["left_off"]) for answer in answers.values())
    hits, nearest = (_of_banks(answers, name) for name in ("hits", "nearest"))
    said = _best((hit for hit in hits if hit["group"] == "bank"), limit)
    room = min(limit, MOST_BESIDE) if said and not request.get("in") else limit
    beside = _best((hit for hit in hits if hit["group"] != "bank"), room)
    first = said[0]["bank"] if said else ""
    see_also = answers[first]["see_also"] if first else []
    return {
        "query": str(request.get("query", "")),
        "hits": [*said, *beside],
        "see_also": [{**one, "bank": first} for one in see_also],
        "left_off": left_off,
        "nearest": [] if hits else _best(nearest, min(limit, NEAREST_SHOWN)),
        "fresh": _merge_freshness({bank: answer["fresh"] for bank, answer in answers.items()}),
    }


def _of_banks(answers: Mapping[str, Json], name: str) -> list[Json]:
    return [{**hit, "bank": bank} for bank, answer in answers.items() for hit in answer[name]]


def _best(hits: Iterable[Json], limit: int) -> list[Json]:
    """The best hits of several banks; of the same score, that of the first bank comes first."""
    return sorted(hits, key=lambda hit: -float(hit["score"]))[:limit]


def _merge_freshness(parts: Mapping[str, Json]) -> Json:
    """How far the answer can be trusted: as far as each bank's."""
    notes = [f"{bank}: {fresh['note']}" for bank, fresh in parts.items() if fresh["note"]]
    days = [fresh["updated"] for fresh in parts.values() if fresh["updated"]]
    return {
        "pending": sum(fresh["pending"] for fresh in parts.values()),
        "updated": min(days, default=None),
        "daemon": all(fresh["daemon"] for fresh in parts.values()),
        "provisional": sum(fresh["provisional"] for fresh in parts.values()),
        "note": "; ".join(notes),
        "meaning": _merge_meaning([fresh["meaning"] for fresh in parts.values()]),
    }


def _merge_meaning(states: Sequence[str]) -> str:
    """What all of them say, or the first of those where meaning did not wholly take part."""
    return next((state for state in states if state not in {"on", "off"}), "on" if "on" in states else "off")

"""A stand-in for an OpenSearch cluster on the loopback interface: the calls that we make, answered as its documentation says."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.http_stand_in import Answer, Asked

Json = dict[str, Any]


class Cluster:
    """What it was told, and what it holds by id; `fails` answers all calls with 503."""

    def __init__(self) -> None:
        self.documents: dict[str, Json] = {}
        self.calls: list[tuple[str, str]] = []
        self.body: Json = {}
        self.fails = False
        self.url = ""

    def reply(self, request: Asked) -> Answer:
        status, body = self.answer(request.method, request.path, request.body.decode())
        return Answer(json.dumps(body).encode(), status)

    def answer(self, method: str, target: str, sent: str) -> tuple[int, Json]:
        path = urlsplit(target).path
        self.calls.append((method, path))
        if self.fails:
            return 503, {"error": {"type": "cluster_block_exception", "reason": "blocked"}, "status": 503}
        if path == "/_bulk":
            return 200, self._bulk([json.loads(line) for line in sent.splitlines()])
        if path.endswith("/_search"):
            routing = set(parse_qs(urlsplit(target).query)["routing"][0].split(","))
            return 200, self._search(json.loads(sent), routing)
        if path.endswith("/_delete_by_query"):
            gone = [id_ for id_, one in self.documents.items() if passes(json.loads(sent)["query"], one)]
            for id_ in gone:
                del self.documents[id_]
            return 200, {"deleted": len(gone), "failures": []}
        if self.body:
            kind = "resource_already_exists_exception"
            return 400, {"error": {"type": kind, "reason": "there"}, "status": 400}
        self.body = json.loads(sent)
        return 200, {"acknowledged": True, "shards_acknowledged": True, "index": "bankd"}

    def _bulk(self, lines: list[Json]) -> Json:
        items, rest = [], iter(lines)
        for action in rest:
            ((kind, about),) = action.items()
            assert about["routing"] == about["_id"].partition("-")[0]
            if kind == "index":
                self.documents[about["_id"]] = next(rest)
                items.append({kind: {**about, "status": 201, "result": "created"}})
            else:
                found = self.documents.pop(about["_id"], None)
                items.append(
                    {kind: {**about, "status": 200 if found else 404, "result": "deleted" if found else "not_found"}}
                )
        return {"took": 1, "errors": any(item.get("delete", {}).get("status") == 404 for item in items), "items": items}

    def _search(self, body: Json, routing: set[str]) -> Json:
        there = [one for one in self.documents.values() if str(one["bank"]) in routing]
        found = [one for one in there if passes(body["query"], one)]
        answer: Json = {
            "took": 1,
            "timed_out": False,
            "hits": {"total": {"value": len(found), "relation": "eq"}, "hits": []},
        }
        if "aggs" in body:
            answer["aggregations"] = {name: aggregate(asked, found) for name, asked in body["aggs"].items()}
        scored = sorted(found, key=lambda one: (-score(body["query"], one, there), one["bank"], one["row"]))
        fields = [{"bank": [one["bank"]], "row": [one["row"]]} for one in scored[: body["size"]]]
        answer["hits"]["hits"] = [{"_index": "bankd", "_score": None, "fields": one} for one in fields]
        return answer


def values_of(one: Json, field: str) -> list[Any]:
    value = one.get(field)
    if isinstance(value, str) and field in {"terms", "heading", "asked"}:
        return value.split()
    return value if isinstance(value, list) else [] if value is None else [value]


def passes(query: Json, one: Json) -> bool:
    ((kind, asked),) = query.items()
    if kind == "bool":
        should = asked.get("should", [])
        return (
            all(passes(part, one) for part in asked.get("filter", []))
            and not any(passes(part, one) for part in asked.get("must_not", []))
            and (not should or any(passes(part, one) for part in should))
        )
    ((field, wanted),) = asked.items()
    values = values_of(one, field)
    if kind == "terms":
        return bool(set(values) & set(wanted))
    if kind == "term":
        return (wanted["value"] if isinstance(wanted, dict) else wanted) in values
    if kind == "prefix":
        return any(value.startswith(wanted) for value in values)
    tests = {"gte": lambda a, b: a >= b, "lte": lambda a, b: a <= b, "gt": lambda a, b: a > b}
    return any(all(tests[end](value, bound) for end, bound in wanted.items()) for value in values)


def score(query: Json, one: Json, every: list[Json]) -> float:
    """The script of our similarity."""
    total = 0.0
    for part in query.get("bool", {}).get("should", []):
        ((field, asked),) = part["term"].items()
        own = values_of(one, field)
        lengths = [len(values_of(other, field)) for other in every if values_of(other, field)]
        if count := Counter(own)[asked["value"]]:
            mean = sum(lengths) / len(lengths)
            total += asked["boost"] * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(own) / mean))
    return total


def aggregate(asked: Json, found: list[Json]) -> Json:
    if "filters" in asked:
        filters = asked["filters"]["filters"]
        return {"buckets": {key: {"doc_count": sum(passes(one, doc) for doc in found)} for key, one in filters.items()}}
    pattern = re.compile(asked["terms"]["include"])
    counts = Counter(word for one in found for word in one[asked["terms"]["field"]] if pattern.fullmatch(word))
    return {"buckets": [{"key": key, "doc_count": many} for key, many in counts.most_common(asked["terms"]["size"])]}

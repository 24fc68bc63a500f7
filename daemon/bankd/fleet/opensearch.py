"""The postings of the shared search in OpenSearch, for fleets that outgrow the tables: a document for each memory.

It follows the documented API and is tested against recorded answers, not against a live cluster. Rows, pages and the
right to read stay in PostgreSQL, so a cluster that is late shows nothing that is gone. OpenSearch itself does not know
readers: only workers, and programs that ask for readers, may reach it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opensearchpy import OpenSearch, helpers
from opensearchpy.exceptions import OpenSearchException, RequestError

from bankd.errors import StorageError
from bankd.fleet.shared import AskedTerm
from bankd.fleet.writer import FIELDS, KINDS, ExportedMemory
from bankd.search.request import Filters

_INDEX = "bankd"
_BODY = json.loads(Path(__file__).with_name("opensearch.json").read_text("utf-8"))
"""Settings and mappings of the index. Its BM25 takes our own idf as the boost: the idf of a shard counts all its banks,
also those that are not asked.
"""


class OpenSearchStore:
    """The index in a cluster. Errors of the cluster are StorageErrors."""

    def __init__(self, url: str) -> None:
        """Take the URL of the cluster, such as https://search:9200."""
        self._client = OpenSearch(url, timeout=30, max_retries=3, retry_on_timeout=True)

    def make(self) -> None:
        """Make the index if it is not there."""
        with _told():
            try:
                self._client.indices.create(index=_INDEX, body=_BODY)
            except RequestError as error:
                if error.error != "resource_already_exists_exception":
                    raise

    def write(self, bank: int, gone: Sequence[int], added: Mapping[int, ExportedMemory]) -> int:
        """Remove memories of a bank by their rows, and add others. Can be repeated. Gives how many documents it changed."""
        with _told():
            done, _ = helpers.bulk(self._client, _actions(bank, gone, added), ignore_status=(404,), refresh="wait_for")
        return int(done)

    def remove(self, banks: Sequence[int]) -> None:
        """Remove all memories of banks."""
        with _told():
            query = {"terms": {"bank": list(banks)}}
            self._client.delete_by_query(index=_INDEX, body={"query": query}, conflicts="proceed")

    def search(self, banks: Sequence[int], body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer of the cluster, from the shards of these banks only."""
        routing = ",".join(map(str, banks))
        with _told():
            return dict(self._client.search(index=_INDEX, body=dict(body), routing=routing))


class OpenSearchPostings:
    """The postings of some banks, as `ScopedPostings`."""

    def __init__(self, store: OpenSearchStore, banks: Sequence[int]) -> None:
        """Take the numbers of the banks."""
        self._store, self._banks = store, list(banks)

    def frequencies(self, terms: Sequence[str]) -> Iterable[tuple[str, int, int]]:
        asked = [(kind, term) for kind in range(len(KINDS)) for term in terms]
        filters = {str(at): {"term": {KINDS[kind]: term}} for at, (kind, term) in enumerate(asked)}
        body = {"size": 0, "query": self._within(), "aggs": {"of": {"filters": {"filters": filters}}}}
        found = self._store.search(self._banks, body)["aggregations"]["of"]["buckets"]
        return ((term, kind, int(found[str(at)]["doc_count"])) for at, (kind, term) in enumerate(asked))

    def beginning(self, letters: str) -> Sequence[str]:
        words = {"field": "words", "include": f"{re.escape(letters)}.*", "size": 1_000}
        query = {"bool": {"filter": [self._within(), {"prefix": {"words": letters}}]}}
        found = self._store.search(self._banks, {"size": 0, "query": query, "aggs": {"words": {"terms": words}}})
        return [bucket["key"] for bucket in found["aggregations"]["words"]["buckets"]]

    def best(self, asked: Sequence[AskedTerm], filters: Filters, limit: int) -> Sequence[int]:
        should = [{"term": {KINDS[one.kind]: {"value": one.term, "boost": one.weight}}} for one in asked]
        required = [self._within(), *_conditions(filters)]
        must_not = [{"range": {"learned": {"gt": filters.known_on.isoformat()}}}] if filters.known_on else []
        parts = {"filter": required, "must_not": must_not, "should": should, "minimum_should_match": 1}
        body = {
            "size": limit, "_source": False, "docvalue_fields": ["bank", "row"], "query": {"bool": parts},
            "sort": ["_score", "bank", "row"],
        }  # fmt: skip
        hits = self._store.search(self._banks, body)["hits"]["hits"]
        return [(hit["fields"]["bank"][0] << 32) + hit["fields"]["row"][0] for hit in hits]

    def _within(self) -> dict[str, Any]:
        return {"terms": {"bank": self._banks}}


def _conditions(filters: Filters) -> Iterator[dict[str, Any]]:
    for field, values in (("tag", filters.tags), ("nodes", filters.nodes)):
        if values:
            yield {"terms": {field: list(values)}}
    if filters.entities:
        yield {"terms": {"names": [entity.casefold() for entity in filters.entities]}}
    if filters.since or filters.until:
        ends = {"gte": filters.since, "lte": filters.until}
        yield {"range": {"days": {end: day.toordinal() for end, day in ends.items() if day}}}


def _actions(bank: int, gone: Sequence[int], added: Mapping[int, ExportedMemory]) -> Iterator[dict[str, Any]]:
    base = {"_index": _INDEX, "routing": str(bank)}
    yield from ({**base, "_op_type": "delete", "_id": f"{bank}-{row}"} for row in gone if row not in added)
    for row, memory in added.items():
        yield {**base, "_op_type": "index", "_id": f"{bank}-{row}", "_source": _document(bank, row, memory)}


def _document(bank: int, row: int, memory: ExportedMemory) -> dict[str, Any]:
    said = dict(zip(FIELDS, memory.values, strict=True))
    texts = dict(zip(KINDS, memory.found_by, strict=True))
    return {
        "bank": bank, "row": row, "words": sorted(set(texts["terms"].split())), "learned": said["learned"],
        "tag": said["tag"], "nodes": [*memory.nodes], "names": [*memory.names], "days": [*memory.days], **texts,
    }  # fmt: skip


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except OpenSearchException as error:
        raise StorageError(f"OpenSearch: {error}") from error

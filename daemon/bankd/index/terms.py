"""The terms of an index, in tantivy: finds quickly which memories may answer a question; `search.score` scores them exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, TypeAlias

import tantivy

from bankd.search.request import Filters
from bankd.words.days import Span

if TYPE_CHECKING:
    from pathlib import Path

TermDocument: TypeAlias = "dict[str, str | int | list[str] | list[int]]"
"""The values indexed for a memory, by the fields of `_schema`; terms are separated by spaces, days are ordinals."""
_TELLING, _RARE = 0.4, 1000
"""A term in more than `_RARE` memories that weighs less than this share of the heaviest term is not searched for by itself.
At 200,000 memories such terms take five sixths of the time of a query."""
_KEPT_FREQUENCIES = 100_000
"""A run asks for the frequency of each word of each new line, in several fields; after 20,000 lines these take some 20 MB."""
_KEPT_TERMS = 5_000
"""Queries of one term; the lines of a run share them."""
_WRITER_BYTES = 30_000_000
_THREADS_BYTES = 200_000_000
"""The address space of tantivy's threads; where they do not get it, tantivy ends the process."""


class Terms:
    """The terms of one index; errors of tantivy are ValueError."""

    def __init__(self, folder: Path | str) -> None:
        """Open or make the index in this folder."""
        self._folder, self._schema = str(folder), _schema()
        self._term = lru_cache(_KEPT_TERMS)(partial(tantivy.Query.term_query, self._schema, index_option="freq"))
        self._open()

    def _open(self) -> None:
        self._is_linked = False
        try:
            self._index = tantivy.Index(self._schema, path=self._folder)
        except ValueError as refused:
            if "ReadOnlyFilesystem" not in str(refused):
                raise
            self._open_linked()
        else:
            self._look()

    def _open_linked(self) -> None:
        """Open the files by links in a temporary folder: tantivy makes a lock beside them even to read.

        The links stay as long as this object: a thread of tantivy reads them half a second after they were opened.
        """
        from pathlib import Path  # noqa: PLC0415 -- `bankctl search` has no time for these
        from shutil import rmtree  # noqa: PLC0415
        from tempfile import mkdtemp  # noqa: PLC0415
        from weakref import finalize  # noqa: PLC0415

        elsewhere = mkdtemp(prefix="bankd-")
        finalize(self, rmtree, elsewhere, ignore_errors=True)
        for file in Path(self._folder).iterdir():
            if not file.name.endswith(".lock"):
                Path(elsewhere, file.name).symlink_to(file.absolute())
        self._index = tantivy.Index(self._schema, path=elsewhere)
        self._look()
        self._is_linked = True

    def reload(self) -> None:
        """Reload, to see what was committed since."""
        if self._is_linked:
            self._open()
            return
        self._index.reload()
        self._look()

    def _look(self) -> None:
        self._searcher = self._index.searcher()
        self._frequency = lru_cache(_KEPT_FREQUENCIES)(self._searcher.doc_freq)

    def replace(self, rows: Sequence[int], documents: Iterable[TermDocument]) -> None:
        """Put these documents in the place of the rows with these numbers, in one commit."""
        from bankd.system.child import require_room  # noqa: PLC0415 -- only a writer asks

        require_room(_WRITER_BYTES + _THREADS_BYTES)
        writer = self._index.writer(_WRITER_BYTES, 1)
        if rows:
            writer.delete_documents_by_query(tantivy.Query.term_set_query(self._schema, "row", rows))
        for document in documents:
            writer.add_document(tantivy.Document.from_dict(document, self._schema))
        writer.commit()
        writer.wait_merging_threads()
        self.reload()

    def frequency(self, kind: str, term: str) -> int:
        """In how many memories a term occurs, `kind` being `terms`, `heading` or `asked`."""
        return int(self._frequency(kind, term))

    def count(self, term: str) -> int:
        """In how many memories a term occurs now; `frequency` also counts those whose pages were read again since."""
        return int(self._searcher.search(self._term("terms", term), 1, count=True).count)  # type: ignore[attr-defined]

    def all_frequencies(self) -> list[tuple[str, int]]:
        """All terms, each with its number of memories, common ones first."""
        return list(self._searcher.terms_with_prefix("terms", ""))

    def terms_with(self, beginning: str) -> list[str]:
        """The terms with this beginning, common ones first."""
        return [term for term, _ in self._searcher.terms_with_prefix("terms", beginning)]

    def find(self, terms: Mapping[str, float], filters: Filters, limit: int) -> list[int]:
        """The rows that match best by tantivy's own count, at most `limit`."""
        parts = [self._term(at, term) for at, found in asked_terms(self.frequency, terms).items() for term in found]
        return self._rows([_one_of(parts)], filters, limit) if parts else []

    def find_within(self, window: Span | None, filters: Filters, limit: int) -> list[int]:
        """The rows that speak of these days or were learned on them, or all rows; newest first."""
        days = [_one_of([self._between(name, *window) for name in ("day", "learned")])] if window else []
        return self._rows(days, filters, limit, order="learned")

    def keep_passing(self, rows: Sequence[int], filters: Filters) -> list[int]:
        """Of these rows, the ones that pass the filters, in any order."""
        asked = tantivy.Query.term_set_query(self._schema, "row", list(rows))
        return self._rows([asked], filters, len(rows)) if rows else []

    def mentioning(self, words: Sequence[str], limit: int) -> list[int]:
        """The rows that link to something by these words."""
        known = [word for word in words if self._frequency("mention", word)]
        return self._rows([self._any("mention", known)], Filters(), limit) if known else []

    def _rows(
        self, queries: Sequence[tantivy.Query], filters: Filters, limit: int, order: str | None = None
    ) -> list[int]:
        """The numbers of the rows that match all these queries and pass the filters."""
        required = [*queries, *self._filters(filters)] or [tantivy.Query.all_query()]
        query = required[0]
        if len(required) > 1:
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, part) for part in required])
        hits = self._searcher.search(query, limit, count=False, order_by_field=order).hits
        rows = self._searcher.fast_field_values("row", [address for _, address in hits])
        return [row for row in rows if isinstance(row, int)]

    def _any(self, field: str, values: Iterable[str]) -> tantivy.Query:
        parts = [tantivy.Query.term_query(self._schema, field, value, index_option="basic") for value in values]
        return tantivy.Query.const_score_query(_one_of(parts), 0.0)

    def _filters(self, filters: Filters) -> Iterable[tantivy.Query]:
        if filters.tags:
            yield self._any("tag", filters.tags)
        if filters.nodes:
            yield self._any("node", filters.nodes)
        if filters.entities:
            yield self._any("entity", [entity.casefold() for entity in filters.entities])
        if filters.since or filters.until:
            # it belongs to the days that it speaks of, and to that of its log
            yield _one_of([self._between(name, filters.since, filters.until) for name in ("day", "learned")])
        if filters.known_on and filters.known_on < date.max:  # nothing is later than the last day of the calendar
            later = self._between("learned", filters.known_on + timedelta(days=1), None)
            everything = tantivy.Query.const_score_query(tantivy.Query.all_query(), 0.0)
            yield tantivy.Query.boolean_query([(tantivy.Occur.Must, everything), (tantivy.Occur.MustNot, later)])

    def _between(self, field: str, first: date | None, last: date | None) -> tantivy.Query:
        low, high = (day.toordinal() if day else None for day in (first, last))
        between = tantivy.Query.range_query(self._schema, field, tantivy.FieldType.Unsigned, low, high)
        return tantivy.Query.const_score_query(between, 0.0)


def asked_terms(frequency: Callable[[str, str], int], weights: Mapping[str, float]) -> dict[str, list[str]]:
    """The terms of a question to look for in each field: those that occur there, and tell memories apart in it.

    A term that tells them apart by the text or by the headings is looked for in both.
    """
    known = {
        at: {term: many for term in weights if (many := frequency(at, term))} for at in ("terms", "heading", "asked")
    }
    asked = _telling_terms(known.pop("asked"), weights)
    telling = dict.fromkeys(term for found in known.values() for term in _telling_terms(found, weights))
    return {at: [term for term in telling if term in found] for at, found in known.items()} | {"asked": asked}


def _telling_terms(known: Mapping[str, int], weights: Mapping[str, float]) -> list[str]:
    """The terms that tell memories apart. Common terms are left out: they cost time, and the score counts them anyway."""
    least = _TELLING * max([weights[term] for term in known], default=0.0)
    return [term for term, many in known.items() if many <= _RARE or weights[term] >= least]


def _one_of(parts: Iterable[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, part) for part in parts])


@cache
def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for field in ("terms", "heading", "asked"):
        builder.add_text_field(field, stored=False, tokenizer_name="whitespace", index_option="freq")
    for field in ("node", "tag", "entity", "mention"):
        builder.add_text_field(field, stored=False, tokenizer_name="raw", index_option="basic")
    for field in ("day", "learned", "row"):
        builder.add_unsigned_field(field, stored=False, indexed=True, fast=True)
    return builder.build()

"""What search reads from SQLite: the file of an index, and what runs found about pairs of memories, which is in the catalog.

The index holds the contents of each memory and page, the use of memories, and how far it has read. Which memories have a
word is kept elsewhere (`terms`); the number of a row names the same memory in both. A catalog that no run told of
relations yet is filled from the events first. `bankctl search` reads both files itself, so this module imports little.
"""

from __future__ import annotations

import os
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from bankd.index.sources import doubted_in
from bankd.search.find import KnownRelations, StoredPair, StoredRelations
from bankd.search.request import FoundRow
from bankd.search.score import Candidate, Corpus, Usage, Vocabulary, vocabulary_of
from bankd.words.days import Span

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.index.writer import IndexedPage, PageFingerprint
    from bankd.search.indexable import MemoryDates, NewQuestions
    from bankd.search.related import StoredTie

_T = TypeVar("_T")
# Every search asks for this summary of the events of use, so it is computed when they arrive.
_SUM_UP_USE = """
INSERT OR REPLACE INTO usages
SELECT memory, count(DISTINCT CASE kind WHEN 'used' THEN day END), max(CASE kind WHEN 'used' THEN day END), (
    SELECT value FROM uses AS said WHERE said.memory = told.memory AND kind = 'importance' AND value IS NOT NULL
    ORDER BY at DESC LIMIT 1
), count(DISTINCT CASE kind WHEN 'recalled' THEN day END) FROM (
    SELECT memory, kind, substr(at, 1, 10) AS day FROM uses WHERE memory = ?
) AS told GROUP BY memory
"""
_USED_WITH = """
SELECT others.memory, count(DISTINCT others.run) FROM (
    SELECT DISTINCT run FROM uses WHERE memory = ?1 AND kind = 'used' AND run <> '' ORDER BY at DESC LIMIT ?2
) AS own JOIN uses AS others ON others.run = own.run AND others.kind = 'used'
WHERE others.memory <> ?1 GROUP BY others.memory ORDER BY 2 DESC, 1 LIMIT ?3
"""
_SAID = "id, tag, hundredths, day, learned, entities, heading, text, is_text, questions, mentions"
_SCORED = "row, page, place, sentences, heading_terms, entities, denies, asked"
_SHOWN = (
    "row, (SELECT path FROM pages WHERE pages.page = memories.page), line, id, tag, hundredths, day, entities, heading, "
    "text, learned, about, (SELECT changed FROM dates WHERE dates.id = memories.id), is_text, mentions"
)
_ON_PAGE = "page = (SELECT page FROM pages WHERE path = ?)"
_AT_ONCE = 500
"""Values in one query; every SQLite takes 999."""
_NOBODY: frozenset[str] = frozenset()
SEPARATOR = "\x1f"
"""Between the headings of a path."""


class Rows:
    """The SQLite file of one index. Errors of SQLite are not translated here; `search_index.damage_told` does that."""

    def __init__(self, file: Path | str, *, create: bool = False, frozen: bool = False) -> None:
        """Open the file, or make it; `frozen` reads it as it was when last closed, and needs no room on the disk."""
        self.is_frozen = frozen
        name = str(file)
        if frozen:
            from pathlib import Path  # noqa: PLC0415 -- a query has no time for it

            name = f"{Path(file).absolute().as_uri()}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(name, check_same_thread=False, isolation_level=None, uri=frozen)
        self._connection.execute("PRAGMA synchronous = NORMAL")
        if create:
            self._connection.execute("PRAGMA journal_mode = WAL")
            from pathlib import Path  # noqa: PLC0415 -- as above

            self._connection.executescript(Path(__file__).with_name("rows.sql").read_text("utf-8"))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all changes inside, or none of them."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _number(self, query: str, *values: object) -> int:
        return int(self._connection.execute(query, values).fetchone()[0])

    def _each(self, query: str, values: Sequence[int] | Sequence[str]) -> list[Any]:
        """The rows of a query that ends in IN, for all these values, asked for some at a time."""
        found: list[Any] = []
        for at in range(0, len(values), _AT_ONCE):
            asked = values[at : at + _AT_ONCE]
            found += self._connection.execute(f"{query} ({','.join('?' * len(asked))})", asked)
        return found

    # How far the index has read.

    def state(self, key: str, default: str = "") -> str:
        """One value of the state of the index."""
        found = self._connection.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
        return str(found[0]) if found else default

    def set_state(self, key: str, value: str) -> None:
        """Set one value of the state of the index."""
        self._connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (key, value))

    def next_generation(self) -> None:
        """Count one more change of the index."""
        self.set_state("generation", str(int(self.state("generation", "0")) + 1))

    def stamps(self) -> dict[str, str]:
        """The stamp of each page when it was read."""
        return dict(self._connection.execute("SELECT path, stamp FROM pages"))

    def fingerprints(self, paths: Iterable[str] | None = None) -> dict[str, PageFingerprint]:
        """The state in which each page, or each of these, was read."""
        from bankd.index.writer import PageFingerprint  # noqa: PLC0415 -- only a writer asks

        query = "SELECT path, stamp, hash, provisional FROM pages"
        rows: Iterable[Any] = self._connection.execute(query)
        if paths is not None:
            rows = (row for path in paths for row in self._connection.execute(f"{query} WHERE path = ?", (path,)))
        return {path: PageFingerprint(stamp, hash_, bool(provisional)) for path, stamp, hash_, provisional in rows}

    def count_provisional(self) -> int:
        """How many pages wait for the morphological analyser."""
        return self._number("SELECT count(*) FROM pages WHERE provisional")

    # Memories and pages, as a search reads them.

    def corpus(self) -> Corpus:
        """The number of memories and of other texts, together, and their average length in terms."""
        memories, words = self._connection.execute("SELECT sum(memories + texts), sum(words) FROM pages").fetchone()
        return Corpus(memories or 0, (words or 0) / (memories or 1))

    def count_memories(self) -> int:
        """How many memories there are, without other texts."""
        return self._number("SELECT coalesce(sum(memories), 0) FROM pages")

    def candidates(self, numbers: Sequence[int]) -> list[Candidate]:
        """The data to score the memories with these numbers; those that are gone are left out."""
        return [candidate_of(row) for row in self._each(f"SELECT {_SCORED} FROM memories WHERE row IN", numbers)]

    def shown(self, numbers: Sequence[int]) -> list[FoundRow]:
        """The data to show the memories with these numbers; those that are gone are left out."""
        return [found_row_of(row) for row in self._each(f"SELECT {_SHOWN} FROM memories WHERE row IN", numbers)]

    def with_ids(self, ids: Sequence[str]) -> dict[str, int]:
        """The row of each of these memories, by id; if an id stands twice, either row."""
        return dict(self._each("SELECT id, row FROM memories WHERE id IN", ids))

    def vocabularies(self, pages: Iterable[int]) -> dict[int, Vocabulary]:
        """The terms of these pages."""
        found = self._each("SELECT page, terms FROM pages WHERE page IN", list(pages))
        return {page: array("I", terms) for page, terms in found}

    def learned(self, ids: Sequence[str]) -> dict[str, date]:
        """The days on which these memories were learned, as far as known from events."""
        found = self._each("SELECT id, learned FROM dates WHERE learned IS NOT NULL AND id IN", ids)
        return {id_: date.fromisoformat(day) for id_, day in found}

    def questions(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """The questions that these memories answer, each once."""
        found: dict[str, list[str]] = {}
        for memory, questions in self._each("SELECT memory, questions FROM questions WHERE memory IN", ids):
            asked = found.setdefault(memory, [])
            asked += [question for question in questions.split("\n") if question not in asked]
        return found

    def reading(self, run: str) -> list[str] | None:
        """The terms of a run of Hangul as it was analysed before; None when it was never seen."""
        found = self._connection.execute("SELECT terms FROM readings WHERE run = ?", (run,)).fetchone()
        return found[0].split() if found else None

    # Use: each event once, in whatever order the files are read.

    def usage_of(self, ids: Sequence[str]) -> dict[str, Usage]:
        """For each of these memories: the number of days of use, the last of them, importance, and the number of days shown."""
        return {
            memory: Usage(days, _day(last), importance, shown)
            for memory, days, last, importance, shown in self._each("SELECT * FROM usages WHERE memory IN", ids)
        }

    def used_with(self, ids: Sequence[str], responses: int, most: int) -> list[tuple[str, int]]:
        """The memories that responses used together with one of these, and in how many of the last `responses`, most first."""
        used = self._each("SELECT DISTINCT memory FROM uses WHERE kind = 'used' AND memory IN", ids)
        return [one for (id_,) in used for one in self._connection.execute(_USED_WITH, (id_, responses, most))]

    # Sentence vectors: by row the key under which the vector of the text is kept.

    def prepare_meanings(self, identity: str) -> None:
        """Forget the notes about vectors of another identity."""
        if self.state("vectors") != identity:
            self._connection.execute("DELETE FROM meanings")
            self._connection.execute("INSERT INTO meanings SELECT row, NULL FROM memories")
            self.set_state("vectors", identity)

    def count_without_vector(self) -> int:
        """How many memories have no vector yet."""
        return self._number("SELECT count(*) FROM meanings WHERE key IS NULL")

    def count_refused(self) -> int:
        """How many memories the model refuses."""
        from bankd.search.meaning import NO_VECTOR  # noqa: PLC0415 -- most have no vectors

        return self._number("SELECT count(*) FROM meanings WHERE key = ?", NO_VECTOR)

    def without_vector(self, most: int) -> list[tuple[int, str]]:
        """Rows that have no vector yet with their texts, the last added first."""
        query = (
            "SELECT row, text FROM memories WHERE row IN "
            "(SELECT row FROM meanings WHERE key IS NULL ORDER BY row DESC LIMIT ?)"
        )
        return list(self._connection.execute(query, (most,)))

    def note_vectors(self, keys: Mapping[int, Sequence[int]]) -> None:
        """Store the keys of the vectors of rows, one for each passage."""
        self._connection.executemany("DELETE FROM meanings WHERE row = ?", [(row,) for row in keys])
        values = [(row, key) for row, own in keys.items() for key in own]
        self._connection.executemany("INSERT INTO meanings VALUES (?, ?)", values)

    def vector_keys(self, numbers: Sequence[int]) -> dict[int, list[int]]:
        """The keys of the vectors of these rows; rows without one are left out."""
        from bankd.search.meaning import NO_VECTOR  # noqa: PLC0415 -- same

        found = self._each("SELECT row, key FROM meanings WHERE key IS NOT NULL AND row IN", numbers)
        return _by_row(one for one in found if one[1] != NO_VECTOR)

    def rows_with_vectors(self, keys: Sequence[int]) -> dict[int, list[int]]:
        """All rows with one of these keys, each with those of them that it has."""
        return _by_row(self._each("SELECT row, key FROM meanings WHERE key IN", keys))

    # Writing pages.

    def put_page(self, page: IndexedPage) -> list[int]:
        """Add the new rows of a page to those it has, and mark the page unread until `finish_page`; gives their numbers."""
        self._connection.execute(
            "INSERT INTO pages VALUES (NULL, ?, '', '', 0, 0, 0, 0, '', '', '', x'') "
            "ON CONFLICT (path) DO UPDATE SET hash = '', stamp = ''",
            (page.path,),
        )
        number = self._number("SELECT page FROM pages WHERE path = ?", page.path)
        first = self._number("SELECT coalesce(max(row), 0) FROM memories") + 1
        self._connection.executemany(
            f"INSERT INTO memories VALUES ({', '.join('?' * 21)})",
            [(first + count, number, *row.columns()) for count, row in enumerate(page.rows)],
        )
        return list(range(first, first + len(page.rows)))

    def finish_page(self, page: IndexedPage) -> None:
        """Move the rows of a page that stand elsewhere now, drop those that are gone, and mark the page as read."""
        self._connection.executemany("UPDATE memories SET line = ?, place = ? WHERE row = ?", page.moved)
        self._connection.executemany("DELETE FROM memories WHERE row = ?", [(row,) for row in page.gone])
        rows = self._connection.execute(
            f"SELECT provisional, sentences, heading_terms, is_text FROM memories WHERE {_ON_PAGE}", (page.path,)
        ).fetchall()
        words, above = " ".join(row[1] for row in rows).split(), [row[2] for row in rows if row[2]]
        terms, texts = {*words, *" ".join(set(above)).split()}, sum(row[3] for row in rows)
        self._connection.execute(
            "UPDATE pages SET stamp = ?, hash = ?, title = ?, headings = ?, provisional = ?, terms = ?, "
            "memories = ?, texts = ?, words = ?, keywords = '' WHERE path = ?",
            (
                page.stamp, page.hash, page.title, "\n".join(SEPARATOR.join(path) for path in page.headings),
                any(row[0] for row in rows), vocabulary_of(terms).tobytes(), len(rows) - texts, texts, len(words),
                page.path,
            ),
        )  # fmt: skip

    def touch(self, path: str, stamp: str) -> None:
        """Note that a page has another stamp and the same content."""
        self._connection.execute("UPDATE pages SET stamp = ? WHERE path = ?", (stamp, path))

    def mark_unread(self, path: str) -> None:
        """Mark a page as unread, so that the next refresh reads it again."""
        self._connection.execute("UPDATE pages SET hash = '', stamp = '' WHERE path = ?", (path,))

    def remove_page(self, path: str) -> None:
        """Remove a page and its memories."""
        self._connection.execute(f"DELETE FROM memories WHERE {_ON_PAGE}", (path,))
        self._connection.execute("DELETE FROM pages WHERE path = ?", (path,))

    def rows_of(self, path: str) -> list[int]:
        """The rows of a page."""
        return [row for (row,) in self._connection.execute(f"SELECT row FROM memories WHERE {_ON_PAGE}", (path,))]

    def stored(self, path: str, *, all_anew: bool, again: bool) -> list[tuple[int, int, int, tuple[Any, ...]]]:
        """The rows of a page in its order: number, line, place, and the columns that say what `IndexedRow.said` says.

        The last is empty for rows that are read anew: for all of them, or with `again` for the provisional ones.
        """
        query = f"SELECT row, line, place, ?1 OR (?2 AND provisional), {_SAID} FROM memories WHERE {_ON_PAGE} ORDER BY place"
        found = self._connection.execute(query, (all_anew, again, path))
        return [(row, line, place, () if is_dropped else tuple(said)) for row, line, place, is_dropped, *said in found]

    def add_readings(self, readings: Mapping[str, str]) -> None:
        """Add to the lexicon how runs of Hangul were read."""
        self._connection.executemany("INSERT OR REPLACE INTO readings VALUES (?, ?)", readings.items())

    def note_dates(self, dates: MemoryDates) -> None:
        """Store days and use of memories from events; pages with a memory whose day changed are read again."""
        for column, days in (("learned", dates.learned), ("changed", dates.changed)):
            self._connection.executemany(
                f"INSERT INTO dates (id, {column}) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET {column} = excluded.{column}",
                [(id_, day.isoformat()) for id_, day in days.items()],
            )
        self._read_again("id = ? AND learned IS NOT ?", [(id_, day.isoformat()) for id_, day in dates.learned.items()])
        self._connection.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?, ?, ?, ?)", dates.uses)
        self._connection.executemany(_SUM_UP_USE, {(event.memory,) for event in dates.uses})
        self.set_state("events", dates.seen)

    def note_questions(self, new: NewQuestions) -> None:
        """Store the questions that memories answer; pages with a memory whose questions changed are read again."""
        told = {(one.log, one.memory): "\n".join(one.questions) for one in new.changed}
        changed = [*told]
        if new.is_all:
            query = "SELECT log, memory, questions FROM questions"
            before = {(log, memory): asked for log, memory, asked in self._connection.execute(query)}
            changed = [key for key in {**before, **told} if before.get(key, "") != told.get(key, "")]
        self._connection.executemany("DELETE FROM questions WHERE log = ? AND memory = ?", changed)
        rows = [(*key, told[key]) for key in changed if told.get(key)]
        self._connection.executemany("INSERT INTO questions VALUES (?, ?, ?)", rows)
        self._read_again("id = ?", [(memory,) for memory in {memory for _, memory in changed}])
        self.set_state("questions", new.seen)

    def _read_again(self, condition: str, values: Iterable[tuple[str, ...]]) -> None:
        """Mark the pages to be read again that hold memories meeting a condition."""
        self._connection.executemany(
            "UPDATE pages SET hash = '-', stamp = '-' WHERE hash != '' AND page IN "
            f"(SELECT page FROM memories WHERE {condition})",
            values,
        )

    # The data of tree-index.json.

    def term_counts(self, path: str) -> Counter[str]:
        """How often a page has each term; a term of its headings counts twice, however many memories they are above."""
        query = f"SELECT sentences, heading_terms FROM memories WHERE {_ON_PAGE}"
        rows = self._connection.execute(query, (path,)).fetchall()
        above = {term for heading in {row[1] for row in rows} for term in heading.split()}
        return Counter([*" ".join([row[0] for row in rows]).split(), *above, *above])

    def without_keywords(self) -> list[str]:
        """The pages with memories that changed since the tree file was written: their keywords are still to be chosen."""
        # With the plus SQLite uses the index of these few pages, and not that of all numbers of memories.
        query = "SELECT path FROM pages WHERE keywords = '' AND memories + texts > 0"
        return [path for (path,) in self._connection.execute(query)]

    def set_keywords(self, path: str, keywords: Iterable[str]) -> None:
        """Set the keywords of a page, the best first."""
        self._connection.execute("UPDATE pages SET keywords = ? WHERE path = ?", (" ".join(keywords), path))

    def nodes(self) -> Iterator[tuple[str, str, list[tuple[str, ...]], list[str]]]:
        """Each page in the order of paths: path, title, heading paths, keywords."""
        rows = self._connection.execute("SELECT path, title, headings, keywords FROM pages ORDER BY path")
        for path, title, headings, keywords in rows:
            yield path, title, [tuple(line.split(SEPARATOR)) for line in headings.split("\n") if line], keywords.split()


def _by_row(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    keys: dict[int, list[int]] = {}
    for row, key in pairs:
        keys.setdefault(row, []).append(key)
    return keys


def candidate_of(stored: Sequence[Any]) -> Candidate:
    """A memory for scoring, from the columns `_SCORED`."""
    row, page, place, sentences, heading, entities, denies, asked = stored
    return Candidate(
        row, page, place,
        [part.split(" ") for part in sentences.split("\n")] if sentences else [],
        heading.split(" ") if heading else [],
        frozenset(entities.casefold().split()) if entities else _NOBODY,
        bool(denies),
        [part.split(" ") for part in asked.split("\n")] if asked else (),
    )  # fmt: skip


def found_row_of(stored: Sequence[Any]) -> FoundRow:
    """A memory for showing, from the columns `_SHOWN`."""
    row, path, line, id_, tag, hundredths, day, entities, heading, text, learned, about, changed, is_text, mentions = (
        stored
    )
    return FoundRow(
        row, path, line, id_, tag, hundredths, _day(day),
        tuple(dict.fromkeys(entities.split())), tuple(heading.split(SEPARATOR)) if heading else (), text,
        _day(learned), tuple(map(_span, about.split())), _day(changed), bool(is_text), tuple(mentions.split("\n")) if mentions else (),
    )  # fmt: skip


@lru_cache(maxsize=1_024)  # the memories of a page are often of one day
def _span(text: str) -> Span:
    first, last = text.split("/")
    return Span(date.fromisoformat(first), date.fromisoformat(last))


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


_IS_TOLD = "SELECT 1 FROM noted WHERE what = 'superseded'"
_KEYS = "SELECT id, key FROM looked_at WHERE id"
_PAIRS = (  # until the next run the catalog has also those of memories that are gone, as after an undo
    "SELECT older, newer, relation, is_dated FROM alike WHERE relation <> 'different' "
    "AND older IN (SELECT id FROM memories) AND newer IN (SELECT id FROM memories) AND"
)
_SAME = (
    "SELECT looked_at.id, memories.id FROM looked_at, memories "
    "WHERE memories.id = looked_at.id AND memories.key = looked_at.key AND looked_at.id"
)


class Successors(KnownRelations):
    """Answers which memories are newer than others, near to them, or contradict them."""

    def __init__(self, catalog_db: Path | str, fill: Callable[[], None] = lambda: None) -> None:
        """Read this catalog; `fill` is called when it is not there, or was made anew and no run told it of relations yet."""
        self._path, self._inode, self._fill = str(catalog_db), 0, fill
        self._database: sqlite3.Connection | None = None

    def close(self) -> None:
        """Close the catalog; the next question opens it again."""
        if self._database is not None:
            self._database.close()
        self._database = None

    def state(self) -> int:
        """A number that changes when runs may have found something else."""
        try:
            return os.stat(self._path).st_mtime_ns
        except OSError:
            return 0

    def of(self, ids: Collection[str]) -> StoredRelations:
        """The memories that are newer than these, near to them, or contradict them; empty if the catalog cannot be read."""
        return self._read(ids, _relations, StoredRelations())

    def pages_of(self, id_: str) -> list[str]:
        """The pages of bank and archive that hold a memory, as the last run saw them."""
        query, none = "SELECT path FROM memories WHERE id", list[tuple[str]]()
        return [path for (path,) in self._read([id_], lambda database, ids: _rows_among(database, query, ids), none)]

    def kept(self) -> Sequence[str]:
        """The pages on which no confidence fades, as recorded by the last night."""
        return self._read(["kept"], _kept, ())

    def ties_of(self, ids: Collection[str]) -> list[StoredTie]:
        """Which memories superseded these or were superseded by them, and which contradict them."""
        return self._read(ids, _ties, [])

    def _read(self, ids: Collection[str], read: Callable[[sqlite3.Connection, list[str]], _T], nothing: _T) -> _T:
        if not ids:
            return nothing
        try:
            database = self._open()
            database.execute("BEGIN")  # one state, and one look at the file for all queries
            found = read(database, list(ids))
            database.execute("ROLLBACK")
        except (sqlite3.Error, OSError):
            self.close()
            return nothing
        return found

    def _open(self) -> sqlite3.Connection:
        """The catalog, kept open while it is the same file: opening takes longer than all queries."""
        with suppress(sqlite3.Error, OSError):
            if self._database is not None and os.stat(self._path).st_ino == self._inode:
                return self._database
            database = self._connect()
            if database.execute(_IS_TOLD).fetchone():
                return database
        self._fill()
        return self._connect()

    def _connect(self) -> sqlite3.Connection:
        self.close()
        self._inode, name = os.stat(self._path).st_ino, f"file:{self._path}?mode=ro"
        self._database = sqlite3.connect(name, uri=True, timeout=1, isolation_level=None, check_same_thread=False)
        return self._database


def _kept(database: sqlite3.Connection, _: list[str]) -> Sequence[str]:
    return [page for (page,) in database.execute("SELECT substr(what, 11) FROM noted WHERE what LIKE 'kept bank/%'")]


def _relations(database: sqlite3.Connection, ids: list[str]) -> StoredRelations:
    doubted = doubted_in(database)
    superseded: dict[str, str] = dict(_rows_among(database, "SELECT old, new FROM superseded WHERE old", ids))
    found = {row for side in ("older", "newer") for row in _rows_among(database, f"{_PAIRS} {side}", ids)}
    projects: dict[str, list[str]] = {}
    for id_, project in _rows_among(database, "SELECT id, project FROM projects WHERE id", ids):
        projects.setdefault(id_, []).append(project)
    if not found:
        return StoredRelations(superseded, projects=projects, doubted=doubted)
    pairs = [StoredPair(older, newer, relation, bool(is_dated)) for older, newer, relation, is_dated in found]
    newer = [pair.newer for pair in pairs]
    superseded |= dict(_rows_among(database, "SELECT old, new FROM superseded WHERE old", newer))
    return StoredRelations(superseded, pairs, dict(_rows_among(database, _KEYS, ids)), projects, doubted)


def _ties(database: sqlite3.Connection, ids: list[str]) -> list[StoredTie]:
    query = "SELECT old, new FROM superseded WHERE"
    newer = [row for side in ("old", "new") for row in _rows_among(database, f"{query} {side}", ids)]
    query = "SELECT older, newer, reason FROM alike WHERE relation = 'newer' AND"
    other = [row for side in ("older", "newer") for row in _rows_among(database, f"{query} {side}", ids)]
    if not (newer or other):
        return []
    from bankd.search.related import StoredTie, Tie  # noqa: PLC0415 -- most answers have no tie

    # A contradiction holds while both memories say what they said when they were compared.
    still = {row for row in other if len({*_rows_among(database, _SAME, row[:2])}) == 2}
    return [
        *(StoredTie(old, new, Tie.SUPERSEDED, "") for old, new in dict.fromkeys(newer)),
        *(StoredTie(old, new, Tie.CONTRADICTS, why) for old, new, why in sorted(still)),
    ]


def _rows_among(database: sqlite3.Connection, query: str, values: Sequence[str]) -> list[Any]:
    """The rows of a query that ends in a column, where the column is one of these values."""
    return database.execute(f"{query} IN ({','.join('?' * len(values))})", values).fetchall()

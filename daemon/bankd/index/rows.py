"""The events of use in an index: which memories were recalled, used, ignored, and how important they were called.

Each event once, however often and in whatever order the files are read. What a ranking asks of them is folded when they
come, since every search asks; the rest when somebody does.

The rows of an index: what each memory and page says, and how far the index has read, in one SQLite file.

The terms for finding are tantivy's (`index_terms`); a row is found by its number.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from datetime import date
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from bankd.search.request import FoundRow
from bankd.search.score import Candidate, Corpus, Usage, Vocabulary, vocabulary_of
from bankd.words.days import Span

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.index.meaning_rows import MeaningRows
    from bankd.index.tree_file import TreeRows
    from bankd.index.writer import IndexedPage, IndexedRow, PageFingerprint, StoredRow
    from bankd.memory.use import UseEvent, UseSignals
    from bankd.search.indexable import MemoryDates, NewQuestions

SCHEMA = """
CREATE TABLE uses (memory TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, run TEXT NOT NULL, value INTEGER,
    asked TEXT NOT NULL, PRIMARY KEY (memory, kind, at, run)) WITHOUT ROWID;
CREATE INDEX used_in_run ON uses (run, memory) WHERE kind = 'used';
CREATE INDEX beaten_at ON uses (memory, asked) WHERE asked <> '';
CREATE TABLE usages (memory TEXT PRIMARY KEY, days INTEGER NOT NULL, last TEXT, importance INTEGER, shown INTEGER NOT NULL)
    WITHOUT ROWID;
"""
_USED_WITH = """
SELECT others.memory, count(DISTINCT others.run) FROM (
    SELECT DISTINCT run FROM uses WHERE memory = ?1 AND kind = 'used' AND run <> '' ORDER BY at DESC LIMIT ?2
) AS own JOIN uses AS others ON others.run = own.run AND others.kind = 'used'
WHERE others.memory <> ?1 GROUP BY others.memory ORDER BY 2 DESC, 1 LIMIT ?3
"""
_FOLD = """
INSERT OR REPLACE INTO usages
SELECT memory, count(DISTINCT CASE kind WHEN 'used' THEN day END), max(CASE kind WHEN 'used' THEN day END), (
    SELECT value FROM uses AS said WHERE said.memory = told.memory AND kind = 'importance' AND value IS NOT NULL
    ORDER BY at DESC LIMIT 1
), count(DISTINCT CASE kind WHEN 'recalled' THEN day END) FROM (
    SELECT memory, kind, substr(at, 1, 10) AS day FROM uses WHERE memory = ?
) AS told GROUP BY memory
"""


class UseRows:
    """The part of an index's rows that is about use."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read and write by this connection."""
        self._connection = connection

    def note(self, events: Sequence[UseEvent]) -> None:
        """Remember events, those that are known already too."""
        self._connection.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?, ?, ?, ?, ?)", events)
        self._connection.executemany(_FOLD, [(memory,) for memory in dict.fromkeys(event.memory for event in events)])

    def usage_of(self, ids: Sequence[str]) -> dict[str, Usage]:
        """On how many days these memories were used, the last of them, how important they are, and on how many they were shown."""
        found: dict[str, Usage] = {}
        for start in range(0, len(ids), _AT_ONCE):
            asked = ids[start : start + _AT_ONCE]
            query = f"SELECT * FROM usages WHERE memory IN ({','.join('?' * len(asked))})"  # noqa: S608 -- of `?` alone
            for memory, days, last, importance, shown in self._connection.execute(query, asked):
                found[memory] = Usage(days, date.fromisoformat(last) if last else None, importance, shown)
        return found

    def losses_of(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """The questions at which these memories were ignored while another of the answer was used."""
        found: dict[str, list[str]] = {}
        for start in range(0, len(ids), _AT_ONCE):
            asked = ids[start : start + _AT_ONCE]
            query = f"SELECT memory, asked FROM uses WHERE asked <> '' AND memory IN ({','.join('?' * len(asked))})"  # noqa: S608
            for memory, question in self._connection.execute(query, asked):
                found.setdefault(memory, []).append(question)
        return found

    def signals_of(self, ids: Sequence[str]) -> dict[str, UseSignals]:
        """What is known of the use of these memories, of those that were used at all."""
        from bankd.memory.use import note_use  # noqa: PLC0415 -- a query that finds nothing near has no use for it

        signals: dict[str, UseSignals] = {}
        for start in range(0, len(ids), _AT_ONCE):
            asked = ids[start : start + _AT_ONCE]
            query = (
                f"SELECT memory, kind, at, value FROM uses WHERE memory IN ({','.join('?' * len(asked))}) ORDER BY at"  # noqa: S608
            )
            for memory, kind, at, value in self._connection.execute(query, asked):
                note_use(signals, {"type": kind, "memory": memory, "value": value}, date.fromisoformat(at[:10]))
        return signals

    def used_with(self, ids: Sequence[str], responses: int, most: int) -> list[tuple[str, int]]:
        """The memories that responses used together with one of these, and in how many of so many last ones, most first."""
        query = f"SELECT DISTINCT memory FROM uses WHERE memory IN ({','.join('?' * len(ids))}) AND kind = 'used'"  # noqa: S608
        used = self._connection.execute(query, ids).fetchall()
        return [one for (id_,) in used for one in self._connection.execute(_USED_WITH, (id_, responses, most))]


# What is long stands last: counting over all pages then reads little of each.
_SCHEMA = """
CREATE TABLE pages (
    page INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, stamp TEXT NOT NULL, hash TEXT NOT NULL,
    provisional INTEGER NOT NULL, memories INTEGER NOT NULL, texts INTEGER NOT NULL, words INTEGER NOT NULL, sentences INTEGER NOT NULL,
    heading_words INTEGER NOT NULL, title TEXT NOT NULL, headings TEXT NOT NULL, keywords TEXT NOT NULL, terms BLOB NOT NULL
);
CREATE TABLE memories (
    row INTEGER PRIMARY KEY, page INTEGER NOT NULL, place INTEGER NOT NULL, line INTEGER NOT NULL,
    id TEXT, tag TEXT, hundredths INTEGER, day TEXT, learned TEXT, entities TEXT NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL, is_text INTEGER NOT NULL,
    sentences TEXT NOT NULL, bigrams TEXT NOT NULL, heading_terms TEXT NOT NULL, denies INTEGER NOT NULL,
    provisional INTEGER NOT NULL, about TEXT NOT NULL,
    questions TEXT NOT NULL, mentions TEXT NOT NULL, asked TEXT NOT NULL, asked_bigrams TEXT NOT NULL
);
CREATE TABLE questions (log TEXT NOT NULL, memory TEXT NOT NULL, questions TEXT NOT NULL, PRIMARY KEY (memory, log)) WITHOUT ROWID;
CREATE TABLE dates (id TEXT PRIMARY KEY, learned TEXT, changed TEXT) WITHOUT ROWID;
CREATE INDEX memories_id ON memories (id) WHERE id IS NOT NULL;
CREATE INDEX provisional_pages ON pages (page) WHERE provisional;
CREATE INDEX undescribed_pages ON pages (path, memories, texts) WHERE keywords = '';
CREATE INDEX stamps_of_pages ON pages (path, stamp);
CREATE INDEX sums_of_pages ON pages (memories, texts, words, sentences, heading_words);
CREATE INDEX memories_of_page ON memories (page, place);
CREATE TABLE readings (run TEXT PRIMARY KEY, terms TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_SAID = "id, tag, hundredths, day, learned, entities, heading, text, is_text, questions, mentions"
_SCORED = "row, page, place, sentences, bigrams, heading_terms, entities, denies, asked, asked_bigrams"
_SHOWN = (
    "row, page, line, id, tag, hundredths, day, entities, heading, text, learned, about, "
    "(SELECT changed FROM dates WHERE dates.id = memories.id), is_text, mentions"
)
_AT_ONCE = 500
"""Rows asked for together; every SQLite takes 999."""
_NOBODY: frozenset[str] = frozenset()
SEPARATOR = "\x1f"
"""Between the headings of a path."""


class Rows:
    """One index's rows; SQLite errors leave as they are, `index` tells damage from other trouble."""

    def __init__(self, file: Path | str, *, create: bool = False, frozen: bool = False) -> None:
        """Open the file, or make it; `frozen` reads it as it was when last closed, and needs no room on the disk."""
        self.is_frozen = frozen
        name = _frozen_uri(str(file)) if frozen else str(file)
        self._connection = sqlite3.connect(name, check_same_thread=False, isolation_level=None, uri=frozen)
        self.uses = UseRows(self._connection)
        self._connection.execute("PRAGMA synchronous = NORMAL")
        if create:
            from bankd.index.tree_file import SCHEMA as TREE_SCHEMA  # noqa: PLC0415 -- a query makes none

            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.executescript(_SCHEMA + TREE_SCHEMA + SCHEMA)

    @cached_property
    def tree(self) -> TreeRows:
        """What is about the tree."""
        from bankd.index.tree_file import TreeRows  # noqa: PLC0415 -- a query has no time for it

        return TreeRows(self._connection)

    @cached_property
    def meanings(self) -> MeaningRows:
        """What is about sentence vectors."""
        from bankd.index.meaning_rows import MeaningRows  # noqa: PLC0415 -- most have no vectors

        return MeaningRows(self._connection)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextmanager
    def unread(self) -> Iterator[None]:
        """While nobody reads these rows: changes are not written twice, to the log and to the file."""
        self._connection.execute("PRAGMA journal_mode = MEMORY")
        yield
        self._connection.execute("PRAGMA journal_mode = WAL")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Change everything inside, or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def state(self, key: str, default: str = "") -> str:
        """One value of the state of the index."""
        found = self._connection.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
        return str(found[0]) if found else default

    def set_state(self, key: str, value: str) -> None:
        """Set one value of the state of the index."""
        self._connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (key, value))

    def fingerprints(self, paths: Iterable[str] | None = None) -> dict[str, PageFingerprint]:
        """How each page, or each of these, was when it was read."""
        from bankd.index.writer import PageFingerprint  # noqa: PLC0415 -- only a writer asks

        query = "SELECT path, stamp, hash, provisional FROM pages"
        if paths is None:
            rows: Iterable[tuple[str, str, str, int]] = self._connection.execute(query)
        else:
            found = (self._connection.execute(f"{query} WHERE path = ?", (path,)).fetchone() for path in paths)
            rows = [row for row in found if row is not None]
        return {path: PageFingerprint(stamp, hash_, bool(provisional)) for path, stamp, hash_, provisional in rows}

    def stamps(self) -> dict[str, str]:
        """The stamp of each page when it was read."""
        return dict(self._connection.execute("SELECT path, stamp FROM pages"))

    def touch(self, path: str, stamp: str) -> None:
        """Note that a page has another stamp and the same content."""
        self._connection.execute("UPDATE pages SET stamp = ? WHERE path = ?", (stamp, path))

    def count_provisional(self) -> int:
        """How many pages wait for the morphological analyser."""
        return int(self._connection.execute("SELECT count(*) FROM pages WHERE provisional").fetchone()[0])

    def stored(self, path: str, *, all_anew: bool, again: bool) -> Iterator[StoredRow]:
        """The rows of a page; none is kept when all are read anew, and no provisional one when these are read again."""
        from bankd.index.writer import StoredRow  # noqa: PLC0415 -- only a writer asks

        query = f"SELECT row, line, place, ?1 OR (?2 AND provisional), {_SAID} FROM memories WHERE page = (SELECT page FROM pages WHERE path = ?3)"  # noqa: S608
        for row, line, place, is_dropped, *said in self._connection.execute(query, (all_anew, again, path)):
            yield StoredRow(row, line, place, () if is_dropped else tuple(said))

    def sentences(self, rows: Iterable[int]) -> Iterator[str]:
        """What the memories of some rows say."""
        for row in rows:
            yield from (
                one for (one,) in self._connection.execute("SELECT sentences FROM memories WHERE row = ?", (row,))
            )

    def note_dates(self, dates: MemoryDates) -> None:
        """Remember what events tell of the days of memories, and read pages again whose memories have another day now."""
        self._connection.executemany(
            "INSERT INTO dates (id, learned) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET learned = excluded.learned",
            [(id_, day.isoformat()) for id_, day in dates.learned.items()],
        )
        self._connection.executemany(
            "INSERT INTO dates (id, changed) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET changed = excluded.changed",
            [(id_, day.isoformat()) for id_, day in dates.changed.items()],
        )
        self._connection.executemany(
            "UPDATE pages SET hash = '-', stamp = '-' WHERE hash != '' AND page IN "
            "(SELECT page FROM memories WHERE id = ? AND learned IS NOT ?)",
            [(id_, day.isoformat()) for id_, day in dates.learned.items()],
        )
        self.uses.note(dates.uses)
        self.set_state("events", dates.seen)

    def learned(self, ids: Sequence[str]) -> dict[str, date]:
        """The days on which these memories were learned, as far as events tell."""
        found = self._each("SELECT id, learned FROM dates WHERE learned IS NOT NULL AND id IN", ids)
        return {id_: date.fromisoformat(day) for id_, day in found}

    def note_questions(self, new: NewQuestions, source: str = "questions") -> None:
        """Remember which questions memories answer, and read the pages of those again that have others now.

        `source` is the state that says how far they were read: `questions` of the logs, or `enriched`.
        """
        from bankd.search.indexable import ENRICHED  # noqa: PLC0415 -- only a writer notes

        is_enriched = source == "enriched"
        before = {key: told for key, told in self._asked() if (key[0] == ENRICHED) == is_enriched} if new.is_all else {}
        changed = [*dict.fromkeys([*before, *((one.log, one.memory) for one in new.changed)])]
        told = {(one.log, one.memory): "\n".join(one.questions) for one in new.changed}
        changed = [key for key in changed if not new.is_all or before.get(key, "") != told.get(key, "")]
        self._connection.executemany("DELETE FROM questions WHERE log = ? AND memory = ?", changed)
        rows = [(*key, told[key]) for key in changed if told.get(key)]
        self._connection.executemany("INSERT INTO questions VALUES (?, ?, ?)", rows)
        about = {memory for _, memory in changed}
        self._connection.executemany(
            "UPDATE pages SET hash = '-', stamp = '-' WHERE hash != '' AND page IN (SELECT page FROM memories WHERE id = ?)",
            [(memory,) for memory in (self._saying(about) if is_enriched else about)],
        )
        self.set_state(source, new.seen)

    def _saying(self, keys: Set[str]) -> Iterator[str]:
        """The memories that say what these keys stand for."""
        from bankd.pages.memory import statement_key  # noqa: PLC0415 -- same

        query = "SELECT id, text, entities FROM memories WHERE id IS NOT NULL AND is_text = 0"
        for id_, text, entities in self._connection.execute(query if keys else f"{query} LIMIT 0"):
            if statement_key(text, entities.split()) in keys:
                yield id_

    def unasked(self, most: int) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        """Memories without a question that they answer, the last added first: text, entities, and headings above."""
        query = (
            "SELECT text, entities, heading FROM memories "
            "WHERE id IS NOT NULL AND is_text = 0 AND questions = '' ORDER BY row DESC LIMIT ?"
        )
        found = self._connection.execute(query, (most,))
        return [(text, tuple(about.split()), tuple(above.split(SEPARATOR))) for text, about, above in found]

    def _asked(self) -> Iterator[tuple[tuple[str, str], str]]:
        for log, memory, questions in self._connection.execute("SELECT log, memory, questions FROM questions"):
            yield (log, memory), questions

    def questions(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """The questions that these memories answer, each once."""
        found: dict[str, list[str]] = {}
        for memory, questions in self._each("SELECT memory, questions FROM questions WHERE memory IN", ids):
            asked = found.setdefault(memory, [])
            asked += [question for question in questions.split("\n") if question not in asked]
        return found

    def with_ids(self, ids: Sequence[str]) -> dict[str, int]:
        """The rows of these memories, by id; of one that stands twice either."""
        return dict(self._each("SELECT id, row FROM memories WHERE id IN", ids))

    def rows_of(self, path: str) -> list[int]:
        """The rows of a page."""
        found = self._connection.execute(
            "SELECT row FROM memories WHERE page = (SELECT page FROM pages WHERE path = ?)", (path,)
        )
        return [row for (row,) in found]

    def put_page(self, page: IndexedPage) -> list[int]:
        """Add new rows of a page beside those it has and mark it unread until `finish_page`; gives their numbers."""
        number = self._page_number(page.path)
        first = int(self._connection.execute("SELECT coalesce(max(row), 0) FROM memories").fetchone()[0]) + 1
        self._connection.executemany(
            "INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [_stored(first + count, number, row) for count, row in enumerate(page.rows)],
        )
        return list(range(first, first + len(page.rows)))

    def _page_number(self, path: str) -> int:
        self._connection.execute(
            "INSERT INTO pages VALUES (NULL, ?, '', '', 0, 0, 0, 0, 0, 0, '', '', '', x'') "
            "ON CONFLICT (path) DO UPDATE SET hash = '', stamp = ''",
            (path,),
        )
        return int(self._connection.execute("SELECT page FROM pages WHERE path = ?", (path,)).fetchone()[0])

    def finish_page(self, page: IndexedPage) -> None:
        """Move the rows of a page that stand elsewhere now, drop those that are gone, and believe what it has then."""
        self._connection.executemany("UPDATE memories SET line = ?, place = ? WHERE row = ?", page.moved)
        self._connection.executemany("DELETE FROM memories WHERE row = ?", [(row,) for row in page.gone])
        headings = "\n".join(SEPARATOR.join(path) for path in page.headings)
        self._connection.execute(
            "UPDATE pages SET stamp = ?, hash = ?, title = ?, headings = ?, provisional = ?, terms = ?, "
            "memories = ?, texts = ?, words = ?, sentences = ?, heading_words = ?, keywords = '' WHERE path = ?",
            (page.stamp, page.hash, page.title, headings, *self._sums(page.path), page.path),
        )

    def _sums(self, path: str) -> tuple[bool, bytes, int, int, int, int, int]:
        """Of all rows of a page: whether one is provisional, the vocabulary, the numbers of memories, texts, words and sentences."""
        rows = self._connection.execute(
            "SELECT provisional, sentences, heading_terms, is_text FROM memories WHERE page = (SELECT page FROM pages WHERE path = ?)",
            (path,),
        ).fetchall()
        sentences = [line for row in rows if row[1] for line in row[1].split("\n")]
        words, above = " ".join(sentences).split(), [row[2] for row in rows if row[2]]
        terms, texts = {*words, *" ".join(set(above)).split()}, sum(row[3] for row in rows)
        return (
            any(row[0] for row in rows), vocabulary_of(terms).tobytes(), len(rows) - texts, texts,
            len(words), len(sentences), sum(map(_count, above)),
        )  # fmt: skip

    def mark_unread(self, path: str) -> None:
        """Believe nothing of a page until it is read again."""
        self._connection.execute("UPDATE pages SET hash = '', stamp = '' WHERE path = ?", (path,))

    def remove_page(self, path: str) -> None:
        """Forget a page and its memories."""
        self._connection.execute("DELETE FROM memories WHERE page = (SELECT page FROM pages WHERE path = ?)", (path,))
        self._connection.execute("DELETE FROM pages WHERE path = ?", (path,))

    def add_readings(self, readings: Mapping[str, str]) -> None:
        """Add to the lexicon how runs of Hangul were read."""
        self._connection.executemany("INSERT OR REPLACE INTO readings VALUES (?, ?)", readings.items())

    def reading(self, run: str) -> list[str] | None:
        """How a run of Hangul was read before; None when it was never seen."""
        found = self._connection.execute("SELECT terms FROM readings WHERE run = ?", (run,)).fetchone()
        return found[0].split() if found else None

    def corpus(self) -> Corpus:
        """The number of memories and of other texts, together, and their average lengths."""
        memories, words, sentences, heading = self._connection.execute(
            "SELECT sum(memories + texts), sum(words), sum(sentences), sum(heading_words) FROM pages"
        ).fetchone()
        count = memories or 1
        return Corpus(memories or 0, (words or 0) / count, (words or 0) / (sentences or 1), (heading or 0) / count)

    def count_memories(self) -> int:
        """How many memories there are, other texts not counted."""
        return int(self._connection.execute("SELECT coalesce(sum(memories), 0) FROM pages").fetchone()[0])

    def candidates(self, numbers: Sequence[int]) -> list[Candidate]:
        """What scoring looks at of the memories with these numbers; those that are gone are left out."""
        return [candidate_of(row) for row in self._select(_SCORED, numbers)]

    def rows(self, numbers: Sequence[int]) -> list[FoundRow]:
        """What is shown of the memories with these numbers; those that are gone are left out."""
        return [found_row_of(row) for row in self._select(_SHOWN, numbers)]

    def _select(self, fields: str, numbers: Sequence[int]) -> list[Any]:
        return self._each(f"SELECT {fields} FROM memories WHERE row IN", numbers)  # noqa: S608

    def _each(self, query: str, numbers: Sequence[int] | Sequence[str]) -> list[Any]:
        """What a query that ends in IN gives for these numbers, asked for some at a time."""
        found: list[Any] = []
        for at in range(0, len(numbers), _AT_ONCE):
            asked = numbers[at : at + _AT_ONCE]
            found += self._connection.execute(f"{query} ({','.join('?' * len(asked))})", asked)
        return found

    def vocabularies(self, pages: Iterable[int]) -> dict[int, Vocabulary]:
        """The terms of these pages."""
        found = self._each("SELECT page, terms FROM pages WHERE page IN", list(pages))
        return {page: array("I", terms) for page, terms in found}

    def paths(self, pages: Iterable[int]) -> dict[int, str]:
        """The paths of these pages."""
        return dict(self._each("SELECT page, path FROM pages WHERE page IN", list(pages)))


def _frozen_uri(file: str) -> str:
    from pathlib import Path  # noqa: PLC0415 -- a query has no time for it

    return f"{Path(file).absolute().as_uri()}?mode=ro&immutable=1"


def _about_as_text(about: Iterable[Span]) -> str:
    return " ".join(f"{first}/{last}" for first, last in about)


@lru_cache(maxsize=1_024)  # the memories of a page are often of one day
def _span(text: str) -> Span:
    first, last = text.split("/")
    return Span(date.fromisoformat(first), date.fromisoformat(last))


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _bigrams_of(row: IndexedRow) -> str:
    """The bigrams of a memory and of its heading, each once."""
    return " ".join(dict.fromkeys(f"{row.analysis.bigrams} {row.heading.bigrams}".split()))


def _count(terms: str) -> int:
    """The number of terms, of which there is one at least."""
    return terms.count(" ") + terms.count("\n") + 1


def _stored(number: int, page: int, row: IndexedRow) -> tuple[object, ...]:
    from bankd.index.writer import said_by  # noqa: PLC0415 -- only a writer stores

    heading = row.heading.sentences.replace("\n", " ")
    terms = (row.analysis.sentences, _bigrams_of(row), heading, row.analysis.denies)
    *said, questions, mentions = said_by(row.entry)
    return (
        number,
        page,
        row.place,
        row.entry.line,
        *said,
        *terms,
        row.provisional,
        _about_as_text(row.about),
        questions,
        mentions,
        *((row.asked.sentences, row.asked.bigrams) if row.asked else ("", "")),
    )


def candidate_of(stored: Sequence[Any]) -> Candidate:
    """A memory as scoring looks at it, of the columns `_SCORED`."""
    row, page, place, sentences, bigrams, heading, entities, denies, asked, asked_bigrams = stored
    return Candidate(
        row, page, place,
        [part.split(" ") for part in sentences.split("\n")] if sentences else [],
        f" {bigrams} " if bigrams else "",
        heading.split(" ") if heading else [],
        frozenset(entities.casefold().split()) if entities else _NOBODY,
        bool(denies),
        [part.split(" ") for part in asked.split("\n")] if asked else (),
        f" {asked_bigrams} " if asked_bigrams else "",
    )  # fmt: skip


def found_row_of(stored: Sequence[Any]) -> FoundRow:
    """A memory as it is shown, of the columns `_SHOWN`."""
    row, page, line, id_, tag, hundredths, day, entities, heading, text, learned, about, changed, is_text, mentions = (
        stored
    )
    return FoundRow(
        row, page, line, id_, tag, hundredths, _day(day),
        tuple(sorted(set(entities.casefold().split()))), tuple(heading.split(SEPARATOR)) if heading else (), text,
        _day(learned), tuple(map(_span, about.split())), _day(changed), bool(is_text), tuple(mentions.split("\n")) if mentions else (),
    )  # fmt: skip

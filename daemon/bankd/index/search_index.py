"""The search index of a workspace in `.bankd/index/`: disposable, rebuilt by itself, read by many, written by one.

Reading is here; what is only needed to write (`index_writer`, and with it the reading of Markdown) is imported when
something is written, since `bankctl search` reads the index itself when there is no daemon.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import TYPE_CHECKING, TypeVar

from bankd.errors import IndexDamaged
from bankd.index.folder import Build, IndexFolder, damage_told, find_changed
from bankd.search.request import Filters, FoundRow
from bankd.search.score import Candidate, Corpus, Vocabulary
from bankd.words.days import Span

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.health.health import IndexFacts
    from bankd.index.rows import Rows
    from bankd.index.tree_file import Node, TreeChanges
    from bankd.index.writer import IndexWriter
    from bankd.memory.use import UseSignals
    from bankd.pages.names import Names
    from bankd.ports import PageSource, TextAnalyser
    from bankd.search.indexable import Refreshed
    from bankd.search.score import Usage

_T = TypeVar("_T")


class SearchIndex:
    """One workspace's index."""

    def __init__(self, folder: Path | str, pages: PageSource, analyser: TextAnalyser) -> None:
        """Keep the index in this folder, of these pages, read with this analyser."""
        self._folder = IndexFolder(folder)
        self._pages = pages
        self._analyser = analyser
        self._build: Build | None = None
        self._seen = ""
        self._corpus = Corpus(0, 0.0, 0.0, 0.0)
        self._made_anew: list[str] = []
        self._names: tuple[tuple[int, str], Names] | None = None
        self.opened = 0
        """How often a build was opened: with the generation it tells one state from another."""

    def open(self) -> bool:
        """See the newest state; False when there is no index yet. Raises IndexDamaged."""
        name = self._folder.current()
        if name is None:
            return False
        with damage_told():
            if not self._is_current(name):
                self.close()
                self._build = self._folder.open(name)
                self.opened += 1
            generation = self._opened.rows.state("generation", "0")
            if generation != self._seen:
                if generation != self._opened.generation:
                    self._opened.terms.reload()
                self._seen = generation
                self._corpus = self._opened.rows.corpus()
        return True

    def _is_current(self, name: str) -> bool:
        build = self._build
        if build is None or build.rows.is_frozen:
            return False
        return build.name == name and build.inode == self._folder.inode(name)

    def close(self) -> None:
        """Let go of all files."""
        if self._build is not None:
            self._build.rows.close()
        self._build = None
        self._seen = ""

    @property
    def _opened(self) -> Build:
        if self._build is None:
            raise IndexDamaged("it is not open")
        return self._build

    @property
    def generation(self) -> int:
        """A number that grows with every change."""
        return int(self._seen or 0)

    @property
    def updated(self) -> str | None:
        """When it last took in a change, ISO 8601."""
        return self._opened.rows.state("updated") or None

    @property
    def provisional(self) -> int:
        """Pages read with the lexicon only."""
        return self._opened.rows.count_provisional()

    @property
    def corpus(self) -> Corpus:
        """What scoring has to know of the whole."""
        return self._corpus

    def pending(self) -> int:
        """How many pages changed since they were read, all where there is no index; looks at their stamps only."""
        stamps = self._build.rows.stamps() if self._build else {}
        scan = self._pages.scan()
        if scan == stamps:
            return 0
        changed = sum(1 for path, stamp in scan.items() if stamps.get(path) != stamp)
        return changed + sum(1 for path in stamps if path not in scan)

    def pages_there(self) -> int:
        """How many pages there are to be read."""
        return len(self._pages.scan())

    def too_large(self) -> Sequence[str]:
        """The files that are not searched for their size, as the last look at all saw them."""
        return self._pages.too_large()

    def unchanged(self) -> frozenset[str]:
        """The pages that are as they were when they were read, by their stamps; opens none."""
        stamps = self._opened.rows.stamps()
        return frozenset(path for path, stamp in self._pages.scan().items() if stamps.get(path) == stamp)

    def frequency(self, kind: str, term: str) -> int:
        """In how many memories a term occurs."""
        return self._opened.terms.frequency(kind, term)

    def terms_with(self, beginning: str) -> Sequence[str]:
        """The terms that begin so, common ones first."""
        return [term for term, _ in self._opened.terms.all_frequencies(beginning)]

    def reading(self, run: str) -> Sequence[str] | None:
        """How a run of Hangul was read in the bank."""
        return self._opened.rows.reading(run)

    def find(self, terms: Mapping[str, float], bigrams: Mapping[str, float], filters: Filters, limit: int) -> list[int]:
        """The numbers of the memories that match best by a first, rough count of weighed words, best first."""
        return self._opened.terms.find(terms, bigrams, filters, limit)

    def find_within(self, window: Span | None, filters: Filters, limit: int) -> list[int]:
        """The numbers of the memories of some days, or of all, newest first."""
        return self._opened.terms.find_within(window, filters, limit)

    def with_ids(self, ids: Sequence[str]) -> Mapping[str, int]:
        """The numbers of these memories, by id."""
        return self._opened.rows.with_ids(ids)

    @property
    def names(self) -> Names:
        """The pages as links find them; made again when there are others, for a large bank has thousands."""
        from bankd.pages.names import BANK, Names  # noqa: PLC0415 -- most answers have no link

        state = (self.opened, self._opened.rows.state("names"))
        if self._names is None or self._names[0] != state:
            self._names = state, Names(BANK + path for path in self._opened.rows.stamps())
        return self._names[1]

    def mentioning(self, words: Sequence[str], limit: int) -> list[int]:
        """The numbers of the memories that link to something by these words."""
        return self._opened.terms.mentioning(words, limit)

    def usage_of(self, ids: Sequence[str]) -> Mapping[str, Usage]:
        """What a ranking asks of the use of these memories."""
        return self._opened.rows.uses.usage_of(ids)

    def losses_of(self, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """The questions at which these memories were beaten by another of the answer."""
        return self._opened.rows.uses.losses_of(ids)

    def signals_of(self, ids: Sequence[str]) -> Mapping[str, UseSignals]:
        """What is known of the use of these memories."""
        return self._opened.rows.uses.signals_of(ids)

    def used_with(self, ids: Sequence[str], responses: int, most: int) -> Sequence[tuple[str, int]]:
        """The memories that responses used together with one of these, and in how many of the last ones."""
        return self._opened.rows.uses.used_with(ids, responses, most)

    def learned(self, ids: Sequence[str]) -> Mapping[str, date]:
        """The days on which these memories were learned, as far as events tell."""
        return self._opened.rows.learned(ids)

    def candidates(self, numbers: Sequence[int]) -> list[Candidate]:
        """What scoring looks at of these memories."""
        return self._opened.rows.candidates(numbers)

    def rows(self, numbers: Sequence[int]) -> list[FoundRow]:
        """What is shown of these memories."""
        return self._opened.rows.rows(numbers)

    def vocabularies(self, pages: Iterable[int]) -> Mapping[int, Vocabulary]:
        """The terms of pages; tree-index.json shows the best of them as keywords."""
        return self._opened.rows.vocabularies(pages)

    def paths(self, pages: Iterable[int]) -> Mapping[int, str]:
        """The paths of pages."""
        return self._opened.rows.paths(pages)

    def unasked(self, most: int) -> Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        """Memories without a question that they answer, the last added first: text, entities, and headings above."""
        return self._opened.rows.unasked(most) if self.open() else ()

    def count_vectors(self, identity: str) -> int:
        """How many memories have one of these sentence vectors."""
        rows = self._opened.rows
        if not identity or rows.state("vectors") != identity:
            return 0
        return self._corpus.memories - rows.meanings.count_waiting() - rows.meanings.count_refused()

    def count_refused(self, identity: str) -> int:
        """How many memories are left to the words, since the model of these sentence vectors refuses them."""
        rows = self._opened.rows
        return rows.meanings.count_refused() if identity and rows.state("vectors") == identity else 0

    def vector_keys(self, numbers: Sequence[int]) -> Mapping[int, int]:
        """By number the key of its sentence vector, of those of these memories that have one."""
        return self._opened.rows.meanings.keys_of(numbers)

    def rows_with_vectors(self, keys: Sequence[int], filters: Filters) -> Mapping[int, int]:
        """By number the key, of all memories with these keys that are what was asked for."""
        found = self._opened.rows.meanings.rows_with(keys)
        return {row: found[row] for row in self._opened.terms.keep_passing(list(found), filters)}

    def without_vectors(self, identity: str, most: int) -> Sequence[tuple[int, str]]:
        """Memories that have none of these sentence vectors yet, by number, with their texts; the last added first."""
        with self._noting_vectors(identity) as rows:
            return rows.meanings.waiting(most)

    def note_vectors(self, identity: str, keys: Mapping[int, int]) -> None:
        """Note by number under which key the vector of a memory is: from now on it is found by it."""
        with self._noting_vectors(identity) as rows:
            rows.meanings.note(keys)
            rows.set_state("generation", str(int(rows.state("generation", "0")) + 1))
        self.open()

    @contextmanager
    def _noting_vectors(self, identity: str) -> Iterator[Rows]:
        """The rows, to note vectors in; what was noted of others is forgotten."""
        with self._folder.writer_lock():
            self.open()
            rows = self._opened.rows
            with rows.transaction():
                before = rows.state("vectors")
                if not rows.meanings.are_there:
                    rows.meanings.make()
                elif before not in {"", identity}:
                    rows.meanings.forget_all()
                if before != identity:
                    rows.set_state("vectors", identity)
                yield rows

    def choose_keywords(self) -> None:
        """Choose the keywords of the pages that changed; only the tree file shows them, so that no search waits for it."""
        from bankd.index.writer import KeywordChooser  # noqa: PLC0415 -- see the top

        with self._folder.writer_lock():
            self.open()  # what another process put in is in the terms too
            rows = self._opened.rows
            paths = rows.tree.without_keywords()
            chooser = KeywordChooser(self._opened.terms, self._corpus.memories, len(paths))
            with rows.transaction():
                for path in paths:
                    rows.tree.set_keywords(path, chooser.of(rows.tree.term_counts(path)))

    def nodes(self, paths: Iterable[str] | None = None) -> Iterator[Node]:
        """Each page, or these, with its title, heading paths, keywords and number of memories, for the tree."""
        return self._opened.rows.tree.nodes(paths)

    def pages_below(self, folder: str) -> tuple[list[str], list[list[str]]]:
        """The pages below a folder, and the keywords of those directly in it, for the tree."""
        return self._opened.rows.tree.pages_below(folder)

    def tree_changes(self) -> TreeChanges:
        """What changed since the tree file was written."""
        return self._opened.rows.tree.changes(self._opened.rows.state("tree"))

    def note_tree(self, checksum: str) -> None:
        """Note that the tree file of this checksum has everything that this state of the index has."""
        with self._folder.writer_lock():
            if self._opened.rows.state("generation", "0") == self._seen:
                with self._opened.rows.transaction():
                    self._opened.rows.tree.forget_changes()
                    self._opened.rows.set_state("tree", checksum)

    def count(self, term: str) -> int:
        """In how many memories a term occurs, those not counted that are gone and not yet swept out."""
        return self._opened.terms.count(term)

    def whole(self, now: datetime, work: Callable[[], _T]) -> _T:
        """Do some work with the index; where damage stops it, make the index anew and do the work again.

        This is the one place where damage is mended, for whoever meets it. What stops the work again is no damage.
        """
        try:
            with damage_told():
                return work()
        except IndexDamaged as damage:
            self.close()
            self._note(self.rebuild(now, str(damage)))
        return work()

    def take_made_anew(self) -> list[str]:
        """What there is to say of damage, once."""
        said, self._made_anew = self._made_anew, []
        return said

    def _note(self, done: Refreshed) -> Refreshed:
        from bankd.index.writer import THERE_WAS_NONE  # noqa: PLC0415 -- see the top
        from bankd.storage.derived import tell_made_anew  # noqa: PLC0415 -- see the top

        if done.why_rebuilt not in {"", THERE_WAS_NONE}:
            self._made_anew.append(tell_made_anew(self._folder.path, done.why_rebuilt))
        return done

    def refresh(self, now: datetime) -> Refreshed:
        """Bring the index up to date with the pages; reads only those whose stamp changed."""
        done = self._note(self._writer(now).refresh())
        self.open()
        return done

    def is_there(self) -> bool:
        """Whether there is an index at all, damaged or not."""
        try:
            return self._folder.current() is not None
        except IndexDamaged:
            return True

    def take_in(self, now: datetime, paths: Collection[str]) -> Refreshed:
        """Bring the index up to date with these pages, named as on the disk; nothing is opened for reading by that."""
        return self._note(self._writer(now).refresh(paths))

    def rebuild(self, now: datetime, why: str = "asked for") -> Refreshed:
        """Build the index anew beside the old one, which answers until the new one is whole."""
        done = self._writer(now).rebuild(why)
        self.open()
        return done

    def _writer(self, now: datetime) -> IndexWriter:
        from bankd.index.writer import IndexWriter  # noqa: PLC0415 -- see the top

        return IndexWriter(self._folder, self._pages, self._analyser, now)

    def verify(self) -> None:
        """Check every file of the index against the checksum it had when it was written; raises IndexDamaged."""
        with damage_told():
            if self.open() and (changed := find_changed(self._opened)):
                raise IndexDamaged(changed)

    def facts(self) -> IndexFacts:
        """How the newest state stands, without looking at the pages; raises IndexDamaged."""
        from bankd.health.health import IndexFacts  # noqa: PLC0415 -- see the top

        with damage_told():
            if not self.open():
                return IndexFacts()
            memories, updated = self._opened.rows.count_memories(), self.updated or ""
            return IndexFacts(str(self.generation), memories, 0, self.provisional, updated)

"""The one owner of a query: reads what changed, answers, and takes in the files that changed meanwhile."""

from __future__ import annotations

from _thread import RLock
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from bankd.errors import IndexDamaged, StorageError, UserError
from bankd.pages.names import BANK
from bankd.search.answer import Answering, Beside
from bankd.search.find import RankingOptions
from bankd.search.request import GROUPS, Answer, Freshness, Query, read_request
from bankd.search.score import MOST_RESPONSES

if TYPE_CHECKING:
    from bankd.health.health import IndexFacts
    from bankd.index.rows import Successors
    from bankd.index.search_index import SearchIndex
    from bankd.index.sources import RecallBuffer
    from bankd.pages.names import Names
    from bankd.search.answer import Became, Work
    from bankd.search.indexable import Refreshed
    from bankd.search.request import Hit
    from bankd.settings import Settings
    from bankd.workers.analyser import Analyser
    from bankd.workers.vectors import SentenceVectors

QUICK_PAGES = 200
"""Without a daemon, at most this many changed pages are read before an answer; more wait for a run."""
_BATCH, _BATCH_CHARACTERS, _AT_ONCE = 32, 4_000, 20_000
"""The most memories and characters in one batch of vectors, and the most characters between other work.

Paragraphs take 1.5 ms of CPU a character: on a busy machine a batch of 32 took longer than the time limit.
"""
_CLOSE_SECONDS = 0.5
"""How long closing waits for a search or write in progress."""


class Indexes(NamedTuple):
    """One set of open files: the index of the bank, those of logs and archive, and what reads for them. One thread at a time."""

    bank: SearchIndex
    beside: Mapping[str, SearchIndex]
    """The indexes of logs and archive. A run makes them, or a search if there is little to read."""
    outcome_of: Callable[[Hit], Became | None]
    """Tells what became of a hit of logs or archive; None: do not show it."""
    analyser: Analyser
    recalls: RecallBuffer
    options: RankingOptions
    write_tree: Callable[[Callable[[str, bytes], None]], None]
    """Brings tree-index.json up to date; it is written, by the one layer that may, only when its content changed."""
    remark: str = ""
    """Problems of the settings, for the user."""
    vectors: Mapping[str, SentenceVectors] = {}
    """Vectors by group; empty if they are not wanted."""
    found_ties: Successors | None = None
    """The relations between memories that runs found; None if nobody asks for related memories."""

    def open(self, now: datetime) -> None:
        """Open the newest state of the bank's index; UserError when there is none."""
        if not self.bank.whole(now, self.bank.open):
            raise UserError("there is no search index yet; bankctl doctor index rebuild makes it")

    def state(self, now: datetime) -> list[tuple[int, int]]:
        """Open the newest state of every index; gives a value that changes with it. UserError if the bank has no index."""
        self.open(now)
        for index in self.beside.values():
            index.whole(now, index.open)
        every = (self.bank, *self.beside.values())
        return [(0, self.options.relations.state()), *((index.opened, index.generation) for index in every)]

    def catch_up(self, now: datetime, groups: Collection[str]) -> tuple[str, int]:
        """Read what changed, if it is little; gives what there is to say, and how many pages wait."""
        note, pending = self.bank.whole(now, lambda: self._catch_up_bank(now))
        self.analyser.may_wait = False
        groups = groups or GROUPS
        more = [_catch_up(group, index, now) for group, index in self.beside.items() if group in groups]
        notes = (self.remark, note, *(said for said, _ in more))
        return "; ".join(filter(None, notes)), pending + sum(waiting for _, waiting in more)

    def _catch_up_bank(self, now: datetime) -> tuple[str, int]:
        self.analyser.may_wait = True
        if not self.bank.open():
            return f"the index was made anew, pages read: {self.bank.refresh(now).read}", 0
        pending = self.bank.pending()
        if 0 < pending <= QUICK_PAGES:
            self.analyser.may_wait = False
            try:
                self.bank.refresh(now)
            except StorageError as problem:
                return str(problem), pending
            return "", 0
        return "", pending

    def pending(self) -> int:
        """How many pages changed since they were read, or were never read; raises IndexDamaged."""
        return self.bank.pending() + sum(map(_pending, self.beside.values()))

    def made(self) -> Iterable[SearchIndex]:
        """The indexes of logs and archive, without empty ones: an empty index costs time in every search."""
        return (index for index in self.beside.values() if index.is_there() or index.pending())

    def sizes(self) -> dict[str, int]:
        """How many passages or memories the indexes of logs and archive hold."""
        return {group: index.facts().memories for group, index in self.beside.items()}

    def verify(self) -> None:
        """Check every file of every index; raises IndexDamaged."""
        for index in (self.bank, *self.beside.values()):
            index.verify()

    def meaning_state(self) -> str:
        """The state of search by meaning, in words: off, on, how much of which group has vectors, or why it does not work."""
        states = {group: self._meaning_of(group, vectors) for group, vectors in self.vectors.items()}
        said = {group: state for group, state in states.items() if state}
        if len({*said.values()}) <= 1:
            return next(iter(said.values()), "off" if not self.vectors else "on")
        return "; ".join(f"{group} {state}" for group, state in said.items())

    def _meaning_of(self, group: str, vectors: SentenceVectors) -> str:
        """The state of search by meaning for one group; empty if it has no index."""
        if vectors.problem:
            return f"not now: {vectors.problem}"
        index = self.bank if group == "bank" else self.beside[group]
        if not (group == "bank" or index.is_opened):
            return ""
        identity, of = vectors.identity, index.corpus.memories
        known, refused = index.count_vectors(identity), index.count_refused(identity)
        if known + refused < of:
            return f"{known:,} of {of:,} {'passages' if group == 'logs' else 'texts'}"
        return f"on, without {refused:,} that the model refuses" if refused else "on"

    def take_made_anew(self) -> list[str]:
        """Messages about damage that was found, and about a reranker that does not answer; each is given once."""
        said = (one.take_made_anew() for one in (self.bank, *self.beside.values()))
        reranker = self.options.reranker
        problem = reranker.take_problem() if reranker is not None else ()
        return [*chain.from_iterable(said), *self.analyser.take_made_anew(), *problem]

    def release(self) -> None:
        """Let go of all files."""
        for one in (self.bank, *self.beside.values(), *self.vectors.values(), self.found_ties):
            if one is not None:
                one.close()


class BankSearch:
    """Search over one bank. Every method may be called from any thread.

    In a daemon the bank is read by one set of files and written by another, so that a search waits neither for a
    refresh nor for the analyser. Elsewhere one set does both.
    """

    def __init__(
        self,
        open_indexes: Callable[[Settings], Indexes],
        settings: Settings,
        *,
        is_daemon: bool = False,
        give_back: Callable[[], None] = lambda: None,
    ) -> None:
        """Take a function that opens a set of files by settings, and one that frees memory; nothing is read yet."""
        self._open, self._is_daemon, self._give_back = open_indexes, is_daemon, give_back
        self._reading = RLock()
        self._writing = RLock() if is_daemon else self._reading
        self._problem, self._has_taken_in = "", False
        self.has_more = False
        """Whether the last refresh left memories without a vector."""
        self._begin(settings)

    def _begin(self, settings: Settings) -> None:
        self.settings, self._read = settings, self._open(settings)
        self._write = None if self._is_daemon else self._read
        self._answers = dict[str, tuple[datetime, dict[str, Any]]]()
        """The last answers of a daemon, by question, options and generation: an edit makes a new generation, hence a new answer."""
        self._pending: int | None = None

    @property
    def indexes(self) -> Indexes:
        """The files that answers come from, for a caller that uses them alone: a run or a command."""
        return self._read

    @property
    def index(self) -> SearchIndex:
        """The index of the bank."""
        return self._read.bank

    def answer(self, request: Mapping[str, Any], now: datetime, pending: int | None = None) -> dict[str, Any]:
        """Answer a request such as `{"query": "가치관이 뭐야?", "limit": 5}`; raises UserError.

        `pending` is how many changed files are known not to be in the index yet, None to look and to read them first.
        A daemon gives its answer again while nothing changed.
        """
        query, note = None if request.get("op") == "related" else read_request(request, now.date()), ""
        with self._reading:
            if pending is None:
                # Once for all queries of a command: checking every page costs more than a query.
                if self._pending is None:
                    note, self._pending = self._read.catch_up(now, ["bank"] if query is None else query.groups)
                pending = self._pending
            elif not self._is_daemon:
                self._read.open(now)
            if not self._is_daemon:
                return self._answer(request, query, now, pending, note)
            key = _key_of([self._read.state(now), pending, now.date().isoformat(), request])
            given, kept = self._answers.get(key, (now, None))
            if kept is None or not timedelta() <= now - given <= timedelta(minutes=self.settings.search.cache_minutes):
                kept = self._answer(request, query, now, pending, note)
                if not kept["fresh"]["note"]:  # that is said once
                    self._answers[key] = now, kept
                while len(self._answers) > self.settings.search.cache_entries:
                    del self._answers[next(iter(self._answers))]
            return kept

    def look_again(self) -> None:
        """Make the next answer check all files for changes again; for a process that keeps running."""
        self._pending = None

    def _answer(
        self, request: Mapping[str, Any], query: Query | None, now: datetime, pending: int, note: str
    ) -> dict[str, Any]:
        bank = self._read.bank
        if query is None:
            related = bank.whole(now, lambda: self._related(request))
            return {**related, "fresh": self._fresh(pending)._replace(note=note)._asdict()}
        answer = bank.whole(now, lambda: self._found(query, now, pending)).as_json()
        answer["fresh"]["note"] = "; ".join(filter(None, [note, *self._read.take_made_anew()]))
        if request.get("keep", True):
            try:
                self._read.recalls.keep(answer, now)
            except OSError as error:
                answer["fresh"]["note"] = f"this answer is not in recall/: {error.strerror}"
        return answer

    def _related(self, request: Mapping[str, Any]) -> dict[str, Any]:
        from bankd.search.related import find_related  # noqa: PLC0415 -- a search has no time for reading links

        ties = self._read.found_ties
        return find_related(request, self._read.bank, ties.ties_of if ties else lambda _: (), self._newer_of)

    def _newer_of(self, ids: Collection[str]) -> Mapping[str, str]:
        return self._read.options.relations.of(ids).superseded

    def _fresh(self, pending: int) -> Freshness:
        bank = self._read.bank
        return Freshness(pending, bank.updated, self._is_daemon, bank.provisional)

    def _found(self, query: Query, now: datetime, pending: int) -> Answer:
        own, groups = self._read, query.groups or GROUPS
        if nodes := query.filters.nodes:
            query = query._replace(filters=query.filters._replace(nodes=(*nodes, *_pages_named(nodes, own.bank.names))))
        others = [(group, index) for group, index in own.beside.items() if group in groups]
        more = [
            Beside(group, partial(_ask, index, now), own.outcome_of, own.vectors.get(group)) for group, index in others
        ]
        answer = Answering(query, own.options).answer(own.bank, more, self._fresh(pending))
        beside = self._see_also(query, answer.hits) if query.see_also and answer.hits else ()
        return answer._replace(fresh=answer.fresh._replace(meaning=own.meaning_state()), see_also=tuple(beside))

    def _see_also(self, query: Query, hits: Sequence[Hit]) -> Iterable[dict[str, Any]]:
        bank, found_ties = self._read.bank, self._read.found_ties
        best = next((hit for hit in hits if hit.group == "bank"), None)
        if best is None or found_ties is None:
            return ()
        ties = found_ties.ties_of([best.id]) if best.id else ()
        if not (best.mentions or ties):
            linked = best.id and (
                bank.terms.mentioning([f"^{best.id}"], 1) or bank.rows.used_with([best.id], MOST_RESPONSES, 1)
            )
            if not linked:
                return ()
        from bankd.search.related import see_also  # noqa: PLC0415 -- most answers have no tie

        return see_also(query, hits, bank, lambda _: ties, self._newer_of)

    def take_in(self, paths: Collection[str], now: datetime) -> None:
        """Make the changes in these files of the workspace searchable, without waiting for the analyser.

        An index that is not there is left to a run: a whole folder is not read here.
        """
        with self._writing:
            self._has_taken_in = True
            try:
                indexes = self._writer(may_wait=False)
                for group, index in {"bank": indexes.bank, **indexes.beside}.items():
                    folder = f"{GROUPS[group]}/"
                    own = [path.removeprefix(folder) for path in paths if path.startswith(folder)]
                    if own and index.is_there():
                        index.take_in(now, own)
            except (UserError, OSError) as error:
                self._problem = str(error)
                raise
            self._problem = ""

    def _writer(self, *, may_wait: bool = True) -> Indexes:
        self._write = self._write or self._open(self.settings)
        self._write.analyser.may_wait = may_wait
        return self._write

    def refresh(self, now: datetime, write: Callable[[str, bytes], None] | None, *, may_wait: bool = True) -> Refreshed:
        """Bring the indexes up to date with the workspace, and the tree file with that of the bank.

        Unless it may wait, it reads new texts by the words of the bank, and makes no vectors.
        """
        with self._writing:
            own = self._writer(may_wait=may_wait)

            def work() -> Refreshed:
                done = own.bank.refresh(now)
                if write is not None:
                    own.write_tree(write)
                return done

            done = own.bank.whole(now, work)
            for index in own.made():
                index.whole(now, partial(index.refresh, now))
            self.has_more = may_wait and own.bank.whole(now, lambda: self.fill_vectors(now, _AT_ONCE))
            return done

    def rebuild(self, now: datetime) -> Refreshed:
        """Make every index anew while the old ones answer."""
        with self._writing:
            own = self._writer()
            for index in own.made():
                index.rebuild(now)
            return own.bank.rebuild(now)

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        """The cosine of the two texts of each pair; None if one of them has no vector yet."""
        with self._writing:
            vectors = self._writer().vectors.get("bank")
            return [None] * len(pairs) if vectors is None or not pairs else vectors.cosines(pairs)

    def fill_vectors(self, now: datetime, characters: int | None = None) -> bool:
        """Make the missing vectors, for up to this many characters or all; says whether some are still missing.

        The bank comes first, then the newest logs. Each batch is saved at once: a kill loses some seconds of work.
        """
        with self._writing:
            own, left = self._writer(), characters
            for group, vectors in own.vectors.items():
                index = own.bank if group == "bank" else own.beside.get(group)
                if index is not None and index.is_there():
                    left = index.whole(now, partial(_fill, index, vectors, left, by_line=group == "logs"))
                    if left is not None and left <= 0:
                        return True
            return False

    def facts(self, pending: int, *, is_working: bool) -> IndexFacts:
        """How the index stands; `is_working` says that the process for runs is there."""
        from dataclasses import replace  # noqa: PLC0415 -- a query has no time for it

        from bankd.health.health import IndexFacts  # noqa: PLC0415 -- same

        with self._reading:
            try:
                facts = self._read.bank.facts()
            except IndexDamaged as damage:
                facts = IndexFacts(problem=str(damage))
        worker = "running" if is_working else "not running"
        return replace(facts, pending=pending, problem=self._problem or facts.problem, worker=worker)

    def forget_problem(self) -> None:
        """Forget an earlier failure: a run has repaired it."""
        self._problem = ""

    def adopt(self, settings: Settings) -> None:
        """Use new settings from now on."""
        with self._writing, self._reading:  # in this order: a search waits for this change only, not for a writer
            self._let_go()
            self._begin(settings)

    def tidy(self) -> None:
        """Free the memory that indexing needed, and what was not used for long; never waits."""
        if self._reading.acquire(blocking=False):
            try:
                for vectors in self._read.vectors.values():
                    vectors.end_if_idle()
            finally:
                self._reading.release()
        if self._has_taken_in and self._writing.acquire(blocking=False):
            self._has_taken_in = False
            self._writing.release()
            self._give_back()

    def close(self, *, with_analyser: bool = True) -> None:
        """Close files and analyser when no thread uses them; those of a thread that takes long stay open until the process ends."""
        locks = [lock for lock in (self._writing, self._reading) if lock.acquire(timeout=_CLOSE_SECONDS)]
        try:
            if len(locks) == 2:
                self._let_go(with_analyser=with_analyser)
        finally:
            for lock in locks:
                lock.release()

    def _let_go(self, *, with_analyser: bool = True) -> None:
        for indexes in (self._read, *([self._write] if self._write else ())):
            indexes.release()
            if with_analyser:
                indexes.analyser.close()


def _key_of(parts: Sequence[object]) -> str:
    import json  # noqa: PLC0415 -- only a daemon keeps answers

    return json.dumps(parts, sort_keys=True)


def _pages_named(nodes: Iterable[str], names: Names) -> Iterable[str]:
    """The pages that are named without their folder: `Clara` is `entities/Clara.md`, unless there is a folder `Clara`."""
    named = (one for one in nodes if one not in GROUPS.values() and not names.has_folder(BANK + one))
    return filter(None, map(names.page, named))


def _ask(index: SearchIndex, now: datetime, work: Work) -> Sequence[Hit]:
    """Ask the index of logs or archive, if there is one. If it is damaged, the bank still answers."""
    return index.whole(now, lambda: work(index) if index.open() else ())


def _fill(index: SearchIndex, vectors: SentenceVectors, left: int | None, *, by_line: bool) -> int | None:
    """Make the missing vectors of one index; gives how many of the characters are left to use, None if all are made.

    It stops when the model does not answer; the next run goes on.
    """
    from bankd.search.meaning import NO_VECTOR, passages_of  # noqa: PLC0415 -- where it is off nobody needs it
    from bankd.search.parts import lines_of  # noqa: PLC0415 -- same

    while (left is None or left > 0) and (waiting := index.without_vectors(vectors.identity, _BATCH)):
        texts = {row: [*passages_of(text), *(lines_of(text) if by_line else ())] for row, text in waiting}
        sizes = [sum(map(len, some)) for some in texts.values()]
        many = max(1, sum(size <= _BATCH_CHARACTERS for size in accumulate(sizes)))
        batch = dict(islice(texts.items(), many))
        found = vectors.embed([*chain.from_iterable(batch.values())])
        if found is None:
            break
        keys = iter(found)
        made = {row: [*islice(keys, len(some))] for row, some in batch.items()}
        taken = {row: [key for key in some if key != NO_VECTOR] or [NO_VECTOR] for row, some in made.items()}
        index.note_vectors(vectors.identity, taken)
        left = None if left is None else left - sum(sizes[:many])
    return left


def _catch_up(group: str, index: SearchIndex, now: datetime) -> tuple[str, int]:
    pending = index.whole(now, lambda: _pending(index))
    if pending > QUICK_PAGES:
        missing = f"{GROUPS[group]}/ is not searchable yet: bankctl doctor index refresh"
        return "" if index.is_there() else missing, pending
    if pending:
        try:
            index.whole(now, partial(index.refresh, now))
        except StorageError as problem:
            return str(problem), pending
    return "; ".join(f"{path} is too large to be searched: divide it" for path in index.too_large()[:3]), 0


def _pending(index: SearchIndex) -> int:
    index.open()
    return index.pending()

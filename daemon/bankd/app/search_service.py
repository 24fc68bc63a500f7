"""Search over one workspace, for the daemon, the command line and the evaluation: read what changed, then answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from bankd.answering import Answering
from bankd.app.beside import QUICK_PAGES, paths_within
from bankd.core.ranking.query import Answer, Freshness, Query
from bankd.core.ranking.search_request import read_request
from bankd.core.use.policy import MOST_RESPONSES
from bankd.errors import StorageError, UserError
from bankd.search.ranking_options import LossesOf, RankingOptions, UsageOf

if TYPE_CHECKING:
    from bankd.app.beside import BesideIndexes
    from bankd.core.ranking.indexable import Refreshed
    from bankd.core.ranking.query import Hit
    from bankd.ports.logs import RecallWriter
    from bankd.ports.reading import Patience, TextReader, Vectors, Wordings
    from bankd.ports.searching import FoundTies, WorkspaceIndex


_BATCH, _BATCH_CHARACTERS, _AT_ONCE = 32, 4_000, 20_000
"""The most memories and characters of which vectors are made at a time, and the most characters beside other work.

Paragraphs take 1.5 ms of CPU a character: a batch of 32 took longer on a busy machine than is waited for.
"""


class SearchParts(NamedTuple):
    """What search works with: indexes, analyser, where answers are kept, what ranks; and what takes texts apart."""

    searched: WorkspaceIndex
    beside: BesideIndexes
    analyser: TextReader
    recalls: RecallWriter
    options: RankingOptions
    wordings: Callable[[], Wordings]
    write_tree: Callable[[Callable[[str, bytes], None]], None]
    """Brings tree-index.json up to date; it is written, by the one layer that may, only when its content changed."""
    remark: str = ""
    """What there is to say of the settings."""
    vectors: Vectors | None = None
    found_ties: FoundTies | None = None
    """What runs found that ties memories; None where nobody asks what is related."""


class SearchService:
    """Search over one workspace."""

    def __init__(self, parts: SearchParts, *, is_daemon: bool) -> None:
        """Take the parts, and whether this is the daemon's."""
        (
            self.index, self.beside, self.analyser, self._recalls, self._options, self.wordings, self.write_tree,
            self._remark, self._vectors, self._found_ties,
        ) = parts  # fmt: skip
        self._is_daemon = is_daemon
        self._pending: int | None = None
        self.has_more = False
        """Whether the last refresh left memories without a vector."""

    def suppose_use(self, usage_of: UsageOf) -> None:
        """Rank by this use of memories instead of that in the events: for an evaluation."""
        self._options = self._options._replace(usage_of=usage_of)

    def suppose_losses(self, losses_of: LossesOf) -> None:
        """Rank by these losses of memories instead of those in the events: for an evaluation."""
        self._options = self._options._replace(losses_of=losses_of)

    def answer(self, request: Mapping[str, Any], now: datetime, *, pending: int | None = None) -> dict[str, Any]:
        """Answer a request such as `{"query": "가치관이 뭐야?", "limit": 5}`; `pending` None makes it look by itself."""
        note = ""
        if pending is None:
            is_search = request.get("op", "search") == "search"
            note, pending = self.catch_up(now, read_request(request, now.date()).groups if is_search else ["bank"])
        else:
            self.open(now)
        return self.answer_now(request, now, pending, note)

    def answer_now(self, request: Mapping[str, Any], now: datetime, pending: int, note: str = "") -> dict[str, Any]:
        """Answer from the state of the index that is open."""
        if request.get("op") == "related":
            return {**self._related(request, now), "fresh": self._fresh(pending)._replace(note=note).as_json()}
        query = read_request(request, now.date())
        answer = self.index.whole(now, lambda: self._answer(query, now, pending)).as_json()
        answer["fresh"]["note"] = "; ".join(filter(None, [note, *self.take_made_anew()]))
        if request.get("keep", True):
            self._keep(answer, now)
        return answer

    def _related(self, request: Mapping[str, Any], now: datetime) -> dict[str, Any]:
        from bankd.app.related import find_related  # noqa: PLC0415 -- a search has no time for reading links

        ties_of = self._found_ties.ties_of if self._found_ties else lambda _: ()
        return self.index.whole(now, lambda: find_related(request, self.index, ties_of, self._newer_of))

    def _newer_of(self, ids: Collection[str]) -> Mapping[str, str]:
        return self._options.relations.of(ids).superseded

    def _fresh(self, pending: int) -> Freshness:
        return Freshness(pending, self.index.updated, self._is_daemon, self.index.provisional)

    def _answer(self, query: Query, now: datetime, pending: int) -> Answer:
        fresh = self._fresh(pending)
        answering = Answering(query, self.analyser, self._options)
        answer = answering.answer(self.index, self.beside.asked(query.groups, now), fresh)
        beside = self._see_also(query, answer.hits) if query.see_also and answer.hits else ()
        return answer._replace(fresh=answer.fresh._replace(meaning=self.meaning_state()), see_also=tuple(beside))

    def _see_also(self, query: Query, hits: Sequence[Hit]) -> Iterable[dict[str, Any]]:
        best = next((hit for hit in hits if hit.group == "bank"), None)
        if best is None or self._found_ties is None:
            return ()
        ties = self._found_ties.ties_of([best.id]) if best.id else ()
        if not (best.mentions or ties or (best.id and self._is_tied(best.id))):
            return ()
        from bankd.app.related import see_also  # noqa: PLC0415 -- most answers have no tie

        return see_also(query, hits, self.index, lambda _: ties, self._newer_of)

    def _is_tied(self, id_: str) -> bool:
        """Whether another memory links to one, or was used together with it."""
        return bool(self.index.mentioning([f"^{id_}"], 1) or self.index.used_with([id_], MOST_RESPONSES, 1))

    def meaning_state(self) -> str:
        """Whether meaning takes part beside words: off, on, of how many memories, or why not."""
        if self._vectors is None:
            return "off"
        if self._vectors.problem:
            return f"not now: {self._vectors.problem}"
        identity, of = self._vectors.identity, self.index.corpus.memories
        known, refused = self.index.count_vectors(identity), self.index.count_refused(identity)
        if known + refused < of:
            return f"{known:,} of {of:,} memories"
        return f"on, without {refused:,} that the model refuses" if refused else "on"

    def fill_vectors(self, characters: int | None = None) -> bool:
        """Make vectors of the memories that have none, up to this many characters or all; says whether some still wait.

        Each batch is kept as it is made: a kill loses some seconds of work.
        """
        vectors = self._vectors
        if vectors is None:
            return False
        from bankd.core.ranking.fusion import beginning_of  # noqa: PLC0415 -- where it is off nobody needs it

        left = characters
        while waiting := self.index.without_vectors(vectors.identity, _BATCH):
            if left is not None and left <= 0:
                return True
            batch = _first_of([(row, beginning_of(text)) for row, text in waiting])
            keys = vectors.embed([text for _, text in batch])
            if keys is None:
                return False
            self.index.note_vectors(vectors.identity, dict(zip((row for row, _ in batch), keys, strict=True)))
            left = None if left is None else left - sum(len(text) for _, text in batch)
        return False

    def take_made_anew(self) -> list[str]:
        """What there is to say of damage that was found, once."""
        return [*self.index.take_made_anew(), *self.beside.take_made_anew(), *self.analyser.take_made_anew()]

    def open(self, now: datetime) -> None:
        """Open the newest state of the index; UserError when there is none."""
        if not self.index.whole(now, self.index.open):
            raise UserError("there is no search index yet; bankctl index rebuild makes it")

    def state(self, now: datetime) -> list[tuple[int, int]]:
        """Open the newest state of every index; gives what changes with it. UserError when there is none of the bank."""
        self.open(now)
        return [
            (self.index.opened, self.index.generation),
            (0, self._options.relations.state()),
            *self.beside.state(now),
        ]

    def catch_up(self, now: datetime, groups: Collection[str] = ()) -> tuple[str, int]:
        """Without a daemon: read what changed, if it is little; gives what there is to say, and how many pages wait.

        Once for all queries of a command: checking every page costs more than a query.
        """
        if self._pending is None:
            note, pending = self.index.whole(now, lambda: self._catch_up(now))
            self.analyser.patience = "never"
            notes, more = self.beside.catch_up(groups, now)
            self._pending = pending + more
            return "; ".join(filter(None, [self._remark, note, *notes])), self._pending
        return "", self._pending

    def look_again(self) -> None:
        """Have the next answer check again for what changed: for a process that keeps running."""
        self._pending = None

    def _catch_up(self, now: datetime) -> tuple[str, int]:
        self.analyser.patience = "wait"
        if not self.index.open():
            return f"the index was made anew ({self.index.refresh(now).read} pages)", 0
        pending = self.index.pending()
        if 0 < pending <= QUICK_PAGES:
            self.analyser.patience = "never"
            try:
                self.index.refresh(now)
            except StorageError as problem:
                return str(problem), pending
            return "", 0
        return "", pending

    def refresh(
        self, now: datetime, write: Callable[[str, bytes], None] | None, patience: Patience = "wait"
    ) -> Refreshed:
        """Bring the indexes up to date with the workspace, and the tree file with that of the bank."""
        self.analyser.patience = patience
        done = self.index.whole(now, lambda: self._refresh(now, write))
        self.beside.refresh(now)
        self.has_more = patience == "wait" and self.index.whole(now, lambda: self.fill_vectors(_AT_ONCE))
        return done

    def _refresh(self, now: datetime, write: Callable[[str, bytes], None] | None) -> Refreshed:
        done = self.index.refresh(now)
        if write is not None:
            self.write_tree(write)
        return done

    def rebuild(self, now: datetime) -> Refreshed:
        """Make every index anew while the old ones answer."""
        self.analyser.patience = "wait"
        self.beside.rebuild(now)
        return self.index.rebuild(now)

    def take_in(self, now: datetime, paths: Collection[str]) -> None:
        """Bring the indexes that are there up to date with these files, without waiting for the analyser."""
        self.analyser.patience = "never"
        if (own := paths_within("bank", paths)) and self.index.is_there():  # a whole bank is not read here
            self.index.take_in(now, own)
        self.beside.take_in(now, paths)

    def release(self) -> None:
        """Let go of the indexes."""
        self.index.close()
        self.beside.close()
        if self._vectors is not None:
            self._vectors.close()
        if self._found_ties is not None:
            self._found_ties.close()

    def tidy(self) -> None:
        """Give back what nobody used for long."""
        if self._vectors is not None:
            self._vectors.end_if_idle()

    def close(self) -> None:
        """Let go of the indexes and the analyser."""
        self.release()
        self.analyser.close()

    def _keep(self, answer: dict[str, Any], now: datetime) -> None:
        try:
            self._recalls.keep(answer, now)
        except OSError as error:
            answer["fresh"]["note"] = f"this answer is not in recall/: {error.strerror}"


def _first_of(waiting: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
    """As many of these as are few characters together, at least one."""
    sizes = accumulate(len(text) for _, text in waiting)
    return waiting[: max(1, sum(size <= _BATCH_CHARACTERS for size in sizes))]

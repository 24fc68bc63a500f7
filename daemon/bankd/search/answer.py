"""Answers a query: memories of the bank first, then what only the logs and the archive say.

Each group (bank, logs, archive) has an index of its own, so a log never changes the answers of the bank or their order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date
from functools import cache, partial
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from bankd.pages.names import day_in
from bankd.search.find import (
    NEAREST_SHOWN,
    Found,
    Ranked,
    RankingOptions,
    answering_terms,
    find_answers,
    marks_of,
    share_asked,
)
from bankd.search.request import GROUPS, Answer, Filters, Freshness, Hit, Query
from bankd.search.score import lexicon_within
from bankd.words.analysis import analyse_query, normal_form, runs_of
from bankd.words.days import Span, on, read_asked_time

if TYPE_CHECKING:
    from bankd.ports import IndexView, Vectors
    from bankd.search.parts import Part
    from bankd.search.score import Weights

MOST_BESIDE = 3
"""The most answers of logs or archive, if the question did not ask for that group."""
MOST_OF_PASSAGE = 2
"""The most lines that are shown of one passage, so that there is room for others."""
AS_MUCH = 0.5
"""An answer of logs or archive needs this share of the evidence (in floors) for the best answer of the bank."""
_SAID = 0.8
"""A line adds nothing if one answer of the bank has this share of its words."""


def is_said(terms: Iterable[str], said: Iterable[frozenset[str]]) -> bool:
    """Whether one of these answers has nearly all words of a line, and all its numbers."""
    own = frozenset(terms)
    return any(
        len(own & other) >= _SAID * len(own) and not any(term[:1].isdigit() for term in own - other) for other in said
    )


def filters_within(filters: Filters, group: str) -> Filters | None:
    """The filters for one group, with the paths as its index has them; None if all named pages are in other groups.

    A page named without `bank/`, `memory/` or `archive/` is in the bank, and `.md` need not be written.
    """
    if not filters.nodes:
        return filters
    parts = (node.split("/", 1) for node in filters.nodes)
    nodes = [part if part[0] in GROUPS.values() else ["bank", "/".join(part)] for part in parts]
    own = [rest for folder, *rest in nodes if folder == GROUPS[group]]
    if not own:
        return None
    return filters._replace(nodes=() if [] in own else tuple(path + end for (path,) in own for end in ("", ".md")))


Terms: TypeAlias = frozenset[str]
Work: TypeAlias = "Callable[[IndexView], Sequence[Hit]]"


_LOOKED_AT = 10
"""The most answers of a group that are checked for something new."""


NOT_TAKEN_IN = "not taken in"
"""What became of prose."""


class Became(NamedTuple):
    """What became of a hit of logs or archive, in words; `is_memory` if a line of a log became a memory, or repeats one.

    What was said then may have been corrected, replaced or archived since: the memory answers in the place of the line.
    """

    words: str
    is_memory: bool = False
    now: str = ""
    """What that memory says now, with its id; empty if it says what the line says."""


class Beside(NamedTuple):
    """Logs or archive: how to ask its index, and how to tell what became of a hit (None: do not show it)."""

    group: str
    ask: Callable[[Work], Sequence[Hit]]
    outcome_of: Callable[[Hit], Became | None]
    vectors: Vectors | None = None


class SaidByBank(NamedTuple):
    """The bank's answers: the words of each; for the best also its evidence in floors and its share of the question's words."""

    terms: Sequence[Terms]
    weights: Weights | None = None
    floors: float | None = None
    """None if no sentence vectors were used."""
    share: float = 0.0

    def judged(self, one: Ranked) -> Ranked | None:
        """A hit of logs or archive, its words weighed as in the bank; None if its evidence is much weaker than the bank's best."""
        if self.weights is None:
            return one
        share = share_asked(answering_terms(one.candidate), self.weights)
        if self.floors is not None and "meaning" in one.parts:
            is_near = one.parts["floors"] >= AS_MUCH * self.floors
        else:
            is_near = share >= AS_MUCH * self.share
        return one._replace(parts={**one.parts, "asked": share}) if is_near else None


class Answering:
    """Answers one query, group by group."""

    def __init__(self, query: Query, options: RankingOptions) -> None:
        """Take the query and the options of ranking."""
        self._query, self._options = query, options
        self._nearest: tuple[Hit, ...] = ()
        """The nearest hits in logs and archive, if nothing in the bank or in their group is an answer."""

    def answer(self, bank: IndexView, beside: Sequence[Beside], fresh: Freshness) -> Answer:
        """Ask the bank, and beside it the groups that are wanted. A group that answers better than the bank stands first."""
        answer = Answer(self._query.text, bank.generation, fresh, (), self._query.today, self._query.reads_korean)
        if self._query.timeline:
            every = self._line_up(bank, beside)
            shown = every[-self._query.limit :]
            return answer._replace(hits=tuple(shown), left_off=len(every) - len(shown))
        found = self._find(self._query, "bank", bank, self._options)
        hits = tuple(found.hit_of(one) for one in found.ranked) if found else ()
        said = cache(partial(_said_of, found))  # not needed if no group has an index
        groups = [hits, *self._beside(beside, hits, said, bank)]
        every = [*chain.from_iterable(_best_first(groups, archive_last=not self._query.is_past))]
        if log := self._log_of_day(beside):
            every = [log, *(hit for hit in every if (hit.group, hit.path) != (log.group, log.path))]
        answer = answer._replace(hits=tuple(every), left_off=found.left_off if found else 0)
        if every:
            return answer
        nearest = [*(found.hit_of(one) for one in found.nearest), *self._nearest] if found else self._nearest
        nearest = sorted(nearest, key=lambda hit: (hit.group == "archive", -round(hit.parts["floors"], 2)))
        return answer._replace(nearest=tuple(nearest[: min(self._query.limit, NEAREST_SHOWN)]))

    def _line_up(self, bank: IndexView, beside: Sequence[Beside]) -> list[Hit]:
        """A timeline: the memories of its days, and passages of logs that say more than these, each on its day.

        Logs from before the days of the shown memories are not read.
        """
        from bankd.search.days import IN_WINDOW, place_in_time  # noqa: PLC0415 -- most questions want no timeline

        query = self._query._replace(limit=IN_WINDOW)
        found = self._find(query, "bank", bank, self._options)
        every = [found.hit_of(one) for one in found.ranked] if found else []
        said, filters = [_words_of(hit.text) for hit in every], query.filters
        if len(every) > self._query.limit and (days := every[-self._query.limit].days):
            filters = filters._replace(since=max(filters.since or date.min, days.first))
        window = Span(filters.since or date.min, filters.until or date.max)

        def find(logs: Beside, index: IndexView) -> list[Hit]:
            found = self._find(query._replace(filters=filters), "logs", index, self._options)
            passages = [found.hit_of(one, "logs") for one in found.ranked] if found else []
            of_days = [hit for hit in passages if hit.learned and on(hit.learned).overlap(window)]
            return [line for hit in of_days for line in _lines_of(hit, _told_beside(logs, said, hit))]

        for one in beside:
            every += one.ask(partial(find, one)) if one.group == "logs" else ()
        always = Span(date.min, date.max)
        return sorted(
            every,
            key=lambda hit: (*place_in_time(hit.days or on(date.min), always), hit.group != "bank", hit.path, hit.line),
        )

    def _log_of_day(self, beside: Sequence[Beside]) -> Hit | None:
        """For a question about one past day: the passage of that day's log that fits best."""
        query = self._query
        logs = next((one for one in beside if one.group == "logs"), None)
        if logs is None or query.by_page or "logs" not in (query.groups or ("logs",)):
            return None
        asked = read_asked_time(query.text, query.today)
        first, last = query.filters.since, query.filters.until
        days = {window.first for window in asked.windows if window.days == 1 and window.first <= query.today}
        day = first if first and first == last else days.pop() if len(days) == 1 else None
        if day is None:
            return None
        filters = query.filters._replace(since=day, until=day)
        of_day = query._replace(
            text=asked.rest or query.text, filters=filters, everything=True, groups=(), limit=_LOOKED_AT
        )

        from bankd.search.days import rank_days  # noqa: PLC0415 -- most questions name no day

        terms: list[str] = []

        def find(index: IndexView) -> list[Hit]:
            found = self._find(of_day, "logs", index, self._options._replace(vectors=logs.vectors))
            own = filters_within(filters, "logs")
            if found is None or own is None:
                return []
            terms.extend(found.weights.terms)
            listed = rank_days(index.terms.find_within(on(day), own, _LOOKED_AT), [on(day)], index)
            ranked = [one for one in (*found.ranked, *listed) if day_in(one.row.path.rpartition("/")[2]) == day]
            return [found.hit_of(one, "logs") for one in ranked]

        for hit in logs.ask(find):
            told = _told_beside(logs, (), hit)
            # Who asks about today asks what holds now: only lines that are no memories tell more of it than the bank.
            if lines := [part for part, became in told if day != query.today or not became.is_memory]:
                shown = _part_of(hit, lines)
                now = "; ".join(dict.fromkeys(became.now for _, became in told if became.now))
                return shown._replace(marks=tuple(marks_of(shown.text, terms)), became=now or None)
        return None

    def _find(self, query: Query, group: str, index: IndexView, options: RankingOptions) -> Found | None:
        """The answers of a group; None if it was not asked."""
        filters = filters_within(query.filters, group)
        if filters is None or (query.groups and group not in query.groups):
            return None
        query = query._replace(filters=filters, by_page=query.by_page and group == "bank")
        return find_answers(query, index, query.today, options)

    def _beside(
        self, beside: Sequence[Beside], hits: Sequence[Hit], said: Callable[[], SaidByBank], bank: IndexView
    ) -> Iterator[Sequence[Hit]]:
        """The answers of each group. As of a day the archive comes first (it was bank then), and logs add only what it lacks."""
        first = [one for one in beside if self._query.is_past and one.group == "archive"]
        for one in (*first, *(one for one in beside if one not in first)):
            found = one.ask(partial(self._more, one, hits, said))
            yield found
            if first:
                lexicon = lexicon_within(bank)
                read = [analyse_query(hit.text, lexicon) for hit in found]
                more = [_terms_of(analysis.sentences) for analysis in read]
                said = partial(said()._replace, terms=[*said().terms, *more])

    def _more(self, beside: Beside, hits: Sequence[Hit], said: Callable[[], SaidByBank], index: IndexView) -> list[Hit]:
        """The answers of a group that say more than the bank, as many as there is room for."""
        query = self._query
        room = min(query.limit, MOST_BESIDE) if hits and not query.groups else query.limit
        query = query._replace(limit=max(query.limit, _LOOKED_AT), least=0.0)
        found = self._find(query, beside.group, index, self._options._replace(vectors=beside.vectors))
        shown = {id_ for hit in hits for id_ in (hit.id, *hit.like_it) if id_}
        if found and found.nearest and not hits:
            near = self._unsaid(found._replace(ranked=found.nearest), beside, said(), shown, index)
            self._nearest = (*self._nearest, *islice(near, NEAREST_SHOWN))
        return list(islice(self._unsaid(found, beside, said(), shown, index), room)) if found else []

    def _unsaid(
        self, found: Found, beside: Beside, said: SaidByBank, shown: Collection[str], index: IndexView
    ) -> Iterator[Hit]:
        """The lines of a group that say something new, at most so many of a passage; they count as told from then on.

        A memory answers for its line, if the bank is asked.
        """
        told, asks_what_was_said = list(said.terms), self._query.is_past or "bank" not in (self._query.groups or GROUPS)
        for one in filter(None, map(said.judged, found.ranked)):
            room = MOST_OF_PASSAGE
            for hit, terms in self._shown(one, found, beside.group, index):
                if not room or is_said(terms, told) or hit.superseded_by in shown:
                    continue
                became = beside.outcome_of(hit)
                if became is not None and (asks_what_was_said or not (became.is_memory or hit.superseded_by)):
                    told.append(terms)
                    room -= 1
                    yield hit._replace(became=became.words)

    def _shown(self, ranked: Ranked, found: Found, group: str, index: IndexView) -> Iterator[tuple[Hit, Terms]]:
        """A hit with its terms; for a passage, only the lines that answer."""
        hit = found.hit_of(ranked, group)
        if group != "logs":
            yield hit, _terms_of(ranked.candidate.sentences)
            return
        from bankd.search.parts import choose_lines, divide_passage, shown_parts  # noqa: PLC0415 -- most answers are of the bank

        parts, lexicon = divide_passage(ranked.row.text), lexicon_within(index)
        read = [analyse_query(part.said, lexicon) for part in parts]
        nearness: dict[int, float] = {}
        if found.near is not None:
            from bankd.search.meaning import beginning_of, vector_key  # noqa: PLC0415 -- who has no vectors has no time for it

            keys = {n: vector_key(beginning_of(part.said)) for n, part in enumerate(parts)}
            nearness = {n: found.near.by_key[key] for n, key in keys.items() if key in found.near.by_key}
        for chosen in choose_lines(parts, read, found.weights, nearness):
            text = "\n".join(shown_parts(parts, chosen, hit.heading[-1]))
            marks = tuple(marks_of(text, found.weights.terms))
            shown = hit._replace(line=hit.line + parts[chosen].offset, text=text, marks=marks, about=())
            yield shown, _terms_of(read[chosen].sentences)


def _told_beside(logs: Beside, said: Sequence[Terms], hit: Hit) -> list[tuple[Part, Became]]:
    """The lines of a passage of a log, and what became of each; not those that were said, or that a person took out."""
    from bankd.search.parts import divide_passage  # noqa: PLC0415 -- most answers are of the bank

    parts = [
        part
        for part in divide_passage(hit.text)
        if not (said and (part.is_heading or is_said(_words_of(part.said), said)))
    ]
    told = ((part, logs.outcome_of(hit._replace(line=hit.line + part.offset, text=part.text))) for part in parts)
    return [(part, became) for part, became in told if became]


def _lines_of(hit: Hit, told: Sequence[tuple[Part, Became]]) -> Iterator[Hit]:
    """A hit for each line that bankd was to take in, with what became of it; prose between these stays together."""
    for _, group in groupby(told, lambda one: None if one[1].words == NOT_TAKEN_IN else one[0].offset):
        lines = list(group)
        yield _part_of(hit, [part for part, _ in lines])._replace(became=lines[0][1].words)


def _part_of(hit: Hit, lines: Sequence[Part]) -> Hit:
    """A passage with only some of its lines; its day is that of its log, whatever days the lines name."""
    text = "\n".join(part.text for part in lines)
    return hit._replace(line=hit.line + lines[0].offset, text=text, marks=(), about=())


def _words_of(text: str) -> Terms:
    return frozenset(runs_of(normal_form(text)))


def _said_of(found: Found | None) -> SaidByBank:
    if not found or not found.ranked:
        return SaidByBank(())
    terms = [_terms_of(one.candidate.sentences) for one in found.every]
    parts = [one.parts for one in found.ranked]
    floors = max((part["floors"] for part in parts if "meaning" in part and "floors" in part), default=None)
    return SaidByBank(terms, found.weights, floors, max(part.get("asked", 0.0) for part in parts))


def _best_first(groups: Sequence[Sequence[Hit]], *, archive_last: bool) -> list[Sequence[Hit]]:
    """Order groups of answers by their best answer; the bank wins a tie.

    What is in the archive left the bank and comes last, but not for a past day, when it may have been in the bank.

    The measure is how far the nearest vector is above its usual distance, if all groups know it; else the share of words.
    """
    by_meaning = all(any("meaning" in hit.parts for hit in hits) for hits in groups if hits)
    part = "floors" if by_meaning else "asked"

    def order(hits: Sequence[Hit]) -> tuple[bool, float]:
        best = max((round(hit.parts.get(part, 0.0), 2) for hit in hits), default=0.0)
        return archive_last and any(hit.group == "archive" for hit in hits), -best

    return sorted(groups, key=order)


def _terms_of(sentences: Sequence[Sequence[str]]) -> Terms:
    return frozenset().union(*sentences)

"""The modes of a briefing: when each is worth making, what it says (most important first), and how long it may be.

Each mode is a pure function of the facts and the occasion. Also the open loops: what was to be done, and nobody said that
it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import zip_longest
from typing import NamedTuple

from bankd.briefing.facts import BriefFacts, Happened, Item, KnownMemory, Occasion, OpenLine
from bankd.briefing.recalled import DOUBT
from bankd.briefing.shown import Shown, count_tokens, cut_to_tokens, is_shown, mark_of
from bankd.pages.text import other_part
from bankd.words.days import Span

_NIGHT = timedelta(hours=24)
_RULES, _CHANGED, _OPEN_ONES, _SUBJECTS = 10, 4, 3, 6
"""At most this many standing rules and preferences, changes, open loops, and people or projects begin a session."""


def orient(facts: BriefFacts, occasion: Occasion) -> Iterator[Item]:
    """What a MEMORY.md would say, the most lasting first; then more of it.

    Pins, the user's rules and preferences however old, what changed since the reader was last seen, what is open, and the
    newest fact about each of the people and projects that were spoken of most.
    """
    standing = _standing(facts)
    pinned = [memory for memory in standing if memory.is_pinned]
    of_user = (memory for memory in standing if memory.tag == "S" or "preferences" in memory.path)
    rules = _by_value(memory for memory in of_user if not memory.is_pinned)
    since = occasion.last_here or occasion.now - timedelta(days=3)
    later = [one for one in facts.happened if since < one.at <= occasion.now]
    changed = [
        memory
        for kind in ("superseded", "kept")
        for one in reversed(later)
        if one.kind == kind and (kind == "kept" or facts.newer.get(one.key) == one.by)
        if (memory := facts.of(one.by if kind == "superseded" else one.key)) and memory.key not in facts.newer
    ]
    older = {new: old for old, new in facts.newer.items()}

    def now(memory: KnownMemory) -> Item:
        before = facts.of(older[memory.key]) if memory.key in older else None
        was = f"until {memory.learned or 'now'}: {other_part(before.text, memory.text)}" if before else ""
        return _item(memory)._replace(was=was)

    spoken = Counter(slug for memory in standing for slug in memory.entities for _ in memory.said or (None,))
    newest = _newest(facts, "W")
    about = [
        next((memory for memory in newest if slug in memory.entities), None)
        for slug, _ in sorted(spoken.items(), key=lambda row: (-row[1], row[0]))
    ]
    recent = [one for one in newest if one.learned and one.learned >= occasion.today - timedelta(days=3)]
    yield from map(now, (*pinned, *rules[:_RULES], *changed[:_CHANGED]))
    yield from list(loops(facts, occasion))[:_OPEN_ONES]
    yield from map(now, filter(None, (*about[:_SUBJECTS], *recent, *rules[_RULES:], *about[_SUBJECTS:])))


def resume(facts: BriefFacts, occasion: Occasion) -> Iterator[Item]:
    """What this session was shown, or what was learned since its reader was last seen."""
    since = occasion.last_here or occasion.now - _NIGHT
    learned = {one.key for one in facts.happened if one.kind == "kept" and one.at >= since}
    yield from (_item(memory) for memory in _standing(facts) if memory.key in occasion.seen | learned)


def project(facts: BriefFacts, occasion: Occasion) -> Iterator[Item]:
    """Memories that belong to the project or name it: facts and habits first, newest first; then open loops."""
    own = [memory for memory in _newest(facts) if occasion.project in memory.projects]
    named = sorted(_about(facts, occasion), key=lambda memory: memory.tag not in {"W", "B"})
    yield from map(_item, dict.fromkeys((*own, *named)))
    yield from _loops_about(facts, occasion)


def person(facts: BriefFacts, occasion: Occasion) -> Iterator[Item]:
    """Opinions about somebody, the newest facts, and what is open with them."""
    about = _about(facts, occasion)
    opinions = _by_value(memory for memory in about if memory.tag == "O")
    yield from map(_item, (*opinions, *(memory for memory in about if memory.tag != "O")))
    yield from _loops_about(facts, occasion)


def meeting(facts: BriefFacts, occasion: Occasion) -> Iterator[Item]:
    """Memories that name all participants, then memories about each of them."""
    together = [memory for memory in _newest(facts) if all(_names(memory, subject) for subject in occasion.subjects)]
    yield from map(_item, together if len(occasion.subjects) > 1 else ())
    each = (person(facts, occasion._replace(subjects=(subject,))) for subject in occasion.subjects)
    yield from (item for items in zip_longest(*each) for item in items if item)


def morning(facts: BriefFacts, occasion: Occasion) -> Iterator[Item]:
    """What was learned and updated in the last 24 hours, then what is open."""
    night = [one for one in facts.happened if occasion.now - _NIGHT <= one.at <= occasion.now]
    yield from _events(facts, night, ("kept", "superseded"))
    yield from loops(facts, occasion)


def day(facts: BriefFacts, occasion: Occasion) -> Iterator[Item]:
    """What was learned, updated and blocked today, and what waits in the inbox."""
    today = [one for one in facts.happened if one.at.astimezone(occasion.now.tzinfo).date() == occasion.today]
    yield from _events(facts, today, ("kept", "superseded", "duplicate"))
    yield from (_item(memory) for memory in _standing(facts) if memory.path == "bank/_meta/inbox.md")


def week(facts: BriefFacts, occasion: Occasion) -> Iterator[Item]:
    """In the last seven days: how many memories each page got, the five newest, and what was superseded."""
    last = [one for one in facts.happened if occasion.now - timedelta(days=7) <= one.at <= occasion.now]
    standing = {memory.key: memory for memory in _standing(facts)}
    kept = [memory for one in last if one.kind == "kept" and (memory := standing.get(one.key))]
    for path, count in sorted(Counter(memory.path for memory in kept).items(), key=lambda row: (-row[1], row[0])):
        yield Item(f"week:{path}", f"+{count}", path)
    yield from map(_item, sorted(kept, key=_recency, reverse=True)[:5])
    yield from _events(facts, last, ("superseded",))


def loops(facts: BriefFacts, occasion: Occasion) -> Iterator[Item]:
    """At most five open loops, oldest first. An opinion, a habit or a statement about the user is no loop."""
    known = {memory.key: memory for memory in _standing(facts) if memory.tag in {"W", None}}
    said = [OpenLine(memory.learned, memory.text, memory.key) for memory in known.values() if memory.learned]
    for one in list(open_loops({*said, *facts.log_lines}, occasion.today))[:5]:
        yield Item(one.place, one.text, known[one.place].place if one.place in known else one.place, one.day)


def dates(facts: BriefFacts, occasion: Occasion) -> Iterator[Item]:
    """What is due within seven days, soonest first."""
    from bankd.words.day_mentions import days_spoken_of  # noqa: PLC0415 -- a session waits for its start

    due: list[tuple[Span, KnownMemory]] = []
    for memory in _standing(facts):
        spans = days_spoken_of(memory.text, memory.learned, memory.tag)
        coming = [span for span in spans if 0 <= (span.first - occasion.today).days <= 7]
        due += [(min(coming), memory)] if coming else []
    for (first, last), memory in sorted(due, key=lambda row: (row[0], row[1].key)):
        days = f"{first}" if first == last else f"{first}…{last}"
        yield _item(memory, "" if days in memory.text else f"{days}: ")


def _item(memory: KnownMemory, before: str = "") -> Item:
    return Item(memory.key, before + memory.text, memory.place, memory.learned, memory.who)


def _events(facts: BriefFacts, happened: Sequence[Happened], kinds: Sequence[str]) -> Iterator[Item]:
    """Events by kind in this order, newest first, each only if its memory is there and not superseded."""
    standing = {memory.key: memory for memory in _standing(facts)}
    for kind in kinds:
        for one in reversed([one for one in happened if one.kind == kind]):
            memory = standing.get(one.by if kind in {"superseded", "duplicate"} else one.key)
            is_taken_back = kind == "superseded" and facts.newer.get(one.key) != one.by
            if is_taken_back or memory is None:
                continue
            sign = {"superseded": "~ ", "duplicate": "= "}.get(kind, "")
            key = one.key if kind == "kept" else f"{kind}:{one.key}"  # what was learned is the memory itself
            day = max(memory.said, default=None) if kind == "duplicate" else memory.learned
            yield Item(key, f"{sign}{memory.text}", memory.place, day, memory.who)


def _standing(facts: BriefFacts) -> list[KnownMemory]:
    """The memories that no newer one supersedes."""
    return [memory for memory in facts.memories if memory.key not in facts.newer]


def _newest(facts: BriefFacts, tag: str | None = None) -> list[KnownMemory]:
    return sorted((one for one in _standing(facts) if tag in {None, one.tag}), key=_recency, reverse=True)


def _recency(memory: KnownMemory) -> tuple[date, str]:
    return memory.learned or date.min, memory.key


def _by_value(memories: Iterable[KnownMemory]) -> list[KnownMemory]:
    """The surest first. A memory without a confidence is a fact."""
    newest = sorted(memories, key=_recency, reverse=True)
    return sorted(newest, key=lambda memory: -(100 if memory.value is None else memory.value))


def _about(facts: BriefFacts, occasion: Occasion) -> list[KnownMemory]:
    """The memories that name one of the subjects, newest first."""
    return [memory for memory in _newest(facts) if any(_names(memory, subject) for subject in occasion.subjects)]


def _loops_about(facts: BriefFacts, occasion: Occasion) -> Iterator[Item]:
    return (item for item in loops(facts, occasion) if any(_holds(item.text, one) for one in occasion.subjects))


def _names(memory: KnownMemory, subject: str) -> bool:
    """Whether a memory is about a subject, or its text, path or headings name it."""
    slug = subject.lstrip("@").casefold()
    is_about = (
        slug in {one.casefold() for one in memory.entities} or memory.path.casefold() == f"bank/entities/{slug}.md"
    )
    return is_about or any(_holds(text, subject) for text in (memory.text, memory.path, *memory.heading))


def _holds(text: str, subject: str) -> bool:
    """Whether a text has a word; a Korean particle may follow it."""
    word, folded = subject.lstrip("@").casefold(), text.casefold()
    if not word or word not in folded:
        return False
    return re.search(rf"(?<![^\W_]){re.escape(word)}(?![a-z0-9])", folded) is not None


# Only the English ignores case: ignoring it for Hangul costs each session's start milliseconds.
_OPEN = re.compile(
    r"^\[ \]|[가-힣]야 (?:한다|해|함|됨|된다|할|하는)|(?:하|보|가|쓰|내|주|두)기로 (?:했|함|한)|(?i:\bTODO\b|\bto-do\b"
    r"|\b(?:need|needs|have|has|ought|promised|agreed|plan|plans|remember) to\b|\bfollow up\b|\bmust\b|\bwaiting for\b)"
)
_DONE = re.compile(
    r"^\[[xX]\]|완료|끝냈|끝났|마쳤|해냈|보냈다|처리했|해결|취소|그만두|\b(?:done|finished|completed|sent|shipped|fixed|cancelled|canceled|closed)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[가-힣]{2}|[a-z0-9]{3,}")
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}(?::\d\d|일|시|th|st|nd|rd)|(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}"
)
_SAME = 0.5
"""A text that ends a loop has this share of its words; Hangul by pairs of syllables."""


def open_loops(said: Iterable[OpenLine], today: date) -> Iterator[OpenLine]:
    """The open loops that are older than two days, oldest first; of a memory the place is its key."""
    everything = sorted(said, key=lambda one: (one.day, one.place))
    ends = [(one.day, _words(one.text), _numbers(one.text)) for one in everything if _DONE.search(one.text)]
    for one in everything:
        if _OPEN.search(one.text) and not _DONE.search(one.text) and (today - one.day).days > 2:
            words, numbers = _words(one.text), _numbers(one.text)
            # A text with another number ends no loop: invoice 7 is not done with invoice 6.
            if not any(
                day >= one.day
                and len(words & said) >= _SAME * len(words)
                and (not numbers or not counted or numbers & counted)
                for day, said, counted in ends
            ):
                yield one


def _numbers(text: str) -> frozenset[str]:
    """The numbers that name a thing, not a day or hour: what is due on the 20th may be done on the 19th."""
    return frozenset(re.findall(r"\d+", _MOMENT.sub(" ", text)))


def _words(text: str) -> frozenset[str]:
    """The words without those that only say that something is to be done; Hangul as overlapping pairs."""
    plain = _OPEN.sub(" ", text.casefold())
    latin = {word for word in _WORD.findall(plain) if word.isascii()}
    runs = re.findall(r"[가-힣]{2,}", plain)
    return frozenset(latin | {run[at : at + 2] for run in runs for at in range(len(run) - 1)})


class Mode(NamedTuple):
    """A mode: when it fires and why it may be empty, for people; its rule, its most tokens, and when the daemon writes it."""

    fires: str
    empty: str
    choose: Callable[[BriefFacts, Occasion], Iterator[Item]]
    tokens: int
    due: Callable[[datetime], bool] = lambda _: False
    repeats: bool = False
    """Whether it says again what was shown today."""


def _from(hour: int) -> Callable[[datetime], bool]:
    return lambda now: now.hour >= hour


def _on_monday(now: datetime) -> bool:
    return now.weekday() == 0


MODES: Mapping[str, Mode] = {
    "orient": Mode("a session starts, or is cleared", "nothing is pinned, tells of you, or was learned in the last three days",
        orient, 500),
    "resume": Mode("a session is resumed or compacted", "nothing was learned since the last session", resume, 400, repeats=True),
    "project": Mode("a session starts in a folder that memories name", "no memory names {}", project, 500),
    "person": Mode("a prompt names @Somebody", "no memory names {}", person, 400),
    "meeting": Mode("brief meeting @A @B", "no memory names {}", meeting, 600),
    "morning": Mode("the first session after 05:00", "nothing was learned in 24 hours, and nothing is open",
        morning, 500, _from(5)),
    "day": Mode("20:00", "nothing was learned today, and the inbox is empty", day, 300, _from(20)),
    "week": Mode("Monday", "nothing was learned in seven days", week, 700, _on_monday),
    "loops": Mode("morning, project", "nothing that was to be done is open for three days", loops, 300, _from(5)),
    "dates": Mode("daily", "nothing is due within seven days", dates, 250, _from(0)),
}  # fmt: skip


class Briefing(NamedTuple):
    """The items of a mode, and the mark of each, which records that it was shown."""

    mode: str
    items: Sequence[Item]
    marks: Sequence[str]

    @property
    def text(self) -> str:
        """As lines of a list; empty if there is nothing to say."""
        return self.text_in()

    def text_in(self, translate: Callable[[str], str] = str) -> str:
        """The same with the words of bankd translated."""
        return "".join(f"{item.line_in(translate)}\n" for item in self.items)


def make_briefing(mode: str, facts: BriefFacts, occasion: Occasion, shown: Shown, reader: str) -> Briefing:
    """Make a briefing: what is new to a reader, as much as fits. One item has at most 120 tokens."""
    rule, left, taken = MODES[mode], MODES[mode].tokens, dict[str, Item]()
    for item in rule.choose(facts.within(occasion.project), occasion):
        item = item._replace(is_doubted=item.key in facts.doubted)  # noqa: PLW2901 -- as it is told
        mark = mark_of(item.key, f"{item.text} {DOUBT}" if item.is_doubted else item.text)
        if mark in taken or (not rule.repeats and is_shown(shown, reader, mark, occasion.now)):
            continue
        short = item._replace(text=cut_to_tokens(item.text, 120))
        left -= count_tokens(short.line_in() + "\n")
        if left < 0:
            break
        taken[mark] = short
    return Briefing(mode, tuple(taken.values()), tuple(taken))


def due_modes(now: datetime, wanted: Sequence[str]) -> list[str]:
    """The wanted modes that are due at a moment."""
    return [name for name, mode in MODES.items() if name in wanted and mode.due(now)]


NAMES_MODES = tuple(MODES)

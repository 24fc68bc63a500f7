"""Where a memory belongs: page, heading and part of a split page.

In this order decide: TAG_ROUTING rules, the page of its entity, similar memories, its kind, the default page of its tag,
else the inbox. A page that the user has renamed is found by its memories. The patterns of rules are compiled in config.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from itertools import islice
from operator import add
from typing import NamedTuple, TypeAlias

from bankd.memory.ledger import KEPT, Ledger
from bankd.pages.memory import Memory
from bankd.pages.names import BANK, INBOX, MAX_NAME_BYTES, is_own, is_within, whom_page_is_about
from bankd.pages.page import Page, obsidian_words, part_lines, parts_folder
from bankd.words.analysis import normal_form, runs_of, stem_words
from bankd.words.tables import words_in

# by rules

_SHOWN = 40  # characters of a memory in a reason


class Similar(NamedTuple):
    """A memory of the bank that is like a new one: its page relative to bank/, and how alike they are, 0 to 1."""

    name: str
    page: str
    tag: str | None
    text: str
    score: float
    entities: tuple[str, ...] = ()


FindSimilar: TypeAlias = Callable[[Memory], Sequence[Similar]]
HasPage: TypeAlias = Callable[[str], bool]
"""Whether the bank has a page, relative to bank/, by this name or another."""


class RoutingRule(NamedTuple):
    """One rule of TAG_ROUTING; `place` is its file and 1-based line; with `entity` false it is for memories without @Slug."""

    tag: str
    pattern: str
    target: str
    heading: str | None
    place: str
    is_whole: bool = True
    entity: bool = True


@dataclass(frozen=True, slots=True)
class Rules:
    """The routing of a workspace: ordered rules, a default page for tags, and whether entities and likeness decide.

    `matching` gives the indexes of the rules whose pattern is in a text; `kinds` tells what a memory is about.
    """

    rules: tuple[RoutingRule, ...]
    defaults: Mapping[str, str] = field(default_factory=dict)
    entities: bool = True
    similar: bool = True
    matching: Callable[[str], Collection[int]] = field(default=lambda _: (), compare=False, repr=False)
    kinds: Callable[[], PageClassifier] = field(default=lambda: PageClassifier(()), compare=False, repr=False)

    def taught(self, moved: Callable[[], Sequence[ExampleLine]]) -> Rules:
        """These rules, improved by the memories that a person moved; `moved` is called when the kind of a line is needed."""
        return replace(self, kinds=cache(lambda: PageClassifier([*self.kinds().examples, *[*moved()] * _MOVED_COUNTS])))


@dataclass(frozen=True, slots=True)
class Destination:
    """A page and heading for a memory, and the reason in words; `was` is the name of the page before it was renamed."""

    page: str
    heading: str | None
    reason: str
    was: str = ""


def any_page(_page: str) -> bool:
    """Stands for a bank whose pages are not known: a page of the template counts as there, names are not looked up."""
    return True


def route_memory(
    memory: Memory, rules: Rules, find_similar: FindSimilar = lambda _: (), has_page: HasPage = any_page
) -> Destination:
    """The place of a memory: the first that claims it, else the inbox.

    `find_similar` gives the memories of the bank that are like one, the most similar first. It is called only when no
    rule and no entity claims the memory.
    """
    return next(_claiming(memory, rules, find_similar, has_page), None) or _unplaced(memory, rules, has_page)


def find_claims(
    memory: Memory, rules: Rules, find_similar: FindSimilar = lambda _: (), has_page: HasPage = any_page
) -> list[Destination]:
    """Every place that claims a memory, the one that wins first; the inbox when there is none."""
    return list(_claiming(memory, rules, find_similar, has_page)) or [_unplaced(memory, rules, has_page)]


def _unplaced(memory: Memory, rules: Rules, has_page: HasPage) -> Destination:
    near = ", ".join(page for page in rules.kinds().likeliest(memory) if has_page(page))
    return Destination(INBOX, None, f"no rule matched; nearest are {near}" if near else "no rule matched")


def _claiming(memory: Memory, rules: Rules, find_similar: FindSimilar, has_page: HasPage) -> Iterator[Destination]:
    for rule in (rules.rules[place] for place in sorted(rules.matching(unicodedata.normalize("NFC", memory.text)))):
        if rule.tag == memory.tag and (rule.entity or not memory.entities):
            yield Destination(rule.target, rule.heading, f"rule of {rule.tag} at {rule.place}")
    if rules.entities and memory.entities:
        yield Destination(entity_page(memory.entities[0]), None, f"names @{memory.entities[0]}")
    elif rules.entities and has_page is not any_page and (page := _page_of_first(memory.text, has_page)):
        yield Destination(page, None, f"begins with the name of {page}")
    if rules.similar:
        yield from _likely_places(memory, rules, find_similar, has_page)
    if memory.tag is not None and memory.tag in rules.defaults:
        yield Destination(rules.defaults[memory.tag], None, f"default of {memory.tag}")


def _page_of_first(text: str, has_page: HasPage) -> str:
    """The page of the one whose name a text begins with, a Korean particle aside; empty if there is none."""
    first = re.match(r"[\w-]+", unicodedata.normalize("NFC", text))
    word = "" if first is None or first[0].islower() else first[0]
    ends = (end for end in range(len(word), 1, -1) if end == len(word) or word[end:] in words_in("korean", "particles"))
    pages = (entity_page(word[:end]) for end in ends)
    return next((page for page in pages if whom_page_is_about(page) and has_page(page)), "")


def _likely_places(memory: Memory, rules: Rules, find_similar: FindSimilar, has_page: HasPage) -> Iterator[Destination]:
    """The page of similar memories and that of its kind; a page that the user made is found by likeness alone."""
    like, kinds = [], []
    if found := choose_page(memory, find_similar(memory)):
        said = ", ".join(f"{one.name} ({one.score:.2f}) {_beginning(one.text)}" for one in found[1])
        like = [Destination(found[0], None, f"like {said}")]
        if is_close(memory, found[1]):
            yield like.pop()
    kind = rules.kinds().classify(memory) if not memory.entities else None
    if kind and has_page(kind.page):  # a page that was removed is not made anew
        said = f"what {kind.page} is about ({kind.probability:.2f}): {', '.join(kind.words)}"
        kinds = [Destination(kind.page, None, said)]
    is_one_of_them = kind is not None and found is not None and found[0] in kind.among
    yield from (*kinds, *like) if is_one_of_them else (*like, *kinds)


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1].rstrip() + "…"


def entity_page(slug: str) -> str:
    """The page of an entity; its slug has only letters, digits, `-` and `_`."""
    name = unicodedata.normalize("NFC", slug)
    while len(f"{name}.md".encode()) > MAX_NAME_BYTES:
        name = name[:-1]
    return f"entities/{name}.md"


def expressions_of(rules: Iterable[RoutingRule]) -> tuple[str, ...]:
    """The patterns of rules as regular expressions; a match of whole words does not end inside a Latin word or number.

    So `tool` is not in `toolkit`. Hangul may go on, because particles follow a word: 도구 matches 도구를. RE2 has no
    look-around, so an edge is the edge of the text, a character that is not Latin, or a boundary between the two.
    """
    return tuple(rf"(?:^|\W|\b)(?:{rule.pattern})(?:$|\W|\b)" if rule.is_whole else rule.pattern for rule in rules)


# by similar memories. Chosen on one half of 150 everyday lines and reported on the other (bench.routing)

NEAREST = 3
"""The number of similar memories that vote."""
LEAST_ALIKE = 0.12
"""At least one memory of the page with the same tag must have this score: below it, shared words are not about a subject.
No page is suggested for less."""
_CLOSE = 0.2
"""From this score on, likeness decides before the kind. Below it, when both named different pages of the template, the
kind was right 24 times of 32, likeness 5 times (shipped examples in a bank of 400 others, bench.routing)."""
_AGREEMENT = 0.5
"""The share of the votes that a page needs."""
_OTHER_TAG = 0.5
"""The weight of a memory with another tag: a habit and a fact about the same thing are on different pages."""


def choose_page(memory: Memory, similar: Sequence[Similar]) -> tuple[str, Sequence[Similar]] | None:
    """The page on which the most similar memories agree, and those of them that are there; None when they do not agree.

    A memory about somebody does not vote for one that does not name them. Memories of another tag alone decide nothing:
    an opinion on a seat does not tell where a fact about the seat belongs.
    """
    asked = [one for one in similar if not is_own(one.page) and set(one.entities) <= set(memory.entities)][:NEAREST]
    votes: dict[str, float] = defaultdict(float)
    for one in asked:
        votes[one.page] += one.score * (1 if one.tag == memory.tag else _OTHER_TAG)
    page, most = max(votes.items(), key=lambda vote: vote[1], default=("", 0.0))
    witnesses = [one for one in asked if one.page == page]
    is_sure = any(one.score >= LEAST_ALIKE and one.tag == memory.tag for one in witnesses)
    return (page, witnesses) if most >= _AGREEMENT * sum(votes.values()) and is_sure else None


def is_close(memory: Memory, witnesses: Sequence[Similar]) -> bool:
    """Whether one of these, with the same tag, is so similar that its page is surer than the kind of the memory."""
    return any(one.score >= _CLOSE and one.tag == memory.tag for one in witnesses)


# by its kind: naive Bayes over lines that people would note, page by page (`config/examples.md`)

LEAST_SURE = 0.4
"""The probability that a page must have. In five-fold cross-validation of the examples .13 stay unplaced (bench.routing)."""
_SMOOTHING = 0.1
"""Added to each count (Lidstone)."""
_LEAST_WORDS, _SHOWN_WORDS = 2, 3
"""The fewest words for a page, and the most shown as the reason: one word alone is not a subject."""
_FUNCTION_WORDS = frozenset[str]().union(
    *(words_in("english", name) for name in ("function_words", "relations")),
    *(words_in("korean", name) for name in ("particles", "pronouns", "optional", "empty_adverbs")),
    *(words_in("days", name) for name in ("english_relatives", "korean_weeks")),
)
"""They have weights like all words, since each page has its own style, but alone they are no evidence."""
_NAMED = 3
"""The most pages suggested for a line that waits."""
_MOVED_COUNTS = 10
"""A memory that a person moved to a page counts as this many examples of the page."""
_RARE = 0.01
"""Such a word is in at most this share of the examples: common words are not a subject either."""


ExampleLine: TypeAlias = tuple[str, str, str]
"""The page that a line belongs on, relative to bank/, its tag and its text."""


class Classified(NamedTuple):
    """The page for a memory, its probability, and the words that speak for it, the strongest first.

    `among` are the pages that were compared.
    """

    page: str
    probability: float
    words: tuple[str, ...]
    among: Collection[str]


class Evidence:
    """How much each feature speaks for each page, by how often the lines of the pages have it (naive Bayes)."""

    def __init__(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        """`counts` has the features of each page."""
        self._counts = counts
        self.all: Counter[str] = Counter()
        for here in counts.values():
            self.all.update(here)
        self._sums = {page: sum(here.values()) for page, here in counts.items()}
        self._total, self._unseen = self.all.total(), _SMOOTHING * len(self.all)
        self.weights = cache(self._weigh)

    def scores(self, features: Collection[str]) -> dict[str, float]:
        """The evidence for each page, in nats; empty when no page has any of these features."""
        weights = [self.weights(feature) for feature in features if feature in self.all]
        root = math.sqrt(len(features))  # several features of a word say one thing
        sums = map(sum, zip(*weights, strict=True))
        return {page: total / root for page, total in zip(self._counts, sums, strict=True)} if weights else {}

    def _weigh(self, feature: str) -> tuple[float, ...]:
        """For each page, how much more often its lines have a feature than those of the other pages, in nats."""
        weights = []
        for page, counts in self._counts.items():
            here, all_here = counts.get(feature, 0), self._sums[page]
            there, all_there = self.all[feature] - here, self._total - all_here
            here_often = (here + _SMOOTHING) / (all_here + self._unseen)
            weights.append(math.log(here_often * (all_there + self._unseen) / (there + _SMOOTHING)))
        return tuple(weights)


class PageClassifier:
    """Learns once from examples; a page is chosen among those that have examples with the tag of the memory."""

    def __init__(self, examples: Iterable[ExampleLine]) -> None:
        """Count the features in the examples of each page."""
        self.examples = tuple(examples)
        texts: defaultdict[str, list[str]] = defaultdict(list)
        self._pages: dict[str, dict[str, None]] = {}
        for page, tag, text in self.examples:
            texts[page].append(text)
            self._pages.setdefault(tag, {})[page] = None
        self._counts = {page: _count_features("\n".join(said)) for page, said in texts.items()}
        self._evidence = Evidence(self._counts)

    def classify(self, memory: Memory) -> Classified | None:
        """The page for a memory; None if none is likely enough."""
        words = {word: features_of(word) for word in read_words(memory.text)}
        scores = self._scores(memory, words)
        if not scores:
            return None
        page = max(scores, key=lambda page: scores[page])
        probability = 1 / sum(math.exp(score - scores[page]) for score in scores.values())  # softmax
        telling = tuple(self._telling(words, page)) if probability >= LEAST_SURE else ()
        return Classified(page, probability, telling, scores.keys()) if len(telling) >= _LEAST_WORDS else None

    def likeliest(self, memory: Memory) -> Sequence[str]:
        """The likeliest pages for a memory, best first, at most three; empty if no telling word speaks for any of them."""
        words = {word: features_of(word) for word in read_words(memory.text)}
        scores = self._scores(memory, words)
        pages = sorted(scores, key=lambda page: -scores[page])[:_NAMED]
        return pages if any(any(self._telling(words, page)) for page in pages) else ()

    def _scores(self, memory: Memory, words: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """The evidence for each page that has examples with the tag of a memory, in nats."""
        scores = self._evidence.scores(dict.fromkeys(feature for found in words.values() for feature in found))
        return {page: scores[page] for page in self._pages.get(memory.tag or "", {})} if scores else {}

    def _telling(self, words: Mapping[str, Sequence[str]], page: str) -> Iterator[str]:
        """The words that speak most for a page, the strongest first; not those that are common on all pages."""
        at = list(self._counts).index(page)
        content = ((word, features) for word, features in words.items() if word not in _FUNCTION_WORDS)
        known = {word: [one for one in features if one in self._evidence.all] for word, features in content}
        worth = {
            word: sum(self._evidence.weights(one)[at] for one in features)
            for word, features in known.items()
            if features
        }
        rare = (
            word
            for word in worth
            if min(self._evidence.all[one] for one in known[word]) <= max(1, _RARE * len(self.examples))
        )
        return islice((word for word in sorted(rare, key=lambda word: -worth[word]) if worth[word] > 0), _SHOWN_WORDS)


@lru_cache(maxsize=64)  # the shipped examples are the same for each run of a daemon
def _count_features(text: str) -> Counter[str]:
    return Counter(features_in(read_words(text)))


def read_words(text: str) -> list[str]:
    """The runs of letters and digits of a text."""
    return runs_of(normal_form(text))


@lru_cache(maxsize=20_000)
def features_of(word: str) -> Sequence[str]:
    """The features of one word."""
    return features_in([word])


def features_in(words: Iterable[str]) -> list[str]:
    """The features of words: the stem of a Latin word; the syllable pairs and the beginning of Hangul; one for all numbers."""
    hangul: list[str] = []
    others: list[str] = []
    for word in words:
        (hangul if word >= "가" else others).append(word)  # the last of the scripts that runs are of
    joined = " ".join(hangul)
    pairs = [pair for pair in map(add, joined, joined[1:]) if " " not in pair]
    stems = stem_words([word for word in others if len(word) > 1 and not word.isdigit()])
    return [*[f"^{word[:2]}" for word in hangul], *pairs, *["0" for word in others if word.isdigit()], *stems]


# pages that were renamed


@dataclass(frozen=True)
class RenamedPages:
    """Finds a page that the user has renamed by the memories that were filed on it, so that rules still lead to it.

    Links would not do: most pages have none into them.
    """

    ledger: Ledger
    pages_of: Callable[[Iterable[str]], Mapping[str, Sequence[str]]]
    """By the id of each memory that is held, the pages that hold it."""
    _found: dict[str, str] = field(default_factory=dict)

    def follow(self, destination: Destination) -> Destination:
        """The same place on the page that has this page's memories now, if there is one."""
        page = self.name_now(destination.page)
        if page == destination.page:
            return destination
        was, why = destination.page, destination.reason
        return replace(destination, page=page, reason=f"{why}; {was} is called {page} now", was=was)

    def name_now(self, page: str) -> str:
        """The present name of a page that is gone: it holds more than half of what was filed there; else the same name.

        Both are relative to `bank/`.
        """
        filed = self._filed.get(page, ())
        if page not in self._found and filed and not is_own(page):
            pages = Counter(held[0] for held in self.pages_of(filed).values() if held[0].startswith(BANK))
            here, count = next(iter(pages.most_common(1)), ("", 0))
            self._found[page] = here.removeprefix(BANK) if count > len(filed) / 2 else page
        return self._found.get(page, page)

    def moved(self, is_there: HasPage) -> Mapping[str, str]:
        """By the id of each memory that a person moved from where it was filed, its page now, relative to `bank/`.

        What stands in a part of that page, or came along when the page got another name, was not moved.
        """
        at = self.pages_of(id_ for ids in self._filed.values() for id_ in ids)
        now = {id_: pages[0].removeprefix(BANK) for id_, pages in at.items() if pages[0].startswith(BANK)}
        return {
            id_: now[id_]
            for page, ids in self._filed.items()
            for id_ in ids
            if id_ in now and not is_own(now[id_]) and not is_within(now[id_], (page,))
            if is_there(page) or not is_within(now[id_], (self.name_now(page),))
        }

    @cached_property
    def _filed(self) -> Mapping[str, Sequence[str]]:
        filed: defaultdict[str, list[str]] = defaultdict(list)
        for id_, event in self.ledger.consumed.items():
            if event["type"] == KEPT and id_ not in self.ledger.gone:
                for page in {str(event.get("page")), str(event.get("was") or event.get("page"))}:
                    filed[page].append(id_)
        return filed


# parts of a split page. Measured on korquad2-routing-a (31 topics as parts): the evidence that finds the kind of a line
# places 83 of 104 items that do not name their topic, and 115 of 116 that do; BM25 over pairs of syllables 80 and 115.

_MONTH = re.compile(r"(?<!\d)(\d{4}-\d{2})-\d{2}(?!\d)")
_TITLE_WEIGHT = 3  # a title says what belongs on a part, the text only what happens to be there


@dataclass(frozen=True, slots=True)
class PagePart:
    """A page or part, with what decides if a memory fits: headings, entities, months and features; and its own parts."""

    path: str
    headings: frozenset[str]
    entities: frozenset[str]
    months: frozenset[str]
    features: Mapping[str, int]
    parts: tuple[str, ...] = ()


ViewPart = Callable[[str], PagePart | None]


def choose_part(memory: Memory, destination: Destination, view: ViewPart) -> Destination:
    """The page that a rule names, or the part of it that fits best, or a part of that part.

    What fits no part stays on the hub; when there is enough of that, the hub is split again.
    """
    hub = view(BANK + destination.page)
    here, heading = hub, destination.heading
    while here and here.parts and not (heading and obsidian_words(heading) in here.headings):
        below = {path: _with_parts(part, view) for path in here.parts if (part := view(path))}
        best = best_part(memory, heading, list(below.values())) if below else None
        if best is None:
            break
        here = view(best)
    if here is None or here is hub:
        return destination
    kept = heading if heading and obsidian_words(heading) in here.headings else None
    why = f"{destination.reason}, in the part that fits"
    return replace(destination, page=here.path.removeprefix(BANK), heading=kept, reason=why)


def read_part(page: Page) -> PagePart:
    """Read from a page what decides if a memory fits."""
    texts = [entry.memory.text for entry in page.entries]
    titles = [page.path.rpartition("/")[2].removesuffix(".md"), *(heading.title for heading in page.headings)]
    features = _count_features("\n".join([*texts, *titles * _TITLE_WEIGHT]))
    entities = {slug.casefold() for entry in page.entries for slug in entry.memory.entities}
    months = {found for text in [*texts, *titles] for found in _MONTH.findall(text)}
    headings = frozenset(obsidian_words(heading.title) for heading in page.headings)
    parts = tuple(part_lines(page.document, page.path).values())
    return PagePart(page.path, headings, frozenset(entities), frozenset(months), features, parts)


def _with_parts(part: PagePart, view: ViewPart) -> PagePart:
    """A part together with all of its own parts."""
    whole = part
    for path in part.parts:
        below = view(path)
        if below is not None and path.startswith(parts_folder(part.path) + "/"):
            below = _with_parts(below, view)
            features = Counter(whole.features) + Counter(below.features)
            headings, entities = whole.headings | below.headings, whole.entities | below.entities
            whole = PagePart(part.path, headings, entities, whole.months | below.months, features, part.parts)
    return whole


def best_part(memory: Memory, heading: str | None, parts: Sequence[PagePart]) -> str | None:
    """The part that fits best: by the heading of the rule, then by entity or month, then by words; None when none fits."""
    for part in parts:
        if heading is not None and obsidian_words(heading) in part.headings:
            return part.path
    slugs = {slug.casefold() for slug in memory.entities}
    months = set(_MONTH.findall(memory.text))
    narrowed = [part for part in parts if slugs & part.entities] or [part for part in parts if months & part.months]
    features = features_in(read_words(memory.text))
    scores = Evidence({part.path: part.features for part in parts}).scores(dict.fromkeys(features))
    best = max(narrowed or parts, key=lambda part: scores.get(part.path, 0))
    return best.path if narrowed or not best.features.keys().isdisjoint(features) else None

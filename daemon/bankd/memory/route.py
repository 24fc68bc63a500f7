"""Where a memory belongs by what it is like: the pages of the most similar memories decide, when they agree clearly.

They are asked after the rules and before the inbox; the kind of a memory (`page_classifier`) stands above what is little alike. So bankd learns from where the user moves things: what was moved to a
page speaks for that page. Chosen on one half of 150 everyday lines and reported on the other (bench.routing).

Where a memory belongs by its kind: naive Bayes over lines that people would note, page by page (`config/examples.md`).

It places what no rule claims and nothing in the bank is like, from the first day on; for a word list has no end, and
what it lacks is not found. It is unsure of what shares too little with the examples, and says so by saying nothing.

Where a memory belongs: TAG_ROUTING rules, pages of entities, what it is like, its kind, a default page a tag, else the inbox.

Patterns are compiled elsewhere (google-re2, in config), and all looked for at once; a rule is known by its place.

Where a page is that the user has renamed: known by its memories, so that rules and `@Slug` go on leading to it.

The links of a workspace would not tell: most pages have none into them, and what is kept of links can be lost.

Which part of a split page a memory belongs to: a rule names the hub, the memory goes where it fits best.

Measured on korquad2-routing-a (31 topics as parts): character bigrams and Latin words by BM25 place 80 of 104 items that
do not name their topic, and 115 of 116 that do; whole words only 66 and 97.
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
from bankd.pages.names import BANK, INBOX, is_own
from bankd.pages.page import Page, obsidian_words, part_lines, parts_folder
from bankd.words.analysis import normal_form, runs_of, stem_words

NEAREST = 3
"""So many memories are asked."""
_LEAST = 0.12
"""The score that one memory of the page, of the same tag, must have: below, what two lines share are words of no subject."""
_CLOSE = 0.2
"""The score from which it stands above the kind of a memory: below, where the two named different pages of the template, the
kind was right 24 times of 32, likeness 5 (shipped examples in a bank of 400 others, bench.routing)."""
_AGREEMENT = 0.5
"""The share of the votes that a page needs."""
_OTHER_TAG = 0.5
"""What a memory of another tag weighs: a habit and a fact about the same thing stand on different pages."""


class Similar(NamedTuple):
    """A memory of the bank that is like a new one: its page relative to bank/, and how alike they are, 0 to 1."""

    name: str
    page: str
    tag: str | None
    text: str
    score: float
    entities: tuple[str, ...] = ()


def choose_page(memory: Memory, similar: Sequence[Similar]) -> tuple[str, Sequence[Similar]] | None:
    """The page that the most similar memories agree on and those of them that stand there; None when they do not.

    What is said of somebody says nothing of a memory that does not name them, and no page claims a memory by others of
    another tag alone: an opinion on a seat is no place for where the seat is.
    """
    asked = [one for one in similar if not is_own(one.page) and set(one.entities) <= set(memory.entities)][:NEAREST]
    votes: dict[str, float] = defaultdict(float)
    for one in asked:
        votes[one.page] += one.score * (1 if one.tag == memory.tag else _OTHER_TAG)
    page, most = max(votes.items(), key=lambda vote: vote[1], default=("", 0.0))
    witnesses = [one for one in asked if one.page == page]
    is_sure = any(one.score >= _LEAST and one.tag == memory.tag for one in witnesses)
    is_clear = most >= _AGREEMENT * sum(votes.values()) and is_sure
    return (page, witnesses) if is_clear else None


def is_close(memory: Memory, witnesses: Sequence[Similar]) -> bool:
    """Whether one of these, of the same tag, is so much alike that its page is surer than what a memory is about."""
    return any(one.score >= _CLOSE and one.tag == memory.tag for one in witnesses)


LEAST_SURE = 0.4
"""The probability that a page must have: of the examples, a fifth at a time told by the others, .13 are left (bench.routing)."""
_SMOOTHING = 0.1
"""What is added to each count (Lidstone)."""
_LEAST_WORDS, _PAGE_CLASSIFIER_SHOWN = 2, 3
"""So many words must speak for a page, of which so many say why: one word alone is no subject."""
_RARE = 0.01
"""The share of the examples that such a word is in at most: what anybody says of anything is no subject either."""


ExampleLine: TypeAlias = tuple[str, str, str]
"""The page that a line belongs on, relative to bank/, its tag and its text."""


class Classified(NamedTuple):
    """The page that a memory belongs on, how sure that is, 0 to 1, and the words that say so, the most telling first.

    `among` are the pages that it was chosen from.
    """

    page: str
    probability: float
    words: tuple[str, ...]
    among: Collection[str]


class PageClassifier:
    """Learns once from examples; a page is asked for by the tags that its examples have."""

    def __init__(self, examples: Iterable[ExampleLine]) -> None:
        """Count what each page's examples say."""
        texts: dict[str, list[str]] = {}
        self._pages: dict[str, dict[str, None]] = {}
        self._lines = 0
        for self._lines, (page, tag, text) in enumerate(examples, 1):
            texts.setdefault(page, []).append(text)
            self._pages.setdefault(tag, {})[page] = None
        self._counts = {page: Counter(features_in(read_words("\n".join(said)))) for page, said in texts.items()}
        self._all: Counter[str] = Counter()
        for said in self._counts.values():
            self._all.update(said)
        self._sums = {page: said.total() for page, said in self._counts.items()}
        self._total, self._unseen = self._all.total(), _SMOOTHING * len(self._all)
        self._weights = cache(self._weigh)

    def classify(self, memory: Memory) -> Classified | None:
        """The page that a memory belongs on; None where none is likely enough."""
        words = {word: features_of(word) for word in read_words(memory.text)}
        features = dict.fromkeys(feature for found in words.values() for feature in found)
        weights = [self._weights(feature) for feature in features if feature in self._all]
        if not weights:
            return None
        sums = dict(zip(self._counts, map(sum, zip(*weights, strict=True)), strict=True))
        root = math.sqrt(len(features))  # the features of a word say one thing several times
        among = self._pages.get(memory.tag or "", {})
        page, probability = _likeliest({page: sums[page] / root for page in among})
        telling = tuple(self._telling(words, page)) if probability >= LEAST_SURE else ()
        return Classified(page, probability, telling, among.keys()) if len(telling) >= _LEAST_WORDS else None

    def _weigh(self, feature: str) -> tuple[float, ...]:
        """For each page, how much more often its lines have a feature than the others', in nats."""
        return tuple(self._weight(feature, page) for page in self._counts)

    def _weight(self, feature: str, page: str) -> float:
        here, all_here = self._counts[page][feature], self._sums[page]
        there, all_there = self._all[feature] - here, self._total - all_here
        here_often = (here + _SMOOTHING) / (all_here + self._unseen)
        return math.log(here_often * (all_there + self._unseen) / (there + _SMOOTHING))

    def _telling(self, words: Mapping[str, Sequence[str]], page: str) -> Iterator[str]:
        """The words that speak for a page, the most telling first, but for those that are in many lines of all pages."""
        at = list(self._counts).index(page)
        known = {word: [one for one in features if one in self._all] for word, features in words.items()}
        worth = {word: sum(self._weights(one)[at] for one in features) for word, features in known.items() if features}
        rare = (word for word in worth if min(self._all[one] for one in known[word]) <= max(1, _RARE * self._lines))
        return islice(
            (word for word in sorted(rare, key=lambda word: -worth[word]) if worth[word] > 0), _PAGE_CLASSIFIER_SHOWN
        )


def _likeliest(scores: Mapping[str, float]) -> tuple[str, float]:
    """The page of the highest score, and its share of the exponentials (softmax); no page where none is asked about."""
    if not scores:
        return "", 0.0
    page = max(scores, key=lambda page: scores[page])
    return page, 1 / sum(math.exp(score - scores[page]) for score in scores.values())


def read_words(text: str) -> list[str]:
    """The runs of letters and digits of a text."""
    return runs_of(normal_form(text))


@lru_cache(maxsize=20_000)
def features_of(word: str) -> Sequence[str]:
    """The features of one word."""
    return features_in([word])


def features_in(words: Iterable[str]) -> list[str]:
    """What counts of words: of a Latin one its stem, of Hangul each two syllables in a row, and how it begins; no letter alone."""
    hangul: list[str] = []
    others: list[str] = []
    for word in words:
        (hangul if word >= "가" else others).append(word)  # the last of the scripts that runs are of
    joined = " ".join(hangul)
    pairs = [pair for pair in map(add, joined, joined[1:]) if " " not in pair]
    numbers, letters = [word for word in others if word.isdigit()], [word for word in others if not word.isdigit()]
    stems = stem_words([word for word in letters if len(word) > 1])
    return [*[f"^{word[:2]}" for word in hangul], *pairs, *["0" for _ in numbers], *stems]


_MAX_LEVELS = 8
_SHOWN = 40  # characters of a memory that says why
_MAX_NAME_BYTES = 200  # file systems allow 255; staging names and suffixes need room
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')

FindSimilar: TypeAlias = Callable[[Memory], Sequence[Similar]]
HasPage: TypeAlias = Callable[[str], bool]
"""Whether the bank has a page, relative to bank/, by this name or another."""


class RoutingRule(NamedTuple):
    """One line of TAG_ROUTING; `line` is where it stands in its file, 1-based; `entity` false: only of no @Slug."""

    tag: str
    pattern: str
    target: str
    heading: str | None
    line: int
    is_whole: bool = True
    entity: bool = True


@dataclass(frozen=True, slots=True)
class Rules:
    """The routing of a workspace: ordered rules, optional defaults, whether entities have pages, and likeness a say.

    `matching` gives the places in `rules` of those whose pattern a text has; `classify` says what kind a memory is of.
    """

    rules: tuple[RoutingRule, ...]
    defaults: Mapping[str, str] = field(default_factory=dict)
    entities: bool = True
    similar: bool = True
    matching: Callable[[str], Collection[int]] = field(default=lambda _: (), compare=False, repr=False)
    classify: Callable[[Memory], Classified | None] = field(default=lambda _: None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Destination:
    """A page and heading for a memory, and the reason in words."""

    page: str
    heading: str | None
    reason: str


_UNPLACED = Destination(INBOX, None, "no rule matched")


def _like_nothing(_: Memory) -> Sequence[Similar]:
    return ()


def _every_page(_: str) -> bool:
    return True


def route_memory(
    memory: Memory, rules: Rules, find_similar: FindSimilar = _like_nothing, has_page: HasPage = _every_page
) -> Destination:
    """The place of a memory: the first rule that matches, its entity's page, that of similar memories, a default, or the inbox.

    `find_similar` gives the memories of the bank that are like one, the most similar first; only what no rule claims asks.
    """
    return next(_claiming(memory, rules, find_similar, has_page), _UNPLACED)


def find_claims(
    memory: Memory, rules: Rules, find_similar: FindSimilar = _like_nothing, has_page: HasPage = _every_page
) -> list[Destination]:
    """Every place that claims a memory, the one that wins first; the inbox claims what nobody else does."""
    return list(_claiming(memory, rules, find_similar, has_page)) or [_UNPLACED]


def _claiming(memory: Memory, rules: Rules, find_similar: FindSimilar, has_page: HasPage) -> Iterator[Destination]:
    for rule in (rules.rules[place] for place in sorted(rules.matching(unicodedata.normalize("NFC", memory.text)))):
        if rule.tag == memory.tag and (rule.entity or not memory.entities):
            yield Destination(rule.target, rule.heading, f"rule of {rule.tag} in line {rule.line}")
    if rules.entities and memory.entities:
        yield Destination(entity_page(memory.entities[0]), None, f"names @{memory.entities[0]}")
    if rules.similar:
        yield from _likely_places(memory, rules, find_similar, has_page)
    if memory.tag is not None and memory.tag in rules.defaults:
        yield Destination(rules.defaults[memory.tag], None, f"default of {memory.tag}")


def _likely_places(memory: Memory, rules: Rules, find_similar: FindSimilar, has_page: HasPage) -> Iterator[Destination]:
    """Where memories like it stand, and where its kind does; a page of the user's own is known by likeness alone."""
    found = choose_page(memory, find_similar(memory))
    like = [_place_beside(*found)] if found else []
    if found and is_close(memory, found[1]):
        yield like.pop()
    kind = rules.classify(memory) if not memory.entities else None
    kinds = [_place_of_kind(kind)] if kind and has_page(kind.page) else []  # one that was taken away is not made anew
    is_one_of_them = kind is not None and found is not None and found[0] in kind.among
    yield from (*kinds, *like) if is_one_of_them else (*like, *kinds)


def _place_of_kind(kind: Classified) -> Destination:
    said = f"what {kind.page} is about ({kind.probability:.2f}): {', '.join(kind.words)}"
    return Destination(kind.page, None, said)


def _place_beside(page: str, witnesses: Sequence[Similar]) -> Destination:
    said = ", ".join(f"{one.name} ({one.score:.2f}) {_beginning(one.text)}" for one in witnesses)
    return Destination(page, None, f"like {said}")


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1].rstrip() + "…"


def entity_page(slug: str) -> str:
    """The page of an entity; a slug is letters, digits, `-` and `_` by its grammar."""
    name = unicodedata.normalize("NFC", slug)
    while len(f"{name}.md".encode()) > _MAX_NAME_BYTES:
        name = name[:-1]
    return f"entities/{name}.md"


def expressions_of(rules: Iterable[RoutingRule]) -> tuple[str, ...]:
    """What is looked for: a match of whole words does not begin or end inside a Latin word or number.

    So `tool` is not in `toolkit`, nor `it` in `submit`. Hangul is not concerned, for particles follow a word: 도구
    matches 도구를. RE2 has no look-around, so an edge is the text's own edge, a character that is no Latin one, or a
    boundary between the two kinds.
    """
    return tuple(rf"(?:^|\W|\b)(?:{rule.pattern})(?:$|\W|\b)" if rule.is_whole else rule.pattern for rule in rules)


def problems_of_targets(targets: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """What is wrong with targets, each with its line."""
    return [(line, problem) for line, target in targets if (problem := problem_of_target(target))]


def problem_of_target(target: str) -> str | None:
    """What is wrong with a target, or None: relative to `bank/`, a page, and inside."""
    parts = target.split("/")
    if target.startswith(("/", "~")) or ".." in parts or "." in parts or "" in parts:
        return f"target {target!r} must be a path relative to bank/, without `..`"
    if _FORBIDDEN.search(target):
        return f"target {target!r} has a character that file systems or Obsidian refuse"
    if not target.endswith(".md"):
        return f"target {target!r} must be a page that ends in .md"
    if len(parts) > _MAX_LEVELS or max(map(len, target.encode().split(b"/"))) > _MAX_NAME_BYTES:
        return f"target {target!r} is deeper than {_MAX_LEVELS} levels or has a name over {_MAX_NAME_BYTES} bytes"
    return _why_reserved(target)


def _why_reserved(target: str) -> str | None:
    if target.startswith(".") or "/." in target:
        return f"target {target!r} names a hidden file"
    if is_own(target):
        return f"target {target!r} is in bank/_meta/, where bankd keeps its own pages; name a page elsewhere"
    return None


_MOST = 0.5
"""More than this share of what was filed on a page stands where it is now."""


@dataclass(frozen=True)
class RenamedPages:
    """What the events say was filed on each page, and where it stands now."""

    ledger: Ledger
    pages_of: Callable[[Iterable[str]], Mapping[str, Sequence[str]]]
    """For each id that is held: the pages that hold it, from the workspace."""
    _found: dict[str, str] = field(default_factory=dict)

    def follow(self, destination: Destination) -> Destination:
        """The place of a memory whose page is not there, by that name: on the page that is it now, if any is."""
        page = self.name_now(destination.page)
        if page == destination.page:
            return destination
        return replace(destination, page=page, reason=f"{destination.reason}; {destination.page} is {page} now")

    def name_now(self, page: str) -> str:
        """The present name of a page that is not there any more; else its own name. Relative to `bank/`."""
        if page not in self._found:
            self._found[page] = self._recognise(page)
        return self._found[page]

    def _recognise(self, page: str) -> str:
        filed = self._filed.get(page, ())
        if is_own(page) or not filed:
            return page
        pages = Counter(held[0] for held in self.pages_of(filed).values() if held[0].startswith(BANK))
        here, count = next(iter(pages.most_common(1)), (BANK + page, 0))
        return here.removeprefix(BANK) if count > _MOST * len(filed) else page

    @cached_property
    def _filed(self) -> Mapping[str, Sequence[str]]:
        filed: defaultdict[str, list[str]] = defaultdict(list)
        for id_, event in self.ledger.consumed.items():
            if event["type"] == KEPT and id_ not in self.ledger.gone:
                filed[str(event.get("page"))].append(id_)
        return filed


_WORD = re.compile(r"[가-힣]+|[^\W_가-힣]+")
_MONTH = re.compile(r"(?<!\d)(\d{4}-\d{2})-\d{2}(?!\d)")
_TITLE_WEIGHT = 3  # a part's title says what belongs there, its text only what happens to be there
_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class PagePart:
    """What decides whether a memory fits a page: its headings, entities, months and terms; and the parts it has."""

    path: str
    headings: frozenset[str]
    entities: frozenset[str]
    months: frozenset[str]
    terms: Mapping[str, int]
    parts: tuple[str, ...] = ()


ViewPart = Callable[[str], PagePart | None]


def choose_part(memory: Memory, destination: Destination, view: ViewPart) -> Destination:
    """The place for a memory that a rule sends to a page: the page, or the part of it, or of that part, that fits best.

    A hub takes what fits no part: when enough of that has come together, it is split off again.
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
    return Destination(here.path.removeprefix(BANK), kept, f"{destination.reason}, in the part that fits")


def read_part(page: Page) -> PagePart:
    """Read off a page what decides."""
    texts = [entry.memory.text for entry in page.entries]
    terms = Counter(term for text in texts for term in terms_of(text))
    titles = [page.path.rpartition("/")[2].removesuffix(".md"), *(heading.title for heading in page.headings)]
    for title in titles:
        terms.update(terms_of(title) * _TITLE_WEIGHT)
    entities = {slug.casefold() for entry in page.entries for slug in entry.memory.entities}
    months = {found for text in [*texts, *titles] for found in _MONTH.findall(text)}
    headings = frozenset(obsidian_words(heading.title) for heading in page.headings)
    parts = tuple(part_lines(page.document, page.path).values())
    return PagePart(page.path, headings, frozenset(entities), frozenset(months), terms, parts)


def _with_parts(part: PagePart, view: ViewPart) -> PagePart:
    """A part that is a hub itself, with all that its own parts hold."""
    whole = part
    for path in part.parts:
        below = view(path)
        if below is not None and path.startswith(parts_folder(part.path) + "/"):
            below = _with_parts(below, view)
            terms = Counter(whole.terms) + Counter(below.terms)
            headings, entities = whole.headings | below.headings, whole.entities | below.entities
            whole = PagePart(part.path, headings, entities, whole.months | below.months, terms, part.parts)
    return whole


def best_part(memory: Memory, heading: str | None, parts: Sequence[PagePart]) -> str | None:
    """The part that fits best: by the rule's heading, then by entity, then by words; None when none does at all."""
    if heading is not None:
        named = [part for part in parts if obsidian_words(heading) in part.headings]
        if named:
            return named[0].path
    slugs = {slug.casefold() for slug in memory.entities}
    months = set(_MONTH.findall(memory.text))
    narrowed = [part for part in parts if slugs & part.entities] or [part for part in parts if months & part.months]
    scores = _scores(memory.text, parts)
    if narrowed:
        return max(narrowed, key=lambda part: scores[part.path]).path
    best = max(parts, key=lambda part: scores[part.path])
    return best.path if scores[best.path] > 0 else None


def terms_of(text: str) -> list[str]:
    """Character bigrams of Hangul and whole Latin words, folded."""
    terms: list[str] = []
    for word in _WORD.findall(text.casefold()):
        is_hangul = "가" <= word[0] <= "힣"
        terms += [word[n : n + 2] for n in range(len(word) - 1)] or [word] if is_hangul else [word]
    return terms


def _scores(text: str, parts: Sequence[PagePart]) -> dict[str, float]:
    frequency = Counter(term for part in parts for term in part.terms)
    lengths = {part.path: sum(part.terms.values()) for part in parts}
    average = sum(lengths.values()) / len(parts) or 1.0
    wanted = set(terms_of(text))

    def score(part: PagePart) -> float:
        total = 0.0
        for term in wanted & part.terms.keys():
            rarity = math.log(1 + (len(parts) - frequency[term] + 0.5) / (frequency[term] + 0.5))
            count = part.terms[term]
            total += rarity * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * lengths[part.path] / average))
        return total

    return {part.path: score(part) for part in parts}

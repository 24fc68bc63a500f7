"""Which part of a split page a memory belongs to: a rule names the hub, the memory goes where it fits best.

Measured on korquad2-routing-a (31 topics as parts): character bigrams and Latin words by BM25 place 80 of 104 items that
do not name their topic, and 115 of 116 that do; whole words only 66 and 97.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bankd.core.lifecycle.routing import Destination
from bankd.core.markdown.hubs import part_lines, parts_folder
from bankd.core.markdown.memory import Memory
from bankd.core.markdown.names import BANK
from bankd.core.markdown.pages import Page
from bankd.core.markdown.titles import obsidian_words

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

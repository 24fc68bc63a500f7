"""Pages in the order of an answer: each by what its memories say of the question together.

A page says in several paragraphs what a memory says in one, so that none of them matches as well as the whole.
"""

from collections.abc import Sequence
from itertools import islice

from bankd.core.ranking.ranked import Ranked

NEXT_SHARE = 0.1
"""What each further memory of a page adds, as a share of what the one before it could; chosen by `bankctl eval --pages`."""
SHOWN = 3
"""So many memories of a page are shown."""


def order_pages(ranked: Sequence[Ranked], most: int) -> list[Ranked]:
    """The best memories of the best pages, page by page; their part `page` is what the page scores."""
    pages: dict[str, list[Ranked]] = {}
    for one in sorted(ranked, key=lambda one: -one.parts["score"]):
        pages.setdefault(one.path, []).append(one)
    scores = {path: page_score([one.parts["score"] for one in found]) for path, found in pages.items()}
    best = islice(sorted(pages, key=lambda path: (-round(scores[path], 6), path)), most)
    return [one._replace(parts={**one.parts, "page": scores[path]}) for path in best for one in pages[path][:SHOWN]]


def page_score(scores: Sequence[float]) -> float:
    """What memories with these scores, the best first, say together."""
    return sum(score * NEXT_SHARE**place for place, score in enumerate(scores))

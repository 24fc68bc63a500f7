"""The story of what belongs to a memory, a page or a person: ties are looked for when somebody asks, in what is indexed.

    names | links out and in, containment, merged | superseded, contradicted | used together, same entity, rare words

Nothing of it is kept beside the index, so that a changed page costs what it costs the index.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from bankd.core.links.linking import keys_to
from bankd.core.links.mentions import read_mention
from bankd.core.links.points import block_named
from bankd.core.links.references import Reference
from bankd.core.links.resolve import resolve_reference
from bankd.core.markdown.names import BANK, Names
from bankd.core.ranking.query import Filters, FoundRow
from bankd.core.use.associations import Edge, Node, edge, is_rare, used_together
from bankd.core.use.policy import MOST_RESPONSES, SHARED_WORDS, Tie
from bankd.core.use.signals import UseSignals

if TYPE_CHECKING:
    from bankd.ports.searching import AssociatedIndex, StoredTie

    TiesOf: TypeAlias = Callable[[Collection[str]], Sequence[StoredTie]]


class Associations:
    """The ties in one state of an index, as long as it stays as it is."""

    def __init__(self, index: AssociatedIndex, ties_of: TiesOf, most: int) -> None:
        """Take the index, what runs found, and how many ties of a kind a node may have."""
        self._index, self._ties_of, self._most = index, ties_of, most
        self._known_names: Names | None = None

    @property
    def names(self) -> Names:
        """The pages that a link may lead to; a bank of 200,000 memories has some thousands."""
        if self._known_names is None:
            self._known_names = _names(self._index)
        return self._known_names

    def edges_of(self, node: Node) -> Iterator[Edge]:
        """The ties of a node; one of several to the same other may come before a stronger one."""
        if node.entity:
            yield from self._of_entity(node.entity)
        elif node.page:
            yield from self._of_page(node.page)
        else:
            for row in self._index.rows([node.row]):
                yield from self.of_memory(row)

    def signals_of(self, nodes: Sequence[Node]) -> Mapping[Node, UseSignals]:
        """What is known of the use of memories, and of the page whose memory was used most nothing."""
        rows = {row.id: Node(row.row) for row in self._index.rows([node.row for node in nodes if node.row]) if row.id}
        return {rows[id_]: signals for id_, signals in self._index.signals_of([*rows]).items()}

    def of_memory(self, row: FoundRow) -> Iterator[Edge]:
        """The ties of a memory."""
        path = self._path_of(row)
        yield from self.written(row)
        yield edge(Node(page=path), Tie.CONTAINED, _place(path, row))
        yield from self.inferred(row)
        for entity in row.entities:
            for number in self._index.find_within(None, Filters(entities=(entity,)), self._most):
                yield edge(Node(number), Tie.ENTITY, f"@{entity}")
        yield from self.by_rare_words(row.row)

    def written(self, row: FoundRow) -> Iterator[Edge]:
        """What somebody wrote, or a run: what a memory links to and was merged from, and what links to it or holds it now."""
        yield from self._outgoing(row)
        if row.id:
            for other in self._mentioning([f"^{row.id}"]):
                is_merged = any(read_mention(mention) == row.id for mention in other.mentions)
                yield self._edge_from(other, Tie.DERIVED if is_merged else Tie.LINK)

    def inferred(self, row: FoundRow) -> Iterator[Edge]:
        """What runs found, and what responses used together."""
        if not row.id:
            return
        ties = [(tie.other if tie.one == row.id else tie.one, tie) for tie in self._ties_of([row.id])]
        used = self._index.used_with(row.id, MOST_RESPONSES, self._most)
        numbers = self._index.with_ids([id_ for id_, _ in (*ties, *used)])
        for id_, tie in ties:
            if id_ in numbers:
                yield edge(Node(numbers[id_]), tie.tie, tie.source or f"{tie.other} says it newer")
        for id_, responses in used:
            if id_ in numbers:
                yield used_together(Node(numbers[id_]), responses)

    def by_rare_words(self, number: int) -> Iterator[Edge]:
        """The memories that share words with one which few others have, those that share most first."""
        own, of = self._words_of([number]).get(number, frozenset()), self._index.corpus.memories
        rare = {word for word in own if is_rare(self._index.frequency("terms", word), of)}
        if len(rare) < SHARED_WORDS:
            return
        found = self._words_of(self._index.find(dict.fromkeys(rare, 1.0), {}, Filters(), self._most))
        shared = {other: sorted(rare & words) for other, words in found.items() if other != number}
        for other in sorted(shared, key=lambda other: (-len(shared[other]), other)):
            if len(shared[other]) >= SHARED_WORDS:
                yield edge(Node(other), Tie.RARE_WORDS, f"both say {', '.join(shared[other][:5])}")

    def _words_of(self, numbers: Sequence[int]) -> dict[int, frozenset[str]]:
        candidates = self._index.candidates(numbers)
        return {one.row: frozenset(word for said in one.sentences for word in said) for one in candidates}

    def _of_page(self, path: str) -> Iterator[Edge]:
        """The memories of a page, what they link to, what links to it, and its hub or parts."""
        for row in self._index.rows(self._index.find_within(None, Filters(nodes=(path,)), self._most)):
            if not row.is_text and self._path_of(row) == path:
                yield edge(Node(row.row), Tie.CONTAINED, _place(path, row))
                yield from self._outgoing(row)
        for row in self._mentioning(sorted(keys_to(BANK + path))):
            if any(self._leads_to(link, row) == path for link in _links_of(row)):
                yield self._edge_from(row, Tie.LINK)
        yield from self._family_of(path)

    def _family_of(self, path: str) -> Iterator[Edge]:
        """The hub that a page is a part of, and its own parts."""
        stem = path.removesuffix(".md")
        hub = f"{path.rpartition('/')[0]}.md"
        for other in sorted(self._index.page_names()):
            if other == hub or (other.startswith(f"{stem}/") and "/" not in other.removeprefix(f"{stem}/")):
                part, whole = (path, other) if other == hub else (other, path)
                yield edge(Node(page=other), Tie.CONTAINED, f"{BANK}{part} is a part of {BANK}{whole}")

    def _of_entity(self, slug: str) -> Iterator[Edge]:
        """The page that is called so, and what is about it."""
        for name in self.names.named(f"{slug}.md"):
            yield edge(Node(page=name.removeprefix(BANK)), Tie.LINK, f"@{slug} is its name")
        for number in self._index.find_within(None, Filters(entities=(slug,)), self._most):
            yield edge(Node(number), Tie.ENTITY, f"@{slug}")

    def _outgoing(self, row: FoundRow) -> Iterator[Edge]:
        """What the words of a memory lead to."""
        source = _place(self._path_of(row), row) if row.mentions else ""
        for mention in row.mentions:
            named = read_mention(mention)
            if isinstance(named, str):
                yield from (edge(to, Tie.DERIVED, source) for to in self._memory(named))
            elif page := self._leads_to(named, row):
                block = block_named(named)
                yield edge(next(iter(self._memory(block)), Node(page=page)), Tie.LINK, source)

    def _leads_to(self, link: Reference, row: FoundRow) -> str | None:
        """The page of the bank that a link leads to."""
        target = resolve_reference(link, BANK + self._path_of(row), self.names)
        is_page = target is not None and target.path.startswith(BANK) and not target.is_folder
        return target.path.removeprefix(BANK) if target and is_page else None

    def _memory(self, id_: str) -> Iterable[Node]:
        return [Node(number) for number in self._index.with_ids([id_]).values()] if id_ else []

    def _mentioning(self, words: Sequence[str]) -> Sequence[FoundRow]:
        return self._index.rows(self._index.mentioning(words, self._most))

    def _edge_from(self, row: FoundRow, tie: Tie) -> Edge:
        return edge(Node(row.row), tie, _place(self._path_of(row), row))

    def _path_of(self, row: FoundRow) -> str:
        return self._index.paths([row.page]).get(row.page, "")


def find_start(asked: str, index: AssociatedIndex) -> Node | None:
    """The memory, page or entity that somebody names: an id, a path from `bank/` on or within it, or `@Slug`."""
    if asked.startswith("@"):
        slug = asked[1:]
        is_known = slug and (index.find_within(None, Filters(entities=(slug,)), 1) or _names(index).named(f"{slug}.md"))
        return Node(entity=slug) if is_known else None
    if numbers := index.with_ids([asked.removeprefix("^")]):
        return Node(next(iter(numbers.values())))
    names, wanted = _names(index), BANK + asked.removeprefix(BANK)
    page = names.file(wanted) or names.file(f"{wanted}.md")
    return Node(page=page.removeprefix(BANK)) if page else None


def _names(index: AssociatedIndex) -> Names:
    return Names(BANK + path for path in index.page_names())


def _links_of(row: FoundRow) -> Iterator[Reference]:
    return (named for mention in row.mentions if isinstance(named := read_mention(mention), Reference))


def _place(path: str, row: FoundRow) -> str:
    return f"{BANK}{path}:{row.line}"

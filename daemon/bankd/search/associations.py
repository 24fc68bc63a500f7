"""The story of what belongs to a memory, a page or a person: ties are looked for when somebody asks, in what is indexed.

    links out and in, containment, merged | superseded, contradicted | used together, same person, rare words

Nothing of it is kept beside the index, so that a changed page costs what it costs the index.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from bankd.core.markdown.names import BANK
from bankd.core.ranking.query import Filters, FoundRow
from bankd.core.use.associations import Edge, Node, Tie, edge, is_rare, used_together
from bankd.core.use.policy import MOST_RESPONSES, SHARED_WORDS

if TYPE_CHECKING:
    from bankd.core.use.associations import StoredTie
    from bankd.core.use.signals import UseSignals
    from bankd.ports.searching import AssociatedIndex

    TiesOf: TypeAlias = Callable[[Collection[str]], Sequence[StoredTie]]

MERGED_MARK = "also "
"""How a mention of a memory begins that was merged: `core.links.mentions`, which is read only where there is a link."""


class Placed(NamedTuple):
    """A memory where it stands: its page relative to the bank and 1-based line, its id, and what it mentions."""

    page: str
    line: int
    id: str | None
    mentions: Sequence[str]

    @property
    def place(self) -> str:
        """Where it stands, as editors open it."""
        return f"{BANK}{self.page}:{self.line}"


class Associations:
    """The ties in one state of an index, as long as it stays as it is."""

    def __init__(self, index: AssociatedIndex, ties_of: TiesOf, most: int) -> None:
        """Take the index, what runs found, and how many ties of a kind a node may have."""
        self._index, self._ties_of, self._most = index, ties_of, most
        self._rows: dict[int, FoundRow] = {}
        self._paths: dict[int, str] = {}

    def rows(self, numbers: Iterable[int]) -> list[FoundRow]:
        """What is shown of memories, each fetched once; those that are gone are left out."""
        asked = list(numbers)
        if missing := [number for number in asked if number not in self._rows]:
            self._rows |= {row.row: row for row in self._index.rows(missing)}
        return [self._rows[number] for number in asked if number in self._rows]

    def placed(self, row: FoundRow) -> Placed:
        """A memory where it stands."""
        if row.page not in self._paths:
            self._paths |= self._index.paths(
                {one.page for one in self._rows.values()} - self._paths.keys() | {row.page}
            )
        return Placed(self._paths.get(row.page, ""), row.line, row.id, row.mentions)

    def find_start(self, asked: str) -> Node | None:
        """The memory, page or person that somebody names: an id, a path from `bank/` on or within it, or `@Slug`."""
        if asked.startswith("@"):
            slug = asked[1:]
            is_known = self._index.find_within(None, Filters(entities=(slug,)), 1) or self._index.names.named(
                f"{slug}.md"
            )
            return Node(entity=slug) if slug and is_known else None
        if numbers := self._index.with_ids([asked.removeprefix("^")]):
            return Node(next(iter(numbers.values())))
        wanted = BANK + asked.removeprefix(BANK)
        page = self._index.names.file(wanted) or self._index.names.file(f"{wanted}.md")
        return Node(page=page.removeprefix(BANK)) if page else None

    def edges_of(self, node: Node) -> Iterator[Edge]:
        """The ties of a node; one of several to the same other may come before a stronger one."""
        if node.entity:
            yield from self._of_entity(node.entity)
        elif node.page:
            yield from self._of_page(node.page)
        else:
            for row in self.rows([node.row]):
                yield from self._of_memory(row)

    def signals_of(self, nodes: Sequence[Node]) -> Mapping[Node, UseSignals]:
        """What is known of the use of memories; pages are not used."""
        rows = {row.id: Node(row.row) for row in self.rows(node.row for node in nodes if node.row) if row.id}
        return {rows[id_]: signals for id_, signals in self._index.signals_of([*rows]).items()}

    def beside(self, memories: Sequence[Placed]) -> Iterator[Edge]:
        """The ties of answers that somebody wrote, a run found or responses made; looking for words would cost another search."""
        for memory in memories:
            yield from self._outgoing(memory)
        if ids := [memory.id for memory in memories if memory.id]:
            yield from self._incoming(ids)
            yield from self._found(ids)

    def _of_memory(self, row: FoundRow) -> Iterator[Edge]:
        memory = self.placed(row)
        yield edge(Node(page=memory.page), Tie.CONTAINED, memory.place)
        yield from self.beside([memory])
        yield from self.by_rare_words(row.row)
        for entity in row.entities:
            for number in self._index.find_within(None, Filters(entities=(entity,)), self._most):
                yield edge(Node(number), Tie.ENTITY, f"@{entity}")

    def _incoming(self, ids: Sequence[str]) -> Iterator[Edge]:
        """What links to memories, or holds them now."""
        asked = sorted(f"^{id_}" for id_ in ids)
        for other in self._mentioning(asked):
            is_merged = any(
                f"^{one.removeprefix(MERGED_MARK)}" in asked for one in other.mentions if one.startswith(MERGED_MARK)
            )
            yield edge(Node(other.row), Tie.DERIVED if is_merged else Tie.LINK, self.placed(other).place)

    def _found(self, ids: Sequence[str]) -> Iterator[Edge]:
        """What runs found of memories, and what responses used together with them."""
        ties = [(tie.other if tie.one in ids else tie.one, tie) for tie in self._ties_of(ids)]
        used = self._index.used_with(ids, MOST_RESPONSES, self._most)
        numbers = self._index.with_ids([id_ for id_, _ in (*ties, *used)]) if ties or used else {}
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
        from bankd.core.links.linking import keys_to  # noqa: PLC0415 -- see below

        for row in self.rows(self._index.find_within(None, Filters(nodes=(path,)), self._most)):
            memory = self.placed(row)
            if not row.is_text and memory.page == path:
                yield edge(Node(row.row), Tie.CONTAINED, memory.place)
                yield from self._outgoing(memory)
        for row in self._mentioning(sorted(keys_to(BANK + path))):
            memory = self.placed(row)
            if any(self._led_to(mention, memory.page) == path for mention in row.mentions):
                yield edge(Node(row.row), Tie.LINK, memory.place)
        yield from self._family_of(path)

    def _family_of(self, path: str) -> Iterator[Edge]:
        """The hub that a page is a part of, and its own parts."""
        stem, hub = path.removesuffix(".md"), f"{path.rpartition('/')[0]}.md"
        for other in sorted(path.removeprefix(BANK) for path in self._index.names.paths()):
            if other == hub or (other.startswith(f"{stem}/") and "/" not in other.removeprefix(f"{stem}/")):
                part, whole = (path, other) if other == hub else (other, path)
                yield edge(Node(page=other), Tie.CONTAINED, f"{BANK}{part} is a part of {BANK}{whole}")

    def _of_entity(self, slug: str) -> Iterator[Edge]:
        """The page that is called so, and what is about it."""
        for page in self._index.names.named(f"{slug}.md"):
            yield edge(Node(page=page.removeprefix(BANK)), Tie.LINK, f"@{slug} is its name")
        for number in self._index.find_within(None, Filters(entities=(slug,)), self._most):
            yield edge(Node(number), Tie.ENTITY, f"@{slug}")

    def _outgoing(self, memory: Placed) -> Iterator[Edge]:
        """What a memory names: a memory if it names one that is there, else the page."""
        if not memory.mentions:
            return
        from bankd.core.links.mentions import ids_named  # noqa: PLC0415 -- most answers have no link

        ids = ids_named(memory.mentions)
        numbers = self._index.with_ids([id_ for id_ in ids if id_])
        for mention, id_ in zip(memory.mentions, ids, strict=True):
            if id_ in numbers:
                tie = Tie.DERIVED if mention.startswith(MERGED_MARK) else Tie.LINK
                yield edge(Node(numbers[id_]), tie, memory.place)
            elif page := self._led_to(mention, memory.page):
                yield edge(Node(page=page), Tie.LINK, memory.place)

    def _led_to(self, mention: str, path: str) -> str | None:
        """The page of the bank that a link on a page leads to; None for a memory that was merged."""
        from bankd.core.links.mentions import read_mention  # noqa: PLC0415 -- most answers have no link
        from bankd.core.links.resolve import resolve_reference  # noqa: PLC0415 -- same

        link = read_mention(mention)
        target = None if isinstance(link, str) else resolve_reference(link, BANK + path, self._index.names)
        if target is None or target.is_folder or not target.path.startswith(BANK):
            return None
        return target.path.removeprefix(BANK)

    def _mentioning(self, words: Sequence[str]) -> Sequence[FoundRow]:
        return self.rows(self._index.mentioning(words, self._most))

"""Links to what a change moves from page to page: to where it stands afterwards, or to the memory that says it now.

A link is kept to the point it names: what every reference led to before a change is compared with what it leads to
after it, and what would be dead follows its block, in the style in which it was written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bankd.core.edits.operations import Move, Relink
from bankd.core.links.linking import Link, Stray
from bankd.core.links.points import LinkScene, Reach, place_in
from bankd.core.links.relink import HEADING_ROUNDS, Edit, Source, edit_line, fragment_of
from bankd.core.links.render import encode_fragment, render_path
from bankd.core.links.resolve import Base, Target, split_target
from bankd.core.links.restyle import TargetChange, choose_style
from bankd.core.markdown.anchors import Form, Outline, fragment_for, outline_of
from bankd.core.markdown.names import ARCHIVE
from bankd.core.markdown.scanner import scan_text
from bankd.core.pages.rearrange import reference_name


@dataclass(frozen=True, slots=True)
class Followed:
    """A reference with its new target, the page and block that this leads to, and the block that it named before.

    It `is_alone` unless its file has the new target already.
    """

    link: Link
    target: str
    page: str
    block: str
    was: str
    is_alone: bool = True

    @property
    def record(self) -> tuple[str, str, str]:
        """Where it stands, how it was written and how it is now: what it takes to write it as before."""
        return self.link.source, reference_name(self.link.reference), self.target


@dataclass(frozen=True, slots=True)
class Following:
    """What becomes of the links that a change would break: those that follow, and those that nothing can be done for."""

    followed: tuple[Followed, ...] = ()
    dangling: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Moving:
    """What is known of a change: the files before and after it, the pages that may have got a block, and the heirs.

    An heir is a memory that stands for another. `written` says for some references how they were written once.
    """

    before: LinkScene
    after: LinkScene
    pages: Sequence[str]
    heirs: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[tuple[str, str], str] = field(default_factory=dict)


def loses_places(before: Outline | None, after: Outline | None) -> bool:
    """Whether a page has lost a place that a link could name, or may have given its name to another."""
    if before is None or after is None:
        return before is not after
    kept = before.blocks.keys() <= after.blocks.keys() and before.ids.keys() <= after.ids.keys()
    names = [(spot.anchor, spot.words, spot.level) for spot in after.spots]
    return not kept or names[: len(before.spots)] != [(spot.anchor, spot.words, spot.level) for spot in before.spots]


def find_dead(links: Iterable[Link], before: LinkScene, after: LinkScene) -> list[Link]:
    """The references that lead less far than they did."""
    return [link for link in links if after.reach(link) < before.reach(link)]


def follow_blocks(links: Collection[Link], moving: Moving) -> Following:
    """Find what the dead among these links lead to now, and those that can be written as they were once."""
    dead = find_dead(links, moving.before, moving.after)
    found = {link: _follow(link, moving) for link in dead}
    back = (link for link in links if link not in found and _once(link, moving) is not None)
    returned = (_written_once(link, moving) for link in back)
    followed = [item for item in (*found.values(), *returned) if item]
    return Following(tuple(followed), tuple(link for link, item in found.items() if not item))


def heal_strays(strays: Iterable[Stray], now: LinkScene) -> tuple[Followed, ...]:
    """Let links follow the blocks that the user has moved to one other page."""
    moved = [(stray, stray.holders[0]) for stray in strays if len(stray.holders) == 1]
    before = LinkScene(now.names.changed((), [stray.page for stray, _ in moved]), now.outline_of)
    moving = Moving(before, now, ())
    return tuple(found for stray, page in moved if (found := _heal(stray, page, moving)))


def follow_headings(
    followed: Iterable[Followed],
    now: LinkScene,
    read: Callable[[str], Source],
    links_into: Callable[[Collection[str]], Sequence[Link]],
) -> tuple[Followed, ...]:
    """The same links, and those to headings in which one of them stands: a rewritten target renames its heading.

    A link to such a heading goes with the link in it. `now` is the scene before the change; `read` gives a file of it.
    """
    found = {item.link: item for item in followed}
    given, pages = found.copy(), {link.source for link in found}
    for _ in range(HEADING_ROUNDS):
        more: dict[Link, Followed] = {}
        for page in sorted(page for page in pages if page.endswith(".md")):
            inside = [item for link, item in found.items() if link.source == page]
            more |= {item.link: item for item in _to_headings(inside, read(page), now, links_into([page]))}
        more = {link: item for link, item in more.items() if link not in given and found.get(link) != item}
        if not more:
            break
        found |= more
        pages = {link.source for link in more}
    return tuple(found.values())


def _to_headings(
    inside: Sequence[Followed], source: Source, now: LinkScene, links: Iterable[Link]
) -> Iterator[Followed]:
    """The links to headings of a page, as they have to be written once the links `inside` it are."""
    lines = list(source.lines)
    for number in {item.link.reference.line for item in inside}:
        here = (edit_of(item) for item in inside if item.link.reference.line == number)
        lines[number] = edit_line(lines[number], here)
    before, after = (outline_of(scan_text("".join(text))) for text in (source.lines, lines))
    if before.spots == after.spots:
        return
    for link in links:
        target = now.target(link)
        place = place_in(before, link.reference, target) if target else None
        if target is None or place is None:
            continue
        old, rest = fragment_of(link.reference, target, before)
        new = fragment_for(after, place, old)
        if new is not None and new != old:
            cause = next((item for item in inside if item.link.reference.line == place.line), inside[0])
            path = split_target(link.reference.target)[0]
            yield replace(cause, link=link, target=f"{path}#{encode_fragment(link.reference, new)}{rest}")


def _heal(stray: Stray, page: str, moving: Moving) -> Followed | None:
    old = moving.before.target(stray.link)
    if old is None:
        return None
    goal = Followed(stray.link, "", page, stray.block, stray.block)
    candidates = _rewritten(stray.link, old, split_target(stray.link.reference.target)[1], goal, moving)
    return next(
        (item for item in candidates if moving.after.reach(_with_target(item.link, item.target)) is Reach.POINT), None
    )


def _follow(link: Link, moving: Moving) -> Followed | None:
    old = moving.before.target(link)
    if old is None:
        return None
    candidates = (_written_once(link, moving), *_written_now(link, old, moving))
    return next((item for item in candidates if item and _leads_as_far(item, moving)), None)


def _once(link: Link, moving: Moving) -> str | None:
    return moving.written.get((link.source, reference_name(link.reference)))


def _written_once(link: Link, moving: Moving) -> Followed | None:
    """The words that a reference had before its block went away, if they lead to it again."""
    words = _once(link, moving)
    old = _with_target(link, words) if words else link
    target, was = moving.after.target(old), _block_of(link, moving.before)
    block = _block_of(old, moving.after)
    return Followed(link, words, target.path, block, was) if words and target and block else None


def _written_now(link: Link, old: Target, moving: Moving) -> Iterator[Followed]:
    """A reference for its own page, which may have lost its short name, then for every page that has its block."""
    _, raw = split_target(link.reference.target)
    was = _block_of(link, moving.before)
    if old.path in moving.after.names:
        yield from _rewritten(link, old, raw, Followed(link, "", old.path, was, was), moving)
    block = moving.heirs.get(was, was)
    shown = raw if block == was else f"^{block}{_rest(link, old, moving.before)}"
    for page in _holders(block, moving):
        yield from _rewritten(link, old, shown, Followed(link, "", page, block, was), moving)


def _rewritten(link: Link, old: Target, fragment: str | None, goal: Followed, moving: Moving) -> Iterator[Followed]:
    """The target of a reference in its style; one that comes back from the archive is as short as it can be."""
    new = replace(old, path=goal.page)
    style = choose_style(link.reference, TargetChange(old, new, link.source, link.source), is_inside=False)
    if style.base is Base.NAME and old.path.startswith(ARCHIVE):
        style = replace(style, segments=1)
    path = render_path(link.reference, replace(new, style=style), link.source, moving.after.names)
    if path is not None:
        yield replace(goal, target=path if fragment is None else f"{path}#{fragment}")


def _holders(block: str, moving: Moving) -> list[str]:
    """The pages that have a block after the change: those of the bank first, and of them those that had it not before."""
    outlines = {page: moving.after.outline_of(page) for page in moving.pages if page in moving.after.names}
    found = [page for page, outline in outlines.items() if outline and block in outline.blocks]
    return sorted(found, key=lambda page: (page.startswith(ARCHIVE), _had(page, block, moving.before), page))


def _had(page: str, block: str, before: LinkScene) -> bool:
    outline = before.outline_of(page) if page in before.names else None
    return outline is not None and block in outline.blocks


def _block_of(link: Link, scene: LinkScene) -> str:
    """The id of the block that a reference names; empty for anything else."""
    target = scene.target(link)
    outline = scene.outline_of(target.path) if target and target.fragment else None
    place = place_in(outline, link.reference, target) if outline and target else None
    if target is None or outline is None or place is None or place.form is not Form.BLOCK:
        return ""
    return fragment_of(link.reference, target, outline)[0].removeprefix("^").strip().lower()


def _rest(link: Link, old: Target, before: LinkScene) -> str:
    """What follows the fragment of a bare path: a Korean particle."""
    outline = before.outline_of(old.path)
    return fragment_of(link.reference, old, outline)[1] if outline else ""


def _with_target(link: Link, target: str) -> Link:
    return replace(link, reference=replace(link.reference, target=target))


def _leads_as_far(item: Followed, moving: Moving) -> bool:
    link = _with_target(item.link, item.target)
    target = moving.after.target(link)
    is_there = target is not None and target.path == item.page
    return is_there and moving.after.reach(link) >= moving.before.reach(item.link)


def edit_of(followed: Followed) -> Edit:
    """The same in the form of other changes of references."""
    link = followed.link
    return Edit(link.source, link.source, link.reference, followed.target, followed.page)


def relink_operations(followed: Iterable[Followed]) -> tuple[Relink, ...]:
    """The operations that let links follow, one a page; each is rewritten only if the block is where it was seen."""
    grouped: dict[str, dict[str, Move]] = {}
    for item in followed:
        key, was = (block if block.startswith("m-") else "" for block in (item.block, item.was))
        move = Move(reference_name(item.link.reference), item.target, item.page, key, was)
        grouped.setdefault(item.link.source, {})[move.old] = move
    return tuple(Relink(path, tuple(moves.values())) for path, moves in sorted(grouped.items()))

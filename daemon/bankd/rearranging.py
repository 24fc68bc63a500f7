"""The chapter of a reflect run in which pages change: links follow what was moved by hand, large pages are divided."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bankd.core.markdown.names import is_outside
from bankd.core.markdown.policy import Settings
from bankd.core.markdown.scanner import decode_text
from bankd.core.pages.block_links import follow_headings, heal_strays
from bankd.core.pages.rearrange import Bank, heal_links, is_splittable, split_large
from bankd.core.pages.split import Limits, is_own_page
from bankd.core.plan.check import foresee_pages
from bankd.core.plan.decisions import Deferred
from bankd.core.plan.plan import Plan
from bankd.ports.bank import Graph, MemoryCatalog


def heal_outside_moves(plan: Plan, graph: Graph, settings: Settings) -> Plan:
    """Let links follow what the user has moved, if the settings say so."""
    if settings.links.heal != "apply":
        return plan
    moves = graph.moved()
    healed = heal_strays((stray for stray in graph.strays() if stray.page not in moves), graph.scene)
    healed = follow_headings(healed, graph.scene, graph.read, graph.links_into)
    plan = plan.with_(followed=(*plan.followed, *healed))
    if not moves:
        return plan
    sources = {old: graph.read(new) for old, new in moves.items()}
    others = graph.sizes().keys() - set(moves.values())
    healing = heal_links(moves, sources, graph.names, graph.sources_for, others)
    left = (
        Deferred(moves[old], f"links do not follow from {old}: {why}", needs_person=True)
        for old, why in healing.left.items()
    )
    return plan.with_(rearranged=healing if healing.operations else None, deferred=(*plan.deferred, *left))


def split_pages(
    plan: Plan,
    unread_pages: Sequence[Deferred],
    catalog: MemoryCatalog,
    graph: Graph,
    settings: Settings,
    find_faults: Callable[[Plan], Sequence[str]],
) -> Plan:
    """Divide the pages that have grown too large, as this run leaves them; every link follows in the same plan.

    A page with which the plan would have a fault is left alone and named; the others are divided all the same.
    """
    if plan.rearranged:  # links follow one rearrangement a run: the pages are split in the next
        return plan
    limits = Limits.of(settings.split)
    touched = {operation.path for operation in plan.operations if not is_outside(operation.path)}
    before = {path: data for path in touched if (data := catalog.read(path)) is not None}
    pages = foresee_pages(plan.transaction, before)
    large = (path for path, size in graph.sizes().items() if size >= limits.split and path not in pages)
    pages |= {path: data for path in large if (data := catalog.read(path)) is not None}
    closed = {item.what for item in unread_pages} | set(graph.moved().values())  # links find these first
    closed |= {item.link.source for item in plan.followed}

    def may_split(path: str) -> bool:
        data = pages[path] if path in pages else catalog.read(path) or b""
        return is_splittable(path) and path not in closed and _is_ours(path, data, limits, settings)

    bank = Bank(graph.names, graph.is_name_taken, may_split, graph.sources_for)
    rearranged = split_large(
        {path: decode_text(data) for path, data in pages.items()},
        limits,
        bank,
        lambda found: find_faults(plan.with_(rearranged=found)),
    )
    left = rearranged.left if rearranged else {}
    named = (Deferred(path, f"is not split: {why}", needs_person=True) for path, why in left.items())
    return plan.with_(rearranged=rearranged, deferred=(*plan.deferred, *named))


def _is_ours(path: str, data: bytes, limits: Limits, settings: Settings) -> bool:
    """Whether the settings let a page of this size be split unasked."""
    return len(data) >= limits.warn and (settings.split.pages == "all" or is_own_page(path, data))


def note_sizes(plan: Plan, catalog: MemoryCatalog, graph: Graph, settings: Settings) -> list[str]:
    """The pages that come near the size at which they are split, and those that are over it and cannot be."""
    limits, sizes = Limits.of(settings.split), graph.sizes()
    seamless = plan.rearranged.seamless if plan.rearranged else ()
    large = [path for path, size in sorted(sizes.items()) if limits.warn <= size < limits.split and is_splittable(path)]
    large = [path for path in large if _is_ours(path, catalog.read(path) or b"", limits, settings)]
    at = f"{limits.split / 1024:g} KiB"
    return [f"{path} is over {at} and has no seam to split it at" for path in seamless] + [
        f"{path} has {sizes[path] / 1024:.1f} KiB; at {at} it is split" for path in large
    ]

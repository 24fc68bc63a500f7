"""A page or folder under another name: the layout of a move, and the recognition of one that the user has made."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from bankd.core.edits.layout import Home, Layout, LayoutPiece, NewPage

_MOST = 0.5  # more than this share of a page's memories makes a new page the old one


def plan_move(moves: Mapping[str, str], line_counts: Mapping[str, int], folder: tuple[str, str] | None) -> Layout:
    """Lay pages out under new paths, whole; `folder` is (old, new) when a whole folder goes."""
    new_pages = tuple(NewPage(new, (LayoutPiece(old, 0, line_counts[old]),)) for old, new in moves.items())
    homes = {old: Home(new) for old, new in moves.items()}
    return Layout(new_pages, tuple(moves), homes, dict([folder] if folder else []), is_move=True)


@dataclass(frozen=True, slots=True)
class PageIdentity:
    """What a page is recognised by: the digest of its bytes, and the ids of its memories."""

    digest: str
    ids: frozenset[str]


def moved_by_hand(gone: Mapping[str, PageIdentity], new: Mapping[str, PageIdentity]) -> dict[str, str]:
    """Which pages that are gone stand under another path now: by the same bytes, else by most of their memories.

    Where two could be meant, neither is; a page of the same name counts more than others.
    """
    found: dict[str, str] = {}
    for old, print_ in sorted(gone.items()):
        rest = {path: other for path, other in new.items() if path not in found.values()}
        same = [path for path, other in rest.items() if other.digest == print_.digest]
        alike = same or [path for path, other in rest.items() if _share(print_.ids, other.ids) > _MOST]
        named = [path for path in alike if path.rpartition("/")[2] == old.rpartition("/")[2]]
        chosen = alike if len(alike) == 1 else named
        if len(chosen) == 1:
            found[old] = chosen[0]
    return found


def folders_moved(moves: Mapping[str, str], still_there: Collection[str]) -> dict[str, str]:
    """The folders that went as a whole: every page of them moved to the same place, and nothing is left."""
    found: dict[str, str] = {}
    for old, new in moves.items():
        there, here = old.split("/"), new.split("/")
        while there and here and there[-1] == here[-1]:
            there.pop()
            here.pop()
        before, after = "/".join(there), "/".join(here)
        is_whole = all(
            moves[path] == after + path[len(before) :] for path in moves if path.startswith(before + "/")
        ) and not any(path.startswith(before + "/") for path in still_there)
        if before and after and before != old and is_whole:
            found[before] = after
    return found


def _share(old: frozenset[str], new: frozenset[str]) -> float:
    return len(old & new) / len(old) if old else 0.0

"""A plan without the pages that cannot be written: what is for them waits, everything else goes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Protocol, TypeVar

from bankd.core.daemon.settle import is_just_saved
from bankd.core.edits.operations import Operation
from bankd.core.plan.decisions import Deferred, Placement
from bankd.core.plan.plan import Plan


class _Planned(Protocol):
    @property
    def operations(self) -> tuple[Operation, ...]: ...


_WAITS = "waits for "
_P = TypeVar("_P", bound=_Planned)


def leave_out(plan: Plan, closed: Mapping[str, str]) -> Plan:
    """The plan without what touches these pages (reasons by path); they are named, and lines for them wait."""
    if not closed:
        return plan
    shut = closed.keys()
    homeless = {p.line.id for p in plan.placements if f"bank/{p.destination.page}" in shut}
    rearranged = plan.rearranged
    if rearranged and any(operation.path in shut for operation in rearranged.operations):
        rearranged = None
    stuck = {item.was for item in plan.followed if item.link.source in shut}  # links to them could not follow
    plan = _put_off_revised(put_off(plan, homeless), shut).without(stuck)
    plan = plan.with_(
        followed=tuple(item for item in plan.followed if item.was not in stuck),
        undated=tuple(item for item in plan.undated if item.page not in shut),
        confirmed=tuple(item for item in plan.confirmed if item.page not in shut),
        named=tuple(item for item in plan.named if item.page not in shut),
        archived=_open(plan.archived, shut),
        merged=_open(plan.merged, shut),
        restored=_open(plan.restored, shut),
        rearranged=rearranged,
    )
    named = {item.what for item in plan.deferred}
    pages = (Deferred(path, why, needs_person=True) for path, why in sorted(closed.items()) if path not in named)
    return plan.with_(deferred=(*plan.deferred, *pages))


def put_off(plan: Plan, homeless: Set[str]) -> Plan:
    """The plan without new memories (by their ids) that have no place now, and without what was said because of them."""
    gone = [p for p in plan.placements if p.line.id in homeless]
    twins = [b for b in plan.blocked if b.twin in homeless]
    waiting = [wait_for_page(p) for p in gone]
    waiting += [Deferred(str(b.line.place), "says what a line says that waits") for b in twins]
    return plan.with_(
        placements=tuple(p for p in plan.placements if p not in gone),
        blocked=tuple(b for b in plan.blocked if b not in twins),
        updates=tuple(u for u in plan.updates if u.line.id not in homeless),
        deferred=(*plan.deferred, *waiting),
    )


def _put_off_revised(plan: Plan, shut: Set[str]) -> Plan:
    """The plan without the memories on these pages that would follow their edited lines."""
    waiting = [Deferred(str(r.line.place), f"{_WAITS}{r.page}") for r in plan.revised if r.page in shut]
    open_ = tuple(r for r in plan.revised if r.page not in shut)
    return plan.with_(revised=open_, deferred=(*plan.deferred, *waiting))


def wait_for_page(placement: Placement) -> Deferred:
    """What is said of a line whose page cannot be written now."""
    return Deferred(str(placement.line.place), f"{_WAITS}bank/{placement.destination.page}")


def awaits_rest(deferred: Iterable[Deferred]) -> bool:
    """Whether lines wait for nothing but a log or page that was saved a moment ago; all else waits for a change."""
    deferred = tuple(deferred)
    young = {item.what for item in deferred if is_just_saved(item.reason)}
    return any(
        item.what.startswith("memory/") if item.what in young else item.reason.removeprefix(_WAITS) in young
        for item in deferred
    )


def _open(items: Iterable[_P], shut: Set[str]) -> tuple[_P, ...]:
    return tuple(item for item in items if not any(operation.path in shut for operation in item.operations))

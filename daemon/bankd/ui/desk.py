"""The desk: what waits for a person, card by card, each with the decisions that there are, one key a decision.

A decision of a person: the same call as that of its command, and the run that can be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from bankd.app.archive import forecast_fading, restore_memories
from bankd.app.review import (
    ConflictSide,
    accept_line,
    allow_line,
    archive_memories,
    consolidate_bank,
    decline_promotion,
    dismiss_line,
    keep_both,
    keep_near,
    list_conflicts,
    list_inbox,
    list_near,
    list_promotable,
    pin_memory,
    place_memory,
    promote_memory,
)
from bankd.app.show import set_importance
from bankd.app.undo import Undo
from bankd.app.workspace import Workspace
from bankd.errors import UsageError
from bankd.memory.plan import HeldBack
from bankd.pages.memory import split_id
from bankd.pages.page import MARKER
from bankd.ui.memories import source_lines
from bankd.ui.views import Address, Shown
from bankd.wiring.banks import OpenBank
from bankd.wiring.runner import forget_handed_over, import_sources, sources_at

DAYS = 30
"""Days within which an opinion on the desk falls below the floor."""
_MOST = 40
"""Cards of a kind that are shown; the heading says how many there are."""
_SOURCE = re.compile(r"<!-- source: (?P<place>memory/.+?:[\d,]+) -->")


class CardLine(NamedTuple):
    """A line of a card: where it stands, what it says, and its id, if it has one."""

    place: str
    text: str
    id: str = ""


class Choice(NamedTuple):
    """A decision: its key, what it does, what the button says, and what the form sends with it."""

    key: str
    do: str
    label: str
    fields: Mapping[str, str]
    asks: str = ""
    """The name of a field that has to be typed; empty for none."""


class Card(NamedTuple):
    """Something that waits: its lines, why, the lines of a log that it rests on, and the choices."""

    lines: Sequence[CardLine]
    reason: str
    choices: Sequence[Choice]
    source: Sequence[tuple[int, str, bool]] = ()
    source_place: str = ""


class Pile(NamedTuple):
    """The cards of a kind."""

    title: str
    cards: Sequence[Card]
    size: int


def show_desk(bank: OpenBank, _asked: Address) -> Shown:
    """Every pile that has cards."""
    with bank.look() as workspace:
        pages = sorted(path.removeprefix("bank/") for path in workspace.files.survey("bank", workspace.now, 0).files)
        piles = [Pile(title, found[:_MOST], len(found)) for title, found in _piles(bank, workspace) if found]
        prose = workspace.logs.prose()
    return Shown("desk.html", {"piles": piles, "pages": pages, "prose": prose})


def _piles(bank: OpenBank, workspace: Workspace) -> Iterator[tuple[str, list[Card]]]:
    yield "Lines that no rule places", list(_inbox(workspace))
    held = workspace.logs.held_back()
    yield "Proposed by a model or a rule", [_proposed(bank, item) for item in held if item.is_offered]
    yield "Contradictions", list(_conflicts(workspace))
    yield "Nearly the same", list(_near(workspace))
    yield "Lived, and used again and again", list(_lived(workspace))
    yield "Fading", list(_fading(workspace))
    yield "Lines that were not taken in", [_held(item) for item in held if not item.is_offered]
    yield "Imports to confirm", list(_imports(workspace))


def _said(text: str) -> str:
    return split_id(MARKER.sub("", text))[0]


def _inbox(workspace: Workspace) -> Iterator[Card]:
    for item in list_inbox(workspace):
        line = CardLine(f"bank/_meta/inbox.md:{item.line}", _said(item.text), item.id)
        place = Choice("p", "place", "Place", {"id": item.id}, asks="page")
        away = Choice("a", "archive", "Archive", {"id": item.id})
        yield Card([line], item.source, [place, away])


def _proposed(bank: OpenBank, item: HeldBack) -> Card:
    """A proposal beside the lines that it rests on, which the end of its line names."""
    written = next((text for _, text, is_meant in source_lines(bank, str(item.place)) if is_meant), "")
    found = _SOURCE.search(written)
    place, sent = found["place"] if found else "", {"place": str(item.place)}
    choices = [Choice("y", "accept", "Accept", sent), Choice("n", "dismiss", "Dismiss", sent)]
    line = CardLine(str(item.place), item.text)
    return Card([line], item.reason, choices, list(source_lines(bank, place)), place)


def _conflicts(workspace: Workspace) -> Iterator[Card]:
    for pair in list_conflicts(workspace):
        older, newer = pair.older.id, pair.newer.id
        choices = [
            Choice("o", "archive", "Archive the older", {"id": older}),
            Choice("n", "archive", "Archive the newer", {"id": newer}),
            Choice("b", "both", "Both hold", {"id": older, "other": newer}),
        ]
        yield Card([_side(pair.newer), _side(pair.older)], pair.reason, choices)


def _side(side: ConflictSide) -> CardLine:
    day = f"{side.day} " if side.day else ""
    return CardLine(f"{day}{side.source}", side.text, side.id)


def _near(workspace: Workspace) -> Iterator[Card]:
    for group in list_near(workspace):
        first = {"id": group[0].id}
        choices = [Choice("y", "keep", "Keep all", first), Choice("m", "merge", "Merge", first)]
        apart = (Choice(str(n), "archive", f"Archive {n}", {"id": one.id}) for n, one in enumerate(group[:9], 1))
        yield Card([CardLine(one.place, _said(one.text), one.id) for one in group], "", [*choices, *apart])


def _lived(workspace: Workspace) -> Iterator[Card]:
    for one in list_promotable(workspace):
        choices = [
            Choice("y", "promote", "Make it lasting", {"id": one.id}),
            Choice("n", "decline", "Leave it", {"id": one.id}),
        ]
        yield Card([CardLine(one.place, _said(one.text), one.id)], f"{one.days} d", choices)


def _fading(workspace: Workspace) -> Iterator[Card]:
    for one in forecast_fading(workspace, DAYS)[0]:
        id_ = one.fall.id
        choices = [Choice("p", "pin", "Pin", {"id": id_}), Choice("a", "archive", "Archive", {"id": id_})]
        line = CardLine(one.place, one.text, id_ if id_.startswith("m-") else "")
        yield Card([line], f"{one.fall.value / 100:.2f}, {one.fall.day}", choices if line.id else [])


def _held(item: HeldBack) -> Card:
    dismiss = Choice("n", "dismiss", "Dismiss", {"place": str(item.place)})
    return Card([CardLine(str(item.place), item.text)], f"{item.kind}: {item.reason}", [dismiss])


def _imports(workspace: Workspace) -> Iterator[Card]:
    """What the settings watch and hooks handed over, as far as it has something new."""
    sources = sources_at(workspace, ())
    found = (
        [one for one in import_sources(workspace, sources, is_by_hand=True, dry_run=True) if one.added or one.problem]
        if sources
        else []
    )
    if found:
        lines = [
            CardLine(one.source, one.problem or ", ".join(f"{log}: {turns}" for log, turns in one.added.items()))
            for one in found
        ]
        yield Card(lines, "", [Choice("y", "import", "Import", {})])


Form: TypeAlias = Mapping[str, str]
Act: TypeAlias = Callable[[Workspace, Form], object]


class Decision(NamedTuple):
    """What is done, and in a word what was done."""

    act: Act
    done: str


def _line(form: Form) -> tuple[str, int]:
    """The log and the line that a form names."""
    log, _, line = _needed(form, "place").removeprefix("memory/").rpartition(":")
    if not (log and line.isascii() and line.isdecimal()):
        raise UsageError(f"{form['place'][:80]}: no line of a log")
    return log, int(line)


def _needed(form: Form, name: str) -> str:
    value = form.get(name, "").strip()
    if not value:
        raise UsageError(f"{name} is missing")
    return value


def _importance(workspace: Workspace, form: Form) -> None:
    value = _needed(form, "value")
    if value not in {str(number) for number in range(1, 11)}:
        raise UsageError("importance is a number from 1 to 10")
    set_importance(workspace, _needed(form, "id"), int(value), dry_run=False)


def _import(workspace: Workspace, _form: Form) -> None:
    for _ in import_sources(workspace, sources_at(workspace, ()), is_by_hand=True):
        pass
    forget_handed_over(workspace)


DECISIONS: Mapping[str, Decision] = {
    "place": Decision(lambda w, form: place_memory(w, _needed(form, "id"), _needed(form, "page"), dry_run=False), "placed"),
    "accept": Decision(lambda w, form: accept_line(w, *_line(form), dry_run=False), "accepted"),
    "dismiss": Decision(lambda w, form: dismiss_line(w, *_line(form), dry_run=False), "dismissed"),
    "keep": Decision(lambda w, form: keep_near(w, _needed(form, "id"), dry_run=False), "kept"),
    "merge": Decision(lambda w, form: consolidate_bank(w, None, _needed(form, "id"), apply=True), "merged"),
    "both": Decision(lambda w, form: keep_both(w, _needed(form, "id"), _needed(form, "other"), dry_run=False), "both hold"),
    "archive": Decision(lambda w, form: archive_memories(w, [_needed(form, "id")], dry_run=False), "archived"),
    "restore": Decision(lambda w, form: restore_memories(w, [_needed(form, "id")], dry_run=False), "restored"),
    "pin": Decision(lambda w, form: pin_memory(w, _needed(form, "id"), dry_run=False), "pinned"),
    "promote": Decision(lambda w, form: promote_memory(w, _needed(form, "id"), None, dry_run=False), "promoted"),
    "decline": Decision(lambda w, form: decline_promotion(w, _needed(form, "id"), dry_run=False), "kept"),
    "allow": Decision(lambda w, form: allow_line(w, _needed(form, "id"), dry_run=False), "let in"),
    "importance": Decision(_importance, "noted"),
    "import": Decision(_import, "imported"),
    "undo": Decision(lambda w, form: Undo(w, _needed(form, "run")).carry_out(), "taken back"),
}  # fmt: skip


def decide(bank: OpenBank, form: Form) -> str:
    """Carry a decision out; gives the run that it was, empty where it cannot be taken back. Raises what its command does."""
    decision = DECISIONS.get(form.get("do", ""))
    if decision is None:
        raise UsageError("no such decision")
    with bank.work() as workspace:
        before = {row.run for row in workspace.recorder.open_ledger().rows}
        decision.act(workspace, form)
        rows = workspace.recorder.open_ledger().rows
    runs = [row.run for row in rows if row.run and row.changed and row.run not in before]
    return runs[-1] if runs else ""

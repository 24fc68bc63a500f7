"""The desk: what waits for a person, as cards, each with its possible decisions (one key each).

Also carries the decisions out: each calls what its command calls, and gives the run that can be undone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from bankd.app.archive import forecast_fading, restore_memories
from bankd.app.review import (
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

_DAYS = 30
"""An opinion is on the desk if it falls below the floor within so many days."""
_MOST = 40
"""Cards of a kind that are shown; the heading has the number of all."""
_SOURCE = re.compile(r"<!-- source: (?P<place>memory/.+?:[\d,]+) -->")


class CardLine(NamedTuple):
    """A line of a card: its place, its text, and its id if it has one."""

    place: str
    text: str
    id: str = ""


class Choice(NamedTuple):
    """A decision: its key, its name in `DECISIONS`, the text of its button, and what the form sends with it."""

    key: str
    do: str
    label: str
    fields: Mapping[str, str]
    asks: str = ""
    """The name of a field that the person types; empty for none."""


class Card(NamedTuple):
    """Something that waits: its lines, the reason, the choices, and the lines of the log that it comes from."""

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
        line, sent = CardLine(f"bank/_meta/inbox.md:{item.line}", _said(item.text), item.id), {"id": item.id}
        choices = [Choice("p", "place", "Place", sent, asks="page"), Choice("a", "archive", "Archive", sent)]
        yield Card([line], item.source, choices)


def _proposed(bank: OpenBank, item: HeldBack) -> Card:
    """A proposal beside the log lines that it comes from; the end of its line names them."""
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
        sides = (pair.newer, pair.older)
        lines = [CardLine(f"{one.day} {one.source}" if one.day else one.source, one.text, one.id) for one in sides]
        yield Card(lines, pair.reason, choices)


def _near(workspace: Workspace) -> Iterator[Card]:
    for group in list_near(workspace):
        first = {"id": group[0].id}
        choices = [Choice("y", "keep", "Keep all", first), Choice("m", "merge", "Merge", first)]
        apart = (Choice(str(n), "archive", f"Archive {n}", {"id": one.id}) for n, one in enumerate(group[:9], 1))
        yield Card([CardLine(one.place, _said(one.text), one.id) for one in group], "", [*choices, *apart])


def _lived(workspace: Workspace) -> Iterator[Card]:
    for one in list_promotable(workspace):
        sent = {"id": one.id}
        choices = [Choice("y", "promote", "Make it lasting", sent), Choice("n", "decline", "Leave it", sent)]
        yield Card([CardLine(one.place, _said(one.text), one.id)], f"{one.days} d", choices)


def _fading(workspace: Workspace) -> Iterator[Card]:
    for one in forecast_fading(workspace, _DAYS)[0]:
        id_ = one.fall.id
        choices = [Choice("p", "pin", "Pin", {"id": id_}), Choice("a", "archive", "Archive", {"id": id_})]
        line = CardLine(one.place, one.text, id_ if id_.startswith("m-") else "")
        yield Card([line], f"{one.fall.value / 100:.2f}, {one.fall.day}", choices if line.id else [])


def _held(item: HeldBack) -> Card:
    dismiss = Choice("n", "dismiss", "Dismiss", {"place": str(item.place)})
    return Card([CardLine(str(item.place), item.text)], f"{item.kind}: {item.reason}", [dismiss])


def _imports(workspace: Workspace) -> Iterator[Card]:
    """One card for the sources that the settings watch or hooks handed over, if one has something new or a problem."""
    if sources := sources_at(workspace, ()):
        found = import_sources(workspace, sources, is_by_hand=True, dry_run=True)
        said = ((one, one.problem or ", ".join(f"{log}: {turns}" for log, turns in one.added.items())) for one in found)
        if lines := [CardLine(one.source, text) for one, text in said if text]:
            yield Card(lines, "", [Choice("y", "import", "Import", {})])


Form: TypeAlias = Mapping[str, str]


class Decision(NamedTuple):
    """What a decision calls, and a word for what was done."""

    act: Callable[[Workspace, Form], object]
    done: str


def _line(form: Form) -> tuple[str, int]:
    """The log and the line number in the form's `place`. UsageError if it names none."""
    log, _, line = _needed(form, "place").removeprefix("memory/").rpartition(":")
    if not (log and line.isascii() and line.isdecimal()):
        raise UsageError(f"{form['place'][:80]}: not a line of a log")
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
    "merge": Decision(lambda w, form: consolidate_bank(w, _needed(form, "id"), apply=True), "merged"),
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
    """Carry a decision out. Gives the id of its run, empty if it cannot be undone. Raises what its command raises."""
    decision = DECISIONS.get(form.get("do", ""))
    if decision is None:
        raise UsageError("no such decision")
    with bank.work() as workspace:
        before = {row.run for row in workspace.recorder.open_ledger().rows}
        decision.act(workspace, form)
        rows = workspace.recorder.open_ledger().rows
    runs = [row.run for row in rows if row.run and row.changed and row.run not in before]
    return runs[-1] if runs else ""

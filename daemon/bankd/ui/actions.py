"""A decision of a person: the same call as that of its command, and the run that can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from bankd.app.archive import restore_memories
from bankd.app.consolidate import consolidate_bank
from bankd.app.decisions import archive_memories, keep_both, keep_near, pin_memory
from bankd.app.duplicates import allow_line
from bankd.app.feedback import set_importance
from bankd.app.inbox import accept_line, dismiss_line, place_memory
from bankd.app.promotion import decline_promotion, promote_memory
from bankd.app.undo import Undo
from bankd.app.workspace import Workspace
from bankd.errors import UsageError
from bankd.wiring.banks import OpenBank
from bankd.wiring.importing import forget_handed_over, import_sources, sources_at

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

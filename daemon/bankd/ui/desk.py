"""The desk: what waits for a person, as cards, each with its possible decisions (one key each)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bankd.app.waiting import DECISIONS, KINDS, Card, CardLine, Choice, Decision, Form, decide, list_cards
from bankd.app.workspace import Workspace
from bankd.ui.memories import source_lines
from bankd.ui.views import Address, Shown
from bankd.wiring.banks import OpenBank
from bankd.wiring.runner import forget_handed_over, import_sources, sources_at

_MOST = 40
"""Cards of a kind that are shown; the heading has the number of all."""


class Pile(NamedTuple):
    """The cards of a kind, and for each the lines of its log around its source."""

    title: str
    cards: Sequence[tuple[Card, Sequence[tuple[int, str, bool]]]]
    size: int


def show_desk(bank: OpenBank, _asked: Address) -> Shown:
    """Every pile that has cards."""
    with bank.look() as workspace:
        pages = sorted(path.removeprefix("bank/") for path in workspace.files.survey("bank", workspace.now, 0).files)
        cards = [*list_cards(workspace), *_imports(workspace)]
        prose = workspace.logs.prose()
    piles = []
    for kind, title in {**KINDS, "imports": "Imports to confirm"}.items():
        if found := [card for card in cards if card.kind == kind]:
            shown = [
                (card, list(source_lines(bank, card.source if kind == "proposed" else ""))) for card in found[:_MOST]
            ]
            piles.append(Pile(title, shown, len(found)))
    return Shown("desk.html", {"piles": piles, "pages": pages, "prose": prose})


def _imports(workspace: Workspace) -> Iterator[Card]:
    """One card for the sources that the settings watch or hooks handed over, if one has something new or a problem."""
    if sources := sources_at(workspace, ()):
        found = import_sources(workspace, sources, is_by_hand=True, dry_run=True)
        said = ((one, one.problem or ", ".join(f"{log}: {turns}" for log, turns in one.added.items())) for one in found)
        if lines := [CardLine(one.source, text) for one, text in said if text]:
            yield Card("imports", "imports", lines, "", [Choice("y", "import", "Import", {})])


def _import(workspace: Workspace, _form: Form, _is_dry: bool) -> None:
    for _ in import_sources(workspace, sources_at(workspace, ()), is_by_hand=True):
        pass
    forget_handed_over(workspace)


_DECISIONS = {**DECISIONS, "import": Decision(_import, "Imported")}
DONE = {name: decision.done for name, decision in _DECISIONS.items()}
"""The words for what a decision did."""


def carry_out(bank: OpenBank, form: Form) -> str:
    """Carry a decision out. Gives the id of its run, empty if it cannot be undone. Raises what its command raises."""
    with bank.work() as workspace:
        return decide(workspace, form, _DECISIONS).run

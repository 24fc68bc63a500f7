"""Review, and what people do on the page: one card at a time with its decisions; add, edit, forget, settings and rules.

A decision calls what its command calls, and gives the run that can be undone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from bankd.app import waiting
from bankd.app.archive import list_archive
from bankd.app.review import teach_rule
from bankd.app.waiting import Card, CardLine, Choice, Decided, Decision, Form
from bankd.app.workspace import Workspace
from bankd.config.workspace import SETTINGS, change_settings
from bankd.errors import UsageError
from bankd.memory.retain import retain_line
from bankd.ui.views import KIND_ICONS, SETTINGS_SHOWN, TITLES, Address, Shown, source_lines
from bankd.wiring.banks import OpenBank
from bankd.wiring.runner import import_sources, sources_at
from bankd.wiring.workspace import add_line


def show_review(bank: OpenBank, asked: Address) -> Shown:
    """The queue, and the card that is asked for with `at`, or the first; a rule to look at with `teach`."""
    with bank.look() as workspace:
        cards = [*waiting.list_cards(workspace), *_imports(workspace)]
        if kind := asked.text("kind"):
            cards = [card for card in cards if card.kind == kind]
        at = next((number for number, card in enumerate(cards) if card.id == asked.text("at")), 0)
        card = waiting.with_suggestions(workspace, cards[at]) if cards else None
        pages = sorted(workspace.files.survey("bank", workspace.now, 0).files) if card else []
        facts = {"prose": workspace.logs.prose(), "archived": [] if cards else list_archive(workspace)[:12]}
        facts["teach"] = _rule(workspace, asked) if asked.text("teach") else None
    source = list(source_lines(bank, card.source)) if card else []
    differing = list(_differing(*(line.text for line in card.lines[:2]))) if card and len(card.lines) > 1 else []
    differing += [[(line.text, False)] for line in (card.lines[2:] if card else ())]
    following = cards[(at + 1) % len(cards)].id if len(cards) > 1 else ""
    return Shown("review.html", {
        **facts, "cards": cards, "card": card, "number": at + 1, "following": following, "source": source,
        "differing": differing, "pages": pages, "titles": TITLES, "kind_icons": KIND_ICONS, "waiting": len(cards),
    })  # fmt: skip


def _rule(workspace: Workspace, asked: Address) -> dict[str, Any]:
    """The rule for lines with these words: of a whole line, as decisions send it, its longest word."""
    words, tag = asked.text("teach"), asked.text("tag")
    if not tag:
        head, _, text = words.partition(": ")
        tag, words = (head[:1], max(text.split(), key=len, default="")) if text else ("W", words)
    tag, page = tag if tag in {"W", "B", "O", "S"} else "W", asked.text("page")
    words = words.strip(".,!?“”\"'")
    rule, waiting = teach_rule(workspace, tag, words, page, apply=False)
    return {"tag": tag, "words": words, "page": page, "rule": rule, "waiting": waiting}


def _differing(one: str, other: str) -> Iterator[list[tuple[str, bool]]]:
    """Both texts in pieces, each with whether the other text has something else there; by words, Hangul by syllable."""
    step = "" if any("가" <= letter <= "힣" for letter in one + other) else " "
    parts = [list(text) if not step else text.split(" ") for text in (one, other)]
    blocks = SequenceMatcher(a=parts[0], b=parts[1], autojunk=False).get_opcodes()
    for side, pieces in enumerate(parts):
        spans = [(kind != "equal", *((a, b) if side == 0 else (c, d))) for kind, a, b, c, d in blocks]
        yield [(step.join(pieces[begin:end]) + step, differs) for differs, begin, end in spans if begin < end]


def _imports(workspace: Workspace) -> Iterator[Card]:
    """One card for the sources that the settings watch or hooks handed over, if one has something new or a problem."""
    if sources := sources_at(workspace, ()):
        found = import_sources(workspace, sources, is_by_hand=True)
        said = ((one, one.problem or ", ".join(f"{log}: {turns}" for log, turns in one.added.items())) for one in found)
        if lines := [CardLine(one.source, f"{one.source}: {text}") for one, text in said if text]:
            yield Card("imports", "imports", lines[:1], f"{len(lines)}", [Choice("y", "import", "Import", {})])


def _import(workspace: Workspace, _form: Form) -> None:
    for _ in import_sources(workspace, sources_at(workspace, ()), is_by_hand=True):
        pass


def _teach(workspace: Workspace, form: Form) -> None:
    teach_rule(workspace, form.get("tag", "W"), form.get("words", ""), form.get("page", ""), apply=True)


def _set(workspace: Workspace, form: Form) -> None:
    if form.get("name") not in SETTINGS_SHOWN:
        raise UsageError("the page does not change this setting")
    change_settings(workspace.root / SETTINGS, {form["name"]: form.get("value", "").strip()})


def _run(workspace: Workspace, _form: Form) -> None:
    workspace.wait_until_settled()
    for _ in workspace.run_batches("micro"):
        pass


_DECISIONS = {
    **waiting.DECISIONS,
    "import": Decision(_import, "Imported"),
    "teach": Decision(_teach, "Rule added"),
    "set": Decision(_set, "Saved"),
    "add": Decision(_run, "Remembered"),
}
DONE: Mapping[str, str] = {**{name: decision.done for name, decision in _DECISIONS.items()}, "there": "Already on"}
"""The messages for decisions, and of one that was to be placed where it was already."""


def carry_out(bank: OpenBank, form: Form) -> Decided:
    """Carry a decision out. Raises what its command raises. To add is to write a log line and to run on it at once."""
    if form.get("do") == "add":
        text = " ".join(form.get("text", "").split())
        if not text:
            raise UsageError("type what should be remembered")
        tag = form.get("tag", "W")
        add_line(bank.root, retain_line(text, tag if tag in {"W", "B", "O", "S"} else "W"))
    with bank.work() as workspace:
        return waiting.decide(workspace, form, _DECISIONS)

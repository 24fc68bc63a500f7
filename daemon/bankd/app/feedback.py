"""What was of use and what was not, as people and agents tell, and how important a memory is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from bankd.app.user_run import Said, record_events
from bankd.app.workspace import Workspace
from bankd.core.agents.responses import judge_response
from bankd.core.markdown.memory import parse_memory
from bankd.core.markdown.page_lines import MARKER
from bankd.core.plan.report import ReportRow
from bankd.core.secrets.screening import screen_text
from bankd.core.use.signals import IGNORED, IMPORTANCE, TAKEN_BACK, USED
from bankd.core.use.suppression import question_lost
from bankd.errors import UserError


@dataclass(frozen=True, slots=True)
class Feedback:
    """What was noted, by id: used, ignored; and the ids that no page holds, of which nothing was."""

    used: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def give_feedback(
    workspace: Workspace, used: Sequence[str], ignored: Sequence[str] = (), *, dry_run: bool = False
) -> Feedback:
    """Note which memories were of use, and which were not; one that is both was used. UserError when none is known."""
    workspace.catalog.refresh(workspace.now)
    held = workspace.catalog.pages_of([*used, *ignored])
    said = Feedback(
        tuple(dict.fromkeys(id_ for id_ in used if id_ in held)),
        tuple(dict.fromkeys(id_ for id_ in ignored if id_ in held and id_ not in used)),
        tuple(dict.fromkeys(id_ for id_ in (*used, *ignored) if id_ not in held)),
    )
    if said.unknown and not (said.used or said.ignored):
        raise UserError(
            *(f"{id_}: no page holds it; bankctl search finds memories by their words" for id_ in said.unknown)
        )
    if not dry_run:
        lost = _questions_lost(workspace, said) if workspace.settings.search.suppression else {}
        used_facts: list[Said] = [(USED, id_, {}) for id_ in said.used]
        _note(workspace, "feedback", [*used_facts, *((IGNORED, id_, lost.get(id_, {})) for id_ in said.ignored)])
    return said


def _questions_lost(workspace: Workspace, said: Feedback) -> dict[str, dict[str, object]]:
    """By the id of each ignored memory, the question for which another one was used instead."""
    answers = workspace.recalls.answers()
    asked = {id_: question_lost(id_, said.used, answers) for id_ in said.ignored}
    return {id_: {"asked": screen_text(text, workspace.finders())} for id_, text in asked.items() if text}


def judge_answers(workspace: Workspace, response: str) -> Feedback:
    """Tell which memories of the answers still kept a response made use of; nothing is noted by that."""
    workspace.catalog.refresh(workspace.now)
    found = workspace.catalog.texts_of({id_ for answer in workspace.recalls.answers() for id_ in answer.memories})
    texts = {id_: parse_memory(MARKER.sub("", text)).text for id_, (_, text) in found.items()}
    wordings = workspace.index.take_apart({response, *texts.values()})
    judged = judge_response(wordings[response], {id_: wordings[text] for id_, text in texts.items()})
    return Feedback(judged.used, judged.ignored)


def set_importance(workspace: Workspace, id_: str, value: int, *, dry_run: bool = False) -> None:
    """Note how important a memory is, 1 to 10, or only look for it; UserError when no page holds it."""
    workspace.catalog.refresh(workspace.now)
    if id_ not in workspace.catalog.pages_of([id_]):
        raise UserError(f"{id_}: no page holds it; bankctl search finds memories by their words")
    if not dry_run:
        before = workspace.transactions.ledger().signals_of(id_).importance or TAKEN_BACK
        _note(workspace, "importance", [(IMPORTANCE, id_, {"value": value, "before": before})])


def _note(workspace: Workspace, name: str, said: Sequence[Said]) -> None:
    if said:
        rows = [ReportRow("=", kind, id_, "", str(facts.get("value", ""))) for kind, id_, facts in said]
        events = ((kind, id_, {"memory": id_, **facts}) for kind, id_, facts in said)
        record_events(workspace, name, events, Counter(kind for kind, _, _ in said), rows)
        with suppress(UserError):  # it is noted; the next refresh of the index reads it
            workspace.index.catch_up(workspace.now)

"""Distilling by hand, and a night's questions: a model is asked before the lock is taken, since it may take minutes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from bankd.app.night_prompts import distil_parts, enrichment_prompts, insight_prompts, matching_questions
from bankd.app.workspace import Workspace
from bankd.core.distil.prompts import Prompt, Reply, Unanswered
from bankd.distilling import Distilled, DistilParts, Proposed, ProseParts, distil_prose, distil_sections, propose
from bankd.enriching import Enriched, enrich_memories
from bankd.matching import Matched, ask_questions, match_memories
from bankd.ports.models import Models, UnaskedMemories


class _Answered:
    """What a model said before the lock was taken; of what was written since nothing is asked."""

    def __init__(self, answers: Mapping[str, Reply | Unanswered]) -> None:
        self._answers = answers

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Reply | Unanswered]:
        return [self._answers.get(one.text, Unanswered("it changed while the model was asked")) for one in prompts]


class _Heard:
    """A model of which is remembered what it says."""

    def __init__(self, models: Models) -> None:
        self._models, self.answers = models, dict[str, Reply | Unanswered]()

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Reply | Unanswered]:
        answers = self._models.answer(prompts)
        self.answers |= zip([one.text for one in prompts], answers, strict=True)
        return answers


class _AsSeen:
    """The memories without questions, as they were before the lock was taken: others would make other prompts."""

    def __init__(self, found: Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]) -> None:
        self._found = found

    def unasked(self, most: int) -> Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        return self._found[:most]


class AskedBefore(NamedTuple):
    """What a model said before the lock was taken, and the memories that it was asked for."""

    models: Models
    memories: UnaskedMemories

    def answer_in(self, workspace: Workspace) -> None:
        """Have a run in this workspace go by it; what is new since waits for the next night."""
        workspace.models, workspace.unasked = self


def ask_for_night(workspace: Workspace) -> AskedBefore:
    """Ask what a night asks about prose and clusters; needs no lock. UserError where no model is named.

    About memories it is asked when the run is over, about those too that this learned.
    """
    parts = distil_parts(workspace)
    answers = ask_now(workspace) | _answers_to(insight_prompts(workspace), parts)
    return AskedBefore(_Answered(answers), _AsSeen(()))


def ask_for_memories(workspace: Workspace) -> AskedBefore | None:
    """Ask for memories without questions, and about those like each other; needs no lock. None where there are none."""
    parts, most = distil_parts(workspace), workspace.settings.distil.enrich
    seen = _AsSeen(workspace.index.unasked(most) if most else ())
    workspace.unasked = seen
    questions, prompts = matching_questions(workspace), enrichment_prompts(workspace)
    heard = _Heard(parts.models)
    if matching := workspace.matching():
        ask_questions(replace(matching, models=heard), questions)
    answers = heard.answers | _answers_to(prompts, parts)
    return AskedBefore(_Answered(answers), seen) if prompts or questions else None


def enrich_now(workspace: Workspace) -> Sequence[str]:
    """Keep what a model wrote for memories and said of those like each other; gives what there is to say of it."""
    parts, matching, settings = workspace.enriching(), workspace.matching(), workspace.settings.distil
    matched = match_memories(matching, workspace.transactions.ledger(), settings.compare) if matching else Matched()
    done = enrich_memories(parts, settings.enrich, workspace.now) if parts else Enriched()
    return [*matched.notes, *done.notes, *(workspace.index.refresh(workspace.now) if done.memories else ())]


def ask_now(workspace: Workspace) -> dict[str, Reply | Unanswered]:
    """By the text of each question what the model says of what is new; needs no lock. UserError where none is named."""
    parts = distil_parts(workspace)
    heard = _Heard(parts.models)
    for _ in distil_sections(replace(parts, models=heard), workspace.settings.distil, workspace.now):
        pass
    return heard.answers


def _answers_to(prompts: Sequence[Prompt], parts: DistilParts) -> dict[str, Reply | Unanswered]:
    return dict(zip([one.text for one in prompts], parts.models.answer(prompts), strict=True))


def distil_now(workspace: Workspace, answers: Mapping[str, Reply | Unanswered]) -> Distilled:
    """Compose what was answered; the next run takes the lines in. UserError where no model is named."""
    parts = replace(distil_parts(workspace), models=_Answered(answers))
    with workspace.recorder.recording("distil") as record:
        done = distil_prose(parts, workspace.settings.distil, workspace.now)
        record.counts, record.is_changed = {"distilled": done.lines, "not believed": done.refused}, bool(done.sections)
    return done


def propose_now(workspace: Workspace, days: int, *, dry_run: bool) -> list[Proposed]:
    """Find by rules what asks to be remembered in the prose of the last `days` days; it waits in the inbox after that."""
    parts = ProseParts(workspace.logs, workspace.finders())
    policy = replace(workspace.settings.distil, days=days)
    if dry_run:
        return propose(parts, policy, workspace.now, dry_run=True)
    with workspace.recorder.recording("propose") as record:
        found = propose(parts, policy, workspace.now, dry_run=False)
        record.counts, record.is_changed = {"proposed": sum(len(one.lines) for one in found)}, bool(found)
    return found

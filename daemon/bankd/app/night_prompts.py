"""What a night asks a language model besides about prose: collected without asking, so that nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bankd.app.workspace import Workspace
from bankd.core.distil.prompts import Prompt, Unanswered
from bankd.deriving import derive_insights
from bankd.distilling import DistilParts
from bankd.enriching import enrich_memories
from bankd.errors import UserError
from bankd.matching import MatchQuestion, find_questions


class _OnlyAsked:
    """A model that collects what it is asked and answers nothing."""

    def __init__(self) -> None:
        self.asked: list[Prompt] = []

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Unanswered]:
        self.asked += prompts
        return [Unanswered("only looked at")] * len(prompts)


def distil_parts(workspace: Workspace) -> DistilParts:
    """What distilling needs; UserError where no model is named."""
    parts = workspace.distilling()
    if parts is None:
        raise UserError(
            "no language model is named; distil.provider in bankd.yaml names one, and nothing is sent without it"
        )
    return parts


def insight_prompts(workspace: Workspace) -> list[Prompt]:
    """What is asked about clusters of memories."""
    models = _OnlyAsked()
    derive_insights(replace(distil_parts(workspace), models=models), workspace.catalog.all_lines(), workspace.now)
    return models.asked


def enrichment_prompts(workspace: Workspace) -> list[Prompt]:
    """What is asked for memories without questions."""
    models = _OnlyAsked()
    if parts := workspace.enriching():
        enrich_memories(replace(parts, models=models), workspace.settings.distil.enrich, workspace.now)
    return models.asked


def matching_questions(workspace: Workspace) -> Sequence[MatchQuestion]:
    """What is asked about memories that are like each other."""
    parts, ledger = workspace.matching(), workspace.transactions.ledger()
    return find_questions(parts, ledger, workspace.settings.distil.compare) if parts else ()

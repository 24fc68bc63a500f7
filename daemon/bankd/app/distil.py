"""Use cases with a language model: ask it, keep its answers, and say what a night would send and cost.

The model is asked before the lock is taken, because it may take minutes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from bankd.app.workspace import Workspace
from bankd.briefing.shown import count_tokens
from bankd.errors import UserError
from bankd.night import asking
from bankd.night.asking import MOST_TOKENS, Prompt, Reply, Unanswered, as_data, prompt_for, verify_trial
from bankd.night.distil import (
    Distilled,
    DistilParts,
    Proposed,
    ProseParts,
    distil_prose,
    distil_sections,
    find_sections,
    propose,
)
from bankd.night.enrich import Enriched, enrich_memories
from bankd.night.insights import derive_insights
from bankd.night.match import Matched, MatchQuestion, ask_questions, find_questions, match_memories
from bankd.ports import Models, UnaskedMemories


class _OnlyAsked:
    """Collects the questions for a model and answers none, so that nothing is sent or written."""

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
    """The questions about clusters of memories."""
    models = _OnlyAsked()
    derive_insights(replace(distil_parts(workspace), models=models), workspace.catalog.all_lines(), workspace.now)
    return models.asked


def enrichment_prompts(workspace: Workspace) -> list[Prompt]:
    """The prompts that have questions written for memories without any."""
    models = _OnlyAsked()
    if parts := workspace.enriching():
        enrich_memories(replace(parts, models=models), workspace.settings.distil.enrich, workspace.now)
    return models.asked


def matching_questions(workspace: Workspace) -> Sequence[MatchQuestion]:
    """The questions about memories that are like each other."""
    parts, ledger = workspace.matching(), workspace.transactions.ledger()
    return find_questions(parts, ledger, workspace.settings.distil.compare) if parts else ()


class _Answered:
    """Answers with what the model said before the lock was taken; what is new since is not asked."""

    def __init__(self, answers: Mapping[str, Reply | Unanswered]) -> None:
        self._answers = answers

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Reply | Unanswered]:
        return [self._answers.get(one.text, Unanswered("it changed while the model was asked")) for one in prompts]


class _Heard:
    """A model whose answers are remembered, by the text of the question."""

    def __init__(self, models: Models) -> None:
        self._models, self.answers = models, dict[str, Reply | Unanswered]()

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Reply | Unanswered]:
        answers = self._models.answer(prompts)
        self.answers |= zip([one.text for one in prompts], answers, strict=True)
        return answers


class _AsSeen:
    """The memories without questions as they were before the lock was taken; others would need other prompts."""

    def __init__(self, found: Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]) -> None:
        self._found = found

    def unasked(self, most: int) -> Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        return self._found[:most]


class AskedBefore(NamedTuple):
    """What a model said before the lock was taken, and the memories that it was asked for."""

    models: Models
    memories: UnaskedMemories

    def answer_in(self, workspace: Workspace) -> None:
        """Let the runs of this workspace use these answers; what is new since waits for the next night."""
        workspace.models, workspace.unasked = self


def ask_for_night(workspace: Workspace) -> AskedBefore:
    """Ask about prose and clusters; needs no lock. UserError where no model is named.

    The questions about memories come after the run, because they include what it learned.
    """
    answers = ask_now(workspace) | _answers_to(insight_prompts(workspace), distil_parts(workspace))
    return AskedBefore(_Answered(answers), _AsSeen(()))


def ask_for_memories(workspace: Workspace) -> AskedBefore | None:
    """Ask about memories without questions and those like each other; needs no lock. None where there are none."""
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
    """Keep the questions that a model wrote for memories and what it said of those like each other; gives notes on it."""
    parts, matching, settings = workspace.enriching(), workspace.matching(), workspace.settings.distil
    matched = match_memories(matching, workspace.transactions.ledger(), settings.compare) if matching else Matched()
    done = enrich_memories(parts, settings.enrich, workspace.now) if parts else Enriched()
    return [*matched.notes, *done.notes, *(workspace.index.refresh(workspace.now) if done.memories else ())]


def ask_now(workspace: Workspace) -> dict[str, Reply | Unanswered]:
    """Ask about new prose; gives the answers by the text of the question. Needs no lock. UserError where no model is named."""
    parts = distil_parts(workspace)
    heard = _Heard(parts.models)
    for _ in distil_sections(replace(parts, models=heard), workspace.settings.distil, workspace.now):
        pass
    return heard.answers


def _answers_to(prompts: Sequence[Prompt], parts: DistilParts) -> dict[str, Reply | Unanswered]:
    return dict(zip([one.text for one in prompts], parts.models.answer(prompts), strict=True))


def distil_now(workspace: Workspace, answers: Mapping[str, Reply | Unanswered]) -> Distilled:
    """Write the answers as Retain lines, which the next run takes in. UserError where no model is named."""
    parts = replace(distil_parts(workspace), models=_Answered(answers))
    with workspace.recorder.recording("distil") as record:
        done = distil_prose(parts, workspace.settings.distil, workspace.now)
        record.counts, record.is_changed = {"distilled": done.lines, "not believed": done.refused}, bool(done.sections)
    return done


def propose_now(workspace: Workspace, days: int, *, dry_run: bool) -> list[Proposed]:
    """Find by rules what to remember in the prose of the last `days` days; unless `dry_run`, it waits in the inbox then."""
    parts = ProseParts(workspace.logs, workspace.finders())
    policy = replace(workspace.settings.distil, days=days)
    if dry_run:
        return propose(parts, policy, workspace.now, dry_run=True)
    with workspace.recorder.recording("propose") as record:
        found = propose(parts, policy, workspace.now, dry_run=False)
        record.counts, record.is_changed = {"proposed": sum(len(one.lines) for one in found)}, bool(found)
    return found


class PlannedSection(NamedTuple):
    """A section that would be sent: its log, first line and heading, the tokens of the question, and its text."""

    log: str
    line: int
    heading: str
    tokens: int
    text: str


class DistilPlan(NamedTuple):
    """What a night would send: sections of prose, and the numbers of questions about clusters, memories and look-alikes.

    The tokens are upper limits. They include the trials of the model, and for each section and cluster two more questions:
    whether the lines say no more than it, and the same for lines that were written again. The cost is 0 without a price.
    """

    sections: Sequence[PlannedSection]
    insights: int
    enrichments: int
    comparisons: int
    input_tokens: int
    output_tokens: int
    cost: float


def plan_distilling(workspace: Workspace) -> DistilPlan:
    """Find what would be sent; UserError where no model is named."""
    settings, sections = workspace.settings.distil, []
    found = find_sections(distil_parts(workspace), settings, workspace.now)
    for one in found:
        prompt = prompt_for(one, settings.categories)
        tokens = count_tokens(prompt.system + prompt.text)
        sections.append(PlannedSection(one.log, one.lines[0][0], one.heading, tokens, prompt.text))
    insights, enrichments = insight_prompts(workspace), enrichment_prompts(workspace)
    comparisons = [one.prompt for one in matching_questions(workspace) if one.prompt]
    trials = [verify_trial(is_korean=is_korean).prompt for is_korean in (False, True)] if found or insights else []
    prompts = [*insights, *enrichments, *comparisons, *trials]
    again = [*map(as_data, found), *(one.text for one in insights)]  # each is verified, and once more when mended
    # The lines made of a text stand in the question too: each of their letters is one token at most.
    verifying_tokens = (count_tokens(asking.SYSTEM_OF_INSIGHTS + text) + asking.MOST_LETTERS for text in again)
    asked = sum(one.tokens for one in sections) + 2 * sum(verifying_tokens)
    asked += sum(count_tokens(one.system + one.text) for one in prompts)
    answered = MOST_TOKENS * len(sections) + 2 * asking.VERIFYING_MOST_TOKENS * len(again)
    answered += sum(one.most_tokens for one in prompts)
    cost = (asked * settings.input_price + answered * settings.output_price) / 1_000_000
    return DistilPlan(sections, len(insights), len(enrichments), len(comparisons), asked, answered, cost)

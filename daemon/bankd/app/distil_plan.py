"""What a night would send to the language model, how many tokens that takes, and what it may cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bankd.app.night_prompts import distil_parts, enrichment_prompts, insight_prompts, matching_questions
from bankd.app.workspace import Workspace
from bankd.core.briefing.tokens import count_tokens
from bankd.core.distil import verifying
from bankd.core.distil.observing import MOST_TOKENS, as_data, prompt_for
from bankd.core.distil.sections import ProseSection
from bankd.core.distil.verifying import verify_trial
from bankd.distilling import find_sections

_MILLION = 1_000_000


class PlannedSection(NamedTuple):
    """A section that would be sent: its log, first line and heading, the tokens of the question, and its text."""

    log: str
    line: int
    heading: str
    tokens: int
    text: str


class DistilPlan(NamedTuple):
    """What a night would send: sections of prose, and how many questions about clusters, for memories and about look-alikes.

    Each section and cluster is asked about twice more at most: whether it says what the lines made of it say, and those that
    were written again; the model's trials come before. With the tokens that all of them take at most and the answers may
    take, and what that costs; 0 where no price is set.
    """

    sections: Sequence[PlannedSection]
    insights: int
    enrichments: int
    comparisons: int
    input_tokens: int
    output_tokens: int
    cost: float


def plan_distilling(workspace: Workspace) -> DistilPlan:
    """Look what would be sent; UserError where no model is named."""
    settings = workspace.settings.distil
    found = find_sections(distil_parts(workspace), settings, workspace.now)
    sections = [_planned(one, settings.categories) for one in found]
    insights, enrichments = insight_prompts(workspace), enrichment_prompts(workspace)
    comparisons = [one.prompt for one in matching_questions(workspace) if one.prompt]
    trials = [verify_trial(is_korean=is_korean).prompt for is_korean in (False, True)] if found or insights else []
    prompts = [*insights, *enrichments, *comparisons, *trials]
    again = [*map(as_data, found), *(one.text for one in insights)]  # what is verified, and verified as it was mended
    asked = sum(one.tokens for one in sections) + 2 * sum(map(_verified, again))
    asked += sum(count_tokens(one.system + one.text) for one in prompts)
    answered = MOST_TOKENS * len(sections) + 2 * verifying.MOST_TOKENS * len(again)
    answered += sum(one.most_tokens for one in prompts)
    cost = (asked * settings.input_price + answered * settings.output_price) / _MILLION
    return DistilPlan(sections, len(insights), len(enrichments), len(comparisons), asked, answered, cost)


def _planned(section: ProseSection, categories: Sequence[str]) -> PlannedSection:
    prompt = prompt_for(section, categories)
    return PlannedSection(
        section.log, section.lines[0][0], section.heading, count_tokens(prompt.system + prompt.text), prompt.text
    )


def _verified(text: str) -> int:
    """The tokens that it takes at most to ask about the lines made of a text: a letter of theirs is one at most."""
    return count_tokens(verifying.SYSTEM_OF_INSIGHTS + text) + verifying.MOST_LETTERS

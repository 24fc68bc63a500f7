"""Use cases with a language model: ask it for a night, write what it said, and say what a night would send and cost.

It may take minutes, so it is asked without the lock of the workspace. What it answers is kept in `events/replies/`; the run,
which holds the lock, goes through the same steps once more and finds each answer there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from bankd.app.workspace import AnsweredBefore, Workspace
from bankd.briefing.shown import count_tokens
from bankd.cycle import think_over
from bankd.errors import UserError
from bankd.memory.retain import LogReading
from bankd.night import believe
from bankd.night.asking import Prompt, Reply, Unanswered
from bankd.night.distil import VERSION, Distilled, distil_prose, logs_in
from bankd.night.insights import VERSION as OF_INSIGHTS
from bankd.night.match import find_questions
from bankd.night.propose import Proposed, propose
from bankd.night.sections import FOLDER
from bankd.ports import Models, ProseLogs

_NAME_ONE = "no language model is named; bankctl distil --rules needs none, bankctl distil --with claude names one"


def ask_models(workspace: Workspace, *, only_prose: bool = False) -> dict[str, str]:
    """Ask the model everything that a night asks, or only about prose; needs no lock.

    Gives the prompts without an answer, by digest, each with the reason.

    UserError if no model is named.
    """
    asked = _Asked(model_of(workspace))
    _go_through(workspace, asked, only_prose=only_prose)
    return asked.unanswered


def model_of(workspace: Workspace) -> Models:
    """The model that the user named; UserError if there is none."""
    if workspace.models is None:
        raise UserError(_NAME_ONE)
    return workspace.models


def _go_through(workspace: Workspace, models: Models, *, only_prose: bool, logs: _Unwritten | None = None) -> None:
    """Go through a night with this model; only its replies are kept, nothing else is written."""
    parts = replace(workspace.night(models), logs=logs or _Unwritten(workspace.logs))
    ledger, policy = workspace.transactions.ledger(), workspace.settings.distil
    if only_prose:
        distil_prose(parts, ledger, policy, workspace.now)
    else:
        think_over(parts, ledger, policy, workspace.now, dry_run=True)


class _Asked:
    """Notes what a model was asked, and what it did not answer; without a model all answers are empty, and nothing is sent."""

    def __init__(self, models: Models | None = None) -> None:
        self._models, self.prompts, self.unanswered = models, list[Prompt](), dict[str, str]()

    def find(self, prompt: Prompt) -> Reply | None:
        return self._models.find(prompt) if self._models else None

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Reply | Unanswered]:
        self.prompts += prompts
        if self._models is None:
            return [Reply({}, 0, 0, is_kept=False)] * len(prompts)
        answers = self._models.answer(prompts)
        for prompt, answer in zip(prompts, answers, strict=True):
            if isinstance(answer, Unanswered):
                self.unanswered[prompt.digest] = answer.reason
        return answers


class _Unwritten:
    """The logs of a workspace plus the text that would be appended; with `is_anew` as if no model had read them."""

    def __init__(self, logs: ProseLogs, *, is_anew: bool = False) -> None:
        self._logs, self._added, self._is_anew = logs, dict[str, str](), is_anew

    def settled(self, now: datetime) -> Sequence[str]:
        there = [log for log in self._logs.settled(now) if not (self._is_anew and log.startswith(f"{FOLDER}/"))]
        return [*there, *(log for log in self._added if log not in there)]

    def read(self, log: str) -> LogReading | None:
        return self._logs.read(log)

    def text(self, log: str) -> str:
        is_hidden = self._is_anew and log.startswith(f"{FOLDER}/")
        return ("" if is_hidden else self._logs.text(log)) + self._added.get(log, "")

    def append(self, log: str, text: str) -> None:
        self._added[log] = self._added.get(log, "") + text


def distil_now(workspace: Workspace, unanswered: Mapping[str, str]) -> Distilled:
    """Write the lines from the replies into logs, where the next run takes them in. UserError if no model is named."""
    parts = workspace.night(AnsweredBefore(model_of(workspace), unanswered))
    with workspace.recording("distil") as record:
        done = distil_prose(parts, workspace.transactions.ledger(), workspace.settings.distil, workspace.now)
        record.counts, record.is_changed = {"distilled": done.lines, "not believed": done.refused}, bool(done.pieces)
    return done


def propose_now(workspace: Workspace, days: int) -> list[Proposed]:
    """Find by rules what to remember in the prose of the last `days` days; it waits in the review then."""
    logs, finders, now = workspace.logs, workspace.finders(), workspace.now
    policy = workspace.settings.distil._replace(days=days)
    if workspace.is_dry:
        return propose(logs, finders, policy, now, dry_run=True)
    with workspace.recording("propose") as record:
        found = propose(logs, finders, policy, now, dry_run=False)
        count = sum(len(one.lines) for one in found)
        record.counts, record.is_changed = {"proposed": count}, bool(count)
    return found


class PlannedPiece(NamedTuple):
    """What one call would send: the logs that it has pieces of, the tokens of the question, and its text."""

    places: Sequence[str]
    tokens: int
    text: str


class DistilPlan(NamedTuple):
    """What a night would send: questions about logs, and the numbers of those about clusters of memories and look-alikes.

    Calls and tokens are upper limits: they include the trials of the model, and for each question about logs or a cluster the
    second one, which verifies the lines. The cost is 0 without a price.
    """

    pieces: Sequence[PlannedPiece]
    insights: int
    comparisons: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float


def plan_distilling(workspace: Workspace, *, only_prose: bool = False, is_anew: bool = False) -> DistilPlan:
    """Find what would be sent; with `is_anew` also what was read before. No model need be named."""
    models, settings = _Asked(), workspace.settings.distil
    _go_through(workspace, models, only_prose=only_prose, logs=_Unwritten(workspace.logs, is_anew=is_anew))
    pieces = [one for one in models.prompts if one.version == VERSION]
    insights = [one for one in models.prompts if one.version == OF_INSIGHTS]
    again = [_verifying(one) for one in (*pieces, *insights)]
    trials = [believe.verify_trial(is_korean=is_korean).prompt for is_korean in (False, True)] if again else []
    parts, most = workspace.night(models), 0 if only_prose else settings.compare
    comparisons = [one.prompt for one in find_questions(parts, workspace.transactions.ledger(), most) if one.prompt]
    prompts = [*models.prompts, *again, *trials, *comparisons]
    asked = sum(count_tokens(one.system + one.text) for one in prompts)
    answered = sum(one.most_tokens for one in prompts)
    cost = (asked * settings.input_price + answered * settings.output_price) / 1_000_000
    planned = [PlannedPiece(logs_in(one), count_tokens(one.system + one.text), one.text) for one in pieces]
    return DistilPlan(planned, len(insights), len(comparisons), len(prompts), asked, answered, cost)


def _verifying(prompt: Prompt) -> Prompt:
    """The largest question by which the answer to a prompt can be verified."""
    lines = "x" * min(4 * prompt.most_tokens, believe.LONGEST)
    return Prompt("", believe.SYSTEM_OF_INSIGHTS, prompt.text + lines, prompt.schema, believe.MOST_TOKENS)

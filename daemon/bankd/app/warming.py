"""Search judged once more with memories in use, and what it loses or gains by that against the same questions cold.

Three ways: by question, its own answers used before it is asked and nothing else (what use brings at best); all at
once, the answers to all questions used before any is asked (where they get in each other's way); and after a history
of other questions, of which all that was shown counts as recalled, right or wrong, as in life.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random

from bankd.app.evaluate import NOW, Evaluation, JudgedQuery, OpenTrial, evaluation_of
from bankd.core.ranking.comparing import Comparison, compare_figures
from bankd.core.ranking.eval_bank import id_of
from bankd.core.ranking.priors import NOT_USED, Usage
from bankd.errors import UserError

USES = (5, 20)
"""Days of use before a question is asked, as the protocol has it from which this is taken."""
SHOWN = 5
"""How many answers a search shows, and so recalls, by default."""
_SEED = 4


def judge_warm(opened: OpenTrial) -> dict[str, Evaluation]:
    """The figures with answers in use: by question, each with its number of days of use, and all at once."""
    named = {str(document["id"]): id_of(document) for document in opened.trial.documents}
    answers = {query: [named[one] for one in found if one in named] for query, found in opened.trial.relevant.items()}
    found = {f"{uses} uses of its own answers": _by_question(opened, answers, uses) for uses in USES}
    asked = Counter(id_ for query in opened.trial.queries for id_ in answers[str(query["id"])])
    suppose(opened, {id_: _used(USES[0] * times) for id_, times in asked.items()})
    return found | {f"{USES[0]} uses of all answers at once": opened.judge()}


def _by_question(opened: OpenTrial, answers: Mapping[str, list[str]], uses: int) -> Evaluation:
    judged: list[JudgedQuery] = []
    for query in opened.trial.queries:
        suppose(opened, dict.fromkeys(answers[str(query["id"])], _used(uses)))
        judged += opened.judge([query]).judged
    return evaluation_of(judged)


def judge_after_history(opened: OpenTrial) -> dict[str, Evaluation]:
    """The figures of half of the questions, drawn at random but always the same, after the other half was asked."""
    queries = list(opened.trial.queries)
    Random(_SEED).shuffle(queries)  # noqa: S311 -- a sample, not a secret
    half = len(queries) // 2
    if not half:
        raise UserError("a history needs two questions")
    recalled = recall_by(opened, queries[:half])
    suppose(opened, recalled)
    return {f"a history of {half} other questions": opened.judge(queries[half:])}


def recall_by(opened: OpenTrial, queries: list[Mapping[str, object]]) -> Mapping[str, Usage]:
    """Ask these, each on another day; what is recalled bears on the next question already. What was shown how often."""
    named = {str(document["id"]): id_of(document) for document in opened.trial.documents}
    recalled: dict[str, Usage] = {}
    suppose(opened, recalled)
    for query in queries:
        (judged,) = opened.judge([query]).judged
        for id_ in (named[document] for document in judged.ranking[:SHOWN] if judged.answered):
            recalled[id_] = Usage(shown=recalled.get(id_, NOT_USED).shown + 1)
    return recalled


def _used(days: int) -> Usage:
    return Usage(days, NOW.date())


def suppose(opened: OpenTrial, usage: Mapping[str, Usage]) -> None:
    """Rank as if memories had been used so."""
    opened.search.suppose(
        lambda options: options._replace(usage_of=lambda ids: {id_: usage[id_] for id_ in ids if id_ in usage})
    )


def against_cold(cold: Evaluation, warm: Mapping[str, Evaluation]) -> dict[str, Mapping[str, Comparison]]:
    """Each figure beside the same questions cold."""
    before = {one.query: one.quality for one in cold.judged}
    return {
        name: compare_figures({one.query: one.quality for one in found.judged}, before) for name, found in warm.items()
    }

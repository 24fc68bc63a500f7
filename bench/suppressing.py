"""Whether what was beaten should step back: the table on which suppression ships on or off.

    python -m bench.suppressing [--choose] [--limit N]

Every question is followed by feedback, as from somebody who knows: the answers that the set calls right were used, the
others of the five shown ignored. Then it is told what suppression does to the next questions, beside the same without.

    other questions     each question of a conversation of LoCoMo, or of KorQuAD, after all that came before it
    asked again         the same questions word for word, a second time
    repeated needs      questions in other words about facts (`data/enriched`): one with feedback, then another

`--choose` prints the table of strengths and clusters on the halves for choosing; else the other halves are reported.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bankd.app.evaluate import SHOWN, Evaluation, OpenTrial, TrialSet, open_trial, read_set
from bankd.memory import use_policy as policy
from bankd.search import suppression
from bankd.search.evaluation import compare_figures, id_of, mean_of
from bankd.wiring.search import trial_tools
from bench.halves import halves_of
from bench.quality import GROUP, data_folder

Query = Mapping[str, Any]
OTHERS = ("locomo-turns-1-5", "locomo-facts-1-5", "korquad1-a")
CLUSTERS, STRENGTHS = (0.35, 0.5, 0.7), (0.02, 0.05, 0.1)
FIGURES = ("mrr_10", "recall_1", "recall_10")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--choose", action="store_true")
    parser.add_argument("--limit", type=int, default=0)
    arguments = parser.parse_args()
    for name in OTHERS:
        with open_trial(read_set(data_folder() / name), trial_tools(), group=GROUP, with_worker=True) as opened:
            asked = halves_of(opened.trial)[not arguments.choose]
            asked = asked[: arguments.limit or None]
            tell(f"{name}, other questions", opened, [[query] for query in asked], choose=arguments.choose)
            tell(f"{name}, asked again", opened, [[query, query] for query in asked], choose=arguments.choose)
            if name == OTHERS[1]:
                needs = [*repeated_needs(opened.trial, choose=arguments.choose)]
                repeated = opened._replace(trial=needs_trial(opened.trial, needs))
                tell(f"{name}, repeated needs", repeated, needs, choose=arguments.choose)
    return 0


def repeated_needs(trial: TrialSet, *, choose: bool) -> Iterator[Sequence[Query]]:
    """The ways in which a need is asked: conversation 26 is for choosing, 30 for reporting."""
    conversation = "conv-26" if choose else "conv-30"
    groups = {str(document["id"]): document.get(GROUP) for document in trial.documents}
    file = data_folder() / "enriched" / "locomo-facts-26-30.jsonl"
    for line in file.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        if groups.get(one["id"]) == conversation:
            yield [
                {"id": f"{one['id']}?{n}", "text": text, GROUP: conversation, "gold": one["id"]}
                for n, text in enumerate(one["queries"])
            ]


def needs_trial(trial: TrialSet, needs: Sequence[Sequence[Query]]) -> TrialSet:
    """A test set of these needs."""
    queries = [query for ways in needs for query in ways]
    return trial._replace(queries=queries, relevant={str(one["id"]): {one["gold"]: 1} for one in queries})


def tell(title: str, opened: OpenTrial, rounds: Sequence[Sequence[Query]], *, choose: bool) -> None:
    """Lines of differences: with the settings as they are, or with each that may be chosen."""
    opened.search.suppose(lambda options: options._replace(losses_of=lambda _: {}))
    counted = [query for ways in rounds for query in ways[len(ways) > 1 :]]
    cold = opened.judge(counted)
    print(f"{title}: {len(counted)} questions, without " + _figures(cold), flush=True)
    usual = (policy.SAME_NEED, policy.SUPPRESSION)
    for cluster, strength in [(c, s) for c in CLUSTERS for s in STRENGTHS] if choose else [usual]:
        vars(suppression).update(SAME_NEED=cluster, SUPPRESSION=strength)
        with_it, lost = ask_in_turn(opened, rounds)
        before = {one.query: one.quality for one in cold.judged}
        compared = compare_figures({one.query: one.quality for one in with_it.judged}, before)
        said = (
            f"{figure} {one.difference:+.4f} [{one.low:+.4f}, {one.high:+.4f}] p {one.p:.3f}"
            for figure in FIGURES
            for one in [compared[figure]]
        )
        print(f"  cluster {cluster}, strength {strength}: {'; '.join(said)}; {lost} memories beaten", flush=True)
    vars(suppression).update(SAME_NEED=usual[0], SUPPRESSION=usual[1])


def _figures(found: Evaluation) -> str:
    return " ".join(f"{figure} {getattr(found.quality, figure):.4f}" for figure in FIGURES)


def ask_in_turn(opened: OpenTrial, rounds: Sequence[Sequence[Query]]) -> tuple[Evaluation, int]:
    """Ask one after the other, with feedback after each; of several ways to ask, all but the first are judged."""
    named = {str(document["id"]): id_of(document) for document in opened.trial.documents}
    losses: dict[str, list[str]] = defaultdict(list)
    opened.search.suppose(
        lambda options: options._replace(losses_of=lambda ids: {id_: losses[id_] for id_ in ids if id_ in losses})
    )
    judged = []
    for ways in rounds:
        for turn, query in enumerate(ways):
            (one,) = opened.judge([query]).judged
            judged += [one] if turn or len(ways) == 1 else []
            shown, right = one.ranking[:SHOWN], opened.trial.relevant[str(query["id"])]
            if any(document in right for document in shown):
                for document in shown:
                    if document not in right:
                        losses[named[document]].append(str(query["text"]))
    times = sorted(one.milliseconds for one in judged)
    return Evaluation(judged, mean_of([one.quality for one in judged]), times[len(times) // 2]), len(losses)


if __name__ == "__main__":
    sys.exit(main())

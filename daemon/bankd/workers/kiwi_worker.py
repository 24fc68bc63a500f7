"""The process that holds Kiwi: one JSON request a line on stdin, one answer a line on stdout, until stdin ends.

    {"texts": ["가치관이 뭐야?"]}  →  {"analyses": [[["가치관", "뭐"]], false, {"가치관이": ["가치관"], "뭐야": ["뭐"]}]]}
    {"apart": ["뭐야?"]}  →  {"analyses": [[["뭐", "NP"], ["이", "VCP"], ["야", "EF"], ["?", "SF"]]]}

The only module that imports kiwipiepy; its 530 MB end with the process.
"""

from __future__ import annotations

import json
import sys

from kiwipiepy import Kiwi

from bankd.words.analysis import analyse_text, normal_form, readings_of


def main() -> None:
    """Answer requests until the other side closes the pipe."""
    kiwi = Kiwi(num_workers=2, load_multi_dict=False)
    kiwi.tokenize("준비")
    print(json.dumps({"ready": True}), flush=True)  # noqa: T201 -- the pipe is the protocol
    for line in sys.stdin:
        request = json.loads(line)
        answers = _take_apart(kiwi, request["apart"]) if "apart" in request else _analyse(kiwi, request["texts"])
        print(json.dumps({"analyses": answers}, ensure_ascii=False), flush=True)  # noqa: T201


def _analyse(kiwi: Kiwi, texts: list[str]) -> list[object]:
    answers: list[object] = []
    for text, tokens in zip(texts, kiwi.tokenize([normal_form(text) for text in texts]), strict=True):
        morphemes = [(token.form, str(token.tag), token.start) for token in tokens]
        analysis = analyse_text(text, morphemes)
        answers.append([analysis.sentences, analysis.denies, readings_of(text, morphemes)])
    return answers


def _take_apart(kiwi: Kiwi, texts: list[str]) -> list[object]:
    return [[(token.form, str(token.tag)) for token in tokens] for tokens in kiwi.tokenize(texts)]


if __name__ == "__main__":
    main()

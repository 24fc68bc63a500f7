"""The example lines that ship beside the rules, `config/examples.md`: what no rule claims goes where lines like it belong."""

from __future__ import annotations

import re
from functools import cache

from bankd.core.lifecycle.page_classifier import Classified, ExampleLine, PageClassifier
from bankd.core.markdown.memory import Memory
from bankd.shipped import shipped_folder

_PAGE_OR_LINE = re.compile(r"^(?:# (.+)|- ([WBOS]): (.+))$", re.MULTILINE)


def classify_memory(memory: Memory) -> Classified | None:
    """The page that a memory belongs on by its kind; None where that is not clear."""
    return _classifier().classify(memory)


@cache
def _classifier() -> PageClassifier:
    """Learns when the first line asks: most runs have none that no rule claims."""
    file = shipped_folder("config") / "examples.md"
    return PageClassifier(read_examples(file.read_text(encoding="utf-8")))


def read_examples(text: str) -> list[ExampleLine]:
    """Read lines below the page that they belong on: `# daily/home.md`, then `- W: …`."""
    examples: list[ExampleLine] = []
    page = ""
    for title, tag, said in _PAGE_OR_LINE.findall(text):
        page = title or page
        if said and page:
            examples.append((page, tag, said))
    return examples

"""The example lines that ship beside the rules, `config/examples.md`: what no rule claims goes where lines like it belong."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from bankd.core.lifecycle.page_classifier import Classified, ExampleLine, PageClassifier
from bankd.core.markdown.memory import Memory
from bankd.shipped import shipped_folder


def classify_memory(memory: Memory) -> Classified | None:
    """The page that a memory belongs on by its kind; None where that is not clear."""
    return _classifier().classify(memory)


@cache
def _classifier() -> PageClassifier:
    """Learns when the first line asks: most runs have none that no rule claims."""
    file = shipped_folder("config") / "examples.md"
    return PageClassifier(read_examples(file.read_text(encoding="utf-8")))


def read_examples(text: str) -> Iterator[ExampleLine]:
    """Read lines below the page that they belong on: `# daily/home.md`, then `- W: …`."""
    page = ""
    for line in text.splitlines():
        if line.startswith("# "):
            page = line.removeprefix("# ")
        elif line.startswith("- ") and page:
            tag, _, said = line.removeprefix("- ").partition(": ")
            yield ExampleLine(page, tag, said)

"""Which part of a split page a memory goes to."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from bankd.memory.route import Destination, PagePart, choose_part, read_part
from bankd.pages.memory import Memory
from bankd.pages.page import part_line, read_page
from bankd.pages.scanner import encode_text

PAGES = {
    "bank/k/full.md": "# Full\n\n- [도구](full/도구.md): 2 items\n- [People](full/people.md): 1 item\n- [Log](full/log.md)\n",
    "bank/k/full/도구.md": "## 도구\n\n- W: 편집기는 vim을 쓴다.\n- W: 터미널은 tmux.\n",
    "bank/k/full/people.md": "## People\n\n- W @Peter: Lives in Marrakech.\n",
    "bank/k/full/log.md": "## Log\n\n- [log 1](log/log-1.md): 9 items\n- [log 2](log/log-2.md): 9 items\n",
    "bank/k/full/log/log-1.md": "- W: met on 2026-04-02\n",
    "bank/k/full/log/log-2.md": "- W: met on 2026-05-02\n",
}


def view(path: str) -> PagePart | None:
    return read_part(read_page(path, encode_text(PAGES[path]))) if path in PAGES else None


@pytest.mark.parametrize(
    ("memory", "heading", "page", "under"),
    [
        (Memory("새 편집기를 시험했다"), None, "k/full/도구.md", None),
        (Memory("Likes tea.", entities=("Peter",)), None, "k/full/people.md", None),
        (Memory("anything at all"), "People", "k/full/people.md", "People"),
        (Memory("met on 2026-05-20"), None, "k/full/log/log-2.md", None),
        (Memory("전혀 다른 이야기"), None, "k/full.md", None),
        (Memory("vim"), "Full", "k/full.md", "Full"),
    ],
)
def test_a_memory_goes_to_the_part_that_fits_or_stays_with_the_hub(
    memory: Memory, heading: str | None, page: str, under: str | None
) -> None:
    found = choose_part(memory, Destination("k/full.md", heading, "rule"), view)

    assert (found.page, found.heading) == (page, under)


def test_a_page_that_is_no_hub_is_where_the_rule_said() -> None:
    destination = Destination("k/full/people.md", "New", "rule")

    assert choose_part(Memory("x"), destination, view) is destination


def test_real_questions_find_the_part_of_their_topic(shared: Path) -> None:
    """31 topics of Korean questions as the parts of one page; the terms were chosen on this set."""
    lines = (shared / "data/korquad2-routing-a/items.jsonl").read_text("utf-8").splitlines()
    items = [json.loads(line) for line in lines]
    seeds = defaultdict(list)
    for item in items:
        if item["split"] == "seed":
            seeds[item["label"]].append(item["text"])
    pages = {f"bank/k/full/{label}.md": "".join(f"- W: {text}\n" for text in texts) for label, texts in seeds.items()}
    hub = "".join(part_line("bank/k/full.md", path, "", "", "\n") for path in pages)
    views = {
        path: read_part(read_page(path, encode_text(text))) for path, text in {**pages, "bank/k/full.md": hub}.items()
    }
    right: Counter[bool] = Counter()
    total: Counter[bool] = Counter()
    for item in items:
        if item["split"] == "test":
            found = choose_part(Memory(item["text"]), Destination("k/full.md", None, ""), views.get)
            total[item["label_in_text"]] += 1
            right[item["label_in_text"]] += found.page == f"k/full/{item['label']}.md"

    assert right[True] / total[True] >= 0.97
    assert right[False] / total[False] >= 0.72

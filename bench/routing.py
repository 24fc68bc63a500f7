"""Where everyday lines go that no rule was written for: acceptable page, inbox, or wrong, in each half of the set.

    python -m bench.routing

By the rules alone, by the kind alone (what the shipped examples tell of a line), by likeness alone (the memories of the
bank), and by all, each on an empty bank and on one that holds the other half. The rules that ship, and the bounds of
`memory.route`, were chosen on the shipped examples, four fifths of them telling the fifth, which is
printed last but one, and so was from where likeness stands above kind, which is printed last; the other bounds of `memory.route` on the lines of even number. The odd ones were looked at by nobody who
chose; nor were those of the lines beside this file, which are of the kind that agents' logs have.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

from bankd.app.init import make_workspace
from bankd.config import shipped_folder
from bankd.config.workspace import read_examples
from bankd.memory.route import ExampleLine, PageClassifier, Rules, choose_page, is_close, route_memory
from bankd.pages.memory import Memory, render_memory
from bankd.pages.names import INBOX
from bankd.wiring.workspace import open_workspace
from bench.quality import data_folder

FOLDS, HELD = 5, 400

Line = Mapping[str, Any]


def lines_of(folder: Path) -> tuple[Sequence[Line], Sequence[Line]]:
    """The lines for choosing, and those for reporting."""
    lines = [json.loads(line) for line in (folder / "lines.jsonl").read_text(encoding="utf-8").splitlines()]
    even = [line for line in lines if int(line["id"][-3:]) % 2 == 0]
    return even, [line for line in lines if line not in even]


def memory_of(line: Line) -> Memory:
    """A line as it is routed."""
    return Memory(line["text"], line["tag"], None, tuple(line["entities"]))


def fill_bank(root: Path, lines: Iterable[Line]) -> None:
    """Put lines on their best pages, as a user would have done."""
    pages: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        pages[line["pages"][0]].append(f"- {render_memory(memory_of(line))}\n")
    for page, items in pages.items():
        file = root / "bank" / page
        before = file.read_text(encoding="utf-8") if file.exists() else f"# {file.stem}\n"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(before + "\n" + "".join(items), encoding="utf-8")


def judge_pages(lines: Sequence[Line], pages: Iterable[str]) -> str:
    """The shares of lines on an acceptable page, in the inbox, and elsewhere."""
    kinds = Counter(
        "acceptable" if page in line["pages"] else "inbox" if page == INBOX else "wrong"
        for line, page in zip(lines, pages, strict=True)
    )
    return "  ".join(f"{kind} {kinds[kind] / len(lines):.2f}" for kind in ("acceptable", "inbox", "wrong"))


def judge_bank(lines: Sequence[Line], held: Sequence[Line]) -> dict[str, str]:
    """By rules, likeness and both, in a fresh workspace that holds these other lines."""
    with TemporaryDirectory(prefix="bankd-routing-") as name:
        root = Path(name)
        make_workspace(root)
        fill_bank(root, held)
        with open_workspace(root, write=True) as workspace:
            workspace.refresh()
            rules, like = workspace.policy().rules, workspace.index.similar_to
            bare = replace(rules, rules=(), defaults={}, matching=lambda _: ())
            ways = {
                "rules alone": (replace(rules, similar=False), like),
                "kind alone": (bare, lambda _: ()),
                "likeness alone": (replace(bare, kinds=lambda: PageClassifier(())), like),
                "all": (rules, like),
            }
            return {
                way: judge_pages(lines, [route_memory(memory_of(line), by, find).page for line in lines])
                for way, (by, find) in ways.items()
            }


def shipped_rules() -> Rules:
    """The rules of a new workspace."""
    with TemporaryDirectory(prefix="bankd-routing-") as name:
        make_workspace(Path(name))
        with open_workspace(Path(name)) as workspace:
            return workspace.policy().rules


def judge_named(lines: Sequence[Line], rules: Rules) -> str:
    """Of the lines that wait, how many have an acceptable page among those that are named."""
    waiting = [line for line in lines if route_memory(memory_of(line), rules).page == INBOX]
    named = sum(not {*rules.kinds().likeliest(memory_of(line))}.isdisjoint(line["pages"]) for line in waiting)
    return f"of {len(waiting)} that wait {named} have an acceptable page among the three named"


def judge_examples() -> str:
    """The shares of the shipped examples that the others place rightly, not at all, and wrongly."""
    examples = sorted(_shipped_examples(), key=lambda one: crc32(one[2].encode()))
    kinds: Counter[str] = Counter()
    for fold in range(FOLDS):
        classifier = PageClassifier(one for at, one in enumerate(examples) if at % FOLDS != fold)
        for page, tag, said in examples[fold::FOLDS]:
            found = classifier.classify(Memory(said, tag, None, ()))
            kinds["inbox" if found is None else "acceptable" if found.page == page else "wrong"] += 1
    return "  ".join(f"{kind} {kinds[kind] / len(examples):.2f}" for kind in ("acceptable", "inbox", "wrong"))


def judge_disputed() -> str:
    """Of the examples for which a bank of others and the kind name two pages: how many each of them places rightly.

    A sixth of them is asked for, `HELD` others are the bank and the rest tells the kind, three times over.
    """
    examples = sorted(_shipped_examples(), key=lambda one: crc32(one[2].encode()))
    bands: dict[str, Counter[str]] = {"below": Counter(), "close": Counter()}
    for fold in range(3):
        others = [one for at, one in enumerate(examples) if at % 6 != fold]
        Random(fold).shuffle(others)
        for band, right in _disputes(examples[fold::6], others):
            bands[band][right] += 1
    return "; ".join(f"{band} {dict(sorted(counts.items()))}" for band, counts in bands.items())


def _disputes(asked: Sequence[ExampleLine], others: Sequence[ExampleLine]) -> Iterator[tuple[str, str]]:
    """How alike the memories are that dispute the kind of a line, and which of the two is right."""
    classifier = PageClassifier(others[HELD:])
    with TemporaryDirectory(prefix="bankd-routing-") as name:
        make_workspace(Path(name))
        held = ({"pages": [page], "text": said, "tag": tag, "entities": ()} for page, tag, said in others[:HELD])
        fill_bank(Path(name), held)
        with open_workspace(Path(name), write=True) as workspace:
            workspace.refresh()
            for page, tag, said in asked:
                memory = Memory(said, tag, None, ())
                like, kind = choose_page(memory, workspace.index.similar_to(memory)), classifier.classify(memory)
                if like and kind and like[0] != kind.page:
                    right = "likeness" if like[0] == page else "kind" if kind.page == page else "neither"
                    yield "close" if is_close(memory, like[1]) else "below", right


def _shipped_examples() -> list[ExampleLine]:
    return read_examples((shipped_folder("config") / "examples.md").read_text(encoding="utf-8"))


def main() -> None:
    for folder in (data_folder() / "routing", Path(__file__).parent / "everyday"):
        choosing, reporting = lines_of(folder)
        for half, lines, others in (("choosing", choosing, reporting), ("reporting", reporting, choosing)):
            for bank, held in (("empty bank", ()), ("other half held", others)):
                for way, figures in judge_bank(lines, held).items():
                    print(f"{folder.name:<10} {half:<10} {bank:<16} {way:<14} {figures}")
        for half, lines in (("choosing", choosing), ("reporting", reporting)):
            print(f"{folder.name:<10} {half:<10} {judge_named(lines, shipped_rules())}")
    print(f"{'examples':<10} {f'{FOLDS} folds':<10} {'':<16} {'kind alone':<14} {judge_examples()}")
    print(f"examples   likeness and kind name two pages: {judge_disputed()}")


if __name__ == "__main__":
    main()

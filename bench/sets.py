"""Two more kinds of sets, in halves: search on each. Prints MRR@10.

    python -m bench.sets short     short Korean facts asked for in other words
    python -m bench.sets titles    notes of developers asked for by their titles alone

Each fact of naia is asked for by the questions that a large model wrote for it from its text alone (`data/enriched`); the
facts of even number are for choosing, the odd ones are reported. The notes are those of the vaults in the shared data,
without front matter, headings and code, each as one memory and as a page of paragraphs; their halves are by a checksum of
the title.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from zlib import crc32

from bench.quality import data_folder
from bench.trial import Query, TrialSet, open_trial, read_set

VAULTS = ("shdkej-wiki", "vue-docs-ko", "ms-engineering-playbook")
_NO_PROSE = re.compile(r"\A---\n.*?\n---\n|^(`{3,}|~{3,}).*?^\1|^#+ .*?$", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"\A---\n(?:.*\n)*?title: *(.+)\n|^# +(.+)$", re.MULTILINE)
Halves = Sequence[Sequence[Query]]
"""The queries for choosing, and those that are reported."""


def _questions(name: str) -> Iterator[tuple[str, Sequence[str]]]:
    """By document the questions that a large model wrote for it."""
    for line in (data_folder() / "enriched" / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        yield row["id"], row["queries"][:3]


def read_short() -> Mapping[str, tuple[TrialSet, Halves]]:
    """The facts; a question is answered by the fact that it was written for."""
    queries = [
        {"id": f"{fact}-{at}", "fact": fact, "text": text}
        for fact, asked in _questions("naia-contract-ko")
        for at, text in enumerate(asked)
    ]
    documents = read_set(data_folder() / "naia-contract-ko").documents
    numbers = {query["id"]: int(re.sub(r"\D", "", query["fact"])) for query in queries}
    halves = [[query for query in queries if numbers[query["id"]] % 2 == rest] for rest in (0, 1)]
    return {"short": (TrialSet(documents, queries, {one["id"]: {one["fact"]: 1} for one in queries}), halves)}


def read_titles() -> Mapping[str, tuple[TrialSet, Halves]]:
    """The notes of each vault, each without its title, and the titles as questions."""
    found: dict[str, tuple[TrialSet, Halves]] = {}
    for name in VAULTS:
        notes = dict(_notes(data_folder().parent / "vaults" / name))
        queries = [{"id": title, "text": title} for title in notes]
        halves = [[query for query in queries if crc32(query["id"].encode()) % 2 == rest] for rest in (0, 1)]
        documents = [{"id": title, "text": text} for title, text in notes.items()]
        found[name] = TrialSet(documents, queries, {title: {title: 1} for title in notes}), halves
    return found


def _notes(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("*.md")):
        text = file.read_text(encoding="utf-8", errors="replace")
        named, prose = _NAMED.search(text), _NO_PROSE.sub("", text).strip()
        title = (named[1] or named[2]).strip("\"' ") if named else file.stem
        if len(prose) >= 200:  # what is shorter is no note
            yield re.sub(r"\{#.*\}|[`*]", "", title).strip(), prose


def main(arguments: Sequence[str]) -> int:
    if not arguments or arguments[0] not in {"short", "titles"}:
        raise SystemExit("which sets? python -m bench.sets short, or titles")
    is_short = arguments[0] == "short"
    for name, (trial, halves) in (read_short() if is_short else read_titles()).items():
        print(f"{name}: {len(trial.documents)} documents, {[len(half) for half in halves]} questions")
        for by_page in (False,) if is_short else (False, True):
            with open_trial(trial, by_page=by_page) as opened:
                judged = [opened.judge(half) for half in halves]
            print_row(f"  {'pages' if by_page else 'memories'}", [one.quality.mrr_10 for one in judged])
            print_row("    answers alone", [one.mrr_10_of_answers for one in judged])
            print_row("    (share not answered)", [one.unanswered / len(one.judged) for one in judged])
    return 0


def print_row(name: str, figures: Sequence[float]) -> None:
    """A figure for choosing, and one for reporting."""
    print(f"{name:<44}" + "".join(f"{figure:10.3f}" for figure in figures), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

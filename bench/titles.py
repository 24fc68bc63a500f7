"""Notes of developers asked for by their titles alone: each note as one memory, and as a page of paragraphs.

    python -m bench.titles [--vary]

Of the vaults in the shared data, without front matter, headings and code. By a checksum of the title half of the notes are
for choosing, the other half is reported; all of them are in the bank. `--vary` takes each part of a score away, as
`bench.choosing` does; there the floor holds nothing back.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from bankd.app.evaluate import TrialSet, open_trial, trial_workspace
from bankd.wiring.search import trial_tools
from bench.choosing import AS_CHOSEN, CONSTANTS, PARTS, Bench
from bench.quality import GROUP, data_folder
from bench.short_facts import PLAIN, print_row

VAULTS = ("shdkej-wiki", "vue-docs-ko", "ms-engineering-playbook")
_NO_PROSE = re.compile(r"\A---\n.*?\n---\n|^(`{3,}|~{3,}).*?^\1|^#+ .*?$", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"\A---\n(?:.*\n)*?title: *(.+)\n|^# +(.+)$", re.MULTILINE)
_LEAST = 200
"""Characters; what is shorter is no note."""


def read_notes(name: str) -> TrialSet:
    """The notes of a vault, each without its title, and the titles as questions."""
    notes = dict(_notes(data_folder().parent / "vaults" / name))
    documents = [{"id": title, "text": text} for title, text in notes.items()]
    return TrialSet(
        documents, [{"id": title, "text": title} for title in notes], {title: {title: 1} for title in notes}
    )


def _notes(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("*.md")):
        text = file.read_text(encoding="utf-8", errors="replace")
        named, prose = _NAMED.search(text), _NO_PROSE.sub("", text).strip()
        title = (named[1] or named[2]).strip("\"' ") if named else file.stem
        if len(prose) >= _LEAST:
            yield re.sub(r"\{#.*\}|[`*]", "", title).strip(), prose


def halves_of_titles(trial: TrialSet) -> list[Sequence[Mapping[str, Any]]]:
    """The titles for choosing, and those for reporting."""
    return [[query for query in trial.queries if crc32(str(query["id"]).encode()) % 2 == rest] for rest in (0, 1)]


def print_judged(trial: TrialSet, *, by_page: bool) -> None:
    with open_trial(trial, trial_tools("off"), group=GROUP, with_worker=True, by_page=by_page) as opened:
        judged = [opened.judge(half) for half in halves_of_titles(trial)]
    print_row(f"  {'pages' if by_page else 'memories'}", [one.quality.mrr_10 for one in judged])
    print_row("    answers alone", [one.mrr_10_of_answers for one in judged])


def print_varied(trial: TrialSet) -> None:
    halves = halves_of_titles(trial)
    with trial_workspace(trial.documents, GROUP) as (root, bank):
        bench = Bench("titles", trial, root, bank, len(trial.queries))
        for variation in (AS_CHOSEN, PLAIN, *PARTS, *CONSTANTS):
            ranks = [bench.ranks(half, variation) for half in halves]
            print_row(f"    {variation.name}", [sum(rank) / len(rank) for rank in ranks])
        bench.close()


def main(arguments: Sequence[str]) -> None:
    for name in VAULTS:
        trial = read_notes(name)
        print(f"{name}: {len(trial.documents)} notes, {[len(half) for half in halves_of_titles(trial)]} titles")
        for by_page in (False, True):
            print_judged(trial, by_page=by_page)
        if "--vary" in arguments:
            print_varied(trial)


if __name__ == "__main__":
    main(sys.argv[1:])

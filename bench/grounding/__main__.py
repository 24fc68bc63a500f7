"""How much of what a model invents the grounding check refuses, and how much of what is true.

    python -m bench.grounding [--all] [--missed]
    python -m bench.grounding --verified [--prompts FOLDER]     with the model asked again, by kept replies, on a sample

Every set beside this file has passages of logs as people and agents write them, each with some lines that are true, as a
model would put them, and some that say one thing more or otherwise. `five_kinds.jsonl`, `everyday.jsonl`, `prose.jsonl`,
`notebooks.jsonl`, `day_books.jsonl`, `careful.jsonl` and `terse.jsonl` were written by people who did not know the rules,
of the five kinds that the check promises (number, name, date, negation, version). The lines of the last two keep to the words
of the log as a summary does, and the logs of `terse.jsonl` are notes as people really write them, cut short. The half of a
passage goes by the last bit of the SHA-256 of its first line, but that all of `prose.jsonl` and `careful.jsonl` was chosen
on in the end, and the last 140 passages of `terse.jsonl`, by two more writers, were read by nobody. `genres.jsonl` is of all kinds of logs
(Markdown of agents, prose, chats, minutes, notes), each kind by another writer; its last 130 passages were read by nobody. `lines.jsonl` was written beside the rules and has more kinds; its half goes by
turns, of later passages by such a bit, and the last 26 were all chosen on, as all of `chosen_on.jsonl` and of
`reworded.jsonl`, whose lines are as far from the words of the log as their writers could put them. Reported is the half
that nothing was chosen on, with Wilson's 95 % interval.

`--verified` draws 200 invented and 200 true lines of the reporting halves, always the same. What the rules let through is
asked about as a night asks, sixty lines of several passages in a call, in an order that tells nothing of the labels.
`../replies/grounding.jsonl` has what a large model said that saw these prompts alone, by passage and line, so that it is
found again when the rules let through others; a line that it was not asked about is counted apart.
"""

from __future__ import annotations

import argparse
import sys
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from random import Random

from bankd.night.asking import DistilledLine
from bankd.night.believe import LineSources, verifying_prompt
from bench.asking import digest, kept_replies
from bench.grounding.judging import Judged, Row, judge_rows
from bench.intervals import wilson

REPLIES = Path(__file__).parents[1] / "replies/grounding.jsonl"
SAMPLE, SEED, A_CALL = 200, 7, 60


def main() -> int:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="the passages for choosing too")
    parser.add_argument("--missed", action="store_true", help="what was judged wrongly of those for choosing")
    parser.add_argument("--verified", action="store_true", help="with the model asked again, on a sample")
    parser.add_argument("--prompts", type=Path, metavar="FOLDER", help="where prompts about lines without a reply go")
    arguments = parser.parse_args()
    if arguments.verified:
        _tell_verified(arguments.prompts)
        return 0
    for file in sorted(Path(__file__).parent.glob("*.jsonl")):
        _tell_file(file, with_choosing=arguments.all, with_missed=arguments.missed)
    return 0


def _key(row: Row, line: Judged) -> str:
    return digest("\n".join([*row.source, line.text]))


def _tell_verified(folder: Path | None) -> None:
    """Print what of the sample is refused by the rules alone, and with the model; and write what it was not asked yet."""
    rows = [row for file in sorted(Path(__file__).parent.glob("*.jsonl")) for row in judge_rows(file)]
    lines = [(row, line) for row in rows for line in row.lines if line.is_reported]
    replies, unasked = kept_replies(REPLIES), list[tuple[Row, Judged]]()
    for what, is_invented in (("invented", True), ("true", False)):
        drawn = Random(SEED).sample([one for one in lines if one[1].is_invented is is_invented], SAMPLE)
        passed = [(row, line) for row, line in drawn if line.reason is None]
        known = [one for one in passed if _key(*one) in replies]
        unasked += [one for one in passed if _key(*one) not in replies]
        by_rules, by_model = SAMPLE - len(passed), sum(bool(replies[_key(*one)]) for one in known)
        low, high = wilson(by_rules + by_model, SAMPLE)
        print(
            f"{what}: by the rules alone {by_rules} of {SAMPLE} = {by_rules / SAMPLE:.3f}; the model refuses {by_model} of the {len(known)} "
            f"others that it was asked about: refused, or waiting at last, {(by_rules + by_model) / SAMPLE:.3f} [{low:.3f}, {high:.3f}]"
        )
        for row, line in known:
            if bool(replies[_key(row, line)]) is not is_invented:
                print(f"  {line.kind}: {line.text}: {replies[_key(row, line)] or 'passed'}")
    if unasked:
        print(f"not asked about: {len(unasked)} lines")
    if folder:
        _write_prompts(sorted(unasked, key=lambda one: _key(*one)), folder)


def _write_prompts(unasked: list[tuple[Row, Judged]], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for call in range(0, len(unasked), A_CALL):
        asked, sources, start = list[DistilledLine](), list[LineSources](), 1
        for row, line in unasked[call : call + A_CALL]:
            texts = dict(enumerate(row.source, start))
            start += len(texts)
            sources.append(LineSources(row.day.isoformat(), texts, row.day))
            asked.append(DistilledLine("W", (), line.text, tuple(texts)))
        prompt = verifying_prompt(asked, sources)
        keys = [_key(*one) for one in unasked[call : call + A_CALL]]
        name = f"{call // A_CALL:02}"
        (folder / f"{name}.txt").write_text(f"{prompt.system}\n\n{prompt.text}\n", "utf-8")
        (folder / f"{name}.keys").write_text("\n".join(keys), "utf-8")


def _tell_file(file: Path, *, with_choosing: bool, with_missed: bool) -> None:
    judged = [one for row in judge_rows(file) for one in row.lines]
    for half, is_reported in [("choosing", False)] * with_choosing + [("reporting", True)]:
        of_half = [one for one in judged if one.is_reported == is_reported]
        if of_half:
            _tell(f"{file.name} {half}", of_half)
    for one in judged if with_missed else ():
        if not one.is_reported and one.is_invented == (one.reason is None):
            print(f"  {one.kind}: {one.text}: {one.reason}")


def _tell(name: str, judged: list[Judged]) -> None:
    for what, wanted in (("invented", True), ("true", False)):
        of = [one for one in judged if one.is_invented is wanted]
        refused = sum(one.reason is not None for one in of)
        low, high = wilson(refused, len(of))
        print(f"{name}: {what} refused {refused} of {len(of)} = {refused / len(of):.3f} [{low:.3f}, {high:.3f}]")
    kinds = groupby(sorted((one for one in judged if one.is_invented), key=attrgetter("kind")), attrgetter("kind"))
    shares = ((kind, [one.reason is not None for one in of_kind]) for kind, of_kind in kinds)
    print("  refused by kind:", ", ".join(f"{kind} {sum(refused)} of {len(refused)}" for kind, refused in shares))


if __name__ == "__main__":
    sys.exit(main())

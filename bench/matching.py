"""What a model that is shown a memory and those most like it finds of rewordings and newer values, behind the guard.

    python -m bench.matching
    python -m bench.matching --command COMMAND     ask a model: as distil.command of bankd.yaml

Of each set the old lines of both halves and the facts of LoCoMo stand in one bank; each new line of the reporting half is
held against those that share most words with it (`night.match.MOST_OTHERS`), as a night does it: a pair whose old
line is not among them is missed. What the guard calls the same or newer is not asked about; what it calls near the model may tell apart. `replies/matching.jsonl` has what a large model
answered to just these prompts, by what was asked; it saw neither the labels nor these files.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bankd.night.asking import Prompt
from bankd.night.match import MOST_OTHERS, matching_prompt, of_day, relations_in
from bankd.same import compare_statements
from bankd.search.related import LookAlikes
from bankd.wiring.search import make_search
from bench.asking import digest, keep_answers, kept_replies
from bench.intervals import wilson
from bench.quality import data_folder
from bench.sameness import read_rows, read_statements
from bench.trial import NOW, SETTINGS

_OWN = Path(__file__).with_name("sameness")
REPLIES = Path(__file__).with_name("replies") / "matching.jsonl"
_A_PAGE = 200
SETS = ("natural", "pairs", "look_alikes")
_OLD, _NEW = date(2026, 5, 1), date(2026, 5, 2)


class Look(NamedTuple):
    """A new line, what the guard makes of it and its old one, and the old ones that a model is shown beside it."""

    label: str
    old: str
    new: str
    guard: str
    others: Sequence[str]

    @property
    def prompt(self) -> Prompt:
        """What is asked."""
        return matching_prompt(of_day(self.new, _NEW), [of_day(text, _OLD) for text in self.others])

    @property
    def key(self) -> str:
        """By what its reply is found."""
        return digest(self.prompt.text)


def fill(root: Path, texts: Sequence[str]) -> None:
    """A bank of these memories."""
    for number in range(0, len(texts), _A_PAGE):
        page = root / "bank" / "world" / f"page-{number // _A_PAGE}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("".join(f"- W: {text}\n" for text in texts[number : number + _A_PAGE]), encoding="utf-8")


def looks_of(name: str) -> Iterator[Look]:
    """The pairs of a set that are reported, with those among which a night finds the old line."""
    file = data_folder() / "pairs" / "pairs.jsonl" if name == "pairs" else _OWN / f"{name}.jsonl"
    pairs = [{**pair, **{of: " ".join(str(pair[of]).split()) for of in ("old", "new")}} for pair in read_rows(file)]
    reported = [pair for pair in pairs if int(str(pair["id"])[-3:]) % 2]
    statements = read_statements({str(pair[of]) for pair in reported for of in ("old", "new")})
    noise = [" ".join(str(row["text"]).split()) for row in read_rows(data_folder() / "locomo-facts-1-5" / "docs.jsonl")]
    with TemporaryDirectory(prefix="bankd-matching-") as place:
        fill(Path(place), [*dict.fromkeys([*(str(pair["old"]) for pair in pairs), *noise])])
        with closing(make_search(Path(place), SETTINGS)) as search:
            search.refresh(NOW, None)
            alike = LookAlikes(search.index)
            for pair in reported:
                old, new = str(pair["old"]), str(pair["new"])
                guard = str(compare_statements(statements[old], statements[new]).relation)
                others = [row.text for row in alike.near(new) if row.text != new][:MOST_OTHERS]
                yield Look(str(pair["label"]).replace("update", "newer"), old, new, guard, others)


def _call(look: Look, answer: Any) -> str:
    """What a bank makes of a pair at last: what is near is shown as one, as what is the same."""
    if answer is None or look.guard in ("same", "newer") or look.old not in look.others:
        return "same" if look.guard == "near" else look.guard
    relation = str(relations_in(answer, len(look.others))[look.others.index(look.old)])
    return "same" if relation == "near" else relation


def _tell(name: str, calls: Mapping[tuple[str, str], int]) -> None:
    for label in ("same", "newer"):
        right = calls.get((label, label), 0)
        called = sum(number for (_, call), number in calls.items() if call == label)
        there = sum(number for (own, _), number in calls.items() if own == label)
        shares = (f"{what} {_share(right, of)}" for what, of in (("precision", called), ("recall", there)))
        print(f"{name:<22} {label:<6} {', '.join(shares)}")


def _share(found: int, of: int) -> str:
    low, high = wilson(found, of)
    return f"{found / max(of, 1):.2f} ({found} of {of}) [{low:.2f}, {high:.2f}]"


def main() -> None:
    """Print the figures of each set, by the guard alone and with the model behind it."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--command", help="as distil.command of bankd.yaml: the model to ask")
    command = parser.parse_args().command
    for name in SETS:
        looks = list(looks_of(name))
        if command:
            keep_answers(command, {look.key: look.prompt for look in looks if look.others}, REPLIES)
            continue
        kept = kept_replies(REPLIES)
        answered = [(look, kept.get(look.key)) for look in looks if look.key in kept or not look.others]
        alike = [look for look in looks if look.label != "different"]
        print(f"{name:<22} shown the old line: {_share(sum(look.old in look.others for look in alike), len(alike))}")
        _tell(f"{name}, guard", Counter((look.label, _call(look, None)) for look, _ in answered))
        _tell(f"{name}, and model", Counter((look.label, _call(look, answer)) for look, answer in answered))


if __name__ == "__main__":
    main()

"""What a night makes of sessions that nobody noted: the scenarios of the report half, by replies that were kept.

    python -m bench.distilling [--sets household,game,oncall] [--missed]
    python -m bench.distilling --tokens             only what is sent for each token of log, and for one session a night
    python -m bench.distilling --prompts FOLDER     only write the next prompt of each scenario that has no reply yet, a file each
    python -m bench.distilling --take FOLDER        keep the replies there: the JSON alone, in PROMPT.json beside PROMPT.txt

Each scenario (a household, a game, a diary on call; `mobile` was for choosing) is imported and read in one night, as
`bankctl cycle reflect` does it. `replies/distilling.jsonl` has what large models answered to just these prompts, by what was
asked: one wrote the lines, another verified them, and each saw the prompts alone. `replies/distilling_judged.tsv` says of each
note whether a line has it, of each line whether it is useful, and of a pair that no label names whether it is right, judged one
by one by a third model that saw logs, labels and lines; a row of what is there no more counts for nothing.

A question is answered where the brief of a session or the recall of a prompt (`agents.hooks`) has one of its answers; it is
stale where the first line of the recall has an outdated value and no answer, and tells it as current: without the mark that it may
be out of date because what replaces it waits in the review. Tokens are upper bounds, as everywhere; the
schema of the answer is counted as sent.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bankd.agents.hooks import answer_hook
from bankd.app.distil import ask_models
from bankd.app.init import make_workspace
from bankd.briefing.recalled import DOUBT
from bankd.briefing.shown import count_tokens
from bankd.memory.retain import read_log
from bankd.night import believe
from bankd.night.asking import Prompt, Reply, Unanswered
from bankd.night.believe import LineSources, verify_trial, verifying_prompt
from bankd.night.distil import VERSION, find_pieces, lines_in, logs_in, prompt_for
from bankd.night.sections import LogPiece
from bankd.pages.memory import parse_memory, statement_of
from bankd.wiring.reader import BankReader
from bankd.wiring.runner import import_sources, sources_at
from bankd.wiring.workspace import open_workspace
from bench.asking import kept_replies
from bench.quality import data_folder

NOW = datetime(2026, 11, 20, 3, tzinfo=UTC)
REPLIES, JUDGED = (Path(__file__).with_name("replies") / f"distilling{end}" for end in (".jsonl", "_judged.tsv"))
Judged = Mapping[tuple[str, str], bool]


class KeptModel:
    """Answers with what was kept, by `key_of`, and knows what it was asked."""

    def __init__(self) -> None:
        self.replies = kept_replies(REPLIES)
        self.asked: dict[str, Prompt] = {}

    def find(self, prompt: Prompt) -> Reply | None:
        value = self.replies.get(key_of(prompt))
        return None if value is None else Reply(value, 0, 0, is_kept=True)

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Reply | Unanswered]:
        self.asked |= {key_of(prompt): prompt for prompt in prompts}
        return [self.find(one) or Unanswered("no reply was kept") for one in prompts]


def key_of(prompt: Prompt) -> str:
    """What a reply is kept by: the wording of the instructions, and what was asked."""
    return f"{prompt.version}-{prompt.digest}"


def write_prompts(folder: Path, name: str, model: KeptModel) -> None:
    """Write the first prompt without a reply; what comes after it depends on the reply."""
    folder.mkdir(exist_ok=True)
    for key, prompt in model.asked.items():
        if key not in model.replies:
            schema = json.dumps(prompt.schema, indent=1)
            text = f"{prompt.system}\n\n{prompt.text}\n\nAnswer with JSON alone, by this schema:\n{schema}\n"
            (folder / f"{name}_{key}.txt").write_text(text, "utf-8")
            return


def take_replies(folder: Path) -> None:
    """Keep the replies in a folder, each instead of the one to the same prompt."""
    kept = {**kept_replies(REPLIES)}
    for file in sorted(folder.glob("*.json")):
        kept[file.stem.partition("_")[2]] = json.loads(file.read_text("utf-8"))
    rows = (json.dumps({"key": key, "value": value}, ensure_ascii=False) for key, value in kept.items())
    REPLIES.write_text("".join(f"{row}\n" for row in rows), "utf-8")


class BankOnDay(BankReader):
    """A bank as hooks read it, on the day after the night."""

    def now(self) -> datetime:
        return NOW


def have_night(root: Path, name: str, model: KeptModel) -> None:
    """Import a scenario into a new workspace, and run a night."""
    make_workspace(root, zone="Asia/Seoul")
    settings = root / "bankd.yaml"
    settings.write_text(settings.read_text("utf-8").replace("  days: 14", "  days: 3650"), "utf-8")
    folder = scenarios() / "transcripts" / name
    for log in folder.glob("*.md"):
        shutil.copy(log, root / "memory" / log.name)
    with open_workspace(root, NOW) as workspace:
        if any(folder.glob("*.jsonl")):
            list(import_sources(workspace, sources_at(workspace, [str(folder)]), is_by_hand=True))
    with open_workspace(root, NOW) as workspace:
        workspace.models = model
        workspace.unanswered = ask_models(workspace)
        list(workspace.run_batches("reflect"))


def scenarios() -> Path:
    """Where the scenarios are."""
    return data_folder() / "scenarios"


def rows_of(name: str, file: str) -> list[Mapping[str, Any]]:
    """The rows of a scenario in a file of labels."""
    rows = map(json.loads, (scenarios() / file).read_text("utf-8").splitlines())
    return [row for row in rows if row["set"] == name]


def sent(prompt: Prompt) -> int:
    """The tokens that a question takes: what is to be done, the text, and the schema of the answer."""
    return count_tokens(prompt.system + prompt.text + json.dumps(prompt.schema))


def log_tokens(piece: LogPiece) -> int:
    """The tokens of what a model reads of a log: each heading on a line of its own, and the lines with their numbers."""
    headings = [f"## {one.heading}" for one in piece.sections if one.heading not in piece.title]
    return count_tokens("\n".join([*headings, *(f"{number}| {text}" for number, text in piece.texts.items())]))


def tell_tokens(root: Path, name: str, model: KeptModel) -> None:
    """Print what was sent for each token of log, in one night, and as if each session had had a night of its own."""
    asked = [one for key, one in model.asked.items() if key in model.replies]
    trials = {verify_trial(is_korean=is_korean).prompt.digest for is_korean in (False, True)}
    read = [one for one in asked if one.version == VERSION]
    calls = [*read, *(one for one in asked if one.version == believe.VERSION and one.digest not in trials)]
    with open_workspace(root, NOW, write=False) as workspace:
        policy, finders = workspace.settings.distil, workspace.finders()
        for log in (root / "memory/distilled").glob("*.md"):
            log.unlink()  # the pieces are found again as they were before the night
        pieces = {one.log: one for one in find_pieces(workspace.logs, finders, policy, NOW)}
    logs = sum(map(log_tokens, pieces.values()))
    answers = sum(count_tokens(json.dumps(model.replies[key_of(one)], ensure_ascii=False)) for one in calls)
    alone = 0
    for prompt in read:
        start, batch = 1, []
        for piece in (pieces[log.removeprefix("memory/")] for log in logs_in(prompt)):
            batch.append(piece._replace(start=start))
            start += len(piece.lines)
        made = lines_in(model.replies[key_of(prompt)], batch, [], [])
        for piece, lines in zip(batch, made, strict=True):
            alone += sent(prompt_for([piece], [], [], policy.categories))
            alone += sent(verifying_prompt(lines, [LineSources(piece.title, piece.texts, None)]))
    whole = sum(map(sent, calls))
    print(
        f"{name}: {len(pieces)} sessions of {logs:,} tokens: {len(calls)} calls in one night, sent {whole:,} = {whole / logs:.2f} a "
        f"token of log, answered {answers:,} = {answers / logs:.2f}; a night for each session, {2 * len(pieces)} calls, without "
        f"memories to compare: sent {alone / logs:.2f}"
    )


def lines_of(root: Path) -> Iterator[tuple[str, str, bool]]:
    """What the model wrote: its place, the line, and whether it is believed."""
    for log in sorted((root / "memory/distilled").glob("*.md")):
        reading = read_log(f"distilled/{log.name}", log.read_text("utf-8"), anywhere=True)
        yield from ((str(line.place), statement_of(line.memory), True) for line in reading.lines)
        yield from ((str(bad.place), f"{bad.text} ({bad.reason.partition(';')[0]})", False) for bad in reading.bad)


def judge(root: Path, name: str, judged: Judged, *, missed: bool) -> Counter[str]:
    """Print the figures of a scenario, and give their counts."""
    lines = [*lines_of(root)]
    believed = [text for _, text, is_in in lines if is_in]
    found = {note["id"]: judged.get((name, note["id"])) for note in rows_of(name, "notes.jsonl")}
    useful = [judged.get((name, text)) for text in believed]
    counts = Counter({"lines": len(lines), "believed": len(believed), "useful": useful.count(True)})
    counts |= Counter({"notes": len(found), "found": [*found.values()].count(True)})
    counts |= Counter({"not judged": [*useful, *found.values()].count(None)})
    for one in rows_of(name, "notes.jsonl") if missed else ():
        print("" if found[one["id"]] else f"    no line for {one['id']} {one['line']}\n", end="")
    for place, text, is_in in lines if missed else ():
        print(f"    {'' if is_in else 'REFUSED '}{place} {text}")
    return counts + _judge_updates(root, name, judged, missed=missed) + _judge_questions(root, name, missed=missed)


def _judge_updates(root: Path, name: str, judged: Judged, *, missed: bool) -> Counter[str]:
    with open_workspace(root, NOW, write=False) as workspace:
        ledger = workspace.transactions.ledger()
        pairs = [*ledger.may_replace, *((old, str(item["by"])) for old, item in ledger.superseded.items())]
        held = workspace.catalog.texts_of({id_ for pair in pairs for id_ in pair})
    texts, updates, told = {id_: text for id_, (_, text) in held.items()}, rows_of(name, "updates.jsonl"), set[str]()
    counts = Counter({"updates": len(updates), "pairs": len(pairs)})
    for old, new in ((texts.get(old, old), texts.get(new, new)) for old, new in pairs):
        pair, is_of = (
            f"{_bare(old)} → {_bare(new)}",
            (one["subject"] for one in updates if one["old"] in old and one["new"] in new),
        )
        fitting = {*is_of, *(one["subject"] for one in updates if judged.get((name, f"{one['subject']}: {pair}")))}
        told |= fitting
        is_right = bool(fitting) or judged.get((name, pair))
        counts["pairs wrong"] += is_right is False
        counts["not judged"] += is_right is None
        if missed and not fitting:
            print(f"    {'right' if is_right else 'wrong or not judged'}, of no label: {pair}")
    counts["told"] = len(told)
    for one in updates if missed else ():
        if one["subject"] not in told:
            print(f"    not told: {one['subject']}: {one['old']} → {one['new']}")
    return counts


def _bare(line: str) -> str:
    """A line of the bank without its mark and id."""
    return statement_of(parse_memory(line.removeprefix("- ")))


def _judge_questions(root: Path, name: str, *, missed: bool) -> Counter[str]:
    bank, counts = BankOnDay(str(root)), Counter[str]()
    for number, one in enumerate(rows_of(name, "questions.jsonl")):
        session = {"session_id": f"s{number}", "cwd": "/home/user/work"}
        brief = answer_hook("SessionStart", {**session, "source": "startup"}, bank)
        recall = answer_hook("UserPromptSubmit", {**session, "prompt": one["q"]}, bank)
        first = next((line for line in recall.splitlines() if line.startswith("- ")), "")
        is_right = {told: any(answer in said for answer in one["answers"]) for told, said in (("brief", brief), ("recall", recall))}  # fmt: skip
        is_current = DOUBT not in first and not any(answer in first for answer in one["answers"])
        is_stale = is_current and any(old in first for old in one["stale"])
        counts.update({"questions": 1, "stale": is_stale, "answered": any(is_right.values()), **is_right})
        if missed and (is_stale or not any(is_right.values())):
            print(f"    {'STALE' if is_stale else 'not answered'}: {one['id']} {one['q']} {one['answers']}: {first}")
    return counts


def tell(name: str, counts: Counter[str]) -> None:
    """Print the figures."""
    shares = (
        ("answered", "questions"), ("stale", "questions"), ("found", "notes"), ("useful", "believed"), ("told", "updates"),
        ("pairs wrong", "believed"), ("believed", "lines"),
    )  # fmt: skip
    said = [
        f"{of} {counts[of]} of {counts[whole]} {whole} = {counts[of] / (counts[whole] or 1):.2f}"
        for of, whole in shares
    ]
    print(
        f"{name}: {'; '.join(said)}; pairs told {counts['pairs']}; by the brief {counts['brief']}, by the recall {counts['recall']}"
    )
    if counts["not judged"]:
        print(f"  not judged: {counts['not judged']}")


def read_judged() -> Judged:
    """By scenario and note, line or pair: whether it was found, is useful, or is right."""
    lines = JUDGED.read_text("utf-8").splitlines() if JUDGED.exists() else ()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {(name, what): verdict == "yes" for name, what, verdict in rows}


def main() -> int:
    """Run the nights and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="household,game,oncall", help="the scenarios, with commas between them")
    parser.add_argument("--missed", action="store_true", help="what was missed, and all lines")
    parser.add_argument("--tokens", action="store_true", help="only what was sent and answered")
    parser.add_argument("--prompts", type=Path, metavar="FOLDER", help="where prompts without a reply go")
    parser.add_argument("--take", type=Path, metavar="FOLDER", help="where replies are")
    arguments = parser.parse_args()
    if arguments.take:
        take_replies(arguments.take)
    judged, counts = read_judged(), Counter[str]()
    for name in arguments.sets.split(","):
        with TemporaryDirectory() as folder:
            root, model = Path(folder) / "ws", KeptModel()
            have_night(root, name, model)
            if arguments.prompts:
                write_prompts(arguments.prompts, name, model)
                continue
            if not arguments.tokens:
                of_set = judge(root, name, judged, missed=arguments.missed)
                tell(name, of_set)
                counts += of_set
            tell_tokens(root, name, model)
    if counts:
        tell("all", counts)
    return 0


if __name__ == "__main__":
    sys.exit(main())

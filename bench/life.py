"""A month lived day by day, and on to day 60: what fades and when, the log of a day asked about, and the 18 briefs.

    python -m bench.life

The logs are those of `bench.month`, and opinions about people, which no page keeps. Each day a micro cycle runs at 23:30
and a reflect cycle at 03:00. Printed are each opinion with its place and day of leaving beside the day that the arithmetic
gives, and since when the review offered it; whether each preference is among the first three answers on day 60; ten
questions about days with what answers them first; and every brief of the last day of the month.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from datetime import date, datetime, time, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from bankd.app.archive import forecast_fading
from bankd.app.init import make_workspace
from bankd.app.workspace import Workspace
from bankd.briefing.choose import NAMES_MODES
from bankd.cli import main as bankctl
from bankd.cycle import CycleKind
from bankd.memory.archive import Archived, memory_of
from bankd.memory.use import Fading, falls_on
from bankd.pages.memory import Memory
from bankd.wiring.workspace import open_workspace
from bench.month import days

LAST = 60
QUESTIONS = (
    ("2026-03-03", "What did I do on {0}?"), ("2026-03-06", "{1}월 {2}일에 뭐 했지?"),
    ("2026-03-07", "what happened on March {2}?"), ("2026-03-09", "{1}월 {2}일에 무슨 일이 있었지?"),
    ("2026-03-11", "What did I do on {0}?"), ("2026-03-13", "{0}에 뭐 했어?"),
    ("2026-03-14", "지난 3월 {2}일에 뭐 했더라"), ("2026-03-16", "what did I work on on {0}"),
    ("2026-03-20", "{1}월 {2}일 하루를 알려 줘"), ("2026-03-25", "tell me about my day on March {2}"),
)  # fmt: skip

OPINIONS = {
    "2026-03-04": "- O(c=0.60) @Tomas: Believes that one Terraform state for everything is enough.\n",
    "2026-03-06": "- O(c=0.80) @민재: 수영보다 자전거가 재미있다고 생각한다.\n",
    "2026-03-10": "- O(c=0.50) @Jonas: Thinks that retries belong into the client.\n"
    "- O(c=0.70) @Priya: Prefers tea to coffee in long meetings.\n",
}
PREFERENCES = (
    ("how large should a pull request be?", "300 lines"), ("커피 원두는 어떤 걸 좋아하지?", "산미"),
    ("회의 안건은 언제 받는 게 좋지?", "안건을 글로"), ("팀 문서는 어느 언어로 쓰는 게 낫지?", "한국어로"),
    ("봄에는 캠핑이 나아, 산행이 나아?", "당일 산행"), ("what do I think of Grafana's alert editor?", "clumsy"),
)  # fmt: skip
SUBJECTS = {"person": ("@Jonas",), "meeting": ("@Jonas", "@Priya"), "project": ("parcel",)}


class Lived:
    """The workspace of the month, and what its nights did: what went when, and since when the review offered it."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.written: dict[str, Memory] = {}
        self.went: dict[str, tuple[date, Archived]] = {}
        self.offered: dict[str, date] = {}
        self.held: dict[str, str] = {}

    def night(self, kind: CycleKind, day: date, at: time) -> None:
        """Run a cycle, and note what it did."""
        workspace = self.workspace
        workspace.now = datetime.combine(day, at, workspace.now.tzinfo)
        plan = workspace.run_cycle(kind, force=True).plan
        self.went |= {item.id: (day, item) for item in plan.archived}
        lines = workspace.catalog.all_lines()
        self.held = {id_: one.page for id_, one in lines.items()}
        self.written |= {id_: memory for id_, one in lines.items() if (memory := memory_of(one)).tag == "O"}
        for one in forecast_fading(workspace, 7)[0] if kind == "reflect" else ():
            self.offered.setdefault(one.id, day)


def live(root: Path) -> tuple[Lived, date]:
    """Live the month and on to day 60; gives what happened, and the last day of the month."""
    make_workspace(root)
    logs = dict(days())
    first, last = (date.fromisoformat(day) for day in (min(logs), max(logs)))
    with open_workspace(root) as workspace:
        lived = Lived(workspace)
        for day in (first + timedelta(days=n) for n in range(LAST)):
            lived.night("reflect", day, time(3))
            if text := logs.get(day.isoformat()):
                more = OPINIONS.get(day.isoformat(), "")
                (root / "memory" / f"{day}.md").write_text(text.rstrip("\n") + f"\n{more}", encoding="utf-8")
                lived.night("micro", day, time(23, 30))
    return lived, last


def opinions(lived: Lived) -> Iterator[str]:
    """Each opinion: where it stands on day 60, or when it went, and when it would by the arithmetic.

    What went was right if it went on that day, and was offered a week before, or since it was said.
    """
    fading = lived.workspace.settings.decay
    floor = (round(fading.per_day * 100), round(fading.floor * 100))
    for id_, memory in sorted(lived.written.items(), key=lambda one: one[1].text):
        falls = falls_on(memory.confidence, Fading(*floor)) if memory.confidence else None
        if id_ in lived.went:
            (day, item), offered = lived.went[id_], lived.offered.get(id_)
            is_right = day == falls and offered is not None and offered <= day - timedelta(days=7)
            went = f"went {day} from {item.lines.page}, by arithmetic {falls}, offered since {offered}"
            what = f"{'right' if is_right else 'WRONG'}: {went}"
        else:
            what = f"stands on {lived.held.get(id_, 'no page')}"
        yield f"{memory.confidence}  {memory.text[:50]}  {what}"


def ask(root: Path, question: str, today: str, most: int = 1) -> Sequence[str]:
    """Where the first answers stand, and what they say."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        bankctl(["search", question, "--workspace", str(root), "--now", today, "--json"])
    hits = json.loads(printed.getvalue())["hits"]
    return [f"{hit['path']}:{hit['line']} {hit['text'][:60]!r}" for hit in hits[:most]] or ["nothing"]


def main() -> None:
    with TemporaryDirectory(prefix="bankd-life-") as place:
        root = Path(place) / "notes"
        lived, last = live(root)
        print("\n".join(opinions(lived)))
        day_60 = min(date.fromisoformat(day) for day, _ in days()) + timedelta(days=LAST - 1)
        for question, words in PREFERENCES:
            found = ask(root, question, f"{day_60}T12:00", 3)
            print("recalled" if any(words in one for one in found) else "LOST", question, found[0], sep="\t")
        for day, words in QUESTIONS:
            _, month, number = map(int, day.split("-"))
            question = words.format(day, month, number)
            (first,) = ask(root, question, f"{last}T21:00")
            print("right" if first.startswith(f"memory/{day}.md") else "WRONG", question, first, sep="\t")
        for mode in NAMES_MODES:
            print(f"\n== {mode}", flush=True)
            bankctl(["brief", mode, *SUBJECTS.get(mode, ()), "--workspace", str(root), "--now", f"{last}T21:00"])


if __name__ == "__main__":
    main()

"""A bank with a year behind it, for briefings: four hundred memories, of which every mode has something to say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from bankd.agents.briefs import brief_reader
from bankd.briefing.choose import Briefing
from bankd.cli import main
from bankd.wiring.reader import BankReader
from tests.settings import make_quick_workspace

END = date(2026, 5, 18)
"""A Monday; the last run is on its night."""
RUNS = (date(2025, 11, 17), date(2026, 5, 16), END)
SUBJECTS = {"person": ("@Peter",), "meeting": ("@Peter", "@Minho"), "project": ("payflow",)}
SESSION = "s"
"""An agent's session that was last here on the evening before the last run."""

_PLAIN = (
    "W: 창고 {n}번 선반에는 부품 {m}개가 있다.",
    "W @Peter: Rents desk {n} on floor {m}.",
    "B: 주말 {n}째에는 산길 {m}킬로미터를 걷는다.",
    "O(c=0.90): I think that recipe {n} needs {m} grams of salt.",
    "S: 목표 {n}은 책 {m}권을 읽는 것이다.",
    "W: Invoice {n} of payflow is about {m} euros.",
)
_WEEKS, _A_WEEK = 52, 7


def logs_of_a_year() -> Mapping[date, Sequence[str]]:
    """The Retain lines of each day."""
    logs: dict[date, list[str]] = defaultdict(list)
    for number in range(_WEEKS * _A_WEEK - 24):
        day = END - timedelta(days=7 * (_WEEKS - number // _A_WEEK) + 1)
        logs[day].append(_PLAIN[number % 6].format(n=number, m=3 + 17 * number % 97))
    for number in range(20):  # days to come, most of them gone by now
        day = END - timedelta(days=17 * number + 4)
        logs[day].append(f"W: Appointment {number} at the dentist is on {day + timedelta(days=7)}.")
    for number in range(10):  # things to do, every other of them done
        day = END - timedelta(days=30 * number + 12)
        logs[day].append(f"W: 민호에게 {number + 3}월분 계약서를 보내야 한다.")
        if number % 2:
            logs[day + timedelta(days=3)].append(f"W: 민호에게 {number + 3}월분 계약서를 보냈다.")
    for number, name in enumerate(
        ("Seoul", "Busan", "Berlin", "Lisbon", "Oslo", "Rome", "Kyoto", "Lima", "Cairo", "Quito")
    ):
        day = END - timedelta(days=25 * number + 3)
        logs[day - timedelta(days=40)].append(f"W: The standup of the {name} office starts at {number + 6}:30.")
        logs[day].append(f"W: The standup of the {name} office starts at {number + 7}:00.")
    for days in (11, 7, 3):
        logs[END - timedelta(days=days)].append("B: Runs for half an hour before breakfast.")
    logs[END - timedelta(days=40)].append("W: The wifi of the cabin is called larch.")
    logs[END - timedelta(days=90)].append("W @Minho: 해산물 알레르기가 있다.")
    logs[END - timedelta(days=33)].append("O(c=0.95) @Minho: Believes that calls are right.")
    logs[date(2025, 5, 18)].append("W: The cat came to live here.")
    logs[END - timedelta(days=6)] += ["W: We decided to use Postgres.", "W: Peter moves to Busan."]
    logs[END - timedelta(days=1)].append("W: 강당 열쇠는 경비실에 있다.")
    return logs


def write_logs(root: Path, after: date, until: date) -> None:
    """Put the logs of some days into a workspace."""
    for day, lines in logs_of_a_year().items():
        if after < day <= until:
            text = "".join(f"- {line}\n" for line in lines)
            (root / "memory" / f"{day}.md").write_text(f"# {day}\n\n## Retain\n{text}", encoding="utf-8")


def make_year(root: Path) -> None:
    """A workspace whose year was taken in by three runs."""
    make_quick_workspace(root)
    for before, day in zip((date.min, *RUNS), RUNS, strict=False):
        write_logs(root, before, day)
        if day == END:
            brief_reader(["orient"], BankReader(str(root)), at(END - timedelta(days=1), 20), (SESSION,))
        assert main(["cycle", "micro", "--force", "--now", f"{day}T03:00", "--workspace", str(root)]) == 0


def at(day: date, hour: int) -> datetime:
    """A moment in the zone of the workspace."""
    return datetime.combine(day, time(hour), ZoneInfo("Asia/Seoul"))


def made_of(root: Path, mode: str, now: datetime, reader: str = SESSION) -> Briefing:
    """What a mode says to a reader."""
    return brief_reader([mode], BankReader(str(root)), now, (reader,), SUBJECTS.get(mode, ()))[0]

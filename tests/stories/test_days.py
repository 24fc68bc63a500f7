"""Days end to end: what logs tell, what is asked for, and how the bank stood."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bankd.cli import main
from bankd.words.days import read_days
from tests.examples import examples
from tests.stories.conftest import Run, learn, write_log

APRIL = """## Retain
- W: The production deploy runs at 10:00 on Tuesdays.
- W: 어제 하나와 북한산 둘레길을 걸었다.
- W: The dentist pulled the wisdom tooth this morning.
"""
MAY = """## Retain
- W: The production deploy runs at 11:00 on Tuesdays.
- W: Planted tomatoes on the balcony.
- W: The piano recital is on June 6.
"""


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("days") / "notes"
    assert main(["init", str(root)]) == 0
    for day, text, then in (("2026-04-21", APRIL, "2026-04-22T03:00"), ("2026-05-12", MAY, "2026-05-13T03:00")):
        (root / "memory" / f"{day}.md").write_text(text, encoding="utf-8")
        assert main(["--workspace", str(root), "cycle", "micro", "--now", then]) == 0
    return root


@pytest.fixture
def ask(notes: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def asked(*words: str) -> list[str]:
        capsys.readouterr()
        main([words[0], "--workspace", str(notes), "--json", *words[1:]])
        return [hit["text"] for hit in json.loads(capsys.readouterr().out)["hits"]]

    return asked


def test_a_question_of_days_alone_is_answered_day_by_day(ask: Any) -> None:
    assert ask("search", "--now", "2026-05-14", "What happened this week?") == [
        "Planted tomatoes on the balcony.",
        "The production deploy runs at 11:00 on Tuesdays.",
        "The piano recital is on June 6.",
    ]
    assert ask("search", "--now", "2026-04-28", "지난주에 뭐 했지?")[0] == "어제 하나와 북한산 둘레길을 걸었다."
    assert ask("search", "--now", "2026-06-01", "What is coming up this week?") == ["The piano recital is on June 6."]


def test_with_a_subject_the_days_are_preferred_and_the_others_not_hidden(ask: Any) -> None:
    now = ("--now", "2026-06-01")
    assert ask("search", *now, "When does the production deploy run in April?")[0].startswith(
        "The production deploy runs at 10:00"
    )
    assert len(ask("search", *now, "production deploy")) == 2


@pytest.mark.parametrize(("options", "first"), examples("commands", "days"))
def test_options_of_days(ask: Any, options: str, first: str) -> None:
    found = ask("search", "--now", "2026-06-10", *options.split(" ", 1), "production deploy")
    assert [text for text in found if "deploy" in text] == [first]


def test_as_of_a_day_nothing_is_older_that_was_not_yet(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def superseded(*options: str) -> list[bool]:
        main(["search", "--workspace", str(notes), "--json", *options, "production deploy"])
        hits = json.loads(capsys.readouterr().out)["hits"]
        return [bool(hit["superseded_by"]) for hit in hits if "10:00" in hit["text"]]

    assert superseded() == [True]
    assert superseded("--as-of", "2026-05-01") == [False]


def test_a_word_that_is_no_day_is_named(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("search", "timeline"):
        assert main([command, "--workspace", str(notes), "--since", "foo", "deploy"]) == 2

        wrong, understood = capsys.readouterr().err.splitlines()
        assert wrong == "bankctl: since: foo is not a day, or days"
        *days, last = understood.removeprefix("bankctl: understood are such as ").split(", ")
        assert all(read_days(day, date(2026, 5, 12)) for day in (*days, last))


def test_days_in_the_wrong_order_are_refused(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--workspace", str(notes), "--since", "2026-05-20", "--until", "2026-05-01"]
    for command in ("search", "timeline"):
        assert main([command, *given]) == 2
        assert "since: is later than until; the earlier day comes first" in capsys.readouterr().err


def test_hits_tell_their_day_in_the_language_of_the_session(
    notes: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for query, day, ago, locale in (
        ("wisdom tooth dentist", "2026-04-21", "3주 전", "ko_KR.UTF-8"),
        ("북한산 둘레길", "2026-04-20", "3 weeks ago", "C.UTF-8"),
    ):
        monkeypatch.setenv("LC_ALL", locale)
        asked = ["search", "--workspace", str(notes), "--now", "2026-05-12", query]
        main([*asked, "--no-plain"])
        assert f" · {ago}\n" in capsys.readouterr().out
        main([*asked, "--json"])
        assert json.loads(capsys.readouterr().out)["hits"][0]["when"] == f"{day}, {ago}"


def test_a_timeline_lists_days_in_their_order(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["timeline", "--workspace", str(notes), "--since", "2026-05-01", "--now", "2026-05-20"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["2026-05-12, 8 days ago", "2026-06-06, in 2 weeks"]


def test_a_timeline_has_the_logs_beside_the_memories_each_day_once_and_a_month_at_its_end(
    root: Path, bankctl: Run
) -> None:
    prose = "\n\nThe kitchen was painted blue, and nobody noted it.\n"
    (root / "memory" / "2026-11-20.md").write_text(
        "## Retain\n- W: The concert is in November.\n- W: The plumber comes on 2026-11-21, and again on 2026-11-23.\n"
        "- W: Secret plan.\n- B: 이번 주는 2026-11-21부터 2026-11-23까지 쉰다.\n" + prose,
        encoding="utf-8",
    )
    write_log(root, "2026-11-21.md", "W: The cat was named Miso.", "W: The concert hall is near.", "W: Rain all day.")
    bankctl("cycle", "micro", "--now", "2026-11-23T03:00")
    bankctl("forget", bankctl("search", "secret plan", "--in", "bank", "--json").json["hits"][0]["id"])

    def listed(*options: str) -> list[str]:
        out = bankctl("timeline", "--now", "2026-11-24T12:00", *options).out.splitlines()
        return [line.split(", ")[0] if line[:1].isdigit() else line.split("  ")[1] for line in out]

    month = ["2026-11-01…2026-11-30", "The concert is in November."]
    plumber, week = (
        "The plumber comes on 2026-11-21, and again on 2026-11-23.",
        "이번 주는 2026-11-21부터 2026-11-23까지 쉰다.",
    )
    said = ["Rain all day.", "The cat was named Miso.", "The concert hall is near."]
    painted = ["2026-11-20", "The kitchen was painted blue, and nobody noted it."]
    days = ["2026-11-16…2026-11-22", week, *painted, "2026-11-21", plumber, *said, *month]
    assert listed("--since", "2026-11-01") == days
    assert listed("--on", "2026-11-21") == ["2026-11-21", plumber, *said, "2026-11-21…2026-11-23", week, *month]
    assert listed("-n", "2")[:-1] == ["2026-11-21", said[-1], *month]
    found = bankctl("search", "concert", "--on", "2026-11-21", "--in", "bank", "--json").json["hits"]
    assert [hit["text"] for hit in found] == [said[-1], month[-1]]


def test_what_a_listing_of_days_leaves_off_is_counted(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--workspace", str(notes), "--now", "2026-05-20", "-n", "1"]
    for words in (["timeline", "--since", "2026-05-01"], ["search", "What happened last week?"]):
        for options in (["--plain"], ["--no-plain"]) if words[0] == "search" else ([],):
            main([*words, *given, *options])
            said = capsys.readouterr()
            assert "2 more; -n 0" in (said.err if "--plain" in options else said.out)
        main([*words, *given[:-1], "0"])
        assert "more; -n 0" not in "".join(capsys.readouterr())
    main(["search", "the production deploy", *given])
    assert "more; -n 0" not in "".join(capsys.readouterr())


def test_a_name_that_is_a_month_too_is_somebody_where_the_bank_has_them(root: Path, bankctl: Run) -> None:
    assert bankctl("timeline", "Jun").out == "nothing of these days\n"
    assert "2026-11-31 is not a day" in bankctl("timeline", "2026-11-31").err
    learn(root, bankctl, "2026-05-09.md", "W @Jun: Runs the mill.")

    assert "Runs the mill." in bankctl("timeline", "Jun").out


def test_somebody_and_a_page_are_named_as_people_write_them(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-06-09.md", "W @Clara: Runs the bakery.")

    for subject in ("@Clara", "Clara", "clara", "entities/clara", "bank/entities/Clara.md", "entities"):
        assert "Runs the bakery." in bankctl("timeline", subject).out
        assert bankctl("timeline", subject, "--on", "2020").out == "nothing of these days\n"
    for subject in ("Clarra", "entities/Clarra.md"):
        missed = bankctl("timeline", subject)
        assert (missed.code, "did you mean bank/entities/Clara.md?\n" in missed.out) == (1, True)
    for given in (("--entity", "Clarra"), ("--node", "entities/Clarra")):
        assert "did you mean bank/entities/Clara.md" in bankctl("search", "bakery", *given).err
        assert bankctl("search", "bakery", *given, "--json").json["unknown"]
    assert bankctl("search", "bakery", "--node", "Clara").code == 0, "neither ending nor folder is needed"
    for known in (("--entity", "Clara"), ("--node", "entities"), ("--node", "memory/2026-06-09.md")):
        assert not bankctl("search", "zeppelin", *known, "--json").json["unknown"]
    (root / "bank/entities/Clara.md").rename(root / "bank/entities/Klara.md")
    for renamed in (("--entity", "Klara"), ("--node", "Klara")):
        assert bankctl("search", "bakery", *renamed).code == 0


def test_a_timeline_of_a_day_needs_no_option(ask: Any) -> None:
    for days in (["2026-04-20"], ["어제"], ["yesterday"], ["2026-04-20", "2026-04-20"]):
        assert ask("timeline", *days, "--now", "2026-04-21") == ["어제 하나와 북한산 둘레길을 걸었다."]


def test_show_tells_the_days_of_a_memory_in_the_language_of_the_reader(
    root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    write_log(root, "2020-05-04.md", "W: The dentist pulled a tooth yesterday.", "W: 새 서버는 서울에 있다.")
    bankctl("cycle", "micro", "--now", "2020-05-05T03:00")
    dentist, server = (bankctl("show", f"memory/2020-05-04.md:{line}", "--json").json["memory"] for line in (4, 5))

    monkeypatch.setenv("LANG", "C.UTF-8")
    english = [bankctl("show", id_).out for id_ in (dentist, server)]
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    korean = bankctl("show", dentist, "--json").json["when"]

    assert re.search(r"  2020-05-03, \d+ years? ago", english[0])
    assert re.search(r"  2020-05-04, \d+년 전", english[1])
    assert re.fullmatch(r"2020-05-03, \d+년 전", korean)


def test_as_of_a_day_the_archive_stands_as_the_bank_did_and_logs_do_not_repeat_it(root: Path, bankctl: Run) -> None:
    opinion, beside = (
        "O(c=0.80) @Peter: Believes concise replies beat long letters.",
        "W @Peter: Keeps replies in a box.",
    )
    write_log(root, "2026-05-01.md", opinion, beside)
    bankctl("cycle", "reflect", "--now", "2026-05-02T03:00")
    assert bankctl("cycle", "reflect", "--now", "2026-06-10T03:00", "--json").json["counts"] == {"archived": 1}

    def groups(*options: str) -> list[str]:
        asked = ("search", *options, "--now", "2026-06-12", "--json", "does Peter believe concise replies")
        return [hit["group"] for hit in bankctl(*asked).json["hits"]]

    assert groups("--as-of", "2026-05-20") == ["archive", "bank"]
    assert groups() == ["bank", "archive"]
    assert groups("--in", "logs") == ["logs"]


def test_asked_about_one_day_its_log_stands_above_and_on_finds_what_was_said_and_what_is_meant(
    root: Path, bankctl: Run
) -> None:
    write_log(
        root, "2026-11-21.md", "B: 토요일마다 첼로를 배운다", "W: The concert is on 2026-11-28.", "W: Secret plan."
    )
    write_log(root, "2026-11-22.md", "B: 일요일에 산에 갔다")
    bankctl("cycle", "micro", "--now", "2026-11-23T03:00")
    plan = bankctl("search", "secret plan", "--in", "bank", "--json").json["hits"][0]["id"]
    bankctl("forget", plan)

    for question in ("What did I do on 2026-11-21?", "11월 21일에 뭐 했지?"):
        first = bankctl("search", question, "--now", "2026-11-24T12:00", "--json").json["hits"][0]
        assert (first["group"], first["path"]) == ("logs", "memory/2026-11-21.md")
        assert "첼로" in first["text"]
        assert "concert" in first["text"]
        assert "Secret" not in first["text"]
    for day, words in (("2026-11-21", "첼로"), ("2026-11-21", "concert"), ("2026-11-28", "concert")):
        found = bankctl("search", words, "--on", day, "--now", "2026-11-24T12:00", "--in", "bank", "--json").json[
            "hits"
        ]
        assert [words in hit["text"] for hit in found] == [True], (day, words)


NOTED = "## Retain\n- W: {0} was painted.\n"


@pytest.mark.parametrize(
    ("name", "text", "day"),
    [
        ("journal.md", "# 2026-04-03\n\n" + NOTED + "\n# 2026-04-05\n\n### May\n", "2026-04-03"),
        ("journal.md", "# 2026-04-03\n\n# April 5th, 2026\n\n" + NOTED, "2026-04-05"),
        ("notes/kitchen.md", "---\ntitle: x\ndate: 2026-04-07\n---\n\n" + NOTED, "2026-04-07"),
        ("2026-04-09.md", "# 2026-04-03\n\n" + NOTED, "2026-04-09"),
        ("ideas.md", NOTED, "2026-04-20"),
        ("09-05-2024.md", NOTED, "2026-04-20"),
    ],
)
def test_a_line_is_of_the_day_in_the_name_of_its_log_else_in_a_heading_or_property_and_else_the_doctor_says_so(
    root: Path, bankctl: Run, name: str, text: str, day: str
) -> None:
    file = root / "memory" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text.format("The kitchen"), encoding="utf-8")
    bankctl("cycle", "micro", "--now", "2026-04-20T22:00")

    (hit,) = bankctl("search", "kitchen", "--in", "bank", "--json").json["hits"]
    findings = [row["text"] for row in bankctl("doctor", "--json").json["days"]]

    assert hit["learned"] == day
    assert len(findings) == (day == "2026-04-20")
    assert all(f"memory/{name}: " in one for one in findings)
    assert all(("may be two days" in one) == ("2024" in name) for one in findings)


def test_a_timeline_has_a_row_for_each_line_of_a_log_and_says_what_became_of_it(root: Path, bankctl: Run) -> None:
    (root / "memory" / "2026-11-09.md").write_text(
        "Long meeting.\nBad coffee, to be paid by the 1st.\n## Retain\n- W: The export runs at 06:30.\n- W: Rain all day.\n"
        "- W: Marta leads the billing team.\n- X: this letter is wrong\n",
        encoding="utf-8",
    )
    bankctl("cycle", "micro", "--now", "2026-11-10T03:00")
    ids = [bankctl("search", text, "--json").json["hits"][0]["id"] for text in ("export", "Marta")]
    for id_ in ids:
        bankctl("archive", "put", id_)

    rows = [line.strip().split("  ") for line in bankctl("timeline", "--on", "2026-11-09").out.splitlines()[1:]]
    assert rows[0][0] == "Rain all day."
    assert rows[1:] == [
        ["Long meeting. Bad coffee, to be paid by the 1st.", "memory/2026-11-09.md:1", "not taken in"],
        ["- W: The export runs at 06:30.", "memory/2026-11-09.md:4", f"archived as {ids[0]}"],
        ["- W: Marta leads the billing team.", "memory/2026-11-09.md:6", f"archived as {ids[1]}"],
        ["- X: this letter is wrong", "memory/2026-11-09.md:7", "not taken in: unknown tag X; use W, B, O or S"],
    ]
    log = bankctl("search", "coffee", "--on", "2026-11-09", "--now", "2026-11-28T12:00", "--json").json["hits"][0]
    assert (log["group"], log["when"]) == ("logs", "2026-11-09, 3 weeks ago"), "not the day that one of its lines names"

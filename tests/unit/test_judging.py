"""What new lines are to the bank and to each other, and what neighbours are taken to speak of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import pytest

from bankd.memory.judge import ComparedMemory, EarlierLines, JudgedLines, content_words, judge_lines, said_on
from bankd.memory.plan import Placement
from bankd.memory.retain import read_log
from bankd.memory.route import Destination
from bankd.pages.memory import Memory, parse_memory
from bankd.same import compared_text, read_statement
from bankd.words.statement import plain_wording


def judged(*lines: str, bank: Mapping[str, str] | None = None, threshold: int = 80) -> JudgedLines:
    """Judge lines of one log, each of which finds the whole bank near it."""
    log = read_log("2026-05-02.md", "".join(f"- {line}\n" for line in lines), anywhere=True)
    placements = [Placement(line, Destination("world/facts.md", None, "test")) for line in log.lines]
    near = [ComparedMemory(id_, parse_memory(text)) for id_, text in (bank or {}).items()]
    known = [item.memory for item in near] + [line.memory for line in log.lines]
    wordings = {compared_text(memory): plain_wording(compared_text(memory)) for memory in known}
    return judge_lines(placements, {line.id: near for line in log.lines}, wordings, threshold, {})


def texts(placements: Sequence[Placement]) -> list[str]:
    return [placement.line.memory.text for placement in placements]


def test_a_line_is_judged_by_the_bank_and_by_the_lines_before_it() -> None:
    found = judged(
        "W: The port is 8081.",
        "W: Peter likes green tea",
        "W: Peter likes tea",
        "W: Peter, likes green tea!",
        bank={"m-port": "W: The port is 8080.", "m-tea": "W: Peter likes tea."},
    )

    assert texts(found.placements) == ["The port is 8081.", "Peter likes green tea"]
    assert [(item.line.place.line, item.twin) for item in found.blocked] == [
        (3, "m-tea"),
        (4, found.placements[1].line.id),
    ]
    assert [(item.line.place.line, item.old, item.reason) for item in found.updates] == [(1, "m-port", "8080 → 8081")]


def test_what_somebody_thinks_is_not_what_is_so() -> None:
    found = judged("O: tea is healthy", "W: tea is healthy", bank={"m-1": "B: tea is healthy"})

    assert len(found.placements) == 2
    assert found.blocked == ()


def test_a_memory_by_hand_blocks_whatever_it_is_tagged_but_is_never_superseded() -> None:
    found = judged(
        "W: The port is 8081.", "W: Peter likes tea", bank={"x.md:3": "The port is 8080.", "x.md:4": "Peter likes tea."}
    )

    assert [item.twin for item in found.blocked] == ["x.md:4"]
    assert texts(found.placements) == ["The port is 8081."]
    assert found.updates == ()


def test_a_line_before_it_is_found_by_what_it_says_whatever_the_words_around() -> None:
    found = judged("W: Pocket money for Ines is 4 euros a week.", "W: The pocket money for Ines is now 7 euros a week.")

    assert [(item.old, item.reason) for item in found.updates] == [(found.placements[0].line.id, "4유로 → 7유로")]


@pytest.mark.parametrize(
    ("page", "memory", "expected"),
    [
        ("entities/Peter.md", Memory("prefers tea"), ("Peter",)),
        ("entities/Peter/2026.md", Memory("prefers tea"), ("Peter",)),
        ("entities/Peter.md", Memory("prefers tea", entities=("Paul",)), ("Paul",)),
        ("world/tea.md", Memory("prefers tea"), ()),
    ],
)
def test_an_entity_page_speaks_of_its_entity(page: str, memory: Memory, expected: tuple[str, ...]) -> None:
    assert said_on(page, memory).entities == expected


def test_the_nearest_of_the_lines_before_are_those_that_share_most_words() -> None:
    random, vocabulary = Random(3), [f"{first}{second}" for first in "abcdefgh" for second in "stuvwxyz"]
    earlier, told = EarlierLines(), dict[str, frozenset[str]]()
    for number in range(400):
        said = read_statement(plain_wording(" ".join(random.sample(vocabulary, random.randrange(1, 10)))), ())
        words = content_words(said)
        shared = {id_: len(words & others) for id_, others in told.items()}
        most = sorted((count for count in shared.values() if 2 * count >= len(words)), reverse=True)[:10]

        assert [shared[id_] for id_, _ in earlier.nearest(said)] == most
        earlier.add(f"m-{number}", said)
        told[f"m-{number}"] = words


def test_a_line_before_hundreds_of_its_form_is_found_by_its_one_rare_word() -> None:
    earlier = EarlierLines()
    for number, name in enumerate(["alpha", *(f"other{count}" for count in range(300))]):
        earlier.add(f"m-{number}", read_statement(plain_wording(f"{name} sails from harbour"), ()))

    assert earlier.nearest(read_statement(plain_wording("alpha sails from port"), ()))[0][0] == "m-0"


def test_a_line_before_hundreds_of_its_form_is_found_by_its_number() -> None:
    earlier = EarlierLines()
    for number in range(100, 400):
        earlier.add(f"m-{number}", read_statement(plain_wording(f"Sensor {number} hangs in the hall"), ()))

    assert earlier.nearest(read_statement(plain_wording("Sensor 117 hangs in the hall"), ()))[0][0] == "m-117"


def test_of_many_lines_of_one_form_the_one_with_its_name_is_found() -> None:
    towns = ["Seoul", "Busan", "Berlin", "Oslo", "Rome", "Kyoto", "Lima", "Cairo", "Quito", "Paris", "Delhi", "Accra"]
    lines = [f"W: The standup of the {town} office starts at {hour}:30." for hour, town in enumerate(towns)]
    found = judged(*lines, "W: The standup of the Accra office starts at 12:00.")

    assert [(item.old, item.reason) for item in found.updates] == [(found.placements[11].line.id, "11:30 → 12:00")]

"""Which sentences of prose ask to be remembered, and what is offered of them."""

from __future__ import annotations

import pytest

from bankd.night.propose import propose_lines
from bankd.night.sections import ProseSection


def proposed(text: str) -> list[tuple[str, str, str]]:
    section = ProseSection("2026-05-02.md", "", ((7, text),))
    return [(rule, one.tag, one.text) for one, rule in propose_lines(section)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "> user: Keep in mind that the gate code changes monthly.",
            ("asks to remember", "W", "The gate code changes monthly"),
        ),
        ("- [ ] We have to renew the lease by March 3.", ("commits", "W", "We have to renew the lease by March 3")),
        ("Nice. We decided to paint it green!", ("decides", "W", "We decided to paint it green")),
        ("I'd rather walk than drive.", ("prefers", "O", "I'd rather walk than drive")),
        ("Never feed the cat twice.", ("sets a rule", "B", "Never feed the cat twice")),
        ("Correction: the code is 4471.", ("corrects", "W", "The code is 4471")),
        ("열쇠는 화분 밑에 있으니 기억해 줘.", ("기억해 달라고 함", "W", "열쇠는 화분 밑에 있으니")),
        ("앞으로 회의는 30분만 한다.", ("규칙을 정함", "B", "앞으로 회의는 30분만 한다")),
        ("정정: 회의실은 3층이다.", ("바로잡음", "W", "회의실은 3층이다")),
    ],
)
def test_a_way_of_asking_is_known_whatever_it_is_about(text: str, found: tuple[str, str, str]) -> None:
    assert proposed(text) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "Do you remember that the gate code changes?", "We decided on what?", "로고를 바꾸기로 결정했나요?", "def remember(x):",
        "I prefer " + "very " * 100 + "long", "It rained.", "$ remember that the key is here", "The loop never ends here.", "ok",
    ],
)  # fmt: skip
def test_questions_code_and_mere_tales_are_not_proposed(text: str) -> None:
    assert proposed(text) == []


def test_each_sentence_of_a_line_is_looked_at_by_itself() -> None:
    found = proposed("It was a long day. We agreed on Lisbon. Is that fine? From now on call me Lee.")
    assert [rule for rule, _, _ in found] == ["decides", "sets a rule"]


def test_what_an_agent_says_asks_nobody() -> None:
    lines = ((1, "I decided to use a queue."), (2, "Never push to main."))
    assert not [*propose_lines(ProseSection("a.md", "09:12 assistant", lines))]
    assert len([*propose_lines(ProseSection("a.md", "09:12 user", lines))]) == 2
    assert proposed("assistant: I decided to use a queue.") == []

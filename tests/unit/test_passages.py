"""Logs cut into passages, tables and code of pages as texts that search finds, and what is left out as said."""

from __future__ import annotations

from bankd.search.answer import filters_within, is_said
from bankd.search.indexable import LARGE, IndexableEntry, read_bank_page, read_log_page
from bankd.search.indexable import LARGE as LARGE_ROWS
from bankd.search.parts import choose_lines, divide_passage, shown_parts
from bankd.search.request import Filters
from bankd.search.score import weigh_query
from bankd.secrets.screening import screen_text
from bankd.words.analysis import Analysis, analyse_text


def places(text: str) -> list[tuple[int, str]]:
    return [(entry.line, entry.text) for entry in read_log_page("a/2026-05-04.md", text).entries]


def test_a_section_is_one_passage_and_its_heading_stands_over_it() -> None:
    long = "word " * 30
    page = read_log_page("2026-05-04.md", f"# Day\n\n## One\n- a {long}\n- b\n\n## Two\nc {long}\n")

    assert [(entry.line, entry.heading) for entry in page.entries] == [(4, ("Day", "One")), (8, ("Day", "Two"))]
    assert page.entries[0].text.endswith("\n- b")
    assert page.title == "Day"
    assert str(page.entries[0].day) == "2026-05-04"


def test_short_sections_below_one_go_together_and_keep_their_lines() -> None:
    assert places("# Day\n### 10:02 user\nwhere?\n\n### 10:03 agent\nthere\n") == [
        (3, "where?\n\n### 10:03 agent\nthere")
    ]


def test_a_long_section_and_a_long_line_are_cut() -> None:
    lines = "".join(f"- item {number} {'x' * 90}\n" for number in range(40))
    found = places(lines + "y" * (3 * LARGE) + "\n")

    assert all(len(text) <= LARGE + 40 for _, text in found)
    assert sum(text.count("item") for _, text in found) == 40
    assert sum(text.count("y") for _, text in found) == 3 * LARGE


def test_a_heading_without_a_text_is_a_passage_and_comments_are_none() -> None:
    assert places("<!-- hidden -->\n# We moved to Busan\n") == [(2, "# We moved to Busan")]


def test_the_parts_of_a_passage_are_items_turns_and_sentences_that_were_wrapped() -> None:
    wrapped = "a sentence that goes on for so long that somebody wrapped it here\nand ends there"

    assert [part.text for part in divide_passage(f"- one\n- two\n\n{wrapped}\n10:02 hello\n## h")] == [
        "- one", "- two", wrapped, "10:02 hello", "## h",
    ]  # fmt: skip
    assert [part.offset for part in divide_passage(f"- one\n- two\n\n{wrapped}")] == [0, 1, 3]


def test_the_questions_below_an_item_belong_to_it_and_are_no_part_of_what_it_says() -> None:
    item, other = divide_passage("- W: the crane broke\n  ? what broke\n  ? 뭐가 고장 났어\n- W: lunch")

    assert item.text == "- W: the crane broke\n  ? what broke\n  ? 뭐가 고장 났어"
    assert (item.said, other.said, other.offset) == ("the crane broke", "lunch", 3)


def analysed(text: str) -> Analysis:
    return analyse_text(text)


def chosen(question: str, passage: str, heading: str = "Day") -> str:
    parts = divide_passage(passage)
    weights = weigh_query(analysed(question).terms, question.split(), 100, 50.0, lambda _: 2)
    numbers = choose_lines(parts, [analysed(part.text) for part in parts], weights)
    return " + ".join(" / ".join(shown_parts(parts, number, heading)) for number in numbers)


def test_the_line_is_shown_that_answers_and_after_a_question_its_answer() -> None:
    broke = "- the crane of the harbour broke"
    assert chosen("harbour crane", f"## harbour crane\n- lunch\n{broke}") == broke
    answered = chosen("crane where", "- where is the crane?\n- in the yard\n- lunch")
    assert answered == "- where is the crane? / - in the yard"
    assert chosen("crane", "## the crane") == "## the crane"


def test_of_a_passage_other_lines_are_shown_that_have_as_much_of_the_question_if_it_is_much() -> None:
    broke, hired = "- the crane of the harbour broke", "- harbour: crane hired until June, by the port"

    assert chosen("harbour crane", f"{broke}\n{hired}\n- the crane waits\n- lunch") == f"{hired} + {broke}"
    assert chosen("harbour ferry timetable", "- the harbour\n- a harbour too") == "- the harbour"


def test_what_has_nearly_the_same_words_and_the_same_numbers_is_said() -> None:
    said = [frozenset(["deploy", "run", "10", "00", "tuesday"])]

    assert is_said(["deploy", "run", "10", "00", "tuesday"], said)
    assert is_said(["deploy", "run", "10", "tuesday"], said)
    assert not is_said(["deploy", "run", "11", "00", "tuesday"], said)
    assert not is_said(["deploy", "run", "tuesday", "moved", "again", "because", "vendor"], said)


def test_a_named_page_belongs_to_the_group_of_its_folder_with_and_without_its_ending() -> None:
    nodes = Filters(nodes=("memory/a", "knowledge/x", "bank/memory"))

    assert filters_within(nodes, "logs") == Filters(nodes=("a", "a.md"))
    assert filters_within(nodes, "bank") == Filters(nodes=("knowledge/x", "knowledge/x.md", "memory", "memory.md"))
    assert filters_within(nodes, "archive") is None
    assert filters_within(Filters(nodes=("archive",)), "archive") == Filters()


def test_screening_a_text_leaves_every_line_where_it_was() -> None:
    body = "\n".join("MIIEowIBAAKCAQEAx7Qd9fKz3mPpL8vVt2rYh5nWc4sJg6kDqBzEoUiT" for _ in range(4))
    text = f"one\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n\nlast password: hunter2x!9\n"

    screened = screen_text(text)

    assert screened.count("\n") == text.count("\n")
    assert "MIIEow" not in screened
    assert "hunter2x" not in screened
    assert screened.startswith("one\n[")


def test_of_a_turn_the_reply_is_shown_under_its_speaker() -> None:
    assert chosen("broke build", "User: who broke the build\n\nBot: dependabot, at 11:02.\n\nUser: ugh") == (
        "User: who broke the build / Bot: dependabot, at 11:02."
    )
    session = (
        "> where is the crane\n\n## 10:02 assistant\n\n> In the yard.\n> Second gate.\n\n## 10:03 user\n\n> thanks"
    )
    asked = chosen("crane", session, "10:01 user")
    assert asked == "> where is the crane / assistant: In the yard. / > Second gate."
    assert chosen("yard", session, "10:01 user") == "> In the yard. / user: thanks"
    assert chosen("crane", "The crane is red.\n\nLunch is at noon.") == "The crane is red."


def test_a_question_of_a_session_takes_its_reply_along() -> None:
    asked = "word " * 40
    found = places(f"# Day\n## 10:02 user\n> {asked}\n\n## 10:03 agent\n> there\n\n## 10:09 user\n> {asked}\n")
    assert [text.count(asked.strip()) for _, text in found] == [1, 1]
    assert "there" in found[0][1]


def test_the_line_is_shown_that_is_nearest_in_meaning() -> None:
    parts = divide_passage("- lunch at noon\n- the crane broke\n- rent went up")
    weights = weigh_query(["flat", "price"], ["flat", "price"], 100, 50.0, lambda _: 2)
    read = [analysed(part.text) for part in parts]
    assert choose_lines(parts, read, weights) == [0]
    assert choose_lines(parts, read, weights, {0: 0.7, 1: 0.7, 2: 0.9}) == [2]


PAGE = """# Services

- W: The port is 8080.

## Ports

| Service | Port \\| socket |
|---|---|
| api | 8123 |
| 검색 서버 | 9200 |
|  |  |

```sh
systemctl restart api
```

    indented --flag
"""


def texts(page: str) -> list[IndexableEntry]:
    return [entry for entry in read_bank_page("bank/ops.md", page.encode()).entries if entry.is_text]


def test_rows_of_a_table_and_code_stand_beside_the_memories_in_the_order_of_the_page() -> None:
    found = read_bank_page("bank/ops.md", PAGE.encode()).entries

    assert [(entry.line, entry.text, entry.is_text) for entry in found] == [
        (3, "The port is 8080.", False),
        (9, "api | 8123", True),
        (10, "검색 서버 | 9200", True),
        (14, "systemctl restart api", True),
        (17, "    indented --flag", True),
    ]
    assert found[1].heading == ("Services", "Ports")
    assert found[1].context == "Services\nPorts\nService\nPort \\| socket"
    assert all(entry.id is None and entry.tag is None for entry in found[1:])


def test_a_table_without_rows_is_found_by_its_columns() -> None:
    assert [(one.line, one.text) for one in texts("| a | b |\n|---|---|\n")] == [(1, "a | b")]


def test_code_is_cut_at_its_lines_and_an_open_fence_ends_with_the_page() -> None:
    lines = [f"echo {number:04}" for number in range(200)]
    found = texts("~~~\n" + "\n".join(lines))

    assert [line for one in found for line in one.text.split("\n")] == lines
    assert all(len(one.text) <= 2 * LARGE_ROWS for one in found)
    assert found[1].line == 2 + found[0].text.count("\n") + 1
    assert texts("```\n```\n") == []


def test_a_credential_in_code_is_masked() -> None:
    (found,) = texts("```\nexport AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzR4Kq81PLMZa\n```\n")
    assert "wJalrXUtnFEMI" not in found.text

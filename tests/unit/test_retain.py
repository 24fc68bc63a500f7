"""Which lines of a log are remembered, under which identity, which are bad, and a line from what somebody says."""

from __future__ import annotations

import unicodedata

import pytest

from bankd.errors import UsageError
from bankd.memory.retain import LogPlace, identified_as, read_log, retain_line, without_unended
from bankd.pages.memory import Confidence
from tests.examples import examples

LOG = "2026-05-02.md"


def texts(log: str, *, anywhere: bool = True) -> list[str]:
    return [line.memory.text for line in read_log(LOG, log, anywhere=anywhere).lines]


def reasons(log: str) -> list[str]:
    return [bad.reason for bad in read_log(LOG, log, anywhere=True).bad]


def test_a_tagged_line_is_read_whole() -> None:
    reading = read_log(LOG, "## Retain\n- O(c=0.95) @Peter @김철수: Prefers concise\n  replies.\n", anywhere=True)

    (line,) = reading.lines
    assert str(line.place) == "memory/2026-05-02.md:2"
    assert line.memory.tag == "O"
    assert line.memory.confidence == Confidence(95)
    assert line.memory.entities == ("Peter", "김철수")
    assert line.memory.text == "Prefers concise\nreplies."


@pytest.mark.parametrize("heading", ["# Retain", "#### RETAIN", "Retain\n---", "## Retain:", "## retain ##"])
def test_the_heading_may_have_any_level_and_case(heading: str) -> None:
    assert texts(f"{heading}\n- W: a\n", anywhere=False) == ["a"]


def test_a_retain_section_ends_at_the_next_heading_of_its_level() -> None:
    log = "## Retain\n- W: a\n### More\n- W: b\n## Other\n- W: c\n"

    assert texts(log, anywhere=False) == ["a", "b"]
    assert texts(log, anywhere=True) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("Mira plays the cello.\nThe boiler was serviced.\nYes.", "Mira plays the cello."),
        ('"민지는 첼로를 켠다."\n보일러를 점검했다.\n응.', '"민지는 첼로를 켠다."'),
        ("Mira sails <!-- project: /a -->\nThe boiler too.\nYes.", "Mira sails"),
        ("Mira plays the\ncello.\nThe boiler was serviced.", "Mira plays the\ncello."),
        ("Mira plays the cello.\n  Every day.\n  ? who plays", "Mira plays the cello.\nEvery day."),
    ],
)
def test_a_new_sentence_at_the_margin_below_a_line_is_prose(line: str, kept: str) -> None:
    reading = read_log(LOG, f"## Retain\n- W: {line}\n- W: next\n", anywhere=True)

    assert [one.memory.text for one in reading.lines] == [kept, "next"]
    assert reading.prose == line.count("\n") - kept.count("\n") - line.count("?")


def test_fences_and_comments_hold_no_retain_lines() -> None:
    assert texts("## Retain\n```\n- W: a\n```\n<!--\n- W: b\n-->\n- W: c\n") == ["c"]


def test_entities_of_html_are_unescaped_and_terminal_escapes_dropped() -> None:
    assert texts("- W: a &lt; b &amp; c\x1b[31m red\x1b[0m\x07\n") == ["a < b & c red"]


@pytest.mark.parametrize("unended", ["- W: still being wri", "- W: begun\n  and still being wri"])
def test_a_line_without_its_end_waits_with_its_item(unended: str) -> None:
    reading = read_log(LOG, f"- W: a\n{unended}", anywhere=True)

    assert reading.unended == LogPlace(LOG, 2)
    assert [line.memory.text for line in without_unended(reading).lines] == ["a"]


@pytest.mark.parametrize(("line", "reason"), [*examples("retain", "bad"), ("- W: \udcff bytes", "not UTF-8")])
def test_a_bad_line_is_a_value_with_its_place(line: str, reason: str) -> None:
    reading = read_log(LOG, f"## Retain\n{line}\n- W: fine\n", anywhere=True)

    assert [str(bad.place) for bad in reading.bad] == ["memory/2026-05-02.md:2"]
    assert reason in reading.bad[0].reason
    assert [item.memory.text for item in reading.lines] == ["fine"]


def test_prose_outside_a_retain_section_is_not_bad() -> None:
    prose = ("Note: buy milk", "X: marks the spot", "10:30 standup", "A: one", "S and P: up", "B @10:30 lunch")
    prose += ("W (1995): a film", "B-side: a song", "P @everyone: hi", "w @bob: lunch", "S@x.org: mail", "O c = 3")

    assert reasons("".join(f"- {line}\n" for line in prose)) == []


@pytest.mark.parametrize("anywhere", [True, False])
@pytest.mark.parametrize(("line", "said"), examples("retain", "meant to be retained"))
def test_a_line_meant_to_be_retained_is_bad_wherever_retain_lines_are_read(
    line: str, said: str, anywhere: bool
) -> None:
    (inside,) = read_log(LOG, f"## Retain\n- {line}\n", anywhere=anywhere).bad
    outside = read_log(LOG, f"- {line}\n", anywhere=anywhere).bad

    assert said in inside.reason
    assert [bad.reason for bad in outside] == ([inside.reason] if anywhere else [])


@pytest.mark.parametrize("name", ["Pe\u0301", "\u1100\u1161", "\u0939\u093f\u0928\u094d\u0926\u0940"])
def test_a_name_may_be_written_as_letters_and_their_marks(name: str) -> None:
    (line,) = read_log(LOG, f"- W @{name}: likes tea\n", anywhere=True).lines

    assert line.memory.entities == (unicodedata.normalize("NFC", name),)


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert texts("\ufeff- W: first\n- W: second\n") == ["first", "second"]
    assert texts("\ufeff## Retain\n- W: first\n", anywhere=False) == ["first"]


def test_identity_is_log_statement_and_occurrence_not_the_offset() -> None:
    first = read_log(LOG, "- W: a\n- W: b\n- W: a\n", anywhere=True)
    edited = read_log(LOG, "new line\n\n- W: b\n- W: a\n\n- W:  a\n", anywhere=True)

    ids = {(line.memory.text, line.occurrence): line.id for line in first.lines}
    assert {(line.memory.text, line.occurrence): line.id for line in edited.lines} == ids
    assert len(set(ids.values())) == 3


def test_a_renamed_log_keeps_its_ids_under_its_first_name() -> None:
    first = read_log(LOG, "- W: a\n", anywhere=True)
    renamed = read_log("2026-05-03.md", "- W: a\n", anywhere=True)

    assert renamed.lines[0].id != first.lines[0].id
    assert identified_as(renamed, LOG).lines[0].id == first.lines[0].id


def test_questions_below_a_line_are_no_part_of_its_text_or_id() -> None:
    plain = read_log("2026-05-04.md", "- W: DB는 PostgreSQL이다.\n", anywhere=True)
    asked = read_log(
        "2026-05-04.md",
        "- W: DB는 PostgreSQL이다.\n  ? 로컬 DB가 뭐야\n  ? which database runs locally\n- W: Next.\n",
        anywhere=True,
    )

    assert asked.lines[0].questions == ("로컬 DB가 뭐야", "which database runs locally")
    assert asked.lines[0].memory == plain.lines[0].memory
    assert asked.lines[0].id == plain.lines[0].id
    assert asked.lines[1].questions == ()


def test_a_text_goes_on_before_and_after_its_questions() -> None:
    [line] = read_log("a.md", "- W: One\n  two?\n  ? why\n  ?? three\n", anywhere=True).lines

    assert line.memory.text == "One\ntwo?\n?? three"
    assert line.questions == ("why",)


def test_questions_stay_with_a_log_that_is_renamed() -> None:
    reading = read_log("b.md", "- W: One\n  ? why\n", anywhere=True)

    assert identified_as(reading, "a.md").lines[0].questions == ("why",)


@pytest.mark.parametrize(
    "more", [" <!-- importance: 9 -->", " <!-- trigger: 배포 --> <!-- project: x --> ", "<!--importance:1-->"]
)
def test_what_openclaw_notes_at_the_end_of_a_line_is_no_part_of_its_text(more: str) -> None:
    [line] = read_log("a.md", f"- W: The deploy moved.{more}\n", anywhere=True).lines

    assert line.memory.text == "The deploy moved."


def test_any_other_comment_stays_in_the_text() -> None:
    [line] = read_log("a.md", "- W: The deploy <!-- importance: 9 --> moved. <!-- see below -->\n", anywhere=True).lines

    assert line.memory.text == "The deploy <!-- importance: 9 --> moved. <!-- see below -->"


@pytest.mark.parametrize(("line", "text"), examples("retain", "spaces"))
def test_a_line_below_retain_is_read_without_its_spaces(line: str, text: str) -> None:
    assert texts(f"## Retain\n{line}\n- W: next\n", anywhere=False) == [text, "next"]


def test_lines_without_a_space_after_the_marker_are_memories_each_with_its_line() -> None:
    reading = read_log(LOG, "-W: a\n-W: b\nprose\n", anywhere=True)
    assert reading.lines == read_log(LOG, "- W: a\n- W: b\nprose\n", anywhere=True).lines
    assert [line.place.line for line in reading.lines] == [1, 2]


def test_a_tight_tag_anywhere_is_named_unless_it_is_one_word() -> None:
    reading = read_log(LOG, "- W:the port is 8080\n- S:N\n- O:2\n- W://x y\n-w: x\n---\n-W:\n", anywhere=True)

    assert [(bad.place.line, bad.reason) for bad in reading.bad] == [
        (1, "no space after the colon; write it as `- W: text`"),
        (7, "a tag without a text"),
    ]
    assert reading.lines == ()


@pytest.mark.parametrize(("line", "entities", "text"), examples("retain", "names"))
def test_names_at_the_beginning_of_the_text_are_whom_it_is_about(line: str, entities: str, text: str) -> None:
    (read,) = read_log("a.md", f"## Retain\n- {line}\n", anywhere=False).lines

    assert (" ".join(read.memory.entities), read.memory.text) == (entities, text)


@pytest.mark.parametrize(("text", "tag", "confidence", "line"), examples("retain", "heads"))
def test_a_statement_gets_the_head_that_it_lacks(text: str, tag: str, confidence: str, line: str) -> None:
    assert retain_line(text, tag or None, float(confidence) if confidence else None) == line


@pytest.mark.parametrize("text", ["W @: empty", "W @민지 배포는 금요일", "O(c=0.5) tea is good", "W:tea"])
def test_a_head_that_cannot_be_read_is_refused_and_no_statement_of_its_own(text: str) -> None:
    with pytest.raises(UsageError, match="part before the text cannot be read"):
        retain_line(text, None)


def test_an_id_that_was_copied_with_a_line_is_no_text_and_is_refused_where_one_line_is_written() -> None:
    copied = "- W: Tea is green. ^m-aaaaaaaaaaaa (replaces m-bbbbbbbbbbbb)"

    (read,) = read_log("a.md", f"## Retain\n{copied}\n", anywhere=False).lines
    assert (read.memory.text, read.replaces) == ("Tea is green.", "m-bbbbbbbbbbbb")
    with pytest.raises(UsageError, match="m-aaaaaaaaaaaa is the id of a memory"):
        retain_line("W: Tea is green. ^m-aaaaaaaaaaaa", None)


def test_questions_stand_below_the_line_each_on_its_own() -> None:
    line = retain_line("Tea is green.", None, questions=["what colour\nis tea", "? 차는 무슨 색", "  "])

    assert line == "- W: Tea is green.\n  ? what colour is tea\n  ? 차는 무슨 색"

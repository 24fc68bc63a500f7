"""A Retain line from what a person or an agent says."""

from __future__ import annotations

import pytest

from bankd.memory.retain import retain_line


@pytest.mark.parametrize(
    ("text", "tag", "confidence", "line"),
    [
        ("Tea is green.", None, None, "- W: Tea is green."),
        ("Tea is\ngood.", "O", 0.8, "- O(c=0.80): Tea is good."),
        ("@Peter: Drinks tea.", "B", None, "- B @Peter: Drinks tea."),
        ("@Peter @Mina: Drink tea.", "O", 0.5, "- O(c=0.50) @Peter @Mina: Drink tea."),
        ("@Peter said so.", None, None, "- W: @Peter said so."),
        ("- S: I drink tea.", None, None, "- S: I drink tea."),
    ],
)
def test_a_statement_gets_the_head_that_it_lacks(
    text: str, tag: str | None, confidence: float | None, line: str
) -> None:
    assert retain_line(text, tag, confidence) == line


def test_questions_stand_below_the_line_each_on_its_own() -> None:
    line = retain_line("Tea is green.", None, questions=["what colour\nis tea", "? 차는 무슨 색", "  "])

    assert line == "- W: Tea is green.\n  ? what colour is tea\n  ? 차는 무슨 색"

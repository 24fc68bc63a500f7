"""Which targets a file has and where exactly they stand."""

from __future__ import annotations

import pytest

from bankd.pages.references import (
    LinkKind,
    definitions_of,
    label_uses,
    references_in_text,
    references_of,
    route_targets,
)
from bankd.pages.scanner import scan_text
from tests.examples import examples


def targets(text: str) -> list[str]:
    document = scan_text(text)
    found = references_of(document)
    assert all(document.lines[r.line][r.start : r.end] == r.target for r in found)
    return [reference.target for reference in found]


@pytest.mark.parametrize(("text", "expected"), examples("references", "targets"))
def test_targets_are_found_where_they_stand(text: str, expected: str) -> None:
    assert " | ".join(targets(text)) == expected


@pytest.mark.parametrize("mark", ["> ", ">", "[^n]: ", "> [^n]: "])
@pytest.mark.parametrize("depth", [2, 31, 32, 33, 1_000])
def test_a_target_is_found_however_deep_it_is_quoted(mark: str, depth: int) -> None:
    assert targets(mark * depth + "[a](b.md) and [[c]]\n") == ["b.md", "c"]


def test_other_files_name_paths_as_whole_tokens() -> None:
    text = (
        'p: "bank/my notes/a b.md#c d"\nx=${WS}/bank/k/f.md#x  # bank/k/*.md\n- ../bank/k/f.md\nhttps://h/bank/k/f.md\n'
    )

    found = [(reference.line, reference.target) for reference in references_in_text(text)]

    assert found == [(0, "bank/my notes/a b.md#c d"), (1, "${WS}/bank/k/f.md#x"), (1, "bank/k/"), (2, "../bank/k/f.md")]


def test_rules_name_pages_relative_to_the_bank() -> None:
    text = "W:\n  - {match: '도구', target: knowledge/도구.md}\n  - match: x\n    target: \"k/f.md\"  # not k/g.md?\n# target: a.md\n"

    found = [reference.target for reference in route_targets(text)]

    assert found == ["knowledge/도구.md", "k/f.md"]


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ('    - {target: "knowledge/큰 쪽.md", match: "항목"}', "knowledge/큰 쪽.md"),
        ("    - {match: '항목, 것', target: 'knowledge/큰 쪽.md'}", "knowledge/큰 쪽.md"),
        ("    - {target: knowledge/큰 쪽.md, match: '항목'}", "knowledge/큰 쪽.md"),
        ("      target: knowledge/큰 쪽.md  # 새 쪽", "knowledge/큰 쪽.md"),
        ("  W: Peter's page.md", "Peter's page.md"),
        ('  W: "Peter\'s page.md"', "Peter's page.md"),
    ],
)
def test_a_rule_may_name_a_page_with_spaces(line: str, target: str) -> None:
    found = [reference.target for reference in route_targets(f"TAG_ROUTING:\n{line}\n")]

    assert found == [target]


def test_uses_and_definitions_of_labels() -> None:
    document = scan_text("[a][B  c] [b c][] [B C] [^1] `[b c]`\n\n[b c]: x.md\n[^1]: note [b c]\n")

    assert [definition.label for definition in definitions_of(document)] == ["b c", "^1"]
    assert [label for label, _ in label_uses(document)] == ["b c", "b c", "b c", "^1", "b c"]


def test_a_picture_and_an_angle_are_remembered() -> None:
    found = references_of(scan_text("![p](<p q.png>)"))

    assert [(reference.kind, reference.is_angled) for reference in found] == [(LinkKind.IMAGE, True)]

"""Tables and code of a page of the bank as texts that search finds."""

from __future__ import annotations

from bankd.search.indexable import LARGE, IndexableEntry, read_bank_page

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
    assert all(len(one.text) <= 2 * LARGE for one in found)
    assert found[1].line == 2 + found[0].text.count("\n") + 1
    assert texts("```\n```\n") == []


def test_a_credential_in_code_is_masked() -> None:
    (found,) = texts("```\nexport AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzR4Kq81PLMZa\n```\n")
    assert "wJalrXUtnFEMI" not in found.text

"""Rows of tables and blocks of code in the bank: found with page and line, and otherwise no memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.conftest import Run, write_log

TEXT = """# Servers

| Service | Port | Owner |
|---|---|---|
| staging gateway | 8123 | Mina |
| 결제 서버 | 9443 | 준호 |

```sh
rsync -a /srv/photos backup:/photos
```
"""


@pytest.fixture
def page(root: Path) -> Path:
    page = root / "bank" / "servers.md"
    page.write_text(TEXT)
    return page


@pytest.mark.parametrize(
    ("question", "line", "said"),
    [
        ("which port has the staging gateway", 5, "8123"),
        ("결제 서버 포트", 6, "9443"),
        ("rsync photos backup", 9, "rsync -a"),
    ],
)
def test_a_cell_and_a_command_are_found(page: Path, bankctl: Run, question: str, line: int, said: str) -> None:
    hit = bankctl("search", question, "--json").json["hits"][0]

    assert (hit["path"], hit["line"], hit["id"]) == ("bank/servers.md", line, None)
    assert said in hit["text"]


def test_a_changed_cell_is_found_and_the_old_one_is_not(page: Path, bankctl: Run) -> None:
    bankctl("search", "staging gateway port")
    page.write_text(TEXT.replace("8123", "8999"))

    hits = bankctl("search", "staging gateway port", "--json").json["hits"]

    assert hits[0]["text"] == "staging gateway | 8999 | Mina"
    assert all("8123" not in hit["text"] for hit in hits)


def test_they_are_not_counted_and_block_nothing(root: Path, page: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-02.md", "W: staging gateway | 8123 | Mina")

    counts = bankctl("cycle", "micro", "--now", "2026-05-03T03:00", "--json").json["counts"]

    assert counts in ({"learned": 1}, {"inbox": 1})
    assert bankctl("doctor", "index", "--json").json["memories"] == 1
    assert "1 Retain line, 1 memory: all promises hold" in bankctl("doctor", "verify").out

"""What neighbours are taken to speak of."""

from __future__ import annotations

import pytest

from bankd.core.judging import said_on
from bankd.core.memory import Memory


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

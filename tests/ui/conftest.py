"""A year's bank and an empty one behind the page, asked as a browser asks."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bankd.app.init import make_workspace
from bankd.ui.application import make_application
from bankd.ui.guard import Access
from bankd.wiring.banks import Banks

PORT = 8787
HERE = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def year(made_year: Path, tmp_path: Path) -> Path:
    """A copy of it to work on."""
    return Path(shutil.copytree(made_year, tmp_path / "year", symlinks=True))


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A workspace in which nothing is yet."""
    make_workspace(tmp_path / "empty")
    return tmp_path / "empty"


Open = Callable[..., TestClient]


@pytest.fixture
def open_page() -> Iterator[Open]:
    """Open the page over banks, let in by its link."""
    opened: list[Banks] = []

    def open_page(*roots: Path) -> TestClient:
        banks = Banks(lambda: {root.name: str(root) for root in roots}, stays=True)
        opened.append(banks)
        access = Access(PORT)
        client = TestClient(make_application(banks, access), base_url=HERE, follow_redirects=False)
        assert client.get("/", params={"token": access.token}).status_code == 200
        return client

    yield open_page
    for banks in opened:
        banks.close()


def post(client: TestClient, bank: str, **form: str) -> str:
    """Send a decision as a form of the page does; gives where the browser goes then, or the page that refuses."""
    answer = client.post(f"/{bank}/act", data=form, headers={"Origin": HERE, "Sec-Fetch-Site": "same-origin"})
    return answer.headers.get("location", "") or answer.text

"""A database for each test, and workspaces to do nights in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import psycopg
import pytest

from bankd.fleet.actions import make_fleet, open_fleet
from bankd.fleet.registry import Fleet
from tests.fleet.postgres import Postgres
from tests.settings import make_quick_workspace

MakeBank: TypeAlias = Callable[[str], Path]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for all tests."""
    server = Postgres()
    yield server
    server.close()


@pytest.fixture
def dsn(postgres: Postgres) -> str:
    """A new database."""
    name = f"fleet_{uuid4().hex[:12]}"
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres.dsn.replace("dbname=postgres", f"dbname={name}")


@pytest.fixture
def fleet(dsn: str) -> Iterator[Fleet]:
    """A fleet without a bank."""
    assert make_fleet(dsn)
    with open_fleet(dsn) as opened:
        yield opened


@pytest.fixture
def make_bank(tmp_path: Path) -> MakeBank:
    """What makes a workspace with two lines to learn; read by the lexicon, since Kiwi takes a second to load."""

    def make(name: str) -> Path:
        root = tmp_path / name
        make_quick_workspace(root)
        lines = (
            f"## Retain\n- W: The server of {root.name} stands in Busan.\n- B: {root.name} 백업은 매주 금요일에 한다.\n"
        )
        (root / "memory/2026-05-02.md").write_text(lines, "utf-8")
        for path in root.rglob("*"):  # long at rest: a night waits for what was just saved
            os.utime(path, (1_777_700_000, 1_777_700_000))
        return root

    return make

"""A derived database is disposable: damage and another version make it anew, and nobody sees a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankd.adapters.derived import DerivedDatabase
from bankd.errors import StorageError

SCHEMA = "CREATE TABLE things (name TEXT);"


def filled(path: Path) -> None:
    database = DerivedDatabase(path, SCHEMA, 1)
    with database.change():
        database.execute_many("INSERT INTO things VALUES (?)", [(f"thing {n}",) for n in range(2000)])
    database.close()


@pytest.mark.parametrize("data", [b"", b"not a database at all, but long enough to be looked at" * 100])
def test_a_file_that_is_no_database_is_made_anew(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.sqlite3").write_bytes(data)

    database = DerivedDatabase(tmp_path / "x.sqlite3", SCHEMA, 1)

    assert database.execute("SELECT * FROM things") == []
    database.close()


def test_another_version_is_made_anew(tmp_path: Path) -> None:
    filled(tmp_path / "x.sqlite3")

    database = DerivedDatabase(tmp_path / "x.sqlite3", SCHEMA, 2)

    assert database.execute("SELECT * FROM things") == []
    database.close()


def test_damage_inside_is_said_and_the_file_goes(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    filled(path)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    database = DerivedDatabase(path, SCHEMA, 1)

    with pytest.raises(StorageError, match="was damaged"):
        database.execute("SELECT * FROM things")

    assert not path.exists()


def test_an_error_takes_a_change_back(tmp_path: Path) -> None:
    database = DerivedDatabase(tmp_path / "x.sqlite3", SCHEMA, 1)

    with pytest.raises(KeyError), database.change():  # noqa: PT012  # what is inside the change is the case
        database.execute("INSERT INTO things VALUES ('half')")
        raise KeyError

    assert database.execute("SELECT * FROM things") == []
    database.close()

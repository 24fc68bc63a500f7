"""A derived database is disposable: damage and another version make it anew, and nobody sees a traceback."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from bankd.errors import StorageError
from bankd.storage.disk import DerivedDatabase

SCHEMA = "CREATE TABLE things (name TEXT);"


def filled(path: Path) -> None:
    database = DerivedDatabase(path, SCHEMA, 1)
    fill(database)
    database.close()


def fill(database: DerivedDatabase) -> None:
    rows = [(f"thing {n}",) for n in range(2000)]
    database.change(lambda: database.execute_many("INSERT INTO things VALUES (?)", rows))


@pytest.mark.parametrize("data", [b"", b"not a database at all, but long enough to be looked at" * 100, None])
def test_a_file_that_is_no_database_or_of_another_version_is_made_anew(tmp_path: Path, data: bytes | None) -> None:
    if data is None:
        filled(tmp_path / "x.sqlite3")
    else:
        (tmp_path / "x.sqlite3").write_bytes(data)

    database = DerivedDatabase(tmp_path / "x.sqlite3", SCHEMA, 2)

    assert database.execute("SELECT * FROM things") == []
    database.close()


def garble(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)


def test_damage_inside_is_mended_by_who_meets_it_and_said_once(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    filled(path)
    garble(path)
    database = DerivedDatabase(path, SCHEMA, 1)
    database.refill = lambda: fill(database)

    assert len(database.execute("SELECT * FROM things")) == 2000

    (said,) = database.take_made_anew()
    assert said.startswith(f"{path}: could not be used (")
    assert database.take_made_anew() == []
    database.close()


def test_a_change_that_damage_stops_is_made_whole_again(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    filled(path)
    garble(path)
    database = DerivedDatabase(path, SCHEMA, 1)

    def work() -> None:
        database.execute("INSERT INTO things VALUES ('first')")
        database.execute("DELETE FROM things WHERE name = 'thing 1999'")

    database.change(work)

    assert database.execute("SELECT * FROM things") == [("first",)]
    database.close()


def test_a_row_of_which_nothing_can_be_made_is_damage(tmp_path: Path) -> None:
    database = DerivedDatabase(tmp_path / "x.sqlite3", SCHEMA, 1)
    database.execute("INSERT INTO things VALUES ('no number')")
    database.refill = lambda: database.execute("INSERT INTO things VALUES ('7')")

    assert database.read("SELECT name FROM things", (), int) == [7]
    database.close()


def test_damage_that_does_not_end_is_the_disk_s(tmp_path: Path) -> None:
    database = DerivedDatabase(tmp_path / "x.sqlite3", SCHEMA, 1)
    database.refill = lambda: database.execute("INSERT INTO things VALUES ('no number')")
    database.refill()

    for _ in range(3):
        with pytest.raises(sqlite3.DatabaseError):
            database.read("SELECT name FROM things", (), int)
    with pytest.raises(StorageError, match="again and again"):
        database.read("SELECT name FROM things", (), int)
    database.close()


@pytest.mark.parametrize("suffix", ["", "-journal"])
def test_a_folder_in_its_place_is_taken_away(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"x.sqlite3{suffix}").mkdir()

    database = DerivedDatabase(tmp_path / "x.sqlite3", SCHEMA, 1)
    fill(database)

    assert len(database.execute("SELECT * FROM things")) == 2000
    database.close()


def test_an_error_takes_a_change_back(tmp_path: Path) -> None:
    database = DerivedDatabase(tmp_path / "x.sqlite3", SCHEMA, 1)

    def work() -> None:
        database.execute("INSERT INTO things VALUES ('half')")
        raise KeyError

    with pytest.raises(KeyError):
        database.change(work)

    assert database.execute("SELECT * FROM things") == []
    database.close()

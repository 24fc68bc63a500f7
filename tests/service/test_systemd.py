"""The units under a real systemd, in namespaces of its own; and what systemd says of them on paper."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bankd.health.units import fill_unit, instance_drop_in, with_network
from bankd.system.manager import Manager

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent / "systemd"
NOBODY = 65534


def rendered(name: str, folder: Path) -> Path:
    """A shipped unit with a program that exists, under a name that can be verified."""
    text = (ROOT / "systemd" / name).read_text()
    target = folder / name.replace("@.", "@ann.")
    target.write_text(
        fill_unit(text, bankd="/bin/true", workspace="/srv/내 메모 100%/x", written="/srv/내 메모 100%/x")
    )
    return target


@pytest.fixture(autouse=True)
def needs_systemd() -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")


@pytest.mark.parametrize("name", ["bankd.service", "bankd-all.service", "bankd@.service"])
def test_systemd_has_nothing_to_say_against_the_units(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))

    unit = rendered(name, tmp_path)
    shut = Manager("@" not in name).verify(unit)
    unit.write_text(with_network(unit.read_text()))

    assert (shut, Manager("@" not in name).verify(unit)) == ("", "")


def test_nor_against_the_unit_that_the_docs_give_to_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    [text] = re.findall(r"```ini\n(.*?)```", (ROOT / "docs/agents.md").read_text("utf-8"), re.DOTALL)
    unit = tmp_path / "bankd-http.service"
    unit.write_text(text.replace("%h/.local/bin/bankctl", "/bin/true"))

    assert Manager(True).verify(unit) == ""


def test_a_misspelt_setting_would_be_seen(tmp_path: Path) -> None:
    unit = rendered("bankd@.service", tmp_path)
    unit.write_text(unit.read_text().replace("ProtectClock=", "ProtectClocks="))

    assert "ProtectClocks" in Manager(False).verify(unit)


def test_the_template_is_hardly_exposed(tmp_path: Path) -> None:
    unit = rendered("bankd@.service", tmp_path)
    folder = tmp_path / f"{unit.name}.d"
    folder.mkdir()
    (folder / "workspace.conf").write_text(
        instance_drop_in(workspace="/home/ann/notes", written="/home/ann/notes", binds=("/home/ann/venv",))
    )
    words = ["systemd-analyze", "security", "--offline=yes", "--threshold=3", str(unit)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = re.search(r"exposure level for .*: ([\d.]+)", done.stdout)

    assert found is not None, done
    assert float(found[1]) <= 0.3


@pytest.mark.parametrize("name", ["bankd.service", "bankd-all.service", "bankd@.service"])
def test_each_line_of_the_sandbox_has_its_reason(name: str) -> None:
    lines = (ROOT / "systemd" / name).read_text().splitlines()
    hardening = [
        n
        for n, line in enumerate(lines)
        if line.startswith(("Protect", "Private", "Restrict", "System", "No", "Lock", "Memory"))
    ]
    for number in hardening:
        above = number
        while lines[above].strip() and not lines[above].startswith("#"):
            above -= 1

        assert lines[above].startswith("#"), lines[number]
    assert "ProcSubset=pid" not in lines
    assert "PrivateUsers=yes" in lines


def told(output: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in output.splitlines() if "=" in line)


@pytest.mark.full
def test_the_user_unit_under_a_user_manager(made_workspace: Path, tmp_path: Path) -> None:
    if os.getuid() or "cgroup2" not in Path("/proc/mounts").read_text() or not Path("/lib/systemd/systemd").exists():
        pytest.skip("needs root, cgroup2 and systemd")
    folder = tmp_path / "srv"
    shutil.copytree(made_workspace, folder / "w")
    (folder / "home").mkdir()
    (folder / "bin").write_text(str(Path(sys.executable).parent))
    shutil.copy(HERE / "user_unit.sh", folder)
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, NOBODY, NOBODY)
    words = [HERE / "user_manager.sh", str(NOBODY), folder, "user_unit.sh", sys.base_prefix]
    done = subprocess.run(words, capture_output=True, text=True, timeout=180, check=False)
    seen = told(done.stdout)

    assert done.returncode == 0, done
    assert "never" not in done.stdout, done
    assert (seen["verify"], seen["active"]) == ("", "active")
    assert seen["found"] == seen["still_found"] == "1"
    assert seen["reload_kept"] == seen["fed"] == "yes"
    assert seen["bad_reload"].startswith("active the new settings cannot be used")
    assert (seen["watchdog_restarts"], seen["kill_restarts"]) == ("1", "2")
    assert int(seen["stop_ms"]) < 5000
    assert seen["bad_start"].startswith("failed exit-code 3")
    assert seen["uninstalled"] == "yes"
    assert (seen["all_verify"], seen["all_found"], seen["all_gone"]) == ("", "1", "inactive")
    assert seen["all_status"].startswith("2 of 3 banks served; x: waiting: /srv/x: no workspace is there")
    inside = seen["inside"]
    assert "allowed" in inside
    assert inside.count("Read-only file system") == 2
    assert "Address family not supported" in inside
    assert "unshare failed: Operation not permitted" in inside
    assert "NoNewPrivs:\t1" in inside


def find_nspawn() -> str:
    found = os.environ.get("BANKD_NSPAWN") or shutil.which("systemd-nspawn")
    if os.getuid() or not found or "cgroup2" not in Path("/proc/mounts").read_text():
        pytest.skip("needs root, cgroup2 and systemd-nspawn (Debian: systemd-container; or its path in BANKD_NSPAWN)")
    return found


@pytest.mark.full
def test_the_template_under_a_system_manager(made_workspace: Path, tmp_path: Path) -> None:
    nspawn = find_nspawn()
    folder = tmp_path / "srv"
    shutil.copytree(made_workspace, folder / "w")
    (folder / "w/bankd.yaml").write_text("")  # with the morphological analyser
    folder.chmod(0o755)
    (folder / "bin").write_text(str(Path(sys.executable).parent))
    (folder / "prefix").write_text(sys.base_prefix)
    shutil.copy(HERE / "template_unit.sh", folder)
    words = [HERE / "system_unit.sh", folder, "template_unit.sh", sys.base_prefix, nspawn]
    subprocess.run(words, timeout=240, check=False, capture_output=True)
    output = (folder / "told").read_text()
    seen = told(output)

    assert "never" not in output, output + (folder / "journal").read_text()
    assert seen["verify"] == ""
    assert float(seen["exposure"]) <= 0.3
    assert (seen["active"], seen["user"]) == ("active", "ann")
    assert seen["found"] == "1"
    assert (seen["worker"], seen["owner"]) == ("1", "0")
    assert seen["reload_kept"] == "yes"
    assert seen["watchdog_restarts"] == "1"
    assert int(seen["journal"]) >= 2
    assert seen["prefixes"] == "0"
    assert int(seen["stop_ms"]) < 5000
    assert (seen["result"], seen["left"]) == ("success", "0")
    inside = seen["inside"]
    assert "allowed" in inside
    assert "/etc/outside': Read-only file system" in inside
    assert "/home/ann/other': Permission denied" in inside
    assert "Address family not supported" in inside
    assert "CapBnd:\t0000000000000000" in inside

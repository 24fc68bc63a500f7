"""The commands of docs/fleet.md, each as it stands there, but for where the database and the banks are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import psycopg

from tests.fleet.postgres import Postgres

GUIDE = Path(__file__).resolve().parents[2] / "docs/fleet.md"
MACHINE = "host=data dbname=fleet user="


def commands() -> list[str]:
    """What the guide has to type as a user."""
    found = re.findall(r"^    \$ (bankctl .*)$", GUIDE.read_text("utf-8"), re.MULTILINE)
    assert len(found) >= 14
    return [str(one) for one in found]


def test_every_command_of_the_guide_does_what_it_says(postgres: Postgres, dsn: str, tmp_path: Path) -> None:
    role = f"agent_{uuid4().hex[:8]}"
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN")  # as `createuser` does in the guide
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "NO_COLOR": "1", "LANG": "C.UTF-8",
    }  # fmt: skip
    (tmp_path / "banks").mkdir()
    said: dict[str, str] = {}
    for command in commands():
        typed = command.replace(f"{MACHINE}bankd", dsn).replace(
            f"{MACHINE}anna_agent", dsn.replace("user=owner", f"user={role}")
        )
        typed = typed.replace("/srv/banks", str(tmp_path / "banks")).replace(
            "/var/lib/prometheus/node-exporter", str(tmp_path)
        )
        typed = typed.replace("anna_agent", role).replace(" --concurrency 2", " --concurrency 2 --until-idle")
        done = subprocess.run(
            ["bash", "-c", typed], cwd=tmp_path, env=environment, check=False, capture_output=True, text=True
        )
        said[command] = done.stdout + done.stderr
        is_fine = {0, 1} if "fleet search" in command else {0}
        assert done.returncode in is_fine, f"{command}\n{said[command]}"
        if "fleet worker" in command:
            make_due(dsn, typed, environment)

    assert "04:30 " in said["bankctl fleet list"]
    assert "2 banks" in said["bankctl fleet status"]
    assert "2 banks" in said["bankctl fleet index"]
    assert 'bankd_fleet_nights{state="failed"} 0' in (tmp_path / "fleet.prom").read_text("utf-8")


def make_due(dsn: str, typed: str, environment: dict[str, str]) -> None:
    """Let the night come, and the worker of the guide do it."""
    with psycopg.connect(dsn) as connection:
        connection.execute("UPDATE bankd.banks SET due = now()")
    subprocess.run(["bash", "-c", typed], env=environment, check=True, capture_output=True)


def test_the_guide_is_short() -> None:
    assert len(GUIDE.read_text("utf-8").splitlines()) <= 120

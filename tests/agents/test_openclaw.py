"""OpenClaw itself takes the plugin as a bundle, with its skills ready and its server known.

Needs the program `openclaw`, with a Node that it takes: in PATH, or where BANKD_OPENCLAW says.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from bankd.cli import main
from tests.agents.conftest import find_program, json_said_by

pytestmark = pytest.mark.full


@pytest.fixture
def openclaw(home: Path) -> str:
    return find_program("BANKD_OPENCLAW", "openclaw")


def test_the_plugin_is_taken_by_the_line_that_connect_advises(
    openclaw: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["connect", "openclaw", "--workspace", str(root)]) == 0
    [advice] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("then type: openclaw ")]

    subprocess.run([openclaw, *shlex.split(advice)[3:]], check=True, capture_output=True, timeout=180)

    taken = json_said_by(openclaw, "plugins", "inspect", "bankd", "--json")
    assert (taken["plugin"]["status"], taken["plugin"]["bundleFormat"]) == ("loaded", "claude")
    assert (taken["mcpServers"], taken["diagnostics"]) == ([{"name": "bankd", "hasStdioTransport": True}], [])
    ready = {one["name"] for one in json_said_by(openclaw, "skills", "list", "--json")["skills"] if one["eligible"]}
    assert {"recall", "remember"} <= ready

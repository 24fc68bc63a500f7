"""What tests of a release share: its tools, and an index on the loopback interface that serves the packages."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Index(NamedTuple):
    """A package index with bankd alone, and what was asked of it."""

    url: str
    dist: Path
    asked: list[str]


@pytest.fixture(scope="session")
def tools() -> Path:
    """The folder of the programs that a release is made with."""
    named = os.environ.get("BANKD_RELEASE_TOOLS")
    if not named:
        pytest.skip("needs BANKD_RELEASE_TOOLS: see `make .venv-release/ready`")
    return Path(named).resolve()


@pytest.fixture(scope="session")
def index(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Wheel and sdist, built once and served as PEP 503 asks."""
    top = tmp_path_factory.mktemp("index")
    dist = top / "simple/bankd"
    run([tools / "python", "-m", "build", "--no-isolation", "--outdir", dist, ROOT], top)
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            asked.append(str(args[0]))

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(top)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield Index(f"http://127.0.0.1:{server.server_port}/simple/", dist, asked)
    server.shutdown()
    server.server_close()


def run(command: list[str | Path], home: Path, **more: str) -> str:
    """Run a command as a user with nothing but that home; gives what it printed."""
    environment = {**os.environ, "HOME": str(home), "PYTHONNOUSERSITE": "1", "NO_COLOR": "1", **more}
    for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "VIRTUAL_ENV", "PYTHONPATH"):
        environment.pop(variable, None)
    done = subprocess.run(command, cwd=home, env=environment, check=False, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout

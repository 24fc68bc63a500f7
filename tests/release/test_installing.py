"""The packages as they would be published, installed by each tool from an index on the loopback interface, to a first answer.

Needs the tools of the group `release`, in the folder that BANKD_RELEASE_TOOLS names, and a package index for what bankd
depends on. A Python that the machine lacks is passed over, and said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from bankd import __version__

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
ANSWER = "Prefers concise replies."
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


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


def first_answer(bankctl: list[str | Path], home: Path, **more: str) -> None:
    """A workspace, a memory and a question, as the README has them."""
    notes = ["--workspace", str(home / "notes")]
    assert run([*bankctl, "--version"], home, **more).strip().endswith(__version__)
    run([*bankctl, "init", home / "notes"], home, **more)
    run([*bankctl, "add", f"O(c=0.90) @Peter: {ANSWER}", *notes], home, **more)
    run([*bankctl, "cycle", "micro", *notes], home, **more)
    assert ANSWER in run([*bankctl, "search", "what does Peter prefer?", *notes], home, **more)


def find_python(version: str) -> str:
    """A Python of that version which runs; skips where there is none."""
    for candidate in (
        shutil.which(f"python{version}"),
        *sorted(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))),
    ):
        if candidate and subprocess.run([candidate, "-c", ""], check=False, capture_output=True).returncode == 0:
            return candidate
    pytest.skip(f"there is no Python {version} here")


def by_pip(tools: Path, index: Index, home: Path, python: str) -> list[str | Path]:
    run([python, "-m", "venv", home / "venv"], home)
    run(
        [
            home / "venv/bin/pip",
            "install",
            "--quiet",
            "--no-cache-dir",
            "--extra-index-url",
            index.url,
            f"bankd=={__version__}",
        ],
        home,
    )
    return [home / "venv/bin/bankctl"]


def by_pipx(tools: Path, index: Index, home: Path, python: str) -> list[str | Path]:
    wanted = f"--pip-args=--no-cache-dir --extra-index-url {index.url}"
    run(
        [tools / "pipx", "install", "--python", python, wanted, f"bankd=={__version__}"],
        home,
        PIPX_HOME=str(home / "pipx"),
        PIPX_BIN_DIR=str(home / "bin"),
    )
    return [home / "bin/bankctl"]


def by_uvx(tools: Path, index: Index, home: Path, python: str) -> list[str | Path]:
    return [tools / "uvx", "--python", python, "--index", index.url, "bankd"]


def timed(way: str, python: str, began: float) -> None:
    sys.stdout.write(f"{way} on Python {python}: a first answer after {time.perf_counter() - began:.0f} s\n")


@pytest.mark.parametrize("install", [by_pip, by_pipx, by_uvx], ids=lambda way: way.__name__)
def test_each_way_of_installing_leads_to_an_answer(install: object, tools: Path, index: Index, tmp_path: Path) -> None:
    assert callable(install)
    began, before = time.perf_counter(), len(index.asked)

    first_answer(install(tools, index, tmp_path, sys.executable), tmp_path)

    timed(install.__name__, sys.version.split()[0], began)
    assert any(".whl" in line for line in index.asked[before:])


@pytest.mark.parametrize("version", PYTHONS)
def test_each_python_runs_it(version: str, tools: Path, index: Index, tmp_path: Path) -> None:
    python, began = find_python(version), time.perf_counter()

    first_answer(by_uvx(tools, index, tmp_path, python), tmp_path)

    timed("uvx", version, began)


def test_what_would_be_published_is_well_formed(tools: Path, index: Index, tmp_path: Path) -> None:
    wheel, sdist = next(index.dist.glob("*.whl")), next(index.dist.glob("*.tar.gz"))

    run([tools / "twine", "check", "--strict", wheel, sdist], tmp_path)
    run([tools / "check-wheel-contents", wheel], tmp_path)
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {"README.md", "LICENSE", "requirements.lock", "tests/release/__init__.py", ".ci/metadata.py"} <= names
    assert wheel.stat().st_size < 3 << 20

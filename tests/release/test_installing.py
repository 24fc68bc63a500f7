"""The packages as they would be published, installed by each tool from an index on the loopback interface, to a first answer.

Needs the tools of the group `release`, in the folder that BANKD_RELEASE_TOOLS names, and a package index for what bankd
depends on. A Python that the machine lacks is passed over, and said.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from bankd import __version__
from tests.release.conftest import Index, run

pytestmark = pytest.mark.full

ANSWER = "Prefers concise replies."
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


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
    pip = [home / "venv/bin/pip", "install", "--quiet", "--no-cache-dir"]
    run([*pip, "--extra-index-url", index.url, f"bankd=={__version__}"], home)
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

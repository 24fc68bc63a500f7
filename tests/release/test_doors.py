"""The files by which others find bankd say the same as the code, and what they say to start does start."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from bankd import __version__
from tests.agents.conftest import find_program, json_said_by
from tests.release.conftest import ROOT, Index, run
from tests.release.test_installing import ANSWER, first_answer

SERVER = json.loads((ROOT / "integrations/mcp/server.json").read_bytes())
MARKETPLACE = json.loads((ROOT / ".claude-plugin/marketplace.json").read_bytes())
REPOSITORY = re.search(r'^REPOSITORY = "(.*)"', (ROOT / ".ci/metadata.py").read_text("utf-8"), re.MULTILINE)


def texts() -> dict[str, str]:
    """Every file of the repository that people or programs read as text, but for locks and code."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split(
        "\n"
    )
    wanted = (".md", ".json", ".yml", ".yaml", ".toml", "Dockerfile")
    return {
        name: (ROOT / name).read_text("utf-8")
        for name in tracked
        if name.endswith(wanted) and not name.startswith("tests/")
    }


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a clone")
def test_the_repository_has_one_name() -> None:
    assert REPOSITORY is not None
    owner, name = REPOSITORY[1].split("/")[-2:]
    elsewhere = {
        file: found
        for file, text in texts().items()
        for found in re.findall(r"(?:github\.com|githubusercontent\.com|ghcr\.io)/[\w-]+/bankd\b|io\.github\.[\w-]+/bankd|[\w-]+\.github\.io/bankd", text)
        if found not in {f"github.com/{owner}/{name}", f"githubusercontent.com/{owner}/{name}", f"io.github.{owner}/{name}", f"{owner}.github.io/{name}"}
    }  # fmt: skip
    assert elsewhere == {}
    assert SERVER["name"] == f"io.github.{owner}/{name}"
    assert f"mcp-name: {SERVER['name']} " in (ROOT / "README.md").read_text("utf-8")


def test_every_door_says_the_version_of_the_code() -> None:
    plugin = json.loads((ROOT / "integrations/plugin/bankd/.claude-plugin/plugin.json").read_bytes())
    said = [
        SERVER["version"],
        SERVER["packages"][0]["version"],
        MARKETPLACE["plugins"][0]["version"],
        plugin["version"],
    ]

    assert said == [__version__] * 4


def test_the_marketplace_of_the_repository_offers_the_plugin_that_connect_copies() -> None:
    copied = json.loads((ROOT / "integrations/plugin/.claude-plugin/marketplace.json").read_bytes())
    offered, own = MARKETPLACE["plugins"][0], copied["plugins"][0]

    assert (ROOT / offered["source"]).resolve() == (ROOT / "integrations/plugin" / own["source"]).resolve()
    assert offered | {"source": ""} == own | {"source": ""}


def test_links_of_the_readme_are_whole_where_it_stands_alone() -> None:
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("metadata_hook", ROOT / ".ci/metadata.py")
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)

    whole = hook.with_whole_links("![a](docs/a.png) [b](docs/b.md) [c](https://c.org) [d](#d)")

    raw = hook.REPOSITORY.replace("github.com", "raw.githubusercontent.com")
    assert whole == f"![a]({raw}/main/docs/a.png) [b]({hook.REPOSITORY}/blob/main/docs/b.md) [c](https://c.org) [d](#d)"


def test_workflows_run_targets_that_there_are() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for file in (ROOT / ".github/workflows").glob("*.yml"):
        jobs = yaml.safe_load(file.read_text("utf-8"))["jobs"]
        steps = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
        made = {target for step in steps if step.startswith("make ") for target in step.split()[1:]}
        assert made
        assert made <= targets
        assert all(job.get("needs", "build") in jobs for job in jobs.values() if "needs" in job)
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    tested = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))["jobs"]["test"]["strategy"][
        "matrix"
    ]["python"]
    assert {f"Programming Language :: Python :: {one}" for one in tested} <= set(classifiers)


def test_the_server_is_described_by_one_line_of_the_length_that_the_registry_takes() -> None:
    assert len(SERVER["description"]) <= 100  # the registry says so beyond its schema


@pytest.mark.full
def test_the_server_file_is_valid_by_the_schema_that_it_names(tools: Path, tmp_path: Path) -> None:
    version = re.search(r"/schemas/([\d-]+)/", SERVER["$schema"])
    assert version is not None
    [schema] = tools.parent.glob(
        f"lib/*/site-packages/skillsaw/schemas/mcp_registry/v{version[1].replace('-', '_')}/server.schema.json"
    )

    run([tools / "jsonschema", "-i", ROOT / "integrations/mcp/server.json", schema], tmp_path)


@pytest.fixture
def started(tools: Path, index: Index, tmp_path: Path) -> list[str]:
    """The command that a client makes of the server's file, for a bank with something in it."""
    package = SERVER["packages"][0]
    program = [str(tools / package["runtimeHint"]), "--index", index.url, package["identifier"]]
    first_answer([*program], tmp_path)
    [variable] = [one["name"] for one in package["environmentVariables"]]
    words = [argument["value"] for argument in package["packageArguments"]]
    # Clients hand on little of their environment, so what reaches registries here may be missing: uv has all in its cache by now.
    return ["env", "UV_OFFLINE=1", f"HOME={tmp_path}", f"{variable}={tmp_path / 'notes'}", *program, *words]


@pytest.mark.full
def test_clients_of_others_start_the_server_as_its_file_says(started: list[str]) -> None:
    python = os.environ.get("BANKD_MCP_PYTHON")
    if not python:
        pytest.skip("needs a Python with the package mcp, in BANKD_MCP_PYTHON")
    inspector = find_program("BANKD_INSPECTOR", "mcp-inspector")

    official = json_said_by(python, str(ROOT / "tests/agents/sdk_client.py"), "auto", *started)
    inspected = json_said_by(inspector, "--cli", *started, "--method", "tools/list")

    assert official["hits"] == [ANSWER]
    assert [tool["name"] for tool in inspected["tools"]] == official["tools"]


@pytest.mark.full
def test_claude_code_installs_the_plugin_from_a_clone(tmp_path: Path) -> None:
    claude = find_program("BANKD_CLAUDE", "claude")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{ROOT}", clone], check=True)
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}

    run([claude, "plugin", "validate", clone, "--strict"], tmp_path, **quiet)
    run([claude, "plugin", "marketplace", "add", clone], tmp_path, **quiet)
    run([claude, "plugin", "install", "bankd@bankd"], tmp_path, **quiet)

    listed = run([claude, "plugin", "list"], tmp_path, **quiet)
    assert "bankd@bankd" in listed
    assert "enabled" in listed
    [hooks] = (tmp_path / ".claude/plugins").rglob("bankd/**/hooks.json")
    assert "bankctl hook SessionStart" in hooks.read_text("utf-8")

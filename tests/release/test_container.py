"""The container files: what they say can be done, and is done in a fresh root where there is no docker."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from bankd.cli.base import COMMANDS
from tests.release.dockerfile import build, command_of, in_root, read_steps, words_in

FOLDER = Path(__file__).resolve().parents[2] / "integrations/container"
STEPS = read_steps((FOLDER / "Dockerfile").read_text("utf-8"))
IGNORED = (FOLDER / "Dockerfile.dockerignore").read_text("utf-8").splitlines()


def test_the_image_is_slim_not_root_and_tells_how_it_is() -> None:
    last = {step.word: step.rest for step in STEPS}  # of words said twice the last counts, as in docker

    assert last["FROM"] == "debian:bookworm-slim"
    assert last["USER"] == "bankd"
    assert last["VOLUME"] == last["WORKDIR"] == "/bank"
    assert last["HEALTHCHECK"].endswith("CMD bankctl status")


@pytest.mark.parametrize("name", ["compose.yaml", "compose.fleet.yaml"])
def test_a_compose_file_names_what_is_there(name: str) -> None:
    text = (FOLDER / name).read_text("utf-8")
    found = yaml.safe_load(text)
    for service in found["services"].values():
        if "build" in service:
            assert (
                FOLDER / service["build"]["context"] / service["build"]["dockerfile"]
            ).resolve() == FOLDER / "Dockerfile"
        for other in service.get("depends_on", {}):
            assert other in found["services"]
        for mount in service.get("volumes", []):
            assert mount.split(":")[0] in found["volumes"] or mount.startswith("${BANK:-bank}")
    words = text.replace('"', " ").replace(",", " ").replace("'", " ").split()
    named = {after for before, after in pairwise(words) if before == "bankctl"}
    assert named
    assert named <= COMMANDS.keys()


def test_a_file_with_a_step_that_is_not_known_is_refused(tmp_path: Path) -> None:
    assert [step.word for step in read_steps("from a\n# no\nRUN b && \\\n  c\n")] == ["FROM", "RUN"]
    with pytest.raises(ValueError, match="ADD before FROM"):
        build(read_steps("ADD x y"), tmp_path, tmp_path, ())


@pytest.mark.full
def test_its_steps_make_a_root_in_which_the_daemon_is_well(tmp_path: Path) -> None:
    if os.geteuid() or not shutil.which("debootstrap"):
        pytest.skip("needs root and debootstrap")
    began = time.perf_counter()
    image = build(STEPS, FOLDER.parents[1], tmp_path, IGNORED)
    built = time.perf_counter() - began
    environment = {"HOME": "/home/bankd", **image.environment}
    inside = ["sh", "-c", 'cd "$0" && exec "$@"', image.settings["WORKDIR"], *command_of(image)]
    daemon = subprocess.Popen(
        words_in(image, inside, image.settings["USER"]),
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        ask = image._replace(environment=environment)
        check = ["sh", "-c", image.settings["HEALTHCHECK"].partition("CMD ")[2]]
        for _ in range(120):
            if daemon.poll() is None and (image.root / "bank/bankd.yaml").exists():
                try:
                    in_root(ask, check, user="bankd")
                    break
                except subprocess.CalledProcessError as error:
                    said = error.stdout + error.stderr
            time.sleep(0.5)  # noqa: TID251 -- it waits for another program, as docker does
        else:
            pytest.fail(f"not well: {said}")
        in_root(ask, ["bankctl", "add", "O(c=0.90) @Peter: Prefers concise replies."], user="bankd")
        in_root(ask, ["bankctl", "cycle", "micro"], user="bankd")
        found = in_root(ask, ["bankctl", "search", "what does Peter prefer?", "--json"], user="bankd").stdout
        assert "Prefers concise replies." in json.dumps(json.loads(found))
        assert (image.root / "bank/bankd.yaml").stat().st_uid == 1000
    finally:
        daemon.terminate()
        _, complaints = daemon.communicate(timeout=60)
    assert daemon.returncode == 0, complaints
    size = sum(path.lstat().st_size for path in image.root.rglob("*") if not path.is_symlink() and path.is_file())
    print(f"built in {built:.0f} s, {size >> 20} MiB, a first answer after {time.perf_counter() - began:.0f} s")

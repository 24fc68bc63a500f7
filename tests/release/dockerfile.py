"""The steps of a Dockerfile in folders of this machine, where there is no docker: debootstrap and chroot, as root.

Usage: python -m tests.release.dockerfile DOCKERFILE CONTEXT FOLDER. Each stage becomes a folder in FOLDER; an instruction
that is not known is an error, so that nothing of the file is passed over. What is not done as docker does it: there are no layers,
and the container's processes see those of the machine.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

CHROOT = shutil.which("chroot") or "chroot"
UNSHARE = shutil.which("unshare") or "unshare"
BASES = {"debian:bookworm-slim": "bookworm"}
_WAYS_OUT = {name: name for name in ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf")}
_TRUSTED, _CARRIED = "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/machine.crt"
_WAYS_OUT[_TRUSTED] = _CARRIED  # a package of the root may write the first anew
"""Files by which a root reaches the package registries as this machine does, and where they stand in it."""
_CLEARED = frozenset(
    {"HOME", "PATH", "USER", "LOGNAME", "VIRTUAL_ENV", "PYTHONPATH", "BANKD_WORKSPACE", "LANG", "LC_ALL", "TMPDIR"}
)


class Step(NamedTuple):
    """One instruction: its word, and what stands behind it."""

    word: str
    rest: str


class Image(NamedTuple):
    """What a stage leaves: its root, and how a container of it runs."""

    root: Path
    environment: dict[str, str]
    settings: dict[str, str]


def read_steps(text: str) -> list[Step]:
    """The instructions of a file, with continued lines joined."""
    lines = [
        line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    return [Step(word.upper(), rest.strip()) for word, _, rest in (line.strip().partition(" ") for line in lines)]


def build(steps: Sequence[Step], context: Path, folder: Path, ignored: Sequence[str]) -> Image:
    """Perform the steps; gives the last stage."""
    stages: dict[str, Image] = {}
    image = None
    for word, rest in steps:
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            image = Image(_new_root(base, folder / (name or "image")), {}, {})
            stages[name] = image
        elif image is None:
            raise ValueError(f"{word} before FROM")
        elif word == "RUN":
            in_root(image, ["sh", "-c", rest])
        elif word == "COPY":
            *given, source, target = rest.split()
            place = stages[given[0].removeprefix("--from=")].root if given else context
            _copy(place / source.lstrip("/"), image.root / target.lstrip("/"), () if given else ignored)
        elif word in {"ENV", "ARG"}:
            name, _, value = rest.partition("=")
            image.environment[name] = value
        elif word in {"USER", "WORKDIR", "VOLUME", "HEALTHCHECK", "CMD"}:
            image.settings[word] = rest
        else:
            raise ValueError(f"unknown instruction {word}")
    if image is None:
        raise ValueError("no FROM")
    return image


def in_root(
    image: Image, command: Sequence[str], *, user: str = "", timeout: int = 900
) -> subprocess.CompletedProcess[str]:
    """Run a command in an image; raises CalledProcessError with what it printed."""
    kept = {name: value.replace(_TRUSTED, _CARRIED) for name, value in os.environ.items() if name not in _CLEARED}
    environment = {
        **kept,
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        **image.environment,
    }
    done = subprocess.run(
        words_in(image, command, user), env=environment, check=False, capture_output=True, text=True, timeout=timeout
    )
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr[-4000:])
    return done


def words_in(image: Image, command: Sequence[str], user: str) -> list[str]:
    """What to start for a command in an image, with /proc as in a container; nothing stays mounted."""
    mounted = [UNSHARE, "--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec "$@"', str(image.root)]
    return [*mounted, CHROOT, *([f"--userspec={user}"] if user else []), str(image.root), *command]


def command_of(image: Image) -> list[str]:
    """What a container of the image runs."""
    return [str(word) for word in json.loads(image.settings["CMD"])]


def _new_root(base: str, root: Path) -> Path:
    packed = root.parent / f"{BASES[base]}.tar"
    if not packed.exists():
        made = root.parent / "base"
        subprocess.run(["debootstrap", "--variant=minbase", BASES[base], str(made)], check=True, capture_output=True)
        subprocess.run(["tar", "cf", str(packed), "-C", str(made), "."], check=True)
        shutil.rmtree(made)
    root.mkdir()
    subprocess.run(["tar", "xf", str(packed), "-C", str(root)], check=True)
    for name, place in _WAYS_OUT.items():
        if Path(name).exists():
            (root / place.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, root / place.lstrip("/"))
    return root


def _copy(source: Path, target: Path, ignored: Sequence[str]) -> None:
    """Copy a folder; of the context only what the lines with `!` of the ignore file let through."""
    wanted = [line[1:] for line in ignored if line.startswith("!")]
    for part in [source / name for name in wanted] if ignored else [source]:
        place = target / part.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        if part.is_dir():
            shutil.copytree(
                part, place, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(part, place)


def main() -> None:
    """Perform the file that is named."""
    file, context, folder = map(Path, sys.argv[1:4])
    folder.mkdir(parents=True, exist_ok=True)
    ignored = file.with_name(f"{file.name}.dockerignore").read_text("utf-8").splitlines()
    image = build(read_steps(file.read_text("utf-8")), context, folder, ignored)
    sys.stdout.write(f"{image.root}: {json.dumps(image.settings)}\n")


if __name__ == "__main__":
    main()

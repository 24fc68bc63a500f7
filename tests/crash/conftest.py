"""The bank that is broken, and what a run makes of it that nobody disturbs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.faults import FaultyCalls
from tests.crash.world import bank_of, build, fresh, run


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("bank") / "w")


@pytest.fixture(scope="session")
def clean(template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], list[str]]:
    """The bank after an undisturbed run, and the changes of the disk that it made."""
    root = fresh(template, tmp_path_factory.mktemp("clean") / "w")
    calls = FaultyCalls()
    run(root, calls)
    return bank_of(root), calls.log

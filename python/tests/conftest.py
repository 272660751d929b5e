from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "testdata"


@pytest.fixture(scope="session")
def peps() -> list[dict[str, object]]:
    """Revisions of documents, some of them copies of each other."""
    with open(DATA / "peps.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def peps_path() -> Path:
    return DATA / "peps.jsonl"


@pytest.fixture
def tegula_command():
    """Runs the command line that is installed with the package."""

    def run(*args: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tegula", *map(str, args)]
        return subprocess.run(command, capture_output=True, text=True, check=check, env={**os.environ, "NO_COLOR": "1"})

    return run

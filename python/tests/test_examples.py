"""The examples run, as does the code of the README."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tegula

ROOT = Path(__file__).resolve().parents[2]


def run(name: str, *args: object) -> str:
    command = [sys.executable, ROOT / "examples" / "python" / name, *map(str, args)]
    environment = {**os.environ, "HF_DATASETS_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_hugging_face(peps_path, tmp_path, monkeypatch):
    pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert re.search(r"train: \d+ texts, \d+ kept", run("hugging_face.py", peps_path))


def test_data_frames(peps_path):
    pytest.importorskip("polars")
    out = run("data_frames.py", peps_path)
    assert "was removed" in out and "at 0.95" in out


def test_run_folder(peps_path, tmp_path):
    pytest.importorskip("duckdb")
    tegula.dedup(peps_path, run=tmp_path / "run")
    assert "1.0" in run("run_folder.py", tmp_path / "run") or "0.9" in run("run_folder.py", tmp_path / "run")


def test_datatrove_step(peps_path, tmp_path):
    assert "kept: " in run("datatrove_step.py", peps_path, tmp_path / "clean.jsonl")
    assert (tmp_path / "clean.jsonl").exists()


def test_own_features(peps_path):
    assert "pairs of" in run("own_features.py", peps_path)


def test_the_code_of_the_readme(monkeypatch):
    monkeypatch.chdir(ROOT)
    for page in (ROOT / "README.md", ROOT / "python" / "README.md", ROOT / "docs" / "python.md"):
        names: dict[str, object] = {}
        for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
            exec(compile(code, str(page), "exec"), names)

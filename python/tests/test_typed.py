"""Types and stubs are those of the program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1]


def test_options_are_those_of_the_command_line():
    assert subprocess.run([sys.executable, "-I", HERE / "typed.py", "--check"]).returncode == 0, "run python/typed.py"


def test_types(tmp_path):
    pytest.importorskip("mypy")
    use = tmp_path / "use.py"
    use.write_text(
        "import tegula\n"
        "result = tegula.dedup(['a'], threshold=0.5, min_tokens=3, strict_ids=True)\n"
        "score: float | None = result.explain(0).score\n"
        "tegula.dedup(['a'], no_such=1)  # type: ignore[call-arg]\n"
        "tegula.dedup(['a'], strict_ids=1)  # type: ignore[arg-type]\n"
        "tegula.dedup(['a'], min_tokens='many')  # type: ignore[arg-type]\n"
        "tegula.dedup(['a'], unit='paragaph')  # type: ignore[arg-type]\n"
        "tegula.dedup(['a'], recipe='minhash')  # type: ignore[arg-type]\n"
        "tegula.dedup(['a'], format='jsnol')  # type: ignore[arg-type]\n"
        "tegula.dedup(['a'], evidence='some')  # type: ignore[arg-type]\n"
        "tegula.dedup(['a'], within=3)  # type: ignore[arg-type]\n",
        encoding="utf-8",
    )
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file", HERE / "pyproject.toml"]
    for what in (HERE / "tegula", use):
        done = subprocess.run([*mypy, "--cache-dir", tmp_path / "cache", what], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stdout


def test_stubs_are_those_of_the_compiled_module(tmp_path):
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "--ignore-missing-stub", "tegula._tegula"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout

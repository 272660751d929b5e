"""Types and stubs are those of the program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1]


def test_options_are_those_of_the_command_line():
    assert subprocess.run([sys.executable, "-I", HERE / "typed.py", "--check"]).returncode == 0, "run python/typed.py"


# What a program may write, and slips that a checker must catch.
USE = """import tegula
result = tegula.dedup(['a'], threshold=0.5, min_tokens=3, strict_ids=True)
score: float | None = result.explain(0).score
tegula.dedup(['a'], no_such=1)  # type: ignore[call-arg]
tegula.dedup(['a'], strict_ids=1)  # type: ignore[arg-type]
tegula.dedup(['a'], min_tokens='many')  # type: ignore[arg-type]
tegula.dedup(['a'], unit='paragaph')  # type: ignore[arg-type]
tegula.dedup(['a'], recipe='minhash')  # type: ignore[arg-type]
tegula.dedup(['a'], format='jsnol')  # type: ignore[arg-type]
tegula.dedup(['a'], evidence='some')  # type: ignore[arg-type]
tegula.dedup(['a'], within=3)  # type: ignore[arg-type]
tegula.dedup(['a'], treshold=0.5)  # type: ignore[call-arg]
kept: list[str] = result.kept
wrong: int = result.kept  # type: ignore[assignment]
stricter: list[str] = result.at(0.9).removed
listed: tegula.Table = tegula.dedup('texts.jsonl').kept
from pathlib import Path
listed = tegula.mark(Path('texts.jsonl')).removed
listed = tegula.dedup([Path('a.jsonl'), Path('b.jsonl')]).at(1).kept
rows: list[dict[str, str]] = tegula.dedup([{'text': 'a'}]).kept
hits: list[str] = tegula.filter(['a'])
tegula.phrases(['a'], min_tokens='many')  # type: ignore[arg-type]
tegula.passages(['a'], min_tokns=3)  # type: ignore[call-arg]
figures: tegula.Figures = tegula.sweep(['a'], thresholds=[0.5, '80%'])
"""


def test_types(tmp_path):
    pytest.importorskip("mypy")
    use = tmp_path / "use.py"
    use.write_text(USE, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file", HERE / "pyproject.toml"]
    for what in (HERE / "tegula", use):
        done = subprocess.run([*mypy, "--cache-dir", tmp_path / "cache", what], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stdout


def test_slips_are_caught_by_pyright_too(tmp_path):
    pytest.importorskip("basedpyright")
    use = tmp_path / "use.py"
    use.write_text(USE.replace("# type: ignore", "#"), encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')
    checker = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, use]
    done = subprocess.run(checker, capture_output=True, text=True, cwd=tmp_path)
    found = {one["range"]["start"]["line"] for one in json.loads(done.stdout)["generalDiagnostics"] if one["severity"] == "error"}
    slips = {number for number, line in enumerate(USE.splitlines()) if "# type: ignore" in line}
    assert found == slips, done.stdout


def test_stubs_are_those_of_the_compiled_module(tmp_path):
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "--ignore-missing-stub", "tegula._tegula"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout

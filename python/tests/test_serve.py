"""The server that comes with the package does what its description says, whatever is sent to it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request

import pytest
import tegula

pytest.importorskip("schemathesis")

TEXTS = [
    {"id": "a", "text": "the harbour was closed at noon because of the storm", "date": "2020-01-01"},
    {"id": "b", "text": "two more ferries were cancelled in the evening", "date": "2020-01-02"},
]


@pytest.fixture
def server(tmp_path):
    path = tmp_path / "texts.idx"
    tegula.Index(path, recipe="ssr", fields=["date"]).add(TEXTS, id="id")
    line = [sys.executable, "-m", "tegula", "serve", str(path), "--address", "127.0.0.1:0"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as process:
        yield re.search(r"http://\S+/", process.stderr.readline()).group()
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()
    assert process.returncode == 0 and "Stopped after" in said, said
    # What was added is there, and nothing is damaged.
    subprocess.run([sys.executable, "-m", "tegula", "index", str(path), "--check"], check=True)


def test_the_description_holds_for_any_request(server, tmp_path):
    checks = [sys.executable, "-m", "schemathesis.cli", "run", server + "openapi.json", "--checks", "all", "--max-examples", "100", "--seed", "20130912"]
    done = subprocess.run(checks, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    with urllib.request.urlopen(server + "health") as answer:
        assert json.load(answer)["status"] == "ok"

"""Addresses of object stores where paths are; the store is moto's server, named by TEGULA_MOTO or found."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import tegula

RECORDS = [{"id": str(number), "text": f"one text of some words that is there {number // 2} times"} for number in range(8)]


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    program = os.environ.get("TEGULA_MOTO") or shutil.which("moto_server")
    if not program:
        pytest.skip("there is no moto_server: install moto[server], or name one with TEGULA_MOTO")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    endpoint = f"http://127.0.0.1:{port}"
    server = subprocess.Popen([program, "-H", "127.0.0.1", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert time.monotonic() < until
                time.sleep(0.05)
        put(f"{endpoint}/bucket", b"")
        for name, value in {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ALLOW_HTTP": "true",
        }.items():
            monkeypatch.setenv(name, value)
        yield f"{endpoint}/bucket"
    finally:
        server.kill()
        server.wait()


def put(url: str, content: bytes) -> None:
    headers = {"Content-Type": "application/octet-stream"}
    with urllib.request.urlopen(urllib.request.Request(url, data=content, method="PUT", headers=headers)) as answer:
        assert answer.status == 200


def test_a_store_is_a_place_like_others(store: str, tmp_path: Path) -> None:
    lines = "".join(json.dumps(record) + "\n" for record in RECORDS)
    for name in ("a", "b"):
        put(f"{store}/in/{name}.jsonl", lines.encode())
        (tmp_path / f"{name}.jsonl").write_text(lines)
    here = tegula.dedup(tmp_path / "a.jsonl", to=tmp_path / "out.jsonl")
    there = tegula.dedup("s3://bucket/in/a.jsonl", to="s3://bucket/out.jsonl", run="s3://bucket/run")
    assert there.summary == here.summary
    assert len(there.verdicts) == len(here.verdicts) == len(RECORDS)
    again = tegula.dedup("s3://bucket/out.jsonl", to=tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()
    assert [row["verdict"] for row in again.verdicts] == ["kept"] * len(again.verdicts)
    both = tegula.dedup("s3://bucket/in/?.jsonl")
    assert len(both.verdicts) == 2 * len(RECORDS)
    with pytest.raises(OSError, match="neither an object nor a folder"):
        tegula.dedup("s3://bucket/none.jsonl")

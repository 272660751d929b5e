"""Signals, threads, forks, progress, logging, and the command."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
import tegula

MANY = [f"text {number} of many with some words of its own {number * 7919} and {number * 104729}" for number in range(60_000)]


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to itself")
def test_an_interrupt_stops_a_run_at_once():
    # A program that was started in the background may have inherited that interrupts are ignored.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.6, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            while time.monotonic() - start < 60:
                tegula.dedup(MANY, progress=False)
        assert time.monotonic() - start < 3.0
    finally:
        signal.signal(signal.SIGINT, usual)
    assert tegula.dedup(MANY[:10]).kept == MANY[:10]


def test_an_interrupt_while_a_folder_is_removed_is_not_lost(monkeypatch: pytest.MonkeyPatch):
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    result = tegula.dedup(MANY[:10])
    # What other tests have left is not this folder.
    gc.collect()
    remove, removed = shutil.rmtree, []

    def interrupted(path: object, ignore_errors: bool) -> None:
        removed.append(path)
        if len(removed) == 1:
            raise KeyboardInterrupt
        remove(path, ignore_errors=ignore_errors)  # type: ignore[call-overload]

    monkeypatch.setattr(shutil, "rmtree", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            del result
            gc.collect()
            time.sleep(5)
    finally:
        signal.signal(signal.SIGINT, usual)
    assert len(removed) == 2 and not os.path.exists(str(removed[0]))


def test_an_error_in_the_callback_ends_the_run():
    def stop(stage: str, done: int, total: int | None, unit: str) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        while True:
            tegula.dedup(MANY, progress=stop)


def test_progress_is_told():
    seen: list[tuple[str, int, int | None, str]] = []
    start = time.monotonic()
    while not seen and time.monotonic() - start < 60:
        tegula.dedup(MANY, progress=lambda *now: seen.append(now))
    stage, done, total, unit = seen[0]
    assert isinstance(stage, str) and done >= 0 and (total is None or total > 0) and unit in ("bytes", "items")


def test_threads_run_beside_each_other():
    kept: dict[int, list[str]] = {}

    def work(number: int) -> None:
        kept[number] = tegula.dedup([f"{number} {text}" for text in MANY[:2000]] * 2, progress=False).kept

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(kept[number]) for number in range(4)] == [2000] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_can_run_and_removes_nothing():
    result = tegula.dedup(MANY[:3000], progress=False)
    program = os.fork()
    if program == 0:
        again = tegula.dedup(MANY[:3000], progress=False)
        code = 0 if len(again.kept) == 3000 and len(result.verdicts) == 3000 else 1
        del result
        gc.collect()
        os._exit(code)
    for _ in range(600):
        ended, status = os.waitpid(program, os.WNOHANG)
        if ended:
            break
        time.sleep(0.1)
    else:
        os.kill(program, signal.SIGKILL)
        pytest.fail("the forked process hangs")
    assert os.waitstatus_to_exitcode(status) == 0
    assert len(result.verdicts) == 3000


def test_warnings_are_logged_and_kept(caplog):
    with caplog.at_level(logging.WARNING, logger="tegula"):
        result = tegula.dedup(["a b", "a b", "c d"])
    assert any("few near copies" in text for text in result.warnings)
    copies = ["one two three four five six seven eight nine ten"] * 3
    assert any(text.startswith("the data is mostly duplicates") for text in tegula.dedup(copies).warnings)
    by_name = tegula.dedup({"train": copies, "test": ["something else"]}).warnings
    assert any(text.startswith("'train' is mostly duplicates") for text in by_name), by_name
    assert "--" not in caplog.text and "few near copies" in caplog.text


def test_temporary_files_go_with_the_result(tmp_path):
    result = tegula.dedup(MANY[:100], scratch=tmp_path)
    stricter = result.at(1)
    assert len(list(tmp_path.iterdir())) == 1
    del result
    gc.collect()
    assert len(stricter.kept) == 100 and len(list(tmp_path.iterdir())) == 1
    assert "100" in str(len(stricter.verdicts))
    del stricter
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_the_command(tegula_command, peps_path):
    assert tegula_command("--version").stdout.startswith("tegula ")
    assert "Usage: tegula" in tegula_command("--help").stdout
    assert tegula_command("dedup", peps_path, "--check", "-q", check=False).returncode == 1
    refused = tegula_command("dedup", peps_path, "--no-such", check=False)
    assert refused.returncode == 2 and "--no-such" in refused.stderr


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_the_command_ends_at_an_interrupt(tmp_path):
    (tmp_path / "in.txt").mkdir()
    big = tmp_path / "big.jsonl"
    big.write_text("".join(f'{{"text": "{text}"}}\n' for text in MANY * 4), encoding="utf-8")
    command = [sys.executable, "-m", "tegula", "dedup", str(big), "-o", str(tmp_path / "out.jsonl"), "-q"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    if process.returncode != 0:
        assert process.returncode == 130 and b"interrupted" in said
        assert not (tmp_path / "out.jsonl").exists()

"""Runs a command and reports what it took; results are kept by what they were made from."""

import hashlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path


def digest(*parts):
    """A hash of texts, and of files by their bytes."""
    hash_ = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):
            with open(part, "rb") as file:
                hash_.update(hashlib.file_digest(file, "sha256").digest())
        else:
            hash_.update(str(part).encode())
        hash_.update(b"\0")
    return hash_.hexdigest()[:20]


def run(command, seconds):
    """Runs a command to its end. Returns CPU seconds (user and system), wall seconds, the peak of its resident set in MiB, and why it
    failed, if it did."""
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=errors)
        clock = threading.Timer(seconds, process.send_signal, [signal.SIGKILL])
        clock.start()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        clock.cancel()
        wall = time.perf_counter() - start
        errors.seek(0)
        message = errors.read().decode(errors="replace").strip()
    failed = None
    if process.returncode == -signal.SIGKILL and wall >= seconds:
        failed = f"stopped after {seconds} s"
    elif process.returncode:
        failed = (message.splitlines() or ["no message"])[-1][:300]
    return {"cpu": used.ru_utime + used.ru_stime, "wall": wall, "mib": used.ru_maxrss / 1024, "failed": failed}


class Kept:
    """Results by key, each a small JSON file."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, key, make):
        path = self.folder / f"{key}.json"
        if path.exists():
            return json.loads(path.read_text(encoding="utf-8"))
        made = make()
        aside = path.with_suffix(".part")
        aside.write_text(json.dumps(made), encoding="utf-8")
        aside.rename(path)
        return made


def machine():
    """The machine, for the head of a table."""
    model = "unknown processor"
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0] if names else model
    return f"{os.cpu_count()} cores of {model}, {os.uname().sysname}"

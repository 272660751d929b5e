"""Runs the program on the files of suites, and keeps what must never be: a panic, a run without an end."""

import pathlib
import subprocess
from typing import NamedTuple

SECONDS = 120
BROKEN: list[str] = []


class Ended(NamedTuple):
    """How a run ended: its exit code, or `panic` or `hang`."""

    code: int | str
    out: bytes
    said: str

    def first_line(self) -> str:
        """The exit code and the first line of what was said."""
        line = next((line.strip() for line in self.said.splitlines() if line.strip()), "")
        return self.code if isinstance(self.code, str) else f"exit code {self.code}: {line[:200]}"


def run(tegula: str, *arguments: object, cwd: pathlib.Path | str | None = None) -> Ended:
    """Runs a command of the program."""
    line = [str(argument) for argument in arguments]
    try:
        ended = subprocess.run([tegula, *line], capture_output=True, timeout=SECONDS, cwd=cwd)
    except subprocess.TimeoutExpired:
        BROKEN.append("hang: " + " ".join(line))
        return Ended("hang", b"", "")
    said = ended.stderr.decode(errors="replace")
    if ended.returncode not in (0, 1, 2) or "panicked" in said:
        BROKEN.append("panic: " + " ".join(line))
        return Ended("panic", ended.stdout, said)
    return Ended(ended.returncode, ended.stdout, said)

"""Progress: a callback, or a bar in terminals and notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

Progress = bool | Callable[[str, int, "int | None", str], object] | None

# A run that is over sooner needs no bar.
_PATIENCE = 0.7


class _Shows(Protocol):
    def __call__(self, stage: str, done: int, total: int | None, unit: str) -> object: ...
    def close(self) -> None: ...


class _Callback:
    def __init__(self, function: Callable[[str, int, int | None, str], object]) -> None:
        self.function = function

    def __call__(self, stage: str, done: int, total: int | None, unit: str) -> object:
        return self.function(stage, done, total, unit)

    def close(self) -> None:
        pass


class _Line:
    """One line on standard error, written over and over."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.width = 0

    def __call__(self, stage: str, done: int, total: int | None, unit: str) -> None:
        if time.monotonic() - self.began < _PATIENCE:
            return
        amount = f"{done / 1e6:,.0f} MB" if unit == "bytes" else f"{done:,}"
        share = f"{100 * done / total:3.0f} %" if total else ""
        line = f"tegula: {stage:<10} {share} {amount}"
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


class _Bar:
    """A bar of tqdm, which draws itself in notebooks."""

    def __init__(self, tqdm: Any) -> None:
        self.tqdm = tqdm
        self.bar: Any = None
        self.stage = ""
        self.began = time.monotonic()

    def __call__(self, stage: str, done: int, total: int | None, unit: str) -> None:
        if time.monotonic() - self.began < _PATIENCE:
            return
        if stage != self.stage or self.bar is None:
            self.close()
            unit = "B" if unit == "bytes" else "it"
            self.bar = self.tqdm(total=total, desc=stage, unit=unit, unit_scale=True, leave=False)
            self.stage = stage
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def display(progress: Progress) -> _Shows | None:
    """What shows the progress of a run; None by default means a bar where somebody looks."""
    if callable(progress):
        return _Callback(progress)
    if progress is None:
        in_notebook = "ipykernel" in sys.modules
        progress = in_notebook or (sys.stderr is not None and sys.stderr.isatty())
    if not progress:
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line()
    return _Bar(tqdm)

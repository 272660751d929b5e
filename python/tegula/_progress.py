"""Progress: a callback, or a bar in terminals and notebooks."""

from __future__ import annotations

import html
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol

Progress = bool | Callable[[str, int, "int | None", str], object] | None

# A run that is over sooner needs no bar.
_PATIENCE = 0.7

# Seconds from one drawing to the next.
_PERIOD = 0.1


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


class _Display(ABC):
    """What is drawn anew a few times a second."""

    def __init__(self) -> None:
        self.due = time.monotonic() + _PATIENCE

    def __call__(self, stage: str, done: int, total: int | None, unit: str) -> None:
        now = time.monotonic()
        if now >= self.due:
            self.due = now + _PERIOD
            amount = f"{done / 1e6:,.0f} MB" if unit == "bytes" else f"{done:,}"
            self.draw(stage, amount, min(1.0, done / total) if total else None)

    @abstractmethod
    def draw(self, stage: str, amount: str, share: float | None) -> None: ...

    @abstractmethod
    def close(self) -> None: ...


class _Line(_Display):
    """One line on standard error, written over and over."""

    width = 0

    def draw(self, stage: str, amount: str, share: float | None) -> None:
        percent = "" if share is None else f"{100 * share:3.0f} %"
        line = f"tegula: {stage:<10} {percent} {amount}"
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


class _Bar(_Display):
    """A bar below the cell of a notebook, in one place for all stages."""

    shown: Any = None

    def draw(self, stage: str, amount: str, share: float | None) -> None:
        value = "" if share is None else f"value={share:.3f}"
        self._show(f"<progress {value}></progress> {html.escape(stage)} {amount}", f"{stage} {amount}")

    def close(self) -> None:
        if self.shown is not None:
            self._show("", "")

    def _show(self, page: str, plain: str) -> None:
        from IPython.display import display

        data = {"text/html": page, "text/plain": plain}
        if self.shown is None:
            self.shown = display(data, raw=True, display_id=True)
        else:
            self.shown.update(data, raw=True)


def display(progress: Progress) -> _Shows | None:
    """What shows the progress of a run; None by default means a bar where somebody looks."""
    if callable(progress):
        return _Callback(progress)
    in_notebook = "ipykernel" in sys.modules
    if progress is None:
        progress = in_notebook or (sys.stderr is not None and sys.stderr.isatty())
    if not progress:
        return None
    return _Bar() if in_notebook else _Line()

"""Runs a command of the command line."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any

from tegula import _tegula
from tegula._options import arguments, as_keywords
from tegula._progress import Progress, display

logger = logging.getLogger("tegula")


class Said:
    """The messages of a command: warnings and notes are logged, texts kept. `names` replaces file names."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.texts: list[str] = []
        self.warnings: list[str] = []

    def __call__(self, kind: str, text: str) -> None:
        if kind == "text":
            self.texts.append(text)
        elif kind == "warning":
            for file, name in self.names.items():
                text = text.replace(file, name)
            self.warnings.append(as_keywords(text))
            logger.warning("%s", self.warnings[-1])
        else:
            logger.info("%s", as_keywords(text))


def call(
    command: str,
    positional: Sequence[str | os.PathLike[str]],
    options: Mapping[str, object],
    *,
    extra: Sequence[str] = (),
    progress: Progress = False,
    function: str | None = None,
    names: Mapping[str, str] | None = None,
) -> tuple[bytes, Said]:
    """The output and the messages of a command; `names` replaces file names."""
    args = [command, *arguments(command, options, function), *extra, "--", *(os.fspath(one) for one in positional)]
    said, shown = Said(names or {}), display(progress)
    try:
        _, printed = _tegula.run(args, said, shown)
    finally:
        if shown is not None:
            shown.close()
    return printed, said


def json_of(printed: bytes) -> Any:
    """The JSON that a command printed."""
    return json.loads(printed)

"""Runs a command of the library."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tegula import _tegula
from tegula._options import texts
from tegula._progress import Progress, display
from tegula._table import Table

logger = logging.getLogger("tegula")


class Figures(dict[str, Any]):
    """What a command found, by name. `str()` gives the human-readable form, if the command has one.

    Attributes:
        warnings: What the command warned of.
    """

    warnings: list[str]

    def __init__(self, found: Mapping[str, Any], text: str | None = None) -> None:
        super().__init__(found)
        self._text = text
        self.warnings = []

    def __str__(self) -> str:
        return super().__repr__() if self._text is None else self._text


class Answer:
    """The answer of a command."""

    def __init__(self, found: Any, text: str | None, warnings: list[str], table: _tegula.Table | None = None) -> None:
        self.found, self.text, self.warnings = found, text, warnings
        self._table = table

    @property
    def table(self) -> Table:
        """The table that it wrote, which was received in memory."""
        if self._table is None:
            raise RuntimeError("the command wrote no table; please report this as a bug")
        return Table(self._table)

    def figures(self) -> Figures:
        """What was found, by name."""
        figures = Figures(self.found, self.text)
        figures.warnings = self.warnings
        return figures


def call(
    command: str,
    options: Mapping[str, object],
    *,
    tables: Sequence[tuple[str, _tegula.Table]] = (),
    progress: Progress = False,
    function: str | None = None,
    receives: bool = False,
    engine: object = None,
) -> Answer:
    """The answer of a command to these options, on tables by name; warnings are logged and kept.

    With `receives`, the output of the command is a table in memory. With an `engine`, texts are read and compared there.
    """
    options = dict(options)
    received = "table.parquet" if receives else None
    if received is not None:
        options["to"] = received
    config = options.pop("config", None)
    if config is not None and not isinstance(config, (str, os.PathLike)):
        raise TypeError(f"config: expected a path, found {type(config).__name__}")
    given = texts(command, options, function)
    warnings: list[str] = []

    def said(kind: str, text: str) -> None:
        if kind != "warning":
            logger.info("%s", text)
            return
        for name, _ in tables:
            text = text.replace(f"file {name} ", f"'{name}' " if name != "data" else "the data ")
            # Rows are counted from 0, records from 1.
            text = re.sub(rf"^skipped: {re.escape(name)}: record (\d+)", lambda at: f"skipped: {name}: row {int(at[1]) - 1}", text)
        warnings.append(text)
        logger.warning("%s", text)

    shown = display(progress)
    try:
        found, text, table = _tegula.run(command, given, list(tables), config, said, shown, received, engine)
    finally:
        if shown is not None:
            shown.close()
    return Answer(found, text, warnings, table)

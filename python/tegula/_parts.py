"""Collections in memory: written for a run, and given back by its results."""

from __future__ import annotations

import bisect
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tegula._errors import DataError, usage
from tegula._inputs import Data

ROW = "tegula_row"
"""The field with the number of the row, counted through all collections."""

MARKS = ("duplicate_of", "duplicate_score", "cluster_id", "duplicate_spans")
"""The columns of marks; the last for units below the document."""


class Parts:
    """Collections by name; one alone has an empty name."""

    def __init__(self, data: Mapping[str, Data], text: str) -> None:
        self.data, self.text = dict(data), text
        self._rows: dict[str, range] = {}

    def spill(self, folder: Path, id: str | None, fields: Mapping[str, str]) -> list[Path]:
        """Writes each collection to a file in a new folder.

        Args:
            folder: The folder.
            id: The field of the id.
            fields: Further fields, each with the option that names it.
        """
        folder.mkdir()
        start = 0
        for name, part in self.data.items():
            if os.sep in name or name.startswith("."):
                raise usage(f"data: expected a name of letters and digits, found {name!r}")
            columns = _columns(part.columns(), self.text, id, fields)
            end = start + part.spill(folder / file_of(name), columns, start)
            self._rows[name] = range(start, end)
            start = end
        return [folder / file_of(name) for name in self.data]

    def rows(self, name: str) -> range:
        """The numbers of the rows of a collection."""
        return self._rows[name]

    def where(self, name: str, numbers: Sequence[int]) -> slice:
        """Where the rows of a collection are among ascending numbers of rows."""
        rows = self._rows[name]
        return slice(bisect.bisect_left(numbers, rows.start), bisect.bisect_left(numbers, rows.stop))

    def each(self, give: Callable[[str, Data], Any]) -> Any:
        """What `give` makes of each collection, by name if they have any."""
        given = {name: give(name, part) for name, part in self.data.items()}
        if set(given) == {""}:
            return given[""]
        if {type(part).__name__ for part in self.data.values()} == {"HuggingFace"}:
            from datasets import DatasetDict

            return DatasetDict(given)
        return given


def check_marks(data: Mapping[str, Data], names: Sequence[str]) -> None:
    """Refuses marks whose names are taken."""
    for part in data.values():
        for name in sorted(set(part.columns() or ()).intersection(names)):
            error = DataError(f'expected no column "{name}", as it is the name of a mark, found one')
            error.advice = "give the marks other names with mark_prefix"
            raise error


def file_of(name: str) -> str:
    """The name of the file with a collection."""
    return f"{name or 'data'}.jsonl"


def _columns(known: list[str] | None, text: str, id: str | None, fields: Mapping[str, str]) -> list[str]:
    """The columns that are passed on, the text first."""
    named = {**({id: "id"} if id else {}), **fields}
    if known is None:
        for name, option in named.items():
            raise usage(f"{option}: expected rows with a field {name}, found texts alone")
        return [text]
    for name, option in {text: "text", **named}.items():
        if name not in known:
            advice = f"the columns are {', '.join(known)}" if known else None
            raise usage(f"{option}: expected a column {name}, found none", advice)
    return [text, *dict.fromkeys(name for name in [id or "id", *named] if name in known and name != text)]

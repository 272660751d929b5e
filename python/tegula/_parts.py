"""Collections in memory: read in place by a run, and given back by its results."""

from __future__ import annotations

import bisect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tegula import _tegula
from tegula._errors import DataError, usage
from tegula._inputs import Data

ROW = "tegula_row"
"""The field with the number of the row, counted through all collections."""

MARKS = ("duplicate_of", "duplicate_score", "cluster_id", "duplicate_spans")
"""The columns of marks; the last for units below the document."""


class Parts:
    """Collections by name; one alone has an empty name."""

    def __init__(self, data: Mapping[str, Data], text: str) -> None:
        # As they are now: what the caller does to them later must not change what is given back.
        self.data = {name: part.held() for name, part in data.items()}
        self.text = text
        self._rows: dict[str, range] = {}
        self._asked: tuple[str | None, Mapping[str, str], str] = (None, {}, "")

    def tables(self, id: str | None, fields: Mapping[str, str], prefix: str = "") -> list[tuple[str, _tegula.Table]]:
        """A table of each collection, under the name by which the library knows it.

        Args:
            id: The field of the id.
            fields: Further fields, each with the option that names it.
            prefix: What comes before the names.
        """
        self._asked = (id, fields, prefix)
        start, tables = 0, []
        for name, part in self.data.items():
            if os.sep in name or name.startswith("."):
                raise usage("data", "a name of letters and digits", repr(name))
            columns = _columns(part.columns(), self.text, id, fields)
            table = part.table(columns, start)
            self._rows[name] = range(start, start + len(table))
            start += len(table)
            tables.append((prefix + file_of(name), table))
        return tables

    def again(self) -> list[tuple[str, _tegula.Table]]:
        """The same tables as before, for what looks at the texts of a run again."""
        return self.tables(*self._asked)

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


def added(figures: object) -> list[str]:
    """The columns of the figures that the option `add` names."""
    if figures is None:
        return []
    named = [figures] if isinstance(figures, str) else list(figures)  # type: ignore[call-overload]
    return [str(one).replace(":", "_") for some in named for one in str(some).split(",")]


def check_marks(data: Mapping[str, Data], names: Sequence[str]) -> None:
    """Refuses marks whose names are taken."""
    for part in data.values():
        for name in sorted(set(part.columns() or ()).intersection(names)):
            error = DataError(f'expected no column "{name}", as one of that name is added, found one')
            error.advice = "give marks other names with mark_prefix, or rename the column"
            raise error


def file_of(name: str) -> str:
    """The name by which the library knows a collection."""
    return name or "data"


def _columns(known: list[str] | None, text: str, id: str | None, fields: Mapping[str, str]) -> list[str]:
    """The columns that are passed on, the text first."""
    named = {**({id: "id"} if id else {}), **fields}
    if known is None:
        for name, option in named.items():
            raise usage(option, f"rows with a field {name}", "texts alone")
        return [text]
    for name, option in {text: "text_key", **named}.items():
        if name not in known:
            advice = f"the columns are {', '.join(known)}" if known else None
            raise usage(option, f"a column {name}", "none", advice)
    return [text, *dict.fromkeys(name for name in [id or "id", *named] if name in known and name != text)]

"""Tables of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tegula import _html, _tegula

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Table:
    """A table in Arrow's memory layout, which any library that reads Arrow accepts directly:
    `polars.DataFrame(table)`, `pyarrow.table(table)`, `duckdb.arrow(table.to_pyarrow())`.

    Without such a library, iterate over its rows, which are dictionaries.
    """

    def __init__(self, native: _tegula.Table) -> None:
        self._native = native

    @classmethod
    def read(cls, path: str | os.PathLike[str], columns: list[str] | None = None) -> Table:
        """Reads a Parquet file, such as the tables of a run folder, or some of its columns."""
        return cls(_tegula.Table.read(os.fspath(path), columns))

    @classmethod
    def of(cls, data: object) -> Table:
        """The table of any object with `__arrow_c_stream__`."""
        return cls(_tegula.Table.of(data))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a Parquet file."""
        self._native.write(os.fspath(path))

    @property
    def column_names(self) -> list[str]:
        """The names of its columns."""
        return self._native.column_names

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, name: str) -> list[Any]:
        """The values of a column."""
        return self._native.column(name)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = self.column_names
        for row in zip(*(self[name] for name in names), strict=True):
            yield dict(zip(names, row, strict=True))

    def take(self, rows: Sequence[int | None]) -> Table:
        """These rows; a row of nulls for None."""
        return Table(self._native.take(rows))

    def with_column(self, name: str, values: list[Any]) -> Table:
        """The same with other values in a column of strings, or with an additional column."""
        return Table(self._native.with_column(name, values))

    def with_columns(self, other: Table) -> Table:
        """The same with the columns of another table of as many rows."""
        return Table(self._native.with_columns(other._native))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def to_pylist(self) -> list[dict[str, Any]]:
        """Its rows as dictionaries."""
        return list(self)

    def to_pyarrow(self) -> pyarrow.Table:
        """As a `pyarrow.Table`, without a copy."""
        import pyarrow

        if hasattr(pyarrow.RecordBatchReader, "from_stream"):
            return pyarrow.RecordBatchReader.from_stream(self).read_all()
        return pyarrow.table(self)  # which imports pandas

    def to_pandas(self) -> pandas.DataFrame:
        """As a `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.column_names})

    def to_polars(self) -> polars.DataFrame:
        """As a `polars.DataFrame`, without a copy from polars 1.3 on."""
        import polars

        try:
            return polars.DataFrame(self)
        except TypeError:  # from before the interface
            return polars.DataFrame({name: self[name] for name in self.column_names})

    def __repr__(self) -> str:
        return f"Table({len(self)} rows: {', '.join(self.column_names)})"

    def _repr_html_(self) -> str:
        few = self.take(list(range(min(_html.ROWS, len(self)))))
        return _html.table({name: few[name] for name in self.column_names}, len(self))

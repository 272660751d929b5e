"""The types of data that functions accept: how each is read, and how the same type is returned."""

from __future__ import annotations

import bisect
import glob
import itertools
import json
import os
import sys
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tegula import _tegula
from tegula._command import logger
from tegula._errors import usage
from tegula._table import Table

# Rows that are passed on at once.
_CHUNK = 8192

Columns = list[str]


class Data(ABC):
    """A collection of texts in memory."""

    @abstractmethod
    def columns(self) -> Columns | None:
        """The names of its columns, if it has any."""

    @abstractmethod
    def table(self, columns: Columns, first: int) -> _tegula.Table:
        """A table of these columns, with the numbers of their rows from `first` on."""

    def held(self) -> Data:
        """The same data, whatever is done to them later; values are not copied."""
        return self

    @abstractmethod
    def take(self, rows: list[int], text: tuple[str, list[str]] | None = None) -> Any:
        """These rows in the type of the data, with texts replaced if some are given by column."""

    @abstractmethod
    def marked(self, marks: Table) -> Any:
        """The data with the columns of `marks`, a row for each; texts alone become rows."""


def _plain(value: object) -> str | None:
    """A value of a field as a string."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _chunks(rows: Iterable[Any]) -> Iterator[list[Any]]:
    rows = iter(rows)
    while chunk := list(itertools.islice(rows, _CHUNK)):
        yield chunk


class Strings(Data):
    """A sequence of strings."""

    def __init__(self, texts: Sequence[Any], kind: type = list) -> None:
        self.texts, self.kind = texts, kind

    def held(self) -> Strings:
        return Strings(tuple(self.texts), self.kind)

    def columns(self) -> None:
        return None

    def table(self, columns: Columns, first: int) -> _tegula.Table:
        chunks = ([chunk] for chunk in _chunks(self.texts))
        return _tegula.columns(columns[:1], chunks, first)

    def take(self, rows: list[int], text: tuple[str, list[str]] | None = None) -> Any:
        return self.kind(text[1] if text else [self.texts[row] for row in rows])

    def marked(self, marks: Table) -> Any:
        return self.kind({"text": text, **mark} for text, mark in zip(self.texts, marks, strict=True))


class Rows(Data):
    """A sequence of mappings, whose keys may be of any type."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], kind: type = list) -> None:
        self.rows, self.kind = rows, kind

    def held(self) -> Rows:
        return Rows(tuple(self.rows), self.kind)

    def columns(self) -> Columns:
        names: dict[str, None] = {}
        for row in self.rows:
            if not isinstance(row, Mapping):
                raise usage("data", "a mapping in each place", type(row).__name__)
            names.update(dict.fromkeys(row))
        return [str(name) for name in names]

    def _key(self, name: str) -> Any:
        """The key of the column of this name."""
        return next((key for row in self.rows for key in row if str(key) == name), name)

    def table(self, columns: Columns, first: int) -> _tegula.Table:
        text, *others = map(self._key, columns)

        def chunk(rows: list[Mapping[str, Any]]) -> list[list[Any]]:
            return [[row.get(text) for row in rows], *([_plain(row.get(key)) for row in rows] for key in others)]

        return _tegula.columns(columns, map(chunk, _chunks(self.rows)), first)

    def take(self, rows: list[int], text: tuple[str, list[str]] | None = None) -> Any:
        if text is None:
            return self.kind(self.rows[row] for row in rows)
        key, texts = self._key(text[0]), text[1]
        return self.kind({**self.rows[row], key: new} for row, new in zip(rows, texts, strict=True))

    def marked(self, marks: Table) -> Any:
        return self.kind({**row, **mark} for row, mark in zip(self.rows, marks, strict=True))


class Arrow(Data):
    """Anything with the Arrow C stream interface, which can be read once."""

    def __init__(self, data: object) -> None:
        self.data = Table.of(data)

    def columns(self) -> Columns:
        return self.data.column_names

    def table(self, columns: Columns, first: int) -> _tegula.Table:
        return _tegula.numbered(self.data._native, columns, first)

    def take(self, rows: list[int], text: tuple[str, list[str]] | None = None) -> Any:
        taken = self.data.take(rows)
        return taken.with_column(text[0], list(text[1])) if text else taken

    def marked(self, marks: Table) -> Any:
        return self.data.with_columns(marks)


class PyArrow(Data):
    """A `pyarrow.Table`, or anything that converts to one."""

    def __init__(self, table: Any) -> None:
        self.data = table

    def columns(self) -> Columns:
        return list(self.data.column_names)

    def table(self, columns: Columns, first: int) -> _tegula.Table:
        return _tegula.numbered(_tegula.Table.of(self.data.select(columns)), columns, first)

    def take(self, rows: list[int], text: tuple[str, list[str]] | None = None) -> Any:
        import pyarrow

        taken = _taken(self.data, rows)
        if text is None:
            return taken
        name, texts = text
        place = taken.column_names.index(name)
        return taken.set_column(place, taken.schema.field(place), pyarrow.array(texts, taken.schema.field(place).type))

    def marked(self, marks: Table) -> Any:
        table, added = self.data, marks.to_pyarrow()
        for name in added.column_names:
            table = table.append_column(name, added[name])
        return table


class PyArrowTexts(Data):
    """A `pyarrow.Array` of texts, or a chunked one."""

    def __init__(self, texts: Any) -> None:
        self.texts = texts

    def _named(self, name: str) -> PyArrow:
        import pyarrow

        return PyArrow(pyarrow.table({name: self.texts}))

    def columns(self) -> None:
        return None

    def table(self, columns: Columns, first: int) -> _tegula.Table:
        return self._named(columns[0]).table(columns, first)

    def take(self, rows: list[int], text: tuple[str, list[str]] | None = None) -> Any:
        taken = self._named(text[0] if text else "text").take(rows, text)[0]
        return taken if hasattr(self.texts, "chunks") else taken.combine_chunks()

    def marked(self, marks: Table) -> Any:
        return self._named("text").marked(marks)


def _taken(table: Any, rows: list[int]) -> Any:
    """Rows of a `pyarrow.Table`, ascending: batch by batch, so that batches without a gap are not copied."""
    import pyarrow

    batches, start, at = [], 0, 0
    for batch in table.to_batches():
        end = bisect.bisect_left(rows, start + batch.num_rows, at)
        if end - at < batch.num_rows:
            # Not pyarrow.array, which imports pandas.
            places = pyarrow.py_buffer(array("q", (row - start for row in rows[at:end])))
            chosen = pyarrow.Array.from_buffers(pyarrow.int64(), end - at, [None, places])
            try:
                batches.append(batch.take(chosen))
            except pyarrow.ArrowNotImplementedError:  # views of strings, which pyarrow cannot take
                native = Table.of(pyarrow.Table.from_batches([batch])).take(chosen.to_pylist())
                batches += [pyarrow.RecordBatch.from_arrays(one.columns, schema=table.schema) for one in native.to_pyarrow().to_batches()]
        else:
            batches.append(batch)
        start, at = start + batch.num_rows, end
    return pyarrow.Table.from_batches(batches, table.schema)


class Pandas(Data):
    """A `pandas.DataFrame`, whose columns may have names of any type, or a series of texts."""

    def __init__(self, data: Any) -> None:
        self.data, self.is_series = data, not hasattr(data, "columns")

    def held(self) -> Pandas:
        return Pandas(self.data.copy(deep=False))

    def columns(self) -> Columns | None:
        return None if self.is_series else [str(name) for name in self.data.columns]

    def table(self, columns: Columns, first: int) -> _tegula.Table:
        import pandas

        read = [self.data] if self.is_series else [self.data.iloc[:, self._place(name)] for name in columns]

        def chunk(start: int) -> list[list[Any]]:
            parts = [column.iloc[start : start + _CHUNK] for column in read]
            whole = [[None if pandas.isna(one) is True else one for one in part.tolist()] for part in parts]
            return [whole[0], *([_plain(one) for one in column] for column in whole[1:])]

        chunks = (chunk(start) for start in range(0, len(self.data), _CHUNK))
        return _tegula.columns(columns, chunks, first)

    def _place(self, name: str) -> int:
        """Where the column of this name is."""
        places = [place for place, known in enumerate(self.data.columns) if str(known) == name]
        if len(places) > 1:
            raise usage("data", f"one column {name}", "several of that name", "rename or drop the others")
        return places[0]

    def take(self, rows: list[int], text: tuple[str, list[str]] | None = None) -> Any:
        taken = self.data.iloc[rows]
        if text is None:
            return taken
        name, texts = text
        if self.is_series:
            return type(taken)(texts, index=taken.index, name=taken.name, dtype=taken.dtype)
        taken = taken.copy(deep=False)
        taken[taken.columns[self._place(name)]] = texts
        return taken

    def marked(self, marks: Table) -> Any:
        frame = self.data.to_frame(self.data.name or "text") if self.is_series else self.data
        return frame.assign(**{name: _column(marks[name]) for name in marks.column_names})


def _column(values: list[Any]) -> Any:
    """Values for a `pandas.DataFrame`: whole numbers stay whole beside missing ones."""
    import pandas

    if any(isinstance(one, int) for one in values) and None in values:
        return pandas.array(values, dtype="Int64")
    return values


class Polars(Data):
    """A `polars.DataFrame`, a lazy one, or a series of texts."""

    def __init__(self, data: Any) -> None:
        kind = type(data).__name__
        self.data, self.is_lazy, self.is_series = data, kind == "LazyFrame", kind == "Series"

    def held(self) -> Polars:
        return Polars(self.data.clone())

    def columns(self) -> Columns | None:
        if self.is_series:
            return None
        return list(self.data.collect_schema().names() if self.is_lazy else self.data.columns)

    def table(self, columns: Columns, first: int) -> _tegula.Table:
        if self.is_series:
            frame = self.data.rename(columns[0]).to_frame()
        else:
            frame = self.data.select(columns)
        frame = frame.collect() if self.is_lazy else frame
        if not hasattr(frame, "__arrow_c_stream__"):  # from before the interface
            frame = frame.to_arrow()
        return _tegula.numbered(_tegula.Table.of(frame), columns, first)

    def take(self, rows: list[int], text: tuple[str, list[str]] | None = None) -> Any:
        import polars

        if self.is_lazy:
            row = "tegula_row"
            places = polars.LazyFrame({row: rows}, schema={row: polars.get_index_type()})
            taken = self.data.with_row_index(row).join(places, on=row, how="semi").sort(row).drop(row)
        else:
            taken = self.data[rows]
        if text is None:
            return taken
        name, texts = text
        if self.is_series:
            return polars.Series(self.data.name, texts)
        return taken.with_columns(polars.Series(name, texts))

    def marked(self, marks: Table) -> Any:
        import polars

        added: Any = marks.to_polars()
        frame = self.data.to_frame() if self.is_series else self.data
        return polars.concat([frame, added.lazy() if self.is_lazy else added], how="horizontal")


class HuggingFace(Data):
    """A `datasets.Dataset`."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def columns(self) -> Columns:
        return list(self.data.column_names)

    def table(self, columns: Columns, first: int) -> _tegula.Table:
        import pyarrow

        named = self.data.select_columns(columns)
        batches = (batch for table in named.with_format("arrow").iter(_CHUNK) for batch in table.to_batches())
        first_batch = next(batches, None)
        if first_batch is None:
            table = pyarrow.Table.from_batches([], named.features.arrow_schema)
        else:
            table = pyarrow.RecordBatchReader.from_batches(first_batch.schema, itertools.chain([first_batch], batches))
        return _tegula.numbered(_tegula.Table.of(table), columns, first)

    def take(self, rows: list[int], text: tuple[str, list[str]] | None = None) -> Any:
        taken = self.data.select(rows)
        if text is None:
            return taken
        name, texts = text
        return taken.map(lambda row, place: {name: texts[place]}, with_indices=True)

    def marked(self, marks: Table) -> Any:
        import datasets

        return datasets.concatenate_datasets([self.data, datasets.Dataset(marks.to_pyarrow())], axis=1)


class Paths:
    """Files and folders, which the library reads itself."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths


def _is_address(path: str) -> bool:
    """Whether it is the address of a store, in which the library finds what a pattern matches."""
    return "://" in path


def _paths(names: Sequence[str | os.PathLike[str]]) -> Paths:
    found: list[Path] = []
    for name in names:
        path = os.fspath(name)
        if glob.has_magic(path) and not os.path.exists(path) and not _is_address(path):
            matches = sorted(glob.glob(path, recursive=True))
            if not matches:
                raise usage("data", f"files that match {path}", "none")
            found += map(Path, matches)
        else:
            found.append(Path(path))
    return Paths(found)


def warn_of_file(name: str, text: str) -> None:
    """Warns of a text that names a file, which other functions would read."""
    if os.path.isfile(text):
        logger.warning("%s: %r names a file, but is compared as a text; pathlib.Path(%r) reads the file", name, text, text)


def _library(data: object) -> str:
    """The name of the library that a type is from."""
    return type(data).__module__.split(".")[0]


def adapt(data: Any) -> Paths | dict[str, Data]:
    """Paths, or collections in memory by name.

    Raises:
        TypeError: An unknown type.
    """
    if isinstance(data, (str, os.PathLike)):
        return _paths([data])
    if isinstance(data, (bytes, bytearray)):
        raise TypeError("data: expected texts or paths, found bytes; decode them first")
    if isinstance(data, (Paths, Data)):
        return data if isinstance(data, Paths) else {"": data}
    library, kind = _library(data), type(data).__name__
    if library == "datasets" and isinstance(data, dict):
        return {name: HuggingFace(part) for name, part in data.items()}
    if library == "datasets" and kind == "Dataset":
        return {"": HuggingFace(data)}
    if library == "pandas":
        return {"": Pandas(data)}
    if library == "polars":
        return {"": Polars(data)}
    if library == "pyarrow":
        pyarrow = sys.modules["pyarrow"]
        if kind == "RecordBatchReader":
            return {"": PyArrow(data.read_all())}
        if kind == "RecordBatch":
            return {"": PyArrow(pyarrow.Table.from_batches([data]))}
        if kind == "Table":
            return {"": PyArrow(data)}
        if isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray)) and not pyarrow.types.is_struct(data.type):
            return {"": PyArrowTexts(data)}
    if hasattr(data, "__arrow_c_stream__"):
        return {"": Arrow(data)}
    if isinstance(data, Mapping):
        parts: dict[str, Data] = {}
        for name, part in data.items():
            inner = adapt(part)
            if isinstance(inner, Paths) or set(inner) != {""}:
                raise TypeError(f"data: {name}: expected texts in memory, found paths or several collections")
            parts[str(name)] = inner[""]
        return parts
    if isinstance(data, Iterable):
        return _sequence(data)
    raise TypeError(
        f"data: expected texts, rows, a table or paths, found {type(data).__name__}; "
        "a type with __arrow_c_stream__ is a table"
    )


def _sequence(data: Iterable[Any]) -> Paths | dict[str, Data]:
    kind = tuple if isinstance(data, tuple) else list
    items: Sequence[Any] = data if isinstance(data, (list, tuple)) else list(data)
    first = next((item for item in items if item is not None), None)
    if isinstance(first, os.PathLike):
        return _paths(items)
    if isinstance(first, Mapping):
        return {"": Rows(items, kind)}
    return {"": Strings(items, kind)}

"""Exceptions: one for each kind of error."""

from __future__ import annotations

from pathlib import Path


class TegulaError(Exception):
    """An error of Tegula. The message says what was expected and what was found.

    Attributes:
        option: The argument, or the field of a recipe, at fault, if there is one.
        expected: What was expected, if it is said.
        found: What was found instead, if it is said.
        advice: What to do about it, if anything is known.
        path: The file, if there is one.
        record: The number of the record in the file, from 1.
        row: For data in memory, the number of the row in them, from 0.
    """

    option: str | None = None
    expected: str | None = None
    found: str | None = None
    advice: str | None = None
    path: Path | None = None
    record: int | None = None
    row: int | None = None

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message}\n{self.advice}" if self.advice else message


class UsageError(TegulaError, ValueError):
    """An argument, or a field of a recipe, has an invalid value. Raised before any data are read."""


class FileError(TegulaError, OSError):
    """A file could not be opened, read or written. `errno` is the number that the system gives, if it gives one."""


class DataError(TegulaError, ValueError):
    """A file or a record does not conform to its format."""


class MemoryLimitError(TegulaError, MemoryError):
    """`memory` is too small for the run; the message says how much is enough."""


class ScratchError(TegulaError, OSError):
    """The space for temporary files, or its ceiling, is exhausted."""


class RunFolderError(TegulaError):
    """A run folder is missing, damaged, or lacks what was requested."""


class ChangedError(TegulaError):
    """An input has changed since it was first read."""


class CancelledError(TegulaError):
    """The run was stopped."""


class ClusterError(TegulaError):
    """The cluster on which texts are compared failed."""


_KINDS: dict[str, type[TegulaError]] = {
    kind.__name__: kind
    for kind in (
        UsageError,
        FileError,
        DataError,
        MemoryLimitError,
        ScratchError,
        RunFolderError,
        ChangedError,
        CancelledError,
        ClusterError,
    )
}


def made(
    kind: str,
    line: str,
    message: str,
    parts: tuple[str | None, str | None, str | None, str | None],
    path: str | None,
    record: int | None,
    in_memory: bool,
    number: int | None,
) -> TegulaError:
    """The exception for an error of the library, whose `line` begins with file and record."""
    row = None if record is None or not in_memory else record - 1
    if in_memory and path is not None:
        line = f"{path}: {message}" if row is None else f"{path}: row {row}: {message}"
        path = None
    error = _KINDS.get(kind, TegulaError)(line)
    error.option, error.expected, error.found, error.advice = parts
    error.row = row
    if isinstance(error, OSError):
        error.errno = number
    error.path = None if path is None else Path(path)
    error.record = record
    return error


def usage(option: str, expected: str, found: str, advice: str | None = None) -> UsageError:
    """An error of the caller."""
    error = UsageError(f"{option}: expected {expected}, found {found}")
    error.option, error.expected, error.found, error.advice = option, expected, found, advice
    return error

"""Keyword arguments as options of the library, each a name and a text."""

from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from tegula import _tegula
from tegula._errors import usage

# The names of keyword arguments, where they are not those of the options.
KEYWORDS = {"id_key": "id", "inputs": "data", "output": "to"}

# The first arguments of functions, and options that the package sets in its own way.
_WITHOUT = {"data", "form", "resume"}


class Option(NamedTuple):
    """An option of a command."""

    name: str
    kind: str
    """`switch`, `one`, `many` or `needed`."""
    values: list[str]
    """Its values, if they are few."""
    holds: str
    """What a value is: `whole`, `text`, `path` or `any`."""
    help: str


@functools.cache
def options(command: str) -> dict[str, Option]:
    """The options of a command, by the names of their keyword arguments."""
    known = [Option(*one) for one in _tegula.parameters(command) or []]
    return {KEYWORDS.get(one.name, one.name): one for one in known}


def names(command: str) -> list[str]:
    """The options that a function for this command takes as further keyword arguments."""
    return sorted(name for name in options(command) if name not in _WITHOUT)


def value(option: object) -> str:
    """A value as a text."""
    if isinstance(option, (str, os.PathLike)):
        return os.fspath(option)
    if isinstance(option, Fraction):
        return f"{option.numerator}/{option.denominator}"
    if isinstance(option, float) and abs(option) < 1e-3:
        return f"{option:.12f}".rstrip("0").rstrip(".") or "0"
    return str(option)


def settings(given: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Fields of a recipe, dotted inside a table, with their values as text."""
    for key, one in given.items():
        if isinstance(one, Mapping):
            yield from settings(one, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(one).lower() if isinstance(one, bool) else value(one)


def texts(command: str, given: Mapping[str, object], function: str | None = None) -> list[tuple[str, str]]:
    """The options for keyword arguments, each as name and text; those that are None are skipped.

    Raises:
        TypeError: An argument that the command does not have, or a value that its option cannot have.
    """
    known = options(command)
    found: list[tuple[str, str]] = []
    for keyword, one in given.items():
        option = known.get(keyword)
        if option is None:
            close = [KEYWORDS[keyword]] if keyword in KEYWORDS else difflib.get_close_matches(keyword, list(known), 1)
            advice = f"; did you mean {close[0]}?" if close else ""
            raise TypeError(f"{function or command}() got an unexpected keyword argument {keyword!r}{advice}")
        if one is not None:
            found += [(option.name, text) for text in _values(keyword, option, one)]
    return found


def _values(keyword: str, option: Option, given: object) -> Iterator[str]:
    if type(given).__module__ == "numpy" and getattr(given, "ndim", None) == 0:
        # As written, as a number of 32 bits has other digits in 64.
        given = given.item() if given.dtype.kind in "biu" else str(given)  # type: ignore[attr-defined]
    if option.kind == "switch":
        if not isinstance(given, bool):
            raise TypeError(f"{keyword}: expected True or False, found {given!r}")
        if given:
            yield "true"
    elif isinstance(given, Mapping):
        if option.name != "set":
            raise TypeError(f"{keyword}: expected a value, found a mapping")
        yield from (f"{key}={one}" for key, one in settings(given))
    elif isinstance(given, (str, os.PathLike, int, float, Fraction)) and not isinstance(given, bool):
        text = value(given)
        if keyword == "text" and text not in option.values:
            raise usage("text", " or ".join(option.values), repr(text), "the field of the text is named by text_key")
        yield text
    elif option.kind == "many" and isinstance(given, Iterable):
        yield from (value(one) for one in given)
    else:
        raise TypeError(f"{keyword}: expected a value, found {type(given).__name__}")

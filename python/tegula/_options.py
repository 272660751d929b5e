"""Keyword arguments as the options of a command."""

from __future__ import annotations

import difflib
import functools
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from tegula import _tegula

# The names of keyword arguments on the command line, where they differ.
_FLAGS = {"text": "text_key", "id": "id_key", "to": "output"}
_KEYWORDS = {flag: keyword for keyword, flag in _FLAGS.items()}

# Options that make no sense within a program: the package does this in its own way.
_WITHOUT = {"json", "progress", "quiet", "verbose", "width", "output", "text_key", "id_key", "resume", "form"}

_FLAG = re.compile(r"(?<![\w`-])--([a-z][a-z-]*)( (?=[a-z0-9<]))?(<[^>]*>)?")


def as_keywords(text: str) -> str:
    """A message with flags written as keyword arguments."""

    def keyword(flag: re.Match[str]) -> str:
        name = flag[1].replace("-", "_")
        name = _KEYWORDS.get(name, name)
        return name if flag[3] or not flag[2] else f"{name} = "

    # A command line in the text stays one.
    if text.startswith("tegula "):
        return text
    text = re.sub(r"(?<!\w)-o: ", "to: ", text)
    text = re.sub("text_key|id_key", lambda name: _KEYWORDS[name[0]], text)
    return _FLAG.sub(keyword, text).replace("'threshold '", "threshold")


@functools.cache
def parameters(command: str) -> dict[str, tuple[bool, bool, list[str], str, str]]:
    """The parameters of a command: whether each takes a value and may be repeated, its values, what a value is, its
    description."""
    return {one[0]: one[1:] for one in _tegula.parameters(command) or []}


def names(command: str) -> list[str]:
    """The options that a function for this command takes as further keyword arguments."""
    return sorted(name for name in parameters(command) if name not in _WITHOUT)


def value(option: object) -> str:
    """A value as the command line writes it."""
    if isinstance(option, (str, os.PathLike)):
        return os.fspath(option)
    if isinstance(option, Fraction):
        return f"{option.numerator}/{option.denominator}"
    if isinstance(option, float) and abs(option) < 1e-3:
        return f"{option:.12f}".rstrip("0").rstrip(".") or "0"
    return str(option)


def settings(given: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Fields of a recipe, dotted inside a table, with their values as the command line writes them."""
    for key, one in given.items():
        if isinstance(one, Mapping):
            yield from settings(one, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(one).lower() if isinstance(one, bool) else value(one)


def arguments(command: str, options: Mapping[str, object], function: str | None = None) -> list[str]:
    """The options of a command line for keyword arguments; those that are None are skipped.

    Raises:
        TypeError: An argument that the command does not have, or a value that its option cannot have.
    """
    known = parameters(command)
    args: list[str] = []
    for keyword, given in options.items():
        name = _FLAGS.get(keyword, keyword)
        if name not in known:
            close = difflib.get_close_matches(keyword, [_KEYWORDS.get(one, one) for one in known], 1)
            advice = f"; did you mean {close[0]}?" if close else ""
            raise TypeError(f"{function or command}() got an unexpected keyword argument {keyword!r}{advice}")
        if given is None:
            continue
        takes_value, repeats, *_ = known[name]
        flag = "--" + name.replace("_", "-")
        if not takes_value:
            if not isinstance(given, bool):
                raise TypeError(f"{keyword}: expected True or False, found {given!r}")
            args += [flag] if given else []
        elif isinstance(given, Mapping):
            if name != "set":
                raise TypeError(f"{keyword}: expected a value, found a mapping")
            args += [f"{flag}={key}={one}" for key, one in settings(given)]
        elif isinstance(given, (str, os.PathLike, int, float, Fraction)) and not isinstance(given, bool):
            args.append(f"{flag}={value(given)}")
        elif repeats and isinstance(given, Iterable):
            args += [f"{flag}={value(one)}" for one in given]
        else:
            raise TypeError(f"{keyword}: expected a value, found {type(given).__name__}")
    return args

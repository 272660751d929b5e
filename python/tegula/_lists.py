"""Functions that list what texts have in common: each gives a table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from tegula._command import Figures, call
from tegula._errors import usage
from tegula._functions import Texts
from tegula._inputs import Paths, adapt
from tegula._progress import Progress
from tegula._result import Path_
from tegula._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tegula._typed import (
        FilterOptions,
        FindOptions,
        PassagesOptions,
        PhrasesOptions,
        Recipe,
        StoriesOptions,
        TemplatesOptions,
    )

R = TypeVar("R")


def _listed(
    command: str,
    data: Any,
    text_key: Any,
    id: str | None,
    against: Any,
    progress: Progress,
    options: Mapping[str, object],
) -> Table:
    texts = Texts(data, text_key, id, options)
    given = {"text_key": text_key, **options, "data": texts.paths, "id": texts.id}
    tables = texts.tables
    if against is not None:
        others = Texts(against, text_key, None, options, prefix="references-")
        given["against"] = others.paths
        tables = tables + others.tables
    return call(command, given, tables=tables, progress=progress, receives=True).table


def passages(
    data: Any,
    *,
    against: Any = None,
    text_key: str | list[str] | None = None,
    id: str | None = None,
    texts: bool = True,
    progress: Progress = None,
    **options: Unpack[PassagesOptions],
) -> Table:
    """Lists the passages that texts share: quotations, reused and moved text.

    Args:
        data: Texts, as for `dedup`.
        against: Other data: only passages that the texts share with these.
        text_key: The field of the text.
        id: The field of the id.
        texts: Whether the table has the text of each passage.
        progress: As for `dedup`.
        options: All other options of `tegula passages`, such as `min_tokens`, `max_gap`, `date`, `report`.

    Returns:
        A row for each passage: both ids with the range of characters, its tokens, identity and rarity.
    """
    return _listed("passages", data, text_key, id, against, progress, {"texts": texts, **options})


def phrases(
    data: Any,
    *,
    text_key: str | list[str] | None = None,
    id: str | None = None,
    progress: Progress = None,
    **options: Unpack[PhrasesOptions],
) -> Table:
    """Lists the phrases that recur, the longest first: with occurrences, texts, dispersion and association.

    Further options are those of `tegula phrases`, such as `min_tokens`, `min_texts`, `top`, `by`.
    """
    return _listed("phrases", data, text_key, id, None, progress, options)


def templates(
    data: Any,
    *,
    text_key: str | list[str] | None = None,
    id: str | None = None,
    recipe: Recipe | None = None,
    threshold: float | str | None = None,
    progress: Progress = None,
    **options: Unpack[TemplatesOptions],
) -> Table:
    """Lists the templates from which texts were filled in: pattern, slots with what fills them, and a regular
    expression for each.

    Further options are those of `tegula templates`, such as `min_texts`, `min_constant`, `report`.
    """
    given = {"recipe": recipe, "threshold": threshold, **options}
    return _listed("templates", data, text_key, id, None, progress, given)


def stories(
    data: Any,
    *,
    text_key: str | list[str] | None = None,
    id: str | None = None,
    date: str | None = None,
    by: str | None = None,
    recipe: Recipe | None = None,
    threshold: float | str | None = None,
    progress: Progress = None,
    **options: Unpack[StoriesOptions],
) -> Table:
    """Lists clusters of similar texts in chronological order: their duration, sources and first source.

    Args:
        data: Texts, as for `dedup`.
        text_key: The field of the text.
        id: The field of the id.
        date: The field of the date; by default that of `window`.
        by: The field of the source.
        recipe: How texts are compared.
        threshold: The lowest score of similar texts.
        progress: As for `dedup`.
        options: All other options of `tegula stories`, such as `window`, `min_sources`, `report`.
    """
    given = {"date": date, "by": by, "recipe": recipe, "threshold": threshold, **options}
    return _listed("stories", data, text_key, id, None, progress, given)


def find(
    *paths: Path_,
    recipe: Recipe | None = None,
    threshold: float | str | None = None,
    progress: Progress = None,
    **options: Unpack[FindOptions],
) -> Table:
    """Lists the copies among the documents of folders, whatever their formats, the earliest first.

    Args:
        paths: Folders and files.
        recipe: How documents are compared.
        threshold: The lowest score of a copy.
        progress: As for `dedup`.
        options: All other options of `tegula find`, such as `include`, `exclude`, `on_bad_record`.

    Returns:
        A row for each copy: group, path, record, id, date, bytes, and of what it is a copy.
    """
    given = {"recipe": recipe, "threshold": threshold, **options, "data": paths}
    return call("find", given, progress=progress, receives=True).table


@overload
def filter(
    hits: Path_,
    *,
    text_key: str | list[str] | None = ...,
    id: str | None = ...,
    recipe: Recipe | None = ...,
    threshold: float | str | None = ...,
    last: int | None = ...,
    to: Path_,
    **options: Unpack[FilterOptions],
) -> Figures: ...


@overload
def filter(
    hits: R,
    *,
    text_key: str | list[str] | None = ...,
    id: str | None = ...,
    recipe: Recipe | None = ...,
    threshold: float | str | None = ...,
    last: int | None = ...,
    **options: Unpack[FilterOptions],
) -> R: ...


def filter(
    hits: Any,
    *,
    text_key: str | list[str] | None = None,
    id: str | None = None,
    recipe: Recipe | None = None,
    threshold: float | str | None = None,
    last: int | None = None,
    to: Path_ | None = None,
    **options: Unpack[FilterOptions],
) -> Any:
    """Hits without near copies of those before them: a hit is hidden if an earlier one that was kept matches it.

    Args:
        hits: Strings, rows or a table, as for `dedup`, the best first; or a JSONL file.
        text_key: The field of the text; `text` by default.
        id: The field of the id, for `expand`.
        recipe: How hits are compared.
        threshold: The lowest score of a copy.
        last: Compare with the last N kept hits only.
        to: For a file: the file to write.
        options: All other options of `tegula filter`, such as `drop_template`, `expand`.

    Returns:
        The kept hits; for a file, how many were kept and hidden.
    """
    given = {"recipe": recipe, "threshold": threshold, "last": last, **options}
    if isinstance(hits, (str, os.PathLike)):
        if to is None:
            raise usage("to", "the file to write", "none")
        return call("filter", {"text_key": text_key, "id": id, **given, "input": hits, "to": to}).figures()
    if to is not None:
        raise usage("to", "a file of hits", "hits in memory", "write what is returned")
    adapted = adapt(hits)
    part = None if isinstance(adapted, Paths) else adapted.get("")
    if part is None:
        raise usage("hits", "texts, rows or a table in memory, or a JSONL file", "another kind of data")
    if given.get("expand"):
        raise usage("expand", "a file of hits", "hits in memory")
    [(_, table)] = Texts({"": part}, text_key, None, {}).tables
    answer = call("filter", {**given, "text_key": text_key, "input": "hits"}, tables=[("hits", table)], receives=True)
    return part.take(answer.table["row"])

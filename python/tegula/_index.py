"""An index on disk: texts that can be asked what resembles another."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload

from tegula import _tegula
from tegula._command import Figures, call
from tegula._errors import FileError
from tegula._functions import Texts
from tegula._inputs import Paths, adapt, warn_of_file
from tegula._options import texts as option_texts
from tegula._options import value
from tegula._progress import Progress
from tegula._result import Folder, Path_

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from tegula._typed import IndexOptions, QueryOptions, Recipe

# A match: its id and score, the number of shared shingles, the fields that the index keeps, and passages.
Match = dict[str, Any]


class Index:
    """Texts on disk that can be searched for those that resemble a given text, in about a millisecond.

        index = tegula.Index("ads.idx", recipe="messages", fields=["date"])
        index.add(frame, id="ad")
        index.query("Bright flat of three rooms")      # [{"id": ..., "score": ..., "shared": ..., "date": ...}]
        index.remove(["ad-17"])

    An index is a folder. It is created when it is first opened with a recipe; after that, the recipe, the fields and
    whether texts are kept are fixed. A change is on disk when the call returns; an interrupted one leaves no trace.
    One process at a time may change an index; any number of processes and threads may query it, and see it as it was
    when they opened it, or last called `refresh`.

    Args:
        path: The folder.
        recipe: How texts are compared. Makes the index if it is not there; otherwise it must be that of the index.
        fields: The fields to keep of each text, which matches then have.
        texts: Whether the texts are kept: without them the index is smaller, and there are no passages.
        options: All other options of a recipe, such as `threshold`, `unit`, `ngram`, `set`, `statistics`.
    """

    def __init__(
        self,
        path: Path_,
        *,
        recipe: Recipe | None = None,
        fields: Iterable[str] = (),
        texts: bool = True,
        **options: Unpack[IndexOptions],
    ) -> None:
        self.path = os.fspath(path)
        given = {"recipe": recipe, "fields": list(fields), "no_texts": not texts, **options}
        is_there = _tegula.Index.is_one(self.path)
        if not is_there and recipe is None and not options and not os.path.exists(self.path):
            raise FileError(f"{self.path}: expected an index, found none\nname a recipe to make one")
        if recipe is not None or options or given["fields"] or not texts:
            call("index", {**given, **({"info": True} if is_there else {}), "index": self.path})
        self._index = _tegula.Index(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """There is nothing to close: what was changed is on disk."""

    def __reduce__(self) -> tuple[type[Index], tuple[str]]:
        return Index, (self.path,)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._index.has(id)

    def __repr__(self) -> str:
        return f"tegula.Index({self.path!r}), {len(self):,} texts"

    def add(
        self,
        data: Any,
        *,
        text_key: str | list[str] | None = None,
        id: str | None = None,
        replace: bool = False,
        skip_known: bool = False,
        progress: Progress = None,
        **options: Unpack[IndexOptions],
    ) -> Figures:
        """Adds texts.

        Args:
            data: Texts, as for `dedup`; rows of data in memory without a field `id` are known by their numbers.
            text_key: The field of the text.
            id: The field of the id.
            replace: If an id is there, put the new text in place of the old one.
            skip_known: If an id is there, pass over the new text.
            progress: As for `dedup`.
            options: Options of `tegula index` on how files are read, such as `format`, `on_bad_record`.

        Returns:
            How many texts were added, removed and passed over, and what the index is now.

        Raises:
            DataError: If an id is there and must not be: then nothing is added.
        """
        known = call("index", {"index": self.path, "info": True}).found
        adapted = adapt(data)
        # Later texts may lack the fields that the first have.
        lacking = set() if isinstance(adapted, Paths) or not known["segments"] else set(known["fields"]).difference(
            *({name for name in part.columns() or ()} for part in adapted.values())
        )
        fields = [name for name in known["fields"] if name not in lacking]
        texts = Texts(adapted, text_key, id, {**options, "by": fields})
        given: dict[str, object] = {"text_key": text_key, "replace": replace, "skip_known": skip_known, **options}
        given.update({"index": self.path, "data": texts.paths, "id": texts.id})
        return self._changed(given, texts, progress)

    def remove(self, ids: str | Iterable[str], *, dry_run: bool = False) -> Figures:
        """Removes the texts with these ids; returns how many were found and removed, and how many were not found. With
        `dry_run`, nothing is changed."""
        ids = [ids] if isinstance(ids, str) else list(ids)
        if not ids:
            return self.info()
        return self._changed({"index": self.path, "remove": ids, "dry_run": dry_run})

    def expire(self, window: str, *, dry_run: bool = False) -> Figures:
        """Removes texts whose date is too long ago: `date=30d` names a field that is kept, and days or weeks. With
        `dry_run`, it only says how many."""
        return self._changed({"index": self.path, "expire": window, "dry_run": dry_run})

    def merge(self) -> Figures:
        """Merges all segments: for the fastest answers, and to free the room of removed texts."""
        return self._changed({"index": self.path, "merge": True})

    def check(self) -> None:
        """Proves that the index is undamaged.

        Raises:
            DataError: Names what is damaged.
        """
        call("index", {"index": self.path, "check": True})

    def info(self) -> Figures:
        """What the index is: its recipe, texts, fields, segments and sizes."""
        return call("index", {"index": self.path, "info": True}).figures()

    def refresh(self) -> None:
        """Sees what other processes have changed."""
        self._index.refresh()

    def text(self, id: str) -> str | None:
        """The text with an id; none if it is not there, or texts are not kept."""
        return self._index.text(id)

    @overload
    def query(
        self,
        data: str,
        *,
        threshold: float | str | None = ...,
        top: int | None = ...,
        passages: bool = ...,
    ) -> list[Match]: ...

    @overload
    def query(
        self,
        data: Any,
        *,
        threshold: float | str | None = ...,
        top: int | None = ...,
        passages: bool = ...,
        text_key: str | list[str] | None = ...,
        id: str | None = ...,
        progress: Progress = ...,
        **options: Unpack[QueryOptions],
    ) -> list[dict[str, Any]]: ...

    def query(
        self,
        data: Any,
        *,
        threshold: float | str | None = None,
        top: int | None = None,
        passages: bool = False,
        text_key: str | list[str] | None = None,
        id: str | None = None,
        progress: Progress = None,
        **options: Unpack[QueryOptions],
    ) -> Any:
        """Finds the texts in the index that resemble a text, or each of several.

        Args:
            data: A text, or texts as for `dedup`; a file is named by a `pathlib.Path`. A string is always a text, and a
                warning says if it names a file.
            threshold: The lowest score of a match; by default that of the index.
            top: At most this many matches; without `threshold` the texts that resemble it most, whatever their scores.
            passages: Also list the passages that both share, by characters.
            text_key: The field of the text, if `data` is several texts.
            id: The field of the id, if `data` is several texts.
            progress: As for `dedup`.
            options: Options of `tegula query` on how files are read.

        Returns:
            For a text, its matches, the best first and of equal scores the oldest first; for several, a dictionary for
            each with its `id` and its `matches`.
        """
        if isinstance(data, str):
            for name in (*options, *(name for name, given in (("text_key", text_key), ("id", id)) if given is not None)):
                option_texts("query", {name: None})
                raise TypeError(f"query(): {name} is about how several texts are read, and one was given")
            warn_of_file("data", data)
            least, most = (None if given is None else value(given) for given in (threshold, top))
            found: list[Match] = json.loads(self._index.query(data, least, most, passages))
            return found
        texts = Texts([data] if isinstance(data, os.PathLike) else data, text_key, id, options)
        folder = Folder(None)
        to = folder.path / "answers.jsonl"
        asked: dict[str, object] = {"threshold": threshold, "top": top, "passages": passages, "text_key": text_key}
        asked.update({**options, "index": self.path, "data": texts.paths, "id": texts.id, "to": to})
        call("query", asked, tables=texts.tables, progress=progress)
        with open(to, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def _changed(self, given: dict[str, object], texts: Texts | None = None, progress: Progress = False) -> Figures:
        figures = call("index", given, tables=texts.tables if texts else (), progress=progress).figures()
        self._index.refresh()
        return figures

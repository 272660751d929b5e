"""The results of a run: its tables, its summary, and functions to examine them."""

from __future__ import annotations

import _thread
import json
import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from tegula import _html, _tegula
from tegula._command import call
from tegula._errors import FileError, RunFolderError, usage
from tegula._inputs import Data, adapt
from tegula._parts import MARKS, ROW, Parts, added, file_of
from tegula._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tegula._typed import ReportOptions

D = TypeVar("D")
F = TypeVar("F", bound="os.PathLike[str]")

Path_ = str | os.PathLike[str]


class Folder:
    """A temporary folder, removed when nothing refers to it any more."""

    def __init__(self, parent: Path_ | None = None) -> None:
        try:
            self.path = Path(tempfile.mkdtemp(prefix="tegula-", dir=parent))
        except OSError as error:
            raise FileError(f"{parent}: cannot make a temporary folder: {error.strerror}") from error
        self.within: Folder | None = None
        self._end = weakref.finalize(self, _remove, self.path, os.getpid())

    def close(self) -> None:
        """Removes it now."""
        self._end()


def _remove(path: Path, process: int) -> None:
    # A forked process must not remove what its parent still uses.
    if os.getpid() != process:
        return
    try:
        shutil.rmtree(path, ignore_errors=True)
    except KeyboardInterrupt:
        # Exceptions raised while an object is freed are lost, so the interrupt is sent again a little later.
        shutil.rmtree(path, ignore_errors=True)
        threading.Timer(0.1, _thread.interrupt_main).start()


class Comparison:
    """Two texts side by side."""

    def __init__(self, found: Mapping[str, Any], page: str) -> None:
        self.found = dict(found)
        self._page = page

    @property
    def measures(self) -> dict[str, Any]:
        """The scores by every measure, and the counts from which they are computed."""
        return dict(self.found["measures"])

    @property
    def passages(self) -> list[dict[str, Any]]:
        """The passages that both texts have, with their places in tokens and bytes."""
        return list(self.found["passages"])

    def save(self, path: Path_) -> None:
        """Writes the comparison as an HTML page."""
        Path(path).write_text(self._page, encoding="utf-8")

    def __repr__(self) -> str:
        measures = self.measures
        shown = ", ".join(f"{name} {measures[name]:.3f}" for name in ("ssr", "sscr") if name in measures)
        return f"Comparison({shown}, {len(self.passages)} passages in common)"

    def _repr_html_(self) -> str:
        import html

        # As high as the page, once it is there; where scripts do not run, the page scrolls.
        fit = "this.style.height=Math.min(this.contentDocument.body.offsetHeight+24,4000)+'px'"
        return (
            f'<iframe srcdoc="{html.escape(self._page)}" onload="{html.escape(fit)}" '
            'style="width:100%;height:32em;border:0"></iframe>'
        )


class Explanation:
    """Why a unit was kept or removed."""

    def __init__(self, found: Mapping[str, Any], text: str) -> None:
        self.found = dict(found)
        self._text = text

    @property
    def verdict(self) -> str | None:
        """`kept`, `removed` or `marked`; None if the run decided nothing."""
        decision = self.found.get("decision")
        return decision["verdict"] if decision else None

    @property
    def witness(self) -> str | None:
        """The id of the unit kept instead."""
        decision = self.found.get("decision")
        return decision["witness_id"] if decision else None

    @property
    def score(self) -> float | None:
        """The score of the two."""
        decision = self.found.get("decision")
        return decision["score"] if decision else None

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return _html.explanation(_case(self.found), self._text)


def _case(found: Mapping[str, Any]) -> dict[str, Any] | None:
    """The two texts of an explanation, with the ranges of characters that they share."""
    compared = found.get("comparison")
    if not compared:
        return None
    sides: dict[str, Any] = {"score": (found.get("decision") or {}).get("score") or 0.0}
    for side in "ab":
        text = compared[side]["text"]
        raw = text.encode()
        ranges = [row[side]["bytes"] for row in compared["rows"] if row["kind"] == "both"]
        shared = sorted((len(raw[:start].decode()), len(raw[:end].decode())) for start, end in ranges)
        sides[side] = {"id": compared[side]["id"], "text": text, "shared": shared}
    return sides


class Run:
    """A run, by its folder."""

    def __init__(
        self,
        path: Path_,
        folder: Folder | None = None,
        warnings: list[str] | None = None,
        held: Sequence[Parts] = (),
    ) -> None:
        self.path = Path(path)
        """The run folder, whose Parquet files any library can read."""
        self._folder = folder
        # The texts, if they are in memory.
        self._held = list(held)
        self.warnings = warnings or []
        """What the run warned of."""
        if not _tegula.is_file(self.path / "run.json"):
            raise RunFolderError(f"{self.path}: expected the folder of a run, found no run.json")
        self._info = json.loads(_tegula.read(self.path / "run.json"))

    @property
    def summary(self) -> dict[str, Any]:
        """The counts of the run; by stage name, if there are several stages."""
        return dict(self._info["counts"])

    @property
    def recipe(self) -> dict[str, Any]:
        """The recipe with all of its parameters."""
        return dict(self._info["recipe"])

    @property
    def stages(self) -> list[str]:
        """The names of its stages, if the recipe has several."""
        return sorted(stage["folder"] for stage in self._info.get("stages", []))

    def stage(self, name: str) -> Run:
        """A stage by its name, as a separate run."""
        if name not in self.stages:
            raise usage("name", "a stage", f"{name!r}; the stages are {', '.join(self.stages) or 'none'}")
        return Run(self.path / name, self._folder, held=self._held)

    def _tables(self) -> list[tuple[str, _tegula.Table]]:
        """The texts that were read in memory."""
        return [table for parts in self._held for table in parts.again()]

    def _table(self, name: str, how: str) -> Table:
        path = self.path / f"{name}.parquet"
        if not _tegula.is_file(path):
            stages = self.stages
            advice = f"the run has several stages: stage({stages[0]!r}).{name}" if stages else how
            raise RunFolderError(f"the run has no table of {name}; {advice}")
        return Table.read(path)

    @property
    def pairs(self) -> Table:
        """The pairs at or above the threshold, each with its scores. Of equal texts only the first is listed;
        `tegula.pairs` lists all."""
        return self._table("pairs", 'keep all of them with evidence="all"')

    @property
    def clusters(self) -> Table:
        """The clusters: connected components of the pairs."""
        return self._table("clusters", "the recipe makes none")

    @property
    def verdicts(self) -> Table:
        """The outcome for each unit, with its witness and their score."""
        return self._table("verdicts", "only dedup and mark decide")

    @property
    def units(self) -> Table:
        """The units that were compared."""
        return self._table("units", "the recipe keeps none")

    def explain(self, id: object, other: object | None = None, *, full: bool = False) -> Explanation:
        """Why a unit was kept or removed, and what it shares with its witness, or with another unit.

        Args:
            id: The id of a unit; for data without ids, the number of the row from 0.
            other: Compare it with this unit instead.
            full: Show long passages in full.

        Raises:
            UsageError: No unit has this id.
        """
        given = {"run": self.path, "id": str(id), "other": None if other is None else str(other), "full": full}
        answer = call("explain", given, tables=self._tables())
        return Explanation(answer.found, answer.text or "")

    def report(self, path: Path_, **options: Unpack[ReportOptions]) -> None:
        """Writes a page with charts, clusters and texts side by side: one file that works offline.

        Further options are those of `tegula report`: `near_misses`, `words`, `memory`, `threads`.
        """
        call("report", {**options, "run": self.path, "to": path}, tables=self._tables())

    def _figures(self) -> list[tuple[str, str]]:
        rows = [("recipe", f"{self.recipe.get('recipe', '')}, threshold {self.recipe.get('threshold', '')}")]
        balance = self.summary.get("balance")
        if balance:
            rows += [
                ("compared", f"{balance['in']['units']:,}"),
                ("kept", f"{balance['kept']['units']:,}"),
                ("removed", f"{balance['removed']['units']:,}"),
            ]
        return rows

    def _scores(self) -> list[float]:
        try:
            return [score for score in self.verdicts["score"] if score is not None]
        except RunFolderError:
            return []

    def _least(self) -> dict[str, Any] | None:
        try:
            verdicts = self.verdicts
        except RunFolderError:
            return None
        scored = [
            (score, id)
            for score, id, witness in zip(verdicts["score"], verdicts["id"], verdicts["witness_id"], strict=True)
            if score is not None and witness is not None
        ]
        if not scored:
            return None
        _, id = min(scored, key=lambda one: one[0])
        return _case(call("explain", {"run": self.path, "id": id}, tables=self._tables()).found)

    def __repr__(self) -> str:
        figures = ", ".join(f"{name} {value}" for name, value in self._figures())
        return f"{type(self).__name__}({figures})"

    def _repr_html_(self) -> str:
        return _html.summary(self._figures(), self._scores(), self._least())


class Listing(Run):
    """The pairs that `pairs` listed."""

    def __init__(self, found: Run, to: Path_ | None) -> None:
        super().__init__(found.path, found._folder, found.warnings, found._held)
        # Without `to`, in the temporary folder, which the run's own may not be in.
        self._to = Path(to) if to is not None else cast(Folder, found._folder).path / "pairs.parquet"

    @property
    def pairs(self) -> Table:
        """The pairs at or above the threshold, each with its scores: what `to` has."""
        if self._to.suffix != ".parquet":
            raise RunFolderError(f"the pairs are in {self._to}, which is no Parquet")
        return Table.read(self._to)

    def _figures(self) -> list[tuple[str, str]]:
        counts = self.summary
        levels = counts.get("levels") or [{}]
        pairs = [("pairs", f"{levels[0]['pairs']:,}")] if "pairs" in levels[0] else []
        compared = [("compared", f"{counts['balance']['in']['units']:,}")] if "balance" in counts else []
        return [*super()._figures()[:1], *compared, *pairs]


class _Part:
    """Some of the data of a result, in the type of the data; a `Table` of ids for files."""

    def __init__(self, give: Callable[[Any], Any]) -> None:
        self.give = give
        self.__doc__ = give.__doc__

    @overload
    def __get__(self, result: None, owner: Any) -> _Part: ...
    @overload
    def __get__(self, result: Result[str], owner: Any) -> Table: ...
    @overload
    def __get__(self, result: Result[F], owner: Any) -> Table: ...
    @overload
    def __get__(self, result: Result[list[F]], owner: Any) -> Table: ...
    @overload
    def __get__(self, result: Result[D], owner: Any) -> D: ...
    def __get__(self, result: Any, owner: Any) -> Any:
        return self if result is None else self.give(result)


class Result(Run, Generic[D]):
    """What `dedup` or `mark` decided, on data of this type; on files, a `Table` lists them."""

    def __init__(
        self,
        path: Path_,
        folder: Folder | None,
        warnings: list[str],
        parts: Parts | None,
        command: str,
        written: Path | None = None,
        mark_prefix: str = "",
        held: Sequence[Parts] = (),
        *,
        cuts: bool = False,
        add: object = None,
    ) -> None:
        super().__init__(path, folder, warnings, held)
        self._parts = parts
        self._command = command
        # What the command wrote, if it does more than keep rows: texts with parts cut out, marks, or figures.
        self._written = written
        self._mark_prefix = mark_prefix
        self._cuts, self._add, self._added = cuts, add, added(add)
        self._rows: dict[str, tuple[list[int], list[int]]] | None = None

    def _decided(self, parts: Parts) -> dict[str, tuple[list[int], list[int]]]:
        """The kept and removed rows of each collection."""
        if self._rows is None:
            self._rows = self._judged(parts) if self._cut is None else _stayed(parts, self._cut)
        return self._rows

    def _judged(self, parts: Parts) -> dict[str, tuple[list[int], list[int]]]:
        """By their verdicts: a row is kept with any of its units, if all stages keep it."""
        if not self.stages and len(parts.data) == 1 and self.recipe.get("unit") == "document":
            [name], verdicts = parts.data, self.verdicts["verdict"]
            records = Table.read(self.path / "units.parquet", ["record"])["record"]
            # Each row is a unit, unless some could not be read or there are references.
            if records == list(range(1, len(parts.rows(name)) + 1)):
                kept = [row for row, verdict in enumerate(verdicts) if verdict == "kept"]
                return {name: (kept, [row for row, verdict in enumerate(verdicts) if verdict != "kept"])}
        rows: dict[str, dict[int, bool]] = {file_of(name): {} for name in parts.data}
        for run in [self.stage(name) for name in self.stages] or [self]:
            units = Table.read(run.path / "units.parquet", ["file", "record"])
            stage: dict[str, dict[int, bool]] = {file: {} for file in rows}
            for file, record, verdict in zip(units["file"], units["record"], run.verdicts["verdict"], strict=True):
                if file in stage:
                    stage[file][record - 1] = verdict == "kept" or stage[file].get(record - 1, False)
            for file, judged in stage.items():
                rows[file].update((row, kept and rows[file].get(row, True)) for row, kept in judged.items())
        split = {name: rows[file_of(name)].items() for name in parts.data}
        return {
            name: ([row for row, kept in judged if kept], [row for row, kept in judged if not kept])
            for name, judged in split.items()
        }

    @property
    def _cut(self) -> Path | None:
        """The texts with parts cut out."""
        return self._written if self._cuts else None

    @_Part
    def kept(self) -> Any:
        """The kept data, in the type of the input. Removed units that are parts of texts are cut out of
        their texts. For files it is a table of the ids, files and records; `write` writes them."""
        if self._parts is None:
            return self._listed("kept")
        parts, rows = self._parts, self._decided(self._parts)
        if self._written is None or self._command != "dedup":
            return parts.each(lambda name, part: part.take(rows[name][0]))
        numbers, texts = _column(self._written, ROW), _column(self._written, parts.text) if self._cuts else []
        figures = Table.read(self._written, list(self._added)) if self._added else None

        def kept(name: str, part: Data) -> Any:
            place = parts.where(name, numbers)
            taken = part.take(rows[name][0], (parts.text, texts[place]) if self._cuts else None)
            if figures is None:
                return taken
            [alone] = cast("dict[str, Data]", adapt(taken)).values()
            return alone.marked(figures.take(list(range(place.start, place.stop))))

        return parts.each(kept)

    @_Part
    def removed(self) -> Any:
        """The removed or marked data, in the type of the input; for files a table."""
        if self._parts is None:
            return self._listed("")
        rows = self._decided(self._parts)
        return self._parts.each(lambda name, part: part.take(rows[name][1]))

    @property
    def marked(self) -> Any:
        """All data with marks, in the type of the input: the columns `duplicate_of`, `duplicate_score` and
        `cluster_id`, and for units below the document `duplicate_spans`. Texts alone become rows. Without ids,
        `duplicate_of` is a position from 0, as for `iloc`. For data in memory that were marked."""
        if self._parts is None or self._written is None or self._command != "mark":
            raise usage("marked", "marked data in memory", "others", "call tegula.mark; for files, with to=")
        parts = self._parts
        places = {number: place for place, number in enumerate(_column(self._written, ROW))}
        names = [f"{self._mark_prefix}{name}" for name in MARKS] + list(self._added)
        marks = Table.read(self._written, names)
        return parts.each(lambda name, part: part.marked(marks.take([places.get(row) for row in parts.rows(name)])))

    def _listed(self, wanted: str) -> Table:
        verdicts, units = self.verdicts, Table.read(self.path / "units.parquet", ["id", "file", "record"])
        rows = [row for row, verdict in enumerate(verdicts["verdict"]) if (verdict == "kept") == (wanted == "kept")]
        return units.take(rows)

    def at(self, threshold: object, **options: Any) -> Result[D]:
        """Decides again at a higher threshold, without comparing the texts again. Needs `evidence="all"`, the
        default for data in memory.

        Args:
            threshold: At or above that of the run.
            options: Which copies are kept: `keep`, `keep_per`, `keep_each`, `keep_up_to`.
        """
        folder = Folder(self._folder.path if self._folder else None)
        written = self._written and folder.path / self._written.name
        given = {**options, "threshold": threshold, "from": self.path, "run": folder.path / "run", "evidence": "all"}
        given |= {"to": written, "mark_prefix": self._mark_prefix or None}
        given["add"] = self._add
        answer = call(self._command, given, tables=self._tables(), function="at")
        prefix = self._mark_prefix
        # The new folder is in that of this run, which stays as long.
        folder.within = self._folder
        result: Result[D] = Result(
            folder.path / "run", folder, answer.warnings, self._parts, self._command, written, prefix, self._held,
            cuts=self._cuts, add=self._add,
        )
        return result

    def write(self, to: Path_, **options: Any) -> Path:
        """Writes what is kept to a file or folder, for runs on files. Needs `evidence="all"`.

        Further options are those of the output: `keep`, `list`, `removed`, `overwrite`.
        """
        if self._parts is not None:
            raise usage("write", "a run of files", "data in memory", "write what is in `kept`")
        call("dedup", {**options, "from": self.path, "to": to}, function="write")
        return Path(to)


def _column(written: Path, name: str) -> list[Any]:
    """A column of what a command wrote, which it lacks if no row is left."""
    table = Table.read(written, [name])
    return table[name] if table.column_names else []


def _stayed(parts: Parts, written: Path) -> dict[str, tuple[list[int], list[int]]]:
    """The kept and removed rows of each collection, by what is left of their texts."""
    stayed = _column(written, ROW)
    rows = {}
    for name in parts.data:
        numbers = parts.rows(name)
        stay = [number - numbers.start for number in stayed[parts.where(name, stayed)]]
        rows[name] = (stay, sorted(set(range(len(numbers))).difference(stay)))
    return rows


def open_run(path: Path_) -> Run:
    """A run by its folder, from the command line or from Python.

    Raises:
        RunFolderError: There is no run.
    """
    return Run(path)

"""Functions that measure, compare and plan: each gives figures."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tegula import _tegula
from tegula._command import Answer, Figures, call
from tegula._errors import usage
from tegula._functions import Texts
from tegula._inputs import Paths, Rows, adapt, warn_of_file
from tegula._progress import Progress
from tegula._result import Comparison, Folder, Path_, Run
from tegula._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tegula._typed import (
        CompareOptions,
        DiffOptions,
        EvaluateOptions,
        JudgeOptions,
        OnionOptions,
        PlanOptions,
        Recipe,
        RerunOptions,
        StatsOptions,
        StudyOptions,
        SweepOptions,
    )

Source = Run | str | os.PathLike[str]


def _path(source: Source) -> Path:
    """The folder of a run, or a file."""
    return source.path if isinstance(source, Run) else Path(source)


def _held(*runs: Source | None) -> list[tuple[str, _tegula.Table]]:
    """The texts of runs in memory; those of runs on the same data once."""
    tables = [table for run in runs if isinstance(run, Run) for table in run._tables()]
    return list(dict(tables).items())


def cluster(pairs: Source | Any, *, threshold: float | str | None = None) -> Table:
    """The clusters of pairs at another threshold: the connected components.

    Args:
        pairs: A run, a table of pairs as a file, or a table in memory, with `id_a`, `id_b` and `score`.
        threshold: The lowest score of a pair that counts; by default all count.
    """
    folder = Folder()
    try:
        given = {"pairs": _list(pairs, folder, "pairs"), "threshold": threshold}
        return call("cluster", given, receives=True).table
    finally:
        folder.close()


def _list(source: Any, folder: Folder, name: str) -> Path:
    """A run, a file, or a table in memory, which is written to a file."""
    if isinstance(source, (Run, str, os.PathLike)):
        return _path(source)
    path = folder.path / f"{name}.jsonl"
    with open(path, "w", encoding="utf-8") as out:
        for row in _rows(source):
            out.write(json.dumps(dict(row), ensure_ascii=False, default=str) + "\n")
    return path


def _rows(data: Any) -> list[dict[str, Any]]:
    adapted = adapt(data)
    if isinstance(adapted, Paths) or set(adapted) != {""}:
        raise usage("data", "a table", "several collections or paths")
    part = adapted[""]
    if isinstance(part, Rows):
        return [dict(row) for row in part.rows]
    if hasattr(data, "to_dict") and not hasattr(data, "__arrow_c_stream__"):
        return [dict(row) for row in data.to_dict("records")]
    return Table.of(data).to_pylist()


def compare(
    a: str | Path_, b: str | Path_, *, recipe: Recipe | None = None, **options: Unpack[CompareOptions]
) -> Comparison:
    """Compares two texts by every measure.

    Args:
        a: A text, or a `pathlib.Path` to a file; a string is always a text, and a warning says if it names a file.
        b: The other.
        recipe: How they are compared.
        options: Options of `tegula compare`, such as `ngram`, and `full`: show long passages in full on the page.
    """
    paths: list[Path] = []
    tables: list[tuple[str, _tegula.Table]] = []
    for name, text in (("a", a), ("b", b)):
        if isinstance(text, str):
            warn_of_file(name, text)
            tables.append((name, _tegula.columns(["text"], [[[text]]], 0)))
            paths.append(Path(name))
        elif isinstance(text, os.PathLike):
            paths.append(Path(text))
        else:
            raise TypeError(f"{name}: expected a text or a path, found {type(text).__name__}")
    folder = Folder()
    try:
        if len(tables) == 1:
            # A file and a text: both are files.
            [(name, table)] = tables
            file = folder.path / f"{name}.txt"
            file.write_text(table.column("text")[0], encoding="utf-8", newline="")
            paths = [file if path == Path(name) else path for path in paths]
            tables = []
        page = folder.path / "page.html"
        answer = call("compare", {"recipe": recipe, **options, "data": paths, "to": page}, tables=tables)
        return Comparison(answer.found, page.read_text(encoding="utf-8"))
    finally:
        folder.close()


def evaluate(gold: Any, *results: Any, **options: Unpack[EvaluateOptions]) -> Figures:
    """Evaluates results against labelled pairs or groups: precision, recall, F1 and the adjusted Rand index, each
    with a 95 % interval.

    Args:
        gold: A file, or rows in memory: pairs (`id_a`, `id_b`, and `label` if some are not copies), or groups
            (`id`, `group`).
        results: Runs, files, or tables in memory with `id_a`, `id_b` and `score`.
        options: Options of `tegula evaluate`, such as `threshold`, `sweep`, `tune`, `by`, `resamples`; `to` is a
            page.
    """
    folder = Folder()
    try:
        lists = [_list(one, folder, str(number)) for number, one in enumerate([gold, *results])]
        return call("evaluate", {**options, "gold": lists[0], "results": lists[1:]}).figures()
    finally:
        folder.close()


def judge(
    run: Source,
    *,
    other: Source | None = None,
    to: Path_ | None = None,
    answers: Path_ | Iterable[Path_] | None = None,
    progress: Progress = None,
    **options: Unpack[JudgeOptions],
) -> Figures:
    """Draws pairs of a run to be judged by people, or estimates its precision and recall from their answers.

    Args:
        run: A run, or its folder.
        other: Another run on the same inputs: pairs that both have are drawn, and pairs that only one has.
        to: A page (`.html`) in which to judge the pairs in a browser.
        answers: Files with the answers so far.
        progress: As for `dedup`.
        options: All other options of `tegula judge`, such as `pairs`, `seed`, `near_misses`.
    """
    given: dict[str, object] = {"answers": answers, **options, "run": _path(run), "to": to}
    given["with"] = None if other is None else _path(other)
    return call("judge", given, tables=_held(run, other), progress=progress).figures()


def sweep(
    data: Any,
    *,
    text_key: str | list[str] | None = None,
    id: str | None = None,
    recipe: Recipe | None = None,
    ngrams: Iterable[int] | None = None,
    thresholds: Iterable[float | str] | None = None,
    progress: Progress = None,
    **options: Unpack[SweepOptions],
) -> Figures:
    """What would be removed at several n-gram lengths and thresholds; nothing is written.

    Args:
        data: Texts, as for `dedup`.
        text_key: The field of the text.
        id: The field of the id.
        recipe: How texts are compared; `onion` by default.
        ngrams: Numbers of tokens in an n-gram.
        thresholds: Thresholds.
        progress: As for `dedup`.
        options: All other options of `tegula sweep`, such as `tables`; `to` is a page.
    """
    given = {"recipe": recipe, "ngrams": ngrams, "thresholds": thresholds, **options}
    return _of_texts("sweep", data, text_key, id, given, progress).figures()


def study(
    figures: Literal["growth", "simfinder"],
    data: Any,
    *,
    text_key: str | list[str] | None = None,
    id: str | None = None,
    recipe: Recipe | None = None,
    progress: Progress = None,
    **options: Unpack[StudyOptions],
) -> Figures:
    """Repeats the experiments of a paper: how cost grows (Kupietz 2005), or the figures of SimFinder (Gong et al. 2008).

    Args:
        figures: What to study.
        data: Texts, as for `dedup`.
        text_key: The field of the text.
        id: The field of the id.
        recipe: How texts are compared; `simfinder` by default.
        progress: As for `dedup`.
        options: All other options of `tegula study`, such as `steps`, `gold`; `to` is a page.
    """
    given = {"recipe": recipe, **options, "figures": figures}
    return _of_texts("study", data, text_key, id, given, progress).figures()


def plan(
    data: Any,
    *,
    text_key: str | list[str] | None = None,
    id: str | None = None,
    recipe: Recipe | None = None,
    threshold: float | str | None = None,
    **options: Unpack[PlanOptions],
) -> Figures:
    """What a run would read, and the memory, disk and time that it needs, estimated."""
    given = {"recipe": recipe, "threshold": threshold, **options}
    return _of_texts("plan", data, text_key, id, given, False).figures()


def stats(
    data: Any,
    to: Path_,
    *,
    text_key: str | list[str] | None = None,
    id: str | None = None,
    recipe: Recipe | None = None,
    progress: Progress = None,
    **options: Unpack[StatsOptions],
) -> Figures:
    """Counts in how many texts each term or shingle occurs, for the option `statistics` of other functions.

    Args:
        data: Texts, as for `dedup`.
        to: The file to write, compressed according to its name.
        text_key: The field of the text.
        id: The field of the id.
        recipe: What is counted: its terms, or its shingles if these are weighted by rarity.
        progress: As for `dedup`.
        options: All other options of `tegula stats`.
    """
    return _of_texts("stats", data, text_key, id, {"recipe": recipe, **options, "to": to}, progress).figures()


def _of_texts(
    command: str, data: Any, text_key: Any, id: str | None, options: Mapping[str, object], progress: Progress
) -> Answer:
    texts = Texts(data, text_key, id, options)
    given = {"text_key": text_key, **options, "data": texts.paths, "id": texts.id}
    return call(command, given, tables=texts.tables, progress=progress)


def diff(first: Source, second: Source, **options: Unpack[DiffOptions]) -> Figures:
    """Compares two runs on the same inputs: which copies each found.

    Args:
        first: A run, or its folder.
        second: The other.
        options: Options of `tegula diff`, such as `examples`, `tables`; `to` is a page or a list.
    """
    given = {**options, "first": _path(first), "second": _path(second)}
    return call("diff", given, tables=_held(first, second)).figures()


def rerun(
    run: Source, to: Path_ | None = None, *, folder: Path_ | None = None, progress: Progress = None, **options: Unpack[RerunOptions]
) -> Figures:
    """Repeats a run from its folder, or from a specification as printed by `tegula rerun --print`.

    Args:
        run: A run on files, its folder, or a file.
        to: The output, instead of the recorded one.
        folder: The folder for the evidence, instead of the recorded one.
        progress: As for `dedup`.
        options: All other options of `tegula rerun`, such as `removed`, `overwrite`.
    """
    given = {**options, "source": _path(run), "to": to, "run": folder}
    return call("rerun", given, progress=progress).figures()


def onion(source: Path_, to: Path_, *, progress: Progress = None, **options: Unpack[OnionOptions]) -> Path:
    """Marks near-duplicate paragraphs in a vertical file as Onion does, decision for decision.

    Args:
        source: The vertical file.
        to: The file to write, compressed according to its name.
        progress: As for `dedup`.
        options: Options of `tegula onion`: `ngram`, `threshold`, `doc_tag`, `par_tag`, `strip`, ...
    """
    call("onion", {**options, "files": source, "to": to}, progress=progress)
    return Path(to)


def recipes() -> list[dict[str, Any]]:
    """The recipes: what each does, its guarantee, cost and parameters."""
    found: list[dict[str, Any]] = call("recipes", {}).found
    return found

"""The functions of the package: the commands of the command line, on Python data."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tegula import _tegula
from tegula._command import call, json_of
from tegula._errors import usage
from tegula._inputs import Data, Paths, Rows, adapt
from tegula._options import value
from tegula._parts import MARKS, ROW, Parts, check_marks, file_of
from tegula._progress import Progress
from tegula._result import Comparison, Folder, Path_, Result, Run
from tegula._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tegula._typed import DedupOptions, Evidence, MarkOptions, PairsOptions, Recipe, Unit

Within = str | Iterable[str] | None

# The options that name fields, and what comes before the name.
_FIELDS = {"keep": True, "keep_per": False, "within": False, "across": False, "by": False, "window": False}


def _fields(options: Mapping[str, object]) -> dict[str, str]:
    """The columns that options name, each with its option."""
    names: dict[str, str] = {}
    for option, has_rule in _FIELDS.items():
        given = options.get(option)
        if given is None:
            continue
        for one in [given] if isinstance(given, str) else given:  # type: ignore[attr-defined]
            for rule in str(one).split(","):
                name = rule.split(":", 1)[1].split("=")[0] if has_rule and ":" in rule else rule
                if not has_rule or ":" in rule:
                    names.setdefault(name.split("=")[0].split(":")[0], option)
    return names


def _cuts(recipe: object, unit: object) -> bool:
    """Whether a run may remove parts of texts."""
    if unit is not None:
        return unit != "document"
    if recipe in (None, "auto"):
        return False
    known = {one["name"]: one for one in recipes()}
    return str(known.get(str(recipe), {}).get("fields", {}).get("unit")) != "document"


def _run(
    command: str,
    data: Any,
    *,
    text: Any,
    id: str | None,
    run: Path_ | None,
    to: Path_ | None,
    evidence: str | None,
    against: Any,
    progress: Progress,
    options: Mapping[str, object],
) -> Result:
    scratch = options.get("scratch")
    folder = Folder(str(scratch).split(":")[0] if scratch else None)
    place = Path(run) if run is not None else folder.path / "run"
    given: dict[str, object] = {"text": text, "id": id, **options, "to": to, "run": place}
    if command != "pairs":
        given["evidence"] = evidence
    adapted, written = adapt(data), None
    if not isinstance(adapted, Paths) and command != "pairs":
        marks, cuts = command == "mark", _cuts(options.get("recipe"), options.get("unit"))
        if to is not None:
            given_back = "marked" if marks else "kept"
            raise usage("to: expected files as data, found data in memory", f"write what is in `{given_back}`")
        if marks:
            names = MARKS if cuts else MARKS[:3]
            check_marks(adapted, [f"{options.get('mark_prefix', '')}{name}" for name in names])
        if marks or cuts:
            given["to"] = written = folder.path / "written.parquet"
    paths, given["id"], parts = _files(adapted, text, id, folder.path / "texts", options)
    if against is not None:
        given["against"], _, _ = _files(adapt(against), text, None, folder.path / "against", options)
    # A user knows the data, not the files that carry them.
    shown = {f"file {file_of(name)}": f"'{name}'" if name else "the data" for name in (parts.data if parts else ())}
    _, said = call(command, paths, given, extra=["-q"], progress=progress, names=shown)
    return Result(place, folder, said.warnings, parts, command, written, str(options.get("mark_prefix", "")))


def _files(
    data: Paths | dict[str, Data], text: Any, id: str | None, folder: Path, options: Mapping[str, object]
) -> tuple[list[Path], str | None, Parts | None]:
    """The files of the data, in a new folder if the data are in memory; the field of the id, and the collections."""
    if isinstance(data, Paths):
        return data.paths, id, None
    if isinstance(text, list):
        raise usage("text: expected one column for data in memory, found several", "join them first")
    parts = Parts(data, "text" if text is None else text)
    paths = parts.spill(folder, id, _fields(options))
    if set(data) == {""} and id is None and "id" not in (data[""].columns() or ()):
        id = ROW
    return paths, id, parts


def dedup(
    data: Any,
    *,
    text: str | list[str] | None = None,
    id: str | None = None,
    recipe: Recipe | None = None,
    threshold: float | str | None = None,
    keep: Within = None,
    within: Within = None,
    unit: Unit | None = None,
    against: Any = None,
    to: Path_ | None = None,
    run: Path_ | None = None,
    evidence: Evidence | None = None,
    memory: int | str | None = None,
    threads: int | None = None,
    progress: Progress = None,
    **options: Unpack[DedupOptions],
) -> Result:
    """Finds copies, and decides which text of each set of copies is kept.

    Args:
        data: Texts: a list of strings or of dictionaries; a DataFrame or LazyFrame of polars, a DataFrame or
            Series of pandas, a table of pyarrow, a Dataset or DatasetDict of Hugging Face; any object with
            `__arrow_c_stream__`; a dictionary of such collections by name; or a path, a glob, or a list of
            `pathlib.Path`, read in any format of the command line.
        text: The field of the text; `text` by default. For files, several fields are joined.
        id: The field of the id; by default `id` if there is one, otherwise the row number from 0, or file and
            record.
        recipe: The method: a name from `recipes()`, a TOML file, or `auto`; `copies` by default.
        threshold: The lowest score of a copy; by default that of the recipe.
        keep: Which copy is kept: `longest` by default, `first`, `newest:date`, `priority:source=a,b`, ...
        within: Compare only texts with the same value of this field.
        unit: What is compared: `document`, `paragraph`, `sentence` or `passage`.
        against: Other data, compared with but not removed.
        to: For files: the file or folder to write.
        run: A folder in which to keep the evidence; by default it is temporary.
        evidence: `all` pairs, by default, or only the `witness` of each removal, which is faster.
        memory: The memory ceiling: bytes, `2G`, or `50%` of what is free.
        threads: The number of threads. Results never depend on it.
        progress: False for none, or a function of stage, amount done, total and unit; by default a bar in
            terminals and notebooks.
        options: All other options of `tegula dedup`, with underscores, such as `min_tokens`, `window`, `set`.

    Raises:
        UsageError: An argument has an invalid value.
        DataError: A record has no text, or cannot be read.
        TegulaError: Any other error.
    """
    all_options = _given(options, recipe, threshold, unit, memory, threads, keep=keep, within=within)
    return _run(
        "dedup",
        data,
        text=text,
        id=id,
        run=run,
        to=to,
        evidence=evidence or "all",
        against=against,
        progress=progress,
        options=all_options,
    )


def mark(
    data: Any,
    *,
    text: str | list[str] | None = None,
    id: str | None = None,
    recipe: Recipe | None = None,
    threshold: float | str | None = None,
    keep: Within = None,
    within: Within = None,
    unit: Unit | None = None,
    against: Any = None,
    to: Path_ | None = None,
    run: Path_ | None = None,
    evidence: Evidence | None = None,
    memory: int | str | None = None,
    threads: int | None = None,
    progress: Progress = None,
    **options: Unpack[MarkOptions],
) -> Result:
    """Finds copies and marks them: as `dedup`, but nothing is removed.

    Files are written with marks. Data in memory are returned with marks, as `marked` of the result: the columns
    `duplicate_of`, `duplicate_score` and `cluster_id`, with `mark_prefix` before their names.
    """
    all_options = _given(options, recipe, threshold, unit, memory, threads, keep=keep, within=within)
    return _run(
        "mark",
        data,
        text=text,
        id=id,
        run=run,
        to=to,
        evidence=evidence or "all",
        against=against,
        progress=progress,
        options=all_options,
    )


def pairs(
    data: Any,
    *,
    text: str | list[str] | None = None,
    id: str | None = None,
    recipe: Recipe | None = None,
    threshold: float | str | None = None,
    within: Within = None,
    unit: Unit | None = None,
    against: Any = None,
    to: Path_ | None = None,
    run: Path_ | None = None,
    memory: int | str | None = None,
    threads: int | None = None,
    progress: Progress = None,
    **options: Unpack[PairsOptions],
) -> Run:
    """Lists the pairs at or above the threshold. `to` is a table for them: `.parquet`, `.tsv` or `.jsonl`."""
    all_options = _given(options, recipe, threshold, unit, memory, threads, within=within)
    found = _run(
        "pairs",
        data,
        text=text,
        id=id,
        run=run,
        to=to,
        evidence=None,
        against=against,
        progress=progress,
        options=all_options,
    )
    return Run(found.path, found._folder, found.warnings)


def _given(
    options: Mapping[str, Any],
    recipe: object,
    threshold: object,
    unit: str | None,
    memory: object,
    threads: object,
    **more: object,
) -> dict[str, object]:
    given: dict[str, object] = {
        "recipe": recipe,
        "threshold": threshold,
        "unit": unit,
        "memory": memory,
        "threads": threads,
        **more,
        **options,
    }
    return {name: one for name, one in given.items() if one is not None}


def cluster(pairs: Run | Path_ | Any, *, threshold: float | str | None = None) -> Table:
    """The clusters of pairs at another threshold: the connected components.

    Args:
        pairs: A run, a table of pairs as a file, or a table in memory, with `id_a`, `id_b` and `score`.
        threshold: The lowest score of a pair that counts; by default all count.
    """
    with tempfile.TemporaryDirectory(prefix="tegula-") as place:
        if isinstance(pairs, Run):
            source = pairs.path
        elif isinstance(pairs, (str, os.PathLike)):
            source = Path(pairs)
        else:
            source = Path(place) / "pairs.jsonl"
            _jsonl(pairs, source)
        out = Path(place) / "clusters.parquet"
        options = {"threshold": threshold, "to": out}
        call("cluster", [source], options, extra=["-q"])
        return Table.read(out)


def _rows(data: Any) -> list[dict[str, Any]]:
    adapted = adapt(data)
    if isinstance(adapted, Paths) or set(adapted) != {""}:
        raise usage("expected a table, found several collections or paths")
    part = adapted[""]
    if isinstance(part, Rows):
        return [dict(row) for row in part.rows]
    if hasattr(data, "to_dict") and not hasattr(data, "__arrow_c_stream__"):
        return [dict(row) for row in data.to_dict("records")]
    return Table.of(data).to_pylist()


def _jsonl(data: Any, path: Path) -> None:
    with open(path, "w", encoding="utf-8") as out:
        for row in _rows(data):
            out.write(json.dumps(dict(row), ensure_ascii=False, default=str) + "\n")


def compare(a: str | Path_, b: str | Path_, *, full: bool = False, **options: Any) -> Comparison:
    """Compares two texts by every measure.

    Args:
        a: A text, or a `pathlib.Path` to a file.
        b: The other.
        full: Show long passages in full on the page.
        options: Options of `tegula compare`, such as `recipe` and `ngram`.
    """
    with tempfile.TemporaryDirectory(prefix="tegula-") as place:
        files: list[Path] = []
        for name, text in (("a", a), ("b", b)):
            if isinstance(text, str):
                file = Path(place) / f"{name}.txt"
                try:
                    file.write_bytes(text.encode())
                except UnicodeEncodeError:
                    raise usage(f"{name}: expected characters, found a lone surrogate") from None
                files.append(file)
            elif isinstance(text, os.PathLike):
                files.append(Path(text))
            else:
                raise TypeError(f"{name}: expected a text or a path, found {type(text).__name__}")
        page = Path(place) / "page.html"
        given = {"full": full, **options}
        printed, _ = call("compare", files, given, extra=["--json", "-q"])
        call("compare", files, given, extra=["-q", "-o", os.fspath(page)])
        return Comparison(json_of(printed), page.read_text(encoding="utf-8"))


def evaluate(gold: Any, *results: Any, **options: Any) -> dict[str, Any]:
    """Evaluates results against labelled pairs or groups: precision, recall, F1 and the adjusted Rand index, each
    with a 95 % interval.

    Args:
        gold: A file, or rows in memory: pairs (`id_a`, `id_b`, and `label` if some are not copies), or groups
            (`id`, `group`).
        results: Runs, files, or tables in memory with `id_a`, `id_b` and `score`.
        options: Options of `tegula evaluate`, such as `threshold`, `sweep`, `tune`, `by`, `resamples`.
    """
    with tempfile.TemporaryDirectory(prefix="tegula-") as place:
        files: list[Path] = []
        for number, one in enumerate([gold, *results]):
            if isinstance(one, Run):
                files.append(one.path)
            elif isinstance(one, (str, os.PathLike)):
                files.append(Path(one))
            else:
                files.append(Path(place) / f"{number}.jsonl")
                _jsonl(one, files[-1])
        printed, _ = call("evaluate", files, options, extra=["--form", "json"])
        found: dict[str, Any] = json_of(printed)
        return found


def onion(source: Path_, to: Path_, *, progress: Progress = None, **options: Any) -> Path:
    """Marks near-duplicate paragraphs in a vertical file as Onion does, decision for decision.

    Args:
        source: The vertical file.
        to: The file to write, compressed according to its name.
        options: Options of `tegula onion`: `ngram`, `threshold`, `doc_tag`, `par_tag`, `strip`, ...
    """
    call("onion", [source], {**options, "to": to}, extra=["-q"], progress=progress)
    return Path(to)


def plan(data: Any, *, text: str | None = None, id: str | None = None, **options: Any) -> dict[str, Any]:
    """What a run would read, and the memory, disk and time that it needs, estimated."""
    folder = Folder()
    try:
        paths, id, _ = _files(adapt(data), text, id, folder.path / "texts", options)
        given = {"text": text, "id": id, **options}
        found: dict[str, Any] = json_of(call("plan", paths, given, extra=["--json", "-q"])[0])
        return found
    finally:
        folder.close()


def recipes() -> list[dict[str, Any]]:
    """The recipes: what each does, its guarantee, cost and parameters."""
    found: list[dict[str, Any]] = json_of(call("recipes", [], {}, extra=["--json"])[0])
    return found


def tokens(text: str, *, recipe: str = "copies", **settings: object) -> list[str]:
    """The tokens of a text as they are compared, after normalisation.

    Args:
        text: The text.
        recipe: The recipe whose normalisation is applied.
        settings: Fields of the recipe: `tokens(text, **{"normalise.case": "keep"})`.
    """
    given: dict[str, Any] = dict(settings)
    return Features(recipe, **given).tokens(text)


class Features:
    """The features of a text that a recipe compares, for programs that build on them.

    Args:
        recipe: The recipe whose tokens are used.
        ngram: Tokens in a shingle; by default that of the recipe.
        settings: Other fields of the recipe.
    """

    def __init__(self, recipe: str = "copies", *, ngram: int | None = None, **settings: object) -> None:
        self._native = _tegula.Features(recipe, ngram, [(name, value(one)) for name, one in settings.items()])

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text."""
        return self._native.tokens(text)

    def fingerprints(self, text: str) -> list[int]:
        """The fingerprints of its shingles, in order: numbers of 64 bits, equal for equal shingles in every run
        and on every machine."""
        return self._native.fingerprints(text)

    def minhash(self, text: str, count: int = 128) -> list[int]:
        """The smallest values of its shingles under `count` hash functions (Broder 1997). The share of equal
        places of two texts estimates their resemblance. Empty for a text without tokens."""
        return self._native.minhash(text, count)

    def simhash(self, text: str) -> int:
        """A number of 64 bits that differs in few bits for similar texts (Charikar 2002). Each shingle counts
        once for each time it occurs."""
        return self._native.simhash(text)


def fingerprints(text: str, *, recipe: str = "copies", ngram: int | None = None) -> list[int]:
    """The fingerprints of the shingles of a text: see `Features.fingerprints`."""
    return Features(recipe, ngram=ngram).fingerprints(text)


def minhash(text: str, *, count: int = 128, recipe: str = "copies", ngram: int | None = None) -> list[int]:
    """The min-wise sketch of a text: see `Features.minhash`."""
    return Features(recipe, ngram=ngram).minhash(text, count)


def simhash(text: str, *, recipe: str = "copies", ngram: int | None = None) -> int:
    """The simhash of a text: see `Features.simhash`."""
    return Features(recipe, ngram=ngram).simhash(text)


_MEASURES = {"resemblance": "ssr", "containment": "ssr-containment"}


class Join:
    """All pairs of sets whose score reaches a threshold: complete and exact, for sets of numbers of any origin,
    such as the fingerprints of several columns or of a tokeniser of your own.

    Args:
        threshold: The lowest score.
        measure: `resemblance`: the share of common members in the union; or `containment`: in the smaller set.
    """

    def __init__(self, threshold: float | str = 0.8, *, measure: str = "resemblance") -> None:
        if measure not in _MEASURES:
            raise usage(f"measure: expected {' or '.join(_MEASURES)}, found {measure!r}")
        self._native = _tegula.Join(_MEASURES[measure], value(threshold))

    def pairs(self, sets: Iterable[Iterable[int]]) -> list[tuple[int, int, float]]:
        """The pairs (i, j, score), i before j, in order. Empty sets are in none."""
        return self._native.pairs([list(one) for one in sets])

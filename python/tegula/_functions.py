"""Functions that compare texts, and decide: `dedup`, `mark` and `pairs`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tegula import _tegula
from tegula._command import call, logger
from tegula._errors import UsageError, usage
from tegula._inputs import Paths, adapt
from tegula._parts import MARKS, ROW, Parts, added, check_marks
from tegula._progress import Progress
from tegula._result import Folder, Listing, Path_, Result

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tegula._typed import DedupOptions, Evidence, MarkOptions, PairsOptions, Recipe, Unit

D = TypeVar("D")

Within = str | Iterable[str] | None

# The options that name fields, and what comes before the name.
_FIELDS = {"keep": True, "add": True, "keep_per": False, "keep_each": False, "within": False, "across": False, "by": False, "window": False, "date": False}


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
    known = {one["name"]: one for one in call("recipes", {}).found}
    return str(known.get(str(recipe), {}).get("fields", {}).get("unit")) != "document"


def _run(
    command: str,
    data: Any,
    *,
    text_key: Any,
    id: str | None,
    run: Path_ | None,
    to: Path_ | None,
    evidence: str | None,
    against: Any,
    progress: Progress,
    options: Mapping[str, object],
) -> Result[Any]:
    scratch = options.get("scratch")
    folder = Folder(str(scratch).split(":")[0] if scratch else None)
    place = Path(run) if run is not None else folder.path / "run"
    given: dict[str, object] = {"text_key": text_key, "id": id, **options, "to": to, "run": place}
    if command != "pairs":
        given["evidence"] = evidence
    adapted, written, cuts = adapt(data), None, False
    if command == "pairs":
        written = folder.path / "pairs.parquet"
        if to is None:
            given["to"] = written
    elif not isinstance(adapted, Paths):
        marks, cuts = command == "mark", _cuts(options.get("recipe"), options.get("unit"))
        where = {"to": "marked" if marks else "kept", "removed": "removed", "list": "verdicts", "check": "removed"}
        for option, given_back in where.items():
            if given.get(option) not in (None, False):
                raise usage(option, "files as data", "data in memory", f"take what is in `{given_back}` of the result")
        names = list(added(options.get("add")))
        if marks:
            names += [f"{options.get('mark_prefix', '')}{name}" for name in (MARKS if cuts else MARKS[:3])]
        check_marks(adapted, names)
        if marks or cuts or names:
            given["to"] = written = folder.path / "written.parquet"
    texts = Texts(adapted, text_key, id, options)
    given |= {"data": texts.paths, "id": texts.id}
    tables, held = texts.tables, [texts.parts] if texts.parts else []
    if against is not None:
        try:
            others = Texts(against, text_key, None, options, prefix="references-")
        except UsageError as error:
            raise usage("against", error.expected or "texts", error.found or "none", error.advice) from None
        given["against"] = others.paths
        tables = tables + others.tables
        held += [others.parts] if others.parts else []
    answer = call(command, given, tables=tables, progress=progress)
    prefix, cut = str(options.get("mark_prefix", "")), command == "dedup" and cuts
    add = options.get("add")
    return Result(place, folder, answer.warnings, texts.parts, command, written, prefix, held, cuts=cut, add=add)


def _name(column: Any) -> Any:
    """The name of a column, which a number may stand for in pandas."""
    return str(column) if isinstance(column, int) else column


class Texts:
    """Texts for a command: files, or collections in memory.

    Attributes:
        paths: Files and folders, or the names of tables.
        tables: The tables, each with its name.
        id: The field of the id.
        parts: The collections in memory.
    """

    def __init__(
        self, data: Any, text_key: Any, id: str | None, options: Mapping[str, object], *, prefix: str = ""
    ) -> None:
        adapted = data if isinstance(data, (Paths, dict)) else adapt(data)
        self.id = _name(id)
        self.parts: Parts | None = None
        self.tables: list[tuple[str, _tegula.Table]] = []
        self.paths: list[Path] = []
        if isinstance(adapted, Paths):
            self.paths = adapted.paths
            return
        if isinstance(text_key, list):
            raise usage("text_key", "one column for data in memory", "several", "join them first")
        self.parts = Parts(adapted, "text" if text_key is None else _name(text_key))
        self.tables = self.parts.tables(self.id, _fields(options), prefix)
        self.paths = [Path(name) for name, _ in self.tables]
        if set(adapted) == {""} and id is None and "id" not in (adapted[""].columns() or ()):
            self.id = ROW


def given(
    options: Mapping[str, Any],
    recipe: object,
    threshold: object,
    unit: str | None,
    memory: object,
    threads: object,
    **more: object,
) -> dict[str, object]:
    """The arguments that are not None."""
    all_given: dict[str, object] = {
        "recipe": recipe,
        "threshold": threshold,
        "unit": unit,
        "memory": memory,
        "threads": threads,
        **more,
        **options,
    }
    return {name: one for name, one in all_given.items() if one is not None}


def dedup(
    data: D,
    *,
    text_key: str | list[str] | None = None,
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
) -> Result[D]:
    """Finds copies, and decides which text of each set of copies is kept.

    Args:
        data: Texts: a list of strings or of dictionaries; a DataFrame or LazyFrame of polars, a DataFrame or
            Series of pandas, a table of pyarrow, a Dataset or DatasetDict of Hugging Face; any object with
            `__arrow_c_stream__`; a dictionary of such collections by name; or a path, a glob, or a list of
            `pathlib.Path`, read in any format of the command line.
        text_key: The field of the text; `text` by default. For files, several fields are joined.
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
    return _run(
        "dedup",
        data,
        text_key=text_key,
        id=id,
        run=run,
        to=to,
        evidence=evidence or "all",
        against=against,
        progress=progress,
        options=given(options, recipe, threshold, unit, memory, threads, keep=keep, within=within),
    )


def mark(
    data: D,
    *,
    text_key: str | list[str] | None = None,
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
) -> Result[D]:
    """Finds copies and marks them: as `dedup`, but nothing is removed.

    Files are written with marks. Data in memory are returned with marks, as `marked` of the result: the columns
    `duplicate_of`, `duplicate_score` and `cluster_id`, with `mark_prefix` before their names. Without ids, `duplicate_of`
    is a position from 0, as for `iloc`, whatever the index of a frame; give `id` to have ids.
    """
    return _run(
        "mark",
        data,
        text_key=text_key,
        id=id,
        run=run,
        to=to,
        evidence=evidence or "all",
        against=against,
        progress=progress,
        options=given(options, recipe, threshold, unit, memory, threads, keep=keep, within=within),
    )


def pairs(
    data: Any,
    *,
    text_key: str | list[str] | None = None,
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
) -> Listing:
    """Lists the pairs at or above the threshold. `to` is a table for them: `.parquet`, `.tsv` or `.jsonl`.

    Of equal texts, a row stands for as many pairs as `equal_a` and `equal_b` say, and a warning says so; `expand=True`
    lists each pair, which are n(n-1)/2 of n equal texts.
    """
    found = _run(
        "pairs",
        data,
        text_key=text_key,
        id=id,
        run=run,
        to=to,
        evidence=None,
        against=against,
        progress=progress,
        options=given(options, recipe, threshold, unit, memory, threads, within=within),
    )
    equal = found.summary.get("identical")
    if equal and not options.get("expand"):
        said = f"{equal} texts are equal to others: a row stands for equal_a times equal_b pairs; expand=True lists each"
        found.warnings.append(said)
        logger.warning("%s", said)
    return Listing(found, to)

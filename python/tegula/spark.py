"""Runs on a Spark cluster, with the same bytes as on one machine.

    from pyspark.sql import SparkSession
    import tegula.spark

    spark = SparkSession.builder.getOrCreate()
    tegula.spark.dedup(spark, "shards/", "clean/")       # files like the inputs, without the copies
    tegula.spark.dedup(spark, frame, "clean/").kept      # a DataFrame without the copies

Files are read and written by the workers, so all machines must see them under the same paths. The package must be
installed on every worker in the same version as on the driver, with pyarrow.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tegula import _cluster, _tegula
from tegula._command import call, logger
from tegula._errors import ClusterError, TegulaError, usage
from tegula._inputs import _paths
from tegula._progress import Progress
from tegula._result import Folder, Path_, Run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["SparkRun", "dedup", "mark", "pairs"]

Inputs = Path_ | Sequence[Path_]

_DESCRIPTION = "spark.job.description"
_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
_PARTITIONS, _DEFAULT = "spark.sql.shuffle.partitions", "200"
# Rows of messages in a batch: each has up to 256 KiB.
_MOST = 1000
# What Spark says when it ends a job because an executor was lost after some tasks had read its messages and others had
# not: computed again, they come in another order. That order never changes what a run writes, so the job is run again.
_GIVEN_UP = "with indeterminate output was failed and retried"
# How often a job is run at most: as often as Spark runs a task.
_ATTEMPTS = 4
# Bytes of files of messages up to which they are read and sorted here, as the jobs of Spark that do it take longer.
_FEW = 16 << 20


class SparkRun(Run):
    """A run on Spark, by its folder."""

    def __init__(
        self, path: Path_, folder: Folder | None, warnings: list[str], written: DataFrame | None, is_marked: bool
    ) -> None:
        super().__init__(path, folder, warnings)
        self._written, self._is_marked = written, is_marked

    @property
    def kept(self) -> DataFrame:
        """The rows that are kept, if a DataFrame was compared."""
        if self._written is None or self._is_marked:
            raise usage("kept", "a DataFrame as data of dedup", "files, or marks", "read the files that were written")
        return self._written

    @property
    def marked(self) -> DataFrame:
        """All rows with their marks, if a DataFrame was compared."""
        if self._written is None or not self._is_marked:
            raise usage("marked", "a DataFrame as data of mark", "files, or no marks", "read the files that were written")
        return self._written


class _Engine:
    """Moves messages by DataFrames; what is done with them, tasks decide."""

    def __init__(self, spark: SparkSession, split_bytes: int = 64 << 20, partitions: int | None = None) -> None:
        self.spark, self.split_bytes = spark, split_bytes
        # Not with Spark Connect.
        self._context = getattr(spark, "_sc", None)
        self._described = None if self._context is None else self._context.getLocalProperty(_DESCRIPTION)
        # What the user has set, which Spark does not tell from its default otherwise.
        chosen = spark.conf.get(_PARTITIONS, _DEFAULT) or _DEFAULT
        self.partitions = partitions or (None if chosen == _DEFAULT else int(chosen))
        self._kept: dict[str, str] = {}
        self._rows = spark.conf.get(_ROWS, None)
        if self._rows is None or int(self._rows) > _MOST:
            spark.conf.set(_ROWS, str(_MOST))

    def close(self) -> None:
        """Leaves the session as it was."""
        if self._context is not None:
            self._context.setLocalProperty(_DESCRIPTION, self._described)
        if self._rows is None:
            self.spark.conf.unset(_ROWS)
        else:
            self.spark.conf.set(_ROWS, self._rows)

    def run(
        self,
        name: str,
        folder: Path,
        partitions: int,
        plan: bytes,
        messages: list[tuple[str, int, bytes]],
        kept: tuple[str, str] | None,
        stages: list[tuple[bytes, bool, tuple[str, str] | None]],
    ) -> None:
        """Runs tasks one after the other, and keeps what the last one sends, unless that is there already."""
        if self._context is not None:
            self._context.setLocalProperty(_DESCRIPTION, f"tegula: {name}")
        done = folder.with_suffix(".done")
        self._kept[name] = str(folder)
        if done.exists():
            return
        if kept is not None:
            frame = self._of(*kept)
        else:
            rows = [(kind, key, bytearray(sent)) for kind, key, sent in messages]
            frame = self.spark.createDataFrame(rows, _cluster.SCHEMA).repartition(max(1, len(rows)), "key")
        for job, brings_together, others in stages:
            if others is not None:
                frame = frame.unionByName(self._of(*others))
            if brings_together:
                frame = frame.repartition(self.partitions or partitions, "key").sortWithinPartitions("key")
            frame = frame.mapInArrow(partial(_cluster.run, plan, job), _cluster.SCHEMA)
        # Bytes of rows neither repeat nor shrink much.
        writer = frame.write.mode("overwrite").partitionBy("kind").option("compression", "snappy")
        writer = writer.option("parquet.enable.dictionary", "false")
        for left in reversed(range(_ATTEMPTS)):
            try:
                writer.parquet(str(folder))
                break
            except Exception as error:
                if not left or _GIVEN_UP not in str(error):
                    raise _told(error) from error
                logger.warning("Spark ended a job because it lost an executor; the job is run again")
        done.touch()

    def read(self, name: str, kind: str) -> Iterator[tuple[int, bytes]]:
        """The messages of a kind, in order of their keys."""
        folder = Path(self._kept[name])
        files = sorted(folder.glob(f"kind={kind}/*.parquet"))
        try:
            # What this process does not see, Spark may.
            if folder.is_dir() and sum(file.stat().st_size for file in files) <= _FEW:
                yield from _rows(files)
                return
            frame = self._of(name, kind).select("key", "bytes").orderBy("key")
            for row in frame.toLocalIterator(prefetchPartitions=True):
                yield row[0], bytes(row[1])
        except Exception as error:
            raise _told(error) from error

    def _of(self, name: str, kind: str) -> DataFrame:
        # The schema is given, as there may be no messages.
        frame = self.spark.read.schema("key bigint, bytes binary, kind string").parquet(self._kept[name])
        return frame.filter(f"kind = '{kind}'").select("kind", "key", "bytes")


def _rows(files: list[Path]) -> Iterator[tuple[int, bytes]]:
    """The messages of files, in order of their keys."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    if files:
        table = pyarrow.concat_tables([ParquetFile(file).read(["key", "bytes"]) for file in files]).sort_by("key")
        for batch in table.to_batches(max_chunksize=_MOST):
            yield from zip(*(column.to_pylist() for column in batch.columns))


# What the errors of Spark say, and what to do.
_CAUSES = [
    (
        "No module named 'tegula'",
        "expected tegula on every worker, found none",
        "install it there, or ship an environment with spark.archives",
    ),
    (
        "No module named 'pyarrow'",
        "expected pyarrow on every worker, found none",
        "install it there, or ship an environment with spark.archives",
    ),
    (
        "Python worker exited unexpectedly",
        "the task of a worker was killed, perhaps for lack of memory",
        "raise spark.executor.memoryOverhead, where tasks have their memory",
    ),
    (
        "OutOfMemoryError",
        "a worker had too little memory",
        "raise spark.executor.memory, or spark.sql.shuffle.partitions",
    ),
    (
        "'NoneType' object has no attribute 'sc'",
        "expected a running session, found one that was stopped",
        "start another one",
    ),
]


# A line that names an exception of Java or Python.
_CAUSE = re.compile(r"(?:Caused by: |: )?([\w.$]+(?:Error|Exception): \S.*)")


def _told(error: Exception) -> Exception:
    """What went wrong on the cluster, in a line."""
    text = str(error)
    for sign, message, advice in _CAUSES:
        if sign in text:
            return _failed(message, advice)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = [cause.group(1) for line in lines if (cause := _CAUSE.match(line))]
    own = [number for number, line in enumerate(lines) if line.startswith("tegula._errors.")]
    if own:
        # The line after it is advice, unless the trace goes on.
        message = lines[own[-1]].split(": ", 1)[-1]
        rest = lines[own[-1] + 1 : own[-1] + 2]
        return _failed(message, None if not rest or rest[0].startswith(("at ", "Traceback")) else rest[0])
    # The first line may only say that something happened.
    return _failed(causes[-1] if causes else lines[0] if lines else type(error).__name__)


def _failed(message: str, advice: str | None = None) -> ClusterError:
    error = ClusterError(message)
    error.advice = advice
    return error


def _run(
    command: str,
    spark: SparkSession,
    data: Inputs | DataFrame,
    to: Path_ | None,
    *,
    against: Inputs | None = None,
    run: Path_ | None = None,
    staging: Path_ | None = None,
    split_bytes: int = 64 << 20,
    partitions: int | None = None,
    progress: Progress = None,
    **options: Any,
) -> SparkRun:
    if not hasattr(spark, "conf"):
        raise TypeError(f"spark: expected a SparkSession, found {type(spark).__name__}")
    folder = Folder()
    place = Path(run) if run is not None else folder.path / "run"
    given: dict[str, Any] = {**options, "run": place, "to": to, "staging": staging}
    if against is not None:
        given["against"] = _of_files("against", against)
    is_frame = hasattr(data, "mapInArrow")
    if is_frame:
        base = _base(spark, staging, to, folder)
        # Rows in an order that no retry changes, read as any files are.
        cast("DataFrame", data).write.mode("overwrite").parquet(str(base / "data"))
        given |= {"data": sorted((base / "data").glob("*.parquet")), "staging": base / "flows"}
        if command != "pairs" and to is None:
            given["to"] = base / "written"
    else:
        given["data"] = _of_files("data", cast("Inputs", data))
    given = {name: one for name, one in given.items() if one is not None}
    engine = _Engine(spark, split_bytes, partitions)
    try:
        answer = call(command, given, progress=progress, function=command, engine=engine)
    except TegulaError as error:
        raise _of_frame(error, base / "data") if is_frame else error from error.__cause__
    finally:
        engine.close()
    frame = None
    if is_frame:
        answer.warnings = [_FILE.sub("a partition of the DataFrame", warning) for warning in answer.warnings]
        # What was written is read when the frame is, perhaps long after the run is forgotten.
        _HELD.append(folder)
        if command != "pairs":
            frame = spark.read.parquet(str(given["to"]))
        shutil.rmtree(base / "data", ignore_errors=True)
        if to is not None and staging is None:
            shutil.rmtree(base, ignore_errors=True)
    return SparkRun(place, folder, answer.warnings, frame, command == "mark")


def _base(spark: SparkSession, staging: Path_ | None, to: Path_ | None, folder: Folder) -> Path:
    """A folder that all machines reach, for the rows of a DataFrame."""
    if staging is not None:
        return Path(staging).resolve()
    if to is not None and "://" not in str(to):
        path = Path(to).resolve()
        return path.with_name(f".{path.name}.rows")
    if str(spark.conf.get("spark.master", "")).startswith("local"):
        return folder.path
    raise usage("staging", "a folder that all machines reach", "none", "name one, or where to write as `to`")


# Temporary folders whose files DataFrames read, until the process ends.
_HELD: list[Folder] = []
# A file in which the rows of a DataFrame are.
_FILE = re.compile(r"(?:file )?part-\d+-[-\w.]+\.parquet")


def _of_frame(error: TegulaError, folder: Path) -> TegulaError:
    """The error, about the DataFrame instead of a file that its user has never seen."""
    message = str(error.args[0]).replace(f"{folder}{os.sep}", "") if error.args else ""
    error.args = (_FILE.sub("the DataFrame", message),)
    error.path = None
    return error


def _of_files(option: str, data: Inputs) -> list[Path]:
    """The files and folders of an argument."""
    names = [data] if isinstance(data, (str, os.PathLike)) else data
    if hasattr(names, "columns") or not all(isinstance(name, (str, os.PathLike)) for name in names):
        library = type(data).__module__.split(".")[0]
        advice = "write it as Parquet, and name the folder" if library == "pyspark" else "tegula.dedup takes data in memory"
        raise usage(option, "paths" if option == "against" else "a DataFrame of Spark, or paths", type(data).__name__, advice)
    return _paths(names).paths


def dedup(
    spark: SparkSession,
    data: Inputs | DataFrame,
    to: Path_ | None = None,
    *,
    against: Inputs | None = None,
    run: Path_ | None = None,
    staging: Path_ | None = None,
    split_bytes: int = 64 << 20,
    partitions: int | None = None,
    progress: Progress = None,
    **options: Any,
) -> SparkRun:
    """Finds copies on Spark, and writes the collection without them: the bytes that `tegula dedup` writes.

    Args:
        spark: The session, of Spark 3.5 or later; one of Spark Connect will do.
        data: A path, a glob or a list of these, in any format of the command line; or a DataFrame.
        to: The file or folder to write. For a DataFrame it may be left out: its rows are those of `kept`.
        against: Files that are compared with, but not removed.
        run: A folder in which to keep the evidence, on the driver; by default it is temporary.
        staging: A folder that all machines reach, for what tasks send to each other; by default it is beside
            `to`, and removed at the end. A run that failed resumes from it when started again.
        split_bytes: Bytes of files that a task reads.
        partitions: Parts in which data are brought together; by default `spark.sql.shuffle.partitions` if it is set,
            otherwise one for 64 MiB of text.
        progress: As in `tegula.dedup`.
        options: All options of `tegula.dedup`, such as `recipe`, `threshold`, `keep`, `within`.

    Raises:
        UsageError: An argument has an invalid value, or asks for something not supported on a cluster.
        ClusterError: The cluster has failed; the message says what to do.
        TegulaError: As `tegula.dedup`.
    """
    return _run(
        "dedup",
        spark,
        data,
        to,
        run=run,
        staging=staging,
        split_bytes=split_bytes,
        partitions=partitions,
        against=against,
        progress=progress,
        **options,
    )


def mark(spark: SparkSession, data: Inputs | DataFrame, to: Path_ | None = None, **options: Any) -> SparkRun:
    """Finds copies on Spark, and marks them: as `dedup`, with its arguments, but nothing is removed. A DataFrame comes
    back as `marked`."""
    return _run("mark", spark, data, to, **options)


def pairs(spark: SparkSession, data: Inputs | DataFrame, to: Path_ | None = None, **options: Any) -> SparkRun:
    """Lists the pairs at or above the threshold on Spark, with the arguments of `dedup`. `to` is a table for them:
    `.parquet`, `.tsv` or `.jsonl`."""
    return _run("pairs", spark, data, to, **options)


def _connect(arguments: Sequence[str]) -> SparkSession:
    """The session that these arguments ask for."""
    from pyspark.sql import SparkSession

    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--master")
    master = parser.parse_known_args(list(arguments))[0].master
    builder = SparkSession.builder.appName("tegula").config("spark.ui.showConsoleProgress", "false").config("spark.log.level", "OFF")
    if master is None:
        return builder.getOrCreate()
    return (builder.remote(master) if master.startswith("sc://") else builder.master(master)).getOrCreate()


def main() -> None:
    """Runs the command line with the arguments of the process on Spark, and exits."""
    arguments = sys.argv[1:]
    try:
        spark = _connect(arguments)
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        java = "JAVA_GATEWAY" in str(error) or "Java gateway" in str(error)
        advice = "\nhint: install Java 17, or set JAVA_HOME" if java else ""
        print(f"error: Spark cannot be reached: {lines[0] if lines else type(error).__name__}{advice}", file=sys.stderr)
        sys.exit(2)
    code = _tegula.main(["tegula", *arguments], _Engine(spark))
    spark.stop()
    sys.exit(code)


if __name__ == "__main__":
    main()

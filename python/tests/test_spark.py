"""Runs on Spark write the bytes that runs on one machine write, whatever is killed on the way.

A master and two workers are processes on the loopback, started from the package `pyspark`.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tegula

pyspark = pytest.importorskip("pyspark", reason="no pyspark")
pytest.importorskip("pyarrow", reason="no pyarrow")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("no Java", allow_module_level=True)

import tegula.spark  # noqa: E402
from pyspark.sql import DataFrameWriter, SparkSession  # noqa: E402
from tegula import _cluster  # noqa: E402
from test_stores import put, store  # noqa: E402, F401

# The numbers of tasks, with which their descriptions begin.
FEATURES, SHARE, CHAINS, LISTS, POSTINGS, CANDIDATES, SEND, VERIFY, WRITE = 2, 3, 4, 6, 12, 13, 14, 15, 16
# Whether all is tried, which takes half an hour, or what differs most.
ALL = "TEGULA_CHAOS" in os.environ
# Where executors are killed, by kind of task, and which of that kind: where one task has read what is then lost and
# others have not, and if all is tried, at the first task of each kind before which messages are brought together.
SHUFFLED = (SHARE, CHAINS, LISTS, POSTINGS, CANDIDATES, SEND, VERIFY, WRITE) if ALL else ()
CHAOS = [(VERIFY, 2), *((task, 1) for task in SHUFFLED)]


def words(draw: random.Random, count: int) -> list[str]:
    return [f"w{draw.randrange(2000)}" for _ in range(count)]


def texts(seed: int, count: int) -> list[str]:
    """Chains of copies, one text with many copies, empty, very long and non-ASCII ones."""
    draw = random.Random(seed)
    template = words(draw, 40)
    found: list[list[str]] = []
    for at in range(count):
        kind = draw.randrange(10)
        if kind == 0:
            text = list(template)
        elif kind < 5 and found:
            text = list(found[-1 - draw.randrange(min(len(found), 8))])
        elif kind == 5 and at % 4 == 0:
            text = words(draw, 5000)
        else:
            text = words(draw, 5 + draw.randrange(70))
        for _ in range(draw.randrange(4)):
            text[draw.randrange(len(text))] = f"é{draw.randrange(30)}"
        found.append(text)
    return [" ".join(text) for text in found] + ["", "", "…", "愛は愛", "愛は愛", "\n"]


# For programs that run for seconds: compiled once, one thread that collects garbage, and the classes of Spark taken as they are.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
SETTINGS = f"""
spark.driver.extraJavaOptions {JAVA}
spark.executor.extraJavaOptions {JAVA}
spark.sql.codegen.factoryMode NO_CODEGEN
spark.sql.codegen.wholeStage false
spark.sql.shuffle.partitions 3
spark.ui.enabled false
"""
@pytest.fixture(scope="module", autouse=True)
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings of all sessions, also of those in other processes."""
    folder = tmp_path_factory.mktemp("conf")
    (folder / "spark-defaults.conf").write_text(SETTINGS)
    # Processes of Python collect garbage after each task, which takes longer than most tasks here.
    (folder / "sitecustomize.py").write_text("import gc\ngc.collect = lambda generation=2: 0\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder))
        patch.setenv("SPARK_CONF_DIR", str(folder))
        patch.setenv("SPARK_DAEMON_JAVA_OPTS", JAVA)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        yield


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of JSON Lines, with and without compression, and Parquet."""
    import pyarrow
    import pyarrow.parquet

    folder = tmp_path_factory.mktemp("corpus")
    all_texts = texts(5, 400)
    part = len(all_texts) // 5 + 1

    def lines(number: int) -> str:
        rows = all_texts[number * part : (number + 1) * part]
        named = [{"id": f"{number}-{at}", "text": text, "group": at % 3} for at, text in enumerate(rows)]
        # Without a text, to be skipped.
        return "".join(f"{json.dumps(row)}\n" for row in [*named, {"id": "null", "text": None}])

    (folder / "a.jsonl").write_text(lines(0))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(lines(1).encode(), mtime=0))
    (folder / "sub").mkdir()
    (folder / "sub" / "c.jsonl").write_text(lines(2))
    (folder / "d.jsonl").write_text(lines(3))
    rows = [{"id": f"p{at}", "text": text, "group": at % 3} for at, text in enumerate(all_texts[4 * part :])]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "e.parquet")
    return folder


def written(folder: Path) -> dict[str, bytes]:
    """The files of an output, without the list of them, which has times."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".tegula.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def locally(corpus: Path, folder: Path, **options: Any) -> dict[str, bytes]:
    tegula.dedup([corpus], to=folder, on_bad_record="skip", progress=False, **options)
    return written(folder)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Cluster:
    """A master and its workers."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder = folder
        self.master = f"spark://127.0.0.1:{free_port()}"
        home = Path(pyspark.__file__).parent
        self.command = [str(home / "bin" / "spark-class")]
        self.environment = {
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_NO_DAEMONIZE": "1",
            "SPARK_DAEMON_MEMORY": "256m",
        }
        self.processes: list[subprocess.Popen[bytes]] = []
        self.logs: list[Path] = []
        port = self.master.rsplit(":", 1)[1]
        self._start("master", "master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", "0")
        self._wait(0, "Starting Spark master")
        for _ in range(workers):
            self.add()

    def add(self) -> None:
        """Starts another worker."""
        number = len(self.processes)
        self._start(
            f"worker{number}",
            "worker.Worker",
            *["--host", "127.0.0.1", "-c", "1", "-m", "1g", "--webui-port", "0"],
            *["-d", str(self.folder / f"work{number}"), self.master],
        )
        self._wait(number, "Successfully registered")

    def _start(self, name: str, what: str, *arguments: str) -> None:
        log = self.folder / f"{name}.log"
        self.logs.append(log)
        with log.open("wb") as out:
            command = [*self.command, f"org.apache.spark.deploy.{what}", *arguments]
            self.processes.append(subprocess.Popen(command, stdout=out, stderr=out, env=self.environment))

    def _wait(self, number: int, sign: str) -> None:
        for _ in range(3000):
            if sign in self.logs[number].read_text():
                return
            if self.processes[number].poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(self.logs[number].read_text())

    def close(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    yield started
    started.close()


SPILL = "spark.shuffle.spill.numElementsForceSpillThreshold"


def session(cluster: Cluster, **more: str) -> SparkSession:
    events = cluster.folder / "events"
    events.mkdir(exist_ok=True)
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "700m",
        "spark.executor.memory": "600m",
        "spark.executor.cores": "1",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events.as_uri(),
        "spark.eventLog.compress": "false",
        # As if memory were short: all that is sent between tasks goes through files.
        SPILL: "100",
        **{name.replace("_", "."): value for name, value in more.items()},
    }
    builder = SparkSession.builder.master(cluster.master).appName("tegula")
    for name, value in settings.items():
        builder = builder.config(name, value)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("ERROR")
    return found


@pytest.fixture(scope="module")
def spark(cluster: Cluster) -> Iterator[SparkSession]:
    found = session(cluster)
    yield found
    found.stop()


def on_spark(spark: SparkSession, corpus: Path, folder: Path, **options: Any) -> dict[str, bytes]:
    given: dict[str, Any] = {"on_bad_record": "skip", "progress": False, "split_bytes": 1, **options}
    tegula.spark.dedup(spark, corpus, folder, **given)
    assert not list(folder.parent.glob(".*.staging")), "staging is removed"
    assert not [path for path in folder.rglob("*") if path.name.endswith((".part", ".lock"))]
    return written(folder)


def hooked(task: int, hook: Callable[[], None]) -> Callable[..., Iterator[Any]]:
    """The function of tasks, with a hook at the beginning of a kind of task."""

    def run(plan: bytes, job: bytes, batches: Iterator[Any]) -> Iterator[Any]:
        from tegula import _cluster as cluster

        if job[0] == task:
            hook()
        yield from cluster.run(plan, job, batches)

    return run


@pytest.mark.parametrize(("partitions", "rows"), [(3, 7), (1, 1000), (8, 1000)][: 3 if ALL else 1])
def test_output_is_that_of_one_machine(
    spark: SparkSession, corpus: Path, tmp_path: Path, partitions: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = tmp_path / "processes"
    places.mkdir()

    def note() -> None:
        parent = os.getppid()
        (places / f"{parent}").touch()

    monkeypatch.setattr(_cluster, "run", hooked(SHARE, note))
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(rows))
    options = {"recipe": "copies", "threshold": 0.6}
    wanted = locally(corpus, tmp_path / "local", **options)
    run = tmp_path / "run"
    assert on_spark(spark, corpus, tmp_path / "spark", partitions=partitions, run=run, **options) == wanted
    assert len(wanted) == 5
    if partitions > 1:
        assert len(list(places.iterdir())) == 2, "both executors ran tasks"
    found = tegula.open(run)
    assert found.summary["balance"]["removed"]["units"] > 100
    assert found.explain(found.verdicts["id"][0]).verdict is not None
    found.report(tmp_path / "report.html")


# Every recipe is compared with one machine where tasks run in one process, without Spark; these take each way that
# messages go.
COMMANDS: list[tuple[str, dict[str, Any]]] = [
    ("mark", {"recipe": "messages", "within": "group"}),
    ("dedup", {"unit": "paragraph"}),
    ("pairs", {"recipe": "ssr", "threshold": 0.5}),
    ("dedup", {"recipe": "sketch", "keep": "first", "unit": "document"}),
    ("mark", {"recipe": "mixed"}),
    ("dedup", {"recipe": "exact"}),
]


@pytest.mark.parametrize(("command", "options"), COMMANDS[: 6 if ALL else 3])
def test_commands_and_recipes(
    spark: SparkSession, corpus: Path, tmp_path: Path, command: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if options.get("unit") == "paragraph":
        # As if there were so many messages that Spark must sort them.
        monkeypatch.setattr(tegula.spark, "_FEW", 0)
    end = "pairs.tsv" if command == "pairs" else "out"
    given = {**options, "on_bad_record": "skip", "progress": False}
    getattr(tegula, command)([corpus], to=tmp_path / "local" / end, **given)
    getattr(tegula.spark, command)(spark, corpus, tmp_path / "spark" / end, split_bytes=1, **given)
    wanted = written(tmp_path / "local")
    assert wanted and written(tmp_path / "spark") == wanted


def test_a_dataframe_comes_back_with_the_rows_that_are_kept(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = [(at, text, at / 7, [at]) for at, text in enumerate(texts(8, 200)) if text]
    frame = spark.createDataFrame(rows, "number int, text string, share double, list array<int>").coalesce(1)
    kept = tegula.spark.dedup(spark, frame, tmp_path / "kept", progress=False).kept
    assert kept.schema == frame.schema
    found = sorted(map(tuple, kept.collect()))
    alone = tegula.dedup([{"number": number, "text": text} for number, text, _, _ in rows], progress=False)
    numbers = {row["number"] for row in alone.kept}
    assert found == [row for row in rows if row[0] in numbers] and 0 < len(found) < len(rows)
    marked = tegula.spark.mark(spark, frame, tmp_path / "marked", progress=False).marked
    assert marked.filter("duplicate_of is not null").count() == len(rows) - len(found)


def ancestors(process: int) -> list[int]:
    """The processes above a process."""
    found = []
    while process > 1:
        process = int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
        found.append(process)
    return found


def java(process: int) -> bool:
    return b"java" in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[0]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc")
@pytest.mark.parametrize(("task", "nth"), CHAOS)
def test_an_executor_that_is_killed_changes_nothing(
    cluster: Cluster,
    spark: SparkSession,
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    task: int,
    nth: int,
) -> None:
    # At a task after a shuffle, whose outputs are then lost with the executor and its worker.
    begun, go = tmp_path / "begun", tmp_path / "go"

    def wait() -> None:
        try:
            # Of its own, as another process may begin at the same time.
            own = begun.with_suffix(f".{os.getpid()}")
            own.write_text(str(os.getpid()))
            for number in range(1, nth):
                before = begun.with_suffix(f".before{number}")
                if not before.exists():
                    os.link(own, before)
                    return
            os.link(own, begun)
        except FileExistsError:
            return
        for _ in range(3000):
            if go.exists():
                return
            time.sleep(0.1)

    monkeypatch.setattr(_cluster, "run", hooked(task, wait))
    killed: list[int] = []

    def kill() -> None:
        while not begun.exists():
            time.sleep(0.05)
        above = [process for process in ancestors(int(begun.read_text())) if java(process)]
        # The worker first, which would start another executor.
        for process in reversed(above):
            if process != os.getpid():
                os.kill(process, signal.SIGKILL)
                killed.append(process)
        go.touch()

    wanted = locally(corpus, tmp_path / "local")
    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    assert on_spark(spark, corpus, tmp_path / "spark") == wanted
    killer.join(60)
    assert len(killed) == 2
    assert "Removing executor" in cluster.logs[0].read_text() or "Removing worker" in cluster.logs[0].read_text()
    cluster.add()


def test_a_process_that_dies_and_one_that_is_slow_change_nothing(
    spark: SparkSession, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    died = tmp_path / "died"

    def die() -> None:
        if not died.exists():
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    # And a job that Spark ends because it lost an executor.
    given_up: list[str] = []
    write = DataFrameWriter.parquet

    def give_up(writer: DataFrameWriter, path: str) -> None:
        write(writer, path)
        if not given_up:
            given_up.append(path)
            raise RuntimeError("A shuffle map stage with indeterminate output was failed and retried.")

    monkeypatch.setattr(DataFrameWriter, "parquet", give_up)
    monkeypatch.setattr(_cluster, "run", hooked(WRITE, die))
    with caplog.at_level("INFO", "tegula"):
        assert on_spark(spark, corpus, tmp_path / "spark") == locally(corpus, tmp_path / "local")
    assert died.exists() and given_up and "resuming" not in caplog.text
    assert "the job is run again" in caplog.text


DRIVER = """
import logging
import sys
import time
logging.basicConfig(level=logging.INFO)
sys.path.insert(0, sys.argv[1])
import test_spark as test
from pathlib import Path
begun = Path(sys.argv[4])
def hook():
    begun.touch()
    time.sleep(600)
test._cluster.run = test.hooked(test.POSTINGS, hook)
spark = test.SparkSession.builder.master("local[2]").getOrCreate()
test.tegula.spark.dedup(spark, sys.argv[2], sys.argv[3], on_bad_record="skip", split_bytes=1, partitions=3)
"""


def test_a_run_goes_on_where_its_driver_was_killed(
    spark: SparkSession, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wanted = locally(corpus, tmp_path / "local")
    out, begun = tmp_path / "spark", tmp_path / "begun"
    arguments = [Path(__file__).parent, corpus, out, begun]
    command = [sys.executable, "-c", DRIVER, *map(str, arguments)]
    driver = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not begun.exists():
        assert driver.poll() is None
        time.sleep(0.1)
    os.killpg(driver.pid, signal.SIGKILL)
    assert "resuming" not in driver.communicate()[1]
    staging = tmp_path / ".spark.staging"
    done = {path.name.split("-")[0] for path in staging.glob("run-*/*.done")}
    assert done == {"sections", "survey", "lists"} and not list(out.glob("[!.]*"))

    # What was done is not done again, even by another cluster.
    def again() -> None:
        raise RuntimeError("this was done already")

    monkeypatch.setattr(_cluster, "run", hooked(FEATURES, again))
    with caplog.at_level("INFO", "tegula"):
        assert on_spark(spark, corpus, out, partitions=3) == wanted
    assert caplog.text.count("resuming from what an earlier run left") == 1 and not staging.exists()


def test_too_little_memory_is_made_up_for_on_disk(cluster: Cluster, spark: SparkSession) -> None:
    # Of all tests before.
    name = spark.sparkContext.applicationId
    spark.stop()
    spilled = 0
    for log in (cluster.folder / "events").rglob("*"):
        if name in str(log) and log.name.startswith(("events", name)) and log.is_file():
            for line in log.read_text().splitlines():
                spilled += json.loads(line).get("Task Metrics", {}).get("Disk Bytes Spilled", 0)
    assert spilled > 0


@pytest.mark.skipif(not ALL, reason="a session of its own")
def test_tasks_that_are_begun_twice_change_nothing(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    other = session(cluster, **{"spark.speculation": "true"})
    try:
        assert on_spark(other, corpus, tmp_path / "spark", partitions=1) == locally(corpus, tmp_path / "local")
    finally:
        other.stop()


def test_the_command_line_submits_and_reads_and_writes_a_store(
    store: str, corpus: Path, tmp_path: Path
) -> None:
    wanted = locally(corpus, tmp_path / "local")
    for path in corpus.rglob("*"):
        if path.is_file():
            put(f"{store}/in/{path.relative_to(corpus)}", path.read_bytes())
    command = ["dedup", "s3://bucket/in/", "-o", "s3://bucket/out/", "--on-bad-record", "skip", "--engine", "spark"]
    place = ["--master", "local[2]", "--staging", str(tmp_path / "staging"), "--run", str(tmp_path / "run")]
    done = subprocess.run([sys.executable, "-m", "tegula", *command, *place], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name, content in wanted.items():
        with urllib.request.urlopen(f"{store}/out/{name}") as answer:
            assert answer.read() == content
    assert not list((tmp_path / "staging").glob("*"))


def test_a_local_session_reads_what_is_there_and_says_in_a_line_what_is_wrong(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spark = SparkSession.builder.master("local[1]").getOrCreate()
    try:
        # Workers know files by other paths than the driver, which drops the records that cannot be read.
        wanted = locally(corpus, tmp_path / "local")
        monkeypatch.chdir(corpus.parent)
        tegula.spark.dedup(spark, corpus.name, tmp_path / "spark", on_bad_record="skip", progress=False)
        assert written(tmp_path / "spark") == wanted
        text = "the harbour was closed at noon because of the storm the port authority said"
        frame = spark.createDataFrame([(text,), (text,), ("another text",)], "text string")
        # Of a run that is forgotten, and a folder that was temporary.
        assert tegula.spark.dedup(spark, frame, progress=False).kept.count() == 2
        with pytest.raises(tegula.DataError, match='the DataFrame.*"body"'):
            tegula.spark.dedup(spark, frame, text_key="body", progress=False)
        with pytest.raises(tegula.UsageError, match="against: expected paths"):
            tegula.spark.dedup(spark, frame, against=frame)
        with pytest.raises(TypeError, match="expected a SparkSession, found str"):
            tegula.spark.dedup("in/", "out/")  # type: ignore[arg-type]
        with pytest.raises(tegula.UsageError, match="not supported on a cluster"):
            tegula.spark.dedup(spark, corpus, tmp_path / "a", recipe="onion")
        with pytest.raises(tegula.DataError, match="expected a string in `text`"):
            tegula.spark.dedup(spark, corpus, tmp_path / "b", split_bytes=1)
        with pytest.raises(tegula.FileError, match="nowhere"):
            tegula.spark.dedup(spark, tmp_path / "nowhere", tmp_path / "c")
        assert not (tmp_path / "b").exists()
    finally:
        spark.stop()

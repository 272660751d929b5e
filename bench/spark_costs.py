"""What recipes cost on Spark, beside the same run on this machine alone.

    python bench/spark_costs.py DATA --recipes copies,exact [--program target/release/tegula] [--master local[2]]

Each recipe runs twice in one session, of which the second is measured: the first compiles the code of its flows. CPU is that of all
processes that the session has started; bytes sent are those that Spark has written to be shuffled. The outputs are compared.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import tegula.spark
from pyspark.sql import SparkSession

TICKS = os.sysconf("SC_CLK_TCK")


def cpu() -> float:
    """Seconds of this process and all below it, and of those that these have waited for."""
    parents: dict[int, list[int]] = {}
    seconds: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
            seconds[int(entry.name)] = sum(map(int, fields[11:15])) / TICKS
    tree = [os.getpid()]
    for process in tree:
        tree += parents.get(process, [])
    return sum(seconds.get(process, 0.0) for process in tree)


def shuffled(spark: SparkSession) -> int:
    """Bytes written to be shuffled since the session began."""
    gateway = spark._sc._gateway
    none = gateway.new_array(gateway.jvm.double, 0), gateway.jvm.java.util.ArrayList()
    stages = spark._jsc.sc().statusStore().stageList(None, False, False, *none)
    return sum(stages.apply(at).shuffleWriteBytes() for at in range(stages.size()))


def same(one: Path, other: Path) -> bool:
    """Whether two folders have the same files, apart from the lists of them, which have times."""
    names = [sorted(path.relative_to(of) for path in of.rglob("*") if path.is_file() and path.name != ".tegula.json") for of in (one, other)]
    return names[0] == names[1] and all(filecmp.cmp(one / name, other / name, shallow=False) for name in names[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, help="a folder of files")
    parser.add_argument("--recipes", default="copies")
    parser.add_argument("--program", type=Path, default=Path("target/release/tegula"))
    parser.add_argument("--master", default="local[2]")
    given = parser.parse_args()
    size = sum(path.stat().st_size for path in given.data.rglob("*") if path.is_file())
    spark = SparkSession.builder.master(given.master).config("spark.log.level", "OFF").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    print(f"{'recipe':16} {'B/B sent':>8} {'CPU, Spark':>10} {'alone':>8} {'time':>8} {'alone':>8}")
    for recipe in given.recipes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            outputs = [Path(folder) / name for name in ("first", "second", "alone")]
            for output in outputs[:2]:
                before = cpu(), shuffled(spark), time.monotonic()
                tegula.spark.dedup(spark, given.data, output, recipe=recipe, progress=False)
                taken = cpu() - before[0], shuffled(spark) - before[1], time.monotonic() - before[2]
            used, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            subprocess.run([given.program, "dedup", "-q", given.data, "-o", f"{outputs[2]}/", "--recipe", recipe], check=True)
            alone, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
            own = alone.ru_utime + alone.ru_stime - used.ru_utime - used.ru_stime
            assert same(outputs[1], outputs[2]), f"{recipe}: other bytes"
            print(f"{recipe:16} {taken[1] / size:8.2f} {taken[0]:8.1f} s {own:6.1f} s {taken[2]:6.1f} s {clock:6.1f} s", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()

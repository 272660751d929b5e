"""What a usual deduplication on Spark removes without proof, beside Tegula on the same session.

    python bench/spark_peer.py TEXTS.jsonl [--master local[2]]

The usual job signs the 5-token shingles of each text with 128 minima, joins texts that share one of 16 bands of 8, and keeps
one text of each connected component. Its removals are then checked: a removal is proved if a text that stays has a resemblance
of 0.75 or more with it, or contains three quarters of its shingles. Tegula's removals are checked the same way, with code that
it does not share.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from pathlib import Path

import numpy
import tegula.spark
import xxhash
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

PERMUTATIONS, BANDS, PRIME = 128, 16, (1 << 61) - 1


def shingles(text: str) -> frozenset[int]:
    tokens = re.findall(r"\w+", text.lower())
    grams = (" ".join(tokens[at : at + 5]) for at in range(max(1, len(tokens) - 4)))
    return frozenset(xxhash.xxh64_intdigest(gram.encode()) >> 32 for gram in grams)


def bands(text: str) -> list[str]:
    draw = numpy.random.default_rng(1)
    a = draw.integers(1, 1 << 30, PERMUTATIONS, dtype=numpy.uint64)
    b = draw.integers(0, 1 << 30, PERMUTATIONS, dtype=numpy.uint64)
    values = numpy.fromiter(shingles(text), dtype=numpy.uint64)
    minima = ((values[:, None] * a + b) % PRIME).min(axis=0)
    return [f"{at}-{xxhash.xxh64_hexdigest(row.tobytes())}" for at, row in enumerate(minima.reshape(BANDS, -1))]


def peer(spark: SparkSession, texts: dict[str, str]) -> set[str]:
    """The ids that it removes."""
    frame = spark.createDataFrame(list(texts.items()), "id string, text string").repartition(4, "id")
    keys = frame.select("id", F.explode(F.udf(bands, "array<string>")("text")).alias("band"))
    buckets = keys.groupBy("band").agg(F.sort_array(F.collect_list("id")).alias("ids")).filter("size(ids) > 1").collect()
    parent = {id: id for id in texts}

    def root(id: str) -> str:
        while parent[id] != id:
            parent[id] = parent[parent[id]]
            id = parent[id]
        return id

    for bucket in buckets:
        first = root(bucket.ids[0])
        for other in bucket.ids[1:]:
            parent[root(other)] = first
    kept: dict[str, str] = {}
    for id in texts:
        kept.setdefault(root(id), id)
    return set(texts) - set(kept.values())


def ours(spark: SparkSession, path: Path) -> set[str]:
    """The ids that Tegula removes."""
    with tempfile.TemporaryDirectory() as folder:
        run = tegula.spark.dedup(spark, path, Path(folder) / "kept.jsonl", run=Path(folder) / "run", progress=False)
        verdicts = run.verdicts
        return {id for id, verdict in zip(verdicts["id"], verdicts["verdict"], strict=True) if verdict == "removed"}


def unproved(texts: dict[str, str], removed: set[str]) -> int:
    """Removals for which no text that stays is proof."""
    sets = {id: shingles(text) for id, text in texts.items()}
    having: dict[int, list[str]] = {}
    for id in texts.keys() - removed:
        for shingle in sets[id]:
            having.setdefault(shingle, []).append(id)
    count = 0
    for id in removed:
        own, shared = sets[id], {}
        for shingle in own:
            for other in having.get(shingle, ()):
                shared[other] = shared.get(other, 0) + 1
        best = max(shared.values(), default=0)
        # Containment is at least resemblance.
        count += 4 * best < 3 * len(own)
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("--master", default="local[2]")
    given = parser.parse_args()
    spark = SparkSession.builder.master(given.master).config("spark.log.level", "OFF").getOrCreate()
    rows = [json.loads(line) for line in given.texts.open(encoding="utf-8")]
    texts = {str(row["id"]): row["text"] for row in rows}
    assert len(texts) == len(rows), "ids repeat"
    for name, removed in (("bands and components", peer(spark, texts)), ("tegula", ours(spark, given.texts))):
        missing = unproved(texts, removed)
        print(f"{name:22} removes {len(removed):7,} of {len(texts):,}; without proof {missing:,} ({100 * missing / max(1, len(removed)):.1f} %)")
    spark.stop()


if __name__ == "__main__":
    main()

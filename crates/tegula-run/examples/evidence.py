"""The evidence of a run in a dataframe: which files lose most, and the pairs just above the threshold.

    tegula dedup news/ -o clean/ --run evidence/ --evidence all
    python evidence.py evidence/
"""

import sys
from pathlib import Path

import polars as pl

run = Path(sys.argv[1])
units = pl.read_parquet(run / "units.parquet")
verdicts = pl.read_parquet(run / "verdicts.parquet")
pairs = pl.read_parquet(run / "pairs.parquet")

by_file = (
    units.join(verdicts.select("unit", "verdict"), on="unit")
    .group_by("file")
    .agg(pl.len().alias("units"), (pl.col("verdict") == "removed").sum().alias("removed"))
    .with_columns((pl.col("removed") / pl.col("units")).alias("share"))
    .sort("share", "file", descending=[True, False])
)
print(by_file.head(10))
print(pairs.sort("score").select("id_a", "id_b", "score").head(10))

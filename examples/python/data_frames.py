"""From a data frame to a data frame, and the evidence as tables.

    python data_frames.py testdata/peps.jsonl
"""

import sys

import polars

import tegula


def main(path: str) -> None:
    frame = polars.read_ndjson(path)
    result = tegula.dedup(frame, keep="newest:date")
    print(f"{len(frame)} texts, {len(result.kept)} kept")

    # Each removal beside the text kept instead, the least similar first.
    verdicts = result.verdicts.to_polars().filter(polars.col("verdict") == "removed").sort("score")
    print(verdicts.select("id", "witness_id", "score").head(3))
    print(result.explain(verdicts["id"][0]))

    # Another threshold needs no other search.
    for threshold in (0.8, 0.9, 0.95):
        print(f"at {threshold}: {len(result.at(threshold).kept)} kept")


if __name__ == "__main__":
    main(sys.argv[1])

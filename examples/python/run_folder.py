"""Queries a run folder with DuckDB: its tables are Parquet files.

    tegula dedup testdata/peps.jsonl --run run/ --evidence all
    python run_folder.py run/
"""

import sys
from pathlib import Path

import duckdb


def main(run: Path) -> None:
    print("The texts with the most versions removed:")
    query = """
        select split_part(id, '@', 1) as text, count(*) as removed, min(score) as lowest
        from read_parquet($verdicts) where verdict = 'removed' group by text order by removed desc, text limit 5
    """
    print(duckdb.execute(query, {"verdicts": str(run / "verdicts.parquet")}).fetchall())

    print("Pairs by tenth of the score:")
    query = "select floor(score * 10) / 10 as score, count(*) from read_parquet($pairs) group by 1 order by 1"
    for score, count in duckdb.execute(query, {"pairs": str(run / "pairs.parquet")}).fetchall():
        print(f"{score:.1f}  {count}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

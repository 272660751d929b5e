#!/usr/bin/env python3
"""Reads public suites of test files with Tegula and with an independent reader, and prints what both find.

    bench/suites/run.py FOLDER [--tegula target/release/tegula] [--only mail] [--list] [--markdown]

FOLDER holds a clone of each suite under its name, such as FOLDER/parquet-testing; suites that are not there have
no rows. Each module of this folder checks the suites of some formats; its first lines say which clones it looks
for and which packages it needs. What differs is in README.md. Ends with 1 if a run panicked or did not end.
"""

import argparse
import importlib
import pathlib
import sys

import program

HERE = pathlib.Path(__file__).parent


def modules(only: list[str]) -> list[str]:
    """The modules that check suites, by name."""
    names = sorted(path.stem for path in HERE.glob("*.py"))
    names = [name for name in names if name not in ("run", "program")]
    return [name for name in names if not only or any(word in name for word in only)]


def table(rows: list[dict[str, object]], markdown: bool) -> str:
    """The rows as a table of aligned columns."""
    columns = ("suite", "what", "ours", "theirs", "note")
    cells = [[str(row.get(column, "")) for column in columns] for row in rows]
    widths = [
        max(len(column), *(len(line[at]) for line in cells)) if cells else len(column)
        for at, column in enumerate(columns)
    ]
    edge = "| " if markdown else ""
    gap = " | " if markdown else "  "
    end = " |" if markdown else ""

    def line(values: list[str]) -> str:
        padded = (value.ljust(width) for value, width in zip(values, widths))
        return (edge + gap.join(padded) + end).rstrip()

    rule = [line(["-" * width for width in widths])] if markdown else []
    return "\n".join([line(list(columns)), *rule, *(line(values) for values in cells)])


def main() -> int:
    """Runs the checks and prints their table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="the folder with the suites")
    parser.add_argument("--tegula", default="target/release/tegula", help="the program")
    parser.add_argument("--only", action="append", default=[], help="modules whose name contains this")
    parser.add_argument("--list", action="store_true", help="print every difference")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    args = parser.parse_args()
    tegula = str(pathlib.Path(args.tegula).resolve()) if "/" in args.tegula else args.tegula
    rows: list[dict[str, object]] = []
    for name in modules(args.only):
        rows += importlib.import_module(name).check(args.folder.resolve(), tegula)
    first = [row | {"note": str(row["note"]).split("; ")[0]} for row in rows]
    print(table(first, args.markdown))
    if args.list:
        for row in rows:
            for note in str(row["note"]).split("; ")[1:]:
                print(f"{row['suite']}, {row['what']}: {note}")
    for broken in program.BROKEN:
        print(broken, file=sys.stderr)
    return int(bool(program.BROKEN))


if __name__ == "__main__":
    sys.exit(main())

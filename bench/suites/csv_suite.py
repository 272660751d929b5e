"""Dialects of CSV of a public test set, and their cells against Python's reader.

`folder/CSVsniffer` is a copy of ws-garcia/CSVsniffer, with dialects that people have found for each file. The detected delimiter and
quote are compared with theirs, and the cells of each row with those that Python's `csv` finds under the detected dialect.
"""

import csv
import io
import json
import pathlib
import tempfile

from program import run

CHARACTERS = {
    "comma": ",", "semicolon": ";", "tab": "\t", "vslash": "|", "space": " ", "colon": ":", "nsign": "#", "eqsign": "=",
    "doublequote": '"', "singlequote": "'", "backslash": "\\",
}
SETS = (
    ("CSV", "CSV", "CCSV-all_test_files.txt"),
    ("curated", "CSV_Wrangling/data/github/Curated files", "CSV_Wrangling/data/github/Manual_Dialect_Annotation.txt"),
)
MARKS = ("duplicate_of", "duplicate_score", "cluster_id")


def annotated(folder: pathlib.Path, files: str, list_of: str) -> dict[pathlib.Path, dict]:
    """The files of a set with their dialects."""
    lines = (folder / list_of).read_text("utf-8", errors="replace").splitlines()
    rows = csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="|")
    by_name = {row["file_name"]: row for row in rows}
    found = sorted((folder / files).iterdir())
    return {file: by_name[file.name] for file in found if file.name in by_name}


def dialect_of(tegula: str, file: pathlib.Path, scratch: str) -> dict | str:
    """The detected dialect, or how the program ended."""
    ended = run(tegula, "plan", file, "--format", "csv", "--text-key", "1", "--on-bad-record", "skip", "--json", cwd=scratch)
    if ended.code != 0:
        return ended.first_line()
    plan = json.loads(ended.out)
    return plan["files"][0] | plan["files"][0]["dialect"]


def rows_of(tegula: str, file: pathlib.Path, scratch: str, dialect: dict) -> list[list[str]] | str:
    """The cells of all rows, from a conversion; or how the program ended."""
    output = pathlib.Path(scratch) / "out.jsonl"
    reading = ["--format", "csv", "--text-key", "1", "--recipe", "exact", "--on-bad-record", "skip"]
    ended = run(tegula, "mark", file, "-o", output, "--overwrite", "-q", *reading, cwd=scratch)
    if ended.code != 0:
        return ended.first_line()
    records = [json.loads(line) for line in output.read_text("utf-8").split("\n") if line]
    return [[value for key, value in record.items() if key not in MARKS] for record in records]


def python_rows(file: pathlib.Path, dialect: dict) -> list[list[str]]:
    """The rows that Python finds under the same dialect, as long as the first."""
    text = file.read_bytes().decode(dialect["encoding"], errors="replace").removeprefix("\ufeff")
    quote = dialect["quote"]
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=dialect["delimiter"],
        quotechar=quote,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        escapechar=dialect.get("escape"),
    )
    rows = [row for row in reader if row]
    width = len(dialect["columns"])
    return [row for row in rows[int(dialect["header"]):] if len(row) == width]


def check(folder: pathlib.Path, tegula: str) -> list[dict]:
    """Counts for each set, and a row for each file on which somebody differs."""
    csv.field_size_limit(1 << 30)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, files, list_of in SETS:
            if not (folder / "CSVsniffer" / list_of).exists():
                continue
            counts = {"files": 0, "dialects": 0, "cells": 0}
            others = []
            for file, known in annotated(folder / "CSVsniffer", files, list_of).items():
                counts["files"] += 1
                found = dialect_of(tegula, file, scratch)
                delimiter = CHARACTERS.get(known["fields_delimiter"], known["fields_delimiter"])
                if isinstance(found, str):
                    others.append(row(name, file.name, found, repr(delimiter), "dialect"))
                    continue
                if found["delimiter"] == delimiter:
                    counts["dialects"] += 1
                else:
                    others.append(row(name, file.name, repr(found["delimiter"]), repr(delimiter), "dialect"))
                ours = rows_of(tegula, file, scratch, found)
                try:
                    theirs = python_rows(file, found)
                except csv.Error as error:
                    theirs = str(error)
                if ours == theirs:
                    counts["cells"] += 1
                else:
                    others.append(row(name, file.name, shown(ours), shown(theirs), "cells"))
            rows.append(row(name, "delimiters", counts["dialects"], counts["files"], "as annotated"))
            rows.append(row(name, "cells", counts["cells"], counts["files"], "as Python reads them"))
            rows += others
    return rows


def shown(rows: list[list[str]] | str) -> object:
    return len(rows) if isinstance(rows, list) else rows


def row(suite: str, what: str, ours: object, theirs: object, note: str) -> dict:
    return {"suite": f"CSVsniffer {suite}", "what": what, "ours": ours, "theirs": theirs, "note": note}

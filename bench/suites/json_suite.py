"""JSON of a public test suite against Python's reader.

`folder/JSONTestSuite` is a copy of nst/JSONTestSuite. Each of its files is put into a record as the value of a field that is not
read; the record must be accepted or refused as Python's `json` does, and no file may end the program in another way.
"""

import json
import pathlib
import tempfile

from program import run

# Bytes by which a record surrounds a value.
BEFORE, AFTER = b'{"text": "words of a text", "value": ', b"}\n"


def ours(tegula: str, file: pathlib.Path) -> str:
    """How a run on a file ends: accepted, refused, or what went wrong."""
    output = file.with_name("out.json")
    ended = run(tegula, "dedup", file, "-o", output, "--overwrite", "-q", cwd=file.parent)
    if ended.code == 0:
        return "accepted" if output.read_bytes() == file.read_bytes() else "changed"
    return "refused" if ended.code == 2 and "record 1" in ended.said else ended.first_line()


def theirs(content: bytes) -> str:
    """Whether Python accepts a record."""
    try:
        json.loads(content.decode("utf-8"))
    except RecursionError:
        return "too deep"
    except ValueError:
        return "refused"
    return "accepted"


def check(folder: pathlib.Path, tegula: str) -> list[dict]:
    """One row for the suite, and one for each file on which the readers differ."""
    files = sorted((folder / "JSONTestSuite").glob("test_*/*.json"))
    if not files:
        return []
    rows, counts = [], {"ours": 0, "theirs": 0}
    with tempfile.TemporaryDirectory() as scratch:
        for file in files:
            content = BEFORE + file.read_bytes() + AFTER
            copy = pathlib.Path(scratch) / "in.json"
            copy.write_bytes(content)
            found, expected = ours(tegula, copy), theirs(content)
            counts["ours"] += found == "accepted"
            counts["theirs"] += expected == "accepted"
            if found != expected and not (expected == "too deep" and found in ("accepted", "refused")):
                rows.append(row(file.name, found, expected, "differs"))
    note = f"{len(files)} files, {len(rows)} differ"
    return [row("values accepted", counts["ours"], counts["theirs"], note), *rows]


def row(what: str, ours: object, theirs: object, note: str) -> dict:
    return {"suite": "JSONTestSuite", "what": what, "ours": ours, "theirs": theirs, "note": note}

"""Parquet files of a public test suite: what tegula reads and writes of each text column beside what pyarrow reads.

FOLDER has `parquet-testing` (github.com/apache/parquet-testing). Every column of strings or bytes is the text once: rows and values are compared with pyarrow's, and then all other
columns of the file that is written back. Files that pyarrow cannot read only have to end without a panic or
a hang. Needs pyarrow.
"""

import json
import pathlib
import tempfile

from program import run


def columns(schema):
    """The names of the columns that can hold texts: strings and bytes, in structs too."""
    import pyarrow.types as types

    def fits(kind):
        if types.is_dictionary(kind):
            return fits(kind.value_type)
        return any(
            test(kind)
            for test in (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary, types.is_string_view, types.is_binary_view)
        )

    for field in schema:
        if fits(field.type):
            yield [field.name]
        elif types.is_struct(field.type):
            yield from ([field.name, inner.name] for inner in field.type if fits(inner.type))


def texts(table, path):
    """The texts of a column, None where it is null or not UTF-8."""
    import pyarrow.compute as compute

    column = table.column(path[0])
    if len(path) > 1:
        column = compute.struct_field(column, path[1])
    for value in column.to_pylist():
        if isinstance(value, bytes):
            try:
                value = value.decode()
            except UnicodeDecodeError:
                value = None
        yield value


def key(path):
    return path[0] if len(path) == 1 and not path[0].startswith("/") else "/" + "/".join(name.replace("~", "~0").replace("/", "~1") for name in path)


def of_column(tegula, file, table, path, folder):
    """What differs for one column, in words; empty if nothing does."""
    import pyarrow.parquet as parquet

    expected = list(texts(table, path))
    kept = [row for row, text in enumerate(expected) if text is not None]
    reading = ["--text-key", key(path), "--recipe", "exact", "--on-bad-record", "skip"]
    lines, written = folder / "out.jsonl", folder / "out.parquet"
    for output in (lines, written):
        output.unlink(missing_ok=True)
    ended = run(tegula, "mark", file, "-o", lines, *reading)
    if ended.code in ("panic", "hang"):
        return str(ended.code)
    if not kept:
        return "" if ended.code == 2 else f"exit code {ended.code} without any text"
    if ended.code != 0:
        return ended.first_line()
    found = []
    for line in lines.read_text().splitlines():
        value = json.loads(line)
        for name in path:
            value = value[name]
        found.append(value)
    wanted = [expected[row] for row in kept]
    if found != wanted and len(path) == 1:
        wrong = next((n for n, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1]), min(len(found), len(wanted)))
        return f"{len(found)} texts of {len(wanted)}, other from {wrong} on"
    if len(found) != len(wanted):
        return f"{len(found)} texts of {len(wanted)}"
    ended = run(tegula, "mark", file, "-o", written, *reading)
    if ended.code != 0:
        return f"written back: {ended.first_line()}"
    again = parquet.read_table(written).select(table.column_names)
    if not again.schema.equals(table.schema):
        return "written back with another schema"
    if shown(again) != shown(table.take(kept)):
        return "written back with other values"
    return ""


def shown(table):
    """The values of a table in words, as a NaN differs from itself."""
    try:
        return repr(table.to_pylist())
    except ValueError:
        # Python has no nanoseconds.
        whole = (column.combine_chunks() for column in table.columns)
        return "".join(column.to_string(window=1 << 20, container_window=1 << 20) for column in whole)


def check(folder, tegula):
    """A row for each part of the suite, with the differences as notes."""
    import pyarrow
    import pyarrow.parquet as parquet

    rows = []
    suite = folder / "parquet-testing"
    for part in ("data", "bad_data", "variant", "shredded_variant"):
        files = sorted((suite / part).rglob("*.parquet"))
        read, equal, unread, notes = 0, 0, 0, []
        with tempfile.TemporaryDirectory() as scratch:
            for file in files:
                try:
                    table = parquet.read_table(file, page_checksum_verification=True)
                    named = list(columns(table.schema))
                except Exception as error:
                    table, named = None, [["text"]]
                    unread += 1
                    why = str(error).splitlines()[0][:80] if str(error) else type(error).__name__
                for path in named:
                    if table is None:
                        code = run(tegula, "mark", file, "-o", pathlib.Path(scratch) / "o.jsonl", "--recipe", "exact").code
                        if code in ("panic", "hang", 0):
                            notes.append(f"{file.name}: {code}; pyarrow: {why}")
                        continue
                    read += 1
                    try:
                        different = of_column(tegula, file, table, path, pathlib.Path(scratch))
                    except (pyarrow.ArrowException, ValueError, KeyError, TypeError) as error:
                        different = f"{type(error).__name__}: {error}"
                    if different:
                        notes.append(f"{file.name}, {key(path)}: {different}")
                    else:
                        equal += 1
        if files:
            note = f"{len(files)} files, {unread} of them unreadable for pyarrow"
            rows.append({"suite": "parquet-testing", "what": f"{part}: text columns read and written back as pyarrow reads them", "ours": equal, "theirs": read, "note": "; ".join([note, *(one.replace("; ", ", ") for one in notes)])})
    return rows

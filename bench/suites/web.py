"""Web archives of public test suites against warcio.

Every `.warc` and `.warc.gz` below `folder/warcio` (webrecorder/warcio) and `folder/jwarc` (iipc/jwarc) is read; the records that are
compared and those that are passed over must be as many as warcio finds, and the output must hold the same records. Needs warcio.
"""

import gzip
import json
import pathlib
import tempfile

from program import run

TEXTS = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown")
SUITES = ("warcio", "jwarc")


def ours(tegula: str, file: pathlib.Path, scratch: pathlib.Path) -> tuple[object, object, bytes]:
    """Records compared and passed over, and the output; or how the run ended."""
    output = scratch / ("out" + "".join(file.suffixes[-2:]))
    reading = ["--format", "warc", "--on-bad-record", "skip"]
    ended = run(tegula, "mark", file, "-o", output, "--overwrite", "--json", *reading, cwd=scratch)
    if ended.code != 0:
        return ended.first_line(), "", b""
    counts = json.loads(ended.out)
    over = sum(counts["passed_over"].get("warc", {}).values())
    return counts["records"], over, output.read_bytes()


def is_text(record) -> bool:
    """Whether a record is a page or a text by its header."""
    if record.rec_type == "response" and record.http_headers:
        status = record.http_headers.get_statuscode() or ""
        kind = record.http_headers.get_header("Content-Type")
        if kind is None:
            head = record.content_stream().read(512).lstrip().lower()
            return status.startswith("2") and head.startswith((b"<!doctype html", b"<html"))
        return status.startswith("2") and kind.split(";")[0].strip().lower() in TEXTS
    if record.rec_type in ("resource", "conversion"):
        kind = record.rec_headers.get_header("Content-Type") or "text/plain"
        return kind.split(";")[0].strip().lower() in TEXTS
    return False


def theirs(file: pathlib.Path) -> tuple[object, object]:
    """Records that are pages or texts, and others, as warcio reads them."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    texts = others = 0
    try:
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if is_text(record):
                    texts += 1
                else:
                    others += 1
    except (ArchiveLoadFailed, EOFError, OSError, ValueError) as error:
        return f"{type(error).__name__}", f"after {texts + others} records"
    return texts, others


def check(folder: pathlib.Path, tegula: str) -> list[dict]:
    """A row for each archive."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for suite in SUITES:
            files = sorted((folder / suite).rglob("*.warc")) + sorted((folder / suite).rglob("*.warc.gz"))
            for file in files:
                texts, others, output = ours(tegula, file, pathlib.Path(scratch))
                expected = theirs(file)
                note = "" if (texts, others) == expected else "differs"
                if output and unpacked(output) != unpacked(file.read_bytes()):
                    note += " output changed"
                row = {"suite": suite, "what": file.name, "ours": f"{texts}, {others}", "theirs": "{}, {}".format(*expected)}
                rows.append(row | {"note": note.strip()})
    return rows


def unpacked(content: bytes) -> bytes | None:
    """The content without compression; none if it is damaged."""
    try:
        return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    except (EOFError, OSError):
        return None

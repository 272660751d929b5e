"""What text that many documents share counts for: a licence, the frame of a site, a statute's formula.

    python bench/quality/boilerplate.py --corpora DIR --tegula target/release/tegula

Short texts, mostly boilerplate: the last 3,000 words of books, which end in a licence; whole pages, two of a site at most; laws of at most 250
words. Two books are of one work if they share three tenths of one of them; pages are all different; laws have groups. For each recipe and
threshold: the mean, over the texts, of the highest score with a text of another work; pairs at the threshold, and removals, with those
of different works. Prints Markdown.
"""

import argparse
import csv
import gzip
import html
import json
import re
import tempfile
from pathlib import Path

from measured import run
from sets import write_records, zstd_lines

RECIPES = [("ssr", "0.8"), ("sscr-containment", "0.8"), ("copies", "0.75"), ("revisions", "0.2"), ("revisions", "0.3"), ("revisions", "0.45")]
LOWEST = "0.01"
ENDING, SHORT = 3000, 250


def books(corpora):
    """Endings of books, and which of them are of one work."""
    folder = corpora / "gutenberg"
    docs = [json.loads(line) for line in zstd_lines(folder / "docs.jsonl.zst")]
    rows = csv.DictReader(zstd_lines(folder / "pairs.tsv.zst"), delimiter="\t", quoting=csv.QUOTE_NONE)
    one = {frozenset((row["id1"], row["id2"])) for row in rows if int(row["common"]) >= 0.3 * min(int(row["n1"]), int(row["n2"]))}
    records = [{"id": doc["id"], "text": " ".join(doc["text"].split()[-ENDING:])} for doc in docs]
    return records, lambda a, b: frozenset((a, b)) in one


def pages(corpora):
    """Texts of whole pages."""
    records = []
    for path in sorted((corpora / "web-pages" / "html").iterdir()):
        text = gzip.decompress(path.read_bytes()).decode("utf-8", errors="replace")
        text = re.sub(r"(?is)<(script|style|noscript)\b.*?</\1>|<!--.*?-->|<[^>]*>", " ", text)
        records.append({"id": path.name, "text": " ".join(html.unescape(text).split())})
    return records, lambda a, b: False


def laws(corpora, name):
    """Short laws; versions of one are of one work."""
    docs = [json.loads(line) for line in zstd_lines(corpora / name / "docs.jsonl.zst")]
    docs = [doc for doc in docs if len(doc["text"].split()) <= SHORT]
    groups = {doc["id"]: doc["group"] for doc in docs}
    return [{"id": doc["id"], "text": doc["text"]} for doc in docs], lambda a, b: groups[a] == groups[b]


def listed(path):
    with open(path, encoding="utf-8", newline="\n") as lines:
        return [(row["id_a"], row["id_b"], float(row["score"])) for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def tegula(args, *command):
    took = run([args.tegula, *command, "-q", "--progress", "none"], args.seconds)
    if took["failed"]:
        raise SystemExit(f"{command}: {took['failed']}")


def row(args, recipe, threshold, records, is_one, folder):
    docs, pairs, kept, removed = (folder / name for name in ("docs.jsonl", "pairs.tsv", "kept.jsonl", "removed.jsonl"))
    write_records(docs, records)
    for old in (pairs, removed):
        old.unlink(missing_ok=True)
    tegula(args, "pairs", docs, "--recipe", recipe, "--threshold", LOWEST, "--expand", "-o", pairs)
    tegula(args, "dedup", docs, "--recipe", recipe, "--threshold", threshold, "-o", kept, "--removed", removed)
    best, at, wrong, least = dict.fromkeys((record["id"] for record in records), 0.0), 0, 0, float(threshold)
    for a, b, score in listed(pairs):
        one = is_one(a, b)
        at += score >= least
        wrong += score >= least and not one
        for text in (a, b) if not one else ():
            best[text] = max(best[text], score)
    gone = [json.loads(line) for line in open(removed, encoding="utf-8", newline="\n")]
    lost = sum(not is_one(record["id"], record["duplicate_of"]) for record in gone)
    return f"{sum(best.values()) / len(best):.3f} | {at} ({wrong}) | {len(gone)} ({lost})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--tegula", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=600)
    args = parser.parse_args()
    sets = {
        "gutenberg, last 3,000 words": books(args.corpora),
        "web-pages, whole": pages(args.corpora),
        "laws-de, short": laws(args.corpora, "laws-de"),
        "laws-sk, short": laws(args.corpora, "laws-sk"),
    }
    print("| texts | recipe, threshold | nearest of another work | pairs (of different works) | removed (wrongly) |\n| --- | --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for name, (records, is_one) in sets.items():
            for recipe, threshold in RECIPES:
                cells = row(args, recipe, threshold, records, is_one, Path(folder))
                print(f"| {name}: {len(records)} | `{recipe}`, {threshold} | {cells} |", flush=True)


if __name__ == "__main__":
    main()

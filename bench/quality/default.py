"""Which recipe and threshold should be the default: candidates on one half of the labelled sets.

    python bench/quality/default.py --corpora DIR --tegula target/release/tegula --half a
    python bench/quality/default.py --corpora DIR --tegula target/release/tegula --half b

Each candidate runs over a whole set, and its removals are judged: a removal is right if the text kept instead is of the same
group, and all texts of a group but one may be removed. A removal belongs to the half of the removed text, and a group to a half by a hash
of its name, so that halves share no group. Candidates are chosen by half a alone. Prints Markdown: F1, and the precision in brackets.
"""

import argparse
import hashlib
import json
import sys
from collections import Counter
from pathlib import Path

from measured import Kept, digest, run
from sets import APART, all_sets

THRESHOLDS = ["0.6", "0.65", "0.7", "0.75", "0.8", "0.85", "0.9"]
CANDIDATES = [("ssr-containment", t) for t in THRESHOLDS] + [(name, "0.8") for name in ("sscr-containment", "sscr", "ssr")]
CANDIDATES += [("revisions", t) for t in ("0.45", "0.5", "0.55")]
# What is judged by provenance or by groups.
VIEWS = ("provenance", "groups")


def half_of(group):
    return "ab"[hashlib.sha256(str(group).encode()).digest()[0] & 1]


def groups_of(docs):
    """The group of each document; one without stands alone."""
    with open(docs, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return {record["id"]: record.get("group", record["id"]) for record in records}


def removals(args, set_, recipe, threshold):
    """What a candidate removes: each id with that of the text kept instead."""
    out, removed = (args.cache / "work" / f"default.{name}.jsonl" for name in ("kept", "removed"))
    removed.unlink(missing_ok=True)
    command = [args.tegula, "dedup", set_.docs, "--recipe", recipe, "--threshold", threshold, "-o", out, "--removed", removed]
    took = run([*command, "-q", "--progress", "none"], args.seconds)
    if took["failed"]:
        sys.exit(f"{set_.name}, {recipe}: {took['failed']}")
    with open(removed, encoding="utf-8") as lines:
        return [[record["id"], record["duplicate_of"]] for record in map(json.loads, lines)]


def scores(groups, pairs, half):
    """Precision and F1 of the removals of a half."""
    mine = [(removed, kept) for removed, kept in pairs if half_of(groups[removed]) == half]
    right = sum(groups[removed] == groups[kept] for removed, kept in mine)
    sizes = Counter(group for group in groups.values() if half_of(group) == half)
    removable = sum(size - 1 for size in sizes.values())
    return right / max(len(mine), 1), 2 * right / max(len(mine) + removable, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--tegula", type=Path, required=True)
    parser.add_argument("--half", choices=["a", "b"], required=True)
    parser.add_argument("--cache", type=Path, default=Path("target/quality"))
    parser.add_argument("--seconds", type=int, default=600)
    args = parser.parse_args()
    (args.cache / "work").mkdir(parents=True, exist_ok=True)
    kept, program = Kept(args.cache / "cells"), digest(args.tegula)
    sets = [set_ for set_ in all_sets(args.corpora, args.cache) if any(view.name in VIEWS for view in set_.views)]
    groups = {set_.name: groups_of(set_.docs) for set_ in sets}
    print("| recipe, threshold | " + " | ".join(set_.name for set_ in sets) + " | mean F1 of texts | lowest P of texts |")
    print("| --- |" + " ---: |" * (len(sets) + 2))
    for recipe, threshold in CANDIDATES:
        found = []
        for set_ in sets:
            made = digest("removals", set_.docs, program, recipe, threshold)
            pairs = kept.get(made, lambda: removals(args, set_, recipe, threshold))
            found.append((set_, *scores(groups[set_.name], pairs, args.half)))
        cells = [f"{f1:.3f} ({precision:.3f})" for _, precision, f1 in found]
        texts = [(set_.name, precision, f1) for set_, precision, f1 in found if set_.kind == "texts"]
        mean = sum(f1 for *_, f1 in texts) / len(texts)
        lowest = min(precision for name, precision, _ in texts if name != APART)
        print(f"| `{recipe}`, {threshold} | " + " | ".join(cells) + f" | {mean:.3f} | {lowest:.3f} |", flush=True)


if __name__ == "__main__":
    main()

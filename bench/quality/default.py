"""Which recipe and threshold should be the default: candidates on half a of the labelled sets, and the figures of half b.

    python bench/quality/default.py --corpora DIR --tegula target/release/tegula --half a
    python bench/quality/default.py --corpora DIR --tegula target/release/tegula --half b

A half holds all documents of its groups; `tegula evaluate --half` chooses it by a hash of the group's first id. Candidates are chosen by
half a alone. Prints a table in Markdown: F1 by pair, and the precision below it.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from measured import Kept, digest, run
from sets import all_sets

# The recipe, the lowest threshold that is searched, and the thresholds at which it is judged.
CANDIDATES = [
    ("ssr-containment", "0.6", ["0.6", "0.65", "0.7", "0.75", "0.8", "0.85", "0.9"]),
    ("sscr-containment", "0.8", ["0.8"]),
    ("sscr", "0.8", ["0.8"]),
    ("ssr", "0.8", ["0.8"]),
]
# What is judged by provenance or by groups. The listings by text are resemblances, which is the definition of one of the candidates.
VIEWS = ("provenance", "groups")
# The services share texts, so that provenance calls many true copies wrong.
APART = "terms"


def figures(args, kept, set_, view, recipe, floor, threshold):
    """Precision, recall and F1 by pair of a candidate on a half."""
    out = args.cache / "work" / f"default.{set_.name}.{recipe}.parquet"
    made = digest(set_.docs, args.tegula, recipe, floor)
    command = [args.tegula, "pairs", set_.docs, "--recipe", recipe, "--threshold", floor, "--expand", "-o", out, "-q"]

    def judged():
        took = run([*command, "--progress", "none"], args.seconds) if not out.exists() else {"failed": None}
        if took["failed"]:
            sys.exit(f"{set_.name}, {recipe}: {took['failed']}")
        judge = [args.tegula, "evaluate", view.gold, out, *view.options, "--threshold", threshold, "--half", args.half]
        done = subprocess.run([str(part) for part in [*judge, "--form", "json"]], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["pairs"]

    return kept.get(digest("default", made, view.gold, threshold, args.half), judged)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--tegula", type=Path, required=True)
    parser.add_argument("--half", choices=["a", "b"], required=True)
    parser.add_argument("--cache", type=Path, default=Path("target/quality"))
    parser.add_argument("--seconds", type=int, default=600)
    args = parser.parse_args()
    (args.cache / "work").mkdir(parents=True, exist_ok=True)
    kept = Kept(args.cache / "cells")
    views = [(set_, view) for set_ in all_sets(args.corpora, args.cache) for view in set_.views if view.name in VIEWS]
    print("| recipe, threshold | " + " | ".join(set_.name for set_, _ in views) + " | mean F1 | lowest P |")
    print("| --- |" + " ---: |" * (len(views) + 2))
    for recipe, floor, thresholds in CANDIDATES:
        for threshold in thresholds:
            found = [(set_, figures(args, kept, set_, view, recipe, floor, threshold)) for set_, view in views]
            cells = [f"{one['f1']:.3f} ({one['precision']:.3f})" for _, one in found]
            texts = [one for set_, one in found if set_.kind == "texts"]
            mean = sum(one["f1"] for one in texts) / len(texts)
            lowest = min(one["precision"] for set_, one in found if set_.kind == "texts" and set_.name != APART)
            print(f"| {recipe}, {threshold} | " + " | ".join(cells) + f" | {mean:.3f} | {lowest:.3f} |", flush=True)


if __name__ == "__main__":
    main()

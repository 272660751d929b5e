#!/usr/bin/env python3
"""Hold one build against another: the same pairs and the same files, byte for byte.

    bench/differential.py OLD NEW INPUT... [--recipes ssr:0.4,sscr:0.5,...] [--units document,paragraph] [--options "..."]

For each input, recipe and unit, both programs write the table of pairs (`pairs --expand`) and the collection without
copies (`dedup`); both must succeed, and the files must be equal. Prints a line for each comparison, and exits 1
if any differ. Inputs are files as the programs read them.
"""

import argparse
import filecmp
import itertools
import os
import shlex
import subprocess
import sys
import tempfile

RECIPES = (
    "copies:0.75,ssr:0.4,sscr:0.5,ssr-containment:0.5,sscr-containment:0.6,revisions:0.45,cosine:0.8,"
    "messages:0.6,sketch:0.8,simhash:,i-match:,plain:,exact:"
)


def run(program, arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
    return done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--recipes", default=RECIPES, help="NAME:THRESHOLD, no threshold for its own")
    parser.add_argument("--units", default="document")
    parser.add_argument("--options", default="", help="further options of both commands")
    asked = parser.parse_args()
    programs = {"old": os.path.abspath(asked.old), "new": os.path.abspath(asked.new)}
    options = shlex.split(asked.options)
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        for path, recipe, unit in itertools.product(asked.inputs, asked.recipes.split(","), asked.units.split(",")):
            name, _, threshold = recipe.partition(":")
            method = ["--recipe", name, "--unit", unit, "--quiet", *options]
            if threshold:
                method += ["--threshold", threshold]
            ends = {}
            for which, program in programs.items():
                table, kept = (os.path.join(folder, f"{which}.{end}") for end in ("tsv", "jsonl"))
                for there in (table, kept):
                    if os.path.exists(there):
                        os.remove(there)
                ends[which] = [
                    run(program, ["pairs", path, "-o", table, "--expand", *method]),
                    run(program, ["dedup", path, "-o", kept, *method]),
                ]
            # What both refuse is no agreement.
            same = ends["old"] == ends["new"] == [0, 0] and all(
                filecmp.cmp(os.path.join(folder, f"old.{end}"), os.path.join(folder, f"new.{end}"), False)
                for end in ("tsv", "jsonl")
            )
            differ += not same
            pairs = 0
            if ends["old"][0] == 0:
                with open(os.path.join(folder, "old.tsv"), encoding="utf-8") as table:
                    pairs = sum(1 for _ in table) - 1
            print(f"{'same' if same else 'DIFFERENT'}\t{name}\t{unit}\t{pairs} pairs\texit {ends['old']}\t{path}", flush=True)
    print(f"{differ} differ")
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()

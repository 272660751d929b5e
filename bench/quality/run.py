"""Every recipe on every labelled set, beside other tools: two pages, made by one command.

    python bench/quality/run.py --corpora DIR --tegula target/release/tegula --peers PYTHON

Writes docs/quality.md (summary.md with its tables) and bench/quality/results.md (notes.md with all tables).

Each method runs twice on each set: unchanged, to measure its time and memory, and down to a low threshold (`floor` in recipes.toml), from
which the best one is sought; a peer does so with each kind of shingle that may suit the set (`features` in sets.py). All results, ours and
others', are judged by `tegula evaluate`: at the default, and with the threshold of the best F1 on one half of the groups, reported on the
other half. Recipe and peer, and the shingle, are chosen on that one half, too; the best recipe and the best peer are then cut at their
thresholds and judged side by side, for the intervals of both and of the difference. Last, each recipe and peer gets one shingle and one
threshold for all sets of versions. Results are kept in the cache by set, recipe and program, so that a line that is added costs only its
own runs.

Peers need a Python with those of bench/peers/requirements.txt: --peers PYTHON. Without it they are skipped.
"""

import argparse
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import table
from measured import Kept, digest, run
from sets import all_sets

HERE = Path(__file__).resolve().parent
PEER = HERE.parent / "peers" / "pairs.py"
PEERS = ["gaoya", "datasketch", "rensa", "simhash", "text-dedup", "datatrove"]


class Harness:
    """What it takes to fill a cell of the table."""

    def __init__(self, args, cache):
        self.args = args
        self.kept = Kept(cache / "cells")
        self.work = cache / "work"
        self.work.mkdir(exist_ok=True)
        self.program = digest(args.tegula)
        self.judge = args.judge or args.tegula
        self.judged_by = digest(self.judge)
        # What it says of itself may change.
        self.peers = digest(PEER.read_text(encoding="utf-8").split('"""', 2)[2])

    def cell(self, set_, name, key, command_at, suffix):
        """Runs a method at its default and at its floor, and judges both by every view."""

        print(f"{set_.name}: {name}", file=sys.stderr, flush=True)
        made = digest(set_.docs, key)
        result = {"made": made}
        for mode in ("default", "low"):
            out = self.work / f"{set_.name}.{made}.{mode}{suffix}"
            command = command_at(mode, out)
            if command is None:
                continue
            took = self.kept.get(f"{made}.{mode}", lambda: run(command, self.args.seconds))
            views = {}
            for view in [] if took["failed"] else set_.views:
                asked = digest(made, mode, self.judged_by, view.gold, *view.options)
                views[view.name] = self.kept.get(asked, lambda: self.judged(view, out, mode))
            result[mode] = {"took": took, "views": views, "out": out}
        return result

    def judged(self, view, out, mode):
        command = [str(self.judge), "evaluate", str(view.gold), str(out), *view.options, "--form", "json"]
        if mode == "low":
            command += ["--tune"] if view.tuned else ["--sweep"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return {"failed": done.stderr.strip().splitlines()[0]}
        found = json.loads(done.stdout)
        if "sweep" in found:
            found["sweep"] = {"best": found["sweep"]["best"]}
        return found

    def lead(self, view, ours, theirs):
        """How the best recipe and the best peer do on half b, each at the threshold chosen for it, and the difference."""
        rows = [theirs, ours]
        thresholds = [table.of(row, "low", view)["tuned"]["chosen"]["threshold"] for row in rows]

        def judged():
            cuts = [self.work / f"cut.{side}.tsv" for side in ("peer", "recipe")]
            for row, threshold, cut in zip(rows, thresholds, cuts):
                row.cell["cut"](threshold, cut)
            command = [str(self.judge), "evaluate", str(view.gold), *map(str, cuts), *view.options, "--half", "b", "--form", "json"]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            found = json.loads(done.stdout)
            for row, result in zip(rows, found["results"]):
                if abs(result["pairs"]["f1"] - table.best_f1(row, view)) > 1e-9:
                    raise ValueError(f"{row.name}: cut at its threshold, its F1 is another: {result['pairs']['f1']}")
            return found

        made = [row.cell["made"] for row in rows]
        return self.kept.get(digest("lead", *made, *thresholds, self.judged_by, view.gold, *view.options), judged)

    def curve(self, view, row):
        """Precision and F1 on half a at hundredths from the lowest threshold."""

        def judged():
            points = self.half("a", view, row, "--sweep")["sweep"]["points"]
            points = sorted((point["threshold"], point["precision"], point["f1"]) for point in points)
            found = {}
            for step in range(round(100 * points[0][0]), 100):
                reached = next((point for point in points if point[0] >= step / 100 - 1e-9), None)
                found |= {f"{step / 100:.2f}": reached[1:]} if reached else {}
            return found

        return self.kept.get(digest("curve", row.cell["made"], self.judged_by, view.gold), judged)

    def at(self, view, row, threshold):
        """How a row does on half b at a threshold, with intervals."""
        key = digest("at", row.cell["made"], threshold, self.judged_by, view.gold)
        return self.kept.get(key, lambda: self.half("b", view, row, "--threshold", threshold))

    def half(self, half, view, row, *options):
        command = [self.judge, "evaluate", view.gold, row.cell["low"]["out"], *view.options, "--half", half, *options, "--form", "json"]
        return json.loads(subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout)

    def recipe(self, set_, recipe):
        def command(mode, out, threshold=None):
            if mode == "low" and "floor" not in recipe:
                return None
            verb = recipe.get("verb", "pairs")
            base = [self.args.tegula, verb, set_.docs, *recipe["args"], "-q", "--progress", "none"]
            base += ["--threshold", threshold or recipe["floor"]] if mode == "low" else []
            # What knows no pairs is judged by its verdicts.
            return [*base, "-o", out, "--expand"] if verb == "pairs" else [*base, "-o", self.work / "marked.jsonl", "--run", out]

        def cut(threshold, out):
            # A threshold may have six digits: rounded down, so that it lets in what has the score itself.
            threshold = f"{int(threshold * 1e6) / 1e6:.6f}"
            subprocess.run([str(part) for part in command("low", out, threshold)], check=True)

        suffix = ".parquet" if recipe.get("verb", "pairs") == "pairs" else ".run"
        key = f"{self.program} {[recipe.get(part) for part in ('verb', 'args', 'floor')]}"
        return self.cell(set_, recipe["name"], key, command, suffix) | {"cut": cut}

    def peer(self, set_, peer, kind):
        def command(mode, out):
            return [self.args.peers, PEER, peer, set_.docs, out, "--features", kind, "--threshold", mode]

        def cut(threshold, out):
            listed = self.work / f"{set_.name}.{cell['made']}.low.tsv"
            head, *lines = listed.read_text(encoding="utf-8").splitlines()
            out.write_text("\n".join([head, *(line for line in lines if float(line.split("\t")[2]) >= threshold)]) + "\n", encoding="utf-8")

        cell = self.cell(set_, f"{peer}, {kind}", f"{peer} {self.peers} {kind}", command, ".tsv")
        return cell | {"cut": cut}


def known_recipes(tegula):
    """The names of the recipes that the program has."""
    done = subprocess.run([str(tegula), "recipes", "--json"], capture_output=True, text=True, check=True)
    return {"auto"} | {recipe["fields"]["recipe"] for recipe in json.loads(done.stdout) if "fields" in recipe}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--tegula", type=Path, required=True, help="the program that is measured")
    parser.add_argument("--judge", type=Path, help="the program that judges, if it is another")
    parser.add_argument("--cache", type=Path, default=Path("target/quality"))
    parser.add_argument("--peers", help="a Python that has the peers")
    parser.add_argument("--only", action="append", help="only this set; may be repeated")
    parser.add_argument("--peer", action="append", choices=PEERS, help="only this peer; may be repeated")
    parser.add_argument("--seconds", type=int, default=300, help="after which a run is stopped")
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    harness = Harness(args, args.cache)
    known = known_recipes(args.tegula)
    recipes = []
    for recipe in tomllib.loads((HERE / "recipes.toml").read_text(encoding="utf-8"))["recipe"]:
        if recipe["args"][1] in known:
            recipes.append(recipe)
        else:
            print(f"skipped, as {args.tegula} does not know it: {recipe['name']}", file=sys.stderr)
    rows = []
    for set_ in all_sets(args.corpora, args.cache):
        if args.only and set_.name not in args.only:
            continue
        for recipe in recipes:
            if recipe.get("only", set_.kind) == set_.kind:
                rows.append(table.Row(set_, recipe["name"], True, recipe.get("one"), recipe.get("variant"), harness.recipe(set_, recipe)))
        for peer in (args.peer or PEERS) if args.peers else []:
            for kind in set_.features:
                rows.append(table.Row(set_, f"{peer}, {table.shingle(kind)}", False, peer, False, harness.peer(set_, peer, kind)))
    version = subprocess.run([str(args.tegula), "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    places = table.places(rows, version, harness) | {"claims": (HERE / "claims.md").read_text(encoding="utf-8")}
    for source, page in [("summary.md", HERE.parent.parent / "docs" / "quality.md"), ("notes.md", HERE / "results.md")]:
        page.write_text(table.page(source, (HERE / source).read_text(encoding="utf-8"), places), encoding="utf-8")


if __name__ == "__main__":
    main()

"""How verdicts by rarity drift as a collection grows.

    python bench/quality/revisions.py --corpora DIR --tegula target/release/tegula

The pairs of half of a set (whole groups, in an order of no meaning) are found alone, within the whole set, and within it with the
frequencies of the half (`--statistics`). Prints Markdown.
"""

import argparse
import json
import tempfile
from pathlib import Path

from drift import hash_of
from measured import run
from sets import all_sets


def pairs(args, docs, recipe, options, threshold, out):
    out.unlink(missing_ok=True)
    command = [args.tegula, "pairs", docs, "--recipe", recipe, *options, "--threshold", threshold, "--expand", "-o", out]
    took = run([*command, "-q", "--progress", "none"], args.seconds)
    if took["failed"]:
        raise SystemExit(f"{docs}, {recipe}: {took['failed']}")


def listed(path):
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    head = lines[0].split("\t")
    a, b, score = (head.index(name) for name in ("id_a", "id_b", "score"))
    return {(row[a], row[b]): float(row[score]) for row in (line.split("\t") for line in lines[1:])}


def drift(args, sets, folder):
    head = ["set", "pairs of a half, alone", "within all", "in both", "mean change of the score"]
    print("| " + " | ".join([*head, "within all, frequencies of the half", "in both", "change"]) + " |")
    print("| --- |" + " ---: |" * 7)
    for set_ in sets:
        groups = {}
        for line in open(set_.docs, encoding="utf-8", newline="\n"):
            groups.setdefault(json.loads(line).get("group"), []).append(line)
        shuffled = [line for group in sorted(groups, key=lambda g: hash_of(str(g))) for line in groups[group]]
        chosen = shuffled[: len(shuffled) // 2]
        half, statistics = folder / "half.jsonl", folder / "half.tsv"
        half.write_text("".join(chosen), encoding="utf-8")
        run([args.tegula, "stats", half, "--recipe", "revisions", "-o", statistics, "-q", "--progress", "none"], args.seconds)
        ids = {json.loads(line)["id"] for line in chosen}

        def of_half(docs, options):
            pairs(args, docs, "revisions", options, "0.45", folder / "pairs.tsv")
            found = listed(folder / "pairs.tsv").items()
            # The order of a pair is that of the file, which differs.
            return {tuple(sorted(pair)): score for pair, score in found if ids.issuperset(pair)}

        alone = of_half(half, [])
        cells = [len(alone)]
        for options in ([], ["--statistics", statistics]):
            within = of_half(set_.docs, options)
            both = alone.keys() & within.keys()
            change = sum(within[pair] - alone[pair] for pair in both) / max(len(both), 1)
            cells += [len(within), len(both), f"{change:+.4f}"]
        statistics.unlink()
        print(f"| {set_.name} | " + " | ".join(map(str, cells)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--tegula", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("target/quality"))
    parser.add_argument("--seconds", type=int, default=600)
    args = parser.parse_args()
    (args.cache / "work").mkdir(parents=True, exist_ok=True)
    sets = [set_ for set_ in all_sets(args.corpora, args.cache) if any(view.name == "provenance" for view in set_.views)]
    with tempfile.TemporaryDirectory() as folder:
        drift(args, sets, Path(folder))


if __name__ == "__main__":
    main()

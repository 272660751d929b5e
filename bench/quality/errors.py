"""Which errors on a labelled set no measure of the words avoids: pairs that provenance calls wrong though the texts are the same,
and versions that share hardly a shingle.

    python bench/quality/errors.py --tegula target/release/tegula --threshold 0.45 terms.jsonl --recipe sscr --ngram 3

Options after the file choose the recipe; its pairs are listed down to half the threshold. Prints counts of both kinds of error by score, the
groups whose texts are taken for each other most often, and how high F1 could be if only pairs below 0.9 and versions above half the
threshold were judged rightly. With `--show N` the beginnings of N pairs of each kind.
"""

import argparse
import json
import random
import subprocess
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path


def listed(args, out):
    command = [args.tegula, "pairs", args.docs, *args.recipe, "--threshold", str(args.threshold / 2), "--expand", "-o", out, "-q", "--progress", "none"]
    subprocess.run([str(part) for part in command], check=True)
    head, *lines = out.read_text(encoding="utf-8").splitlines()
    a, b, score = (head.split("\t").index(name) for name in ("id_a", "id_b", "score"))
    return {frozenset((row[a], row[b])): float(row[score]) for row in (line.split("\t") for line in lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tegula", type=Path, required=True)
    parser.add_argument("--threshold", type=float, required=True)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("docs", type=Path)
    parser.add_argument("recipe", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    texts, groups = {}, {}
    for line in args.docs.open(encoding="utf-8"):
        record = json.loads(line)
        texts[record["id"]] = record["text"]
        if record.get("group") is not None:
            groups.setdefault(record["group"], []).append(record["id"])
    group_of = {id_: group for group, ids in groups.items() for id_ in ids}
    with tempfile.TemporaryDirectory() as folder:
        scores = listed(args, Path(folder) / "pairs.tsv")
    versions = {frozenset(pair) for ids in groups.values() for pair in combinations(ids, 2)}
    reached = {pair for pair, score in scores.items() if score >= args.threshold}
    wrong, missed = reached - versions, versions - reached
    same, unlike = {pair for pair in wrong if scores[pair] >= 0.9}, {pair for pair in missed if pair not in scores}
    print(f"{len(versions)} pairs of versions, {len(reached)} at {args.threshold} or above")
    print(f"wrong by provenance: {len(wrong)}, of which {len(same)} at 0.9 or above")
    print(f"missed: {len(missed)}, of which {len(unlike)} below {args.threshold / 2}")
    right = len(versions) - len(unlike)
    print(f"F1 is at most {2 * right / (2 * right + len(same) + len(unlike)):.3f} if these errors remain")
    taken = Counter(tuple(sorted(str(group_of.get(id_, id_)) for id_ in pair)) for pair in wrong)
    for (a, b), count in taken.most_common(12):
        print(f"  {count:4} {a} | {b}")
    dice = random.Random(1)
    for name, pairs in (("wrong", wrong), ("missed", unlike)):
        for pair in dice.sample(sorted(map(sorted, pairs)), min(args.show, len(pairs))):
            print(f"\n{name}, score {scores.get(frozenset(pair), 0):.3f}")
            for id_ in pair:
                print(f"  {id_}: {' '.join(texts[id_][:300].split())}")


if __name__ == "__main__":
    main()

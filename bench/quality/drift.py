"""How the pairs of I-Match drift when the vocabulary grows: frequencies of more and more of a set, pairs of its first half.

    python bench/quality/drift.py --tegula target/release/tegula peps.jsonl laws-de.jsonl

The pairs of the first half are found with frequencies of a quarter, of that half, of three quarters and of all of the set; a row says
how many pairs there are, and how many of them are those that the half's own frequencies give.
"""

import argparse
import hashlib
import json
import subprocess
import tempfile
from pathlib import Path


def pairs(tegula, docs, statistics, out):
    command = [tegula, "pairs", docs, "--recipe", "i-match", "--statistics", statistics, "--expand", "-q", "--progress", "none", "-o", out]
    subprocess.run([str(part) for part in command], check=True)
    lines = out.read_text(encoding="utf-8").splitlines()
    head = lines[0].split("\t")
    a, b = head.index("id_a"), head.index("id_b")
    return {(row[a], row[b]) for row in (line.split("\t") for line in lines[1:])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tegula", type=Path, required=True)
    parser.add_argument("sets", type=Path, nargs="+")
    args = parser.parse_args()
    print("| set | frequencies from | pairs | also found with its own | share of these |\n| --- | --- | ---: | ---: | ---: |")
    for docs in args.sets:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            lines = docs.read_text(encoding="utf-8").splitlines(keepends=True)
            # Groups in an order of no meaning, whole, so that each part has copies.
            groups = {}
            for line in lines:
                groups.setdefault(json.loads(line).get("group"), []).append(line)
            shuffled = [line for group in sorted(groups, key=lambda g: hash_of(str(g))) for line in groups[group]]
            half = folder / "half.jsonl"
            half.write_text("".join(shuffled[: len(shuffled) // 2]), encoding="utf-8")
            found = {}
            for quarters in (1, 2, 3, 4):
                part, statistics = folder / "part.jsonl", folder / f"{quarters}.tsv"
                part.write_text("".join(shuffled[: len(shuffled) * quarters // 4]), encoding="utf-8")
                subprocess.run([args.tegula, "stats", part, "-o", statistics, "-q", "--progress", "none", "--recipe", "i-match"], check=True)
                found[quarters] = pairs(args.tegula, half, statistics, folder / "pairs.tsv")
            own = found[2]
            for quarters, name in ((1, "a quarter"), (2, "the half itself"), (3, "three quarters"), (4, "all")):
                same = len(found[quarters] & own)
                share = f"{100 * same / len(own):.1f} %" if own else "–"
                print(f"| {docs.stem} | {name} | {len(found[quarters])} | {same} | {share} |")


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


if __name__ == "__main__":
    main()

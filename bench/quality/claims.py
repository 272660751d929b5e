"""What the papers say about their methods, measured on the labelled sets.

    python bench/quality/claims.py --corpora DIR --tegula target/release/tegula --out claims.md

Each claim is a few runs of one recipe with one field changed, judged by `tegula evaluate`. A run that fails says why in its row.
"""

import argparse
import json
import math
import subprocess
from pathlib import Path

from measured import digest, run
from sets import all_sets

# claim, recipe, the settings compared, sets
CLAIMS = [
    (
        "Ten random lexicons raise the recall of I-Match by 40 to 60 % (Kołcz et al. 2004)",
        "i-match",
        {"one": ["keys.lexicons=0"], "ten": ["keys.lexicons=10"]},
        ["arxiv-versions", "peps", "laws-de"],
    ),
    (
        "Taking terms in more than 5 % of the texts as present everywhere agrees with full cosine to 90 % and is faster (Kołcz et al. 2004)",
        "cosine",
        {"full": ["weights.present=100"], "5 %": ["weights.present=5"]},
        ["arxiv-versions", "peps"],
    ),
    (
        "Weights by word class beat equal weights (Gong et al. 2008)",
        "simfinder",
        {"equal": ['weights.type="equal"'], "classes": []},
        ["nus-sms-en", "nus-sms-zh", "weibo-titles"],
    ),
    (
        "Super shingles fail on short texts (Broder et al. 1997)",
        "super-shingle",
        {"super shingles": []},
        ["peps", "arxiv-versions", "nus-sms-en"],
    ),
]
# The complete recipe that a probabilistic one is held against, and the threshold.
SAMPLED = [("sketch", "ssr", "0.8"), ("sketch", "ssr", "0.5"), ("super-shingle", "ssr", "0.8"), ("sketch-mod", "ssr", "0.8")]
# Bands and rows, for the curve 1 - (1 - s^rows)^bands that a recipe states.
CURVES = {("sketch", "0.8"): (16, 7), ("sketch", "0.5"): (37, 3), ("super-shingle", "0.8"): (6, 14)}


class Claims:
    def __init__(self, args):
        self.args = args
        self.work = args.cache / "claims"
        self.work.mkdir(parents=True, exist_ok=True)
        self.program = digest(args.tegula)

    def pairs(self, set_, recipe, settings, threshold=None):
        """Runs a recipe; returns where its pairs are and what it took."""
        options = [part for setting in settings for part in ("--set", setting)]
        options += ["--threshold", threshold] if threshold else []
        out = self.work / f"{digest(self.program, set_.name, recipe, *options)}.tsv"
        command = [self.args.tegula, "pairs", set_.docs, "--recipe", recipe, *options, "-o", out, "--expand", "-q"]
        return out, run(command, self.args.seconds)

    def judged(self, gold, out, options=()):
        command = [str(self.args.judge or self.args.tegula), "evaluate", str(gold), str(out), *options, "--form", "json"]
        done = subprocess.run(command, capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else None


def listed(path):
    """The pairs of a table, with their scores."""
    with open(path, encoding="utf-8") as lines:
        head = next(lines).rstrip("\n").split("\t")
        places = [head.index(name) for name in ("id_a", "id_b", "score")]
        cells = (line.rstrip("\n").split("\t") for line in lines)
        return {(row[places[0]], row[places[1]]): float(row[places[2]]) for row in cells}


def by_setting(claims, sets):
    """A table for each claim: the settings, and what they find."""
    for text, recipe, settings, names in CLAIMS:
        yield f"\n### {text}\n\n| set | `{recipe}` | P | R | F1 | pairs | CPU s |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n"
        for name in names:
            view = sets[name].views[0]
            found = {}
            for label, setting in settings.items():
                out, took = claims.pairs(sets[name], recipe, setting)
                judged = None if took["failed"] else claims.judged(view.gold, out, view.options)
                if judged is None:
                    yield f"| {name} | {label}: {took['failed'] or 'not judged'} | | | | | |\n"
                    continue
                found[label] = set(listed(out))
                cells = [judged["pairs"][part] for part in ("precision", "recall", "f1")]
                shown = ["–" if cell is None else f"{cell:.3f}" for cell in cells]
                yield f"| {name} | {label} | {' | '.join(shown)} | {len(found[label]):,} | {took['cpu']:.2f} |\n"
            if len(found) == 2:
                one, other = found.values()
                both = len(one & other) / max(1, len(one | other))
                yield f"| {name} | pairs of both over pairs of either | | | | {both:.3f} | |\n"


def by_sampling(claims, sets):
    """The recall of recipes that promise a probability, against the complete one."""
    yield "\n### Recall of the probabilistic recipes\n\n"
    yield "Against all pairs at the threshold, found by the complete recipe; the interval is Wilson's, at 95 %.\n\n"
    yield "| set | recipe | threshold | pairs | found | recall | interval | by its curve | not true |\n"
    yield "| --- | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |\n"
    for name in ("peps", "arxiv-versions", "laws-de"):
        for recipe, complete, threshold in SAMPLED:
            runs = [claims.pairs(sets[name], which, [], threshold) for which in (complete, recipe)]
            failed = next((took["failed"] for _, took in runs if took["failed"]), None)
            if failed:
                yield f"| {name} | {recipe}: {failed} | {threshold} | | | | | | |\n"
                continue
            every, some = (listed(out) for out, _ in runs)
            hits = len(every.keys() & some.keys())
            low, high = wilson(hits, len(every))
            yield (
                f"| {name} | {recipe} | {threshold} | {len(every):,} | {hits:,} | {hits / max(1, len(every)):.4f} "
                f"| {low:.4f} to {high:.4f} | {expected(recipe, threshold, every.values())} | {len(some.keys() - every.keys()):,} |\n"
            )


def expected(recipe, threshold, scores):
    """The recall that the curve of a recipe gives for pairs of these scores, with its standard error."""
    if (recipe, threshold) not in CURVES or not scores:
        return "–"
    bands, rows = CURVES[recipe, threshold]
    chances = [1 - (1 - score**rows) ** bands for score in scores]
    error = math.sqrt(sum(chance * (1 - chance) for chance in chances)) / len(chances)
    return f"{sum(chances) / len(chances):.4f} ± {error:.4f}"


def wilson(hits, trials, z=1.96):
    """The interval of a share."""
    if trials == 0:
        return 0.0, 1.0
    share = hits / trials
    middle = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    whole = 1 + z * z / trials
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--tegula", type=Path, required=True)
    parser.add_argument("--judge", type=Path, help="the program that judges, if it is another")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("target/quality"))
    parser.add_argument("--seconds", type=int, default=300)
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    claims, sets = Claims(args), {set_.name: set_ for set_ in all_sets(args.corpora, args.cache)}
    args.out.write_text("".join([*by_setting(claims, sets), *by_sampling(claims, sets)]), encoding="utf-8")


if __name__ == "__main__":
    main()

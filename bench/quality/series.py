"""What sets series apart (the same regulation of another year, with other amounts) from versions of one text.

    python bench/quality/series.py --corpora DIR --tegula target/release/tegula

Pairs of `copies` and `revisions` at their presets, judged by provenance: first how well one feature alone tells versions from the rest (the
probability that a version has the better value), then precision and recall under rules, on half a, where they are chosen, and on half b, as
in `default.py`; a pair of different groups counts half in the half of each. Rules are computed here from the texts, so that many can be
tried; the field `shared_numbers` of recipes is the last kind. Prints Markdown.
"""

import argparse
import bisect
import json
import re
import tempfile
from collections import Counter
from pathlib import Path

from default import half_of
from revisions import listed, pairs
from sets import APART, all_sets

RECIPES = [("copies", "0.75", ["0.8", "0.85"]), ("revisions", "0.45", ["0.5", "0.55"])]
FIRST = (10, 20, 30, 50, 100)
SHARES = (0.34, 0.5, 0.67)
TOKENS = (50, 100, 200)
WORD = re.compile(r"\w+")


class Text:
    """The numbers of a text, and its other words, by how often they occur."""

    def __init__(self, text):
        tokens = WORD.findall(text.lower())
        number = lambda token: any(char.isnumeric() for char in token)
        self.tokens = len(tokens)
        self.numbers = Counter(filter(number, tokens))
        self.words = Counter(token for token in tokens if not number(token))
        self.first = {first: Counter(filter(number, tokens[:first])) for first in FIRST}
        self.title = next((line.strip().lower() for line in text.split("\n") if line.strip()), "")


def share(a, b):
    """The part that both have, of the text with fewer."""
    fewer = min(a.total(), b.total())
    return (a & b).total() / fewer if fewer else 1.0


class Found:
    """A pair: its score, what its texts share, and whether they are versions."""

    def __init__(self, score, a, b, groups):
        self.score, self.groups, self.same = score, groups, groups[0] == groups[1]
        self.numbers, self.words = share(a.numbers, b.numbers), share(a.words, b.words)
        self.first = {first: share(a.first[first], b.first[first]) for first in FIRST}
        missing = min(a.numbers.total(), b.numbers.total()) - (a.numbers & b.numbers).total()
        self.missing = missing / max(min(a.tokens, b.tokens), 1)
        self.title = float(a.title == b.title)

    def of_half(self, half):
        return sum(half_of(group) == half for group in self.groups) / 2


FEATURES = {
    "score": lambda pair: pair.score,
    "share of numbers": lambda pair: pair.numbers,
    "share of other words": lambda pair: pair.words,
    "numbers that differ, by length": lambda pair: -pair.missing,
    "first line equal": lambda pair: pair.title,
    "share of numbers in the first 30 tokens": lambda pair: pair.first[30],
}


def rules(higher):
    """Which pairs are kept."""
    yield "none", lambda pair: True
    for threshold in higher:
        yield f"threshold {threshold}", lambda pair, least=float(threshold): pair.score >= least
    yield "first line equal", lambda pair: pair.title == 1
    for least in (0.5, 0.8, 0.9, 1):
        yield f"{least} of all numbers", lambda pair, least=least: pair.numbers >= least
    for tokens in TOKENS:
        yield f"all but 1 in {tokens}", lambda pair, tokens=tokens: pair.missing * tokens <= 1
    yield "0.5 of first 30", lambda pair: pair.first[30] >= 0.5
    for first in FIRST:
        for least in SHARES:
            for tokens in TOKENS:
                yield (
                    f"{least} of first {first} or all but 1 in {tokens}",
                    lambda pair, first=first, least=least, tokens=tokens: pair.first[first] >= least or pair.missing * tokens <= 1,
                )


def better(right, wrong):
    """The probability that one of the first is above one of the second."""
    wrong = sorted(wrong)
    if not right or not wrong:
        return float("nan")
    return sum(bisect.bisect_left(wrong, value) + bisect.bisect_right(wrong, value) for value in right) / 2 / len(right) / len(wrong)


def judged(found, positives, rule, half):
    kept = [pair for pair in found if rule(pair)]
    right = sum(pair.of_half(half) for pair in kept if pair.same)
    wrong = sum(pair.of_half(half) for pair in kept if not pair.same)
    precision, recall = right / max(right + wrong, 1), right / max(positives[half], 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def features(recipe, sets):
    print(f"\n| `{recipe}` | " + " | ".join(FEATURES) + " |\n| --- |" + " ---: |" * len(FEATURES))
    for name, (found, _) in sets.items():
        cells = (better(*([of(pair) for pair in found if pair.same == same] for same in (True, False))) for of in FEATURES.values())
        print(f"| {name} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")


def quality(recipe, higher, sets, best):
    """All rules, of those with two parts the best by mean F1 on half a."""
    print(f"\n| `{recipe}`, rule | half | " + " | ".join(sets) + f" | mean F1 | lowest P but {APART} |\n| --- | --- |" + " ---: |" * (len(sets) + 2))
    figures = lambda rule, half: [judged(found, positives, rule, half) for found, positives in sets.values()]
    mean = lambda of: sum(f1 for *_, f1 in of) / len(of)
    every = list(rules(higher))
    joint = sorted((rule for rule in every if " or " in rule[0]), key=lambda rule: -mean(figures(rule[1], "a")))[:best]
    for name, rule in [rule for rule in every if " or " not in rule[0]] + joint:
        for half in "ab":
            of = figures(rule, half)
            lowest = min(precision for set_, (precision, *_) in zip(sets, of) if set_ != APART)
            cells = " | ".join(f"{precision:.3f} / {recall:.3f}" for precision, recall, _ in of)
            print(f"| {name} | {half} | {cells} | {mean(of):.3f} | {lowest:.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--tegula", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("target/quality"))
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--best", type=int, default=3)
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    sets = {recipe: {} for recipe, *_ in RECIPES}
    for set_ in all_sets(args.corpora, args.cache):
        if not any(view.name == "provenance" for view in set_.views):
            continue
        with open(set_.docs, encoding="utf-8", newline="\n") as lines:
            docs = {record["id"]: record for record in map(json.loads, lines)}
        texts, sizes = {}, Counter(record["group"] for record in docs.values())
        positives = {half: sum(size * (size - 1) // 2 for group, size in sizes.items() if half_of(group) == half) for half in "ab"}
        for recipe, threshold, _ in RECIPES:
            with tempfile.TemporaryDirectory() as folder:
                pairs(args, set_.docs, recipe, [], threshold, Path(folder) / "pairs.tsv")
                scores = listed(Path(folder) / "pairs.tsv")
            for text in {text for pair in scores for text in pair} - texts.keys():
                texts[text] = Text(docs[text]["text"])
            found = [Found(score, texts[a], texts[b], (docs[a]["group"], docs[b]["group"])) for (a, b), score in scores.items()]
            sets[recipe][set_.name] = found, positives
    for recipe, _, higher in RECIPES:
        features(recipe, sets[recipe])
        quality(recipe, higher, sets[recipe], args.best)


if __name__ == "__main__":
    main()

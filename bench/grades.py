#!/usr/bin/env python3
"""How well passages and scores tell grades of copying apart: areas under the ROC curve.

    bench/grades.py TEGULA FOLDER

FOLDER has the Corpus of Plagiarised Short Answers (Clough and Stevenson 2011): docs.jsonl with "id" and "text", and
file_information.csv with the grade of each answer: non, heavy, light or cut. Each answer has one number: its score
with the source of its task, or the share of its words in passages that it shares with that, each word weighted by
the identity of its passage. An area is the share of pairs of answers in which the one copied more has the higher
number; ties count half.
"""
import csv
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

GRADES = ["non", "heavy", "light", "cut"]
SCORES = ["ssr-containment", "sscr-containment", "ssr", "sscr", "cosine", "ssr --ngram 1", "ssr-containment --ngram 1"]
PASSAGES = ["--ngram 3 --min-tokens 5", "--ngram 2 --min-tokens 5", "--ngram 5 --min-tokens 10"]


def table(command, folder):
    lines = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.splitlines()
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:]]


def scores(tegula, recipe, folder, texts):
    command = f"pairs answers.jsonl --against sources.jsonl --within task --threshold 0.001 -q -o - --recipe {recipe}"
    rows = table([tegula, *command.split()], folder)
    found = [(row["id_a"], float(row["score"])) for row in rows if (row["id_a"] in texts) != (row["id_b"] in texts)]
    return {name: max(score for other, score in found if other == name) for name, _ in found}


def shares(tegula, options, folder, texts):
    command = f"passages answers.jsonl --in sources.jsonl --within task --common none -q -o - {options}"
    weights = {}
    for row in table([tegula, *command.split()], folder):
        weight = weights.setdefault(row["id_a"], [0.0] * len(texts[row["id_a"]]))
        for at in range(int(row["start_a"]), int(row["end_a"])):
            weight[at] = max(weight[at], float(row["identity"]))
    words = {name: [word.start() for word in re.finditer(r"\w+", texts[name])] for name in weights}
    return {name: sum(weight[at] for at in words[name]) / len(words[name]) for name, weight in weights.items()}


def area(numbers, low, high):
    pairs = [(numbers.get(a, 0), numbers.get(b, 0)) for a in low for b in high]
    return sum((b > a) + (a == b) / 2 for a, b in pairs) / len(pairs)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tegula, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    with open(os.path.join(source, "file_information.csv"), encoding="utf-8") as lines:
        about = {row["File"].removesuffix(".txt"): row for row in csv.DictReader(lines)}
    grades, texts = {grade: [] for grade in GRADES}, {}
    with tempfile.TemporaryDirectory() as folder:
        answers, sources = (open(os.path.join(folder, name), "w") for name in ("answers.jsonl", "sources.jsonl"))
        with answers, sources, open(os.path.join(source, "docs.jsonl"), encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                row = about[record["id"].split(":")[-1]]
                line = json.dumps({"id": record["id"], "task": row["Task"], "text": record["text"]}) + "\n"
                if row["Category"] == "orig":
                    sources.write(line)
                    continue
                answers.write(line)
                texts[record["id"]] = record["text"]
                grades[row["Category"]].append(record["id"])
        numbers = {f"score: {recipe}": scores(tegula, recipe, folder, texts) for recipe in SCORES}
        numbers |= {f"passages: {options}": shares(tegula, options, folder, texts) for options in PASSAGES}
    steps = list(zip(GRADES, GRADES[1:]))
    print("| |", "copied or not |", " | ".join(f"{low} / {high}" for low, high in steps), "| all |")
    for name, number in numbers.items():
        of = lambda low, high: area(number, grades[low], grades[high])
        pairs = [(low, high, len(grades[low]) * len(grades[high])) for low, high in itertools.combinations(GRADES, 2)]
        every = sum(of(low, high) * count for low, high, count in pairs) / sum(count for *_, count in pairs)
        copied = area(number, grades["non"], [name for grade in GRADES[1:] for name in grades[grade]])
        print(f"| {name} |", " | ".join(f"{value:.3f}" for value in [copied, *(of(*step) for step in steps), every]), "|")


if __name__ == "__main__":
    main()

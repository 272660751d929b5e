#!/usr/bin/env python3
"""How well main text is found in web pages: F1 by tokens against gold text, beside other extractors.

    bench/extraction.py TEGULA PAGES GOLD.json

PAGES is a folder of HTML files, GOLD.json maps each file's name without its extension to an object with
"articleBody". trafilatura and jusText are measured too where they are installed. Tokens are runs of word
characters in lower case, counted as a multiset. Times are of the whole folder, one thread, with all that
the program does besides (Tegula also compares the texts).
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter


def tokens(text):
    return Counter(re.findall(r"\w+", text.lower()))


def of_tegula(binary, pages, which):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "texts.jsonl")
        # Marking keeps every page.
        subprocess.run(
            [binary, "mark", pages, "-o", out, "--recipe", "exact", "--text", which, "--threads", "1", "-q"],
            check=True,
        )
        with open(out, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
    return {os.path.splitext(row["id"])[0]: row["text"] for row in rows}


def by_library(extract):
    def run(pages):
        found = {}
        for name in sorted(os.listdir(pages)):
            with open(os.path.join(pages, name), "rb") as file:
                found[os.path.splitext(name)[0]] = extract(file.read()) or ""
        return found

    return run


def extractors(binary):
    yield "tegula --text main", lambda pages: of_tegula(binary, pages, "main")
    yield "tegula --text all", lambda pages: of_tegula(binary, pages, "all")
    try:
        import trafilatura

        yield "trafilatura " + trafilatura.__version__, by_library(trafilatura.extract)
    except ImportError:
        print("trafilatura is not installed", file=sys.stderr)
    try:
        import justext

        words = justext.get_stoplist("English")
        good = lambda page: "\n".join(p.text for p in justext.justext(page, words) if not p.is_boilerplate)
        yield "jusText", by_library(good)
    except ImportError:
        print("jusText is not installed", file=sys.stderr)


def main():
    binary, pages, gold_path = sys.argv[1:]
    with open(gold_path, encoding="utf-8") as file:
        gold = {name: tokens(page["articleBody"]) for name, page in json.load(file).items()}
    gold = {name: bag for name, bag in gold.items() if bag}
    print(f"{'extractor':24} {'F1':>6} {'precision':>9} {'recall':>6} {'below .5':>8} {'seconds':>7}")
    for name, extract in extractors(binary):
        begun = time.perf_counter()
        found = extract(pages)
        seconds = time.perf_counter() - begun
        sums, low = [0.0, 0.0, 0.0], 0
        for page, bag in gold.items():
            own = tokens(found.get(page, ""))
            common = sum((bag & own).values())
            precision = common / max(1, sum(own.values()))
            recall = common / sum(bag.values())
            f1 = 2 * precision * recall / (precision + recall) if common else 0.0
            low += f1 < 0.5
            sums = [total + value for total, value in zip(sums, (f1, precision, recall))]
        f1, precision, recall = (total / len(gold) for total in sums)
        print(f"{name:24} {f1:6.3f} {precision:9.3f} {recall:6.3f} {low:8} {seconds:7.2f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What main text is worth to the search for copies: pages whose frames and bodies were exchanged.

    bench/frames.py TEGULA PAGES GOLD.json

PAGES is a folder of HTML files, GOLD.json maps each file's name without its extension to an object with
"articleBody". Of each page the element is found that holds its article, and put in place of that of another
page of the list. The page and the one with its body are copies; the page and the one with its frame are not.
Needs lxml.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter

import lxml.html


def tokens(text):
    return Counter(re.findall(r"\w+", text.lower()))


def body_of(root, gold):
    """The smallest element with nine tenths of the article."""
    wanted = tokens(gold)
    total = sum(wanted.values())
    place = root
    while True:
        for child in place:
            if isinstance(child.tag, str) and sum((tokens(child.text_content()) & wanted).values()) >= 0.9 * total:
                place = child
                break
        else:
            return place


def write(folder, name, root):
    with open(os.path.join(folder, name + ".html"), "wb") as file:
        file.write(lxml.html.tostring(root, encoding="utf-8", doctype="<!DOCTYPE html>"))


def main(binary, pages, gold_file):
    with open(gold_file, encoding="utf-8") as file:
        gold = json.load(file)
    parsed = {}
    for name in sorted(os.listdir(pages)):
        stem = os.path.splitext(name)[0]
        with open(os.path.join(pages, name), "rb") as file:
            text = file.read().decode("utf-8", "replace")
        root = lxml.html.fromstring(re.sub(r"^\s*<\?xml[^>]*>", "", text))
        article = gold[stem]["articleBody"]
        place = body_of(root, article)
        # A page that is all one element has no frame to exchange.
        if place.tag not in ("html", "body") and len(article) > 500:
            parsed[stem] = (text, article)
    names = list(parsed)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as outputs:
        for at, name in enumerate(names):
            other = names[(at + 1) % len(names)]

            def part(which):
                text, article = parsed[which]
                root = lxml.html.fromstring(re.sub(r"^\s*<\?xml[^>]*>", "", text))
                return root, body_of(root, article)

            root, _ = part(name)
            write(folder, "a-" + name, root)
            frame, place = part(other)
            _, body = part(name)
            body.tail = place.tail
            place.getparent().replace(place, body)
            write(folder, f"b-{name}", frame)
        framed = {name: names[(at + 1) % len(names)] for at, name in enumerate(names)}
        print(f"{len(names)} pages, and as many with another frame")
        print(f"{'text':6} {'recipe':12} {'threshold':>9} {'copies found':>13} {'of':>5} {'pages of one frame':>19}")
        for recipe, threshold in [("ssr", "0.5"), ("ssr", "0.8"), ("copies", "0.75")]:
            for which in ["main", "all"]:
                out = os.path.join(outputs, "pairs.tsv")
                subprocess.run(
                    [binary, "pairs", folder, "--include", "*.html", "-o", out, "--recipe", recipe,
                     "--threshold", threshold, "--text", which, "-q"],
                    check=True,
                )
                with open(out, encoding="utf-8") as file:
                    rows = [line.split("\t") for line in file.read().splitlines()[1:]]
                    file.seek(0)
                    head = file.readline().rstrip("\n").split("\t")
                a, b = head.index("id_a"), head.index("id_b")
                found = {frozenset((row[a][:-5], row[b][:-5])) for row in rows}
                copies = sum(frozenset(("a-" + name, "b-" + name)) in found for name in names)
                wrong = sum(frozenset(("b-" + name, "a-" + framed[name])) in found for name in names)
                print(f"{which:6} {recipe:12} {threshold:>9} {copies:13} {len(names):5} {wrong:19}")
                os.remove(out)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])

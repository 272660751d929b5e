#!/usr/bin/env python3
"""How many quotations `tegula passages` finds: stretches of texts planted in others, with edits.

    bench/quotations.py TEGULA TEXTS.jsonl[.zst] [--texts N] [--plants N] [--seed N] [-- OPTION...]

From texts of TEXTS (with "id" and "text"), quotations of 8 to 60 words are planted in other texts, with 0, 5, 10
or 15 % of their words replaced, dropped or preceded by a new one; never the first or the last, so that each has
an exact beginning and end. A quotation is found if a passage covers at least four fifths of its place in both
texts, and its offsets are exact if the passage begins and ends within the spaces and punctuation around it. A
passage is wrong if it overlaps no quotation and is not found among the texts without quotations. Texts are cut to
3,000 words, so that the places are many. OPTIONs go to tegula.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict

LENGTHS = [(8, 11), (12, 19), (20, 34), (35, 60)]
RATES = [0, 5, 10, 15]
WORD = re.compile(r"\w+")


def read(path, count):
    opened = subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE) if path.endswith(".zst") else None
    texts, seen = [], set()
    for line in opened.stdout if opened else open(path, "rb"):
        record = json.loads(line)
        words = record["text"].split()[:3000]
        if len(words) >= 200 and hash(tuple(words)) not in seen:
            seen.add(hash(tuple(words)))
            texts.append([str(record["id"]), words])
        if len(texts) == count:
            break
    return texts


def edited(words, rate, rng, vocabulary):
    """The words with exactly the share of edits that their number allows."""
    inner = list(range(1, len(words) - 1))
    chosen = set(rng.sample(inner, round(len(words) * rate / 100)))
    out = []
    for at, word in enumerate(words):
        kind = rng.choice(["replace", "drop", "insert"]) if at in chosen else None
        if kind in ("replace", "insert"):
            out.append(rng.choice(vocabulary))
        if kind in (None, "insert"):
            out.append(word)
    return out


def plant(texts, plants, rng):
    """Copies of the texts with quotations; and of each its source, target, places, length and rate."""
    vocabulary = [word for _, words in texts for word in words if WORD.search(word)]
    pieces = [[] for _ in texts]
    gold = []
    for number in range(plants):
        low, high = LENGTHS[number % 4]
        rate = RATES[number // 4 % 4]
        source, target = rng.sample(range(len(texts)), 2)
        words = texts[source][1]
        length = rng.randint(low, high)
        at = rng.randrange(len(words) - length)
        quote = words[at:at + length]
        if not all(WORD.search(word) for word in quote):
            continue
        pieces[target].append((rng.randrange(len(texts[target][1])), edited(quote, rate, rng, vocabulary), len(gold)))
        gold.append({"source": source, "at": at, "length": length, "target": target, "rate": rate})
    out = []
    for number, (name, words) in enumerate(texts):
        # Of a source, the words stay; quotations go in between, and never inside one that was taken.
        taken = [(g["at"], g["at"] + g["length"]) for g in gold if g["source"] == number]
        result, starts = [], []
        inserts = defaultdict(list)
        for place, quote, which in pieces[number]:
            while any(start < place < end for start, end in taken):
                place += 1
            inserts[place].append((quote, which))
        length = 0

        def put(word):
            nonlocal length
            result.append(word)
            starts.append(length)
            length += len(word) + 1

        first = []
        for place, word in enumerate(words + [""]):
            for quote, which in inserts[place]:
                begin = len(starts)
                for other in quote:
                    put(other)
                gold[which]["b"] = (starts[begin], starts[-1] + len(result[-1]))
            first.append(len(starts))
            put(word)
        for g in gold:
            if g["source"] == number:
                last = first[g["at"] + g["length"] - 1]
                g["a"] = (starts[first[g["at"]]], starts[last] + len(result[last]))
        out.append((name, " ".join(result)))
    return out, gold


def passages(binary, texts, options):
    with tempfile.TemporaryDirectory() as folder:
        source, table = os.path.join(folder, "t.jsonl"), os.path.join(folder, "p.jsonl")
        with open(source, "w", encoding="utf-8") as file:
            for number, (_, text) in enumerate(texts):
                file.write(json.dumps({"id": str(number), "text": text}) + "\n")
        command = [binary, "passages", source, "-o", table, "--texts", "--quiet", *options]
        subprocess.run(command, check=True)
        with open(table, encoding="utf-8") as file:
            return [json.loads(line) for line in file]


def share(inner, outer):
    return max(0, min(inner[1], outer[1]) - max(inner[0], outer[0])) / (inner[1] - inner[0])


def trimmed(text, span):
    """The span from its first word character to its last."""
    start, end = span
    while start < end and not WORD.match(text[start]):
        start += 1
    while end > start and not WORD.match(text[end - 1]):
        end -= 1
    return start, end


def main(args):
    rng = random.Random(args.seed)
    texts = read(args.texts_file, args.texts)
    planted, gold = plant(texts, args.plants, rng)
    natural = defaultdict(list)
    for row in passages(args.binary, [(name, " ".join(words)) for name, words in texts], args.options):
        natural[row["id_a"], row["id_b"]].append(row["text"])
    rows = passages(args.binary, planted, args.options)
    by_pair = defaultdict(list)
    for row in rows:
        span = {row["id_a"]: (row["start_a"], row["end_a"]), row["id_b"]: (row["start_b"], row["end_b"])}
        by_pair[frozenset(span)].append((span, row))
    tally = defaultdict(lambda: [0, 0, 0])
    right = set()
    for g in gold:
        s, t = str(g["source"]), str(g["target"])
        cell = tally[next(i for i, (_, high) in enumerate(LENGTHS) if g["length"] <= high), g["rate"]]
        cell[0] += 1
        found = exact = False
        for span, row in by_pair[frozenset((s, t))]:
            both = share(g["a"], span[s]), share(g["b"], span[t])
            if min(both) > 0:
                right.add(id(row))
            if min(both) >= 0.8:
                found = True
                exact |= all(trimmed(planted[int(x)][1], g[y]) == trimmed(planted[int(x)][1], span[x])
                             for x, y in ((s, "a"), (t, "b")))
        cell[1] += found
        cell[2] += exact
    # What a third text shares with the source of a quotation, it shares with its place, too.
    places = defaultdict(list)
    for g in gold:
        places[str(g["target"])].append(g["b"])
        places[str(g["source"])].append(g["a"])
    wrong = 0
    for row in rows:
        known = any(row["text"] in text or text in row["text"] for text in natural[row["id_a"], row["id_b"]])
        a = any(share((row["start_a"], row["end_a"]), place) > 0 for place in places[row["id_a"]])
        b = any(share((row["start_b"], row["end_b"]), place) > 0 for place in places[row["id_b"]])
        wrong += not (id(row) in right or known or a or b)
    print(f"{len(planted)} texts, {len(gold)} quotations, {len(rows)} passages, {sum(map(len, natural.values()))} without quotations, {wrong} wrong")
    print("words   " + "".join(f"{rate:>5} % edits     " for rate in RATES))
    for i, (low, high) in enumerate(LENGTHS):
        cells = [tally[i, rate] for rate in RATES]
        print(f"{low:>2}-{high:<4} " + "".join(f"{f / max(n, 1):>6.3f} ({e / max(f, 1):.3f})  " for n, f, e in cells))
    print("share found (of those, with exact offsets)")


if __name__ == "__main__":
    own, _, rest = " ".join(sys.argv[1:]).partition(" -- ")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("texts_file")
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--plants", type=int, default=1600)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(own.split())
    given.options = rest.split()
    main(given)

#!/usr/bin/env python3
"""Compares `tegula phrases` with all maximal repeats of some texts, found in a suffix array.

    bench/phrases.py TEGULA TEXTS.jsonl [--megabytes N] [--min-tokens N]

The first N megabytes of TEXTS, as lowercase words of letters with one space between them, are listed by both. A
maximal repeat is an interval of the suffix array whose suffixes share more tokens than with their neighbours, and
are preceded by different ones; texts end in tokens of their own. Phrases, texts, occurrences and first places have
to agree. Needs numpy.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy

WORD = re.compile(r"[^\W\d_]+")


def read(path, size):
    texts, total = [], 0
    for line in open(path, encoding="utf-8"):
        words = WORD.findall(json.loads(line)["text"].lower())
        texts.append(words)
        total += sum(len(word.encode()) + 1 for word in words)
        if total >= size:
            break
    return texts, total


def suffixes(tokens):
    """The suffix array by prefix doubling."""
    rank = numpy.unique(tokens, return_inverse=True)[1].astype(numpy.int64)
    step = 1
    while True:
        behind = numpy.full_like(rank, -1)
        behind[:-step] = rank[step:]
        keys = rank * (len(rank) + 1) + behind + 1
        order = numpy.argsort(keys, kind="stable")
        sorted_keys = keys[order]
        rank = numpy.empty_like(rank)
        rank[order] = numpy.concatenate([[0], numpy.cumsum(sorted_keys[1:] != sorted_keys[:-1])])
        if rank.max() == len(rank) - 1:
            return order.tolist(), rank.tolist()
        step *= 2


def common(tokens, order, rank):
    """Tokens that each suffix shares with the one before it in the array (Kasai et al. 2001)."""
    shared, length = [0] * len(order), 0
    for at, place in enumerate(rank):
        if place == 0:
            length = 0
            continue
        other = order[place - 1]
        while at + length < len(tokens) and other + length < len(tokens) and tokens[at + length] == tokens[other + length]:
            length += 1
        shared[place] = length
        length = max(length - 1, 0)
    return shared


def repeats(texts, least):
    """(length, first place, texts, occurrences) of each maximal repeat in two texts or more."""
    number, tokens, owner, start = {}, [], [], []
    for text, words in enumerate(texts):
        start.append(len(tokens))
        tokens += [number.setdefault(word, len(number)) for word in words] + [-1 - text]
        owner += [text] * (len(words) + 1)
    order, rank = suffixes(numpy.array(tokens))
    shared = common(tokens, order, rank) + [0]
    stack, found = [], []
    for place in range(1, len(order) + 1):
        left = place - 1
        while stack and shared[place] < stack[-1][0]:
            length, left = stack.pop()
            places = order[left:place]
            before = {tokens[at - 1] if at else None for at in places}
            owners = {owner[at] for at in places}
            if length >= least and len(before) > 1 and len(owners) > 1:
                first = min(places)
                found.append((length, owner[first], first - start[owner[first]], len(owners), len(places)))
        if not stack or shared[place] > stack[-1][0]:
            stack.append((shared[place], left))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tegula")
    parser.add_argument("texts")
    parser.add_argument("--megabytes", type=float, default=5)
    parser.add_argument("--min-tokens", type=int, default=3)
    args = parser.parse_args()
    texts, size = read(args.texts, args.megabytes * 1e6)
    expected = repeats(texts, args.min_tokens)
    with tempfile.TemporaryDirectory() as folder:
        source, table = os.path.join(folder, "texts.jsonl"), os.path.join(folder, "phrases.jsonl")
        with open(source, "w", encoding="utf-8") as out:
            for text, words in enumerate(texts):
                out.write(json.dumps({"id": str(text), "text": " ".join(words)}) + "\n")
        subprocess.run(
            [args.tegula, "phrases", source, "-o", table, "--min-tokens", str(args.min_tokens)], check=True
        )
        rows = [json.loads(line) for line in open(table, encoding="utf-8")]
    rows = [row for row in rows if "phrase" in row]
    listed = []
    for row in rows:
        words = texts[int(row["id"])]
        text = " ".join(words)
        before = text[: row["start"]].count(" ")
        assert row["phrase"] == text[row["start"] : row["end"]] == " ".join(words[before : before + row["tokens"]])
        listed.append((row["tokens"], int(row["id"]), before, row["texts"], row["occurrences"]))
    order = [(-length, -occurrences, text, at) for length, text, at, _, occurrences in listed]
    print(f"{size / 1e6:.1f} MB, {len(texts)} texts: {len(expected)} maximal repeats, {len(listed)} phrases")
    if sorted(expected) != sorted(listed) or order != sorted(order):
        missing, wrong = set(expected) - set(listed), set(listed) - set(expected)
        sys.exit(f"they differ: {len(missing)} missing, {len(wrong)} wrong, such as {list(missing | wrong)[:5]}")
    print("equal")


if __name__ == "__main__":
    main()

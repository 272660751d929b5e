#!/usr/bin/env python3
"""The quotations of bench/quotations.py, looked for by text-matcher (a Python package) as well.

    bench/quotations_peer.py TEGULA TEXTS.jsonl[.zst] [--texts N] [--plants N] [--seed N] [-- OPTION...]

text-matcher compares two texts at a time, so it is given the two that share a quotation, with its defaults except for stop words,
which it would remove from English, and its matches count before they are joined and extended, too. tegula finds the pairs itself, among all texts. Both tables count as found what covers
at least four fifths of a quotation in both texts. Needs text-matcher 0.1.6 and nltk; seconds are of one thread.
"""
import argparse
import contextlib
import io
import resource
import sys
import time
from collections import defaultdict
from random import Random

import quotations as ours
from text_matcher.matcher import Matcher, Text


def peer(a, b):
    """The spans that text-matcher finds in two texts, in characters."""
    with contextlib.redirect_stdout(io.StringIO()):
        one, other = Text(a, "a", False), Text(b, "b", False)
        matcher = Matcher(one, other, removeStopwords=False)
    # The last of several matches is not among those that it extends: all are counted.
    found = [(match.a, match.sizeA, match.b, match.sizeB) for match in matcher.extended_matches]
    found += [(match.a, match.size + 2, match.b, match.size + 2) for match in matcher.initial_matches]
    ends = lambda text, start, size: (text.spans[start][0], text.spans[min(start + size, len(text.spans)) - 1][1])
    return [(ends(one, a, size_a), ends(other, b, size_b)) for a, size_a, b, size_b in found]


def table(name, tally, seconds):
    print(f"{name}, {seconds:.1f} s of CPU")
    for i, (low, high) in enumerate(ours.LENGTHS):
        cells = [tally[i, rate] for rate in ours.RATES]
        print(f"{low:>2}-{high:<4} " + "".join(f"{found / max(count, 1):>7.3f}" for count, found in cells))


def main(args):
    planted, gold = ours.plant(ours.read(args.texts_file, args.texts), args.plants, Random(args.seed))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    rows = ours.passages(args.binary, planted, ["--threads", "1", *args.options])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spans = defaultdict(list)
    for row in rows:
        a, b = (row["start_a"], row["end_a"]), (row["start_b"], row["end_b"])
        spans[row["id_a"], row["id_b"]].append((a, b))
        spans[row["id_b"], row["id_a"]].append((b, a))
    tallies = defaultdict(lambda: [0, 0]), defaultdict(lambda: [0, 0])
    spent = 0
    for g in gold:
        began = time.process_time()
        theirs = peer(planted[g["source"]][1], planted[g["target"]][1])
        spent += time.process_time() - began
        both = spans[str(g["source"]), str(g["target"])], theirs
        cell = next(i for i, (_, high) in enumerate(ours.LENGTHS) if g["length"] <= high), g["rate"]
        for tally, found in zip(tallies, both):
            tally[cell][0] += 1
            tally[cell][1] += any(min(ours.share(g["a"], a), ours.share(g["b"], b)) >= 0.8 for a, b in found)
    print(f"{len(planted)} texts, {len(gold)} quotations; columns: {', '.join(f'{rate} %' for rate in ours.RATES)} edits")
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    table("tegula, among all texts", tallies[0], own)
    table("text-matcher, on the two texts of each quotation", tallies[1], spent)


if __name__ == "__main__":
    own, _, rest = " ".join(sys.argv[1:]).partition(" -- ")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("texts_file")
    parser.add_argument("--texts", type=int, default=500)
    parser.add_argument("--plants", type=int, default=640)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(own.split())
    given.options = rest.split()
    main(given)

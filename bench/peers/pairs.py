"""Lists the near-duplicate pairs that a peer finds, at its defaults and down to a low threshold.

    python pairs.py PEER DOCS.jsonl OUT --features word5|char2|char3 --threshold default|low

PEER is gaoya, datasketch, rensa, simhash or text-dedup. OUT is a TSV file: id_a, id_b, score; the score is the peer's own estimate.
With `default` the peer's own default threshold is used where it has one, with `low` one from which the best can be sought. Prints a line
of JSON.

Settings. Features are sets of 5-word shingles of the lower-cased text, or of character n-grams where texts are short; gaoya makes its
own of the same kind. datasketch: MinHashLSH, 128 hashes, default threshold 0.9, its optimiser chooses the bands. rensa: RMinHash
and RMinHashLSH, 128 hashes, 16 bands and threshold 0.8 as its README shows; low with 64 bands. gaoya: MinHashStringIndex, defaults
(20 bands of 5, threshold 0.75); low with 64 bands of 2. simhash: Simhash of the features, 64 bits, SimhashIndex with its default k = 2;
low: all pairs at a distance of at most 16, found with numpy, score 1 - distance / 64. The low threshold is 0.2, of character n-grams 0.4.
Candidates of all but simhash and text-dedup count when the signatures' estimate reaches the threshold.

text-dedup (its MinHash) puts texts that share a band into one cluster and lists no pairs; here these are all pairs within a cluster. It
compares no signatures. Default: its command in this process, at its settings (250 hashes, 5-grams of words split at \\W, threshold 0.7, which
chooses the bands; texts of fewer than five words are skipped). Character n-grams are those of the letters and digits, handed to it as
words, and texts shorter than one n-gram are skipped. Low: signatures, bands and clusters by its own functions, as its command makes them,
at each threshold from 0.95 down by 0.05; the score of a pair is the highest threshold at which both texts are in one cluster. It ends at
a threshold at which clusters hold more than a hundred pairs for each text.
"""

import argparse
import importlib.metadata
import itertools
import json
import os
import re
import tempfile
import time
from pathlib import Path

WORD = re.compile(r"\w+")
HASHES = 128


def least(kind):
    """The low threshold: short texts share character n-grams by chance."""
    return 0.2 if kind == "word5" else 0.4


def features(text, kind):
    """The set of shingles of a text."""
    if kind == "word5":
        parts, size, glue = WORD.findall(text.lower()), 5, " "
    else:
        parts, size, glue = "".join(text.lower().split()), int(kind[-1]), ""
    return {glue.join(parts[i : i + size]) for i in range(max(1, len(parts) - size + 1))}


def datasketch(texts, kind, low):
    from datasketch import MinHash, MinHashLSH

    threshold = least(kind) if low else 0.9
    index = MinHashLSH(threshold=threshold, num_perm=HASHES)
    sketches = []
    for number, text in enumerate(texts):
        sketch = MinHash(num_perm=HASHES)
        sketch.update_batch([feature.encode() for feature in features(text, kind)])
        for other in index.query(sketch):
            score = sketches[other].jaccard(sketch)
            if score >= threshold:
                yield other, number, score
        sketches.append(sketch)
        index.insert(number, sketch, check_duplication=False)


def rensa(texts, kind, low):
    from rensa import RMinHash, RMinHashLSH

    threshold = least(kind) if low else 0.8
    index = RMinHashLSH(threshold=threshold, num_perm=HASHES, num_bands=64 if low else 16)
    sketches = []
    for number, text in enumerate(texts):
        sketch = RMinHash(num_perm=HASHES, seed=42)
        sketch.update(list(features(text, kind)))
        for other in set(index.query(sketch)):
            score = sketches[other].jaccard(sketch)
            if score >= threshold:
                yield other, number, score
        sketches.append(sketch)
        index.insert(number, sketch)


def gaoya(texts, kind, low):
    from gaoya.minhash import MinHashStringIndex

    size = int(kind[-1])
    settings = {"jaccard_threshold": least(kind), "num_bands": 64, "band_size": 2} if low else {}
    analyzer = "word" if kind == "word5" else "char"
    index = MinHashStringIndex(analyzer=analyzer, lowercase=True, ngram_range=(size, size), **settings)
    for number, text in enumerate(texts):
        for other, score in index.query(text, return_similarity=True):
            yield other, number, score
        index.insert_document(number, text)


def simhash(texts, kind, low):
    from simhash import Simhash, SimhashIndex

    made = [Simhash(sorted(features(text, kind))) for text in texts]
    if low:
        yield from hamming([one.value for one in made])
        return
    index = SimhashIndex([], k=2)
    for number, one in enumerate(made):
        for other in index.get_near_dups(one):
            yield int(other), number, 1 - one.distance(made[int(other)]) / 64
        index.add(str(number), one)


def hamming(values, most=16):
    import numpy

    values = numpy.array(values, dtype=numpy.uint64)
    for number in range(1, len(values)):
        distances = numpy.bitwise_count(values[:number] ^ values[number])
        for other in numpy.flatnonzero(distances <= most):
            yield int(other), number, 1 - int(distances[other]) / 64


def text_dedup(texts, kind, low):
    size = int(kind[-1])
    shortest = 5 if kind == "word5" else size
    if kind != "word5":
        texts = [" ".join("".join(WORD.findall(text))) for text in texts]
    if low:
        yield from text_dedup_low(texts, size, shortest, least(kind))
        return
    from text_dedup import minhash

    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder) / "docs.jsonl"
        docs.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
        options = {"path": "json", "data_files": docs, "split": "train", "column": "text", "ngram": size, "min_length": shortest}
        options |= {"num_proc": 1, "cache_dir": Path(folder) / "cache", "output": Path(folder) / "kept"}
        minhash.main([f"--{name}={value}" for name, value in options.items()], standalone_mode=False)
    yield from ((a, b, 0.7) for a, b in inside(clusters(minhash.uf)))


def text_dedup_low(texts, size, shortest, lowest):
    import numpy
    from text_dedup import minhash
    from text_dedup.utils import UnionFind, optimal_param, sha1_hash

    hashes, most, prime = 250, numpy.uint32((1 << 32) - 1), numpy.uint64((1 << 61) - 1)
    settings = {
        "num_perm": hashes,
        "ngram_size": size,
        "min_length": shortest,
        "hashranges": [(number, number + 1) for number in range(hashes)],
        "permutations": tuple(minhash.RNG.randint(start, prime, size=(hashes,), dtype=numpy.uint64) for start in (1, 0)),
        "hash_func": sha1_hash,
        "dtype": numpy.uint64,
        "max_hash": most,
        "modulo_prime": prime,
    }
    signatures = {}
    for number, text in enumerate(texts):
        if len(minhash.NON_ALPHA.split(text.lower())) >= shortest:
            signatures[number] = b"".join(minhash.embed_func(text, number, **settings)[minhash.SIGNATURE_COLUMN])
    width = 8  # bytes of a hash
    seen = set()
    for threshold in (step / 100 for step in range(95, round(100 * lowest) - 1, -5)):
        bands, rows = optimal_param(threshold, hashes)
        sets = UnionFind()
        for start in range(0, bands * rows * width, rows * width):
            first = {}
            for number, signature in signatures.items():
                key = signature[start : start + rows * width]
                if first.setdefault(key, number) != number:
                    sets.union(number, first[key])
        found = clusters(sets)
        if sum(len(one) * (len(one) - 1) // 2 for one in found) > 100 * len(texts):
            return
        for pair in inside(found):
            if pair not in seen:
                seen.add(pair)
                yield *pair, threshold


def clusters(sets):
    """The clusters of text-dedup's union-find."""
    members = {}
    for number in sorted(sets.parent):
        members.setdefault(sets.find(number), []).append(number)
    return members.values()


def inside(found):
    """All pairs inside clusters."""
    return (pair for one in found for pair in itertools.combinations(one, 2))


PEERS = {"gaoya": gaoya, "datasketch": datasketch, "rensa": rensa, "simhash": simhash, "text-dedup": text_dedup}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=sorted(PEERS))
    parser.add_argument("docs")
    parser.add_argument("out")
    parser.add_argument("--features", choices=["word5", "char2", "char3"], default="word5")
    parser.add_argument("--threshold", choices=["default", "low"], default="default")
    args = parser.parse_args()
    start = time.perf_counter()
    ids, texts = [], []
    with open(args.docs, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            record = json.loads(line)
            ids.append(record["id"])
            texts.append(record["text"])
    count = 0
    with open(args.out, "w", encoding="utf-8", newline="\n") as out:
        out.write("id_a\tid_b\tscore\n")
        for a, b, score in PEERS[args.peer](texts, args.features, args.threshold == "low"):
            out.write(f"{ids[a]}\t{ids[b]}\t{score:.6f}\n")
            count += 1
    version = importlib.metadata.version(args.peer)
    print(json.dumps({"peer": args.peer, "version": version, "pairs": count, "wall_s": time.perf_counter() - start}), flush=True)
    # Tearing the index down is no part of the work.
    os._exit(0)


if __name__ == "__main__":
    main()

"""Lists the near-duplicate pairs that a peer finds, at its defaults and down to a low threshold.

    python pairs.py PEER DOCS.jsonl OUT --features word5 --threshold default|low

PEER is gaoya, datasketch, rensa, simhash, text-dedup or datatrove. OUT is a TSV file: id_a, id_b, score; the score is the peer's own
estimate. With `default` the peer's own default threshold is used where it has one, with `low` one from which the best can be sought. Prints
a line of JSON.

Settings. Features are sets of shingles of the lower-cased text: `word3` are runs of three words, `char3` of three characters other than
white space; gaoya makes its own of the same kind. datasketch: MinHashLSH, 128 hashes, default threshold 0.9, its optimiser chooses the
bands. rensa: RMinHash and RMinHashLSH, 128 hashes, 16 bands and threshold 0.8 as its README shows; low with 64 bands. gaoya:
MinHashStringIndex, defaults (20 bands of 5, threshold 0.75); low with 64 bands of 2. simhash: Simhash of the features, 64 bits,
SimhashIndex with its default k = 2; low: all pairs at a distance of at most 16, found with numpy, score 1 - distance / 64. The low
threshold is 0.1, of two words or five characters 0.2, of single words and of fewer characters 0.4. Candidates of datasketch, rensa and
gaoya count when the signatures' estimate reaches the threshold.

text-dedup (its MinHash) puts texts that share a band into one cluster and lists no pairs; here these are all pairs within a cluster. It
compares no signatures. Default: its command in this process, at its settings (250 hashes, 5-grams of words split at \\W, threshold 0.7,
which chooses the bands; texts of fewer words than one n-gram are skipped). Character n-grams are those of the letters and digits, handed to
it as words, and texts shorter than one n-gram are skipped. Low: signatures and bands by its own functions, and the clusters that they give,
at each threshold from 0.95 down by 0.05; the score of a pair is the highest threshold at which both texts are in one cluster. It ends at a
threshold at which clusters hold more than a hundred pairs for each text.

datatrove (MinhashDedupSignature) is driven in the same way: signatures of 112 hashes by its functions, of texts that it simplifies (numbers
become 0, accents go) and that are split at white space, as punctuation is gone; SHA-1, as its xxhash takes no strings since version 4.
Default: its preset of 14 bands of 8; low: bands of 50 to 112 hashes in all, chosen for the same thresholds.
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


def parsed(kind):
    """The unit of a kind of feature, and how many of them make one."""
    return kind[:-1], int(kind[-1])


def least(kind):
    """The low threshold: texts share words and short runs of characters by chance."""
    unit, size = parsed(kind)
    return {"char": [0.4, 0.4, 0.4, 0.4, 0.2], "word": [0.4, 0.2, 0.1, 0.1, 0.1]}[unit][size - 1]


def features(text, kind):
    """The set of shingles of a text."""
    unit, size = parsed(kind)
    parts, glue = (WORD.findall(text.lower()), " ") if unit == "word" else ("".join(text.lower().split()), "")
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

    unit, size = parsed(kind)
    settings = {"jaccard_threshold": least(kind), "num_bands": 64, "band_size": 2} if low else {}
    index = MinHashStringIndex(analyzer=unit, lowercase=True, ngram_range=(size, size), **settings)
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


def as_words(texts, unit):
    """Texts as they are, or, for tools that know n-grams of words alone, with each letter and digit as a word."""
    return texts if unit == "word" else [" ".join("".join(WORD.findall(text))) for text in texts]


def text_dedup(texts, kind, low):
    unit, size = parsed(kind)
    texts = as_words(texts, unit)
    if low:
        yield from text_dedup_low(texts, size, least(kind))
        return
    from text_dedup import minhash

    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder) / "docs.jsonl"
        docs.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
        options = {"path": "json", "data_files": docs, "split": "train", "column": "text", "ngram": size, "min_length": size}
        options |= {"num_proc": 1, "cache_dir": Path(folder) / "cache", "output": Path(folder) / "kept"}
        minhash.main([f"--{name}={value}" for name, value in options.items()], standalone_mode=False)
    members = {}
    for number in sorted(minhash.uf.parent):
        members.setdefault(minhash.uf.find(number), []).append(number)
    yield from ((a, b, 0.7) for one in members.values() for a, b in itertools.combinations(one, 2))


def text_dedup_low(texts, size, lowest):
    import numpy
    from text_dedup import minhash
    from text_dedup.utils import optimal_param, sha1_hash

    hashes, most, prime = 250, numpy.uint32((1 << 32) - 1), numpy.uint64((1 << 61) - 1)
    settings = {
        "num_perm": hashes,
        "ngram_size": size,
        "min_length": size,
        "hashranges": [(number, number + 1) for number in range(hashes)],
        "permutations": tuple(minhash.RNG.randint(start, prime, size=(hashes,), dtype=numpy.uint64) for start in (1, 0)),
        "hash_func": sha1_hash,
        "dtype": numpy.uint64,
        "max_hash": most,
        "modulo_prime": prime,
    }
    signatures = {}
    for number, text in enumerate(texts):
        if len(minhash.NON_ALPHA.split(text.lower())) >= size:
            signatures[number] = b"".join(minhash.embed_func(text, number, **settings)[minhash.SIGNATURE_COLUMN])
    thresholds = [step / 100 for step in range(95, round(100 * lowest) - 1, -5)]
    return banded(signatures, [(threshold, *optimal_param(threshold, hashes)) for threshold in thresholds])


def datatrove(texts, kind, low):
    import numpy
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupSignature
    from datatrove.utils.hashing import HashConfig
    from datatrove.utils.word_tokenizers import WordTokenizer

    class Split(WordTokenizer):
        word_tokenize = span_tokenize = sent_tokenize = staticmethod(str.split)

    unit, size = parsed(kind)
    with tempfile.TemporaryDirectory() as folder:
        maker = MinhashDedupSignature(folder, MinhashConfig(n_grams=size, hash_config=HashConfig(hash_fc="sha1")), language=Split())
    signatures = {}
    for number, text in enumerate(as_words(texts, unit)):
        shingles = maker.get_shingles(text)
        if shingles.size:
            signatures[number] = numpy.array(maker.get_signature(shingles), dtype=numpy.uint64).tobytes()
    layouts = [((1 / bands) ** (1 / rows), bands, rows) for rows in range(2, 51) for bands in range(50 // rows, 112 // rows + 1)]
    targets = [step / 100 for step in range(95, round(100 * least(kind)) - 1, -5)]
    steps = [min(layouts, key=lambda one: abs(one[0] - target)) for target in targets]
    return banded(signatures, steps if low else [(0.72, 14, 8)])


def banded(signatures, steps):
    """The pairs within clusters of texts that share a band, at each threshold with its bands and rows, from the highest down."""
    width = 8  # bytes of a hash
    seen = set()
    for threshold, bands, rows in steps:
        root = {number: number for number in signatures}
        for start in range(0, bands * rows * width, rows * width):
            first = {}
            for number, signature in signatures.items():
                a, b = number, first.setdefault(signature[start : start + rows * width], number)
                while root[a] != a:
                    a = root[a]
                while root[b] != b:
                    b = root[b]
                root[max(a, b)] = root[number] = min(a, b)
        members = {}
        for number in sorted(root):
            while root[number] != root[root[number]]:
                root[number] = root[root[number]]
            members.setdefault(root[number], []).append(number)
        if sum(len(one) * (len(one) - 1) // 2 for one in members.values()) > 100 * len(signatures):
            return
        for pair in (pair for one in members.values() for pair in itertools.combinations(one, 2)):
            if pair not in seen:
                seen.add(pair)
                yield *pair, threshold


PEERS = {"gaoya": gaoya, "datasketch": datasketch, "rensa": rensa, "simhash": simhash, "text-dedup": text_dedup, "datatrove": datatrove}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=sorted(PEERS))
    parser.add_argument("docs")
    parser.add_argument("out")
    parser.add_argument("--features", choices=[f"{unit}{size}" for unit in ("word", "char") for size in range(1, 6)], default="word5")
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

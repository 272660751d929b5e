"""Run a near-duplicate peer over a JSONL corpus, as one would use it to remove copies.

    python run_peer.py PEER CORPUS.jsonl OUT.tsv [--survivors FILE.jsonl] [--insert survivors|all] [--limit N]

PEER is gaoya or datasketch. For each record, in order: ask the index for near duplicates, then insert it. A record
for which the index knows one is removed; the others are written to the survivors' file, line by line as they stand,
so that the work is that of a whole run. Every pair that the index returns is written to OUT.tsv (id_a, id_b).

With --insert survivors (the default) only texts that stay are inserted: the least work, and what a user would do.
Pairs of two removed texts are never seen then. With --insert all every text is inserted, so that the pairs can be
held against all true pairs; use it for recall, not for speed.

Settings: 5-word shingles of the lower-cased text, 128 hashes, threshold 0.8. gaoya: 16 bands of 8, its own shingles,
made in Rust. datasketch: its optimiser chooses the bands (9 of 13 at 0.8); shingles are made here, since it has no
tokeniser, and are handed over as a set. Neither is verified on the texts; gaoya, and datasketch here, compare the
signatures of candidates.

Prints one line of JSON: peer, version, records, removed, pairs, wall and CPU seconds (user and system of the process,
set-up included), and the peak of the resident set in MiB.
"""

import argparse
import importlib.metadata
import json
import os
import re
import resource
import sys
import time

THRESHOLD = 0.8
HASHES = 128
WORDS = 5
WORD = re.compile(r"\w+")


class Gaoya:
    """MinHashStringIndex: tokenises, hashes and looks up in Rust."""

    def __init__(self):
        from gaoya.minhash import MinHashStringIndex

        self.index = MinHashStringIndex(
            hash_size=32,
            jaccard_threshold=THRESHOLD,
            num_bands=16,
            band_size=8,
            num_hashes=None,
            analyzer="word",
            lowercase=True,
            ngram_range=(WORDS, WORDS),
            id_container="smallvec",
        )

    def prepare(self, text):
        return text

    def query(self, text):
        return self.index.query(text)

    def insert(self, number, text):
        self.index.insert_document(number, text)


class Datasketch:
    """MinHashLSH; candidates count if their signatures agree in at least 80 % of the places."""

    def __init__(self):
        from datasketch import MinHash, MinHashLSH

        self.sketch = MinHash
        self.index = MinHashLSH(threshold=THRESHOLD, num_perm=HASHES)
        self.sketches = {}

    def prepare(self, text):
        words = WORD.findall(text.lower())
        shingles = {" ".join(words[i : i + WORDS]).encode() for i in range(max(1, len(words) - WORDS + 1))}
        sketch = self.sketch(num_perm=HASHES)
        sketch.update_batch(shingles)
        return sketch

    def query(self, sketch):
        return [n for n in self.index.query(sketch) if self.sketches[n].jaccard(sketch) >= THRESHOLD]

    def insert(self, number, sketch):
        self.sketches[number] = sketch
        self.index.insert(number, sketch, check_duplication=False)


PEERS = {"gaoya": Gaoya, "datasketch": Datasketch}


def run(peer, corpus, pairs, survivors, insert_all, limit):
    """Query, then insert, over all records; returns how many there are, went, and how many pairs were given."""
    ids, removed, given = [], 0, 0
    pairs.write("id_a\tid_b\n")
    for number, line in enumerate(corpus):
        if number == limit:
            break
        record = json.loads(line)
        prepared = peer.prepare(record["text"])
        partners = sorted(peer.query(prepared))
        ids.append(record["id"])
        for partner in partners:
            pairs.write(f"{ids[partner]}\t{record['id']}\n")
        given += len(partners)
        if partners:
            removed += 1
        else:
            survivors.write(line)
        if insert_all or not partners:
            peer.insert(number, prepared)
    return len(ids), removed, given


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=sorted(PEERS))
    parser.add_argument("corpus")
    parser.add_argument("out")
    parser.add_argument("--survivors", help="default: OUT with .survivors.jsonl behind it")
    parser.add_argument("--insert", choices=["survivors", "all"], default="survivors")
    parser.add_argument("--limit", type=int, help="stop after so many records")
    args = parser.parse_args()
    start = time.perf_counter()
    peer = PEERS[args.peer]()
    survivors = args.survivors or args.out + ".survivors.jsonl"
    with (
        open(args.corpus, encoding="utf-8", newline="\n") as corpus,
        open(args.out, "w", encoding="utf-8", newline="\n") as pairs,
        open(survivors, "w", encoding="utf-8", newline="\n") as kept,
    ):
        records, removed, given = run(peer, corpus, pairs, kept, args.insert == "all", args.limit)
    used = resource.getrusage(resource.RUSAGE_SELF)
    # Linux counts kibibytes, macOS bytes.
    peak = used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    result = {
        "peer": args.peer,
        "version": importlib.metadata.version(args.peer),
        "insert": args.insert,
        "records": records,
        "removed": removed,
        "pairs": given,
        "wall_s": round(time.perf_counter() - start, 2),
        "cpu_s": round(used.ru_utime + used.ru_stime, 2),
        "peak_mib": round(peak),
    }
    print(json.dumps(result), flush=True)
    # Tearing the index down is no part of the work.
    os._exit(0)


if __name__ == "__main__":
    main()

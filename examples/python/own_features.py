"""Builds on the parts: a complete join over your own features, and a sketch for your own store.

    python own_features.py testdata/peps.jsonl
"""

import json
import sys

import tegula


def main(path: str) -> None:
    with open(path, encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]

    # Shingles of three tokens in one set with the words of the first line: any numbers will do.
    features = tegula.Features(ngram=3)
    sets = [{*features.fingerprints(text), *features.fingerprints(text.split("\n")[0])} for text in texts]
    pairs = tegula.Join(0.8).pairs(sets)
    print(f"{len(pairs)} pairs of {len(texts)} texts; the first: {pairs[0]}")

    # What a vector store or a stream would keep of each text.
    a, b = pairs[0][:2]
    one, other = features.minhash(texts[a], 256), features.minhash(texts[b], 256)
    estimate = sum(x == y for x, y in zip(one, other, strict=True)) / 256
    distance = (features.simhash(texts[a]) ^ features.simhash(texts[b])).bit_count()
    print(f"resemblance estimated from 256 minima {estimate:.2f}; bits in which simhash differs {distance}")


if __name__ == "__main__":
    main(sys.argv[1])

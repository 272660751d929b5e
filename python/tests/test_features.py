"""Features of texts, and joins over them."""

from __future__ import annotations

import itertools
import pickle
import random

import pytest
import tegula


def test_tokens_are_those_that_are_compared():
    assert tegula.tokens("Hello, WORLD!") == ["hello", "world"]
    assert tegula.tokens("Hello", **{"normalise.case": "keep"}) == ["Hello"]


def test_fingerprints_are_equal_for_equal_shingles():
    a, b = tegula.fingerprints("a b c d e f", ngram=3), tegula.fingerprints("x b c d e f", ngram=3)
    assert len(a) == 4 and a[1:] == b[1:] and a[0] != b[0]


def test_minhash_estimates_resemblance():
    words = [f"w{number}" for number in range(400)]
    a, b = " ".join(words[:300]), " ".join(words[100:])
    features = tegula.Features(ngram=1)
    one, other = features.minhash(a, 512), features.minhash(b, 512)
    agreement = sum(x == y for x, y in zip(one, other)) / 512
    assert agreement == pytest.approx(0.5, abs=0.08)
    assert features.minhash(a, 100) == one[:100]
    assert features.minhash("", 8) == []


def test_simhash_is_near_for_near_texts():
    words = [f"w{number}" for number in range(400)]
    near = tegula.simhash(" ".join(words)) ^ tegula.simhash(" ".join([*words, "more"]))
    far = tegula.simhash(" ".join(words)) ^ tegula.simhash(" ".join(word + "x" for word in words))
    assert near.bit_count() < far.bit_count()


@pytest.mark.parametrize("measure", ["resemblance", "containment"])
@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 1])
def test_joins_equal_brute_force(measure, threshold):
    chance = random.Random(7)
    sets = [{chance.randrange(12) for _ in range(chance.randrange(9))} for _ in range(60)]
    expected = []
    for (i, a), (j, b) in itertools.combinations(enumerate(sets), 2):
        if not a or not b:
            continue
        whole = len(a | b) if measure == "resemblance" else min(len(a), len(b))
        if len(a & b) / whole >= threshold:
            expected.append((i, j, pytest.approx(len(a & b) / whole)))
    assert tegula.Join(threshold, measure=measure).pairs(sets) == expected
    with pytest.raises(tegula.UsageError):
        tegula.Join(0.5, measure="cosine")


def test_what_is_built_once_can_be_sent_to_other_processes():
    features = tegula.Features("copies", ngram=3)
    assert pickle.loads(pickle.dumps(features)).fingerprints("a b c d") == features.fingerprints("a b c d")
    assert pickle.loads(pickle.dumps(tegula.Join(0.5))).pairs([[1], [1]]) == [(0, 1, 1.0)]

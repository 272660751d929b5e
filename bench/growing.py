#!/usr/bin/env python3
"""A collection of made-up words whose pairs grow as its texts: for measuring growth.

    bench/growing.py MB OUT.jsonl

Texts of 60 to 600 words, which are as frequent as in natural language; one in five is a copy of one of the last 400 originals with 3 % of
its words exchanged. The same size gives the same bytes. Needs numpy.
"""

import random
import sys

import numpy

WORDS = 400_000
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
TOGETHER = 2_000


def spelled(number):
    """The shorter, the more frequent."""
    word = ""
    while True:
        word += LETTERS[number % 26]
        number //= 26
        if number == 0:
            return word


def main():
    megabytes, out = int(sys.argv[1]), sys.argv[2]
    numbers, choices = numpy.random.default_rng(7), random.Random(7)
    words = numpy.array([spelled(number) for number in range(WORDS)], dtype=object)
    frequencies = 1 / numpy.arange(1, WORDS + 1)
    below = numpy.cumsum(frequencies / frequencies.sum())
    size, count, originals = 0, 0, []
    with open(out, "w") as file:
        while size < megabytes * 1e6:
            lengths = numbers.integers(60, 600, TOGETHER)
            drawn = numpy.searchsorted(below, numbers.random(lengths.sum())).clip(0, WORDS - 1)
            for text in numpy.split(drawn, numpy.cumsum(lengths)[:-1]):
                if numbers.random() < 0.2 and originals:
                    text = originals[choices.randrange(len(originals))].copy()
                    changed = numbers.random(len(text)) < 0.03
                    text[changed] = numbers.integers(0, WORDS, changed.sum())
                elif numbers.random() < 0.02:
                    originals = [*originals[-399:], text]
                line = " ".join(words[text])
                file.write(f'{{"id":"d{count}","text":"{line}"}}\n')
                size += len(line)
                count += 1


if __name__ == "__main__":
    main()

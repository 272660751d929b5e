#!/usr/bin/env python3
"""A crawl as large as you like, made of a few pages: a WARC of their repetitions, each with edits.

    bench/crawl.py PAGES OUT.warc MEGABYTES

Of three captures of a page, one is as it was, one has every 40th word of its paragraphs changed, and one every
third, which makes another text of it. Requests stand between them. The same arguments give the same file.
"""
import os
import random
import re
import sys

WORD = re.compile(rb">[^<>]{40,}<")


def edited(page, every, draw):
    def sentence(match):
        words = match.group(0).split(b" ")
        for at in range(draw.randrange(every), len(words), every):
            if words[at][:1].isalpha():
                words[at] = b"w%06d" % draw.randrange(10**6)
        return b" ".join(words)

    return WORD.sub(sentence, page)


def main(pages, out, megabytes):
    draw = random.Random(2026)
    names = sorted(os.listdir(pages))
    bodies = []
    for name in names:
        with open(os.path.join(pages, name), "rb") as file:
            bodies.append(file.read())
    written, number = 0, 0
    with open(out, "wb") as file:
        while written < int(megabytes) << 20:
            at = draw.randrange(len(bodies))
            every = [0, 40, 3][number % 3]
            page = edited(bodies[at], every, draw) if every else bodies[at]
            for kind, head, body in [
                ("request", b"", b"GET / HTTP/1.1\r\n\r\n"),
                ("response", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", page),
            ]:
                block = head + body
                record = (
                    f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x:{kind}:{number}>\r\n"
                    f"WARC-Target-URI: http://x/{names[at]}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
                    f"Content-Length: {len(block)}\r\n\r\n"
                ).encode() + block + b"\r\n\r\n"
                file.write(record)
                written += len(record)
            number += 1
    print(f"{number} pages, {written} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])

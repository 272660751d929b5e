#!/usr/bin/env python3
"""Makes a collection of short messages: real ones, and copies of them with a few edits.

    make_messages.py nus-sms/en.jsonl.zst nus-sms/zh.jsonl.zst weibo-titles/titles.tsv.zst -o messages.jsonl --count 1000000

Inputs are JSON Lines with "text", or TSV with the text in the last column; .zst needs the program zstd. Each distinct text is
taken once. As many messages as are still wanted are copies: a message that is copied at all gets 1 to MOST copies, each with 0 to
3 edits: a character dropped, doubled, swapped with the next or replaced by one of another message; a number changed; a few words
put before or behind. The order is random, but copies stand near their original, as in a wave of messages: within SPREAD of the
collection. So the first half holds whole groups, and about half of the pairs; with --spread 1 it holds half of each group, and a
quarter of the pairs. Field "group" names the original, so that `tegula evaluate` can read the result as gold. The same seed gives
the same bytes.
"""

import argparse
import json
import random
import re
import subprocess
import sys


def lines(path):
    if path.endswith(".zst"):
        with subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE) as process:
            yield from (line.decode("utf-8") for line in process.stdout)
        if process.returncode:
            sys.exit(f"{path}: zstd failed")
    else:
        with open(path, encoding="utf-8") as file:
            yield from file


def texts(path):
    for line in lines(path):
        line = line.rstrip("\n")
        text = json.loads(line)["text"] if line.startswith("{") else line.split("\t")[-1]
        if text.strip():
            yield text


ENDS = ["!!", " :)", "...", " 👍", " pls", " ok", "！", "？", "转发", "~"]


def edited(text, rng, others):
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3))):
        kind = rng.randrange(6)
        place = rng.randrange(len(text)) if text else 0
        if kind == 0 and len(text) > 4:
            text = text[:place] + text[place + 1 :]
        elif kind == 1:
            text = text[: place + 1] + text[place:]
        elif kind == 2 and place + 1 < len(text):
            text = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
        elif kind == 3:
            other = rng.choice(others)
            text = text[:place] + rng.choice(other) + text[place + 1 :]
        elif kind == 4 and re.search(r"\d", text):
            text = re.sub(r"\d", lambda _: str(rng.randrange(10)), text, count=1 + rng.randrange(4))
        elif rng.random() < 0.5:
            text += rng.choice(ENDS)
        else:
            text = rng.choice(ENDS).strip() + " " + text
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", metavar="FILE")
    parser.add_argument("-o", "--output", required=True, metavar="FILE.jsonl")
    parser.add_argument("--count", type=int, default=1_000_000, help="messages in all (default: %(default)s)")
    parser.add_argument("--most", type=int, default=8, help="copies of a message at most (default: %(default)s)")
    parser.add_argument("--spread", type=float, default=0.02, help="how far copies stand apart, of all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another number makes another collection")
    args = parser.parse_args()

    rng = random.Random(args.seed)
    real = list(dict.fromkeys(text for path in args.inputs for text in texts(path)))
    if not real:
        sys.exit("expected messages, found none")
    rng.shuffle(real)
    del real[args.count :]
    messages = [(rng.random(), group, text) for group, text in enumerate(real)]
    starts = [start for start, _, _ in messages]
    while len(messages) < args.count:
        group = rng.randrange(len(real))
        for _ in range(min(rng.randint(1, args.most), args.count - len(messages))):
            messages.append(((starts[group] + args.spread * rng.random()) % 1, group, edited(real[group], rng, real)))
    messages.sort()
    with open(args.output, "w", encoding="utf-8") as out:
        for number, (_, group, text) in enumerate(messages):
            out.write(json.dumps({"id": f"m{number}", "group": f"g{group}", "text": text}, ensure_ascii=False) + "\n")
    print(f"{len(messages)} messages, {len(real)} of them real", file=sys.stderr)


if __name__ == "__main__":
    main()

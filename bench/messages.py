"""Short messages drawn from a corpus of real ones, for timing recipes on many of them.

    python messages.py SMS.jsonl OUT.jsonl [--count 1000000]

SMS.jsonl has a message in the field `text` of each line. Nine in ten of the messages made have as many words as one of these, three at least, all
drawn from the words of the first 3,000; each tenth is one of them with a word replaced. A smaller count gives the first lines of a larger one.
"""

import argparse
import json
import random

SHARED = 3000

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("sms")
parser.add_argument("out")
parser.add_argument("--count", type=int, default=1_000_000)
options = parser.parse_args()
draw = random.Random(3)
with open(options.sms, encoding="utf-8") as file:
    messages = [json.loads(line)["text"] for line in file]
words = [word for message in messages[:SHARED] for word in message.split()]
with open(options.out, "w", encoding="utf-8") as out:
    for number in range(options.count):
        message = draw.choice(messages).split()
        if draw.random() < 0.9:
            message = [draw.choice(words) for _ in range(max(3, len(message)))]
        elif message:
            message[draw.randrange(len(message))] = draw.choice(words)
        out.write(json.dumps({"id": number, "text": " ".join(message)}, ensure_ascii=False) + "\n")

"""How many questions a server answers while texts are added.

    python bench/serve.py TEGULA CORPUS.jsonl [--recipe NAME] [--seconds 20] [--adding 500] [--connections 4]

Makes an index of the texts of CORPUS.jsonl (`id`, `text`) with the program TEGULA, serves it, and asks it with wrk about texts of the corpus of
which up to one word in ten was exchanged, and about others that are not in it: alone, then while single texts are added by other clients at
about the given number a second. Every answer must be a success, a sample of them what `tegula query` gives, and every text that was
acknowledged be in the index afterwards. Server, wrk and additions share the machine.
"""

import argparse
import atexit
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("tegula")
parser.add_argument("corpus")
parser.add_argument("--recipe", default="copies")
parser.add_argument("--seconds", type=int, default=20)
parser.add_argument("--adding", type=int, default=500, help="texts added a second")
parser.add_argument("--connections", type=int, default=4, help="clients that ask")
parser.add_argument("--checked", type=int, default=100, help="answers that are compared with the command line")
options = parser.parse_args()

draw = random.Random(11)
folder = Path(tempfile.mkdtemp(prefix="tegula-serve-"))
# Each client that adds rests so long between two texts, in milliseconds.
REST = 90


def exchanged(text):
    """A text of which up to one word in ten is another."""
    share = draw.choice([0.01, 0.02, 0.04, 0.1])
    return " ".join(draw.choice(words) if draw.random() < share else word for word in text.split(" "))


sample, words = [], []
with open(options.corpus, encoding="utf-8") as lines:
    for number, line in enumerate(lines):
        text = json.loads(line)["text"]
        if len(words) < 200_000:
            words.extend(text.split(" "))
        if len(sample) < 2000:
            sample.append(text)
        elif draw.random() < 2000 / (number + 1):
            sample[draw.randrange(2000)] = text
questions = [exchanged(text) if at % 2 else " ".join(draw.choices(words, k=len(text.split(" ")))) for at, text in enumerate(sample)]
(folder / "questions").write_text("".join(json.dumps({"text": text}) + "\n" for text in questions))
wanted = options.adding * (options.seconds + 10)
with open(folder / "texts", "w", encoding="utf-8") as out:
    for number in range(wanted):
        text = {"id": f"new-{number}", "text": exchanged(sample[number % len(sample)])}
        out.write(json.dumps({"texts": [text]}) + "\n")

index = folder / "idx"
subprocess.run([options.tegula, "index", index, options.corpus, "--recipe", options.recipe, "-q"], check=True)
server = subprocess.Popen([options.tegula, "serve", index, "--address", "127.0.0.1:0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
atexit.register(server.kill)
url = re.search(r"http://\S+?/", server.stderr.readline()).group().rstrip("/")


def ask(path, body=None):
    request = urllib.request.Request(url + path, json.dumps(body).encode() if body else None, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return response.read().decode()


def wrk(connections, seconds, path, file, rest):
    line = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}", "-s", Path(__file__).with_name("serve.lua"), url, "--", path, folder / file, str(rest)]
    return subprocess.Popen([str(part) for part in line], stdout=subprocess.PIPE, text=True)


def result(process):
    """Requests, seconds, failures, and the mean, 99 % and longest time in ms."""
    found = re.search(r"^result (.*)$", process.communicate()[0], re.M).group(1).split()
    return int(found[0]), float(found[1]), int(found[2]), *map(float, found[3:])


def show(name, found):
    requests, seconds, failures, mean, most_of, longest = found
    print(f"{name:32} {requests / seconds:8,.0f} a second, mean {mean:.2f} ms, 99 % {most_of:.2f}, longest {longest:.1f}, {failures} failed")
    if failures:
        sys.exit("some requests failed")


def memory():
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(re.search(r"RssAnon:\s*(\d+)", status).group(1)) / 1024


with open(folder / "some.jsonl", "w", encoding="utf-8") as out:
    for number, text in enumerate(questions[: options.checked]):
        out.write(json.dumps({"id": str(number), "text": text}) + "\n")
answers = subprocess.run([options.tegula, "query", index, folder / "some.jsonl", "--threads", "1", "-q"], check=True, capture_output=True, text=True)
for line, text in zip(answers.stdout.splitlines(), questions):
    given = json.loads(ask("/query", {"text": text}))
    if given["matches"] != json.loads(line)["matches"]:
        sys.exit(f"another answer than the command line's: {given}, {line}")
before = json.loads(ask("/health"))["texts"]
print(f"{before:,} texts, recipe {options.recipe}, {os.cpu_count()} cores, {options.connections} clients that ask")
wrk(options.connections, 3, "/query", "questions", 0).communicate()
show("asked", result(wrk(options.connections, options.seconds, "/query", "questions", 0)))
adding = wrk(max(1, options.adding * (REST + 20) // 1000), options.seconds + 4, "/texts", "texts", REST)
time.sleep(2)
show("asked, while texts are added", result(wrk(options.connections, options.seconds, "/query", "questions", 0)))
held = memory()
added = result(adding)
show("added, one in each request", added)
print(f"memory beside the page cache     {held:.0f} MiB")
server.send_signal(signal.SIGTERM)
server.wait()
info = json.loads(subprocess.run([options.tegula, "index", index, "--info", "--check", "--json"], check=True, capture_output=True, text=True).stdout)
if info["texts"] < before + added[0]:
    sys.exit(f"acknowledged texts are missing: {info['texts']}, {before}, {added[0]}")
shutil.rmtree(folder)

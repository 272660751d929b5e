"""What an index costs, and whether its answers are those of a run.

    python bench/index.py TEGULA CORPUS.jsonl [--recipe NAME] [--frame WORDS] [--queries 1000] [--no-texts] [--memory 512M]

Makes an index of the texts of CORPUS.jsonl (`id`, `text`) with the program TEGULA, adds a thousand more to it, and asks it about texts of the
corpus of which up to one word in ten was exchanged, and about others that are not in it. A sample of the answers is compared with `tegula pairs
--against`. With `--frame`, every text has so many words in front that are the same in all, as pages of a site have. Latencies are CPU time of
one thread by the Python package `tegula`, if it can be imported; without it only the mean of the command line is shown.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("tegula")
parser.add_argument("corpus")
parser.add_argument("--recipe", default="copies")
parser.add_argument("--frame", type=int, default=0)
parser.add_argument("--queries", type=int, default=1000)
parser.add_argument("--checked", type=int, default=100, help="queries whose answers are compared with a run")
parser.add_argument("--no-texts", action="store_true")
parser.add_argument("--memory", default="512M")
options = parser.parse_args()

draw = random.Random(11)
folder = Path(tempfile.mkdtemp(prefix="tegula-index-"))


def run(*line):
    """Runs the program; returns CPU seconds, seconds, MiB at its peak, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = time.perf_counter()
    process = subprocess.Popen([options.tegula, *map(str, line)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, said = process.communicate()
    seconds = time.perf_counter() - clock
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        sys.exit(said.decode())
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, seconds, out.decode()


def exchanged(text, words):
    """A text of which up to one word in ten is another."""
    share = draw.choice([0.01, 0.02, 0.04, 0.1])
    return " ".join(draw.choice(words) if draw.random() < share else word for word in text.split(" "))


frame = ""
texts = bytes_ = 0
sample, words = [], []
corpus, more, asked = folder / "corpus.jsonl", folder / "more.jsonl", folder / "asked.jsonl"
with open(options.corpus, encoding="utf-8") as lines, open(corpus, "w", encoding="utf-8") as out, open(more, "w", encoding="utf-8") as added:
    for number, line in enumerate(lines):
        text = json.loads(line)["text"]
        if options.frame and not frame:
            frame = " ".join(re.findall(r"\w+", text * 20)[: options.frame]) + " "
        # A reservoir of texts to ask about; the last thousand met are added later.
        if len(words) < 200_000:
            words.extend(text.split(" "))
        if len(sample) < options.queries:
            sample.append(text)
        elif draw.random() < options.queries / (number + 1):
            sample[draw.randrange(options.queries)] = text
        row = json.dumps({"id": str(number), "text": frame + text}) + "\n"
        out.write(row)
        texts, bytes_ = texts + 1, bytes_ + len((frame + text).encode())
    for number, text in enumerate(sample[:1000]):
        added.write(json.dumps({"id": f"new-{number}", "text": frame + exchanged(text, words)}) + "\n")
queries = [frame + (exchanged(text, words) if at % 2 else " ".join(draw.choices(words, k=len(text.split(" "))))) for at, text in enumerate(sample)]
with open(asked, "w", encoding="utf-8") as out:
    for number, text in enumerate(queries):
        out.write(json.dumps({"id": f"q{number}", "text": text}) + "\n")

index = folder / "idx"
kept = ["--no-texts"] if options.no_texts else []
cpu, seconds, _ = run("index", index, corpus, "--recipe", options.recipe, "--memory", options.memory, "-q", *kept)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
size = sum(file.stat().st_size for file in index.rglob("*") if file.is_file())
print(f"{texts:,} texts, {bytes_ / 1e6:,.0f} MB, recipe {options.recipe}, frame of {options.frame} words")
print(f"made      {cpu:.1f} CPU s, {seconds:.1f} s, {peak:.0f} MiB at the peak under --memory {options.memory}")
print(f"size      {size / 1e6:,.0f} MB, {size / bytes_:.3f} bytes a byte of text, {'without' if kept else 'with'} texts")

none = folder / "none.jsonl"
none.write_text(json.dumps({"id": "none", "text": "a text about nothing"}) + "\n")
opened = min(run("query", index, none, "-q", "--threads", 1)[1] for _ in range(5))
run("query", index, asked, "-q", "-o", folder / "answers.jsonl", "--threads", 1)
cpu, _, _ = run("query", index, asked, "-q", "-o", folder / "answers.jsonl", "--threads", 1)
print(f"opened    {1000 * opened:.1f} ms, with one question, by the command line")
print(f"asked     {1000 * cpu / len(queries):.3f} ms of CPU a question, by the command line")
try:
    import tegula

    opened_index = tegula.Index(index)
    for _ in range(2):
        times = []
        for text in queries:
            clock = time.thread_time_ns()
            opened_index.query(text)
            times.append((time.thread_time_ns() - clock) / 1e6)
    times.sort()
    print(f"          mean {sum(times) / len(times):.3f} ms, median {times[len(times) // 2]:.3f}, 99 % {times[len(times) * 99 // 100]:.3f}, most {times[-1]:.3f}")
except ImportError:
    print("          (no Python package: no latencies)")

_, seconds, _ = run("index", index, more, "-q")
print(f"added     1,000 texts in {seconds:.3f} s until they can be asked")

if not options.no_texts:
    few = folder / "few.jsonl"
    with open(few, "w", encoding="utf-8") as out, open(asked, encoding="utf-8") as lines:
        out.writelines(line for at, line in enumerate(lines) if at < options.checked)
    run("pairs", few, "--against", corpus, "--against", more, "--recipe", options.recipe, "--expand", "-o", folder / "pairs.jsonl", "-q")
    truth = set()
    with open(folder / "pairs.jsonl", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if not row["id_b"].startswith("q"):
                truth.add((row["id_a"], row["id_b"], row["score"]))
    _, _, out = run("query", index, few, "-q")
    found = set()
    for line in out.splitlines():
        answer = json.loads(line)
        found.update((answer["id"], match["id"], match["score"]) for match in answer["matches"])
    same = "are those of a run" if found == truth else f"DIFFER from a run: {len(found - truth)} more, {len(truth - found)} fewer"
    print(f"checked   {len(truth):,} matches of {options.checked} questions {same}")
shutil.rmtree(folder)
os._exit(0 if options.no_texts or found == truth else 1)

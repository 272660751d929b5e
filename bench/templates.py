"""Collections in which one text has very many copies: does a decision stay linear in the texts?

    python templates.py TEGULA FOLDER [--most 1000000] [--threads N] [--memory SIZE] [--gaoya PYTHON]

Makes, in FOLDER, texts of 100 random words:

    template   copies of one text that differ from it in one word: any two of them match
    loose      copies of one text in a thousand with up to eleven words changed: many pairs of a copy are below the threshold
    inside     one text of 30 words that lies in all others, which share nothing else

runs `tegula dedup` with its default recipe on 10,000, 100,000, ... of each, checks what stays of `template` and `inside`, and prints a row for
each run. With --gaoya, the Python of an environment that has gaoya, the same files go through run_peer.py.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time

WORDS = 100


def texts(kind, count, draw):
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(3, 9))) for _ in range(20_000)]

    def text(length):
        return draw.choices(words, k=length)

    bases = [text(WORDS) for _ in range(1 if kind == "template" else max(1, count // 1000))]
    inside = text(30)
    for number in range(count):
        if kind == "inside":
            if number == count // 2:
                yield inside
                continue
            at, around = draw.randrange(WORDS), text(WORDS)
            yield around[:at] + inside + around[at:]
            continue
        copy = list(draw.choice(bases))
        for _ in range(1 if kind == "template" else draw.randrange(12)):
            copy[draw.randrange(WORDS)] = draw.choice(words)
        yield copy


def made(folder, kind, count):
    path = os.path.join(folder, f"{kind}-{count}.jsonl")
    if not os.path.exists(path):
        with open(path + ".part", "w", encoding="utf-8") as file:
            for number, words in enumerate(texts(kind, count, random.Random(5))):
                file.write(json.dumps({"id": number, "text": " ".join(words)}) + "\n")
        os.rename(path + ".part", path)
    return path


def timed(command):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return out, cpu, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tegula")
    parser.add_argument("folder")
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--memory")
    parser.add_argument("--gaoya")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    here = os.path.dirname(os.path.abspath(__file__))
    print("| texts | | pairs | kept | CPU s | wall s | MiB | gaoya: kept, CPU s, MiB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for kind in ["template", "loose", "inside"]:
        count = 10_000
        while count <= options.most:
            path = made(options.folder, kind, count)
            command = [options.tegula, "dedup", path, "-o", os.path.join(options.folder, "out.jsonl"), "--overwrite", "--json"]
            command += ["--quiet", "--threads", str(options.threads)]
            command += ["--memory", options.memory] if options.memory else []
            out, cpu, wall = timed(command)
            run = json.loads(out)
            kept = run["balance"]["kept"]["units"]
            expected = {"template": 1, "inside": count - 1}.get(kind, kept)
            if kept != expected:
                sys.exit(f"{path}: expected {expected} kept texts, found {kept}")
            pairs = run.get("pairs_about") or run["levels"][0]["pairs"]
            about = "about " if run.get("pairs_about") else ""
            peer = ""
            if options.gaoya:
                tables = [os.path.join(options.folder, name) for name in ["gaoya.tsv", "gaoya.jsonl"]]
                peer_command = [options.gaoya, os.path.join(here, "peers", "run_peer.py"), "gaoya", path, tables[0]]
                printed = json.loads(timed(peer_command + ["--survivors", tables[1]])[0])
                peer = f"{printed['records'] - printed['removed']:,}, {printed['cpu_s']:.1f}, {printed['peak_mib']:.0f}"
            memory = run["peak_memory"] / 2**20
            print(f"| {kind} | {count:,} | {about}{pairs:,} | {kept:,} | {cpu:.1f} | {wall:.1f} | {memory:.0f} | {peer} |", flush=True)
            count *= 10


if __name__ == "__main__":
    main()

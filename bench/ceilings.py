#!/usr/bin/env python3
"""Recipes under memory ceilings: the peak of each run, and whether every run writes the same bytes.

    bench/ceilings.py INPUT [--tegula target/release/tegula] [--recipes copies,onion] [--ceilings 64M,128M,256M,1G] [--threads 1,2]

A run may end with exit code 2 and name a ceiling; it is then tried under that one, which has to do. A peak may be a tenth of the ceiling
above it, or 16 MiB, whichever is more. Ends with exit code 1 if a ceiling was passed or bytes differ. For Unix.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile

MIB = 1 << 20
RECIPES = ("exact plain copies ssr sscr ssr-containment sscr-containment cosine i-match simhash sketch sketch-mod super-shingle "
           "simfinder messages onion benko").split()


def size(text):
    return int(text[:-1]) * {"M": MIB, "G": 1 << 30}[text[-1]]


def run(command, output=subprocess.DEVNULL):
    """Exit code, standard error, peak in MiB, CPU seconds."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        errors.seek(0)
        said = errors.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(status), said, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("input")
    arguments.add_argument("--tegula", default="target/release/tegula")
    arguments.add_argument("--recipes", default=",".join(RECIPES))
    arguments.add_argument("--ceilings", default="64M,128M,256M,1G")
    arguments.add_argument("--threads", default="1,2")
    options = arguments.parse_args()
    wrong = False
    print("| recipe | threads | ceiling | MiB | of the ceiling | CPU s | |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for recipe in options.recipes.split(","):
            sums, out = set(), os.path.join(folder, "out" + os.path.splitext(options.input)[1])
            for threads in options.threads.split(","):
                tried = []
                for ceiling in options.ceilings.split(","):
                    again = True
                    while again:
                        again = False
                        code, said, peak, cpu = run([options.tegula, "dedup", options.input, "-o", out, "--recipe", recipe, "-q",
                                                     "--threads", threads, "--memory", ceiling])
                        note, most = "", max(size(ceiling) / MIB * 1.1, size(ceiling) / MIB + 16)
                        hint = re.search(r"raise --memory to at least (\d+M)", said)
                        if code == 0:
                            sums.add(digest(out))
                            os.remove(out)
                        elif code == 2 and hint:
                            note = f"refused: {hint.group(1)} would do"
                            again = hint.group(1) not in tried and not tried
                        else:
                            note, wrong = f"exit code {code}", True
                        if peak > most:
                            note, wrong = (note + " **passed**").strip(), True
                        share = peak / (size(ceiling) / MIB)
                        print(f"| {recipe} | {threads} | {ceiling} | {peak:.0f} | {share:.2f} | {cpu:.2f} | {note} |", flush=True)
                        if again:
                            ceiling = hint.group(1)
                            tried.append(ceiling)
            if len(sums) > 1:
                wrong = True
                print(f"| {recipe} | | | | | | **bytes differ** |")
    return wrong


if __name__ == "__main__":
    sys.exit(main())

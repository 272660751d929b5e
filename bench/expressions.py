#!/usr/bin/env python3
"""Do the expressions of `tegula templates` match all their texts, under every engine?

    bench/expressions.py TEGULA [--collections 1000] [--seed N]

Makes random collections of texts filled in from a few forms, some of them equal but for their punctuation, spacing,
capitals or composition, and tries each expression on each of its texts under Rust (`tegula filter --drop-template`),
Python's `re`, and Perl, whose syntax PCRE2 follows, as well as `grep -P`, which is PCRE2, where the text has no line
end. Prints the expressions that fail, and how many there were.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unicodedata

WORDS = [
    "weather", "in", "Bonn", "Jena", "today", "is", "fair", "Straße", "STRASSE", "café", "naïve", "Ärger", "погода",
    "сегодня", "今天", "天气", "ก", "شكرا", "x", "1", "20", "3.5", "½", "²", "a_b", "don't", "İzmir", "ıssız", "ſo", "Ⅷ",
    "K", "ﬁn", "🎁", "👩‍🚀", "☎", "e\u0301a", "\u0345", "ʼn", "ŉ", "ß", "ẞ", "ς", "σ", "Σ", "ǅ", "v1agra", "f.r.e.e",
]
BETWEEN = [
    " ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\u2028", "\x85", "\x0b", "\x1f", "\x01", "\u200b", "\ufeff",
    ", ", ". ", " — ", " «", "» ", " “", "” ", " [", "] ", " {", "} ", " (", ") ", " \\ ", " ^ ", " $ ", " | ", " * ", " + ",
    "?", "-", "/", "~", "#", "&&", "--", "…", "、", "。", "！", " © ", " € ", " <b>", "</b> ", "&amp;", "\u00ad", "_ ", " ٪ ",
]
OPTIONS = [
    [], [], [], ["--normalize", "plain"], ["--normalize", "message-words"], ["--normalize", "kupietz"],
    ["--set", "normalise.markup=remove"], ["--set", "normalise.form=nfkc"], ["--recipe", "messages"],
    ["--set", "normalise.boundaries=characters"], ["--set", "normalise.case=keep"],
]
PERL = """use utf8; use strict; use JSON::PP; binmode(STDIN, ':raw'); my $bad = 0; my $at = 0;
while (<STDIN>) { my $it = decode_json($_); my ($r, $t) = @$it; print "$at\\n" unless eval { $t =~ /$r/ }; $at++ }"""


def collection(draw):
    forms = [[draw.choice(WORDS) for _ in range(draw.randint(3, 9))] for _ in range(draw.randint(1, 2))]
    texts = []
    for _ in range(draw.randint(3, 9)):
        words = list(draw.choice(forms))
        for _ in range(draw.randint(0, 2)):
            at = draw.randrange(len(words) + 1)
            if draw.random() < 0.5 and at < len(words):
                words[at] = draw.choice(WORDS)
            else:
                words.insert(at, draw.choice(WORDS))
        for _ in range(draw.choice([1, 1, 2, 3])):
            text = draw.choice(["", "", draw.choice(BETWEEN)])
            for word in words:
                word = draw.choice([word, word, word, word.upper(), word.lower(), unicodedata.normalize("NFD", word)])
                text += word + draw.choice([" ", " ", draw.choice(BETWEEN)])
            texts.append(text if draw.random() < 0.5 else text.strip())
    return texts


def fails(name, count, line):
    print(f"{name}: collection {count}: {line}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tegula")
    parser.add_argument("--collections", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    tegula = os.path.abspath(options.tegula)
    tried = expressions = failed = without = 0
    with tempfile.TemporaryDirectory() as folder:
        path, table, single = (os.path.join(folder, name) for name in ["in.jsonl", "out.jsonl", "one.jsonl"])
        for count in range(options.collections):
            texts = collection(draw)
            with open(path, "w", encoding="utf-8") as file:
                for number, text in enumerate(texts):
                    file.write(json.dumps({"id": str(number), "text": text}) + "\n")
            command = [tegula, "templates", path, "-o", table, "--min-texts", "2", "--min-tokens", "2", "--min-constant", "0.3"]
            command += ["--threshold", "0.1", "-q"] + draw.choice(OPTIONS)
            if "messages" not in command:
                command += ["--ngram", "1"]
            subprocess.run(command, check=True)
            pairs = []
            for line in open(table, encoding="utf-8"):
                row = json.loads(line)
                without += row["regex"] is None
                if row["regex"] is None:
                    continue
                expressions += 1
                own = [texts[int(number)] for number in row["ids"]]
                pairs += [(row["regex"], text) for text in own]
                with open(single, "w", encoding="utf-8") as file:
                    json.dump({"regex": row["regex"]}, file)
                hits = "".join(json.dumps({"text": text}) + "\n" for text in own)
                drop = [tegula, "filter", "-", "--drop-template", single, "-q"]
                left = subprocess.run(drop, input=hits, capture_output=True, text=True, check=True).stdout
                for text in left.splitlines():
                    failed += 1
                    fails("rust", count, f"{row['regex']!r} {text!r}")
                plain = [text for text in own if not re.search(r"[\r\n\0]", text)]
                if plain:
                    lines = "\n".join(plain) + "\n"
                    grep = ["grep", "-c", "-P", "--", row["regex"]]
                    found = subprocess.run(grep, input=lines.encode(), capture_output=True, env=os.environ | {"LC_ALL": "C.UTF-8"})
                    if found.stdout.decode().strip() != str(len(plain)):
                        failed += 1
                        fails("grep -P", count, f"{row['regex']!r} {plain!r} {found.stderr.decode()}")
            for regex, text in pairs:
                if not re.search(regex, text):
                    failed += 1
                    fails("python", count, f"{regex!r} {text!r}")
            tried += len(pairs)
            lines = "".join(json.dumps(pair) + "\n" for pair in pairs)
            for at in subprocess.run(["perl", "-e", PERL], input=lines, capture_output=True, text=True, check=True).stdout.split():
                failed += 1
                fails("perl", count, repr(pairs[int(at)]))
    print(f"{expressions:,} expressions on {tried:,} texts of {options.collections:,} collections: {failed} failed, {without} templates have none")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

#!/bin/sh
# The plain route of Benko 2013, §2 (a digest for each paragraph, sort, unify) beside `tegula dedup --recipe plain`, on one vertical file.
# Documents need an id; both must list the same duplicates.
#
#   bench/plain-route.sh corpus.vert [tegula]
set -eu
input=$1
tegula=${2:-tegula}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C

script() {
    python3 - "$input" > "$folder/digests" <<'PY'
import hashlib, re, sys, unicodedata

word = re.compile(r"[^\W_]+")
digit = re.compile(r"\d+")

def line(document, number, tokens):
    raw = " ".join(tokens)
    words = (digit.sub("", w) for w in word.findall(unicodedata.normalize("NFC", raw).lower()))
    text = " ".join(w for w in words if w) or "\0" + raw
    print(hashlib.md5(text.encode()).hexdigest(), f"{number[0]:012d}", f"{document}#p{number[1]}")

document, tokens, all_, here = "", None, 0, 0
for text in open(sys.argv[1], encoding="utf-8"):
    text = text.rstrip("\n")
    if text.startswith("<doc "):
        document, here = re.search(r'id="([^"]*)"', text)[1], 0
    elif text == "<p>":
        tokens = []
    elif text == "</p>":
        all_, here = all_ + 1, here + 1
        line(document, (all_, here), tokens)
        tokens = None
    elif tokens is not None and not text.startswith("<"):
        tokens.append(text)
PY
    # By digest, then by place: the first of each digest stays.
    sort "$folder/digests" | awk '$1 == last { print $3 } { last = $1 }' | sort > "$folder/by-script"
}

program() {
    "$tegula" dedup "$input" -o "$folder/out.vert" --recipe plain --unit paragraph --threads 1 -q --list removed="$folder/listed"
    sort "$folder/listed" > "$folder/by-program"
}

# `times` gives the CPU time of everything that has ended so far on its second line, user and system.
times > "$folder/times.0"
script
times > "$folder/times.1"
program
times > "$folder/times.2"
cpu() { sed -n 2p "$folder/times.$1" | tr 'ms' '  ' | awk '{ print 60 * $1 + $2 + 60 * $3 + $4 }'; }
echo "paragraphs $(wc -l < "$folder/digests"), duplicates by script $(wc -l < "$folder/by-script"), by tegula $(wc -l < "$folder/by-program")"
if cmp -s "$folder/by-script" "$folder/by-program"; then
    echo "both list the same duplicates"
else
    echo "the lists differ:"; diff "$folder/by-script" "$folder/by-program" | head -n 20
fi
echo "$(cpu 0) $(cpu 1) $(cpu 2)" | awk '{ printf "CPU: script %.2f s, tegula %.2f s, ratio %.1f\n", $2 - $1, $3 - $2, ($2 - $1) / ($3 - $2) }'

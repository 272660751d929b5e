#!/usr/bin/env bash
# What the crates for programs document, name by name: compared with docs/api.txt, so that a change of the interface is seen in review.
# bench/api.sh --write writes that file. Needs `cargo doc` to have run.
set -euo pipefail
cd "$(dirname "$0")/.."
pages="${CARGO_TARGET_DIR:-target}/doc"

listed() {
    for crate in tegula tegula_run; do
        grep -o '<li><a href="[^#"]*"' "$pages/$crate/all.html" | sed 's/.*href="//; s/"$//' | LC_ALL=C sort | while read -r page; do
            echo "$crate $(sed 's/\.html$//' <<<"$page")"
            # Up to what is implemented of traits of others.
            awk '{ at = index($0, "id=\"trait-implementations\""); if (at) { print substr($0, 1, at); exit } print }' "$pages/$crate/$page" |
                grep -o 'id="\(method\|tymethod\|variant\|structfield\|associatedconstant\)\.[A-Za-z0-9_]*"' |
                sed 's/id="/    /; s/"$//' | LC_ALL=C sort -u || true
        done
    done
}

found="$(listed)"
if [ "$(wc -l <<<"$found")" -lt 100 ]; then
    echo "skipped: the documentation is laid out differently from what this script expects" >&2
elif [ "${1:-}" = --write ]; then
    echo "$found" >docs/api.txt
elif ! diff docs/api.txt - <<<"$found" >&2; then
    echo "the documented interface has changed: bench/api.sh --write, and say so in CHANGELOG.md" >&2
    exit 1
fi

"""The experiments of SimFinder (Gong et al. 2008) on messages: the tables of bench/papers/simfinder.md, made anew in place.

    python bench/quality/simfinder.py --corpora DIR --tegula target/release/tegula bench/papers/simfinder.md

Each table stands between `<!-- NAME -->` and `<!-- /NAME -->`; what stands around them is written by hand, so read it again when the figures
have changed. `--skip growth` skips the million messages, which take most of the time.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from measured import run
from sets import all_sets

READINGS = [
    ("low, log (default)", {}),
    ("low, linear", {"scale": "linear"}),
    ("high, log", {"frequent": "high"}),
    ("high, linear (as printed)", {"frequent": "high", "scale": "linear"}),
    ("low, log, equation (1)", {"length": "false"}),
    ("high, linear, equation (1)", {"frequent": "high", "scale": "linear", "length": "false"}),
    ("all weights equal", None),
]
# Candidates that do not depend on the weights.
FIXED = "keys={type='words',size=2}"
PLANTED = 60_000


def settings(reading):
    if reading is None:
        return ["weights={type='equal'}"]
    return [f"weights.{field}={value}" for field, value in reading.items()]


def options(values):
    return [part for value in values for part in ("--set", value)]


def best_f1(args, docs, gold, values):
    out = args.cache / "work" / "simfinder.parquet"
    out.unlink(missing_ok=True)
    command = [args.tegula, "pairs", docs, "--recipe", "simfinder", "--threshold", "0.3", *options(values), "--expand", "-o", out, "-q"]
    took = run([*command, "--progress", "none"], args.seconds)
    if took["failed"]:
        raise SystemExit(f"{docs}, {values}: {took['failed']}")
    judged = subprocess.run(
        [args.tegula, "evaluate", gold, out, "--sweep", "--form", "json", "--resamples", "0"], check=True, capture_output=True
    )
    return json.loads(judged.stdout)["sweep"]["best"]["f1"]


def readings(args, sets, more):
    yield "| reading | English | Chinese |\n| --- | ---: | ---: |"
    rows = [(name, [best_f1(args, docs, gold, settings(reading) + more) for docs, gold in sets]) for name, reading in READINGS]
    first = [max(of[at] for _, of in rows[:-1]) for at in range(len(sets))]
    for name, of in rows:
        cells = [f"**{value:.3f}**" if value == most else f"{value:.3f}" for value, most in zip(of, first)]
        yield f"| {name} | {' | '.join(cells)} |"


def study(args, figures, docs, *more):
    """The tables of a study by name, each as rows of cells."""
    command = [args.tegula, "study", figures, docs, *more, "--json", "--progress", "none"]
    shown = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout
    return {table["name"]: table["rows"] for table in json.loads(shown)["tables"]}


def percent(cell):
    return "–" if cell is None else f"{100 * cell:.1f}"


def degrees(studies):
    yield "| degree | planted (4) | (3) | English (4) | (3) | Chinese (4) | (3) |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for rows in zip(*(tables["precision-by-degree"] for tables in studies)):
        shown = [percent(row[at]) for row in rows for at in (3, 6)]
        yield f"| {rows[0][0]} | {' | '.join(shown)} |"


def keys(runs):
    yield "| size of key | planted: compared | recall | English: compared | recall | Chinese: compared | recall |"
    yield "| --- |" + " ---: |" * 6
    for rows in zip(*(tables["keys-by-size"] for tables in runs)):
        if rows[0][0].isdigit():
            yield f"| {rows[0][0]} | " + " | ".join(f"{percent(row[2])} % | {percent(row[4])} %" for row in rows) + " |"


def features(runs):
    yield "| features, keys of three | planted: compared | recall | English recall | Chinese recall |\n| --- | ---: | ---: | ---: | ---: |"
    for planted, *others in zip(*(tables["keys-by-features"] for tables in runs)):
        if planted[0] in ("4", "6", "8", "12"):
            recalls = " | ".join(f"{percent(row[4])} %" for row in others)
            yield f"| {planted[0]} | {percent(planted[2])} % | {percent(planted[4])} % | {recalls} |"
    three = [next(row for row in tables["keys-by-size"] if row[0] == "3") for tables in runs]
    recalls = " | ".join(f"{percent(row[4])} %" for row in three[1:])
    yield f"| inequality (5) | {percent(three[0][2])} % | {percent(three[0][4])} % | {recalls} |"


def transitivity(studies):
    yield "| | candidates | compared | skipped | not above 0.65 |\n| --- | ---: | ---: | ---: | ---: |"
    yield "| paper | 642,404,813 | 120,725,627 | | 0.23 % of 10,000 drawn |"
    for name, tables in zip(("planted, 60,000", "English", "Chinese"), studies):
        _, skipped = tables["skipped"]
        yield f"| {name} | {skipped[1]:,} | {skipped[2]:,} | {skipped[3]:,} | {percent(skipped[5])} % |"


def growth(args, messages, page):
    rows = study(args, "growth", messages, "--steps", "5", "-o", page.parent / "simfinder-growth.svg")["growth"]
    yield "| records | CPU seconds | µs per record | peak MiB | candidates | pairs |\n| ---: | ---: | ---: | ---: | ---: | ---: |"
    for records, _, _, cpu, each, peak, candidates, _, pairs in rows:
        yield f"| {records:,} | {cpu} | {each} | {peak} | {candidates:,} | {pairs:,} |"


def replaced(page, name, table):
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, found, rest = page.partition(start)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"expected {start.strip()} and {end} in the page, found none")
    return before + start + "\n".join(table) + "\n" + end + after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--tegula", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("target/quality"))
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--skip", action="append", default=[])
    args = parser.parse_args()
    (args.cache / "work").mkdir(parents=True, exist_ok=True)
    named = {set_.name: set_ for set_ in all_sets(args.corpora, args.cache)}
    sets = [(named[name].docs, named[name].views[0].gold) for name in ("nus-sms-en", "nus-sms-zh")]
    messages, planted = args.cache / "messages.jsonl", args.cache / "m60k.jsonl"
    if not messages.exists():
        sms, weibo = args.corpora / "nus-sms", args.corpora / "weibo-titles"
        sources = [sms / "en.jsonl.zst", sms / "zh.jsonl.zst", weibo / "titles.tsv.zst"]
        maker = Path(__file__).with_name("make_messages.py")
        subprocess.run([sys.executable, maker, *sources, "-o", messages], check=True)
    with open(messages, encoding="utf-8", newline="\n") as lines:
        planted.write_text("".join(line for line, _ in zip(lines, range(PLANTED))), encoding="utf-8", newline="\n")
    judged = [(planted, planted, ["--set", "common=1000"]), *((docs, gold, []) for docs, gold in sets)]
    studies = [study(args, "simfinder", docs, "--gold", gold, *more) for docs, gold, more in judged]
    tables = {
        "readings": readings(args, sets, []),
        "readings-fixed": readings(args, sets, [FIXED]),
        "degrees": degrees(studies),
        "keys": keys(studies),
        "features": features(studies),
        "transitivity": transitivity(studies),
        "growth": growth(args, messages, args.page),
    }
    for name, table in tables.items():
        if name not in args.skip:
            page = replaced(args.page.read_text(encoding="utf-8"), name, list(table))
            args.page.write_text(page, encoding="utf-8", newline="\n")
            print(f"{name}: done", flush=True)


if __name__ == "__main__":
    main()

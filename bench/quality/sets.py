"""The labelled sets: where they lie, how they are prepared, and what is true of them.

A set is a JSONL file of `id` and `text`, and one or more views: a view is a list that `tegula evaluate` takes as gold, with the options
to read it. Prepared files go to a cache folder and are made again when this file changes.
"""

import csv
import json
import subprocess
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

TEXT_THRESHOLD = "0.5"
CHAR_THRESHOLD = "0.7"
TITLES = 50_000
# Services share texts, so that provenance calls many true copies wrong.
APART = "terms"
# The shingles of peers. Where gold is a listing of shared character n-grams, no others can suit better.
OF_TEXTS = ["word5", "word3", "word2", "char5"]
OF_RECORDS = ["char3", "char5", "word1", "word2"]


@dataclass
class View:
    """What is true, by one definition."""

    name: str
    gold: Path
    options: list = field(default_factory=list)
    tuned: bool = True
    note: str = ""


@dataclass
class Set:
    """A labelled set."""

    name: str
    kind: str  # "texts" or "short": which recipes are tried
    features: list  # the kinds of shingles that peers get, each in turn: "word5", "char3"
    docs: Path
    views: list


def zstd_lines(path):
    """Lines of a file, decompressed where its name says so."""
    if path.suffix != ".zst":
        with open(path, encoding="utf-8", newline="\n") as lines:
            yield from lines
        return
    with subprocess.Popen(["zstdcat", str(path)], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            yield line.decode("utf-8")
    if process.returncode:
        raise OSError(f"zstdcat {path}: exit {process.returncode}")


def write_records(path, records):
    """Writes records as JSONL, whole or not at all."""
    aside = path.with_suffix(".part")
    with open(aside, "w", encoding="utf-8", newline="\n") as out:
        for record in records:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    aside.rename(path)


def records(path):
    for line in zstd_lines(path):
        record = json.loads(line)
        yield {key: record[key] for key in ("id", "text", "group") if key in record}


def key(text):
    """What the listed character n-grams are made of."""
    return "".join(unicodedata.normalize("NFKC", text).lower().split())


def distinct(records):
    """The first of equal texts, as in the lists of pairs."""
    seen = set()
    for record in records:
        form = key(record["text"])
        if form not in seen:
            seen.add(form)
            yield record


def rewrite(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def versions(corpora, cache, name):
    """A set from a git history: provenance, and the listed resemblances."""
    docs = cache / f"{name}.jsonl"
    if not docs.exists():
        write_records(docs, records(corpora / name / "docs.jsonl.zst"))
    text = ["--documents", str(docs), "--label", "j5_word", "--positive", f">={TEXT_THRESHOLD}"]
    views = [View("provenance", docs), View("text", corpora / name / "pairs.tsv.zst", text)]
    return Set(name, "texts", OF_TEXTS, docs, views)


def groups(corpora, cache, name):
    docs = cache / f"{name}.jsonl"
    if not docs.exists():
        write_records(docs, records(corpora / name / "records.jsonl"))
    return Set(name, "short", OF_RECORDS, docs, [View("groups", docs)])


def messages(cache, name, source, pairs, label, grams):
    """Short messages with listed character n-gram resemblances, distinct texts only."""
    docs, gold = cache / f"{name}.jsonl", cache / f"{name}.pairs.tsv"
    if not docs.exists() or not gold.exists():
        kept = list(distinct(source()))
        ids = {record["id"] for record in kept}
        write_records(docs, kept)
        lines = [line.rstrip("\n") for line in zstd_lines(pairs)]
        inside = [line for line in lines[1:] if all(cell in ids for cell in line.split("\t")[:2])]
        rewrite(gold, [lines[0], *inside])
    options = ["--documents", str(docs), "--label", label, "--positive", f">={CHAR_THRESHOLD}"]
    return Set(name, "short", [grams], docs, [View("text", gold, options)])


def titles(path):
    for number, line in enumerate(zstd_lines(path)):
        if number == TITLES:
            break
        name, _, text = line.rstrip("\n").partition("\t")
        yield {"id": name, "text": text}


def answers(corpora, cache):
    """Answers against the source they were asked to copy from, by grade of copying; answers of one task are not judged."""
    folder = corpora / "clough-stevenson"
    docs, gold = folder / "docs.jsonl", cache / "clough-stevenson.tsv"
    if not gold.exists():
        with open(folder / "file_information.csv", encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        sources = {row["Task"]: row["File"] for row in rows if row["Category"] == "orig"}
        name = lambda file: "clough:" + file.removesuffix(".txt")
        pairs = [
            f"{name(sources[row['Task']])}\t{name(row['File'])}\t{row['Category']}" for row in rows if row["Category"] != "orig"
        ]
        rewrite(gold, ["id_a\tid_b\tlabel", *pairs])
    options = ["--positive", "cut,light,heavy", "--judged-only"]
    return Set("clough-stevenson", "texts", OF_TEXTS, docs, [View("grades", gold, options, tuned=False)])


def sentences(corpora, cache):
    """Sentence pairs that are alike in meaning or words and are no copies: the share that passes."""
    docs, gold = cache / "sick.jsonl", cache / "sick.tsv"
    if not docs.exists() or not gold.exists():
        texts, pairs = {}, ["id_a\tid_b\tlabel"]
        for part in ("SICK_train.txt", "SICK_trial.txt"):
            with open(corpora / "sick-sts" / part, encoding="utf-8", newline="") as lines:
                for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                    a, b = (texts.setdefault(row[side], f"s{len(texts)}") for side in ("sentence_A", "sentence_B"))
                    pairs.append(f"{a}\t{b}\t{row['entailment_judgment'].strip()}")
        write_records(docs, ({"id": name, "text": text} for text, name in texts.items()))
        seen = {}
        for pair in pairs[1:]:
            a, b, label = pair.split("\t")
            seen.setdefault((min(a, b), max(a, b)), label)
        rewrite(gold, [pairs[0], *(f"{a}\t{b}\t{label}" for (a, b), label in seen.items())])
    options = ["--positive", "ENTAILMENT", "--judged-only"]
    return Set("sick", "short", OF_RECORDS, docs, [View("hard negatives", gold, options, tuned=False)])


def all_sets(corpora, cache):
    """Every set, prepared."""
    sms, weibo = corpora / "nus-sms", corpora / "weibo-titles"
    return [
        *(versions(corpora, cache, name) for name in ("laws-de", "laws-sk", "terms", "peps", "arxiv-versions")),
        groups(corpora, cache, "cora"),
        groups(corpora, cache, "cddb"),
        messages(cache, "nus-sms-en", lambda: records(sms / "en.jsonl.zst"), sms / "en-pairs-char3-j50.tsv.zst", "j3_char", "char3"),
        messages(cache, "nus-sms-zh", lambda: records(sms / "zh.jsonl.zst"), sms / "zh-pairs-char2-j50.tsv.zst", "j2_char", "char2"),
        messages(cache, "weibo-titles", lambda: titles(weibo / "titles.tsv.zst"), weibo / "pairs-char2-j60.tsv.zst", "j2_char", "char2"),
        answers(corpora, cache),
        sentences(corpora, cache),
    ]

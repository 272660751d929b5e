"""Edited clauses of laws: labelled sets for `--unit paragraph`, and which recipe finds the versions of a clause.

    python bench/quality/clauses.py --corpora DIR --tegula target/release/tegula
    python bench/quality/clauses.py --corpora DIR --tegula target/release/tegula --labels
    python bench/quality/clauses.py --corpora DIR --tegula target/release/tegula --read 30 -- --recipe revisions --threshold 0.7

A clause is a numbered provision, or the only text of a section. Clauses of the versions of a law with the same section (§ or article) and
number (paragraph (1), item 1., letter a)) are a group, and each distinct text of them is a record. `--unit paragraph` gives the same pairs
where the clauses of a law are the paragraphs of one document. Texts are without their own number, which the label is made of, and without
line breaks, targets of links and marks of footnotes. Tables, annexes, articles that amend other laws, texts of under 6 words, and what
follows a list without a number are left out.

What was renumbered would be labelled wrongly, so versions are set apart by the titles of sections and by what is the same word for word,
never by how alike the two texts of a pair are:
- two versions of a law, if a text or a title moved to another section;
- two versions of a section, if a text moved to, from or within it, its title changed, none of three or more clauses of a list stayed as it
  was, or a number was added or dropped: unless it is one such as 2a, or the last, and the clause before it is unchanged.
The longest run of versions is kept, and the rest of the law or section is left out, as versions of what is kept may be among it. Texts that
stand in several groups are left out, too. Laws of several versions are taken in the order of a hash of their names until a set is full.

Prints Markdown: F1, and the precision in brackets, at the recipe's own threshold and at the one best on half a of both sets, for both
halves; then the same without the pairs of clauses of two laws, as many laws share their wording. CPU seconds are of one thread, for each
set. `--labels` prints what the sets hold and how alike the texts of a group are, `--read` a sample of errors.
"""

import argparse
import json
import random
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from drift import hash_of
from measured import run
from sets import write_records, zstd_lines

SETS = ("laws-de", "laws-sk")
SIZE = 62_000
SHORTEST = 6
SECTION = re.compile(r"(?:§|Art(?:ikel|\.)?|Čl(?:ánok|\.)|Článok)\s*(\d+[a-z]*|[IVXL]+)\b\.?\s*(.*)")
NUMBER = re.compile(r"( *)(?:\((\d+[a-z]*)\)|(\d+[a-z]*)\.|([a-z]{1,2})\))(?:\s+(.*))?$", re.DOTALL)
FOOTNOTE = re.compile(r"\^?\[[^\]\[]*\]\(#poznamky[^)]*\)|\^\d+[a-z]*\)")
LINK = re.compile(r"\[([^\]\[]*)\]\([^)]*\)")


CHARACTERS = "--set normalise.boundaries=characters"
NUMBERS, SHORT = "0.1 for all of first 30", "0.9 up to 12, 0.8 up to 20"
ALONE = "--set missing_numbers=none --set thresholds=none"
# Recipe and options, the lowest threshold, that of the recipe, and the column that is judged.
CANDIDATES = [
    ("copies", 0.3, 0.75, "score"),
    ("sscr", 0.3, 0.8, "score"),
    ("sscr --ngram 3", 0.5, None, "score"),
    ("ssr", 0.3, 0.8, "score"),
    ("ssr --ngram 3", 0.3, None, "score"),
    ("ssr --ngram 2", 0.3, None, "score"),
    (f"ssr {CHARACTERS} --ngram 3", 0.6, None, "score"),
    (f"ssr {CHARACTERS} --ngram 4", 0.6, None, "score"),
    (f"ssr {CHARACTERS} --ngram 5", 0.6, None, "score"),
    ("messages", 0.5, 0.7, "score"),
    ("ssr-containment --ngram 3", 0.5, None, "score"),
    ("ssr-containment --ngram 2", 0.5, None, "score"),
    ("cosine", 0.6, 0.8, "score"),
    (f"revisions {ALONE}", 0.3, None, "score"),
    (f"revisions --ngram 3 {ALONE}", 0.4, None, "score"),
    (f"revisions --ngram 2 {ALONE}", 0.4, None, "score"),
    (f"revisions {CHARACTERS} --ngram 5 {ALONE}", 0.6, None, "score"),
    (f"revisions {CHARACTERS} --ngram 10 {ALONE}", 0.6, None, "score"),
    (f"revisions --set weights.numbers=1 {ALONE}", 0.4, None, "score"),
    (f"revisions --ngram 3 --set weights.numbers=1 {ALONE}", 0.4, None, "score"),
    (f"revisions --ngram 2 --set weights.numbers=1 {ALONE}", 0.4, None, "score"),
    (f"revisions --ngram 3 --set weights.numbers=1 --set measure=rarity-dice {ALONE}", 0.4, None, "score"),
    (f"revisions --ngram 3 --set weights.numbers=1 --set measure=rarity-containment {ALONE}", 0.4, None, "score"),
    (f"revisions --ngram 3 --set 'missing_numbers={NUMBERS}' --set thresholds=none", 0.4, None, "score"),
    (f"revisions --ngram 3 --set weights.numbers=1 --set 'missing_numbers={NUMBERS}' --set thresholds=none", 0.4, None, "score"),
    ("revisions --ngram 3 --set weights.numbers=1 --set 'thresholds=0.85 up to 12' --set missing_numbers=none", 0.4, None, "score"),
    (f"revisions --ngram 3 --set weights.numbers=1 --set 'thresholds={SHORT}' --set 'missing_numbers={NUMBERS}'", 0.6, None, "score"),
    ("clauses --unit document", 0.6, 0.78, "score"),
    ("ssr --ngram 3 --set levenshtein=0.4", 0.3, None, "levenshtein"),
    (f"ssr {CHARACTERS} --ngram 4 --set levenshtein=0.4", 0.6, None, "levenshtein"),
    (f"revisions --ngram 3 --set levenshtein=0.4 {ALONE}", 0.6, None, "levenshtein"),
    (f"revisions --ngram 3 --set weights.numbers=1 --set levenshtein=0.7 {ALONE}", 0.4, None, "score"),
]


@dataclass
class Clause:
    label: str  # its own number
    parent: tuple  # those it stands below
    text: str
    words: tuple


@dataclass
class Section:
    title: str = ""
    clauses: dict = field(default_factory=dict)  # by number
    twice: set = field(default_factory=set)

    def add(self, clause):
        number = (*clause.parent, clause.label)
        if number in self.clauses:
            self.twice.add(number)
        self.clauses.setdefault(number, clause)

    def siblings(self):
        lists = defaultdict(list)
        for clause in self.clauses.values():
            lists[clause.parent].append(clause.label)
        return lists


def words_of(text):
    return tuple(re.findall(r"\w+", text.lower()))


def sections_of(text):
    """The sections of a law by their names, and the names of those that are there twice."""
    text = LINK.sub(r"\1", FOOTNOTE.sub("", text))
    sections, twice = {}, set()
    article, section, before = "", None, ""
    path, waiting = [], None  # path: kinds and labels of the numbers above
    for block in re.split(r"\n(?:[ \t]*\n)+", text):
        block = block.rstrip()
        if block.startswith("#"):
            heading = " ".join(block.lstrip("#").split()).replace("**", "")
            found = SECTION.match(heading)
            if found and not re.match(r"(?:a|až|bis|und|,)\b|[-–] ", found[2]):
                name = heading[: found.end(1)].replace(" ", "")
                if not heading.startswith("§"):
                    article, name = name, ""
                path, waiting = [], None
                if found[1][0] in "IVXL" and not name:
                    section, before = None, found[2]
                    continue
                name = f"{article}{name}"
                section = Section(found[2] or before)
                if name in sections:
                    twice.add(name)
                sections.setdefault(name, section)
                before = ""
            elif section and not section.clauses and not section.title:
                section.title = heading
            else:
                section, before = None, heading
            continue
        before = "" if block else before
        if not section or not block:
            continue
        if re.match(r" *[*|]", block):
            path, waiting = path[:1] if path and path[0][0] == "(" else [], None
            continue
        found = NUMBER.match(block)
        if found:
            kind = "(" if found[2] else "." if found[3] else ")"
            depth = len(found[1]) // 4
            above = [entry for entry in path if entry[0] == "("] if kind != "(" else []
            items = [entry for entry in path if entry[0] != "("] if kind != "(" else []
            kinds = [entry[0][:1] for entry in items]
            if found[5] is None or not found[1] and kind in kinds:
                items = items[: kinds.index(kind)] if kind in kinds else items
            elif depth <= len(items):
                items = items[:depth]
            else:
                continue
            label = found[2] or found[3] or found[4]
            path = [*above, *items, (kind, label)]
            waiting = None
            if found[5] is None:
                waiting = path
            else:
                add(section, path, found[5])
        elif waiting:
            add(section, waiting, block)
            waiting = None
        elif not section.clauses and not path and not block.startswith(" "):
            add(section, [("", "")], block)
    return sections, twice


def add(section, path, text):
    labels = tuple(label for _, label in path)
    section.add(Clause(labels[-1], labels[:-1], " ".join(text.split()), words_of(text)))


def places(sections):
    """Where each text is that stands once in a law."""
    found = defaultdict(list)
    for name, section in sections.items():
        for number, clause in section.clauses.items():
            if len(clause.words) >= SHORTEST:
                found[clause.words].append((name, number))
    return {words: at[0] for words, at in found.items() if len(at) == 1}


def renumbered(old, new):
    """Whether sections of a law have other names in the next version, and the sections in which numbers, too."""
    before, after = places(old), places(new)
    moved = [(before[words], after[words]) for words in before.keys() & after.keys() if before[words] != after[words]]
    across = any(a[0] != b[0] for a, b in moved)
    titles = [{words_of(s.title): name for name, s in sections.items() if s.title} for sections in (old, new)]
    shared = titles[0].keys() & titles[1].keys()
    names = [Counter(words_of(s.title) for s in sections.values()) for sections in (old, new)]
    across |= any(titles[0][t] != titles[1][t] for t in shared if names[0][t] == names[1][t] == 1)
    return across, {a[0] for a, _ in moved} | {b[0] for _, b in moved}


def doubtful(old, new):
    """Whether clauses of a section may have other numbers in its next version, though none is found there word for word."""
    if words_of(old.title) != words_of(new.title):
        return True
    lists, others = old.siblings(), new.siblings()
    for parent in lists.keys() & others.keys():
        a, b = lists[parent], others[parent]
        kept = [label for label in a if label in set(b)]
        if len(kept) > 2 and all(old.clauses[(*parent, label)].words != new.clauses[(*parent, label)].words for label in kept):
            return True
        plain = {label for label in {*a} ^ {*b} if not re.fullmatch(r"\d+[a-z]+", label)}
        if kept != [label for label in b if label in set(a)]:
            return True
        if not plain:
            continue
        # Numbers at the end come and go; those before them are sure if the last that is in both is unchanged.
        at_end = set(a[len(kept) :]) if len(a) > len(b) else set(b[len(kept) :])
        last = (*parent, kept[-1]) if kept else None
        if plain - at_end or last and old.clauses[last].words != new.clauses[last].words:
            return True
    return False


def longest(count, broken):
    """The longest run of versions without a break before one of them; of equally long runs the last."""
    runs = [[]]
    for version in range(count):
        if version and broken(version):
            runs.append([])
        runs[-1].append(version)
    return max(reversed(runs), key=len)


def clauses_of(law, versions, notes):
    """The clauses of a law: their groups, with their texts in order."""
    read = [sections_of(text) for text in versions]
    links = [renumbered(a, b) for (a, _), (b, _) in zip(read, read[1:])]
    twice = {name for _, names in read for name in names}
    notes["links between versions of a law"] += len(links)
    notes["of these with sections renumbered"] += sum(across for across, _ in links)
    part = longest(len(read), lambda version: links[version - 1][0])
    groups = defaultdict(dict)
    for name in dict.fromkeys(name for version in part for name in read[version][0] if name not in twice):
        within = [version for version in part if name in read[version][0]]

        def broken(at):
            old, new = (read[within[i]][0][name] for i in (at - 1, at))
            between = range(within[at - 1], within[at])
            return any(name in links[version][1] for version in between) or doubtful(old, new)

        breaks = sum(broken(at) for at in range(1, len(within)))
        notes["links between versions of a section"] += len(within) - 1
        notes["of these with numbers in doubt"] += breaks
        for at in longest(len(within), broken):
            section = read[within[at]][0][name]
            for number, clause in section.clauses.items():
                if len(clause.words) >= SHORTEST and not any(number in read[v][0][name].twice for v in within):
                    groups[f"{law}/{name}/{'.'.join(number) or '0'}"].setdefault(clause.words, clause.text)
    return groups


def laws_of(corpora, name):
    """The laws of several versions, with their texts in order."""
    laws = defaultdict(list)
    for record in map(json.loads, zstd_lines(corpora / name / "docs.jsonl.zst")):
        laws[record["group"]].append((record["date"], record["id"], record["text"]))
    for law in sorted(laws, key=hash_of):
        if len(laws[law]) > 1:
            yield law, [text for _, _, text in sorted(laws[law])]


def unsafe(corpora, name, laws):
    """How alike the texts of one number are in the first laws, whatever was renumbered."""
    alike = []
    for _, (_, versions) in zip(range(laws), laws_of(corpora, name)):
        groups = defaultdict(dict)
        for text in versions:
            for section, of in sections_of(text)[0].items():
                for number, clause in of.clauses.items():
                    if len(clause.words) >= SHORTEST:
                        groups[section, number].setdefault(clause.words)
        alike += [jaccard(a, b) for words in groups.values() for a, b in combinations(words, 2)]
    return alike


def prepare(corpora, cache, name):
    """A set and the notes on how it was made."""
    docs, notes_at = cache / f"clauses-{name}.jsonl", cache / f"clauses-{name}.json"
    if docs.exists() and notes_at.exists():
        return docs, json.loads(notes_at.read_text(encoding="utf-8"))
    notes, chosen, size = Counter(), [], 0
    for law, versions in laws_of(corpora, name):
        if size >= SIZE:
            break
        groups = clauses_of(law, versions, notes)
        notes["laws"] += 1
        notes["versions of laws"] += len(versions)
        size += sum(map(len, groups.values()))
        chosen.append((law, groups))
    owners = Counter(words for _, groups in chosen for texts in groups.values() for words in texts)
    records = []
    for law, groups in chosen:
        for group, texts in groups.items():
            kept = [text for words, text in texts.items() if owners[words] == 1]
            notes["texts left out, as they stand in several groups"] += len(texts) - len(kept)
            records += [{"id": f"{group}@{number}", "text": text, "group": group, "law": law} for number, text in enumerate(kept, 1)]
    notes["clauses"] = len(records)
    write_records(docs, records)
    notes_at.write_text(json.dumps(notes), encoding="utf-8")
    return docs, notes


def pairs(args, docs, options, out):
    """Lists pairs, and returns the CPU seconds that it took."""
    out.unlink(missing_ok=True)
    command = [args.tegula, "pairs", docs, *options, "--threads", "1", "--expand", "-o", out, "-q", "--progress", "none"]
    took = run(command, args.seconds)
    if took["failed"]:
        print(f"{docs.name}, {' '.join(options)}: {took['failed']}", file=sys.stderr)
    return None if took["failed"] else took["cpu"]


def within_laws(docs, found, out):
    """The pairs of clauses of one law."""
    law = {record["id"]: record["law"] for record in map(json.loads, open(docs, encoding="utf-8"))}
    head, *lines = found.read_text(encoding="utf-8").splitlines()
    a, b = (head.split("\t").index(name) for name in ("id_a", "id_b"))
    out.write_text(head + "\n", encoding="utf-8")
    with out.open("a", encoding="utf-8") as kept:
        for line in lines:
            row = line.split("\t")
            if law[row[a]] == law[row[b]]:
                kept.write(line + "\n")
    return out


def judged(args, docs, found, half, column):
    """Precision and F1 of a result at each of its scores, from the highest."""
    command = [args.tegula, "evaluate", docs, found, "--half", half, "--score", column, "--sweep", "--resamples", "0", "--form", "json"]
    of = json.loads(subprocess.run([str(part) for part in command], check=True, capture_output=True).stdout)
    return [(point["threshold"], point["precision"], point["f1"]) for point in of["sweep"]["points"]]


def at(points, threshold):
    """Precision and F1 at a threshold."""
    reached = [point for point in points if point[0] >= threshold - 1e-9]
    return reached[-1][1:] if reached else (0.0, 0.0)


def table(args, sets, folder):
    names = list(sets)
    print("| recipe, threshold | half | " + " | ".join(names) + " | mean F1 | " + " | ".join(f"{n}, within a law" for n in names), end="")
    print(" | CPU seconds |\n| --- | --- |" + " ---: |" * (2 * len(names) + 2))
    for recipe, lowest, preset, column in CANDIDATES:
        options = ["--recipe", *shlex.split(recipe)]
        found = {}
        for name, docs in sets.items():
            out = folder / "pairs.tsv"
            if pairs(args, docs, [*options, "--threshold", str(lowest)], out) is None:
                break
            results = out, within_laws(docs, out, folder / "within.tsv")
            for half in "ab":
                found[name, half] = [judged(args, docs, result, half, column) for result in results]
        if len(found) < 2 * len(names):
            continue

        def f1(threshold):
            return sum(at(found[name, "a"][0], threshold)[1] for name in names) / len(names)

        grid = [step / 50 for step in range(round((lowest if column == "score" else 0.4) * 50), 50)]
        best = max(grid, key=f1)
        for threshold in dict.fromkeys([*([preset] if preset else []), best]):
            times = []
            for docs in sets.values():
                start = str(threshold if column == "score" else lowest)
                times.append(pairs(args, docs, [*options, "--threshold", start], folder / "pairs.tsv"))
            for half in "ab":
                cells = [at(found[name, half][view], threshold) for view in (0, 1) for name in names]
                mean = sum(f1 for _, f1 in cells[: len(names)]) / len(names)
                shown = [f"{f1:.3f} ({precision:.3f})" for precision, f1 in cells]
                limit = f"{threshold} (its own)" if threshold == preset else threshold if column == "score" else f"{column} {threshold}"
                row = [f"`{recipe}`, {limit}", half, *shown[: len(names)], f"{mean:.3f}", *shown[len(names) :]]
                print("| " + " | ".join([*row, " + ".join(f"{time:.1f}" for time in times)]) + " |", flush=True)


def labels(corpora, sets, notes):
    """What the sets hold, and how alike the texts of a group are."""
    for name, docs in sets.items():
        groups = defaultdict(list)
        for record in map(json.loads, open(docs, encoding="utf-8")):
            groups[record["group"]].append(record["text"])
        lengths = sorted(len(words_of(text)) for texts in groups.values() for text in texts)
        alike = [jaccard(*map(words_of, pair)) for texts in groups.values() for pair in combinations(texts, 2)]
        print(f"\n{name}\n")
        for what, count in notes[name].items():
            print(f"- {what}: {count}")
        print(f"- groups: {len(groups)}, of which {sum(len(texts) > 1 for texts in groups.values())} of several texts")
        print(f"- pairs of versions: {len(alike)}")
        quartiles = ", ".join(str(lengths[int(part * (len(lengths) - 1))]) for part in (0.25, 0.5, 0.75, 1))
        print(f"- words, quartiles and the longest: {quartiles}")
        print("- pairs that share less than a part of their words: " + share_below(alike))
        uncut = unsafe(corpora, name, notes[name]["laws"])
        print(f"- the same of all clauses of one number, without the rules ({len(uncut)} pairs): " + share_below(uncut))


def jaccard(a, b):
    a, b = set(a), set(b)
    return len(a & b) / len(a | b)


def share_below(alike):
    return ", ".join(f"{limit}: {sum(value < limit for value in alike) / len(alike):.3f}" for limit in (0.1, 0.2, 0.3, 0.5, 0.7, 0.9))


def read(args, sets, folder):
    """A sample of the errors of one recipe."""
    for name, docs in sets.items():
        records = {record["id"]: record for record in map(json.loads, open(docs, encoding="utf-8"))}
        groups = defaultdict(list)
        for record in records.values():
            groups[record["group"]].append(record["id"])
        pairs(args, docs, args.recipe, folder / "pairs.tsv")
        head, *lines = (folder / "pairs.tsv").read_text(encoding="utf-8").splitlines()
        a, b, score = (head.split("\t").index(column) for column in ("id_a", "id_b", "score"))
        found = {frozenset((row[a], row[b])): row[score] for row in (line.split("\t") for line in lines)}
        versions = {frozenset(pair) for ids in groups.values() for pair in combinations(ids, 2)}
        wrong, missed = found.keys() - versions, versions - found.keys()
        inside = sum(len({records[id_]["law"] for id_ in pair}) == 1 for pair in wrong)
        print(f"\n{name}: {len(found)} pairs, {len(wrong)} wrong, of which {inside} within a law; {len(missed)} of {len(versions)} missed")
        dice = random.Random(1)
        for kind, errors in (("wrong", wrong), ("missed", missed)):
            for pair in dice.sample(sorted(map(sorted, errors)), min(args.read, len(errors))):
                print(f"\n{kind}, score {found.get(frozenset(pair), '-')}")
                for id_ in pair:
                    print(f"  {id_}: {records[id_]['text'][:400]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--tegula", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("target/quality"))
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--labels", action="store_true", help="print what the sets hold instead")
    parser.add_argument("--read", type=int, metavar="N", help="print N errors of each kind instead, of the recipe after --")
    parser.add_argument("recipe", nargs="*", default=["--recipe", "revisions"])
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    prepared = {name: prepare(args.corpora, args.cache, name) for name in SETS}
    sets = {name: docs for name, (docs, _) in prepared.items()}
    with tempfile.TemporaryDirectory() as folder:
        if args.labels:
            labels(args.corpora, sets, {name: notes for name, (_, notes) in prepared.items()})
        elif args.read:
            read(args, sets, Path(folder))
        else:
            table(args, sets, Path(folder))


if __name__ == "__main__":
    main()

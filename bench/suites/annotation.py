"""Annotated corpora of public suites: what tegula reads of CoNLL-U and TEI files beside other readers.

FOLDER has any `UD_*` (github.com/UniversalDependencies), and `TEI` (github.com/TEIC/TEI). CoNLL-U files are compared with the package `conllu`: sentences, and the text of
each file; TEI files with lxml: words, where the document has no markup on which readers differ by design.
Files that the others cannot read, and those that are wrong on purpose, only have to end without a panic or a
hang. Needs conllu and lxml.
"""

import json
import pathlib
import re
import tempfile

from program import run

SKIPPED = {"teiHeader", "idsHeader", "standOff", "facsimile", "note", "fw"}
# Of these one reading is text, or neighbours are joined; the suite's yardstick does not know how.
BY_DESIGN = {"choice", "app", "subst", "del", "w", "pc", "c", "seg", "cl", "phr"}
BREAKS = {"lb", "pb", "cb", "gb", "milestone"}


def texts(tegula, file, scratch, *options):
    """The texts that tegula reads of a file; an error in words."""
    output = pathlib.Path(scratch) / "out.jsonl"
    output.unlink(missing_ok=True)
    ended = run(tegula, "mark", file, "-o", output, "--recipe", "exact", *options)
    if ended.code != 0:
        return ended.first_line()
    return [json.loads(line)["text"] for line in output.read_text().splitlines()]


def sentences(tegula, file, scratch):
    """The sentences that tegula counts in a file, and its text; an error in words."""
    output = pathlib.Path(scratch) / "out.jsonl"
    # A file without document marks is one document: its sentences are compared.
    ended = run(tegula, "mark", file, "-o", output, "--recipe", "exact", "--unit", "sentence", "--json")
    if ended.code != 0:
        return ended.first_line()
    texts = [json.loads(line)["text"] for line in output.read_text().splitlines()]
    return json.loads(ended.out)["balance"]["in"]["units"], texts


def conllu_text(text):
    """The number of sentences with words and the words of a file as written, by the package `conllu`."""
    import conllu

    fields = None
    listed = re.match(r"(?:#.*\n)*?# *global\.columns *= *(.*)", text)
    if listed:
        fields = [name.lower() for name in listed.group(1).split()]
    found, words = 0, []
    for sentence in conllu.parse(text, fields=fields):
        until, line = 0, ""
        for token in sentence:
            ident = token.get("id")
            if isinstance(ident, tuple) and ident[1] == ".":
                continue
            if isinstance(ident, tuple):
                until = ident[2]
            elif isinstance(ident, int) and ident <= until:
                continue
            glued = (token.get("misc") or {}).get("SpaceAfter") == "No" if isinstance(token.get("misc"), dict) else False
            line += token["form"] + ("" if glued else " ")
        if line:
            found += 1
            words.append(line)
    return found, " ".join(" ".join(words).split())


def of_conllu(folder, tegula):
    files = sorted(folder.rglob("*.conllu")) + sorted(folder.rglob("*.conllup"))
    equal, read, refused, notes = 0, 0, 0, []
    for file in files:
        with tempfile.TemporaryDirectory() as scratch:
            ours = sentences(tegula, file, scratch)
            try:
                count, text = conllu_text(file.read_text(encoding="utf-8-sig"))
            except Exception as error:
                count, text = None, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            if isinstance(ours, str):
                if ours in ("panic", "hang"):
                    notes.append(f"{file.name}: {ours}")
                refused += 1
                notes.append(f"{file.name}: {ours}; conllu: {'reads it' if count is not None else text}")
                continue
            if count is None:
                notes.append(f"{file.name}: read; conllu: {text}")
                continue
            read += 1
            found, ours = ours
            if " ".join(" ".join(ours).split()) != text:
                notes.append(f"{file.name}: another text")
            elif found != count:
                notes.append(f"{file.name}: {found} sentences of {count}")
            else:
                equal += 1
    if not files:
        return []
    note = f"{len(files)} files, {refused} refused"
    return [{"suite": folder.name, "what": "CoNLL-U: files with the same sentences and text", "ours": equal, "theirs": read, "note": "; ".join([note, *(one.replace("; ", ", ") for one in notes)])}]


def tei_words(root):
    """The words of a document by lxml, and whether it has markup on which readers differ."""
    import lxml.etree as etree

    inline = inline_elements()
    out, by_design = [], False

    def walk(element):
        nonlocal by_design
        if not isinstance(element.tag, str):
            return
        name = etree.QName(element).localname
        if name in SKIPPED and element.getparent() is not None:
            return
        by_design |= name in BY_DESIGN
        apart = name not in inline and not (name in BREAKS and element.get("break") == "no")
        out.append(" " if apart else "")
        out.append(element.text or "")
        for child in element:
            walk(child)
            out.append(child.tail or "")
        out.append(" " if apart else "")

    walk(root)
    return re.findall(r"\w+", "".join(out)), by_design


def inline_elements():
    """The inline elements, as the source of tegula lists them."""
    source = pathlib.Path(__file__).parents[2] / "crates/tegula-io/src/format/tei_doc.rs"
    listed = re.search(r"INLINE: \[&str; \d+\] = \[(.*?)\];", source.read_text(), re.S)
    return set(re.findall(r'"(\w+)"', listed.group(1)))


def of_tei(folder, tegula):
    import lxml.etree as etree

    files = [file for pattern in ("*.xml", "*.tei", "*.odd") for file in sorted(folder.rglob(pattern))]
    equal, read, others, notes = 0, 0, 0, []
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    for file in files:
        with tempfile.TemporaryDirectory() as scratch:
            ours = texts(tegula, file, scratch, "--format", "tei")
            try:
                root = etree.parse(file, parser).getroot()
            except etree.XMLSyntaxError as error:
                if isinstance(ours, list) or ours in ("panic", "hang"):
                    notes.append(f"{file.name}: {'read' if isinstance(ours, list) else ours}; lxml: {str(error)[:80]}")
                others += 1
                continue
            corpus = etree.QName(root).localname in ("teiCorpus", "idsCorpus")
            words, by_design = tei_words(root)
            if isinstance(ours, str):
                notes.append(f"{file.name}: {ours}")
                read += 1
            elif by_design or corpus or root.getroottree().docinfo.internalDTD is not None:
                others += 1
            else:
                read += 1
                found = re.findall(r"\w+", " ".join(ours))
                if found == words:
                    equal += 1
                else:
                    at = next((n for n, pair in enumerate(zip(found, words)) if pair[0] != pair[1]), min(len(found), len(words)))
                    notes.append(f"{file.name}: word {at}: {' '.join(found[at:at + 3])} | {' '.join(words[at:at + 3])}")
    if not files:
        return []
    note = f"{len(files)} files, {others} of them not compared"
    return [{"suite": folder.name, "what": "TEI: files with the same words", "ours": equal, "theirs": read, "note": "; ".join([note, *(one.replace("; ", ", ") for one in notes)])}]


def check(folder, tegula):
    """A row for each suite, with the differences as notes."""
    rows = []
    for suite in sorted(folder.glob("UD_*")):
        rows += of_conllu(suite, tegula)
    if (folder / "TEI").is_dir():
        rows += of_tei(folder / "TEI", tegula)
    return rows

"""Options by function, with their types. Written by typed.py."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Literal, TypedDict

Value = str | int | float | os.PathLike[str]

# A recipe by name; a file of a recipe is a path.
Recipe = Literal["auto", "copies", "sscr", "ssr", "sscr-containment", "ssr-containment", "revisions", "cops", "messages", "exact", "plain", "onion", "passages", "cosine", "sketch", "sketch-mod", "super-shingle", "simhash", "i-match", "simfinder", "mixed", "benko"] | os.PathLike[str]
Unit = Literal["document", "paragraph", "sentence", "passage"]
Evidence = Literal["witness", "all"]


class SharedOptions(TypedDict, total=False):
    """What the further options of `dedup`, `mark`, `pairs` share."""

    across: str
    """Compare only units with different values of a field."""
    attachments: Literal["compare", "ignore"]
    """Mail: whether attachments are part of what a message is [default: compare]."""
    by: str | Iterable[str]
    """Break the summary down by this field: source, or date:year; may be repeated."""
    check_recall: int
    """Measure recall: find all matches of N sampled texts with the complete recipe, and report the share that the keys found."""
    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    columns: str | Iterable[str]
    """Vertical: the names of the columns, such as word,lemma,tag."""
    comment: str
    """CSV: the character that begins a comment line [default: none; # before the header]."""
    config: Value
    """Configuration file: options by command, and recipes by name [default: tegula.toml in this folder or the nearest one above]."""
    date_format: str | Iterable[str]
    """Format of dates that are not recognised: %d/%m/%Y, %B %Y, %s; repeat to try several, `auto` among them."""
    delimiter: str
    """CSV: the delimiter between cells, or \\t [default: detected]."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    doc_element: str
    """TEI: the element of a document [default: TEI in a teiCorpus, idsText in an idsCorpus, otherwise the file]."""
    doc_tag: str
    """Vertical: the tag of a document [default: doc]."""
    encoding: str
    """Encoding of all text inputs: auto, utf-8, windows-1252, iso-8859-15, gb18030, utf-16le, ... [default: auto]."""
    escape: str
    """CSV: the character before a quote that belongs to the text [default: detected]."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    exclude: str | Iterable[str]
    """In folders, skip files that match; may be repeated."""
    field_from_name: str
    """Fields from file names: a regular expression whose named groups match parts of the path, `(?<paper>T\\d+)/(?<month>[A-Z]+)`."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    format: Literal["jsonl", "json", "csv", "tsv", "parquet", "text", "vertical", "conllu", "tei", "html", "warc", "eml", "mbox"]
    """Format of all inputs [default: by file name or, failing that, content]."""
    glue_tag: str
    """Vertical: the tag that joins two tokens [default: g]."""
    include: str | Iterable[str]
    """In folders, read only files that match: '*.parquet', 'data/train-*', 'sub/**'; may be repeated."""
    limit: int
    """Read only the first N records."""
    min_tokens: int
    """Compare only units of at least N tokens; shorter ones are kept, and cause no removals."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    no_header: bool
    """CSV: the first row is data; columns are named 1, 2, ..."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    on_bad_record: Literal["fail", "skip", "quarantine"]
    """What to do with an unreadable record [default: fail]."""
    par_tag: str
    """Vertical and TEI: the tag of a paragraph; for TEI, a comma-separated list [default: p; in TEI p,ab,lg,l]."""
    quarantine: str | os.PathLike[str]
    """Folder for the bytes of bad records under on_bad_record = quarantine [default: OUTPUT.quarantine]."""
    quote: str
    """CSV: the quote character around cells [default: detected]."""
    quoted: Literal["keep", "drop", "unit"]
    """Mail: how to treat quoted replies, forwarded messages, signatures and list footers [default: keep]."""
    reading: Literal["corrected", "original"]
    """TEI: which readings of a choice to use as text [default: corrected]."""
    scratch: Value
    """Folder for temporary files, and its ceiling [default: the system's, all its free space]."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    sent_tag: str
    """Vertical and TEI: the tag of a sentence; `none` splits sentences by rules [default: s]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    skip_element: str | Iterable[str]
    """TEI: an element to skip, instead of the default ones; may be repeated [default: teiHeader, idsHeader, standOff, facsimile, note, fw]."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    strict_ids: bool
    """Refuse inputs in which two records have the same id; reads them once more."""
    tag_column: Value
    """Vertical: the column with the part of speech, by number or name; simfinder weights words by it [default: the column of columns = named tag, pos, upos or xpos]."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    window: str
    """Compare only units whose dates are at most this many days or weeks apart: date=3d, date=2w."""
    word_column: Value
    """Vertical: the column to compare, by number (from 1) or by a name from columns [default: 1; onion and benko compare whole lines]."""


class DedupOptions(SharedOptions, total=False):
    """Further options of `dedup`: those of `tegula dedup`."""

    fingerprints: Value
    """Write the digest and id of each unit to this file, one per line, sorted by digest, so that equal units are adjacent."""
    keep_per: str
    """Keep one copy for each value of a field: source, or date:year."""
    list: Value | Iterable[Value]
    """List the ids of the duplicates (removed) or of all other units (kept), on standard output or in a file; may be repeated."""
    mark_place: Literal["attribute", "first-column", "last-column", "misc", "standoff", "revisit"]
    """Vertical, CoNLL-U, TEI and WARC: where to write marks [default: attribute]."""
    mark_prefix: Value
    """Prefix for the names of the marks, `duplicate_of` and so on [default: none]."""
    overwrite: bool
    """Write into folders that hold other files: files written there by an earlier run of tegula are removed, all others are kept."""
    removed: Value
    """Write the removed records, each with its witness and score, to this file or folder."""


class MarkOptions(SharedOptions, total=False):
    """Further options of `mark`: those of `tegula mark`."""

    fingerprints: Value
    """Write the digest and id of each unit to this file, one per line, sorted by digest, so that equal units are adjacent."""
    keep_per: str
    """Keep one copy for each value of a field: source, or date:year."""
    list: Value | Iterable[Value]
    """List the ids of the duplicates (removed) or of all other units (kept), on standard output or in a file; may be repeated."""
    mark_place: Literal["attribute", "first-column", "last-column", "misc", "standoff", "revisit"]
    """Vertical, CoNLL-U, TEI and WARC: where to write marks [default: attribute]."""
    mark_prefix: Value
    """Prefix for the names of the marks, `duplicate_of` and so on [default: none]."""
    overwrite: bool
    """Write into folders that hold other files: files written there by an earlier run of tegula are removed, all others are kept."""


class PairsOptions(SharedOptions, total=False):
    """Further options of `pairs`: those of `tegula pairs`."""

    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""

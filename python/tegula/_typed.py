"""Options by function, with their types. Written by typed.py."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Literal, TypedDict

Value = str | int | float | os.PathLike[str]

# A recipe by name; a file of a recipe is a path.
Recipe = Literal["auto", "copies", "sscr", "ssr", "sscr-containment", "ssr-containment", "revisions", "clauses", "cops", "messages", "exact", "plain", "onion", "passages", "cosine", "sketch", "sketch-mod", "super-shingle", "simhash", "i-match", "simfinder", "mixed", "benko"] | os.PathLike[str]
Unit = Literal["document", "paragraph", "line", "sentence", "passage"]
Evidence = Literal["witness", "all"]


class ReadingOptions(TypedDict, total=False):
    """What functions on texts share."""

    attachments: Literal["compare", "ignore"]
    """Mail: whether to compare attachments as well [default: compare]."""
    columns: str | Iterable[str]
    """Vertical: the names of the columns, such as word,lemma,tag."""
    comment: str
    """CSV: the character that begins a comment line [default: none; before the header, #]."""
    config: str | os.PathLike[str]
    """A configuration file: options by function, and recipes by name."""
    delimiter: str
    """CSV: the delimiter between cells, or \\t [default: detected]."""
    doc_element: str
    """TEI: the element of a document [default: TEI in a teiCorpus, idsText in an idsCorpus, otherwise the file]."""
    doc_tag: str
    """Vertical: the tag of a document [default: doc]."""
    encoding: str
    """Encoding of all text inputs: auto, utf-8, windows-1252, iso-8859-15, gb18030, utf-16le, ... [default: auto]."""
    escape: str
    """CSV: the character that escapes a quote inside a cell [default: detected]."""
    exclude: str | Iterable[str]
    """In folders, skip files that match; may be repeated."""
    field_from_name: str
    """Fields from file names: a regular expression whose named groups match parts of the path, `(?<paper>T\\d+)/(?<month>[A-Z]+)`."""
    format: Literal["jsonl", "json", "csv", "tsv", "parquet", "text", "vertical", "conllu", "tei", "html", "warc", "eml", "mbox", "docx", "odt", "pptx", "epub", "rtf", "pdf"]
    """Format of all inputs [default: by file name or, failing that, content]."""
    glue_tag: str
    """Vertical: the tag that joins two tokens [default: g]."""
    include: str | Iterable[str]
    """In folders, read only files that match: '*.parquet', 'data/train-*', 'sub/**'; may be repeated."""
    limit: int
    """Read only the first N records."""
    no_header: bool
    """CSV: the first row is data; columns are named 1, 2, ..."""
    on_bad_record: Literal["fail", "skip", "quarantine"]
    """What to do with an unreadable record [default: fail]."""
    par_tag: str
    """Vertical and TEI: the tag of a paragraph; for TEI, a comma-separated list [default: p; in TEI p,ab,lg,l]."""
    quarantine: str | os.PathLike[str]
    """Folder for the bytes of bad records under on_bad_record="quarantine" [default: OUTPUT.quarantine]."""
    quote: str
    """CSV: the quote character around cells [default: detected]."""
    quoted: Literal["keep", "drop", "unit"]
    """Mail: how to treat quoted replies, forwarded messages, signatures and list footers [default: keep]."""
    reading: Literal["corrected", "original"]
    """TEI: which readings of a choice to use as text [default: corrected]."""
    scratch: str | os.PathLike[str]
    """Folder for temporary files, and its ceiling [default: the system's, all its free space]."""
    sent_tag: str
    """Vertical and TEI: the tag of a sentence; `none` splits sentences by rules [default: s]."""
    skip_element: str | Iterable[str]
    """TEI: an element to skip, instead of the default ones; may be repeated [default: teiHeader, idsHeader, standOff, facsimile, note, fw]."""
    strict_ids: bool
    """Refuse inputs in which two records have the same id; reads them once more."""
    tag_column: Value
    """Vertical: the column with the part of speech, by number or name; simfinder weights words by it [default: the column of columns named tag, pos, upos or xpos]."""
    text: Literal["main", "all", "marked"]
    """Web pages: which text to read [default: main]."""
    word_column: Value
    """Vertical: the column to compare, by number (from 1) or by a name from columns [default: 1; onion and benko compare whole lines]."""


class SharedOptions(ReadingOptions, total=False):
    """What `dedup`, `mark`, `pairs` share."""

    across: str
    """Compare only units with different values of a field."""
    by: str | Iterable[str]
    """Break the summary down by this field: source, or date:year; may be repeated."""
    check_recall: int
    """Measure recall: find all matches of N sampled texts with the complete recipe, and report the share that the keys found."""
    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    date_format: str | Iterable[str]
    """Format of dates that are not recognised: %d/%m/%Y, %B %Y, %s; repeat to try several, `auto` among them."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    min_tokens: int
    """Compare only units of at least N tokens; shorter ones are kept, and cause no removals."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    window: str
    """Compare only units whose dates are at most this many days or weeks apart: date=3d, date=2w."""


class DedupOptions(SharedOptions, total=False):
    """Further options of `dedup`: those of `tegula dedup`."""

    add: str | Iterable[str]
    """Add to each kept record: copies, the number of removed texts it stands for; copies_by:FIELD, the same by values of a field; rank, its place in its cluster; may be repeated."""
    fingerprints: str | os.PathLike[str]
    """Write the digest and id of each unit to this file, one per line, sorted by digest; an asterisk in a third column marks digests that several units have."""
    keep_each: str
    """Keep at least one text for each value of a field in every cluster."""
    keep_per: str
    """Keep one copy for each value of a field: source, or date:year."""
    keep_up_to: int
    """Keep up to N texts of each cluster, and more only if no kept text matches them [default: 1]."""
    list: str | Iterable[str]
    """List the ids of the duplicates (removed) or of all other units (kept), on standard output or in a file; may be repeated."""
    mark_place: Literal["attribute", "first-column", "last-column", "misc", "standoff", "revisit"]
    """Vertical, CoNLL-U, TEI and WARC: where to write marks [default: attribute]."""
    mark_prefix: str
    """Prefix for the names of the marks, `duplicate_of` and so on [default: none]."""
    overwrite: bool
    """Write into folders that hold other files: files written there by an earlier run of tegula are removed, all others are kept."""
    removed: str | os.PathLike[str]
    """Write the removed records, each with its witness and score, to this file or folder."""
    unified: bool
    """With fingerprints: list each digest once, with the first of its units."""


class MarkOptions(SharedOptions, total=False):
    """Further options of `mark`: those of `tegula mark`."""

    add: str | Iterable[str]
    """Add to each kept record: copies, the number of removed texts it stands for; copies_by:FIELD, the same by values of a field; rank, its place in its cluster; may be repeated."""
    fingerprints: str | os.PathLike[str]
    """Write the digest and id of each unit to this file, one per line, sorted by digest; an asterisk in a third column marks digests that several units have."""
    keep_each: str
    """Keep at least one text for each value of a field in every cluster."""
    keep_per: str
    """Keep one copy for each value of a field: source, or date:year."""
    keep_up_to: int
    """Keep up to N texts of each cluster, and more only if no kept text matches them [default: 1]."""
    list: str | Iterable[str]
    """List the ids of the duplicates (removed) or of all other units (kept), on standard output or in a file; may be repeated."""
    mark_place: Literal["attribute", "first-column", "last-column", "misc", "standoff", "revisit"]
    """Vertical, CoNLL-U, TEI and WARC: where to write marks [default: attribute]."""
    mark_prefix: str
    """Prefix for the names of the marks, `duplicate_of` and so on [default: none]."""
    overwrite: bool
    """Write into folders that hold other files: files written there by an earlier run of tegula are removed, all others are kept."""
    unified: bool
    """With fingerprints: list each digest once, with the first of its units."""


class FilterOptions(TypedDict, total=False):
    """Further options of `filter`: those of `tegula filter`."""

    add: bool
    """Add the kept hits to index; a hit whose id is already there replaces that text."""
    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    config: str | os.PathLike[str]
    """A configuration file: options by function, and recipes by name."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    drop_template: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
    """Drop hits that match a template: a table of `tegula templates`, or any other with a column `regex`; may be repeated."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    expand: bool
    """Add to each kept hit a field `hidden` that lists the hits hidden under it: id, rank and score."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    index: str | os.PathLike[str]
    """Also hide hits that match a text in this index; hits are then compared by its recipe."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    on_bad_record: Literal["fail", "skip", "quarantine"]
    """What to do with an unreadable record [default: fail]."""
    quarantine: str | os.PathLike[str]
    """Folder for the bytes of bad records under on_bad_record="quarantine" [default: OUTPUT.quarantine]."""
    scratch: str | os.PathLike[str]
    """Folder for temporary files, and its ceiling [default: the system's, all its free space]."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    unit: Literal["document", "paragraph", "line", "sentence", "passage"]
    """Unit of comparison [default: the recipe's, document]."""


class OnionOptions(TypedDict, total=False):
    """Further options of `onion`: those of `tegula onion`."""

    buffer_size: int
    """Accepted for compatibility, without effect: memory is the ceiling."""
    config: str | os.PathLike[str]
    """A configuration file: options by function, and recipes by name."""
    doc_tag: str
    """Tag that starts a document [default: doc]."""
    fingerprints: str | os.PathLike[str]
    """Fingerprints of repeated n-grams, saved by save_fingerprints: one pass, with only these in memory."""
    max_stub_length: int
    """Smoothing: maximum length, in tokens, of a run of paragraphs that is removed together with its surroundings [default: 20]."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    ngram: int
    """Tokens in an n-gram [default: 7, or that of the saved fingerprints]."""
    no_smoothing: bool
    """No smoothing: short runs of kept paragraphs are kept whatever surrounds them."""
    one_pass: bool
    """Read the input once, keep no copy of a stream, and hold every n-gram; fail if they do not fit [default: read it twice, and hold those that occur more than once]."""
    par_tag: str
    """Tag that starts a paragraph; use the document tag to judge whole documents [default: p]."""
    scratch: str | os.PathLike[str]
    """Folder for temporary files, and its ceiling [default: the system's, all its free space]."""
    short: Literal["ngrams", "exact"]
    """Treatment of paragraphs shorter than an n-gram: judged by the n-grams that end in them (ngrams), or also removed if the whole paragraph was seen before (exact) [default: ngrams]."""
    strip: bool
    """Write only the kept text, without marks."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    threshold: Value
    """Remove a paragraph if more than this share of its tokens was previously seen [default: 0.5]."""
    trim_bits: int
    """Accepted for compatibility, without effect: n-grams are not trimmed."""


class ReportOptions(TypedDict, total=False):
    """Further options of `report`: those of `tegula report`."""

    config: str | os.PathLike[str]
    """A configuration file: options by function, and recipes by name."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    near_misses: bool
    """Search the inputs again for pairs just below the threshold [default: if they are smaller than 32 MB]."""
    overwrite: bool
    """Write tables to a folder that holds other files: those that an earlier command wrote there are removed, all others are kept."""
    root: str | os.PathLike[str]
    """New location of the inputs of the run, if they have moved."""
    scratch: str | os.PathLike[str]
    """Folder for temporary files, and its ceiling [default: the system's, all its free space]."""
    tables: str | os.PathLike[str]
    """Write all tables to this folder, as TSV and LaTeX."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    words: bool
    """List the words, and runs of up to four words, that the copies repeat, by keyness; reads the inputs again [default: in a page, if they are smaller than 32 MB]."""


class CompareOptions(ReadingOptions, total=False):
    """Further options of `compare`: those of `tegula compare`."""

    baseline: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
    """Texts that the others are compared with, and not with each other, such as those of last year (a folder or file; may be repeated)."""
    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    full: bool
    """Show long passages in full."""
    id: str
    """Field with the id of a record [default: id, or file and row without one]."""
    ignore: str | os.PathLike[str]
    """A text whose shingles are ignored, such as the assignment that all texts answer."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    text_key: str | Iterable[str]
    """Field with the text: a top-level key, or a JSON Pointer such as /doc/body; repeat to join several [default: text]."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    threshold: Value
    """Lowest score of a match: 0.8, 80% or 4/5 [default: the recipe's, 0.75]."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    unit: Literal["document", "paragraph", "line", "sentence", "passage"]
    """Unit of comparison [default: the recipe's, document]."""


class FindOptions(ReadingOptions, total=False):
    """Further options of `find`: those of `tegula find`."""

    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    id: str
    """Field with the id of a record [default: id, or file and row without one]."""
    index: str | os.PathLike[str]
    """Also list copies of texts in this index; documents are then compared by its recipe."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    text_key: str | Iterable[str]
    """Field with the text: a top-level key, or a JSON Pointer such as /doc/body; repeat to join several [default: text]."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    unit: Literal["document", "paragraph", "line", "sentence", "passage"]
    """Unit of comparison [default: the recipe's, document]."""


class IndexOptions(ReadingOptions, total=False):
    """Further options of `index`: those of `tegula index`."""

    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    dry_run: bool
    """Say what would be added and removed, and change nothing."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    threshold: Value
    """Lowest score of a match: 0.8, 80% or 4/5 [default: the recipe's, 0.75]."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    unit: Literal["document", "paragraph", "line", "sentence", "passage"]
    """Unit of comparison [default: the recipe's, document]."""


class QueryOptions(ReadingOptions, total=False):
    """Further options of `query`: those of `tegula query`."""

    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""


class PairsOptions(SharedOptions, total=False):
    """Further options of `pairs`: those of `tegula pairs`."""

    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""


class PassagesOptions(ReadingOptions, total=False):
    """Further options of `passages`: those of `tegula passages`."""

    across: str
    """Compare only texts with different values of a field, such as author."""
    common: Value
    """Treat an n-gram in more places than this as a common phrase, which makes no passage on its own; `none` for no limit [default: 50]."""
    context: int
    """List each place on a line, with this many tokens before and after it, as a concordance does."""
    date: str
    """Field with the date of a text: the places of a passage are listed earliest first."""
    date_format: str | Iterable[str]
    """Format of dates that are not recognised; see `tegula dedup --help`."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    inside: bool
    """Also list passages that occur twice in one text."""
    items: str | os.PathLike[str]
    """Also write a table with a row for each text of against that shares passages with the inputs: with how many texts, and the most of it that one text has; for example, benchmark items found in training data."""
    mark_place: Literal["attribute", "first-column", "last-column", "misc", "standoff", "revisit"]
    """Vertical, CoNLL-U, TEI and WARC: where to write marks [default: attribute]."""
    marked: str | os.PathLike[str]
    """Also write the inputs with their passages marked: each in the later of its two texts, or in the input if the other text is from against; where passages overlap, the longest."""
    max_gap: int
    """Maximum number of tokens between two equal stretches; 0 for exact passages [default: 8]."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    min_identity: Value
    """Minimum share of equal tokens among equal tokens and edits [default: 0.75]."""
    min_rarity: int
    """Minimum rarity of a passage, in bits: more words and rarer words give more bits (column rarity) [default: 0]."""
    min_tokens: int
    """Minimum number of tokens in a passage, counted on its shorter side [default: 10]."""
    ngram: int
    """Number of equal tokens in a row that a passage must contain [default: 5]."""
    normalize: str
    """Normalisation of tokens: default, kupietz, plain, as-is, messages or message-words."""
    report: str | os.PathLike[str]
    """Also write a page: the passages, a timeline, a matrix, and the texts with passages marked."""
    shares: str | os.PathLike[str]
    """Also write a table with a row for each pair of texts: how much of each other they share."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    unit: Literal["document", "paragraph", "line", "sentence", "passage"]
    """Unit in which passages are located [default: document]."""
    within: str | Iterable[str]
    """Compare only texts with the same value of a field; may be repeated, all must match."""


class PhrasesOptions(ReadingOptions, total=False):
    """Further options of `phrases`: those of `tegula phrases`."""

    by: str
    """Count texts and occurrences by the values of a field, and give the dispersion over these: source, or date:year."""
    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    date_format: str | Iterable[str]
    """Format of dates that are not recognised, for by="date:year": %d/%m/%Y, %B %Y, %s; repeat to try several, `auto` among them."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    max_tokens: int
    """Only phrases of at most N tokens [default: any]."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    min_occurrences: int
    """Only phrases with at least N occurrences [default: 2]."""
    min_texts: int
    """Only phrases in at least N texts [default: 2]."""
    min_tokens: int
    """Only phrases of at least N tokens [default: 3]."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    recipe: str
    """A built-in recipe, a file NAME.toml, or auto, which chooses by a sample of the inputs; `tegula recipes` lists them [default: copies]."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    threshold: Value
    """Lowest score of a match: 0.8, 80% or 4/5 [default: the recipe's, 0.75]."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    top: int
    """Only the first N of the list [default: all]."""
    unit: Literal["document", "paragraph", "line", "sentence", "passage"]
    """Unit of comparison [default: the recipe's, document]."""


class TemplatesOptions(ReadingOptions, total=False):
    """Further options of `templates`: those of `tegula templates`."""

    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    min_constant: Value
    """Minimum share of the tokens of each text that is constant [default: 0.5]."""
    min_texts: int
    """Only templates of at least N texts [default: 3]."""
    min_tokens: int
    """Only templates with at least N constant tokens [default: 5]."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    report: str | os.PathLike[str]
    """Also write a page: the templates with their slots and what fills them."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    unit: Literal["document", "paragraph", "line", "sentence", "passage"]
    """Unit of comparison [default: the recipe's, document]."""


class StoriesOptions(ReadingOptions, total=False):
    """Further options of `stories`: those of `tegula stories`."""

    across: str
    """Compare only units with different values of a field."""
    against: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
    """Also compare with these files, folders or indexes, which are not changed: texts that match them are removed. If no recipe is named, that of an index is used; may be repeated."""
    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    date_format: str | Iterable[str]
    """Format of dates that are not recognised: %d/%m/%Y, %B %Y, %s; repeat to try several, `auto` among them."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    min_sources: int
    """Only stories in at least N sources [default: 0]."""
    min_texts: int
    """Only stories of at least N texts [default: 2]."""
    min_tokens: int
    """Compare only units of at least N tokens; shorter ones are kept, and cause no removals."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    report: str | os.PathLike[str]
    """Also write a page: stories with their timelines, how long they ran, and who had them first."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    texts: str | os.PathLike[str]
    """Also write a table of the texts of all stories, with their dates and sources."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    unit: Literal["document", "paragraph", "line", "sentence", "passage"]
    """Unit of comparison [default: the recipe's, document]."""
    window: str
    """Compare only units whose dates are at most this many days or weeks apart: date=3d, date=2w."""
    within: str | Iterable[str]
    """Compare only units with the same value of a field: source, or date:year; may be repeated, all must match."""


class EvaluateOptions(TypedDict, total=False):
    """Further options of `evaluate`: those of `tegula evaluate`."""

    by: str | Iterable[str]
    """Also judge by the values of a field of the documents: source, or date:year; may be repeated."""
    by_length: Literal["tokens", "characters"]
    """Also judge by the length of the documents, in classes of powers of two."""
    clusters: bool
    """Judge the clusters of a run folder instead of its pairs and verdicts."""
    config: str | os.PathLike[str]
    """A configuration file: options by function, and recipes by name."""
    documents: str | os.PathLike[str]
    """List of the ids of all documents, one per line or as a field of records, for gold pairs that do not name them all."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    group_key: str
    """Groups as gold: the field of the group [default: group]."""
    groups: bool
    """Read gold without a header as ids and groups, not as pairs."""
    half: Literal["a", "b"]
    """Judge only one half of the documents; copies are always in the same half."""
    id: str
    """Groups as gold: the field of the ids [default: id]."""
    judged_only: bool
    """Judge only pairs labelled in gold; without this option, pairs absent from gold count as wrong."""
    label: str
    """Pairs as gold: the column of the label [default: label, or the third]."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    positive: str
    """Labels that mean a copy, separated by commas, or >=NUMBER [default: 1, true, yes, dup or duplicate]."""
    resamples: int
    """Resamples of the groups for 95 % confidence intervals; 0 for none [default: 1000]."""
    roll_up: bool
    """Map paragraphs and sentences of the result to their documents [default: only those absent from gold]."""
    score: str
    """The column of the score in the result [default: score]."""
    scratch: str | os.PathLike[str]
    """Folder for temporary files, and its ceiling [default: the system's, all its free space]."""
    sweep: bool
    """Evaluate the result at every score, and report the best threshold."""
    text_key: str
    """With by_length: the field of the text [default: text]."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    threshold: Value
    """Lowest score of a pair that counts [default: all count]."""
    to: str | os.PathLike[str]
    """Write an HTML page with all tables and, with sweep, the precision-recall curves."""
    transitive: bool
    """Count all pairs inside the clusters that the pairs form (the transitive closure)."""
    tune: bool
    """Choose the threshold with the best F1 on half a, and report half b at that threshold."""


class JudgeOptions(TypedDict, total=False):
    """Further options of `judge`: those of `tegula judge`."""

    config: str | os.PathLike[str]
    """A configuration file: options by function, and recipes by name."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    near_misses: bool
    """Search the inputs again for pairs up to a tenth below the run's threshold, and draw from these as well, for the recall."""
    pairs: int
    """Number of pairs to draw [default: 100]."""
    root: str | os.PathLike[str]
    """New location of the inputs of the runs, if they have moved."""
    scratch: str | os.PathLike[str]
    """Folder for temporary files, and its ceiling [default: the system's, all its free space]."""
    seed: int
    """Seed of the sample: other seeds draw other pairs [default: 1]."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    threshold: Value
    """Lowest score of a pair that counts as found; pairs of the run below it are drawn as well, for the recall [default: that of the run]."""


class SweepOptions(ReadingOptions, total=False):
    """Further options of `sweep`: those of `tegula sweep`."""

    across: str
    """Compare only units with different values of a field."""
    against: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
    """Also compare with these files, folders or indexes, which are not changed: texts that match them are removed. If no recipe is named, that of an index is used; may be repeated."""
    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    date_format: str | Iterable[str]
    """Format of dates that are not recognised: %d/%m/%Y, %B %Y, %s; repeat to try several, `auto` among them."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    min_tokens: int
    """Compare only units of at least N tokens; shorter ones are kept, and cause no removals."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    overwrite: bool
    """Write tables to a folder that holds other files: those that an earlier command wrote there are removed, all others are kept."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    tables: str | os.PathLike[str]
    """Write all tables to this folder, as TSV and LaTeX."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    threshold: Value
    """Lowest score of a match: 0.8, 80% or 4/5 [default: the recipe's, 0.75]."""
    to: str | os.PathLike[str]
    """Write an HTML page with heat maps and curves of what would be removed, and all tables."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    unit: Literal["document", "paragraph", "line", "sentence", "passage"]
    """Unit of comparison [default: the recipe's, document]."""
    window: str
    """Compare only units whose dates are at most this many days or weeks apart: date=3d, date=2w."""
    within: str | Iterable[str]
    """Compare only units with the same value of a field: source, or date:year; may be repeated, all must match."""


class DiffOptions(TypedDict, total=False):
    """Further options of `diff`: those of `tegula diff`."""

    config: str | os.PathLike[str]
    """A configuration file: options by function, and recipes by name."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    examples: int
    """Number of units of each kind to show with their texts [default: 3]."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    overwrite: bool
    """Write tables to a folder that holds other files: those that an earlier command wrote there are removed, all others are kept."""
    root: str | os.PathLike[str]
    """New location of the inputs of the runs, if they have moved."""
    scratch: str | os.PathLike[str]
    """Folder for temporary files, and its ceiling [default: the system's, all its free space]."""
    tables: str | os.PathLike[str]
    """Write all tables to this folder, as TSV and LaTeX."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    to: str | os.PathLike[str]
    """Write a page of what each run caught (.html), or list the units that either run caught (.tsv, - for standard output)."""


class StudyOptions(ReadingOptions, total=False):
    """Further options of `study`: those of `tegula study`."""

    by: Literal["records", "tokens"]
    """growth: unit of length in the plots and the fitted curve [default: records]."""
    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    draw: int
    """simfinder: pairs drawn from each twentieth of the scores, to be judged [default: 200]."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    features: int | Iterable[int]
    """simfinder: numbers of features of a text to try, in keys of three [default: 2,3,4, and so on to 12]."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    gold: str | os.PathLike[str]
    """simfinder: labelled pairs or groups, as `tegula evaluate` reads them, that judge the pairs drawn; also a sheet with labels."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    overwrite: bool
    """Write tables to a folder that holds other files: those that an earlier command wrote there are removed, all others are kept."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    sheet: str | os.PathLike[str]
    """simfinder: write the pairs drawn as TSV, with their texts and an empty column label for judgements, 1 or 0."""
    sizes: int | Iterable[int]
    """simfinder: numbers of features in a key to try [default: 1,2,3,4,5]."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    steps: int
    """growth: number of prefixes of the input, each twice as long as the one before; the last is the whole input [default: 4]."""
    tables: str | os.PathLike[str]
    """Write all tables to this folder, as TSV and LaTeX."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    threshold: Value
    """Lowest score of a match: 0.8, 80% or 4/5 [default: the recipe's, 0.75]."""
    to: str | os.PathLike[str]
    """Write an HTML page with pictures and tables; for growth also the pictures alone, as .svg."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    unit: Literal["document", "paragraph", "line", "sentence", "passage"]
    """Unit of comparison [default: the recipe's, document]."""


class PlanOptions(ReadingOptions, total=False):
    """Further options of `plan`: those of `tegula plan`."""

    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    executors: int
    """Also estimate the costs of a run on Spark, and its time with this many 4-core executors."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    unit: Literal["document", "paragraph", "line", "sentence", "passage"]
    """Unit of comparison [default: the recipe's, document]."""


class RerunOptions(TypedDict, total=False):
    """Further options of `rerun`: those of `tegula rerun`."""

    config: str | os.PathLike[str]
    """A configuration file: options by function, and recipes by name."""
    fingerprints: str | os.PathLike[str]
    """The file of digests, instead of the recorded one."""
    list: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
    """The file of the listed ids, instead of the recorded one; may be repeated."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    overwrite: bool
    """Write into folders that hold other files: those that an earlier run wrote there are removed, all others are kept."""
    quarantine: str | os.PathLike[str]
    """The folder of unreadable records, instead of the recorded one."""
    removed: str | os.PathLike[str]
    """The file or folder of removed records, instead of the recorded one."""
    scratch: str | os.PathLike[str]
    """Folder for temporary files, and its ceiling [default: the system's, all its free space]."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""


class StatsOptions(ReadingOptions, total=False):
    """Further options of `stats`: those of `tegula stats`."""

    class_weights: str | os.PathLike[str]
    """Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]."""
    digest: Literal["tegula", "md5", "sha1", "xxh3-128"]
    """Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]."""
    escape_formulas: bool
    """TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin with =, +, - or @ and are not numbers."""
    estimate: bool
    """Report scores estimated from signatures instead of the true measure, for recipes with signatures."""
    fingerprint: Literal["tokens", "rabin"]
    """What shingles are identified by [default: the recipe's, tokens]."""
    memory: Value
    """Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]."""
    modulus: int
    """Prime modulus that reduces Rabin fingerprints."""
    ngram: int
    """Tokens in a shingle [default: the recipe's, 5]."""
    normalize: str
    """Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the recipe's]."""
    seed: int
    """Random seed, for sketches and random lexicons [default: the recipe's, 0]."""
    set: Mapping[str, object] | Iterable[str]
    """Set a field of the recipe, such as normalise.digits=number, or of a stage, such as documents.ngram=5; may be repeated."""
    statistics: str | os.PathLike[str]
    """Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]."""
    threads: int
    """Maximum number of worker threads; a small memory may allow fewer. Results never depend on it [default: all cores]."""
    threshold: Value
    """Lowest score of a match: 0.8, 80% or 4/5 [default: the recipe's, 0.75]."""
    tokens: Literal["found", "own", "as-is"]
    """Where tokens come from [default: found; own under onion and benko]."""
    unit: Literal["document", "paragraph", "line", "sentence", "passage"]
    """Unit of comparison [default: the recipe's, document]."""

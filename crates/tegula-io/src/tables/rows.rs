//! The run folder's tables, column by column.

use super::cell::{Digest, Json, Label, Text};
use super::table::table;

/// `units.parquet`: the compared units, in input order.
#[derive(Debug)]
pub enum Units {}

/// A unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UnitRow<'a> {
    /// Number of the unit in the run, from 0.
    pub unit: u64,
    /// Its id.
    pub id: &'a str,
    /// The id of its record, if it is a part of one.
    pub document: Option<&'a str>,
    /// Its file.
    pub file: &'a str,
    /// Its record, from 1 in its file.
    pub record: u64,
    /// Its offset in the file, after decompression; for Parquet the row, from 0.
    pub byte_start: u64,
    /// Its length there.
    pub byte_len: u64,
    /// Tokens.
    pub tokens: u32,
    /// The tokens of its text with those that the recipe drops; null if it drops none.
    pub text_tokens: Option<u32>,
    /// Digest of the token sequence.
    pub digest: [u8; 16],
    /// Its group of equal units, if there is one.
    pub group: Option<u64>,
    /// Its offset in its record's text, in bytes; null if it is the whole record.
    pub text_start: Option<u32>,
    /// Bytes of its text.
    pub text_len: Option<u32>,
    /// The offset of its cut in its record's text, in bytes; null if it is the whole record.
    pub cut_start: Option<u32>,
    /// Bytes removed with it: its text and the separator after it.
    pub cut_len: Option<u32>,
}

table!(Units, "units", UnitRow, UnitBuilders, UnitColumns, {
    unit: u64, id: Text, document: Option<Text>, file: Label, record: u64, byte_start: u64, byte_len: u64, tokens: u32,
    text_tokens: Option<u32>, digest: Digest, group: Option<u64>,
    text_start: Option<u32>, text_len: Option<u32>, cut_start: Option<u32>, cut_len: Option<u32>,
});

/// `groups.parquet`: the members of groups of equal units, one per row.
#[derive(Debug)]
pub enum Groups {}

/// A member of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupRow<'a> {
    /// Number of the group.
    pub group: u64,
    /// A unit in it.
    pub unit: u64,
    /// The unit's id.
    pub id: &'a str,
}

table!(Groups, "groups", GroupRow, GroupBuilders, GroupColumns, {
    group: u64, unit: u64, id: Text,
});

/// `pairs.parquet`: pairs at or above the threshold, sorted by (a, b).
#[derive(Debug)]
pub enum Pairs {}

/// A pair. Tables of other programs need only ids and score.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairRow<'a> {
    /// The earlier unit.
    pub unit_a: Option<u64>,
    /// The later unit.
    pub unit_b: Option<u64>,
    /// Id of the earlier unit.
    pub id_a: &'a str,
    /// Id of the later unit.
    pub id_b: &'a str,
    /// The recipe's score, 0 to 1.
    pub score: f64,
    /// Resemblance.
    pub ssr: Option<f64>,
    /// Coverage.
    pub sscr: Option<f64>,
    /// Share of a contained in b.
    pub containment_a: Option<f64>,
    /// Share of b contained in a.
    pub containment_b: Option<f64>,
    /// Shingles in common.
    pub common: Option<u32>,
    /// Distinct shingles of a.
    pub size_a: Option<u32>,
    /// Distinct shingles of b.
    pub size_b: Option<u32>,
    /// Tokens of a in shingles of b.
    pub covered_a: Option<u32>,
    /// Tokens of b in shingles of a.
    pub covered_b: Option<u32>,
    /// The numerator of the score, for measures of terms and of signatures.
    pub part: Option<u32>,
    /// The denominator.
    pub whole: Option<u32>,
    /// Levenshtein ratio of the normalised texts, if the recipe requests it.
    pub levenshtein: Option<f64>,
    /// Score without masks, if the recipe has masks.
    pub unmasked: Option<f64>,
    /// Tokens of a.
    pub tokens_a: Option<u32>,
    /// Tokens of b.
    pub tokens_b: Option<u32>,
    /// Number of equal texts represented by a, including itself; null in run folders, which have
    /// the table of groups.
    pub equal_a: Option<u32>,
    /// Number of equal texts represented by b, including itself.
    pub equal_b: Option<u32>,
}

impl PairRow<'_> {
    /// The number of pairs of units that the row represents; none in a run folder, whose groups
    /// determine it, and in tables of earlier versions.
    pub fn stands_for(&self) -> Option<u64> {
        match (self.equal_a, self.equal_b) {
            (Some(a), Some(b)) => Some(u64::from(a) * u64::from(b)),
            // A table from another program, without unit numbers, has a row for each pair.
            _ => self.unit_a.is_none().then_some(1),
        }
    }
}

table!(Pairs, "pairs", PairRow, PairBuilders, PairColumns, {
    unit_a: Option<u64>, unit_b: Option<u64>, id_a: Text, id_b: Text, score: f64,
    ssr: Option<f64>, sscr: Option<f64>, containment_a: Option<f64>, containment_b: Option<f64>,
    common: Option<u32>, size_a: Option<u32>, size_b: Option<u32>,
    covered_a: Option<u32>, covered_b: Option<u32>, part: Option<u32>, whole: Option<u32>,
    levenshtein: Option<f64>, unmasked: Option<f64>, tokens_a: Option<u32>, tokens_b: Option<u32>,
    equal_a: Option<u32>, equal_b: Option<u32>,
});

/// `clusters.parquet`: the members of connected components, one per row.
#[derive(Debug)]
pub enum Clusters {}

/// A member of a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterRow<'a> {
    /// Id of the cluster's earliest member.
    pub cluster_id: &'a str,
    /// Id of this member.
    pub id: &'a str,
    /// Its unit, if the pairs list units.
    pub unit: Option<u64>,
    /// Members of the cluster.
    pub size: u32,
    /// The lowest score of its pairs.
    pub min_edge: f64,
    /// Pairs among its members divided by all possible pairs; none if not all pairs were listed.
    pub density: Option<f64>,
}

table!(Clusters, "clusters", ClusterRow, ClusterBuilders, ClusterColumns, {
    cluster_id: Text, id: Text, unit: Option<u64>, size: u32, min_edge: f64, density: Option<f64>,
});

/// `verdicts.parquet`: the verdict on each unit, and the reason.
#[derive(Debug)]
pub enum Verdicts {}

/// A verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerdictRow<'a> {
    /// Id of the unit.
    pub id: &'a str,
    /// The unit.
    pub unit: u64,
    /// `kept`, `removed` or `marked`.
    pub verdict: &'a str,
    /// Id of the kept unit it matches; null for kept units and for exceptions.
    pub witness_id: Option<&'a str>,
    /// That unit.
    pub witness: Option<u64>,
    /// The score against it.
    pub score: Option<f64>,
    /// The stage of the recipe that decided.
    pub stage: &'a str,
    /// An exception, such as `keep-none`.
    pub label: Option<&'a str>,
}

table!(Verdicts, "verdicts", VerdictRow, VerdictBuilders, VerdictColumns, {
    id: Text, unit: u64, verdict: Label, witness_id: Option<Text>, witness: Option<u64>,
    score: Option<f64>, stage: Label, label: Option<Text>,
});

/// `coverage.parquet`: how much of each unit was previously seen (Onion), and where: one row for
/// each unit and text that contributed to it.
#[derive(Debug)]
pub enum Coverage {}

/// How much of a unit was previously seen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CoverageRow<'a> {
    /// The unit.
    pub unit: u64,
    /// Its id.
    pub id: &'a str,
    /// Its tokens.
    pub tokens: u32,
    /// Those of them in previously seen n-grams.
    pub seen: u32,
    /// Previously seen tokens over all tokens; 0 for a unit without tokens.
    pub share: f64,
    /// A unit in which such n-grams were first seen; null if none is listed.
    pub source: Option<u64>,
    /// Its id.
    pub source_id: Option<&'a str>,
    /// The number of tokens first seen in it; the sources of a unit are sorted by this, descending.
    pub source_tokens: Option<u32>,
}

table!(Coverage, "coverage", CoverageRow, CoverageBuilders, CoverageColumns, {
    unit: u64, id: Text, tokens: u32, seen: u32, share: f64,
    source: Option<u64>, source_id: Option<Text>, source_tokens: Option<u32>,
});

/// `spans.parquet`: the passages that occur in kept text, and where. Offsets are code points of the
/// record's text, the end exclusive.
#[derive(Debug)]
pub enum Spans {}

/// A passage and the kept one that it repeats.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpanRow<'a> {
    /// The passage: a unit.
    pub unit: u64,
    /// Its id.
    pub id: &'a str,
    /// Its first code point.
    pub start: u32,
    /// The one after its last.
    pub end: u32,
    /// Its tokens.
    pub tokens: u32,
    /// The unit with the kept one; null if no copy is kept.
    pub source: Option<u64>,
    /// Its id.
    pub source_id: Option<&'a str>,
    /// The first code point of the kept one.
    pub source_start: Option<u32>,
    /// The one after its last.
    pub source_end: Option<u32>,
}

table!(Spans, "spans", SpanRow, SpanBuilders, SpanColumns, {
    unit: u64, id: Text, start: u32, end: u32, tokens: u32, source: Option<u64>,
    source_id: Option<Text>, source_start: Option<u32>, source_end: Option<u32>,
});

/// Groups of copies among files: a row for each file or record, the earliest of a group first.
#[derive(Debug)]
pub enum Copies {}

/// A text that has copies, or is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CopyRow<'a> {
    /// Number of the group, from 1.
    pub group: u64,
    /// Its file.
    pub path: &'a str,
    /// Its record, from 1 in its file.
    pub record: u64,
    /// Its id.
    pub id: &'a str,
    /// Its date, as written.
    pub date: Option<&'a str>,
    /// Its bytes in the file.
    pub bytes: u64,
    /// The id of the text of which it is a copy; null for the earliest.
    pub copy_of: Option<&'a str>,
    /// The score of the two; null if they were not compared.
    pub score: Option<f64>,
    /// The path of the file of which this is another name (a hard link).
    pub link_of: Option<&'a str>,
}

table!(Copies, "copies", CopyRow, CopyBuilders, CopyColumns, {
    group: u64, path: Text, record: u64, id: Text, date: Option<Text>, bytes: u64, copy_of: Option<Text>, score: Option<f64>,
    link_of: Option<Text>,
});

/// Passages that two texts share: a row for each, by the place in the earlier text.
#[derive(Debug)]
pub enum Passages {}

/// A passage. Offsets are counted from the beginning of the unit's text; ends are exclusive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassageRow<'a> {
    /// Id of the earlier unit.
    pub id_a: &'a str,
    /// Its first code point there.
    pub start_a: u32,
    /// The code point after its last.
    pub end_a: u32,
    /// Id of the later unit.
    pub id_b: &'a str,
    /// Its first code point there.
    pub start_b: u32,
    /// The code point after its last.
    pub end_b: u32,
    /// Its tokens, on the side where it is shorter.
    pub tokens: u32,
    /// Equal tokens as a share of those and the edits.
    pub identity: f64,
    /// How rare its equal tokens are, in bits.
    pub rarity: f64,
    /// Number of its family, from 1: all places of one passage.
    pub family: u64,
    /// Its first byte in a.
    pub byte_start_a: u32,
    /// The byte after its last.
    pub byte_end_a: u32,
    /// Its first byte in b.
    pub byte_start_b: u32,
    /// The byte after its last.
    pub byte_end_b: u32,
    /// Number of equal texts represented by a, including itself.
    pub equal_a: u32,
    /// Number of equal texts represented by b, including itself.
    pub equal_b: u32,
    /// The passage as written in a, if wanted.
    pub text: Option<&'a str>,
}

table!(Passages, "passages", PassageRow, PassageBuilders, PassageColumns, {
    id_a: Text, start_a: u32, end_a: u32, id_b: Text, start_b: u32, end_b: u32, tokens: u32, identity: f64, rarity: f64, family: u64,
    byte_start_a: u32, byte_end_a: u32, byte_start_b: u32, byte_end_b: u32, equal_a: u32, equal_b: u32,
    text: Option<Text>,
});

/// How much of each other texts share: a row for each pair with a passage.
#[derive(Debug)]
pub enum Shares {}

/// Two texts that share passages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareRow<'a> {
    /// Id of the earlier unit.
    pub id_a: &'a str,
    /// Id of the later unit.
    pub id_b: &'a str,
    /// The passages that they share.
    pub passages: u64,
    /// Tokens of the longest.
    pub longest: u32,
    /// Tokens of a in these passages, each counted once.
    pub tokens_a: u64,
    /// Tokens of b in them.
    pub tokens_b: u64,
    /// The share of a that this is.
    pub share_a: f64,
    /// The share of b.
    pub share_b: f64,
    /// Number of equal texts represented by a, including itself.
    pub equal_a: u32,
    /// Number of equal texts represented by b, including itself.
    pub equal_b: u32,
}

table!(Shares, "shares", ShareRow, ShareBuilders, ShareColumns, {
    id_a: Text, id_b: Text, passages: u64, longest: u32, tokens_a: u64, tokens_b: u64, share_a: f64, share_b: f64,
    equal_a: u32, equal_b: u32,
});

/// What a collection has of each text of another, such as a training set of a benchmark's items.
#[derive(Debug)]
pub enum Items {}

/// A text that shares passages with texts of the collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ItemRow<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its tokens.
    pub tokens: u32,
    /// The texts of the collection that share a passage with it, equal ones included.
    pub texts: u64,
    /// Those that have at least half of its tokens.
    pub half: u64,
    /// The largest number of its tokens that one of them has, each counted once.
    pub most: u64,
    /// The share of it that this is.
    pub share: f64,
    /// The id of the first text that has so many.
    pub of: &'a str,
    /// Number of equal texts represented by it, including itself.
    pub equal: u32,
}

table!(Items, "items", ItemRow, ItemBuilders, ItemColumns, {
    id: Text, tokens: u32, texts: u64, half: u64, most: u64, share: f64, of: Text, equal: u32,
});

/// Phrases: recurring sequences of tokens, the longest first.
#[derive(Debug)]
pub enum Phrases {}

/// A phrase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhraseRow<'a> {
    /// As written at its first occurrence.
    pub phrase: &'a str,
    /// Its tokens.
    pub tokens: u32,
    /// The texts that have it.
    pub texts: u32,
    /// Its occurrences in them.
    pub occurrences: u32,
    /// Gries' deviation of proportions, over the texts or the values of a field.
    pub dp: f64,
    /// The binary logarithm of its occurrences over those expected.
    pub association: f64,
    /// The id of the text of its first occurrence.
    pub id: &'a str,
    /// Where that begins in the text of the record, in code points.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// Texts and occurrences by value of a field, as a JSON object; null if no field is named.
    pub by: Option<&'a str>,
}

table!(Phrases, "phrases", PhraseRow, PhraseBuilders, PhraseColumns, {
    phrase: Text, tokens: u32, texts: u32, occurrences: u32, dp: f64, association: f64, id: Text, start: u64, end: u64,
    by: Option<Json>,
});

/// Templates: what texts filled in from one form have in common.
#[derive(Debug)]
pub enum Templates {}

/// A template.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TemplateRow<'a> {
    /// Its number, from 1: those of the most texts first.
    pub template: u64,
    /// Its texts.
    pub texts: u64,
    /// Different texts among them.
    pub different: u32,
    /// Its constant tokens.
    pub tokens: u32,
    /// Its slots.
    pub slots: u32,
    /// Its constant text, with the numbers of the slots in braces.
    pub pattern: &'a str,
    /// A regular expression that matches all its texts, if there is one.
    pub regex: Option<&'a str>,
    /// By slot: the number of different fillers, and those of the most texts.
    pub fillers: &'a str,
    /// The ids of its texts.
    pub ids: &'a str,
}

table!(Templates, "templates", TemplateRow, TemplateBuilders, TemplateColumns, {
    template: u64, texts: u64, different: u32, tokens: u32, slots: u32, pattern: Text, regex: Option<Text>,
    fillers: Json, ids: Json,
});

/// Stories: clusters of similar texts in chronological order.
#[derive(Debug)]
pub enum Stories {}

/// A story.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoryRow<'a> {
    /// Its number, from 1: those in the most sources first.
    pub story: u64,
    /// Its texts.
    pub texts: u64,
    /// Different texts among them.
    pub different: u32,
    /// Its sources; null if no field is named.
    pub sources: Option<u32>,
    /// The days on which it appeared.
    pub days: u32,
    /// The day of its earliest text, `YYYY-MM-DD`; null if no text has a date.
    pub first_date: Option<&'a str>,
    /// The day of its last text.
    pub last_date: Option<&'a str>,
    /// Days from the first to the last, both included.
    pub span_days: Option<u32>,
    /// The id of its earliest text.
    pub first_id: &'a str,
    /// The source of its earliest text.
    pub first_source: Option<&'a str>,
    /// The tokens of its earliest text.
    pub tokens: u32,
    /// The lowest score among its pairs.
    pub min_edge: f64,
    /// Pairs over all possible pairs: low in chains.
    pub density: Option<f64>,
    /// The ids of its texts, the earliest first.
    pub ids: &'a str,
}

table!(Stories, "stories", StoryRow, StoryBuilders, StoryColumns, {
    story: u64, texts: u64, different: u32, sources: Option<u32>, days: u32,
    first_date: Option<Text>, last_date: Option<Text>, span_days: Option<u32>, first_id: Text,
    first_source: Option<Text>, tokens: u32, min_edge: f64, density: Option<f64>, ids: Json,
});

/// The texts of stories.
#[derive(Debug)]
pub enum StoryTexts {}

/// A text of a story.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoryTextRow<'a> {
    /// The number of the story.
    pub story: u64,
    /// Its id.
    pub id: &'a str,
    /// Its day, `YYYY-MM-DD`; null if it has no date.
    pub date: Option<&'a str>,
    /// Days after the earliest text.
    pub days_after: Option<u32>,
    /// Its source; null if no field is named.
    pub source: Option<&'a str>,
}

table!(StoryTexts, "story-texts", StoryTextRow, StoryTextBuilders, StoryTextColumns, {
    story: u64, id: Text, date: Option<Text>, days_after: Option<u32>, source: Option<Text>,
});

/// The regular expressions of a table of templates, or of any other.
#[derive(Debug)]
pub enum Expressions {}

/// A regular expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpressionRow<'a> {
    /// The expression, if there is one.
    pub regex: Option<&'a str>,
}

table!(Expressions, "templates", ExpressionRow, ExpressionBuilders, ExpressionColumns, {
    regex: Option<Text>,
});

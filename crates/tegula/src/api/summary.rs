//! The figures of a run.

use crate::printable;
use crate::record::Level as Unit;
use crate::summary;
pub use crate::summary::Amounts;
use std::fmt;

/// A run summary. Its `Display` prints a few lines.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// What a unit is.
    pub unit: Unit,
    /// Texts read, without references.
    pub texts: u64,
    /// Texts removed completely.
    pub texts_removed: u64,
    /// All units of the texts.
    pub input: Amounts,
    /// Kept units.
    pub kept: Amounts,
    /// Removed units.
    pub removed: Amounts,
    /// Units of the references.
    pub references: Amounts,
    /// Units with an identical copy, after normalisation.
    pub identical: u64,
    /// Pairs at or above the threshold; an estimate if [`Summary::are_pairs_listed`] is false.
    pub pairs: u64,
    /// Whether all pairs were listed. Beyond a million pairs and eight per unit, the decision is
    /// made without listing them.
    pub are_pairs_listed: bool,
    /// Clusters.
    pub clusters: u64,
    /// Units in clusters.
    pub clustered: u64,
    /// Results that deserve attention, as sentences.
    pub warnings: Vec<String>,
}

impl Summary {
    pub(super) fn new(figures: summary::Summary) -> Self {
        let level = figures.levels.first();
        let listed = level.map_or(0, |level| level.pairs);
        Self {
            unit: figures.unit,
            texts: figures.records,
            texts_removed: figures.records_removed,
            input: figures.balance.input,
            kept: figures.balance.kept,
            removed: figures.balance.removed,
            references: figures.references,
            identical: figures.identical,
            pairs: figures.pairs_about.unwrap_or(listed),
            are_pairs_listed: figures.pairs_about.is_none(),
            clusters: level.map_or(0, |level| level.clusters),
            clustered: level.map_or(0, |level| level.units),
            warnings: figures.warnings,
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Document => "texts",
            Unit::Paragraph => "paragraphs",
            Unit::Line => "lines",
            Unit::Sentence => "sentences",
            Unit::Passage => "passages",
        };
        let mut line = |name: &str, amounts: Amounts| {
            writeln!(
                f,
                "{name:<8} {} {unit}, {} tokens, {} bytes",
                amounts.units, amounts.tokens, amounts.bytes
            )
        };
        line("in", self.input)?;
        line("kept", self.kept)?;
        line("removed", self.removed)?;
        if self.references.units > 0 {
            line("against", self.references)?;
        }
        let about = if self.are_pairs_listed { "" } else { "about " };
        write!(
            f,
            "{about}{} pairs, {} {unit} in {} clusters",
            self.pairs, self.clustered, self.clusters
        )?;
        self.warnings
            .iter()
            .try_for_each(|warning| write!(f, "\nwarning: {}", printable::line(warning)))
    }
}

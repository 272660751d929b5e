//! Where the n-grams of a paragraph were previously seen.

/// A unit in which tokens of a paragraph were previously seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// The unit: the earliest kept one that contains the n-grams, or an earlier one of the same
    /// document.
    pub unit: u32,
    /// Tokens of the paragraph in its n-grams; a token counts for only one source.
    pub tokens: u32,
}

/// The main sources of paragraphs: sorted by tokens, with ties to the earliest unit, at most
/// [`Sources::MOST`] for each.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    listed: Vec<Source>,
    ends: Vec<usize>,
    /// Those of the current paragraph, in order of appearance.
    pending: Vec<Source>,
}

impl Sources {
    /// The maximum number of sources listed for a paragraph.
    pub const MOST: usize = 3;

    /// Clears the list.
    pub fn clear(&mut self) {
        self.listed.clear();
        self.ends.clear();
    }

    /// The number of paragraphs in the list.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no paragraphs in the list.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The sources of a paragraph, by its index in the list.
    pub fn of(&self, paragraph: usize) -> &[Source] {
        let Some(end) = self.ends.get(paragraph) else {
            return &[];
        };
        let start = paragraph
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        &self.listed[start..*end]
    }

    /// Adds tokens of the current paragraph that were previously seen in `unit`.
    #[inline]
    pub(super) fn note(&mut self, unit: u32, tokens: u32) {
        match self.pending.last_mut() {
            Some(last) if last.unit == unit => last.tokens += tokens,
            _ => self.pending.push(Source { unit, tokens }),
        }
    }

    /// Ends the current paragraph.
    pub(super) fn end(&mut self) {
        self.pending.sort_unstable_by_key(|source| source.unit);
        self.pending.dedup_by(|next, first| {
            let same = next.unit == first.unit;
            first.tokens += if same { next.tokens } else { 0 };
            same
        });
        self.pending
            .sort_unstable_by_key(|source| (u32::MAX - source.tokens, source.unit));
        self.pending.truncate(Self::MOST);
        self.listed.append(&mut self.pending);
        self.ends.push(self.listed.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_three_are_named() {
        let mut sources = Sources::default();
        for (unit, tokens) in [(4, 2), (1, 3), (4, 2), (9, 1), (7, 3)] {
            sources.note(unit, tokens);
        }
        sources.end();
        sources.end();
        let named: Vec<_> = sources
            .of(0)
            .iter()
            .map(|source| (source.unit, source.tokens))
            .collect();
        assert_eq!(named, [(4, 4), (1, 3), (7, 3)]);
        assert!(sources.of(1).is_empty() && sources.of(2).is_empty());
        assert_eq!(sources.len(), 2);
    }
}

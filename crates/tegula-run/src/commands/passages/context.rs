//! Places of passages in their context.

use super::Passages;
use tegula::error::Result;
use tegula::passages::Place;
use tegula::text::normalise::Tokens;
use tegula_report::concordance::InContext;

impl Passages {
    /// Some places with this many tokens before and after each; none for those in records that no
    /// longer exist. Rereads each text once.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn in_context(&self, places: &[&Place], tokens: usize) -> Result<Vec<Option<InContext>>> {
        let normaliser = self.recipe.check()?;
        let units: Vec<u32> = places.iter().map(|place| place.unit).collect();
        let texts = self.texts_of(&units)?;
        let mut list = Tokens::default();
        let mut around = |text: &str, place: &Place| {
            list.clear();
            normaliser.tokens(text, &mut list);
            let spans = list.chars(text);
            let (from, to) = (place.chars.start, place.chars.end);
            let before = spans.partition_point(|(_, end)| *end <= from);
            let after = spans.partition_point(|(start, _)| *start < to);
            let first = spans
                .get(before.saturating_sub(tokens))
                .map_or(from, |(start, _)| *start);
            let last = (after + tokens)
                .checked_sub(1)
                .and_then(|at| spans.get(at.min(spans.len().saturating_sub(1))));
            let last = last.map_or(to, |(_, end)| *end).max(to);
            let chars = |range: std::ops::Range<u32>| -> String {
                let length = range.end.saturating_sub(range.start);
                text.chars()
                    .skip(range.start as usize)
                    .take(length as usize)
                    .collect()
            };
            InContext {
                before: chars(first.min(from)..from),
                text: chars(from..to),
                after: chars(to..last),
            }
        };
        let places = places.iter().zip(&texts);
        Ok(places
            .map(|(place, text)| text.as_deref().map(|text| around(text, place)))
            .collect())
    }
}

//! Predicts the resources of a run from a sample: a [`Sampler`] reads some chunks like the engine,
//! and [`Sample::predict`] extrapolates.
//!
//! All figures are estimates. A sample contains fewer repeats than the whole, so more text is
//! [skimmed](Sampler::skim) for one in sixteen of its shingles, chosen by hash: which of them repeat
//! there is exact. Beyond that text, the share of repeated shingles is assumed to grow with each
//! doubling as it did inside it.
//!
//! The formulas, with R records, U units, S occurrences of shingles, O of them of shingles that
//! repeat:
//!
//! | what | bytes |
//! | --- | --- |
//! | tables of records, units and groups | 110 R + 64 U |
//! | complete joins of chains: rows | 8 S, or 12 S weighted by rarity, on scratch if memory is short |
//! | their members of classes, later their chains | 12 O, on scratch if memory is short |
//! | passages: rows, all at once with the following, on scratch if memory is short | 8 S |
//! | the places of sequences that repeat, likewise | 16 O |
//! | the tape, T being tokens, likewise | 4 T |
//! | complete joins of single shingles: rows | 20 S, on scratch if memory is short |
//! | the places of texts among them, which must be in memory | 20 U |
//! | complete joins of terms: extraction | 24 O, on scratch if memory is short |
//! | features, with their postings and construction | 3 · 4 w O, w being 1 number for each, 2 with positions or weights |
//! | counted terms | 96 T, T being the distinct ones, which grow with a power of the text |
//! | the dictionary of Chinese words, if the sample contains any | 48 MiB |
//! | keys and slots, if signatures decide | 24 K, K being their number, on scratch if memory is short |
//! | signatures and keys, if they only generate candidates | 96 U |
//! | verification of candidates: shingles | 24 N, N being those of units that share a key in the sample |
//! | verification of candidates: terms | 16 O: candidates are the texts with many repeats |
//! | Onion: rows | 8 S, on scratch if memory is short |
//! | its positions of n-grams that repeat | 8 O, on scratch if memory is short |
//! | what it remembers, which must be in memory | 8 for each distinct n-gram that repeats, S / 5, 8 R |
//! | the decision | 36 U |
//! | evidence in the run folder | 72 U |
//!
//! With term weighting, S and O count distinct terms of each unit. N grows like O.
//!
//! The minimum memory is for what cannot be spilled: the tables without spare capacity, terms,
//! places of texts, what Onion remembers of n-grams, the smallest buffers, and the largest record
//! in the sample.

mod prediction;
mod sampler;

pub use prediction::{EVIDENCE_BYTES, Fit, OCCURRENCE_BYTES, Prediction, RECORD_BYTES, UNIT_BYTES};
pub use sampler::{Sample, Sampler, Share};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;
    use crate::record::{Batch, Chunk};
    use std::time::Duration;

    struct Lines(&'static str);

    impl Chunk for Lines {
        fn file(&self) -> u32 {
            0
        }
        fn disk_bytes(&self) -> u64 {
            self.0.len() as u64
        }
        fn read(&self, batch: &mut Batch) {
            for (number, line) in (1..).zip(self.0.lines()) {
                let mark = batch.begin();
                batch.text.push_str(line);
                batch.finish(&mark, number, number..number, false);
            }
        }
    }

    fn sample(recipe: &str, text: &'static str) -> Sample {
        let recipe = Recipe::named(recipe).unwrap().with("ngram", "2").unwrap();
        let mut sampler = Sampler::new(&recipe, false).unwrap();
        sampler.read(&Lines(text));
        sampler.stands_for(text.len() as u64);
        sampler.finish()
    }

    #[test]
    fn what_repeats_is_counted_and_copies_are_left_out() {
        let found = sample("sscr", "a b c d\na b x y\nA b c d\nq\n");
        assert_eq!(
            (found.records, found.units, found.copies, found.tokens),
            (4, 4, 1, 13)
        );
        assert_eq!(
            (found.shingles, found.repeated.shingles, found.short),
            (7, 2, 1)
        );
        let exact = sample("exact", "a b c d\n");
        assert_eq!(
            (exact.shingles, exact.predict(1 << 40, u64::MAX, 1).seen),
            (0, 0)
        );
    }

    #[test]
    fn units_that_share_keys_are_counted() {
        let found = sample(
            "sketch-mod",
            "a b c d e f g h\na b c d e f g h\na b c d e f g i\nq r s t u v w x\n",
        );
        assert_eq!((found.shingles, found.copies), (21, 1));
        assert_eq!(found.in_candidates.shingles % 7, 0);
        let prediction = found.predict(found.disk_bytes, u64::MAX, 1);
        assert_eq!(
            prediction.occurrences,
            OCCURRENCE_BYTES * found.in_candidates.shingles
        );
        assert_eq!(sample("sscr", "a b c\na b c d\n").in_candidates.shingles, 0);
    }

    #[test]
    fn a_ceiling_fits_spills_or_is_refused() {
        let mut found = sample("sscr", "a b c d\na b x y\n");
        found.time = Duration::from_micros(10);
        let at = |memory: u64| found.predict(found.disk_bytes << 20, memory, 2);
        let free = at(u64::MAX);
        assert_eq!(
            (free.records, free.tokens, free.fit),
            (2 << 20, 8 << 20, Fit::Fits)
        );
        assert!(free.seconds >= 5);
        assert!(free.minimum < free.peak);
        assert!(matches!(
            at(free.peak - 1).fit,
            Fit::Fits | Fit::Spills { .. }
        ));
        assert!(matches!(at(free.minimum).fit, Fit::Spills { scratch } if scratch > 0));
        assert_eq!(at(free.minimum - 1).fit, Fit::Refused);
        assert_eq!(Sample::default().predict(0, 1 << 30, 1).fit, Fit::Fits);
        assert_eq!(Sample::default().predict(u64::MAX, u64::MAX, 0).seconds, 0);
    }
}

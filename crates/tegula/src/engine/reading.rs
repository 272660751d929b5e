//! How the units of a source are read: segmented, normalised, shingled. All passes over the text
//! share this code.

use crate::chains::Occurrences;
use crate::context::make_room;
use crate::date::DateFormat;
use crate::error::Result;
use crate::field::FieldKey;
use crate::hash::{self, Fingerprint, Sequence, Width};
use crate::onion::{Numbering, Spec};
use crate::rabin::Rabin;
use crate::rarity::ShingleWeights;
use crate::recipe::{FingerprintKind, Lengths, Recipe, Select};
use crate::record::{Batch, LargeRecord, Level, OwnToken, Record, Source, Tagged};
use crate::shingle::Shingler;
use crate::sketch::modulo::Modulo;
use crate::sketch::{every, winnow};
use crate::statistics::{Counter, Pending};
use crate::text::classes::{Class, Classes};
use crate::text::dense;
use crate::text::digest::{self, Apart, Digest, Digested};
use crate::text::fingerprints::{fingerprints, of_bytes};
use crate::text::items::Items;
use crate::text::normalise::{Normaliser, Tokens};
use crate::text::numbers::{self, Numbers};
use crate::text::segment::{self, Part};
use crate::text::words::Words;

/// A source, and how to process its texts.
pub(crate) struct Reading<'a> {
    pub(crate) source: &'a dyn Source,
    pub(crate) level: Level,
    /// Whether to rejoin broken units.
    pub(crate) rejoin: bool,
    /// What identifies whole units.
    pub(crate) digest: Digest,
    pub(crate) normaliser: &'a Normaliser,
    /// What distinguishes units besides their tokens.
    pub(crate) apart: Apart<'a>,
    pub(crate) width: Width,
    /// Whether equal units always form one group, so that one can represent all.
    pub(crate) collapse: bool,
    /// Units with fewer tokens are not compared.
    pub(crate) min_tokens: u32,
    /// Which pairs are compared, by length.
    pub(crate) lengths: Lengths,
    /// Whether to use the tokens that a format marks, if there are any.
    pub(crate) own_tokens: bool,
    /// The steps that drop no tokens, if those that are dropped count too.
    pub(crate) of_balance: Option<&'a Normaliser>,
    /// All tokens are put on a tape, their fingerprints cut to this width.
    pub(crate) tape: Option<Width>,
    /// The features to compare.
    pub(crate) features: Features,
    /// Set if terms are counted.
    pub(crate) count: Option<Counting<'a>>,
}

/// How terms are counted.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counting<'a> {
    /// The classes of words, if needed.
    pub(crate) classes: Option<&'a Classes>,
    /// What counts are added to; none if they remain with the thread.
    pub(crate) counter: Option<&'a Counter>,
}

/// The steps that make the tokens of a recipe, and what keeps texts with equal tokens apart.
pub(crate) struct Steps {
    pub(crate) normaliser: Normaliser,
    unmasked: Option<Normaliser>,
    items: Option<Items>,
    of_balance: Option<Normaliser>,
}

impl Steps {
    /// Those of a recipe.
    ///
    /// # Errors
    /// If the recipe is wrong.
    pub(crate) fn of(recipe: &Recipe) -> Result<Self> {
        let unmasked = recipe.unmasked_steps();
        Ok(Self {
            normaliser: recipe.check()?,
            unmasked: unmasked.map(|steps| Normaliser::new(&steps)).transpose()?,
            items: recipe.items()?,
            of_balance: (recipe.balance_steps())
                .map(|steps| Normaliser::new(&steps))
                .transpose()?,
        })
    }

    /// The steps whose tokens balances count, if these are not those that are compared.
    pub(crate) fn of_balance(&self) -> Option<&Normaliser> {
        self.of_balance.as_ref()
    }

    pub(crate) fn apart(&self) -> Apart<'_> {
        Apart {
            unmasked: self.unmasked.as_ref(),
            items: self.items.as_ref(),
        }
    }
}

impl<'a> Reading<'a> {
    /// A recipe's units as wholes, whatever their length.
    pub(crate) fn wholes(
        source: &'a dyn Source,
        recipe: &Recipe,
        normaliser: &'a Normaliser,
    ) -> Self {
        Self {
            source,
            level: recipe.unit,
            rejoin: recipe.rejoin,
            digest: recipe.digest,
            normaliser,
            apart: Apart::default(),
            width: Width::FULL,
            collapse: false,
            min_tokens: 0,
            lengths: Lengths::All,
            own_tokens: false,
            of_balance: None,
            tape: None,
            features: Features::Whole,
            count: None,
        }
    }
}

/// The features that a method compares.
pub(crate) enum Features {
    /// Whole units only.
    Whole,
    /// The shingles of each unit.
    Shingles(Shingles),
    /// The n-grams of each record, which may span units.
    Ngrams(Ngrams),
}

impl Features {
    /// The shingles of units, if these are the features.
    pub(crate) fn shingles(&self) -> Option<&Shingles> {
        match self {
            Self::Shingles(shingles) => Some(shingles),
            _ => None,
        }
    }
}

/// Buffers of one thread, reused for each unit.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(crate) parts: Vec<Part>,
    pub(crate) tokens: Vec<Fingerprint>,
    /// For each part its number in the record, from 1, if some are skipped.
    pub(crate) ordinals: Vec<u32>,
    /// The tokens of the record so far, if n-grams span units.
    pub(crate) record: Vec<Fingerprint>,
    pub(crate) ids: Vec<u64>,
    /// The positions of the shingles with these ids, if they are selected.
    pub(crate) places: Vec<u32>,
    /// The tokens of each unit of the record so far that are judged.
    pub(crate) lengths: Vec<u32>,
    /// For each token whether it has a number, if that matters; empty if none has.
    pub(crate) numbers: Vec<bool>,
    numbering: Numbers,
    words: Words,
    joined: String,
    spelled: Tokens,
    in_balance: Vec<Fingerprint>,
}

impl Buffers {
    /// The shingles of a text, after [`Shingles::ids`].
    pub(crate) fn occurrences(&self) -> Occurrences<'_> {
        Occurrences {
            ids: &self.ids,
            places: &self.places,
            tokens: &self.tokens,
            numbers: &self.numbers,
        }
    }

    /// Reads the fingerprints of a text's tokens; returns their number, 0 for a text compared by its
    /// bytes.
    pub(crate) fn read(&mut self, normaliser: &Normaliser, text: &str) -> usize {
        fingerprints(normaliser, &mut self.words, text, &mut self.tokens)
    }

    /// Takes a text that is not compared for one without tokens; returns their number, 0.
    pub(crate) fn skip(&mut self, text: &str) -> usize {
        self.tokens.clear();
        self.tokens.push(of_bytes(text));
        0
    }

    /// Reserves room for a large record, so that buffers need not double while they grow.
    ///
    /// # Errors
    /// If the system has too little memory.
    pub(crate) fn make_room(&mut self, record: LargeRecord) -> Result<()> {
        let tokens = record.tokens as usize;
        self.tokens.clear();
        self.ids.clear();
        make_room(&mut self.tokens, tokens, "the tokens of a long record")?;
        make_room(&mut self.ids, tokens, "the shingles of a long record")
    }
}

impl Reading<'_> {
    /// Whether a unit with this many tokens and bytes is compared with no other.
    pub(crate) fn leaves_out(&self, tokens: u32, bytes: u32) -> bool {
        tokens < self.min_tokens || self.lengths.leave_out(bytes)
    }

    /// Reads the units of the record at `at` of the batch into the buffers.
    pub(crate) fn parts(&self, batch: &Batch, at: usize, buffers: &mut Buffers) {
        let Buffers {
            parts, ordinals, ..
        } = buffers;
        let record = &batch.records[at];
        parts.clear();
        ordinals.clear();
        segment::parts(
            batch.text_of(record),
            batch.segments_of(record),
            self.level,
            self.rejoin,
            parts,
        );
        if !batch.out.is_empty() {
            let from = batch
                .out
                .partition_point(|(record, _)| (*record as usize) < at);
            let to = from + batch.out[from..].partition_point(|(record, _)| *record as usize == at);
            let out = &batch.out[from..to];
            let is_out = |part: &Part| {
                out.iter()
                    .any(|(_, range)| range.start <= part.text.start && part.text.end <= range.end)
            };
            ordinals.extend(
                (1..)
                    .zip(parts.iter())
                    .filter(|(_, part)| !is_out(part))
                    .map(|(ordinal, _)| ordinal),
            );
            parts.retain(|part| !is_out(part));
        }
    }

    /// The digest of a unit whose token fingerprints are in the buffers.
    pub(crate) fn digest(&self, text: &str, buffers: &mut Buffers) -> Digested {
        self.digest
            .of(self.normaliser, text, &mut buffers.joined)
            .unwrap_or_else(|| Digested {
                head: digest::of_tokens(&buffers.tokens, self.width, self.apart, text),
                tail: 0,
            })
    }

    /// Counts the terms of a unit whose `tokens` are in the buffers; `tags` are the classes of
    /// words, and the unit's offset in its record.
    pub(crate) fn count(
        &self,
        text: &str,
        tags: (&[Tagged], usize),
        tokens: usize,
        buffers: &Buffers,
        pending: &mut Pending,
    ) {
        match &self.count {
            None => return,
            Some(_) if tokens == 0 => {}
            Some(Counting {
                classes: Some(classes),
                ..
            }) => {
                classes.for_each_tagged(text, tags.0, tags.1, |token, class| {
                    pending.push(hash::token(token.as_bytes()).id, class);
                });
            }
            Some(_) => buffers
                .tokens
                .iter()
                .for_each(|token| pending.push(token.id, Class::default())),
        }
        pending.end_unit();
    }

    /// Reads the fingerprints of the tokens of a record's part into the buffers: those that the
    /// format marks, if they are used and there are any. Returns their number, 0 for a unit
    /// compared by its raw text.
    pub(crate) fn tokens_of(
        &self,
        batch: &Batch,
        record: &Record,
        part: &Part,
        buffers: &mut Buffers,
    ) -> usize {
        let own = if self.own_tokens {
            own_tokens(batch, record, part)
        } else {
            &[]
        };
        if own.is_empty() {
            return self.tokens(&batch.text_of(record)[part.text.clone()], buffers);
        }
        buffers.tokens.clear();
        buffers
            .tokens
            .extend(own.iter().map(|token| token.fingerprint));
        own.len()
    }

    /// The number of tokens of a record's part as balances count them, if these are not the `tokens` that
    /// are compared: those that the format marks, otherwise those of its text.
    pub(crate) fn in_balance(
        &self,
        batch: &Batch,
        record: &Record,
        (part, tokens): (&Part, usize),
        buffers: &mut Buffers,
    ) -> Option<u32> {
        let normaliser = self.of_balance?;
        let own = own_tokens(batch, record, part);
        if !own.is_empty() {
            return Some(own.len() as u32);
        }
        let text = &batch.text_of(record)[part.text.clone()];
        if normaliser.steps().boundaries.are_characters() && dense::has_none(text) {
            return Some(tokens as u32);
        }
        let count = fingerprints(
            normaliser,
            &mut buffers.words,
            text,
            &mut buffers.in_balance,
        );
        Some(count as u32)
    }

    /// Reads the fingerprints of a unit's tokens into the buffers; returns their number, 0 for a
    /// unit compared by its raw text.
    pub(crate) fn tokens(&self, text: &str, buffers: &mut Buffers) -> usize {
        buffers.read(self.normaliser, text)
    }
}

/// The tokens that a format marks in a record's part.
fn own_tokens<'b>(batch: &'b Batch, record: &Record, part: &Part) -> &'b [OwnToken] {
    let own = batch.tokens_of(record);
    let from = own.partition_point(|token| token.at < part.text.start);
    let to = from + own[from..].partition_point(|token| token.at < part.text.end);
    &own[from..to]
}

/// Shingles, and how they are identified.
pub(crate) struct Shingles {
    pub(crate) shingler: Shingler,
    pub(crate) rabin: Option<Rabin>,
    pub(crate) select: Select,
    /// The selection by modulus, if there is one.
    pub(crate) modulo: Option<Modulo>,
    /// How they weigh.
    pub(crate) weights: ShingleWeights,
}

impl Shingles {
    /// Those of a recipe.
    ///
    /// # Errors
    /// If its parameters cannot be combined.
    pub(crate) fn of(recipe: &Recipe, width: Width) -> Result<Self> {
        // Ids that select shingles must be complete, as truncated ones would select others.
        let width = if recipe.select.is_all() {
            width
        } else {
            Width::FULL
        };
        Ok(Self {
            shingler: Shingler::new(recipe.ngram, width),
            rabin: match recipe.fingerprint {
                FingerprintKind::Tokens => None,
                FingerprintKind::Rabin { modulus } => {
                    Rabin::check(&recipe.normalise)?;
                    Some(Rabin::new(Some(modulus))?)
                }
            },
            select: recipe.select,
            modulo: match recipe.select {
                Select::Modulo { modulus } => Some(Modulo::new(u64::from(modulus))?),
                _ => None,
            },
            weights: recipe.shingle_weights(),
        })
    }

    /// Computes the ids of the shingles of the buffers' tokens, into the buffers.
    pub(crate) fn ids(&self, normaliser: &Normaliser, text: &str, buffers: &mut Buffers) {
        match &self.rabin {
            None => {
                self.shingler.ids(&buffers.tokens, &mut buffers.ids);
                self.select(buffers);
                if self.weights.numbers() > 1 {
                    let Buffers {
                        tokens,
                        numbers,
                        numbering,
                        ..
                    } = buffers;
                    numbers::numbers(normaliser, text, tokens, numbering, numbers);
                }
            }
            Some(rabin) => {
                normaliser.tokens(text, &mut buffers.spelled);
                buffers.ids.clear();
                rabin.shingles(buffers.spelled.iter(), self.shingler.n(), &mut buffers.ids);
                // Remainders are small: spread them, as partitions and filter words are chosen by
                // the upper bits. The function is injective.
                buffers
                    .ids
                    .iter_mut()
                    .for_each(|id| *id = crate::hash::mix(*id));
                if buffers.spelled.is_empty() {
                    // Raw text has no fingerprint of characters; its hash is used instead.
                    self.shingler.ids(&buffers.tokens, &mut buffers.ids);
                }
            }
        }
    }

    /// Keeps only the selected ids, with their positions.
    fn select(&self, buffers: &mut Buffers) {
        let Buffers { ids, places, .. } = buffers;
        places.clear();
        match self.select {
            Select::All => return,
            Select::Every { nth } => every::positions(ids.len() as u32, nth, places),
            Select::Modulo { .. } => {
                if let Some(modulo) = &self.modulo {
                    modulo.positions(ids, places);
                }
            }
            Select::Winnow { window } => winnow::positions(ids, window as usize, places),
        }
        for (to, place) in places.iter().enumerate() {
            ids[to] = ids[*place as usize];
        }
        ids.truncate(places.len());
    }
}

/// N-grams that may span the units of a record.
pub(crate) struct Ngrams {
    pub(crate) spec: Spec,
    /// Numbers those that occur more than once.
    pub(crate) numbering: Numbering,
    /// The indices of fields among those read, with their keys: n-grams of records with different
    /// values never match.
    pub(crate) within: Vec<(usize, FieldKey, DateFormat)>,
}

impl Ngrams {
    /// A salt that separates the n-grams of this record from those of records with other values.
    pub(crate) fn salt(&self, batch: &Batch, record: &Record) -> Fingerprint {
        if self.within.is_empty() {
            return Fingerprint::default();
        }
        let mut salt = Sequence::default();
        for (field, key, dates) in &self.within {
            let value = batch
                .fields_of(record)
                .get(*field)
                .and_then(Option::as_deref);
            let part = value.and_then(|value| key.of(value, dates));
            salt.push(hash::token(
                part.as_deref().unwrap_or(crate::field::MISSING).as_bytes(),
            ));
        }
        salt.finish()
    }
}

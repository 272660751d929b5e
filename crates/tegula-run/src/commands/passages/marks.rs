//! Marks of shared passages: in each text, what also occurs in an earlier one, or in one of the
//! references.

use super::found::Passages;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use tegula::error::Result;
use tegula::passages::Side;
use tegula::recipe::Recipe;
use tegula::record::Level;
use tegula::text::normalise::Tokens;
use tegula_io::edit::{Edit, Marks, SpanMark};

/// The passage marks of all records.
pub(crate) struct PassageMarks<'a> {
    all: &'a Passages,
    /// By unit, its marks in order, disjoint.
    spans: BTreeMap<u32, Vec<Span>>,
}

/// A passage in a text.
#[derive(Clone)]
struct Span {
    /// Its bytes in the unit.
    bytes: Range<u32>,
    /// Its tokens there.
    tokens: Range<u32>,
    /// The text that it is from.
    source: u32,
    identity: f64,
}

/// Bytes of a mark.
const MARK: u64 = 2 * size_of::<Span>() as u64;

impl<'a> PassageMarks<'a> {
    /// The marks. A passage is marked in the later of its two texts, by the dates in the field
    /// `date` if there is one, or in the text that is not a reference; of overlapping passages, the
    /// longest is marked.
    ///
    /// # Errors
    /// If they do not fit under the memory ceiling.
    pub(crate) fn new(
        host: &crate::host::Host,
        all: &'a Passages,
        (recipe, date): (&Recipe, Option<&str>),
    ) -> Result<(Self, tegula::context::Reservation)> {
        let found = &all.found;
        let most = found.passages.len() + found.units.len() - found.groups.len();
        let held = host
            .context
            .budget
            .reserve(MARK * most as u64, "the marks of passages")?;
        let is_reference = |unit: u32| all.is_reference(unit);
        let order = |unit: u32| {
            let day = date
                .and_then(|field| all.date(field, unit))
                .map(|(day, _)| day);
            (
                !is_reference(unit),
                date.is_some() && day.is_none(),
                day,
                unit,
            )
        };
        let mut spans: BTreeMap<u32, Vec<Span>> = BTreeMap::new();
        found.passages.for_each(|passage| {
            let (a, b) = (&passage.a, &passage.b);
            let (source, marked): (&Side, &Side) = if order(a.unit) <= order(b.unit) {
                (a, b)
            } else {
                (b, a)
            };
            spans.entry(marked.unit).or_default().push(Span {
                bytes: marked.bytes.clone(),
                tokens: marked.tokens.clone(),
                source: source.unit,
                identity: f64::from(passage.same) / f64::from(passage.same + passage.edits),
            });
            Ok(())
        })?;
        for spans in spans.values_mut() {
            spans.sort_by_key(|span| {
                (
                    Reverse(span.bytes.len()),
                    order(span.source),
                    span.bytes.start,
                )
            });
            disjoint(spans);
        }
        let mut marks = Self { all, spans };
        marks.copies(recipe)?;
        Ok((marks, held))
    }

    /// The number of marks.
    pub(crate) fn count(&self) -> u64 {
        self.spans.values().map(|spans| spans.len() as u64).sum()
    }

    /// The edit for a record: it is kept, with its marks; or dropped, if it could not be read.
    pub(crate) fn edit(&self, file: u32, number: u64) -> Edit {
        let units = &self.all.found.units;
        let Some(record) = units.records.find(file, number) else {
            return Edit::Drop;
        };
        let spans = units.of_record(record).flat_map(|unit| self.of_unit(unit));
        Edit::Mark(Marks {
            spans: Some(spans.collect()),
            ..Marks::default()
        })
    }

    fn of_unit(&self, unit: u32) -> impl Iterator<Item = SpanMark> {
        let units = &self.all.found.units;
        let start = match units.level {
            Level::Document => 0,
            _ => units.parts[unit as usize].part().text.start,
        };
        let spans = self.spans.get(&unit).into_iter().flatten();
        spans.map(move |span| SpanMark {
            text: start + span.bytes.start as usize..start + span.bytes.end as usize,
            duplicate_of: Some(units.id(span.source)),
            score: span.identity,
        })
    }

    /// Adds the marks of texts that are equal to another: passages are those of the first.
    fn copies(&mut self, recipe: &Recipe) -> Result<()> {
        let Passages { found, .. } = self.all;
        let groups = &found.groups;
        let copies = (0..groups.of_unit.len() as u32).filter_map(|unit| {
            let first = groups.first[groups.of_unit[unit as usize] as usize];
            (first != unit).then_some((unit, first))
        });
        if !found.allowed.has_references() {
            // All of it occurs in the first.
            for (unit, first) in copies {
                if found.units.tokens[unit as usize] >= self.all.min_tokens {
                    let whole = Span {
                        bytes: 0..found.units.text_bytes[unit as usize],
                        tokens: 0..0,
                        source: first,
                        identity: 1.0,
                    };
                    self.spans.insert(unit, vec![whole]);
                }
            }
            return Ok(());
        }
        let normaliser = recipe.check()?;
        let mut tokens = Tokens::default();
        let marked: Vec<(u32, u32)> = copies
            .filter(|(_, first)| self.spans.contains_key(first))
            .collect();
        for some in marked.chunks(TOGETHER) {
            let units: Vec<u32> = some.iter().map(|(unit, _)| *unit).collect();
            for ((unit, first), text) in some.iter().zip(self.all.texts_of(&units)?) {
                normaliser.tokens(&text.unwrap_or_default(), &mut tokens);
                let spans = self.spans.get(first).into_iter().flatten();
                let spans = spans.filter_map(|span| {
                    let (from, to) = (span.tokens.start as usize, span.tokens.end as usize);
                    let bytes = tokens.spans.get(from)?.start..tokens.spans.get(to - 1)?.end;
                    Some(Span {
                        bytes: bytes.start as u32..bytes.end as u32,
                        ..span.clone()
                    })
                });
                let spans = spans.collect();
                self.spans.insert(*unit, spans);
            }
        }
        Ok(())
    }
}

/// Texts read at a time.
const TOGETHER: usize = 256;

/// Drops passages that overlap with an earlier one, and sorts the rest.
fn disjoint(spans: &mut Vec<Span>) {
    let mut taken: BTreeMap<u32, u32> = BTreeMap::new();
    spans.retain(|span| {
        let before = taken.range(..span.bytes.end).next_back();
        let free = before.is_none_or(|(_, end)| *end <= span.bytes.start);
        if free {
            taken.insert(span.bytes.start, span.bytes.end);
        }
        free
    });
    spans.sort_by_key(|span| span.bytes.start);
}

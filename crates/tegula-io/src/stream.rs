//! One file as a stream of blocks: read, decompressed, decoded if necessary, and split between
//! records.

use crate::block::{Block, Damage, HEAVY, Piece, Plan};
use crate::buffers::{Buffer, Pool};
use crate::compress::{Compression, Ending, Input};
use crate::encoding::{Decoded, decide};
use crate::file_fields::FileFields;
use crate::format::spot::Spot;
use crate::format::{self, Cut, Passed, Place, Settings};
use crate::guard::InputGuard;
use crate::limits::Limits;
use crate::options::FormatName;
use crate::passed_over::{Tallies, Tally};
use crate::section::Section;
use encoding_rs::UTF_8;
use std::sync::Arc;
use tegula::error::{Error, Result};
use tegula::large::Scales;

/// Bytes of a file that determine encoding and dialect. Fixed, so that the result does not depend
/// on the size of blocks.
pub(crate) const SAMPLE: usize = 1 << 20;

/// How many of the last bytes of something that is no record are held with what follows it.
pub(crate) const HELD: usize = 512;

/// The data needed to open a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening<'a> {
    /// Its index in the collection.
    pub(crate) file: u32,
    /// The file.
    pub(crate) guard: &'a Arc<InputGuard>,
    /// Its name in the collection.
    pub(crate) name: &'a str,
    /// Its format.
    pub(crate) format: FormatName,
    /// Its compression.
    pub(crate) compression: Compression,
    /// Counts what is passed over.
    pub(crate) tallies: &'a Arc<Tallies>,
}

/// An open file.
pub(crate) struct FileStream {
    plan: Arc<Plan>,
    input: Input,
    /// Bytes not yet passed on.
    raw: Buffer,
    buffers: Pool,
    skip: usize,
    decoded: Option<Decoded>,
    ending: Ending,
    offset: u64,
    number: u64,
    /// The start of the next block, if the format counts lines.
    spot: Spot,
    disk: u64,
    head: bool,
    /// Bytes still to be copied that belong to no record.
    beyond: u64,
    /// Bytes of text in a block, unless a record is larger.
    size: usize,
    /// Limits on the size of a record.
    limits: Limits,
    /// What was passed over.
    tally: Tally,
    tallies: Arc<Tallies>,
}

impl FileStream {
    /// Opens a file and determines how to read it.
    pub(crate) fn open(
        opening: Opening<'_>,
        settings: &Settings,
        limits: Limits,
        size: usize,
    ) -> Result<Self> {
        let Opening { guard, format, .. } = opening;
        let path = guard.path();
        let mut input =
            Input::guarded(guard, opening.compression)?.within(limits.budget.as_ref(), path)?;
        let buffers = Pool::default();
        let mut raw = buffers.take(0);
        let whole = format == FormatName::Text;
        let sample = if whole {
            limits.longest.saturating_add(1)
        } else {
            SAMPLE
        };
        let mut ending = input.fill(&mut raw, sample, path)?;
        // The first row of a table contains its columns: the sample must contain all of it.
        let is_table = matches!(format, FormatName::Csv | FormatName::Tsv);
        while is_table
            && ending == Ending::More
            && raw.len() <= limits.longest
            && memchr::memchr2(b'\n', b'\r', &raw).is_none()
        {
            limits.check()?;
            let wanted = 2 * raw.len();
            ending = input.fill(&mut raw, wanted, path)?;
        }
        let encoding = decide(&raw, whole, settings.encoding, format);
        let mut decoded = (encoding.encoding != UTF_8 && !encoding.is_bytes).then(Decoded::default);
        if let Some(decoded) = &mut decoded {
            decoded.extend(
                &raw[encoding.bom..],
                encoding.encoding,
                ending == Ending::End,
            );
        }
        let text = match &decoded {
            Some(decoded) => decoded.text.as_bytes(),
            None => &raw[encoding.bom..],
        };
        let fields = FileFields::of(opening.name, guard, format, settings);
        let format = format::build(format, text, ending == Ending::End, opening.name, settings);
        let plan = Plan {
            file: opening.file,
            path: path.to_path_buf(),
            encoding,
            fields,
            format,
        };
        Ok(Self {
            plan: Arc::new(plan),
            input,
            raw,
            buffers,
            skip: encoding.bom,
            decoded,
            ending,
            offset: 0,
            number: 1,
            spot: Spot::default(),
            disk: 0,
            head: true,
            beyond: 0,
            size,
            limits,
            tally: Tally::default(),
            tallies: Arc::clone(opening.tallies),
        })
    }

    /// The stream from the beginning of a section to its end, in place of the whole file.
    pub(crate) fn section(whole: Self, guard: &Arc<InputGuard>, section: &Section) -> Result<Self> {
        let path = guard.path();
        let places = section.places.clone();
        let (is_head, offset) = (places.start == 0, places.start);
        let mut stream = Self {
            input: Input::section(guard, places)?.within(whole.limits.budget.as_ref(), path)?,
            raw: whole.buffers.take(0),
            skip: if is_head { whole.skip } else { 0 },
            head: is_head,
            offset,
            number: section.first,
            ..whole
        };
        let wanted = stream.size.max(stream.skip);
        stream.ending = stream.input.fill(&mut stream.raw, wanted, path)?;
        Ok(stream)
    }

    /// Whether the text is the bytes of the file.
    pub(crate) fn is_utf8(&self) -> bool {
        self.decoded.is_none() && !self.plan.encoding.is_bytes
    }

    /// How the file is read.
    pub(crate) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Ensures that there are `wanted` bytes of text, or all that remain.
    fn fill(&mut self, wanted: usize) -> Result<()> {
        let mut target = self.skip + wanted;
        while self.ending == Ending::More
            && self.text().len() < wanted
            && self.raw.len() - self.skip <= self.limits.longest
        {
            target = target.max(self.raw.len() + 1);
            self.ending = self.input.fill(&mut self.raw, target, &self.plan.path)?;
            if let Some(decoded) = &mut self.decoded {
                let end = self.ending == Ending::End;
                decoded.extend(&self.raw[self.skip..], self.plan.encoding.encoding, end);
                target = self.raw.len() + self.size;
            }
        }
        Ok(())
    }

    /// The next bytes that belong to no record, as a block without any.
    fn between(&mut self) -> Result<Option<Piece>> {
        self.fill(self.size)?;
        let held = self.raw.len() - self.skip;
        let is_last = self.ending != Ending::More && held as u64 <= self.beyond;
        let rest = if is_last { 0 } else { HELD };
        let far = usize::try_from(self.beyond).unwrap_or(usize::MAX);
        let len = far.saturating_sub(rest).min(held);
        if len == 0 {
            self.beyond = 0;
            if self.ending == Ending::End {
                self.ending = Ending::Damaged("the file ends inside a record".into());
            }
            return Ok(self.damage().map(Piece::Damage));
        }
        self.beyond -= len as u64;
        let beyond = self.beyond;
        let mut block = self.take(Cut::ranges(len, Vec::new()));
        self.beyond = beyond;
        block.is_inside = true;
        Ok(Some(Piece::Block(block)))
    }

    fn text(&self) -> &[u8] {
        match &self.decoded {
            Some(decoded) => decoded.text.as_bytes(),
            None => self.raw.get(self.skip..).unwrap_or_default(),
        }
    }

    /// The next piece; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Piece>> {
        let mut inside = 0;
        if self.beyond > 0 {
            self.fill(HELD)?;
            let is_cut_off =
                self.ending != Ending::More && (self.raw.len() - self.skip) as u64 <= self.beyond;
            if self.beyond > HELD as u64 || is_cut_off {
                return self.between();
            }
            inside = usize::try_from(self.beyond).unwrap_or_default();
        }
        let mut wanted = self.size;
        loop {
            self.fill(wanted)?;
            let text = self.text();
            let window = text.len().min(wanted);
            let all = window == text.len() && self.ending != Ending::More;
            let end = all && self.ending == Ending::End;
            if self.raw.is_empty() && end {
                return Ok(None);
            }
            let place = Place {
                head: self.head,
                end,
                inside,
            };
            let mut cut = self.plan.format.cut(&text[..window], place);
            // Records may follow what is no record.
            if end && inside == 0 {
                cut.len = window;
            }
            if cut.len > 0 || end {
                let mut large = window > self.size;
                if large {
                    cut = cut.first(&text[..window]);
                } else {
                    let format = &self.plan.format;
                    let is_heavy = |record: &[u8]| format.burden(record) > HEAVY;
                    (cut, large) = cut.lightened(&text[..window], is_heavy);
                }
                let mut block = self.take(cut);
                block.is_inside = inside > 0;
                return Ok(Some(if large {
                    block.weighed(&self.limits)
                } else {
                    Piece::Block(block)
                }));
            }
            if all {
                return Ok(self.damage().map(Piece::Damage));
            }
            // In another encoding a line is decoded once it is complete.
            let held = if self.decoded.is_some() {
                self.raw.len() - self.skip
            } else {
                window
            };
            if held > self.limits.longest {
                let head = if self.head && self.decoded.is_none() {
                    self.plan.format.head(self.text())
                } else {
                    0
                };
                if head > 0 {
                    return Ok(Some(Piece::Block(self.take(Cut::ranges(head, Vec::new())))));
                }
                return self
                    .pass_over(held)
                    .map(|damage| Some(Piece::Damage(damage)));
            }
            // In steps that leave little after the record, as the rest is copied for each following
            // block.
            wanted = wanted
                .max(window)
                .saturating_add(wanted / 2)
                .saturating_add(1);
        }
    }

    /// Skips a record that is too long to be held, and does not end within `seen` bytes: up to its
    /// end, if the format can find it without the record, otherwise up to that of the file.
    fn pass_over(&mut self, seen: usize) -> Result<Damage> {
        let plan = Arc::clone(&self.plan);
        let (number, offset) = (self.number, self.offset);
        let seen = self
            .raw
            .get(self.skip..self.skip + seen)
            .unwrap_or_default();
        let mut passer = if self.decoded.is_none() {
            plan.format.pass_over()
        } else {
            None
        };
        let mut record = Scales::new(self.limits.characters);
        let mut passed = passer
            .as_mut()
            .map_or(Passed::Through(seen.len()), |passer| {
                match passer.next(seen) {
                    // It does not end in the bytes seen.
                    Passed::Ends(_) => Passed::Through(seen.len()),
                    through @ Passed::Through(_) => through,
                }
            });
        self.offset += self.skip as u64;
        self.raw.drain(..self.skip);
        self.skip = 0;
        loop {
            let (Passed::Ends(len) | Passed::Through(len)) = passed;
            record.add(&self.raw[..len]);
            self.offset += len as u64;
            self.raw.drain(..len);
            if matches!(passed, Passed::Ends(_)) {
                break;
            }
            self.raw.shrink_to(2 * self.size);
            self.limits.check()?;
            if self.ending == Ending::More {
                let wanted = self.raw.len() + self.size;
                self.ending = self.input.fill(&mut self.raw, wanted, &plan.path)?;
            }
            passed = match &mut passer {
                Some(passer) if self.ending == Ending::More || !self.raw.is_empty() => {
                    passer.next(&self.raw)
                }
                _ => Passed::Through(self.raw.len()),
            };
            if self.ending != Ending::More && matches!(passed, Passed::Through(_)) {
                passed = Passed::Ends(self.raw.len());
                passer = None;
            }
        }
        if passer.is_none() {
            (self.decoded, self.ending) = (None, Ending::End);
        }
        self.number += 1;
        self.head = false;
        let disk = self.input.disk_bytes();
        let ends = passer.is_some() || plan.format.file_is_record();
        drop(passer);
        Ok(Damage {
            error: self.limits.refuse(&record, ends),
            number,
            offset,
            bytes: self.offset - offset,
            raw: Vec::new(),
            disk: disk - std::mem::replace(&mut self.disk, disk),
            plan,
        })
    }

    /// Removes a block from the front.
    fn take(&mut self, cut: format::Cut) -> Block {
        let encoding = self.plan.encoding.encoding;
        let spot = self.spot;
        if self.plan.format.names_lines() {
            let text = match &self.decoded {
                Some(decoded) => decoded.text.as_bytes(),
                None => self.raw.get(self.skip..).unwrap_or_default(),
            };
            self.spot.pass(text.get(..cut.len).unwrap_or_default());
        }
        let raw = &self.raw[self.skip..];
        let decoded = self.decoded.as_mut().map(|rest| {
            let bytes = rest.byte_of(raw, cut.len, encoding);
            rest.split(cut.len, bytes)
        });
        let len = self.skip + decoded.as_ref().map_or(cut.len, |front| front.bytes);
        let room = (self.raw.len() - len).max(self.size + (self.size >> 3));
        let mut rest = self.buffers.take(room);
        rest.extend_from_slice(&self.raw[len..]);
        let mut raw = std::mem::replace(&mut self.raw, rest);
        raw.truncate(len);
        let disk = self.input.disk_bytes();
        let block = Block {
            plan: Arc::clone(&self.plan),
            first: self.number,
            head: self.head,
            offset: self.offset,
            spot,
            raw,
            skip: self.skip,
            decoded,
            records: cut.records,
            disk: disk - self.disk,
            large: None,
            is_inside: false,
        };
        if !cut.beside.is_empty() {
            self.tally.add(&cut.beside, self.offset + self.skip as u64);
            self.tallies.take(self.plan.file, &self.tally);
        }
        self.beyond = cut.beyond;
        self.disk = disk;
        self.offset += len as u64;
        self.number += cut.count;
        self.skip = 0;
        self.head = false;
        block
    }

    /// The rest of a broken file, once.
    fn damage(&mut self) -> Option<Damage> {
        let Ending::Damaged(message) = std::mem::replace(&mut self.ending, Ending::End) else {
            return None;
        };
        let raw = std::mem::take(&mut *self.raw);
        self.decoded = None;
        self.skip = 0;
        let disk = self.input.disk_bytes();
        Some(Damage {
            plan: Arc::clone(&self.plan),
            number: self.number,
            offset: self.offset,
            bytes: raw.len() as u64,
            raw,
            error: Error::data(message)
                .hint("fetch the file again, or use the complete records before the damage with ⟨on_bad_record=skip⟩"),
            disk: disk - std::mem::replace(&mut self.disk, disk),
        })
    }
}

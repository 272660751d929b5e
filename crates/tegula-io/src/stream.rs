//! One file as a stream of blocks: read, decompressed, decoded where need be, and cut between records.

use crate::block::{Block, Damage, Plan, Spot};
use crate::compress::{Compression, Ending, Input};
use crate::encoding::{Decoded, decide};
use crate::format::{self, Place, Settings};
use crate::guard::InputGuard;
use crate::options::FormatName;
use encoding_rs::UTF_8;
use std::sync::Arc;
use tegula::error::Result;

/// Bytes of a file that decide about encoding and dialect. Fixed, so that decisions do not depend on the size of blocks.
const SAMPLE: usize = 1 << 20;

/// A file's next piece.
#[derive(Debug)]
pub(crate) enum Piece {
    /// Whole records.
    Block(Block),
    /// The file cannot be read further.
    Damage(Damage),
}

/// What must be known to open a file.
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
}

/// An open file.
pub(crate) struct FileStream {
    plan: Arc<Plan>,
    input: Input,
    /// Bytes that are not yet handed over.
    raw: Vec<u8>,
    skip: usize,
    decoded: Option<Decoded>,
    ending: Ending,
    offset: u64,
    number: u64,
    /// Where the next block begins, where the format counts lines.
    spot: Spot,
    disk: u64,
    head: bool,
    /// Bytes of text in a block, unless a record is larger.
    size: usize,
}

impl FileStream {
    /// Opens a file and decides how to read it.
    pub(crate) fn open(opening: Opening<'_>, settings: &Settings, size: usize) -> Result<Self> {
        let Opening { guard, format, .. } = opening;
        let path = guard.path();
        let mut input = Input::guarded(guard, opening.compression)?;
        let mut raw = Vec::new();
        let whole = format == FormatName::Text;
        let sample = if whole { usize::MAX } else { SAMPLE };
        let ending = input.fill(&mut raw, sample, path)?;
        let encoding = decide(&raw, whole, settings.encoding, format);
        let mut decoded = (encoding.encoding != UTF_8).then(Decoded::default);
        if let Some(decoded) = &mut decoded {
            decoded.extend(&raw[encoding.bom..], encoding.encoding, ending == Ending::End);
        }
        let text = match &decoded {
            Some(decoded) => decoded.text.as_bytes(),
            None => &raw[encoding.bom..],
        };
        let format = format::build(format, text, ending == Ending::End, opening.name, settings);
        let plan = Plan { file: opening.file, path: path.to_path_buf(), encoding, format };
        Ok(Self {
            plan: Arc::new(plan),
            input,
            raw,
            skip: encoding.bom,
            decoded,
            ending,
            offset: 0,
            number: 1,
            spot: Spot::default(),
            disk: 0,
            head: true,
            size,
        })
    }

    /// What was decided.
    pub(crate) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Makes sure that there are `wanted` bytes of text, or all that there are.
    fn fill(&mut self, wanted: usize) -> Result<()> {
        let mut target = self.skip + wanted;
        while self.ending == Ending::More && self.text().len() < wanted {
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

    fn text(&self) -> &[u8] {
        match &self.decoded {
            Some(decoded) => decoded.text.as_bytes(),
            None => self.raw.get(self.skip..).unwrap_or_default(),
        }
    }

    /// The next piece; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Piece>> {
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
            let place = Place { head: self.head, end };
            let mut cut = self.plan.format.cut(&text[..window], place);
            if end {
                cut.len = window;
            }
            if cut.len > 0 || end {
                return Ok(Some(Piece::Block(self.take(cut))));
            }
            if all {
                return Ok(self.damage().map(Piece::Damage));
            }
            wanted = wanted.max(window).saturating_mul(2);
        }
    }

    /// Takes a block off the front.
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
        let mut rest = Vec::with_capacity((self.raw.len() - len).max(self.size + (self.size >> 3)));
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
        };
        self.disk = disk;
        self.offset += len as u64;
        self.number += cut.count;
        self.skip = 0;
        self.head = false;
        block
    }

    /// What is left of a broken file, once.
    fn damage(&mut self) -> Option<Damage> {
        let Ending::Damaged(message) = std::mem::replace(&mut self.ending, Ending::End) else {
            return None;
        };
        let raw = std::mem::take(&mut self.raw);
        self.decoded = None;
        self.skip = 0;
        let disk = self.input.disk_bytes();
        Some(Damage {
            plan: Arc::clone(&self.plan),
            number: self.number,
            offset: self.offset,
            raw,
            message,
            disk: disk - std::mem::replace(&mut self.disk, disk),
        })
    }
}

//! The output, which a run that begins again continues.

use super::parse::{Owner, Parsed};
use crate::outputs::{Outputs, Packed};
use std::path::Path;
use tegula::error::Result;

/// Writes judged chunks.
pub(super) struct Emitter {
    draft: Packed,
    strip: bool,
    /// Bytes written since the beginning of this pass; what an earlier pass wrote of them is not written again.
    at: u64,
}

impl Emitter {
    /// Writes to a file, or to standard output for `-` or nothing.
    pub(super) fn create(outputs: &Outputs, output: Option<&Path>, strip: bool) -> Result<Self> {
        let draft = Packed::create(outputs, output.unwrap_or(Path::new("-")))?;
        Ok(Self { draft, strip, at: 0 })
    }

    /// Another pass begins from the first document on.
    pub(super) fn restart(&mut self) {
        self.at = 0;
    }

    /// Writes a chunk. `goes` tells of documents and of paragraphs, by their numbers in the chunk.
    pub(super) fn chunk(&mut self, parsed: &mut Parsed, goes: impl Fn(Owner) -> bool) -> Result<()> {
        let pieces = std::mem::take(&mut parsed.pieces);
        let mut start = 0;
        // Where what stays begins and was not written yet.
        let mut from = 0;
        for piece in &pieces {
            if goes(piece.owner) {
                if self.strip {
                    self.write(&parsed.text[from..start])?;
                    from = piece.end;
                } else {
                    parsed.mark(start, piece.end);
                }
            }
            start = piece.end;
        }
        self.write(&parsed.text[from..])?;
        parsed.pieces = pieces;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.draft.bytes().saturating_sub(self.at).min(bytes.len() as u64);
        self.at += bytes.len() as u64;
        self.draft.put(&bytes[written as usize..])
    }

    /// Ends the output; a file waits for its name.
    pub(super) fn finish(self) -> Result<()> {
        self.draft.finish()
    }
}

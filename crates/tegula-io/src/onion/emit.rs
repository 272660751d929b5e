//! Writes the output, which a restarted run continues.

use super::parse::{Owner, Parsed};
use crate::outputs::{Outputs, Packed};
use std::path::Path;
use tegula::error::Result;

/// Writes judged chunks.
pub(super) struct Emitter {
    draft: Packed,
    strip: bool,
    /// Bytes produced since the beginning of this pass; those already written by an earlier pass
    /// are not written again.
    at: u64,
}

impl Emitter {
    /// Writes to a file, or to standard output for `-` or none.
    pub(super) fn create(outputs: &Outputs, output: Option<&Path>, strip: bool) -> Result<Self> {
        let draft = Packed::create(outputs, output.unwrap_or(Path::new("-")))?;
        Ok(Self {
            draft,
            strip,
            at: 0,
        })
    }

    /// Starts another pass at the first document.
    pub(super) fn restart(&mut self) {
        self.at = 0;
    }

    /// Writes a chunk. `goes` returns whether a document or paragraph is removed, by its number in
    /// the chunk.
    pub(super) fn chunk(
        &mut self,
        parsed: &mut Parsed,
        goes: impl Fn(Owner) -> bool,
    ) -> Result<()> {
        let pieces = std::mem::take(&mut parsed.pieces);
        let mut start = 0;
        // The start of kept bytes not yet written.
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
        let written = self
            .draft
            .bytes()
            .saturating_sub(self.at)
            .min(bytes.len() as u64);
        self.at += bytes.len() as u64;
        self.draft.put(&bytes[written as usize..])
    }

    /// Ends the output; a file is then ready to be renamed into place.
    pub(super) fn finish(self) -> Result<()> {
        self.draft.finish()
    }
}

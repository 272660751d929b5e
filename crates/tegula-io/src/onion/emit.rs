//! Writes the output.

use super::parse::{Owner, Parsed};
use crate::outputs::{Outputs, Packed};
use std::path::Path;
use tegula::error::Result;
use tegula::text::lines::LineEnds;

/// Writes judged chunks.
pub(super) struct Emitter {
    draft: Packed,
    strip: bool,
    ends: LineEnds,
}

impl Emitter {
    /// Writes to a file, or to standard output for `-` or none.
    pub(super) fn create(outputs: &Outputs, output: Option<&Path>, strip: bool) -> Result<Self> {
        let draft = Packed::create(outputs, output.unwrap_or(Path::new("-")))?;
        Ok(Self {
            draft,
            strip,
            ends: LineEnds::default(),
        })
    }

    /// Writes a chunk. `is_removed` returns whether a document or paragraph is removed, by its number
    /// in the chunk.
    pub(super) fn chunk<K: Default>(
        &mut self,
        parsed: &mut Parsed<K>,
        is_removed: impl Fn(Owner) -> bool,
    ) -> Result<()> {
        let pieces = std::mem::take(&mut parsed.pieces);
        let mut start = 0;
        // The start of kept bytes not yet written.
        let mut from = 0;
        for piece in &pieces {
            if is_removed(piece.owner) {
                if self.strip {
                    self.draft.put(&parsed.text[from..start])?;
                    from = piece.end;
                } else {
                    parsed.mark(start, piece.end, &mut self.ends);
                }
            }
            start = piece.end;
        }
        self.draft.put(&parsed.text[from..])?;
        parsed.pieces = pieces;
        Ok(())
    }

    /// Ends the output; a file is then ready to be renamed into place.
    pub(super) fn finish(self) -> Result<()> {
        self.draft.finish()
    }
}

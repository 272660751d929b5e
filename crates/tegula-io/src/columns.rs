//! How many columns vertical files have.

use crate::block::Piece;
use crate::collection::Collection;
use crate::options::FormatName;
use tegula::context::Context;
use tegula::error::Result;
use tegula::record::Source;

/// The maximum number of files examined for a description.
const FILES: usize = 16;

impl Collection {
    /// The number of columns of the widest among the first vertical files; 0 if there are none.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn columns(&self, context: &Context) -> Result<usize> {
        let is_vertical = |file: &u32| {
            let format = self.format(*file);
            format.is_some_and(|(format, _)| format == FormatName::Vertical)
        };
        let mut widest = 0;
        let files = 0..self.files().len() as u32;
        for file in files.filter(is_vertical).take(FILES) {
            widest = widest.max(of_file(context, self, file)?);
        }
        Ok(widest)
    }
}

/// The number of columns of a vertical file, by the first block of it that has tokens.
pub(crate) fn of_file(context: &Context, collection: &Collection, file: u32) -> Result<usize> {
    for piece in collection.pieces(file, collection.options().limit) {
        context.check()?;
        let Piece::Block(block) = piece? else {
            continue;
        };
        let text = String::from_utf8_lossy(block.text());
        let tokens = text
            .lines()
            .map(|line| line.trim_start_matches([' ', '\t']))
            .filter(|line| !line.is_empty() && !line.starts_with('<'));
        if let Some(columns) = tokens.map(|line| line.split('\t').count()).max() {
            return Ok(columns);
        }
    }
    Ok(0)
}

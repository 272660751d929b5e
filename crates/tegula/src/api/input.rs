//! The input of a run: the texts, followed by the references.

use super::memory::Memory;
use crate::date::DateFormat;
use crate::error::{Error, Result};
use crate::field::{Expected, FieldNeed, Holds};
use crate::record::{Chunks, Fetched, Source, SourceFile, Wanted, behind};

/// A source and the references, with their fields checked against what the run needs.
pub(super) struct Input<'a> {
    own: &'a dyn Source,
    references: Option<&'a Memory<'a>>,
    files: Vec<SourceFile>,
    needs: &'a [FieldNeed],
    dates: &'a DateFormat,
}

impl<'a> Input<'a> {
    /// References have the fields of the source, in the same order.
    ///
    /// # Errors
    /// A usage error if the source lacks a required field.
    pub(super) fn new(
        own: &'a dyn Source,
        references: Option<&'a Memory<'a>>,
        needs: &'a [FieldNeed],
        dates: &'a DateFormat,
    ) -> Result<Self> {
        let names = own.field_names();
        if let Some(need) = needs.iter().find(|need| !names.contains(&need.name)) {
            let names = if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            };
            return Err(Error::of(format!("field '{}'", need.name))
                .expected("it among the fields of the source")
                .found("none")
                .hint(format!("the fields of the source are: {names}")));
        }
        let files = own
            .files()
            .iter()
            .chain(references.iter().flat_map(|memory| memory.files()))
            .cloned()
            .collect();
        Ok(Self {
            own,
            references,
            files,
            needs,
            dates,
        })
    }

    /// The first file of the references, if there are any.
    pub(super) fn references_from(&self) -> Option<u32> {
        self.references.map(|_| self.own_files())
    }

    /// Files before the references.
    pub(super) fn own_files(&self) -> u32 {
        self.own.files().len() as u32
    }
}

impl Source for Input<'_> {
    fn files(&self) -> &[SourceFile] {
        &self.files
    }

    fn text_bytes(&self) -> u64 {
        self.own.text_bytes() + self.references.map_or(0, Source::text_bytes)
    }

    fn field_names(&self) -> &[String] {
        self.own.field_names()
    }

    fn expected(&self, field: &str) -> Expected {
        // Several settings may need one field: check dates first, then numbers.
        let strictness = |holds: &Holds| match holds {
            Holds::Anything => 0,
            Holds::Listed(_) => 1,
            Holds::Dates | Holds::Numbers => 2,
        };
        let of_field = self
            .needs
            .iter()
            .filter(|need| need.name == field)
            .map(|need| &need.holds);
        match of_field.max_by_key(|holds| strictness(holds)) {
            Some(holds) => Expected {
                holds: holds.clone(),
                dates: self.dates.clone(),
            },
            None => self.own.expected(field),
        }
    }

    fn chunks(&self) -> Result<Chunks<'_>> {
        let own = self.own.chunks()?;
        Ok(match self.references {
            Some(references) => behind(own, self.own_files(), references.chunks()?),
            None => own,
        })
    }

    fn fetch<'b>(&'b self, wanted: Wanted<'b>) -> Result<Fetched<'b>> {
        let (own, files) = (self.own.fetch(wanted)?, self.own_files());
        Ok(match self.references {
            Some(references) => own.before(files, references.fetch(wanted.behind(files))?),
            None => own,
        })
    }
}
